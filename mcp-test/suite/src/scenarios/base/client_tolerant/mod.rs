//! `client-tolerant`.

mod peers;

use mcp_test_core::scenario::ReceivedMessage;
use mcp_test_core::spec::{Side, method};
use serde_json::Value;

use super::client_tolerant::peers::{
    answers_notifications, leaves_at_a_cancellation, leaves_at_a_change, leaves_at_a_log_message,
    leaves_at_a_task, leaves_at_an_elicitation, leaves_at_an_unknown_one, leaves_at_log_data,
    leaves_at_meta, refuses_meta,
};
use crate::scenarios::exchange::{Exchange, exchanges, reply_in_words, result};
use crate::scenarios::listing_client::never_listed;
use crate::scenarios::listing_server::{answers_ping, knowing_first, one_tool, server};
use crate::scenarios::prelude::*;

scenario! {
    /// Before the server answers the first `tools/list`, it sends notifications that a client has to tolerate: one of an unknown method, changes of lists, log messages of every level and with data of
    /// every type, one with unknown keys in its `_meta`, a cancellation that names no request, and the ends of an unknown elicitation and
    /// an unknown task.
    ///
    /// After each kind it sends a `ping`, whose reply shows that the client goes on. A client that does not answer the `ping` before all
    /// of them is not judged here, but by `client-answers-requests`. No notification may be answered, not even with an error.
    Client "client-tolerant": "The client tolerates notifications that do not concern it",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    checks: [
        check!(NO_REPLY, "The client sends no reply without the id of a request, as if to answer a notification",
            [JSONRPC_NOTIFICATION_NO_RESPONSE]),
        check!(UNKNOWN, "The client goes on after a notification of an unknown method",
            [JSONRPC_UNKNOWN_NOTIFICATION_TOLERATED]),
        check!(LIST_CHANGED, "The client goes on after notifications that lists have changed",
            [
                TOOLS_LIST_CHANGED_CLIENT_TOLERATES_UNSOLICITED, RESOURCES_LIST_CHANGED_CLIENT_TOLERATES_UNSOLICITED,
                PROMPTS_LIST_CHANGED_CLIENT_TOLERATES_UNSOLICITED,
            ]),
        check!(LOG, "The client goes on after log messages of every level, although it set none",
            [LOGGING_MESSAGE_CLIENT_TOLERATES_UNSOLICITED]),
        check!(DATA, "The client goes on after log messages without a logger whose data is of any JSON type",
            [LOGGING_MESSAGE_CLIENT_ACCEPTS_ANY_DATA]),
        check!(META, "The client goes on after a notification and a `ping` with unknown keys in `_meta`",
            [BASE_META_UNKNOWN_KEYS_TOLERATED]),
        check!(CANCELLED, "The client goes on after a cancellation that names no request of the server",
            [CANCELLATION_UNKNOWN_ID_IGNORED]),
        check!(COMPLETE, "The client goes on after the end of an elicitation that it does not know",
            [ELICITATION_COMPLETE_CLIENT_IGNORES_UNKNOWN]),
        check!(TASK, "The client goes on after the status of a task that it does not know",
            [TASKS_STATUS_NOTIFICATION_TOLERATED]),
    ],
}

const NO_REPLY: &str = "client-answers-no-notification";
const UNKNOWN: &str = "client-ignores-unknown-notification";
const LIST_CHANGED: &str = "client-tolerates-list-changed";
const LOG: &str = "client-tolerates-log-messages";
const DATA: &str = "client-tolerates-log-data";
const META: &str = "client-tolerates-unknown-meta";
const CANCELLED: &str = "client-ignores-unknown-cancellation";
const COMPLETE: &str = "client-ignores-unknown-elicitation";
const TASK: &str = "client-ignores-unknown-task";

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
        (
            DATA,
            data()
                .map(|data| ("notifications/message", json!({ "level": "info", "data": data })))
                .into(),
        ),
        (
            META,
            vec![(
                "notifications/message",
                json!({ "level": "info", "data": "", "_meta": unknown_meta() }),
            )],
        ),
        (CANCELLED, vec![("notifications/cancelled", json!({ "requestId": "no-such-id" }))]),
    ];
    let complete = json!({ "elicitationId": "no-such-id" });
    steps.push((COMPLETE, vec![("notifications/elicitation/complete", complete)]));
    let time = "2025-11-25T12:00:00Z";
    let task = json!({
        "taskId": "no-such-id",
        "status": "working",
        "ttl": null,
        "createdAt": time,
        "lastUpdatedAt": time,
    });
    steps.push((TASK, vec![("notifications/tasks/status", task)]));
    steps.retain(|(_, notifications)| notifications.iter().all(|(name, _)| exists(name, revision)));
    steps
}

