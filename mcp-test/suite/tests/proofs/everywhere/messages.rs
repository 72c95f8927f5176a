//! What messages contain, and when they are sent: output, ids of replies, content, metadata, notifications.

use mcp_test_core::check::Status;
use mcp_test_core::json::Value;
use mcp_test_core::run::Cell;
use mcp_test_core::server::reference::everything;
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
        row(PING, [Fault::invalid_utf8("ping")], Status::Failure, &["jsonrpc.utf8", STDOUT]),
        row(
            PING,
            [Fault::embedded_newline("ping")],
            Status::Failure,
            &[STDOUT, "transport.stdio.no-embedded-newlines"],
        ),
        row(PING, [Fault::stray("ping", twice)], Warning, &[]),
    ]
}

/// The ids of replies.
fn reply_ids() -> Vec<Row> {
    const UNKNOWN: &str = "mcp-test/no-such-method";
    let unknown = |revision| ("base-unknown-method", revision, Duplex);
    vec![
        broken(PING, [Fault::wrong_id("ping")], "jsonrpc.result-id-echo"),
        broken(PING, [Fault::retyped_id("ping")], "jsonrpc.id-type-preserved"),
        broken(PING, [Fault::twice("ping")], "jsonrpc.single-response"),
        broken(PING, [Fault::remove("ping", "/id")], "jsonrpc.result-id-echo"),
        broken(PING, [Fault::set("ping", "/id", Value::Null)], "jsonrpc.result-id-echo"),
        broken(PING, [Fault::set("ping", "/id", json!({}))], "jsonrpc.id-type-preserved"),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "error": {"code": 1, "message": "no"}})),
            "jsonrpc.error-id-echo",
        ),
        broken(unknown(V2025_11_25), [Fault::remove(UNKNOWN, "/id")], "jsonrpc.error-id-echo"),
        // Over HTTP with status 404.
        broken(unknown(V2026_07_28), [Fault::remove(UNKNOWN, "/id")], "jsonrpc.error-id-echo"),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": 77, "error": {"code": 1, "message": "no"}})),
            "jsonrpc.error-id-echo",
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
        broken(PING, changed("tools"), "tools.list-changed.requires-capability"),
        broken(PING, changed("prompts"), "prompts.list-changed.requires-capability"),
        broken(PING, changed("resources"), "resources.list-changed.requires-capability"),
        broken(
            PING,
            undeclared("resources/subscribe", updated),
            "resources.updated.requires-subscribe-capability",
        ),
        broken(
            PING,
            undeclared("logging", note("notifications/message", log())),
            "logging.capability.declare",
        ),
        broken(
            ("ping", V2025_06_18, Duplex),
            stray(json!({"jsonrpc": "2.0", "method": "notifications/tasks/status"})),
            "lifecycle.version-respected",
        ),
        row(
            before,
            stray(json!({"jsonrpc": "2.0", "id": "s1", "method": "elicitation/create"})),
            Status::Warning,
            &["lifecycle.version-respected-should"],
        ),
        row(PING, roots(), Status::Failure, &["lifecycle.capabilities-respected", ROOTS]),
        row(before, roots(), Status::Warning, &["lifecycle.capabilities-respected-should", ROOTS]),
        broken(PING, [progress.clone()], "progress.token-known").without_twin(),
        row(
            ("ping", V2025_11_25, Router),
            [progress],
            Status::Failure,
            &["progress.token-known", "transport.http.sse-messages-related"],
        ),
        row(
            PING,
            (1..=1500).map(much),
            Status::Failure,
            &["progress.token-known", "progress.rate-limited"],
        )
        .without_twin(),
        row(
            ("ping", V2025_11_25, Router),
            (1..=1500).map(much),
            Status::Failure,
            &[
                "progress.token-known",
                "transport.http.sse-messages-related",
                "progress.rate-limited",
            ],
        ),
        row(PING, (1..=2).map(with_token), Status::Failure, &["progress.token-unique"]),
        broken(PING, stray(numbered), "jsonrpc.notification-no-id"),
        row(PING, [Fault::flood("ping", 1500)], Status::Warning, &["logging.impl.rate-limit"]),
        broken(("tools-call-with-progress", V2025_11_25, Duplex), [still], "progress.increases"),
        broken(LIST, [unasked], "logging.per-request.silent-without-level"),
        broken(LIST, unasked_change("tools"), "tools.list-changed.only-on-listen-stream"),
        broken(LIST, unasked_change("prompts"), "prompts.list-changed.only-on-listen-stream"),
        broken(LIST, resources_changed, "resources.list-changed.only-on-listen-stream"),
        row(PING, [unsubscribed], Status::Warning, &["resources.updated.only-subscribed"]),
    ]
}

