//! `client-malformed`.

use mcp_test_core::client::reference::patient::{Reaction, Received, correct};
use mcp_test_core::scenario::ReceivedMessage;
use mcp_test_core::server::CallError;
use mcp_test_core::wire::{ErrorReply, Request, Response};

use crate::scenarios::exchange::{exchanges, reply_in_words, result};
use crate::scenarios::listing_client::{leaving, never_listed, reacting};
use crate::scenarios::listing_server::{answers_ping, knowing_first, one_tool, server};
use crate::scenarios::prelude::*;

scenario! {
    /// Before the server answers the first `tools/list`, it sends cancellations without a valid id, cancels a `ping` that crosses the
    /// cancellation and one that was answered, and sends an error without an id, a request whose method is a number, one without
    /// `jsonrpc`, and a text that is not JSON.
    ///
    /// After each it sends a `ping`, whose reply shows that the client goes on. What may have been meant as a request should be answered
    /// with an error.
    Client "client-malformed": "The client goes on after messages that are not valid, and refuses them",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    checks: [
        check!(CANCELLATION, "The client goes on after cancellations without the id of a request",
            [CANCELLATION_MALFORMED_IGNORED]),
        check!(LATE_CANCELLATION,
            "The client goes on after the cancellation of requests that it is answering or has answered",
            [CANCELLATION_RACE_GRACEFUL, CANCELLATION_COMPLETED_ID_IGNORED])
            .always_fails("a client that stops breaks both requirements"),
        check!(ERROR, "The client goes on after an error without an id",
            [JSONRPC_ERROR_WITHOUT_ID_TOLERATED]),
        check!(INVALID, "The client refuses a request whose method is a number with error -32600, and goes on",
            [JSONRPC_INVALID_REQUEST_ERROR]),
        check!(UNVERSIONED, "The client refuses a request without `jsonrpc` with error -32600, and goes on",
            [JSONRPC_INVALID_REQUEST_ERROR]),
        check!(BROKEN, "The client answers a text that is not JSON with error -32700, and goes on",
            [JSONRPC_PARSE_ERROR]),
    ],
}

const CANCELLATION: &str = "client-ignores-malformed-cancellation";
const LATE_CANCELLATION: &str = "client-ignores-late-cancellation";
const ERROR: &str = "client-tolerates-error-without-id";
const INVALID: &str = "client-refuses-invalid-request";
const UNVERSIONED: &str = "client-refuses-unversioned-request";
const BROKEN: &str = "client-refuses-broken-json";

/// The notification that is cut in half on its way.
const CUT: &str = "notifications/mcp-test/cut";

/// The ids of the requests that are not valid.
const INVALID_ID: &str = "invalid-request";
const UNVERSIONED_ID: &str = "unversioned-request";

/// The checks at this revision, in the order of what they are about. What is most likely to stop a client comes last.
fn steps(revision: Revision) -> impl Iterator<Item = &'static str> {
    let all = [CANCELLATION, LATE_CANCELLATION, ERROR, INVALID, UNVERSIONED, BROKEN];
    all.into_iter().filter(move |step| *step != ERROR || revision.has_errors_without_id())
}

fn serve(test: &ClientTest) -> Server {
    server(test).faults([Fault::truncate(CUT)]).on("tools/list", knowing_first(send_and_list))
}

/// Sends everything before the first list only.
async fn send_and_list(call: Call, is_first: bool) -> Answer {
    if is_first {
        send_all(&call).await;
    }
    one_tool(call).await
}

/// Takes the steps, each followed by a `ping`, until one is not answered.
async fn send_all(call: &Call) {
    // The first `ping` has nothing before it.
    if !answers_ping(call, json!({})).await {
        return;
    }
    for step in steps(call.revision()) {
        if take(step, call).await.is_err() || !answers_ping(call, json!({})).await {
            return;
        }
    }
}

async fn take(step: &str, call: &Call) -> Result<(), CallError> {
    const CANCELLED: &str = "notifications/cancelled";
    match step {
        CANCELLATION => {
            call.notify(CANCELLED, json!({})).await?;
            call.notify(CANCELLED, json!({ "requestId": {} })).await
        }
        LATE_CANCELLATION => {
            let ping = call.open();
            let cancellation = json!({ "requestId": ping.id().to_value().to_serde() });
            call.send_raw(Request::new(ping.id(), "ping", None).to_value()).await?;
            call.notify(CANCELLED, cancellation.clone()).await?;
            // The reply to this one shows that the first is finished as well, answered or not.
            if answers_ping(call, json!({})).await {
                call.notify(CANCELLED, cancellation).await?;
            }
            Ok(())
        }
        ERROR => {
            let error = json!({ "code": error_code::INVALID_REQUEST, "message": "unreadable" });
            call.send_raw(json!({ "jsonrpc": "2.0", "error": error }).into()).await
        }
        INVALID => {
            call.send_raw(json!({ "jsonrpc": "2.0", "id": INVALID_ID, "method": 5 }).into()).await
        }
        UNVERSIONED => {
            call.send_raw(json!({ "id": UNVERSIONED_ID, "method": "ping" }).into()).await
        }
        _ => call.notify(CUT, json!({})).await,
    }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let mut pings = exchanges(judging, |request| request.method == "ping").into_iter();
    let received = judging.messages();
    let Some(ping) = pings.next() else {
        return Err(never_listed(judging));
    };
    let (mut before, mut goes_on) = (ping.0, result(&ping).is_some());
    let mut reason = "the client did not answer the first `ping`";
    for step in steps(judging.revision()) {
        let check = judging.check(step);
        if !goes_on {
            check.skip(reason);
            continue;
        }
        if step == LATE_CANCELLATION {
            // That which is cancelled, and the one that is sent next.
            let _cancelled = pings.next();
            goes_on = pings.next().is_some_and(|ping| result(&ping).is_some());
        }
        let next = pings.next().filter(|_| goes_on);
        goes_on = next.as_ref().is_some_and(|ping| result(ping).is_some());
        reason = "the client stopped before";
        if !goes_on {
            check.fail(
                Finding::peer(format!("the client did not go on after {}", sent(step)))
                    .expected("a result of the `ping` that follows")
                    .got(reply_in_words(next.as_ref()))
                    .evidence(before),
            );
            if ![LATE_CANCELLATION, ERROR].contains(&step) {
                judging.tolerate_failed_exit();
            }
            continue;
        }
        match refusal(step) {
            Some(refusal) => refused(check, &received, before, refusal),
            None => drop(check.pass()),
        }
        before = next.map_or(before, |(seq, _)| seq);
    }
    Ok(())
}

