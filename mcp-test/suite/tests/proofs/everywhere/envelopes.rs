//! Messages that are not JSON-RPC, that a revision does not have, or that HTTP does not carry.

use std::time::Duration;

use mcp_test_core::check::Status;
use mcp_test_core::json::Value;
use mcp_test_core::scenario::{Ctx, Running};
use mcp_test_core::spec::Requirement;
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
        broken(PING, [Fault::remove("ping", "/jsonrpc")], Requirement::JSONRPC_VERSION_MEMBER),
        broken(PING, stray(json!(7)), STDOUT),
        broken(
            PING,
            [Fault::remove("ping", "/result")],
            Requirement::JSONRPC_RESPONSE_RESULT_OR_ERROR,
        ),
        broken(
            PING,
            [Fault::set("ping", "/error", Value::Null)],
            Requirement::JSONRPC_RESPONSE_NOT_BOTH,
        ),
        broken(PING, [Fault::retype("ping", "/result")], Requirement::JSONRPC_RESULT_OBJECT),
        broken(PING, error(json!("boom")), Requirement::JSONRPC_ERROR_SHAPE),
        broken(PING, error(json!({"code": 1})), Requirement::JSONRPC_ERROR_SHAPE),
        broken(
            PING,
            error(json!({"code": "E", "message": "no"})),
            Requirement::JSONRPC_ERROR_CODE_INTEGER,
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": 5})),
            Requirement::JSONRPC_REQUEST_METHOD_STRING,
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": {}, "method": "ping"})),
            Requirement::JSONRPC_REQUEST_ID_TYPE,
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})),
            Requirement::JSONRPC_REQUEST_ID_TYPE,
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "id": null, "method": "ping"})),
            Requirement::JSONRPC_REQUEST_ID_NOT_NULL,
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": []})),
            Requirement::JSONRPC_PARAMS_OBJECT,
        ),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": 7})),
            Requirement::JSONRPC_PARAMS_OBJECT,
        ),
    ]
}

const STDIO: &Requirement = Requirement::TRANSPORT_STDIO_SERVER_NO_REQUESTS;
const HTTP: &Requirement = Requirement::TRANSPORT_HTTP_SERVER_NO_REQUESTS;

/// A request of the server before the reply to `tools/list`.
fn of_server(method: &str) -> [Fault; 1] {
    let request = json!({"jsonrpc": "2.0", "id": "s1", "method": method});
    [Fault::stray("tools/list", request)]
}

/// What it breaks at 2026-07-28: the rule of its transport, and that of its kind.
fn not_sent(
    transport: &'static Requirement,
    kind: &'static Requirement,
) -> [&'static Requirement; 4] {
    [Requirement::MRTR_NO_SERVER_REQUESTS, Requirement::MRTR_INPUT_ONLY_VIA_MRTR, kind, transport]
}

