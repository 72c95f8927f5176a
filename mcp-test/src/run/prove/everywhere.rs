//! The proofs of the checks that every scenario has: `wire-well-formed`, `wire-schema-valid`, `wire-schema-harness-error`.

mod server_requests;

use serde_json::json;

use super::table::Row;
use super::{run_alone, statuses, unfounded};
use crate::check::{
    Blame, Check, Finding, Origin, SCHEMA_HARNESS_ERROR, SCHEMA_VALID, Status, WELL_FORMED,
};
use crate::json::Value;
use crate::run::{Cell, Verdict};
use crate::scenario::{Leg, Profile};
use crate::scenarios;
use crate::server::reference::everything;
use crate::spec::Revision::{
    self, V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28,
};
use crate::transport::Fault;
use crate::transport::TransportKind::{self, Duplex};

/// A row on the reference server.
fn row(
    (scenario, revision, transport): (&'static str, Revision, TransportKind),
    faults: impl IntoIterator<Item = Fault>,
    status: Status,
    requirements: &[&'static str],
) -> Row {
    let scenario = scenarios::find(Leg::Server, scenario).expect("a built-in scenario");
    let cell = Cell { scenario: scenario.into(), revision, transport };
    Row::new(everything(), cell, faults, status, requirements)
}

/// A row on the reference server, with damage that breaks one requirement.
fn broken(
    cell: (&'static str, Revision, TransportKind),
    faults: impl IntoIterator<Item = Fault>,
    requirement: &'static str,
) -> Row {
    row(cell, faults, Status::Failure, &[requirement])
}

const PING: (&str, Revision, TransportKind) = ("ping", V2025_11_25, Duplex);
const TOOL: (&str, Revision, TransportKind) = ("tools-call-simple-text", V2025_11_25, Duplex);
const LIST: (&str, Revision, TransportKind) = ("tools-list", V2026_07_28, Duplex);

/// A message that comes before the reply to `ping`.
fn stray(message: serde_json::Value) -> [Fault; 1] {
    [Fault::stray("ping", message)]
}

/// The error of a reply to `ping`, whatever it is.
fn error(error: serde_json::Value) -> [Fault; 2] {
    [Fault::remove("ping", "/result"), Fault::set("ping", "/error", error)]
}

const STDOUT: &str = "transport.stdio.stdout-only-messages";

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
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": 77, "error": {"code": 1, "message": "no"}})),
            "jsonrpc.error-id-echo",
        ),
    ]
}

const ROOTS: &str = "roots.list.requires-capability";

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
        broken(PING, [progress], "progress.token-known"),
        broken(("tools-call-with-progress", V2025_11_25, Duplex), [still], "progress.increases"),
        broken(LIST, [unasked], "logging.per-request.silent-without-level"),
        broken(LIST, unasked_change("tools"), "tools.list-changed.only-on-listen-stream"),
        broken(LIST, unasked_change("prompts"), "prompts.list-changed.only-on-listen-stream"),
        broken(LIST, resources_changed, "resources.list-changed.only-on-listen-stream"),
        row(PING, [unsubscribed], Status::Warning, &["resources.updated.only-subscribed"]),
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
    let updated = json!({"uri": "test://static-text", "_meta": subscription});
    let updated = note("server/discover", "notifications/resources/updated", updated);
    let progress = ("tools-call-with-progress", V2025_11_25, Duplex);
    let silent = Fault::set("notifications/progress", "/message", "");
    let listening = ("subscriptions-listen", V2026_07_28, Duplex);
    let asking = ("tools-call-elicitation", V2026_07_28, Duplex);
    let hint = Fault::set("tools/call", "/ttlMs", 1);
    vec![
        broken(PING, cancel("ping", json!("s1")), "cancellation.only-own-inflight"),
        broken(LIST, cancel("tools/list", json!(77)), "cancellation.only-client-inflight"),
        broken(LIST, cancel("tools/list", json!(1)), "cancellation.server-only-for-listen"),
        row(PING, (1..=6).map(ping), Warning, &["ping.not-excessive"]),
        row(progress, [silent], Warning, &["progress.message-meaningful"]),
        row(
            listening,
            updated,
            Status::Failure,
            &["subscriptions.resource-uris-only", "subscriptions.id-value"],
        ),
        broken(asking, [hint], "caching.hints.none-on-input-required"),
    ]
}

