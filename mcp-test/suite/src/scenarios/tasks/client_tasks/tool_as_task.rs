//! Judges what the client of `client-tasks` does with what belongs to its own call of a tool as a task.

use mcp_test_core::wire::Request;

use super::{ELICITATION, OF_TOOL, RELATED, STREAM};
use crate::scenarios::exchange::{ClientReply, Exchange, exchanges};
use crate::scenarios::prelude::*;

pub(super) fn judge_tool_as_task(judging: &mut Judging) {
    let form = related(judging, ELICITATION);
    let answered = form.as_ref().map(|exchange| ClientReply { method: ELICITATION, exchange });
    let check = judging.check(RELATED);
    match answered {
        None => check.skip("the client called no tool as a task, or serves no form"),
        Some(answered) if answered.result().is_none() => {
            check.skip("the client answered no request that belongs to a task with a result")
        }
        Some(answered) => {
            let task = object().member("taskId", equals(OF_TOOL));
            let task = object().member(meta::RELATED_TASK, task);
            check.expect(&answered, object().member("_meta", task))
        }
    };
    if !judging.transport().is_http() {
        return;
    }
    let ping = related(judging, "ping");
    let stream = opened_stream(judging);
    let check = judging.check(STREAM);
    match (ping, stream) {
        (None, _) => check.skip("the client called no tool as a task"),
        (Some((sent, reply)), Some(opened)) if opened < sent => {
            check.judge(ensure(reply.is_some(), || {
                Finding::peer(
                    "the client does not answer what belongs to a task on the stream of its GET",
                )
                .expected("a reply to `ping`, whatever stream it comes on")
                .got("no reply before the client exited")
                .evidence_all([opened, sent])
                .should()
            }))
        }
        _ => check.skip("the client had opened no stream with GET"),
    };
}

/// The request of this method that belongs to the task, with its reply.
fn related(judging: &Judging, method: &str) -> Option<Exchange> {
    let is_related = |request: &Request| {
        let meta = request.params.as_ref().and_then(|params| params.get("_meta"));
        let task = meta.and_then(|meta| meta.get(meta::RELATED_TASK)?.get("taskId"));
        request.method == method && task.and_then(Value::as_str) == Some(OF_TOOL)
    };
    exchanges(judging, is_related).into_iter().next()
}

/// When the stream that the client asked for with GET was opened.
fn opened_stream(judging: &Judging) -> Option<Seq> {
    let trace = judging.trace();
    let is_get =
        |kind: &EventKind| matches!(kind, EventKind::HttpRequest { method, .. } if method == "GET");
    let is_open = |kind: &EventKind| matches!(kind, EventKind::HttpResponse { status: 200, .. });
    trace.events.iter().filter(|event| is_get(&event.kind)).find_map(|get| {
        let mut events = trace.events.iter().filter(|event| {
            event.connection == get.connection
                && event.exchange == get.exchange
                && event.party == Party::Server
        });
        events.find(|event| is_open(&event.kind)).map(|event| event.seq)
    })
}
