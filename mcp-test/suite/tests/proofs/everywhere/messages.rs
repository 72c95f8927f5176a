//! What messages contain, and when they are sent: output, ids of replies, content, metadata, notifications.

use mcp_test_core::check::Status;
use mcp_test_core::json::Value;
use mcp_test_core::run::ScenarioRun;
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::Requirement;
use mcp_test_core::spec::Revision::{
    V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28,
};
use mcp_test_core::transport::Fault;
use mcp_test_core::transport::TransportKind::{Duplex, Router};
use serde_json::json;

use super::{LIST, PING, ROOTS, Row, STDOUT, TOOL, broken, error, heedless, row, stray};

pub(crate) fn groups() -> [Vec<Row>; 7] {
    [
        output(),
        reply_ids(),
        contents(),
        metadata_and_errors(),
        conversations(),
        undeclared_offers(),
        notices(),
    ]
}

/// Output that is not a message, or that parsers read differently.
fn output() -> Vec<Row> {
    use Status::Warning;
    let twice = br#"{"jsonrpc":"2.0","method":"notifications/message","method":"notifications/x"}"#;
    let twice = Value::parse(twice).expect("JSON").value;
    vec![
        broken(PING, [Fault::banner("Server started")], STDOUT),
        broken(PING, [Fault::blank_line("ping")], STDOUT),
        broken(PING, [Fault::truncate("ping")], STDOUT),
        row(
            PING,
            [Fault::invalid_utf8("ping")],
            Status::Failure,
            &[Requirement::JSONRPC_UTF8, STDOUT],
        ),
        row(
            PING,
            [Fault::embedded_newline("ping")],
            Status::Failure,
            &[STDOUT, Requirement::TRANSPORT_STDIO_NO_EMBEDDED_NEWLINES],
        ),
        row(PING, [Fault::stray("ping", twice)], Warning, &[]),
    ]
}

/// The ids of replies.
fn reply_ids() -> Vec<Row> {
    const UNKNOWN: &str = "mcp-test/no-such-method";
    let unknown = |revision| ("base-unknown-method", revision, Duplex);
    vec![
        broken(PING, [Fault::wrong_id("ping")], Requirement::JSONRPC_RESULT_ID_ECHO),
        broken(PING, [Fault::retyped_id("ping")], Requirement::JSONRPC_ID_TYPE_PRESERVED),
        broken(PING, [Fault::twice("ping")], Requirement::JSONRPC_SINGLE_RESPONSE),
        broken(PING, [Fault::remove("ping", "/id")], Requirement::JSONRPC_RESULT_ID_ECHO),
        broken(PING, [Fault::set("ping", "/id", Value::Null)], Requirement::JSONRPC_RESULT_ID_ECHO),
        broken(
            PING,
            [Fault::set("ping", "/id", json!({}))],
            Requirement::JSONRPC_ID_TYPE_PRESERVED,
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "error": {"code": 1, "message": "no"}})),
            Requirement::JSONRPC_ERROR_ID_ECHO,
        ),
        broken(
            unknown(V2025_11_25),
            [Fault::remove(UNKNOWN, "/id")],
            Requirement::JSONRPC_ERROR_ID_ECHO,
        ),
        // Over HTTP with status 404.
        broken(
            unknown(V2026_07_28),
            [Fault::remove(UNKNOWN, "/id")],
            Requirement::JSONRPC_ERROR_ID_ECHO,
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": 77, "error": {"code": 1, "message": "no"}})),
            Requirement::JSONRPC_ERROR_ID_ECHO,
        ),
    ]
}