/// Messages that are not JSON-RPC, or not as MCP restricts it.
fn envelopes() -> Vec<Row> {
    vec![
        broken(PING, [Fault::remove("ping", "/jsonrpc")], "jsonrpc.version-member"),
        broken(PING, stray(json!(7)), STDOUT),
        broken(PING, [Fault::remove("ping", "/result")], "jsonrpc.response-result-or-error"),
        broken(PING, [Fault::set("ping", "/error", Value::Null)], "jsonrpc.response-not-both"),
        broken(PING, [Fault::retype("ping", "/result")], "jsonrpc.result-object"),
        broken(PING, error(json!("boom")), "jsonrpc.error-shape"),
        broken(PING, error(json!({"code": 1})), "jsonrpc.error-shape"),
        broken(PING, error(json!({"code": "E", "message": "no"})), "jsonrpc.error-code-integer"),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": 5})),
            "jsonrpc.request-method-string",
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": {}, "method": "ping"})),
            "jsonrpc.request-id-type",
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})),
            "jsonrpc.request-id-type",
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": null, "method": "ping"})),
            "jsonrpc.request-id-not-null",
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": []})),
            "jsonrpc.params-object",
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": 7})),
            "jsonrpc.params-object",
        ),
    ]
}

/// What a revision has, and who may send it.
fn revisions() -> Vec<Row> {
    use Status::Warning;
    let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
    let question = json!({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"});
    vec![
        broken(PING, stray(json!([log])), "jsonrpc.batch-not-sent"),
        broken(("ping", V2025_06_18, Duplex), stray(json!([log])), "jsonrpc.batch-not-sent"),
        broken(
            ("ping", V2025_03_26, Duplex),
            stray(json!([log, {"id": 1}])),
            "jsonrpc.version-member",
        ),
        row(("ping", V2024_11_05, Duplex), stray(json!([log])), Warning, &[]),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})),
            "schema.message-direction",
        ),
        row(
            LIST,
            [Fault::stray("tools/list", question)],
            Status::Failure,
            &[
                "mrtr.no-server-requests",
                "mrtr.input-only-via-mrtr",
                "roots.list.via-input-required",
                "transport.stdio.server-no-requests",
            ],
        ),
        broken(
            LIST,
            [Fault::remove("tools/list", "/result/resultType")],
            "base.result-type-present",
        ),
        broken(
            ("lists-pages", V2026_07_28, Duplex),
            [Fault::set("prompts/list", "/resultType", "done")],
            "base.result-type-known-set",
        ),
        broken(LIST, [Fault::reply_error("tools/list", -32002)], "jsonrpc.error-code-retired"),
        broken(
            LIST,
            [Fault::reply_error("tools/list", -32050)],
            "jsonrpc.error-code-reserved-range",
        ),
    ]
}

#[cfg(feature = "http")]
fn http() -> Vec<Row> {
    use Status::Warning;
    use TransportKind::Router;
    let at = |revision| ("tools-list", revision, Router);
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let question = json!({"jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage"});
    let media = "transport.http.request-content-type";
    const SUBSCRIPTION: &str = "/_meta/io.modelcontextprotocol~1subscriptionId";
    let plain = || [Fault::content_type("tools/list", "text/plain")];
    vec![
        broken(at(V2025_11_25), [Fault::html("tools/list")], media),
        broken(at(V2025_11_25), plain(), media),
        row(at(V2024_11_05), plain(), Warning, &[]),
        broken(
            at(V2025_11_25),
            [Fault::truncate("tools/list")],
            "transport.http.json-single-object",
        ),
        broken(at(V2025_03_26), [Fault::truncate("tools/list")], media),
        broken(
            at(V2025_11_25),
            [Fault::content_type("tools/list", "text/event-stream")],
            "transport.http.sse-event-data",
        ),
        broken(
            ("tools-call-elicitation", V2025_11_25, Router),
            [Fault::twice("elicitation/create")],
            "jsonrpc.request-id-unique-session",
        ),
        broken(
            ("server-stateless", V2026_07_28, Router),
            [Fault::set("notifications/tools/list_changed", SUBSCRIPTION, "other")],
            "subscriptions.id-value",
        ),
        row(
            at(V2026_07_28),
            [Fault::stray("tools/list", question)],
            Status::Failure,
            &[
                "mrtr.no-server-requests",
                "mrtr.input-only-via-mrtr",
                "sampling.request.via-input-required",
                "transport.http.server-no-requests",
            ],
        ),
        broken(
            at(V2026_07_28),
            [Fault::stray("tools/list", changed)],
            "tools.list-changed.only-on-listen-stream",
        ),
    ]
}

#[cfg(not(feature = "http"))]
fn http() -> Vec<Row> {
    Vec::new()
}

