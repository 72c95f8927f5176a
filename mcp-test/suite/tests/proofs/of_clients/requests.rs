//! What is wrong with the requests and notifications of a client themselves: ids, metadata, when they are sent, tasks.

use mcp_test_core::client::{ClientTask, RequestOptions, ScriptedClient};
use mcp_test_core::scenario::Profile;
use mcp_test_core::spec::Requirement;
use mcp_test_core::spec::Revision::{self, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
use mcp_test_core::transport::{Fault, TransportKind};
use serde_json::{Value, json};

use super::{Row, row, row_in, warned};

const LIST: &str = "tools/list";

pub(crate) fn groups() -> [Vec<Row>; 4] {
    [texts(), metadata(), conversations(), tasks()]
}

fn stray(before: &str, message: Value) -> [Fault; 1] {
    let mut message = message;
    message["jsonrpc"] = json!("2.0");
    [Fault::stray(before, message)]
}

/// Texts and ids.
fn texts() -> Vec<Row> {
    let line = |revision, fault, requirements: &[&'static Requirement]| {
        row(revision, [fault], requirements).over(TransportKind::Duplex)
    };
    let stdin = Requirement::TRANSPORT_STDIO_STDIN_ONLY_MESSAGES;
    let initialized = json!({ "id": "s1", "method": "notifications/initialized" });
    vec![
        line(V2025_11_25, Fault::invalid_utf8(LIST), &[Requirement::JSONRPC_UTF8, stdin]),
        row(
            V2025_11_25,
            [Fault::invalid_utf8(LIST)],
            &[Requirement::JSONRPC_UTF8, Requirement::TRANSPORT_HTTP_BODY_SINGLE_MESSAGE],
        ),
        line(
            V2025_11_25,
            Fault::embedded_newline(LIST),
            &[Requirement::TRANSPORT_STDIO_NO_EMBEDDED_NEWLINES, stdin],
        ),
        line(V2025_11_25, Fault::twice(LIST), &[Requirement::JSONRPC_REQUEST_ID_UNIQUE_SESSION]),
        line(V2026_07_28, Fault::twice(LIST), &[Requirement::JSONRPC_REQUEST_ID_UNIQUE_INFLIGHT])
            .without_twin(),
        row(V2025_11_25, [], &[Requirement::JSONRPC_REQUEST_ID_UNIQUE_SESSION]).on(with_one_id()),
        row(V2025_11_25, stray(LIST, initialized), &[Requirement::JSONRPC_NOTIFICATION_NO_ID]),
    ]
}

/// Uses the id of `initialize` for each further request.
fn with_one_id() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let call = json!({ "name": "add_numbers", "arguments": { "a": 5, "b": 3 } });
        for (method, params) in [(LIST, json!({})), ("tools/call", call)] {
            client.request_with(method, params, RequestOptions::new().id(1)).await?.result()?;
        }
        client.end().await;
        Ok(())
    })
}

/// The keys in `_meta`.
fn metadata() -> Vec<Row> {
    let key = |revision: Revision, key: &str, requirement| {
        row(revision, [Fault::set(LIST, "/_meta", json!({ key: 1 }))], &[requirement])
    };
    let newest = |name: &str, requirement| key(V2025_11_25, name, requirement);
    let traced = Fault::set(LIST, "/_meta/traceparent", "abc");
    vec![
        newest("com..example/x", Requirement::BASE_META_PREFIX_FORMAT),
        newest("1com.example/x", Requirement::BASE_META_PREFIX_LABELS),
        newest("_private", Requirement::BASE_META_NAME_FORMAT),
        newest("com.mcp.tools/x", Requirement::BASE_META_PREFIX_RESERVED_SECOND_LABEL),
        key(V2025_06_18, "api.mcp.com/x", Requirement::BASE_META_PREFIX_RESERVED_ANY_LABEL),
        warned(newest("example.com/x", Requirement::BASE_META_PREFIX_REVERSE_DNS)),
        row(V2026_07_28, [traced], &[Requirement::BASE_META_TRACE_FORMAT]),
    ]
}

/// What is sent too early, too often, or without what it needs.
fn conversations() -> Vec<Row> {
    let cancel = json!({ "method": "notifications/cancelled", "params": { "requestId": "no" } });
    let ping = |id: u8| stray(LIST, json!({ "id": format!("s{id}"), "method": "ping" }));
    let request = |method: &str| stray(LIST, json!({ "id": "s1", "method": method }));
    let early = row(V2025_11_25, [], &[Requirement::LIFECYCLE_CLIENT_REQUESTS_BEFORE_RESPONSE]);
    // In the official suite the server of skills has no tools.
    let toolless = row_in(
        "sep-2640-client-no-prefetch",
        V2025_11_25,
        stray("skills/list", json!({ "id": "s1", "method": LIST })),
        &[Requirement::BASE_TOOLS_REQUIRE_CAPABILITY],
    );
    vec![
        warned(early.over(TransportKind::Duplex).on(hasty())),
        toolless.under(Profile::Official),
        warned(row(V2025_11_25, (1..=6).flat_map(ping), &[Requirement::PING_NOT_EXCESSIVE])),
        warned(row(
            V2025_03_26,
            request("prompts/list"),
            &[
                Requirement::PROMPTS_IMPL_RESPECT_NEGOTIATION,
                Requirement::LIFECYCLE_CAPABILITIES_RESPECTED_SHOULD,
            ],
        )),
        warned(row(
            V2025_03_26,
            request("tasks/list"),
            &[Requirement::LIFECYCLE_VERSION_RESPECTED_SHOULD],
        )),
        row(V2026_07_28, stray(LIST, cancel), &[Requirement::CANCELLATION_ONLY_CLIENT_INFLIGHT]),
    ]
}

/// Lists the tools before `initialize` is answered.
fn hasty() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.uninitialized(task.options()).await?;
        let initialize = client.start("initialize", client.initialize_params()).await;
        let list = client.start(LIST, json!({})).await;
        for pending in [initialize, list] {
            // What the server makes of it does not matter.
            let _ = client.wait(pending).await?.outcome();
        }
        client.end().await;
        Ok(())
    })
}

/// Calls of tools with and without `task`, where the server supports that.
fn tasks() -> Vec<Row> {
    let call = "tools/call";
    let row = |fault, requirements: &[&'static Requirement]| {
        row_in("client-tasks", V2025_11_25, fault, requirements)
    };
    let called =
        |params: Value| stray(call, json!({ "id": "s1", "method": call, "params": params }));
    // The requests before it are `initialize` and `tools/list`.
    let cancel = json!({ "method": "notifications/cancelled", "params": { "requestId": 3 } });
    vec![
        row(
            called(json!({ "name": "subtract", "task": {} })),
            &[
                Requirement::TOOLS_DEFINITION_TASK_SUPPORT_DEFAULT,
                Requirement::TASKS_TOOL_FORBIDDEN_NOT_AUGMENTED,
            ],
        ),
        row(called(json!({ "name": "import" })), &[Requirement::TASKS_TOOL_REQUIRED_AUGMENTED]),
        // The server sends `ping` while the task runs.
        row(stray("ping", cancel), &[Requirement::CANCELLATION_TASK_USES_TASKS_CANCEL]),
    ]
}
