//! `client-tolerant`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::exchange::{Exchange, exchanges};
use super::{never_listed, one_tool, server};
use crate::check::Finding;
use crate::client::reference::good_client;
use crate::client::{ClientTask, ScriptedClient};
use crate::clock::{self, Deadline};
use crate::scenario::{CheckSpec, ClientTest, Judging};
use crate::server::{Answer, Call, Server};
use crate::spec::{Revision, Revisions};
use crate::{proofs, scenario};

scenario! {
    /// Before the server answers the first `tools/list`, it sends notifications that a client has to tolerate: one of an unknown method,
    /// changes of lists, log messages of every level, a cancellation that names no request, and the end of an unknown elicitation.
    ///
    /// After each kind it sends a `ping`, whose reply shows that the client goes on. A client that does not answer the `ping` before all
    /// of them is not judged here, but by `client-answers-requests`.
    Client "client-tolerant": "The client tolerates notifications that do not concern it",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    checks: [
        CheckSpec::own(
            UNKNOWN,
            "ClientIgnoresUnknownNotification",
            "The client goes on after a notification of an unknown method",
        )
        .requires(&["jsonrpc.unknown-notification-tolerated"]),
        CheckSpec::own(
            LIST_CHANGED,
            "ClientToleratesListChanged",
            "The client goes on after notifications that lists have changed",
        )
        .requires(&[
            "tools.list-changed.client-tolerates-unsolicited",
            "resources.list-changed.client-tolerates-unsolicited",
            "prompts.list-changed.client-tolerates-unsolicited",
        ]),
        CheckSpec::own(
            LOG,
            "ClientToleratesLogMessages",
            "The client goes on after log messages of every level, although it set none",
        )
        .requires(&["logging.message.client-tolerates-unsolicited"]),
        CheckSpec::own(
            CANCELLED,
            "ClientIgnoresUnknownCancellation",
            "The client goes on after a cancellation that names no request of the server",
        )
        .requires(&["cancellation.unknown-id-ignored"])
        .warns(),
        CheckSpec::own(
            COMPLETE,
            "ClientIgnoresUnknownElicitation",
            "The client goes on after the end of an elicitation that it does not know",
        )
        .requires(&["elicitation.complete.client-ignores-unknown"])
        .within(Revisions::only(Revision::V2025_11_25)),
    ],
}

const UNKNOWN: &str = "client-ignores-unknown-notification";
const LIST_CHANGED: &str = "client-tolerates-list-changed";
const LOG: &str = "client-tolerates-log-messages";
const CANCELLED: &str = "client-ignores-unknown-cancellation";
const COMPLETE: &str = "client-ignores-unknown-elicitation";

/// How long the server waits for the reply to a `ping`. A client may still reply later: all that it sends before it exits counts.
const REPLY_TIME: Duration = Duration::from_secs(2);

const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// The checks at this revision, each with the notifications that it is about, in the order in which they are sent.
fn steps(revision: Revision) -> Vec<(&'static str, Vec<(&'static str, Value)>)> {
    let log = |level| ("notifications/message", json!({ "level": level, "data": "a message" }));
    let mut steps = vec![
        (UNKNOWN, vec![("notifications/mcp-test/unknown", json!({ "nested": [{}] }))]),
        (
            LIST_CHANGED,
            vec![
                ("notifications/tools/list_changed", json!({})),
                ("notifications/resources/list_changed", json!({})),
                ("notifications/prompts/list_changed", json!({})),
            ],
        ),
        (LOG, LEVELS.map(log).into()),
        (CANCELLED, vec![("notifications/cancelled", json!({ "requestId": "no-such-id" }))]),
    ];
    if revision == Revision::V2025_11_25 {
        let complete = json!({ "elicitationId": "no-such-id" });
        steps.push((COMPLETE, vec![("notifications/elicitation/complete", complete)]));
    }
    steps
}

