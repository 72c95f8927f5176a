//! `client-batches`.

use futures_util::future::join;
use mcp_test_core::client::reference::patient::{Reaction, Received, correct};
use mcp_test_core::clock;
use mcp_test_core::scenario::ReceivedMessage;
use mcp_test_core::server::CallError;
use mcp_test_core::wire::{ErrorReply, Notification, Request};

use crate::scenarios::exchange::{Exchange, exchanges, result};
use crate::scenarios::listing_client::{leaving, never_listed, reacting};
use crate::scenarios::listing_server::{REPLY_TIME, answers_ping, one_tool, server};
use crate::scenarios::prelude::*;

scenario! {
    /// Before the server answers `tools/list`, it sends a batch of two requests, both `ping`, with a notification between them, and then an
    /// empty array. A `ping` of its own comes before the batch, and after each of the two.
    ///
    /// Only this revision has batches, and a client must take them even if it sends none.
    Client "client-batches": "The client answers each request of a batch",
    revisions: Revisions::only(Revision::V2025_03_26),
    checks: [
        check!("client-takes-batch", "The client answers a request of a batch",
            [JSONRPC_BATCH_RECEIVE]),
        check!("client-answers-each-request", "The client answers each request of a batch, and no notification of it",
            [JSONRPC_BATCH_EACH_REQUEST_ANSWERED]),
        check!("client-refuses-empty-batch", "The client answers an empty array with error -32600, and goes on",
            [JSONRPC_BATCH_EMPTY_INVALID]),
    ],
}

fn serve(test: &ClientTest) -> Server {
    server(test).on("tools/list", send_and_list)
}

async fn send_and_list(call: Call) -> Answer {
    // The trace shows how far the client has followed.
    let _ = send_all(&call).await;
    one_tool(call).await
}

async fn send_all(call: &Call) -> Result<(), CallError> {
    // Over HTTP it also begins the stream, since a response that begins with an array could end with it.
    if !answers_ping(call, json!({})).await {
        return Ok(());
    }
    let (first, last) = (call.open(), call.open());
    let unknown = Notification::new("notifications/mcp-test/unknown", None);
    let batch = [
        Request::new(first.id(), "ping", None).to_value(),
        unknown.to_value(),
        Request::new(last.id(), "ping", None).to_value(),
    ];
    call.send_raw(batch.into_iter().collect::<Value>()).await?;
    // A client may answer them at any time, so that the replies need not have come before that to the next `ping`.
    let replies = join(first.reply(), last.reply());
    let _replies = clock::within(Deadline::after(REPLY_TIME), replies).await;
    if answers_ping(call, json!({})).await {
        call.send_raw(json!([]).into()).await?;
        answers_ping(call, json!({})).await;
    }
    Ok(())
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let pings = exchanges(judging, |request| request.method == "ping");
    // A client that ends at the batch leaves no connection for the `ping` after it.
    let [_, first, last, after @ ..] = pings.as_slice() else {
        if pings.is_empty() {
            return Err(never_listed(judging));
        }
        for check in
            ["client-takes-batch", "client-answers-each-request", "client-refuses-empty-batch"]
        {
            judging.check(check).skip("the client did not answer the first `ping`");
        }
        return Ok(());
    };
    let (fence, end) = (after.first(), after.get(1));
    if end.is_some_and(|ping| result(ping).is_none()) {
        judging.tolerate_failed_exit();
    }
    let received = judging.messages();
    let is_answered = |exchange: &&Exchange| matches!(exchange.1, Some((_, Message::Response(_))));
    let answered = [first, last].into_iter().filter(is_answered).count();
    let finding = |headline: &str| {
        Finding::peer(headline)
            .expected("a result for each `ping` of the batch, and nothing else")
            .evidence(first.0)
    };
    let takes = judging.check("client-takes-batch");
    match answered {
        0 => takes.fail(
            finding("the client did not answer a batch").got("no result before the client exited"),
        ),
        _ => takes.pass(),
    };
    // The empty array is sent after the reply to the `ping` that follows the batch.
    let before = fence.and_then(|ping| ping.1.as_ref()).map(|(seq, _)| *seq);
    let is_before = |it: &&ReceivedMessage| before.is_none_or(|before| it.seq < before);
    let nameless = || received.iter().filter(|it| it.seq > first.0 && nameless_error(it).is_some());
    let each = judging.check("client-answers-each-request");
    match (answered, nameless().find(is_before)) {
        (0, _) => each.skip("the client did not answer the batch"),
        (1, _) => each.fail(
            finding("the client answered one of the two requests of a batch")
                .got("one result before the client exited"),
        ),
        (_, Some(reply)) => each.fail(
            finding("the client answered the notification of a batch")
                .got(reply.message.to_value().short(120))
                .evidence(reply.seq),
        ),
        (_, None) => each.pass(),
    };
    let empty = judging.check("client-refuses-empty-batch");
    let Some((sent, reply)) = end else {
        empty.skip("the client did not answer the `ping` before the empty array");
        return Ok(());
    };
    let finding = |headline: &str| {
        let expected = format!("error {} without the id of a request", error_code::INVALID_REQUEST);
        Finding::peer(headline).expected(expected).evidence(*sent)
    };
    match (reply, nameless().find(|it| !is_before(it))) {
        (None, _) => empty.fail(
            finding("the client stopped after an empty array")
                .got("no reply to the `ping` that follows"),
        ),
        (Some(_), None) => empty.fail(
            finding("the client did not answer an empty array")
                .got("no such error before the client exited"),
        ),
        (Some(_), Some(reply)) => match nameless_error(reply) {
            Some(error_code::INVALID_REQUEST) => empty.pass(),
            _ => empty.fail(
                finding("the client answered an empty array with another error")
                    .got(reply.message.to_value().short(120))
                    .evidence(reply.seq),
            ),
        },
    };
    Ok(())
}

