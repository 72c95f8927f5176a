//! `stdio-end-of-input`.

use std::time::Duration;

use serde_json::json;

use crate::check::{Cause, Finding};
use crate::scenario::{CheckSpec, Ctx};
use crate::scenarios::ensure;
use crate::scenarios::raw_http::harmless_method;
use crate::server::reference::everything;
use crate::spec::{Era, Revision, Revisions};
use crate::trace::{Event, Party, Seq, Trace};
use crate::transport::fault::Misbehavior;
use crate::wire::{Id, Message};
use crate::{proofs, scenario};

scenario! {
    /// A server answers what it has read before the end of its input, and then exits.
    ///
    /// Scripts write a request, close the input and read the reply. The specification does not say what becomes of requests
    /// that are in progress when the input ends; that a server loses them costs its users answers all the same, so this is a
    /// warning. A server whose input ends before the first message has nothing to wait for, and nothing to say either: a
    /// client does not know yet what a notification means.
    Server "stdio-end-of-input": "No reply is lost when the input ends",
    revisions: Revisions::all(),
    once_per_era: true,
    transports: Only [Duplex, Stdio],
    checks: [
        CheckSpec::own(
            "reply-before-exit",
            "ReplyBeforeExit",
            "A request that is sent right before the end of the input is answered",
        )
        .requires(&["mcp-test.reply-before-exit"])
        .warns(),
        CheckSpec::own(
            "silent-before-initialize",
            "SilentBeforeInitialize",
            "A server whose input ends before the first message has not sent any itself",
        )
        .requires(&["lifecycle.initialize-first"])
        .within(Revisions::until(Revision::V2025_11_25)),
        CheckSpec::own(
            "exit-without-messages",
            "ExitWithoutMessages",
            "A server whose input ends before the first message exits on its own",
        )
        .requires(&["transport.stdio.exit-on-eof", "transport.stdio.exit-on-eof-implied"])
        .warns(),
    ],
}

/// How long a server may take to exit that has not received anything, its start included.
const EXIT: Duration = Duration::from_secs(10);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let method = harmless_method(ctx).await?;
    // Started once more, since the input of the first connection has to end right after the request.
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

    // Before the first message no revision is in force: that of a handshake shows it as well.
    let has_handshake =
        Revision::ALL.iter().any(|it| it.era() == Era::Handshake && ctx.has_spoken(*it));
    if ctx.revision().era() == Era::Stateless && has_handshake {
        let check = ctx.check("exit-without-messages");
        drop(check.skip("tried at a revision with a handshake"));
        return Ok(());
    }
    let connection = ctx.open().await?;
    let id = connection.id();
    let end = connection.end(EXIT).await;
    if ctx.revision().era() == Era::Handshake {
        let trace = ctx.trace();
        let is_early = |event: &Event| event.connection == id && event.party == Party::Server;
        let early = trace.messages().find(|(event, _)| is_early(event));
        ctx.check("silent-before-initialize").judge(early.map_or(Ok(()), |(event, message)| {
            Err(Finding::peer("the server sent a message before it received any")
                .expected("nothing before the reply to `initialize`")
                .got(message.to_value().short(120))
                .evidence(event.seq))
        }));
    }
    let row = match ctx.revision().era() {
        Era::Stateless => "transport.stdio.exit-on-eof",
        Era::Handshake => "transport.stdio.exit-on-eof-implied",
    };
    ctx.check("exit-without-messages").requires(row).judge(ensure(end.orderly, || {
        Finding::peer("the server did not exit when its input ended before the first message")
            .expected("a server that exits on its own soon after the end of its input")
            .got(end.how.clone())
            .caused_by(Cause::of_rule(row))
            .should()
    }));
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
    catches "silent-before-initialize" by banner(LOG_MESSAGE), at V2025_11_25;
    warns "exit-without-messages" by misbehavior(Misbehavior::IgnoresEof);
}

/// What a server sends that reports its start to a client which it does not have yet.
const LOG_MESSAGE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"started"}}"#;
