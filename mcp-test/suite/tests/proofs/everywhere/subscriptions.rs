//! Notifications of subscriptions, and the results that end them.

use mcp_test_core::check::Status;
use mcp_test_core::client::RequestOptions;
use mcp_test_core::scenario::{Ctx, Running};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Call, Server};
use mcp_test_core::spec::Revision::V2026_07_28;
use mcp_test_core::spec::{LISTEN, Requirement};
use mcp_test_core::transport::Fault;
use mcp_test_core::transport::TransportKind::{self, Duplex, Router};
use serde_json::{Value, json};

use super::{Row, body, row_in};

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

pub(crate) fn groups() -> [Vec<Row>; 1] {
    [subscriptions()]
}

/// Opens the subscription `first` to tools and tasks and `second` to prompts, and cancels the first one.
fn subscribing(ctx: &mut Ctx) -> Running<'_> {
    Box::pin(async move {
        let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
        let mut client = ctx.connect(ctx.options().capabilities(tasks)).await?;
        let mut open = Vec::new();
        for (id, filter) in [
            ("first", json!({ "toolsListChanged": true, "taskIds": ["t1"] })),
            ("second", json!({ "promptsListChanged": true })),
        ] {
            let params = json!({ "notifications": filter });
            let pending = client.start_with(LISTEN, params, RequestOptions::new().id(id)).await;
            client.keep_open(&pending);
            client.wait_for_notification(ACKNOWLEDGED).await?;
            open.push(pending);
        }
        client.request("resources/list", json!({})).await?.result()?;
        client.cancel(open.remove(0), None).await;
        for list in ["tools/list", "prompts/list"] {
            client.request(list, json!({})).await?.result()?;
        }
        Ok(())
    })
}

/// The reference server, which ends each subscription at once.
fn ending() -> Server {
    everything().on(LISTEN, |call: Call| async move {
        let id = call.id().map(|id| id.to_value().to_serde());
        let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
        let acknowledged = json!({ "notifications": {}, "_meta": meta });
        // A client that has disconnected misses the result as well.
        call.notify(ACKNOWLEDGED, acknowledged).await.ok();
        json!({ "_meta": meta })
    })
}

/// A notification of the subscription `first`.
fn of_first(before: &str, method: &str, mut params: Value) -> [Fault; 1] {
    params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": "first" });
    let method = format!("notifications/{method}");
    [Fault::stray(before, json!({ "jsonrpc": "2.0", "method": method, "params": params }))]
}

fn subscriptions() -> Vec<Row> {
    let row =
        |transport: TransportKind, faults: [Fault; 1], requirements: &[&'static Requirement]| {
            let scenario_run = body("subscribing", subscribing, V2026_07_28, transport);
            row_in(scenario_run, faults, Status::Failure, requirements).without_twin()
        };
    let changed =
        |before: &str, list: &str| of_first(before, &format!("{list}/list_changed"), json!({}));
    let progress =
        |before: &str| of_first(before, "progress", json!({ "progressToken": 1, "progress": 1 }));
    let of_tasks = [
        Requirement::EXT_TASKS_NO_PROGRESS_ON_LISTEN,
        Requirement::SUBSCRIPTIONS_NO_REQUEST_SCOPED,
    ];
    let log = of_first(ACKNOWLEDGED, "message", json!({ "level": "info", "data": 1 }));
    let updated =
        of_first(ACKNOWLEDGED, "resources/updated", json!({ "uri": "test://static-text" }));
    let ended = Requirement::SUBSCRIPTIONS_CANCEL_ENDS;
    vec![
        row(
            Duplex,
            changed("resources/list", "prompts"),
            &[Requirement::SUBSCRIPTIONS_ONLY_REQUESTED],
        ),
        row(
            Duplex,
            progress("resources/list"),
            &[&of_tasks[..], &[Requirement::PROGRESS_TOKEN_KNOWN]].concat(),
        ),
        row(
            Router,
            progress(ACKNOWLEDGED),
            &[
                &of_tasks[..],
                &[
                    Requirement::TRANSPORT_HTTP_SSE_NOTIFICATIONS_RELATED,
                    Requirement::PROGRESS_TOKEN_KNOWN,
                ],
            ]
            .concat(),
        ),
        row(
            Router,
            log,
            &[
                Requirement::EXT_TASKS_NO_PROGRESS_ON_LISTEN,
                Requirement::LOGGING_PER_REQUEST_OWN_STREAM_ONLY,
                Requirement::LOGGING_PER_REQUEST_SILENT_WITHOUT_LEVEL,
            ],
        ),
        row(Router, updated, &[Requirement::SUBSCRIPTIONS_RESOURCE_URIS_ONLY]),
        row(Duplex, changed("prompts/list", "tools"), &[ended]),
        row(
            Router,
            changed("prompts/list", "tools"),
            &[ended, Requirement::TRANSPORT_HTTP_SSE_NOTIFICATIONS_RELATED],
        ),
        row_in(
            body("subscribing", subscribing, V2026_07_28, Duplex),
            [Fault::remove(LISTEN, "/_meta")],
            Status::Failure,
            &[Requirement::SUBSCRIPTIONS_GRACEFUL_RESULT_SHAPE],
        )
        .on(ending()),
    ]
}