/// Results of requests that need a capability which the server does not declare.
fn undeclared_offers() -> Vec<Row> {
    let serve = |revision, capability: &str, status, requirements: &[&'static str]| {
        let place = format!("/capabilities/{capability}");
        let faults =
            [Fault::remove("initialize", place.clone()), Fault::remove("server/discover", place)];
        let cell = Cell { scenario: (&heedless::SCENARIO).into(), revision, transport: Duplex };
        Row::new(everything(), cell, faults, status, requirements)
    };
    let offer = |revision, capability, requirement| {
        serve(revision, capability, Status::Failure, &[requirement])
    };
    let accepted = |revision, capability, requirement| {
        serve(revision, capability, Status::Warning, &[requirement])
    };
    vec![
        offer(V2024_11_05, "tools", "tools.capability.declare"),
        offer(V2025_11_25, "tools", "tools.capability.declare"),
        // Subscriptions to them need a capability within this one.
        serve(
            V2025_11_25,
            "resources",
            Status::Failure,
            &["resources.capability.declare", "lifecycle.capabilities-respected"],
        ),
        offer(V2025_11_25, "prompts", "prompts.capability.declare"),
        offer(V2026_07_28, "prompts", "prompts.capability.declare-in-discover"),
        offer(V2025_03_26, "completions", "completion.capability.declare"),
        offer(V2026_07_28, "completions", "completion.capability.declare"),
        offer(V2026_07_28, "tools", "tools.capability.declare"),
        offer(V2026_07_28, "resources", "resources.capability.declare"),
        offer(V2025_06_18, "logging", "lifecycle.capabilities-respected"),
        offer(V2025_11_25, "resources/subscribe", "lifecycle.capabilities-respected"),
        accepted(V2025_03_26, "logging", "lifecycle.capabilities-respected-should"),
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
        row(tool, undeclared, Warning, &["tools.content.embedded-needs-resources-capability"]),
        row(tool, structured, Warning, &["tools.structured.text-mirror"]),
        broken(
            tool,
            item("tools/call", "/content/0/annotations", yesterday),
            "resources.annotations.last-modified-iso8601",
        ),
        row(
            ("resources-read-text", V2025_11_25, Duplex),
            item("resources/read", "/contents/0/mimeType", json!("text")),
            Warning,
            &["mcp-test.mime-types"],
        ),
        broken(prompt, of_prompt(embedded("")), "prompts.content.embedded-mime"),
        broken(prompt, of_prompt(image), "prompts.content.image-base64-mime"),
        broken(prompt, of_prompt(audio), "prompts.content.audio-base64-mime"),
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
        broken(PING, key("com..example/x"), "base.meta-prefix-format"),
        broken(PING, key("1com.example/x"), "base.meta-prefix-labels"),
        broken(PING, key("_private"), "base.meta-name-format"),
        broken(PING, key("com.mcp.tools/x"), "base.meta-prefix-reserved-second-label"),
        broken(before, key("api.mcp.com/x"), "base.meta-prefix-reserved-any-label"),
        row(PING, key("example.com/x"), Warning, &["base.meta-prefix-reverse-dns"]),
        broken(LIST, [traced], "base.meta-trace-format"),
        row(
            PING,
            error(json!({"code": -32603, "message": dump})),
            Warning,
            &["jsonrpc.error-message-concise", "mcp-test.no-internal-details"],
        ),
        row(
            PING,
            error(json!({"code": -32603, "message": "two\nlines"})),
            Warning,
            &["jsonrpc.error-message-concise"],
        ),
        row(
            PING,
            error(json!({"code": -32603, "message": "failed", "data": {"stack": dump}})),
            Warning,
            &["mcp-test.no-internal-details"],
        ),
        row(TOOL, failed_tool, Warning, &["mcp-test.no-internal-details"]),
        row(PING, traced_log, Warning, &["logging.security.no-internal-details"]),
        row(
            PING,
            error(json!({"code": 0, "message": "failed"})),
            Warning,
            &["mcp-test.error-code-not-zero"],
        ),
        row(
            LIST,
            [Fault::reply_error("tools/list", -32000)],
            Warning,
            &["jsonrpc.error-code-legacy-range-unused"],
        ),
        row(
            LIST,
            [Fault::reply_error("tools/list", -32100)],
            Warning,
            &["jsonrpc.error-code-application-range"],
        ),
        broken(
            discovered,
            [
                // An extension may define other types.
                Fault::remove("server/discover", "/result/capabilities/extensions"),
                Fault::set("tools/list", "/result/resultType", json!("partial")),
            ],
            "base.result-type-known-set",
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
        broken(PING, cancel("ping", json!("s1")), "cancellation.only-own-inflight").without_twin(),
        broken(LIST, cancel("tools/list", json!(77)), "cancellation.only-client-inflight"),
        broken(LIST, cancel("tools/list", json!(1)), "cancellation.server-only-for-listen"),
        row(PING, (1..=6).map(ping), Warning, &["ping.not-excessive"]),
        row(progress, [silent], Warning, &["progress.message-meaningful"]),
        row(
            listening,
            updated,
            Status::Failure,
            &["subscriptions.resource-uris-only", "subscriptions.id-value"],
        )
        .without_twin(),
        row(
            listening,
            of_subscription("progress", json!({"progressToken": 1, "progress": 1})),
            Status::Failure,
            &["subscriptions.no-request-scoped", "progress.token-known", "subscriptions.id-value"],
        )
        .without_twin(),
        row(
            listening,
            of_subscription("message", json!({"level": "info", "data": 1})),
            Status::Failure,
            &[
                "logging.per-request.own-stream-only",
                "logging.per-request.silent-without-level",
                "subscriptions.id-value",
            ],
        )
        .without_twin(),
        broken(asking, [hint], "caching.hints.none-on-input-required"),
    ]
}
