//! What is wrong with the requests and notifications of a client themselves: ids, metadata, when they are sent, tasks.

use mcp_test_core::client::{ClientTask, RequestOptions, ScriptedClient};
use mcp_test_core::scenario::Profile;
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
    let line = |revision, fault, requirements: &[&'static str]| {
        row(revision, [fault], requirements).over(TransportKind::Duplex)
    };
    let stdin = "transport.stdio.stdin-only-messages";
    let initialized = json!({ "id": "s1", "method": "notifications/initialized" });
    vec![
        line(V2025_11_25, Fault::invalid_utf8(LIST), &["jsonrpc.utf8", stdin]),
        row(
            V2025_11_25,
            [Fault::invalid_utf8(LIST)],
            &["jsonrpc.utf8", "transport.http.body-single-message"],
        ),
        line(
            V2025_11_25,
            Fault::embedded_newline(LIST),
            &["transport.stdio.no-embedded-newlines", stdin],
        ),
        line(V2025_11_25, Fault::twice(LIST), &["jsonrpc.request-id-unique-session"]),
        line(V2026_07_28, Fault::twice(LIST), &["jsonrpc.request-id-unique-inflight"])
            .without_twin(),
        row(V2025_11_25, [], &["jsonrpc.request-id-unique-session"]).on(with_one_id()),
        row(V2025_11_25, stray(LIST, initialized), &["jsonrpc.notification-no-id"]),
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
        newest("com..example/x", "base.meta-prefix-format"),
        newest("1com.example/x", "base.meta-prefix-labels"),
        newest("_private", "base.meta-name-format"),
        newest("com.mcp.tools/x", "base.meta-prefix-reserved-second-label"),
        key(V2025_06_18, "api.mcp.com/x", "base.meta-prefix-reserved-any-label"),
        warned(newest("example.com/x", "base.meta-prefix-reverse-dns")),
        row(V2026_07_28, [traced], &["base.meta-trace-format"]),
    ]
}

/// What is sent too early, too often, or without what it needs.
fn conversations() -> Vec<Row> {
    let cancel = json!({ "method": "notifications/cancelled", "params": { "requestId": "no" } });
    let ping = |id: u8| stray(LIST, json!({ "id": format!("s{id}"), "method": "ping" }));
    let request = |method: &str| stray(LIST, json!({ "id": "s1", "method": method }));
    let early = row(V2025_11_25, [], &["lifecycle.client-requests-before-response"]);
    // In the official suite the server of skills has no tools.
    let toolless = row_in(
        "sep-2640-client-no-prefetch",
        V2025_11_25,
        stray("skills/list", json!({ "id": "s1", "method": LIST })),
        &["base.tools-require-capability"],
    );
    vec![
        warned(early.over(TransportKind::Duplex).on(hasty())),
        toolless.under(Profile::Official),
        warned(row(V2025_11_25, (1..=6).flat_map(ping), &["ping.not-excessive"])),
        warned(row(
            V2025_03_26,
            request("prompts/list"),
            &["prompts.impl.respect-negotiation", "lifecycle.capabilities-respected-should"],
        )),
        warned(row(V2025_03_26, request("tasks/list"), &["lifecycle.version-respected-should"])),
        row(V2026_07_28, stray(LIST, cancel), &["cancellation.only-client-inflight"]),
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
    let row = |fault, requirements: &[&'static str]| {
        row_in("client-tasks", V2025_11_25, fault, requirements)
    };
    let called =
        |params: Value| stray(call, json!({ "id": "s1", "method": call, "params": params }));
    // The requests before it are `initialize` and `tools/list`.
    let cancel = json!({ "method": "notifications/cancelled", "params": { "requestId": 3 } });
    vec![
        row(
            called(json!({ "name": "subtract", "task": {} })),
            &["tools.definition.task-support-default", "tasks.tool-forbidden-not-augmented"],
        ),
        row(called(json!({ "name": "import" })), &["tasks.tool-required-augmented"]),
        // The server sends `ping` while the task runs.
        row(stray("ping", cancel), &["cancellation.task-uses-tasks-cancel"]),
    ]
}