/// Whether servers may send a notification at this revision, as they may send one that nobody knows.
fn exists(name: &str, revision: Revision) -> bool {
    method(name).is_none_or(|known| known.sent_by(Side::Server, revision))
}

/// A value of each JSON type.
fn data() -> [Value; 6] {
    [json!("text"), json!(1.5), json!(true), json!(null), json!([1, [null]]), json!({ "of": {} })]
}

/// Keys under a prefix that the server may use as it likes.
fn unknown_meta() -> Value {
    json!({ "com.example.mcp-test/unknown": { "nested": [{}] }, "com.example.mcp-test/null": null })
}

fn serve(test: &ClientTest) -> Server {
    server(test).on("tools/list", knowing_first(send_and_list))
}

/// Sends everything before the first list only: a client that lists again because the list has changed would never come to an end.
async fn send_and_list(call: Call, is_first: bool) -> Answer {
    if is_first {
        send_all(&call).await;
    }
    one_tool(call).await
}

/// Sends the notifications, each kind followed by a `ping`, until one is not answered.
async fn send_all(call: &Call) {
    // The first `ping` has no notification before it.
    if !answers_ping(call, json!({})).await {
        return;
    }
    for (id, notifications) in steps(call.revision()) {
        for (method, params) in notifications {
            if call.notify(method, params).await.is_err() {
                return;
            }
        }
        let params = if id == META { json!({ "_meta": unknown_meta() }) } else { json!({}) };
        if !answers_ping(call, params).await {
            return;
        }
    }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    let messages = judging.messages();
    let unasked = judging.check(NO_REPLY);
    match unasked_reply(&messages) {
        None => unasked.pass(),
        Some(reply) => unasked.fail(
            Finding::peer("the client sent a reply without the id of a request")
                .expected("no reply to a notification, whatever is wrong with it")
                .got(reply.message.to_value().short(120))
                .evidence(reply.seq),
        ),
    };
    let spoken = judging.spoken().unwrap_or_else(|| judging.revision());
    let steps = steps(judging.revision());
    let pings = exchanges(judging, |request| request.method == "ping");
    let is_answered = |ping: Option<&Exchange>| ping.is_some_and(|ping| result(ping).is_some());
    let mut goes_on = is_answered(pings.first());
    let mut reason = "the client did not answer the first `ping`";
    for (at, (id, notifications)) in steps.iter().enumerate() {
        let check = judging.check(id);
        if !notifications.iter().all(|(name, _)| exists(name, spoken)) {
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
                Finding::peer(format!("the client did not go on after `{}`", notifications[0].0))
                    .expected("a result of the `ping` that follows")
                    .got(reply_in_words(pings.get(at + 1)))
                    .evidence(before),
            ),
        };
        if !goes_on && *id == CANCELLED {
            judging.tolerate_failed_exit();
        }
    }
    Ok(())
}

/// The first error of the client that names no request.
fn unasked_reply(messages: &[ReceivedMessage]) -> Option<&ReceivedMessage> {
    messages.iter().find(|received| match &received.message {
        Message::Error(reply) => reply.id.as_ref().is_none_or(|id| *id == Id::Null),
        _ => false,
    })
}

proofs! {
    passes on good_client();
    catches "client-answers-no-notification" on answers_notifications();
    catches "client-ignores-unknown-notification" on leaves_at_an_unknown_one();
    catches "client-tolerates-list-changed" on leaves_at_a_change();
    catches "client-tolerates-log-messages" on leaves_at_a_log_message();
    catches "client-tolerates-log-data" on leaves_at_log_data();
    catches "client-tolerates-unknown-meta" on leaves_at_meta();
    catches "client-tolerates-unknown-meta" on refuses_meta();
    warns "client-ignores-unknown-cancellation" on leaves_at_a_cancellation();
    catches "client-ignores-unknown-elicitation" on leaves_at_an_elicitation();
    catches "client-ignores-unknown-task" on leaves_at_a_task();
}