/// Messages that nothing before them allows.
fn conversations() -> Vec<Row> {
    let note = |method: &str, params: serde_json::Value| {
        Fault::stray("ping", json!({"jsonrpc": "2.0", "method": method, "params": params}))
    };
    let undeclared = |capability: &str, notification: Fault| {
        [Fault::remove("initialize", format!("/capabilities/{capability}")), notification]
    };
    let changed = |list: &str| {
        let method = format!("notifications/{list}/list_changed");
        undeclared(&format!("{list}/listChanged"), note(&method, json!({})))
    };
    let roots = || stray(json!({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"}));
    let before = ("ping", V2025_03_26, Duplex);
    let updated = note("notifications/resources/updated", json!({"uri": "test://static-text"}));
    let log = || json!({"level": "info", "data": "a"});
    let progress = note("notifications/progress", json!({"progressToken": 77, "progress": 1}));
    let unasked = Fault::stray(
        "tools/list",
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": log()}),
    );
    let unasked_change = |list: &str| {
        let method = format!("notifications/{list}/list_changed");
        [Fault::stray("tools/list", json!({"jsonrpc": "2.0", "method": method}))]
    };
    let declares = Fault::set("server/discover", "/capabilities/resources/listChanged", true);
    let resources_changed = unasked_change("resources").into_iter().chain([declares]);
    let unsubscribed = updated.clone();
    let still = Fault::set("notifications/progress", "/progress", 1);
    let much = |number: i32| {
        let params = json!({"progressToken": 7, "progress": number});
        let progress =
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
        Fault::stray("ping", progress)
    };
    let with_token = |id: i32| {
        let params = json!({"_meta": {"progressToken": 7}});
        Fault::stray(
            "ping",
            json!({"jsonrpc": "2.0", "id": id, "method": "ping", "params": params}),
        )
    };
    let numbered =
        json!({"jsonrpc": "2.0", "id": "s1", "method": "notifications/message", "params": log()});
    vec![
        broken(PING, changed("tools"), Requirement::TOOLS_LIST_CHANGED_REQUIRES_CAPABILITY),
        broken(PING, changed("prompts"), Requirement::PROMPTS_LIST_CHANGED_REQUIRES_CAPABILITY),
        broken(PING, changed("resources"), Requirement::RESOURCES_LIST_CHANGED_REQUIRES_CAPABILITY),
        broken(
            PING,
            undeclared("resources/subscribe", updated),
            Requirement::RESOURCES_UPDATED_REQUIRES_SUBSCRIBE_CAPABILITY,
        ),
        broken(
            PING,
            undeclared("logging", note("notifications/message", log())),
            Requirement::LOGGING_CAPABILITY_DECLARE,
        ),
        broken(
            ("ping", V2025_06_18, Duplex),
            stray(json!({"jsonrpc": "2.0", "method": "notifications/tasks/status"})),
            Requirement::LIFECYCLE_VERSION_RESPECTED,
        ),
        row(
            before,
            stray(json!({"jsonrpc": "2.0", "id": "s1", "method": "elicitation/create"})),
            Status::Warning,
            &[Requirement::LIFECYCLE_VERSION_RESPECTED_SHOULD],
        ),
        row(
            PING,
            roots(),
            Status::Failure,
            &[Requirement::LIFECYCLE_CAPABILITIES_RESPECTED, ROOTS],
        ),
        row(
            before,
            roots(),
            Status::Warning,
            &[Requirement::LIFECYCLE_CAPABILITIES_RESPECTED_SHOULD, ROOTS],
        ),
        broken(PING, [progress.clone()], Requirement::PROGRESS_TOKEN_KNOWN).without_twin(),
        row(
            ("ping", V2025_11_25, Router),
            [progress],
            Status::Failure,
            &[Requirement::PROGRESS_TOKEN_KNOWN, Requirement::TRANSPORT_HTTP_SSE_MESSAGES_RELATED],
        ),
        row(
            PING,
            (1..=1500).map(much),
            Status::Failure,
            &[Requirement::PROGRESS_TOKEN_KNOWN, Requirement::PROGRESS_RATE_LIMITED],
        )
        .without_twin(),
        row(
            ("ping", V2025_11_25, Router),
            (1..=1500).map(much),
            Status::Failure,
            &[
                Requirement::PROGRESS_TOKEN_KNOWN,
                Requirement::TRANSPORT_HTTP_SSE_MESSAGES_RELATED,
                Requirement::PROGRESS_RATE_LIMITED,
            ],
        ),
        row(PING, (1..=2).map(with_token), Status::Failure, &[Requirement::PROGRESS_TOKEN_UNIQUE]),
        broken(PING, stray(numbered), Requirement::JSONRPC_NOTIFICATION_NO_ID),
        row(
            PING,
            [Fault::flood("ping", 1500)],
            Status::Warning,
            &[Requirement::LOGGING_IMPL_RATE_LIMIT],
        ),
        broken(
            ("tools-call-with-progress", V2025_11_25, Duplex),
            [still],
            Requirement::PROGRESS_INCREASES,
        ),
        broken(LIST, [unasked], Requirement::LOGGING_PER_REQUEST_SILENT_WITHOUT_LEVEL),
        broken(
            LIST,
            unasked_change("tools"),
            Requirement::TOOLS_LIST_CHANGED_ONLY_ON_LISTEN_STREAM,
        ),
        broken(
            LIST,
            unasked_change("prompts"),
            Requirement::PROMPTS_LIST_CHANGED_ONLY_ON_LISTEN_STREAM,
        ),
        broken(LIST, resources_changed, Requirement::RESOURCES_LIST_CHANGED_ONLY_ON_LISTEN_STREAM),
        row(
            PING,
            [unsubscribed],
            Status::Warning,
            &[Requirement::RESOURCES_UPDATED_ONLY_SUBSCRIBED],
        ),
    ]
}

/// Results of requests that need a capability which the server does not declare.
fn undeclared_offers() -> Vec<Row> {
    let serve = |revision, capability: &str, status, requirements: &[&'static Requirement]| {
        let place = format!("/capabilities/{capability}");
        let faults =
            [Fault::remove("initialize", place.clone()), Fault::remove("server/discover", place)];
        let scenario_run =
            ScenarioRun { scenario: (&heedless::SCENARIO).into(), revision, transport: Duplex };
        Row::new(everything(), scenario_run, faults, status, requirements)
    };
    let offer = |revision, capability, requirement| {
        serve(revision, capability, Status::Failure, &[requirement])
    };
    let accepted = |revision, capability, requirement| {
        serve(revision, capability, Status::Warning, &[requirement])
    };
    vec![
        offer(V2024_11_05, "tools", Requirement::TOOLS_CAPABILITY_DECLARE),
        offer(V2025_11_25, "tools", Requirement::TOOLS_CAPABILITY_DECLARE),
        // Subscriptions to them need a capability within this one.
        serve(
            V2025_11_25,
            "resources",
            Status::Failure,
            &[
                Requirement::RESOURCES_CAPABILITY_DECLARE,
                Requirement::LIFECYCLE_CAPABILITIES_RESPECTED,
            ],
        ),
        offer(V2025_11_25, "prompts", Requirement::PROMPTS_CAPABILITY_DECLARE),
        offer(V2026_07_28, "prompts", Requirement::PROMPTS_CAPABILITY_DECLARE_IN_DISCOVER),
        offer(V2025_03_26, "completions", Requirement::COMPLETION_CAPABILITY_DECLARE),
        offer(V2026_07_28, "completions", Requirement::COMPLETION_CAPABILITY_DECLARE),
        offer(V2026_07_28, "tools", Requirement::TOOLS_CAPABILITY_DECLARE),
        offer(V2026_07_28, "resources", Requirement::RESOURCES_CAPABILITY_DECLARE),
        offer(V2025_06_18, "logging", Requirement::LIFECYCLE_CAPABILITIES_RESPECTED),
        offer(V2025_11_25, "resources/subscribe", Requirement::LIFECYCLE_CAPABILITIES_RESPECTED),
        accepted(V2025_03_26, "logging", Requirement::LIFECYCLE_CAPABILITIES_RESPECTED_SHOULD),
    ]
}

/// The content of results, beyond its shape.
fn contents() -> Vec<Row> {
    use Status::Warning;
    let tool = TOOL;
    let prompt = ("prompts-get-simple", V2025_11_25, Duplex);
    let item =
        |method: &str, place: &str, item: serde_json::Value| [Fault::set(method, place, item)];
    let of_prompt = |content| item("prompts/get", "/messages/0/content", content);
    let resource = |mime: &str| json!({"uri": "a:b", "text": "a", "mimeType": mime});
    let embedded = |mime: &str| json!({"type": "resource", "resource": resource(mime)});
    let undeclared = item("tools/call", "/content/0", embedded("a/b")).into_iter();
    let undeclared = undeclared.chain([Fault::remove("initialize", "/capabilities/resources")]);
    let image = json!({"type": "image", "data": "AAAA", "mimeType": "png"});
    let audio = json!({"type": "audio", "data": "AAAA", "mimeType": "wav"});
    let yesterday = json!({"lastModified": "yesterday"});
    let structured = item("tools/call", "/structuredContent", json!({"a": 1}));
    vec![
        row(
            tool,
            undeclared,
            Warning,
            &[Requirement::TOOLS_CONTENT_EMBEDDED_NEEDS_RESOURCES_CAPABILITY],
        ),
        row(tool, structured, Warning, &[Requirement::TOOLS_STRUCTURED_TEXT_MIRROR]),
        broken(
            tool,
            item("tools/call", "/content/0/annotations", yesterday),
            Requirement::RESOURCES_ANNOTATIONS_LAST_MODIFIED_ISO8601,
        ),
        row(
            ("resources-read-text", V2025_11_25, Duplex),
            item("resources/read", "/contents/0/mimeType", json!("text")),
            Warning,
            &[Requirement::MCP_TEST_MIME_TYPES],
        ),
        broken(prompt, of_prompt(embedded("")), Requirement::PROMPTS_CONTENT_EMBEDDED_MIME),
        broken(prompt, of_prompt(image), Requirement::PROMPTS_CONTENT_IMAGE_BASE64_MIME),
        broken(prompt, of_prompt(audio), Requirement::PROMPTS_CONTENT_AUDIO_BASE64_MIME),
    ]
}

/// What messages contain.
fn metadata_and_errors() -> Vec<Row> {
    use Status::Warning;
    let key = |key: &str| [Fault::set("ping", "/result/_meta", json!({ key: 1 }))];
    let before = ("ping", V2025_06_18, Duplex);
    let traced = Fault::set("tools/list", "/result/_meta/traceparent", json!("abc"));
    let dump = "Traceback (most recent call last):\n  File \"server.py\", line 7";
    let discovered = ("base-meta", V2026_07_28, Duplex);
    let failed_tool = [
        Fault::set("tools/call", "/isError", true),
        Fault::set("tools/call", "/content/0", json!({"type": "text", "text": dump})),
    ];
    let log = json!({"level": "error", "data": {"trace": dump}});
    let traced_log =
        stray(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": log}));
    vec![
        broken(PING, key("com..example/x"), Requirement::BASE_META_PREFIX_FORMAT),
        broken(PING, key("1com.example/x"), Requirement::BASE_META_PREFIX_LABELS),
        broken(PING, key("_private"), Requirement::BASE_META_NAME_FORMAT),
        broken(PING, key("com.mcp.tools/x"), Requirement::BASE_META_PREFIX_RESERVED_SECOND_LABEL),
        broken(before, key("api.mcp.com/x"), Requirement::BASE_META_PREFIX_RESERVED_ANY_LABEL),
        row(PING, key("example.com/x"), Warning, &[Requirement::BASE_META_PREFIX_REVERSE_DNS]),
        broken(LIST, [traced], Requirement::BASE_META_TRACE_FORMAT),
        row(
            PING,
            error(json!({"code": -32603, "message": dump})),
            Warning,
            &[
                Requirement::JSONRPC_ERROR_MESSAGE_CONCISE,
                Requirement::MCP_TEST_NO_INTERNAL_DETAILS,
            ],
        ),
        row(
            PING,
            error(json!({"code": -32603, "message": "two\nlines"})),
            Warning,
            &[Requirement::JSONRPC_ERROR_MESSAGE_CONCISE],
        ),
        row(
            PING,
            error(json!({"code": -32603, "message": "failed", "data": {"stack": dump}})),
            Warning,
            &[Requirement::MCP_TEST_NO_INTERNAL_DETAILS],
        ),
        row(TOOL, failed_tool, Warning, &[Requirement::MCP_TEST_NO_INTERNAL_DETAILS]),
        row(PING, traced_log, Warning, &[Requirement::LOGGING_SECURITY_NO_INTERNAL_DETAILS]),
        row(
            PING,
            error(json!({"code": 0, "message": "failed"})),
            Warning,
            &[Requirement::MCP_TEST_ERROR_CODE_NOT_ZERO],
        ),
        row(
            LIST,
            [Fault::reply_error("tools/list", -32000)],
            Warning,
            &[Requirement::JSONRPC_ERROR_CODE_LEGACY_RANGE_UNUSED],
        ),
        row(
            LIST,
            [Fault::reply_error("tools/list", -32100)],
            Warning,
            &[Requirement::JSONRPC_ERROR_CODE_APPLICATION_RANGE],
        ),
        broken(
            discovered,
            [
                // An extension may define other types.
                Fault::remove("server/discover", "/result/capabilities/extensions"),
                Fault::set("tools/list", "/result/resultType", json!("partial")),
            ],
            Requirement::BASE_RESULT_TYPE_KNOWN_SET,
        ),
    ]
}

/// Notifications that belong to no request, or to another one.
fn notices() -> Vec<Row> {
    use Status::Warning;
    let note = |before: &str, method: &str, params: serde_json::Value| {
        [Fault::stray(before, json!({"jsonrpc": "2.0", "method": method, "params": params}))]
    };
    let cancel = |before: &str, id: serde_json::Value| {
        note(before, "notifications/cancelled", json!({"requestId": id}))
    };
    let ping =
        |id: i32| Fault::stray("ping", json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    let subscription = json!({"io.modelcontextprotocol/subscriptionId": 7002});
    let updated = json!({"uri": "test://static-text", "_meta": subscription.clone()});
    let updated = note("server/discover", "notifications/resources/updated", updated);
    let of_subscription = |method: &str, mut params: serde_json::Value| {
        params["_meta"] = subscription.clone();
        note("server/discover", &format!("notifications/{method}"), params)
    };
    let progress = ("tools-call-with-progress", V2025_11_25, Duplex);
    let silent = Fault::set("notifications/progress", "/message", "");
    let listening = ("subscriptions-listen", V2026_07_28, Duplex);
    let asking = ("tools-call-elicitation", V2026_07_28, Duplex);
    let hint = Fault::set("tools/call", "/ttlMs", 1);
    vec![
        broken(PING, cancel("ping", json!("s1")), Requirement::CANCELLATION_ONLY_OWN_INFLIGHT)
            .without_twin(),
        broken(
            LIST,
            cancel("tools/list", json!(77)),
            Requirement::CANCELLATION_ONLY_CLIENT_INFLIGHT,
        ),
        broken(
            LIST,
            cancel("tools/list", json!(1)),
            Requirement::CANCELLATION_SERVER_ONLY_FOR_LISTEN,
        ),
        row(PING, (1..=6).map(ping), Warning, &[Requirement::PING_NOT_EXCESSIVE]),
        row(progress, [silent], Warning, &[Requirement::PROGRESS_MESSAGE_MEANINGFUL]),
        row(
            listening,
            updated,
            Status::Failure,
            &[Requirement::SUBSCRIPTIONS_RESOURCE_URIS_ONLY, Requirement::SUBSCRIPTIONS_ID_VALUE],
        )
        .without_twin(),
        row(
            listening,
            of_subscription("progress", json!({"progressToken": 1, "progress": 1})),
            Status::Failure,
            &[
                Requirement::SUBSCRIPTIONS_NO_REQUEST_SCOPED,
                Requirement::PROGRESS_TOKEN_KNOWN,
                Requirement::SUBSCRIPTIONS_ID_VALUE,
            ],
        )
        .without_twin(),
        row(
            listening,
            of_subscription("message", json!({"level": "info", "data": 1})),
            Status::Failure,
            &[
                Requirement::LOGGING_PER_REQUEST_OWN_STREAM_ONLY,
                Requirement::LOGGING_PER_REQUEST_SILENT_WITHOUT_LEVEL,
                Requirement::SUBSCRIPTIONS_ID_VALUE,
            ],
        )
        .without_twin(),
        broken(asking, [hint], Requirement::CACHING_HINTS_NONE_ON_INPUT_REQUIRED),
    ]
}
