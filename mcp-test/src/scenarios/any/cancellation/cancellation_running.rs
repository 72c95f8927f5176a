//! `cancellation-running`.

use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;

use crate::check::{Finding, Rule};
use crate::json::Value;
use crate::scenario::{CheckSpec, Ctx, Need};
use crate::scenarios::always_answered;
use crate::scenarios::any::is_slow;
use crate::scenarios::ensure;
use crate::server::reference::everything;
use crate::server::{Answer, Call, Server};
use crate::spec::{Era, Revision, Revisions};
use crate::trace::{Party, Seq, Trace};
use crate::wire::{Id, Message};
use crate::{proofs, scenario};

scenario! {
    /// The call of a tool can be cancelled while it runs, and the server goes on.
    ///
    /// A user who loses patience cancels, and goes on working with the same server. Each tool is first called up to its end, so
    /// that a server which takes calls one after the other is not blamed for a slow tool; slow tools are left out unless they were
    /// named by `--call`. Then one
    /// call is cancelled at once, and one after the reply to a later request. Both may have been answered by then. A reply that comes after the cancellation was read is reported
    /// with everything else that is wrong with messages. Progress shows that the work goes on; one notification may have been
    /// on its way.
    Server "cancellation-running": "A running call can be cancelled",
    revisions: Revisions::all(),
    needs: [Need::CallableTool],
    checks: [
        CheckSpec::own(
            "answered-after-cancelled-call",
            "AnsweredAfterCancelledCall",
            "The server answers requests after the call of a tool was cancelled",
        )
        .requires(&["cancellation.race-graceful"])
        .conditional(),
        CheckSpec::own(
            "progress-of-cancelled-call",
            "ProgressOfCancelledCall",
            "A cancelled call reports no further progress; checked over stdio, if it was cancelled before it was answered",
        )
        .requires(&[
            "transport.stdio.cancel-no-further-messages",
            "cancellation.receiver-stops",
            "transport.stdio.cancel-server-stops",
        ])
        .conditional()
        .also_warns(),
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

/// A call that was cancelled.
struct CancelledCall {
    id: Id,
    token: Value,
    sent: Seq,
    /// The reply to the first request after the cancellation.
    read: Seq,
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let tools = ctx.callable_tools().await?;
    let mut cancelled = Vec::new();
    for tool in tools.iter().filter(|tool| tool.arguments.is_some()).take(TOOLS) {
        let arguments = tool.arguments.as_ref().map(Value::to_serde);
        let call = json!({"name": tool.name, "arguments": arguments});
        // What the call results in does not matter here.
        let Ok(reply) = ctx.request("tools/call", call.clone()).once().await else { break };
        let _ = reply.outcome();
        if is_slow(&reply) && !tool.is_named {
            break;
        }
        match cancel_twice(ctx, &call).await {
            Ok(calls) => cancelled.extend(calls),
            Err(finding) => {
                let hint = format!("the cancelled call is one of `{}`", tool.name);
                ctx.check(ANSWERED).fail(finding.hint(hint));
                return Ok(());
            }
        }
    }
    if cancelled.is_empty() {
        drop(ctx.check(ANSWERED).skip("no quick tool may be called whose arguments are known"));
        return Ok(());
    }
    ctx.check(ANSWERED).pass();
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
async fn cancel_twice(
    ctx: &mut Ctx,
    call: &serde_json::Value,
) -> Result<Vec<CancelledCall>, Finding> {
    let at_once = cancel(ctx, call, true).await?;
    let running = cancel(ctx, call, false).await?;
    let reply = ctx.request("tools/call", call.clone()).once().await?;
    let _ = reply.outcome();
    Ok(at_once.into_iter().chain(running).collect())
}

/// Calls a tool and cancels the call; fails if the server does not answer after that.
async fn cancel(
    ctx: &mut Ctx,
    call: &serde_json::Value,
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
    Ok(read.map(|read| CancelledCall { id, token, sent, read }))
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

/// Judges the progress of a call that was not answered before its cancellation was read.
fn progress(ctx: &mut Ctx, trace: &Trace, call: &CancelledCall) {
    let of_server = || {
        let later = trace.messages().filter(|(event, _)| event.seq > call.sent);
        later.filter(|(event, _)| event.party == Party::Server)
    };
    let is_answered = of_server().any(|(event, message)| {
        event.seq < call.read && message.is_reply() && message.id() == Some(&call.id)
    });
    if is_answered {
        return;
    }
    let late: Vec<Seq> = of_server()
        .filter(|(event, message)| event.seq > call.read && is_progress(message, &call.token))
        .map(|(event, _)| event.seq)
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
        match ctx.revision() {
            Revision::V2026_07_28 => finding
                .requires(Rule::STDIO_CANCEL_NO_FURTHER_MESSAGES.id())
                .requires("transport.stdio.cancel-server-stops"),
            _ => finding.requires("cancellation.receiver-stops").should(),
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
    passes on waiting();
    catches "answered-after-cancelled-call" on closing(), also "progress-of-cancelled-call" Info;
    catches "progress-of-cancelled-call" on working_on();
    warns "progress-of-cancelled-call" on working_on(), at V2025_11_25;
}

/// A server with a tool that answers its first call, and never its second one.
fn waiting() -> Server {
    reacting(false, false)
}

/// Closes the connection when a call was cancelled.
fn closing() -> Server {
    reacting(true, false)
}

/// Reports progress of a call although it was cancelled.
fn working_on() -> Server {
    reacting(false, true)
}

fn reacting(closes: bool, works_on: bool) -> Server {
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
        *stopped.lock().unwrap_or_else(PoisonError::into_inner) = call;
        async { json!({}) }
    });
    let steps = Arc::new(AtomicU64::new(0));
    let answered = move |call: Call| {
        let progress = steps.fetch_add(1, Ordering::Relaxed);
        let cancelled = cancelled.lock().unwrap_or_else(PoisonError::into_inner).clone();
        async move {
            let Some(cancelled) = cancelled else { return answer(&call) };
            if closes {
                return Answer::close();
            }
            if works_on {
                // A client that has disconnected misses the progress and the answer alike.
                cancelled.progress(progress, 100).await.ok();
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