/// The code of an error that names no request.
fn nameless_error(received: &ReceivedMessage) -> Option<i64> {
    match &received.message {
        Message::Error(reply) if reply.id.as_ref().is_none_or(|id| *id == Id::Null) => {
            Some(reply.error.code)
        }
        _ => None,
    }
}

/// Ignores the pings with these ids.
fn ignoring(ids: &'static [&'static str]) -> ScriptedClient {
    reacting(move |client, received| match received {
        Received::Request(it) if ids.iter().any(|id| it.id == Id::from(*id)) => Reaction::Ignore,
        received => correct(client, received),
    })
}

fn answers_the_first() -> ScriptedClient {
    ignoring(&["server-3"])
}

fn nameless(code: i64) -> Reaction {
    let error = RpcError::new(code, "not valid");
    Reaction::Send(ErrorReply { id: Some(Id::Null), error }.into())
}

fn answers_notifications() -> ScriptedClient {
    reacting(|client, received| match received {
        Received::Notification(_) => nameless(error_code::METHOD_NOT_FOUND),
        received => correct(client, received),
    })
}

fn ignores_an_empty_array() -> ScriptedClient {
    reacting(|client, received| match received {
        Received::Invalid(_) => Reaction::Ignore,
        received => correct(client, received),
    })
}

fn names_another_error() -> ScriptedClient {
    reacting(|client, received| match received {
        Received::Invalid(_) => nameless(error_code::INTERNAL_ERROR),
        received => correct(client, received),
    })
}

fn leaves_at_an_empty_array() -> ScriptedClient {
    reacting(|client, received| match received {
        Received::Invalid(_) => Reaction::Leave,
        received => correct(client, received),
    })
}

proofs! {
    passes on good_client();
    catches "client-takes-batch" on ignoring(&["server-2", "server-3"]);
    catches "client-takes-batch"
        on leaving(|received| matches!(received, Received::Request(it) if it.id == Id::from("server-2")));
    catches "client-answers-each-request" on answers_the_first();
    catches "client-answers-each-request" on answers_notifications();
    warns "client-refuses-empty-batch" on ignores_an_empty_array();
    warns "client-refuses-empty-batch" on names_another_error();
    warns "client-refuses-empty-batch" on leaves_at_an_empty_array();
}