fn serve(test: &ClientTest) -> Server {
    // Once only: a client that lists again because the list has changed would never come to an end.
    let is_sent = Arc::new(AtomicBool::new(false));
    server(test).on("tools/list", move |call: Call| {
        let is_sent = is_sent.swap(true, Ordering::Relaxed);
        async move {
            if !is_sent {
                send_all(&call).await;
            }
            let answer: Answer = one_tool(call).await;
            answer
        }
    })
}

/// Sends the notifications, each kind followed by a `ping`, until one is not answered.
async fn send_all(call: &Call) {
    let steps = steps(call.revision()).into_iter().map(|(_, notifications)| notifications);
    // The first `ping` has no notification before it.
    for notifications in [Vec::new()].into_iter().chain(steps) {
        for (method, params) in notifications {
            if call.notify(method, params).await.is_err() {
                return;
            }
        }
        let ping = call.request("ping", json!({}));
        if !matches!(clock::within(Deadline::after(REPLY_TIME), ping).await, Ok(Ok(_))) {
            return;
        }
    }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    let spoken = judging.spoken().unwrap_or_else(|| judging.revision());
    let steps = steps(judging.revision());
    let pings = exchanges(judging, |request| request.method == "ping");
    let is_answered = |ping: Option<&Exchange>| ping.is_some_and(|(_, reply)| reply.is_some());
    let mut goes_on = is_answered(pings.first());
    let mut reason = "the client did not answer the first `ping`";
    for (at, (id, notifications)) in steps.iter().enumerate() {
        let check = judging.check(id);
        if *id == COMPLETE && spoken < Revision::V2025_11_25 {
            check.skip("the version that the client speaks has no such notification");
            continue;
        }
        if !goes_on {
            check.skip(reason);
            continue;
        }
        let before = pings[at].0;
        goes_on = is_answered(pings.get(at + 1));
        reason = "the client stopped before";
        match goes_on {
            true => check.pass(),
            false => check.fail(
                Finding::peer(format!("the client stopped after `{}`", notifications[0].0))
                    .expected("a reply to the `ping` that follows")
                    .got("no reply before the client exited")
                    .evidence(before),
            ),
        };
    }
    Ok(())
}

/// Lists the tools, and leaves as soon as this notification arrives.
fn leaving_at(method: &'static str) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let _list = client.start("tools/list", json!({})).await;
        client.wait_for_notification(method).await?;
        client.end().await;
        Ok(())
    })
}

fn leaves_at_an_unknown_one() -> ScriptedClient {
    leaving_at("notifications/mcp-test/unknown")
}

fn leaves_at_a_change() -> ScriptedClient {
    leaving_at("notifications/prompts/list_changed")
}

fn leaves_at_a_log_message() -> ScriptedClient {
    leaving_at("notifications/message")
}

fn leaves_at_a_cancellation() -> ScriptedClient {
    leaving_at("notifications/cancelled")
}

fn leaves_at_an_elicitation() -> ScriptedClient {
    leaving_at("notifications/elicitation/complete")
}

proofs! {
    passes on good_client();
    catches "client-ignores-unknown-notification" on leaves_at_an_unknown_one(),
        also "client-tolerates-list-changed" Skipped,
        also "client-tolerates-log-messages" Skipped,
        also "client-ignores-unknown-cancellation" Skipped,
        also "client-ignores-unknown-elicitation" Skipped;
    catches "client-tolerates-list-changed" on leaves_at_a_change(),
        also "client-tolerates-log-messages" Skipped,
        also "client-ignores-unknown-cancellation" Skipped,
        also "client-ignores-unknown-elicitation" Skipped;
    catches "client-tolerates-log-messages" on leaves_at_a_log_message(),
        also "client-ignores-unknown-cancellation" Skipped,
        also "client-ignores-unknown-elicitation" Skipped;
    warns "client-ignores-unknown-cancellation" on leaves_at_a_cancellation(),
        also "client-ignores-unknown-elicitation" Skipped;
    catches "client-ignores-unknown-elicitation" on leaves_at_an_elicitation();
}
