//! Messages that are not JSON-RPC, that a revision does not have, or that HTTP does not carry.

use std::time::Duration;

use mcp_test_core::check::Status;
use mcp_test_core::json::Value;
use mcp_test_core::scenario::{Ctx, Running};
use mcp_test_core::spec::Revision::{
    V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28,
};
use mcp_test_core::transport::Fault;
use mcp_test_core::transport::TransportKind::{self, Duplex};
use serde_json::json;

use super::{LIST, PING, Row, STDOUT, body, broken, error, row, row_in, stray};

pub(crate) fn groups() -> [Vec<Row>; 3] {
    [envelopes(), revisions(), http()]
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

const STDIO: &str = "transport.stdio.server-no-requests";
const HTTP: &str = "transport.http.server-no-requests";

/// A request of the server before the reply to `tools/list`.
fn of_server(method: &str) -> [Fault; 1] {
    let request = json!({"jsonrpc": "2.0", "id": "s1", "method": method});
    [Fault::stray("tools/list", request)]
}

/// What it breaks at 2026-07-28: the rule of its transport, and that of its kind.
fn not_sent(transport: &'static str, kind: &'static str) -> [&'static str; 4] {
    ["mrtr.no-server-requests", "mrtr.input-only-via-mrtr", kind, transport]
}

/// What a revision has, and who may send it.
fn revisions() -> Vec<Row> {
    use Status::Warning;
    let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
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
            of_server("roots/list"),
            Status::Failure,
            &not_sent(STDIO, "roots.list.via-input-required"),
        ),
        row(
            LIST,
            of_server("sampling/createMessage"),
            Status::Failure,
            &not_sent(STDIO, "sampling.request.via-input-required"),
        ),
        row(
            LIST,
            of_server("elicitation/create"),
            Status::Failure,
            &not_sent(STDIO, "elicitation.request.via-input-required"),
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

/// Opens the stream for unsolicited messages, and calls a tool that announces something there.
fn listening(ctx: &mut Ctx) -> Running<'_> {
    Box::pin(async move {
        ctx.client().await?.listen().await?;
        let call = json!({ "name": "test_trigger_tool_change" });
        ctx.request("tools/call", call).progress(7).await?.result()?;
        Ok(())
    })
}

fn http() -> Vec<Row> {
    use Status::Warning;
    use TransportKind::Router;
    let at = |revision| ("tools-list", revision, Router);
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let media = "transport.http.request-content-type";
    const SUBSCRIPTION: &str = "/_meta/io.modelcontextprotocol~1subscriptionId";
    let plain = || [Fault::content_type("tools/list", "text/plain")];
    let coded = || [Fault::header("tools/list", "Content-Encoding", "gzip")];
    let lengths = [
        Fault::header("tools/list", "Content-Length", "7"),
        Fault::header("tools/list", "Transfer-Encoding", "chunked"),
    ];
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 7, "progress": 1}});
    let announced = [
        Fault::stray("notifications/tools/list_changed", progress),
        Fault::late("tools/call", Duration::from_secs(1)),
    ];
    vec![
        broken(at(V2025_11_25), lengths, "mcp-test.http-one-length"),
        broken(
            ("ping", V2024_11_05, TransportKind::Sse),
            [Fault::truncate("ping")],
            "transport.sse.message-events",
        ),
        row_in(
            body("listening", listening, V2025_11_25, Router),
            announced,
            Warning,
            &["transport.http.get-messages-unrelated"],
        ),
        row(
            at(V2025_11_25),
            [Fault::invalid_utf8("tools/list")],
            Status::Failure,
            &["jsonrpc.utf8", "transport.http.json-single-object"],
        ),
        broken(
            at(V2025_11_25),
            [Fault::status("notifications/initialized", 200)],
            "transport.http.accepted-202",
        ),
        row(
            at(V2025_11_25),
            ["sse-open:tools/list".parse::<Fault>().expect("a fault")],
            Warning,
            &["transport.http.sse-close-after-response"],
        ),
        broken(at(V2025_11_25), coded(), "mcp-test.http-coding-fits"),
        broken(at(V2026_07_28), coded(), "mcp-test.http-coding-fits"),
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
            of_server("sampling/createMessage"),
            Status::Failure,
            &not_sent(HTTP, "sampling.request.via-input-required"),
        ),
        row(
            at(V2026_07_28),
            of_server("elicitation/create"),
            Status::Failure,
            &not_sent(HTTP, "elicitation.request.via-input-required"),
        ),
        broken(
            at(V2026_07_28),
            [Fault::stray("tools/list", changed)],
            "tools.list-changed.only-on-listen-stream",
        ),
    ]
}