/// What was sent in a step, for people.
fn sent(step: &str) -> &'static str {
    match step {
        CANCELLATION => "a cancellation without the id of a request",
        LATE_CANCELLATION => "the cancellation of a request that it had answered",
        ERROR => "an error without an id",
        INVALID => "a request whose method is a number",
        UNVERSIONED => "a request without `jsonrpc`",
        _ => "a text that is not JSON",
    }
}

/// The id, if there is one, and the error of the reply that a client should send in a step.
fn refusal(step: &str) -> Option<(Option<&'static str>, i64)> {
    match step {
        INVALID => Some((Some(INVALID_ID), error_code::INVALID_REQUEST)),
        UNVERSIONED => Some((Some(UNVERSIONED_ID), error_code::INVALID_REQUEST)),
        BROKEN => Some((None, error_code::PARSE_ERROR)),
        _ => None,
    }
}

/// Judges the reply to what is not valid, under its id if it has one; the id of an error may also be null or missing.
fn refused(
    check: CheckBuilder<'_>,
    received: &[ReceivedMessage],
    before: Seq,
    (id, code): (Option<&str>, i64),
) {
    let later = || received.iter().filter(|received| received.seq > before);
    let is_named = |received: &&ReceivedMessage| {
        received.message.is_reply()
            && id.is_some_and(|id| received.message.id() == Some(&Id::from(id)))
    };
    let is_nameless = |received: &&ReceivedMessage| match &received.message {
        Message::Error(reply) => {
            reply.error.code == code && reply.id.as_ref().is_none_or(|id| *id == Id::Null)
        }
        _ => false,
    };
    let finding =
        |headline: &str| Finding::peer(headline).expected(format!("error {code}")).evidence(before);
    match later().find(is_named).or_else(|| later().find(is_nameless)) {
        None => check.fail(
            finding("the client did not answer what is not a valid request")
                .got("no reply before the client exited"),
        ),
        Some(reply) => match &reply.message {
            Message::Error(error) if error.error.code == code => check.pass(),
            Message::Error(error) => check.fail(
                finding("the client refuses what is not a valid request with another error")
                    .got(format!("error {}", error.error.code))
                    .evidence(reply.seq),
            ),
            result => check.fail(
                finding("the client answers what is not a valid request with a result")
                    .got(result.to_value().short(120))
                    .evidence(reply.seq),
            ),
        },
    };
}

/// Whether the server has sent a cancellation with such an id.
fn is_cancellation(received: Received<'_>, is_it: fn(Option<Id>) -> bool) -> bool {
    let Received::Notification(it) = received else { return false };
    let id = it.params.as_ref().and_then(|params| Id::read(params.get("requestId")?));
    it.method == "notifications/cancelled" && is_it(id)
}

/// Ignores a request whose id this is.
fn ignoring(id: &'static str) -> ScriptedClient {
    reacting(move |client, received| match received {
        Received::Invalid(Some(it)) if it.id == Some(Id::from(id)) => Reaction::Ignore,
        received => correct(client, received),
    })
}

fn serves_an_unversioned_request() -> ScriptedClient {
    reacting(|client, received| match received {
        Received::Invalid(Some(it)) if it.id == Some(Id::from(UNVERSIONED_ID)) => {
            let id = Id::from(UNVERSIONED_ID);
            Reaction::Send(Response { id, result: json!({}).into() }.into())
        }
        received => correct(client, received),
    })
}

fn names_another_error() -> ScriptedClient {
    reacting(|client, received| match received {
        Received::Invalid(Some(it)) if it.id == Some(Id::from(INVALID_ID)) => {
            let error = RpcError::new(error_code::INTERNAL_ERROR, "broken");
            Reaction::Send(ErrorReply { id: it.id.clone(), error }.into())
        }
        received => correct(client, received),
    })
}

fn ignores_broken_json() -> ScriptedClient {
    reacting(|client, received| match received {
        Received::Invalid(None) => Reaction::Ignore,
        received => correct(client, received),
    })
}

proofs! {
    passes on good_client();
    warns "client-ignores-malformed-cancellation" on leaving(|received| is_cancellation(received, |id| id.is_none()));
    catches "client-ignores-late-cancellation" on leaving(|received| is_cancellation(received, |id| id.is_some()));
    catches "client-tolerates-error-without-id" on leaving(|received| matches!(received, Received::Reply));
    warns "client-refuses-invalid-request" on ignoring(INVALID_ID);
    warns "client-refuses-invalid-request" on names_another_error();
    warns "client-refuses-unversioned-request" on ignoring(UNVERSIONED_ID);
    warns "client-refuses-unversioned-request" on serves_an_unversioned_request();
    warns "client-refuses-broken-json" on leaving(|received| matches!(received, Received::Invalid(None)));
    warns "client-refuses-broken-json" on ignores_broken_json();
}