/// What a revision has, and who may send it.
fn revisions() -> Vec<Row> {
    use Status::Warning;
    let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
    vec![
        broken(PING, stray(json!([log])), Requirement::JSONRPC_BATCH_NOT_SENT),
        broken(
            ("ping", V2025_06_18, Duplex),
            stray(json!([log])),
            Requirement::JSONRPC_BATCH_NOT_SENT,
        ),
        broken(
            ("ping", V2025_03_26, Duplex),
            stray(json!([log, {"id": 1}])),
            Requirement::JSONRPC_VERSION_MEMBER,
        ),
        row(("ping", V2024_11_05, Duplex), stray(json!([log])), Warning, &[]),
        broken(
            PING,
            stray(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})),
            Requirement::SCHEMA_MESSAGE_DIRECTION,
        ),
        row(
            LIST,
            of_server("roots/list"),
            Status::Failure,
            &not_sent(STDIO, Requirement::ROOTS_LIST_VIA_INPUT_REQUIRED),
        ),
        row(
            LIST,
            of_server("sampling/createMessage"),
            Status::Failure,
            &not_sent(STDIO, Requirement::SAMPLING_REQUEST_VIA_INPUT_REQUIRED),
        ),
        row(
            LIST,
            of_server("elicitation/create"),
            Status::Failure,
            &not_sent(STDIO, Requirement::ELICITATION_REQUEST_VIA_INPUT_REQUIRED),
        ),
        broken(
            LIST,
            [Fault::remove("tools/list", "/result/resultType")],
            Requirement::BASE_RESULT_TYPE_PRESENT,
        ),
        broken(
            ("lists-pages", V2026_07_28, Duplex),
            [Fault::set("prompts/list", "/resultType", "done")],
            Requirement::BASE_RESULT_TYPE_KNOWN_SET,
        ),
        broken(
            LIST,
            [Fault::reply_error("tools/list", -32002)],
            Requirement::JSONRPC_ERROR_CODE_RETIRED,
        ),
        broken(
            LIST,
            [Fault::reply_error("tools/list", -32050)],
            Requirement::JSONRPC_ERROR_CODE_RESERVED_RANGE,
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
    let media = Requirement::TRANSPORT_HTTP_REQUEST_CONTENT_TYPE;
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
        broken(at(V2025_11_25), lengths, Requirement::MCP_TEST_HTTP_ONE_LENGTH),
        broken(
            ("ping", V2024_11_05, TransportKind::Sse),
            [Fault::truncate("ping")],
            Requirement::TRANSPORT_SSE_MESSAGE_EVENTS,
        ),
        row_in(
            body("listening", listening, V2025_11_25, Router),
            announced,
            Warning,
            &[Requirement::TRANSPORT_HTTP_GET_MESSAGES_UNRELATED],
        ),
        row(
            at(V2025_11_25),
            [Fault::invalid_utf8("tools/list")],
            Status::Failure,
            &[Requirement::JSONRPC_UTF8, Requirement::TRANSPORT_HTTP_JSON_SINGLE_OBJECT],
        ),
        broken(
            at(V2025_11_25),
            [Fault::status("notifications/initialized", 200)],
            Requirement::TRANSPORT_HTTP_ACCEPTED_202,
        ),
        row(
            at(V2025_11_25),
            ["sse-open:tools/list".parse::<Fault>().expect("a fault")],
            Warning,
            &[Requirement::TRANSPORT_HTTP_SSE_CLOSE_AFTER_RESPONSE],
        ),
        broken(at(V2025_11_25), coded(), Requirement::MCP_TEST_HTTP_CODING_FITS),
        broken(at(V2026_07_28), coded(), Requirement::MCP_TEST_HTTP_CODING_FITS),
        broken(at(V2025_11_25), [Fault::html("tools/list")], media),
        broken(at(V2025_11_25), plain(), media),
        row(at(V2024_11_05), plain(), Warning, &[]),
        broken(
            at(V2025_11_25),
            [Fault::truncate("tools/list")],
            Requirement::TRANSPORT_HTTP_JSON_SINGLE_OBJECT,
        ),
        broken(at(V2025_03_26), [Fault::truncate("tools/list")], media),
        broken(
            at(V2025_11_25),
            [Fault::content_type("tools/list", "text/event-stream")],
            Requirement::TRANSPORT_HTTP_SSE_EVENT_DATA,
        ),
        broken(
            ("tools-call-elicitation", V2025_11_25, Router),
            [Fault::twice("elicitation/create")],
            Requirement::JSONRPC_REQUEST_ID_UNIQUE_SESSION,
        ),
        broken(
            ("server-stateless", V2026_07_28, Router),
            [Fault::set("notifications/tools/list_changed", SUBSCRIPTION, "other")],
            Requirement::SUBSCRIPTIONS_ID_VALUE,
        ),
        row(
            at(V2026_07_28),
            of_server("sampling/createMessage"),
            Status::Failure,
            &not_sent(HTTP, Requirement::SAMPLING_REQUEST_VIA_INPUT_REQUIRED),
        ),
        row(
            at(V2026_07_28),
            of_server("elicitation/create"),
            Status::Failure,
            &not_sent(HTTP, Requirement::ELICITATION_REQUEST_VIA_INPUT_REQUIRED),
        ),
        broken(
            at(V2026_07_28),
            [Fault::stray("tools/list", changed)],
            Requirement::TOOLS_LIST_CHANGED_ONLY_ON_LISTEN_STREAM,
        ),
    ]
}