#[test]
fn the_judge_finds_what_a_fault_does_to_a_conversation() {
    let groups = [
        output(),
        reply_ids(),
        envelopes(),
        contents(),
        metadata_and_errors(),
        conversations(),
        notices(),
        revisions(),
        http(),
    ];
    let groups = groups.into_iter().chain(server_requests::groups());
    let rows: Vec<Row> = groups.flatten().collect();
    let broken: Vec<String> = rows.iter().filter_map(Row::prove).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
    for status in [Status::Failure, Status::Warning] {
        assert!(rows.iter().any(|row| row.status == status), "{status}");
    }
}

#[test]
fn a_message_of_a_wrong_shape_fails_in_all_profiles() {
    let shapes = [
        ("tools-list", "set:tools/list:/tools/0/name:7", "schema.tool"),
        ("tools-list", "set:tools/list:/nextCursor:7", "pagination.cursor.string"),
        (
            "resources-list",
            r#"set:resources/list:/resources/0/uri:"noscheme""#,
            "resources.definition.uri-valid",
        ),
        ("prompts-list", "set:prompts/list:/prompts/0/description:7", "schema.prompt"),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/role:"system""#,
            "prompts.message.role-values",
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:"text""#,
            "prompts.message.single-content",
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:{"type":"tool_use"}"#,
            "prompts.message.types-with-resource-link",
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:{"type":"image","data":"AAAA"}"#,
            "prompts.content.image-base64-mime",
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:{"type":"audio","data":"AAAA"}"#,
            "prompts.content.audio-base64-mime",
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:{"type":"resource","resource":{"uri":"a/b","mimeType":"a/b","text":"a"}}"#,
            "prompts.content.embedded-uri",
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:{"type":"resource","resource":{"uri":"a:b","mimeType":"a/b"}}"#,
            "prompts.content.embedded-text-or-blob",
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0:{"type":"json"}"#,
            "tools.content.types-with-resource-link",
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0:{"type":"image","data":"AAAA"}"#,
            "tools.content.image-base64",
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0:{"type":"audio","data":"AAAA"}"#,
            "tools.content.audio-base64",
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0:{"type":"resource_link","uri":"a/b","name":"a"}"#,
            "tools.content.resource-link",
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0:{"type":"resource","resource":{"uri":"a:b"}}"#,
            "tools.content.embedded-resource",
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0/annotations:{"audience":["system"]}"#,
            "resources.annotations.audience-values",
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0/annotations:{"priority":5}"#,
            "resources.annotations.priority-range",
        ),
        (
            "tools-call-simple-text",
            "set:tools/call:/content/0/annotations:[]",
            "schema.annotations",
        ),
        (
            "tools-call-simple-text",
            "set:tools/call:/structuredContent:[]",
            "tools.structured.object-only",
        ),
        (
            "tools-list",
            r#"set:tools/list:/tools/0/execution:{"taskSupport":"yes"}"#,
            "tools.definition.task-support-enum",
        ),
        ("ping", "remove:ping:/jsonrpc", "jsonrpc.version-member"),
        ("ping", "retype:ping:/result", "jsonrpc.result-object"),
    ];
    for (scenario, fault, requirement) in shapes {
        let cell = (scenario, V2025_11_25, Duplex);
        let row = row(cell, [fault.parse::<Fault>().expect(fault)], Status::Failure, &[]);
        for profile in Profile::ALL {
            let good = row.run(&[], profile);
            assert_eq!(statuses(&good).get(SCHEMA_VALID), Some(&Status::Success), "{scenario}");
            let bad = row.run(&row.faults, profile);
            let check = bad.failing().find(|check| check.id == SCHEMA_VALID);
            let check = check.unwrap_or_else(|| panic!("{fault}: {:?}", statuses(&bad)));
            assert_eq!(check.requirements, [requirement], "{fault}");
            assert_eq!(check.origin, Origin::Official);
            assert_eq!(bad.verdict, Verdict::Failed, "{fault}");
        }
    }
}

#[cfg(feature = "http")]
#[test]
fn where_the_official_suite_does_not_validate_the_check_is_ours() {
    let cell = ("server-session-lifecycle", V2025_11_25, TransportKind::Router);
    let row = row(cell, [], Status::Success, &[]);
    let good = row.run(&[], Profile::Official);
    let check = good.checks.iter().find(|check| check.id == SCHEMA_VALID).expect("a row");
    assert_eq!((check.status, check.origin), (Status::Success, Origin::Own));
}

