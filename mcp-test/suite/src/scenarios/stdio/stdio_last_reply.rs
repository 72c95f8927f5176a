//! `stdio-last-reply`.

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::harmless_method;

scenario! {
    /// A server answers what it has read before the end of its input, and then exits.
    ///
    /// Scripts write a request, close the input and read the reply. The specification does not say what becomes of requests
    /// that are in progress when the input ends; that a server loses them costs its users answers all the same, so this is a
    /// warning.
    Server "stdio-last-reply": "No reply is lost when the input ends",
    revisions: Revisions::all(),
    repeats: OncePerEra,
    transports: Only [Duplex, Stdio],
    // The last one that uses the connection.
    shares_connection: Revisions::all(),
    checks: [
        check!("reply-before-exit", "A request that is sent right before the end of the input is answered",
            [MCP_TEST_REPLY_BEFORE_EXIT]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let method = harmless_method(ctx).await?;
    let pending = ctx.start(method, json!({})).await?;
    let (id, sent) = (pending.id().clone(), pending.sent().seq);
    let exit = ctx.disconnect().await?;
    let trace = exit.trace();
    let is_reply = |party: Party, message: &Message| {
        party == Party::Server && message.is_reply() && message.id() == Some(&id)
    };
    let is_answered =
        trace.messages().any(|(event, message)| event.seq > sent && is_reply(event.party, message));
    if is_asking(&trace) {
        let why = "the server waits for an answer of its own, which cannot come any more";
        ctx.check("reply-before-exit").skip(why);
    } else if !is_answered && has_unknown_reply(&trace, sent, &id) {
        // It may be the answer under a wrong id, which is a finding of every conversation.
        ctx.check("reply-before-exit").skip("the server sends a reply with another id instead");
    } else {
        ctx.check("reply-before-exit").judge(ensure(is_answered, || {
            Finding::peer(format!("`{method}` is not answered because the input ends after it"))
                .expected(format!("the reply with id {id} before the server exits"))
                .got(exit.how().to_owned())
                .hint("answer the requests that were read before the end of the input, then exit")
                .evidence(sent)
                .should()
        }));
    }
    Ok(())
}

/// Whether a reply came since then that is not to the last request.
fn has_unknown_reply(trace: &Trace, since: Seq, id: &Id) -> bool {
    trace.messages().any(|(event, message)| {
        let is_reply = event.party == Party::Server && message.is_reply();
        is_reply && event.seq > since && message.id() != Some(id)
    })
}

/// Whether a request of the server has not been answered.
fn is_asking(trace: &Trace) -> bool {
    let messages = || trace.messages();
    let is_answered = |id: Option<&Id>| {
        messages().any(|(event, message)| {
            event.party == Party::Client && message.is_reply() && message.id() == id
        })
    };
    messages().any(|(event, message)| {
        let asks = matches!(message, Message::Request(_)) && event.party == Party::Server;
        asks && !is_answered(message.id())
    })
}

proofs! {
    passes on everything();
    warns "reply-before-exit" by never("tools/list");
}
