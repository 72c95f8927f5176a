//! `cancellation-running`.

use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use mcp_test_core::trace::Event;

use crate::scenarios::nothing_tested::is_slow;
use crate::scenarios::prelude::*;

scenario! {
    /// The call of a tool can be cancelled while it runs, and the server goes on.
    ///
    /// A user who loses patience cancels, and goes on working with the same server. Each tool is first called up to its end, so
    /// that a server which takes calls one after the other is not blamed for a slow tool; slow tools are left out unless they
    /// were named by `--call`. Then one call is cancelled at once, and one after the reply to a later request. Both may have
    /// been answered by then: with what the call usually results in, or else because of the cancellation. A reply that comes
    /// after the cancellation was read is reported with everything else that is wrong with messages. Progress shows that the
    /// work goes on; one notification may have been on its way.
    Server "cancellation-running": "A running call can be cancelled",
    revisions: Revisions::all(),
    repeats: OncePerEra,
    needs: [Need::CallableTool],
    checks: [
        check!("answered-after-cancelled-call", "The server answers requests after the call of a tool was cancelled",
            [CANCELLATION_RACE_GRACEFUL]).conditional(),
        check!("progress-of-cancelled-call",
            "A cancelled call reports no further progress; checked over stdio, if it was cancelled before it was answered",
            [
                TRANSPORT_STDIO_CANCEL_NO_FURTHER_MESSAGES, CANCELLATION_RECEIVER_STOPS,
                TRANSPORT_STDIO_CANCEL_SERVER_STOPS,
            ]).conditional(),
        check!("no-reply-about-cancellation",
            "A cancelled call is not answered with an error that the same call does not get otherwise",
            [CANCELLATION_NO_RESPONSE, TRANSPORT_STDIO_CANCEL_NO_FURTHER_MESSAGES]).conditional(),
    ],
}

/// How many tools are called.
const TOOLS: usize = 3;

/// The requests after each cancellation; the reply to the first shows that the cancellation was read.
const FENCES: usize = 4;

/// How much progress may have been on its way when the cancellation was read.
const ON_ITS_WAY: usize = 1;

const ANSWERED: &str = "answered-after-cancelled-call";
const PROGRESS: &str = "progress-of-cancelled-call";
const REPLY: &str = "no-reply-about-cancellation";

/// A call that was cancelled.
struct CancelledCall {
    id: Id,
    token: Value,
    sent: Seq,
    /// The reply to the first request after the cancellation.
    read: Seq,
    /// What the same call results in when it is not cancelled; `None` if that differs.
    usual: Option<CallOutcome>,
}

/// What a call results in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallOutcome {
    Success,
    ErrorResult,
    ErrorResponse,
}

impl CallOutcome {
    fn from_result(result: &Value) -> Self {
        match result.get("isError").and_then(Value::as_bool) {
            Some(true) => Self::ErrorResult,
            _ => Self::Success,
        }
    }

    fn from_reply(reply: &Reply) -> Self {
        reply.outcome().map_or(Self::ErrorResponse, Self::from_result)
    }

    fn from_message(message: &Message) -> Option<Self> {
        match message {
            Message::Response(response) => Some(Self::from_result(&response.result)),
            Message::Error(_) => Some(Self::ErrorResponse),
            Message::Request(_) | Message::Notification(_) => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Success => "a result without `isError`",
            Self::ErrorResult => "a result with `isError`",
            Self::ErrorResponse => "a JSON-RPC error",
        }
    }
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let tools = ctx.working_tools().await?;
    let mut cancelled = Vec::new();
    for tool in tools.iter().filter(|tool| tool.arguments.is_some()).take(TOOLS) {
        let arguments = tool.arguments.as_ref().map(Value::to_serde);
        let call = json!({"name": tool.name, "arguments": arguments});
        let Ok(reply) = ctx.request("tools/call", call.clone()).once().await else { break };
        let usual = CallOutcome::from_reply(&reply);
        ctx.note_stated_call(&tool.name, &reply);
        if is_slow(&reply) && !tool.is_named {
            break;
        }
        if let Err(finding) = cancel_twice(ctx, &call, usual, &mut cancelled).await {
            let hint = format!("the cancelled call is one of `{}`", tool.name);
            ctx.check(ANSWERED).fail(finding.hint(hint));
            if !cancelled.is_empty() {
                no_reply_about_cancellation(ctx, &cancelled);
            }
            return Ok(());
        }
    }
    if cancelled.is_empty() {
        drop(ctx.check(ANSWERED).skip("no quick tool may be called whose arguments are known"));
        return Ok(());
    }
    ctx.check(ANSWERED).pass();
    no_reply_about_cancellation(ctx, &cancelled);
    // Over HTTP the progress is on a stream of its own, whose order to the replies of others is not known.
    if ctx.transport().is_lines() {
        let trace = ctx.trace();
        for call in &cancelled {
            progress(ctx, &trace, call);
        }
    }
    Ok(())
}