#[test]
fn base64_is_judged_by_the_text_of_the_specification() {
    let image = r#"{"type":"image","mimeType":"image/png","data":"data:,a"}"#;
    let cases = [
        (
            "prompts-get-simple",
            "prompts/get:/messages/0/content",
            image,
            "prompts.content.image-base64-mime",
        ),
        ("tools-call-simple-text", "tools/call:/content/0", image, "tools.content.image-base64"),
        (
            "resources-read-text",
            "resources/read:/contents/0",
            r#"{"uri":"a:b","blob":"a b"}"#,
            "resources.contents.blob-base64",
        ),
    ];
    for (scenario, place, value, requirement) in cases {
        let fault = format!("set:{place}:{value}").parse::<Fault>().expect("a fault");
        let row = row((scenario, V2025_11_25, Duplex), [fault], Status::Failure, &[]);
        let bad = row.run(&row.faults, Profile::Adaptive);
        let check = bad.failing().find(|check| check.id == SCHEMA_VALID).expect("a failure");
        assert_eq!(check.requirements, [requirement], "{place}");
    }
}

/// A scenario that sends an invalid request, at one revision deliberately.
mod clumsy {
    use serde_json::json;

    use crate::check::Finding;
    use crate::scenario::{CheckSpec, Ctx};
    use crate::server::reference::everything;
    use crate::spec::{Revision, Revisions};
    use crate::{proofs, scenario};

    scenario! {
        /// Sends an invalid request.
        Server "clumsy": "A scenario that sends an invalid request",
        revisions: Revisions::all(),
        checks: [CheckSpec::own("clumsy", "Clumsy", "made always")],
    }

    proofs! {
        passes on everything();
    }

    async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
        ctx.check("clumsy").pass();
        let is_deliberate = ctx.revision() == Revision::V2025_06_18;
        let request = ctx.request("tools/call", json!({"name": 7}));
        let reply = if is_deliberate { request.deliberate() } else { request }.await?;
        let _refused = reply.error();
        Ok(())
    }
}

#[test]
fn an_invalid_message_of_ours_is_our_fault_unless_it_is_deliberate() {
    let played = |revision, profile| run_alone(&clumsy::SCENARIO, everything(), revision, profile);
    for profile in Profile::ALL {
        let wrong = played(V2025_11_25, profile);
        let check = wrong.checks.iter().find(|check| check.id == SCHEMA_HARNESS_ERROR);
        let check = check.expect("a row");
        let blame = check.finding.as_ref().map(|finding| finding.blame);
        assert_eq!((check.status, blame), (Status::Failure, Some(Blame::Harness)));
        assert_eq!(statuses(&wrong).get(SCHEMA_VALID), Some(&Status::Success));
        if profile != Profile::Official {
            assert_eq!(wrong.verdict, Verdict::NotRun);
        }
        let deliberate = played(V2025_06_18, profile);
        assert_eq!(statuses(&deliberate).get(SCHEMA_HARNESS_ERROR), None);
        assert_eq!(deliberate.verdict, Verdict::Passed);
    }
}

#[test]
fn a_requirement_that_explain_does_not_name_for_the_check_is_unfounded() {
    let row = row(PING, [], Status::Failure, &[]);
    let mut played = row.run(&[], Profile::Adaptive);
    let cite = |id, requirement| {
        Check::from_finding(id, Origin::Own, Finding::peer("wrong").requires(requirement))
    };
    // `ping` fails with what interrupts it, too; no check of a conversation is about tools.
    played.checks =
        vec![cite("ping", "jsonrpc.id-type-preserved"), cite("ping", "ping.result-empty")];
    assert_eq!(unfounded(&played), [""; 0]);
    played.checks =
        vec![cite("ping", "tools.list.respond"), cite(WELL_FORMED, "tools.list.respond")];
    assert_eq!(unfounded(&played).len(), 2);
}

#[test]
fn a_requirement_of_another_revision_is_unfounded() {
    let row = row(("ping", V2025_03_26, Duplex), [], Status::Failure, &[]);
    let mut played = row.run(&[], Profile::Adaptive);
    assert_eq!(unfounded(&played), [""; 0]);
    let finding = Finding::peer("a batch").requires("jsonrpc.batch-not-sent");
    // Allowed: what the judge only advises needs no requirement.
    let remark = Finding::peer("odd JSON").should();
    played.checks.push(Check::from_finding(WELL_FORMED, Origin::Own, remark));
    played.checks.push(Check::from_finding(WELL_FORMED, Origin::Own, finding));
    assert_eq!(
        unfounded(&played),
        ["wire-well-formed cites `jsonrpc.batch-not-sent`, which does not hold at 2025-03-26"]
    );
}
