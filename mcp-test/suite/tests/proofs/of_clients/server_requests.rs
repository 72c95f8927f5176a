//! What a client sends about the requests of its server: replies, errors, progress.

use std::cell::Cell;

use mcp_test_core::client::reference::patient::{Reaction, Received, correct, list_tools_with};
use mcp_test_core::client::{Client, ClientTask, ScriptedClient};
use mcp_test_core::spec::Requirement;
use mcp_test_core::spec::Revision::{V2025_11_25, V2026_07_28};
use mcp_test_core::transport::{Fault, TransportKind};
use mcp_test_core::wire::{Id, Response};
use mcp_test_suite::scenarios::base::client_features::ROOTS_TOKEN;
use serde_json::{Value, json};

use super::{Row, row, row_in, warned};

pub(crate) fn groups() -> [Vec<Row>; 3] {
    [progress(), replies(), errors()]
}

/// Progress under the token of the request for the roots.
fn progress() -> Vec<Row> {
    const ROOTS: &str = "roots/list";
    let progress = |before: &str, token: Value, progress: usize| {
        let params = json!({ "progressToken": token, "progress": progress });
        let method = "notifications/progress";
        Fault::stray(before, json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    };
    let of_roots = |number| progress(ROOTS, json!(ROOTS_TOKEN), number);
    let blank = json!({ "progressToken": ROOTS_TOKEN, "progress": 1, "message": " " });
    let blank = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": blank });
    // The reply to the form comes after the one with the roots.
    let late = progress("elicitation/create", json!(ROOTS_TOKEN), 1);
    let row = |faults: Vec<Fault>, requirement| {
        row_in("client-features", V2025_11_25, faults, &[requirement]).over(TransportKind::Duplex)
    };
    vec![
        row(
            vec![progress(ROOTS, json!(ROOTS_TOKEN.to_string()), 1)],
            Requirement::PROGRESS_TOKEN_ECHOED,
        ),
        row(vec![of_roots(1), of_roots(1)], Requirement::PROGRESS_INCREASES).without_twin(),
        row(vec![late], Requirement::PROGRESS_STOPS_AFTER_COMPLETION).without_twin(),
        warned(row((1..=1001).map(of_roots).collect(), Requirement::PROGRESS_RATE_LIMITED))
            .without_twin(),
        warned(row(vec![Fault::stray(ROOTS, blank)], Requirement::PROGRESS_MESSAGE_MEANINGFUL)),
    ]
}

/// Replies, whatever they contain.
fn replies() -> Vec<Row> {
    let row = |fault: Fault, requirement| {
        row_in("client-answers-requests", V2025_11_25, [fault], &[requirement])
    };
    let late =
        row_in("client-malformed", V2025_11_25, [], &[Requirement::CANCELLATION_NO_RESPONSE]);
    let late = late.over(TransportKind::Duplex).on(answers_what_is_cancelled());
    vec![
        row(Fault::set("ping", "/id", json!({})), Requirement::JSONRPC_ID_TYPE_PRESERVED),
        row(Fault::twice("ping"), Requirement::JSONRPC_SINGLE_RESPONSE),
        row(Fault::set("ping", "/error", json!(null)), Requirement::JSONRPC_RESPONSE_NOT_BOTH),
        row(Fault::remove("ping", "/result"), Requirement::JSONRPC_RESPONSE_RESULT_OR_ERROR),
        row(Fault::retype("ping", "/result"), Requirement::JSONRPC_RESULT_OBJECT),
        warned(late).without_twin(),
    ]
}

/// Answers a `ping` only when it is cancelled for the second time, which is after the reply to the next one.
fn answers_what_is_cancelled() -> ScriptedClient {
    /// The third `ping` of `client-malformed`.
    const CANCELLED: &str = "server-3";
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let is_second = Cell::new(false);
        let names = |received: Received<'_>| match received {
            Received::Notification(it) => {
                it.params.as_ref().and_then(|params| Id::read(params.get("requestId")?))
            }
            Received::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let react = |client: &Client, received: Received<'_>| match received {
            received if names(received) != Some(CANCELLED.into()) => correct(client, received),
            Received::Notification(_) if is_second.replace(true) => {
                Reaction::Send(Response::new(CANCELLED, json!({})).into())
            }
            _ => Reaction::Ignore,
        };
        list_tools_with(&mut client, react).await?;
        client.end().await;
        Ok(())
    })
}

/// Errors, in replies or without a request.
fn errors() -> Vec<Row> {
    const UNKNOWN: &str = "mcp-test/no-such-method";
    let dump = "Traceback (most recent call last):\n  File \"client.py\", line 7";
    let row_of = |error: Value, requirements: &[&'static Requirement]| {
        let fault = Fault::set(UNKNOWN, "/error", error);
        row_in("client-answers-requests", V2025_11_25, [fault], requirements)
    };
    let stray = |code: i64| {
        let error = json!({ "code": code, "message": "no" });
        [Fault::stray("tools/list", json!({ "jsonrpc": "2.0", "id": "s1", "error": error }))]
    };
    // In the stateless era servers send no requests, so that no error answers one.
    let unasked =
        |code, requirements: &[&'static Requirement]| row(V2026_07_28, stray(code), requirements);
    vec![
        row_of(json!("boom"), &[Requirement::JSONRPC_ERROR_SHAPE]),
        row_of(json!({ "code": "E", "message": "no" }), &[Requirement::JSONRPC_ERROR_CODE_INTEGER]),
        warned(row_of(
            json!({ "code": 0, "message": "no" }),
            &[Requirement::MCP_TEST_ERROR_CODE_NOT_ZERO],
        )),
        warned(row_of(
            json!({ "code": -32601, "message": "two\nlines" }),
            &[Requirement::JSONRPC_ERROR_MESSAGE_CONCISE],
        )),
        warned(row_of(
            json!({ "code": -32601, "message": "no", "data": { "stack": dump } }),
            &[Requirement::MCP_TEST_NO_INTERNAL_DETAILS],
        )),
        row(V2025_11_25, stray(-32601), &[Requirement::JSONRPC_ERROR_ID_ECHO]),
        unasked(
            -32002,
            &[Requirement::JSONRPC_ERROR_CODE_RETIRED, Requirement::JSONRPC_ERROR_ID_ECHO],
        ),
        unasked(
            -32050,
            &[Requirement::JSONRPC_ERROR_CODE_RESERVED_RANGE, Requirement::JSONRPC_ERROR_ID_ECHO],
        ),
        unasked(
            -32000,
            &[
                Requirement::JSONRPC_ERROR_ID_ECHO,
                Requirement::JSONRPC_ERROR_CODE_LEGACY_RANGE_UNUSED,
            ],
        ),
        unasked(
            -32100,
            &[
                Requirement::JSONRPC_ERROR_ID_ECHO,
                Requirement::JSONRPC_ERROR_CODE_APPLICATION_RANGE,
            ],
        ),
    ]
}