/// Cancels two calls of a tool, and calls it once more: by then the work on the others has ended, if it was not stopped.
///
/// `usual` is what the call before them has resulted in. They are not compared with it if the last call results in something
/// else.
async fn cancel_twice(
    ctx: &mut Ctx,
    call: &serde_json::Value,
    usual: CallOutcome,
    cancelled: &mut Vec<CancelledCall>,
) -> Result<(), Finding> {
    let known = cancelled.len();
    for at_once in [true, false] {
        let call = cancel(ctx, call, usual, at_once).await?;
        cancelled.extend(call);
    }
    let reply = ctx.request("tools/call", call.clone()).once().await?;
    if CallOutcome::from_reply(&reply) != usual {
        cancelled[known..].iter_mut().for_each(|call| call.usual = None);
    }
    Ok(())
}

/// Calls a tool and cancels the call; fails if the server does not answer after that.
async fn cancel(
    ctx: &mut Ctx,
    call: &serde_json::Value,
    usual: CallOutcome,
    at_once: bool,
) -> Result<Option<CancelledCall>, Finding> {
    let token = Value::from(format!("mcp-test-cancelled-{}", ctx.trace().events.len()));
    let request = ctx.request("tools/call", call.clone()).progress(token.clone()).once();
    let pending = request.start().await?;
    if !at_once {
        // The server has begun with the call, unless it takes one request after the other.
        ctx.request(always_answered(ctx.revision()), json!({})).await?.result()?;
    }
    let (id, sent) = (pending.id().clone(), pending.sent().seq);
    let _ = ctx.cancel(pending).await?;
    let read = fences(ctx).await?;
    Ok(read.map(|read| CancelledCall { id, token, sent, read, usual: Some(usual) }))
}

/// Sends requests and waits for their replies; returns the event of the first reply.
async fn fences(ctx: &mut Ctx) -> Result<Option<Seq>, Finding> {
    let mut read = None;
    for _ in 0..FENCES {
        let reply = ctx.request(always_answered(ctx.revision()), json!({})).await?;
        reply.result()?;
        read = read.or(reply.evidence().last().copied());
    }
    Ok(read)
}

impl CancelledCall {
    /// What the server has sent since the call.
    fn sent_since<'a>(&self, trace: &'a Trace) -> impl Iterator<Item = (Seq, &'a Message)> {
        let sent = self.sent;
        let of_server =
            move |(event, _): &(&Event, &Message)| event.seq > sent && event.party == Party::Server;
        trace.messages().filter(of_server).map(|(event, message)| (event.seq, message))
    }

    fn reply(&self, trace: &Trace) -> Option<(Seq, CallOutcome)> {
        let mut replies = self.sent_since(trace).filter(|(_, it)| it.id() == Some(&self.id));
        replies.find_map(|(seq, it)| Some((seq, CallOutcome::from_message(it)?)))
    }
}

/// Judges the replies that may have crossed the cancellations, or be due to them; later ones are reported anyway.
fn no_reply_about_cancellation(ctx: &mut Ctx, cancelled: &[CancelledCall]) {
    let (trace, revision) = (ctx.trace(), ctx.revision());
    let strict = Requirement::TRANSPORT_STDIO_CANCEL_NO_FURTHER_MESSAGES;
    let is_strict = strict.applies_at(revision) && ctx.transport().is_lines();
    let judged = cancelled.iter().try_for_each(|call| {
        let early = call.reply(&trace).filter(|(seq, _)| *seq < call.read);
        let (Some((reply, outcome)), Some(usual)) = (early, call.usual) else { return Ok(()) };
        ensure(outcome == CallOutcome::Success || outcome == usual, || {
            let finding = Finding::peer("a cancelled call was answered because it was cancelled")
                .expected(format!(
                    "no response, or {}, as to the same call before and after it",
                    usual.as_str()
                ))
                .got(outcome.as_str())
                .evidence(call.sent)
                .evidence(reply);
            match is_strict {
                true => finding.requires(strict),
                false => finding.requires(Requirement::CANCELLATION_NO_RESPONSE).should(),
            }
        })
    });
    ctx.check(REPLY).judge(judged);
}

/// Judges the progress of a call that was not answered before its cancellation was read.
fn progress(ctx: &mut Ctx, trace: &Trace, call: &CancelledCall) {
    if call.reply(trace).is_some_and(|(seq, _)| seq < call.read) {
        return;
    }
    let late: Vec<Seq> = call
        .sent_since(trace)
        .filter(|(seq, message)| *seq > call.read && is_progress(message, &call.token))
        .map(|(seq, _)| seq)
        .collect();
    let outcome = ensure(late.len() <= ON_ITS_WAY, || {
        let finding = Finding::peer("a cancelled call goes on reporting progress")
            .expected("no message about it after the cancellation was read")
            .got(format!(
                "{} progress notifications after the reply to a later request",
                late.len()
            ))
            .evidence(call.sent)
            .evidence(call.read)
            .evidence_all(late.iter().take(2).copied());
        let strict = Requirement::TRANSPORT_STDIO_CANCEL_NO_FURTHER_MESSAGES;
        match strict.applies_at(ctx.revision()) {
            true => {
                finding.requires(strict).requires(Requirement::TRANSPORT_STDIO_CANCEL_SERVER_STOPS)
            }
            false => finding.requires(Requirement::CANCELLATION_RECEIVER_STOPS).should(),
        }
    });
    ctx.check(PROGRESS).judge(outcome);
}

fn is_progress(message: &Message, token: &Value) -> bool {
    let Message::Notification(it) = message else { return false };
    let named = it.params.as_ref().and_then(|params| params.get("progressToken"));
    it.method == "notifications/progress" && named == Some(token)
}

proofs! {
    passes on reacting(Reaction::Stops);
    // Closes the connection when a call was cancelled.
    catches "answered-after-cancelled-call" on reacting(Reaction::Closes);
    // Goes on reporting progress of a cancelled call.
    catches "progress-of-cancelled-call" on reacting(Reaction::WorksOn);
    warns "progress-of-cancelled-call" on reacting(Reaction::WorksOn), at V2025_11_25;
    // Answers a cancelled call with an error.
    catches "no-reply-about-cancellation" on reacting(Reaction::Refuses);
    warns "no-reply-about-cancellation" on reacting(Reaction::Refuses), at V2025_11_25;
}

/// What a server does when a call is cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reaction {
    Stops,
    Closes,
    WorksOn,
    Refuses,
}

/// A server with a tool that answers calls without a progress token, and never others.
fn reacting(reaction: Reaction) -> Server {
    let tool = json!({"name": "wait", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    let running: Arc<Mutex<Option<Call>>> = Arc::default();
    let cancelled: Arc<Mutex<Option<Call>>> = Arc::default();
    let (started, stopped) = (running.clone(), cancelled.clone());
    let server = everything()
        .on("tools/list", move |_: Call| {
            let tool = tool.clone();
            async move { json!({"tools": [tool]}) }
        })
        .on("tools/call", move |call: Call| {
            let has_token =
                call.param("_meta").is_some_and(|meta| meta.get("progressToken").is_some());
            if has_token {
                *started.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
            }
            async move {
                if has_token {
                    pending::<()>().await;
                }
                json!({"content": []})
            }
        });
    let server = server.on("notifications/cancelled", move |_: Call| {
        let call = running.lock().unwrap_or_else(PoisonError::into_inner).take();
        stopped.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&call);
        async move {
            if let (Reaction::Refuses, Some(call)) = (reaction, call) {
                let error = json!({"code": 1, "message": "cancelled"});
                let id = call.id().map(|id| id.to_value().to_serde());
                let refusal = json!({"jsonrpc": "2.0", "id": id, "error": error});
                call.send_raw(refusal.into()).await.expect("the client reads");
            }
            json!({})
        }
    });
    let steps = Arc::new(AtomicU64::new(0));
    let answered = move |call: Call| {
        let progress = steps.fetch_add(1, Ordering::Relaxed);
        let cancelled = cancelled.lock().unwrap_or_else(PoisonError::into_inner).clone();
        async move {
            match (reaction, cancelled) {
                (Reaction::Closes, Some(_)) => return Answer::close(),
                (Reaction::WorksOn, Some(cancelled)) => {
                    // A client that has disconnected misses the progress and the answer alike.
                    cancelled.progress(progress, 100).await.ok();
                }
                _ => {}
            }
            answer(&call)
        }
    };
    server.on("ping", answered.clone()).on("server/discover", answered)
}

fn answer(call: &Call) -> Answer {
    match call.revision().era() {
        Era::Handshake => json!({}).into(),
        Era::Stateless => json!({
            "supportedVersions": [Revision::V2026_07_28.as_str()],
            "capabilities": {"tools": {}},
        })
        .into(),
    }
}
