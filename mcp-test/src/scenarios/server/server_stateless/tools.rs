//! Probes of the messages that a tool sends before its result.

use std::time::Duration;

use serde_json::{Value, json};

use super::discovery::Discovered;
use super::probes::{Probes, attempt_finding};
use super::requests::{eliciting_meta, not_listed};
use crate::check::Finding;
use crate::clock::Deadline;
use crate::scenario::{Ctx, Profile};
use crate::scenarios::raw_http::{finding, post, request};
use crate::transport::{HttpExchange, HttpResponse};
use crate::wire::Message;

/// Calls the tools that must not send certain messages before their results.
pub(super) async fn tools(
    ctx: &mut Ctx,
    probes: &mut Probes,
    discovered: &Discovered,
) -> Result<(), Finding> {
    let call = |ctx: &Ctx, id, name: &str| {
        request(ctx.revision(), id, "tools/call", json!({ "name": name, "arguments": {} }))
    };
    // With the capability declared, so that the tool has no reason to refuse the call.
    let asking = "test_streaming_elicitation";
    let mut message = call(ctx, 801, asking);
    message["params"]["_meta"] = eliciting_meta(ctx);
    // 2026-07-28 has no requests of servers: input is requested in the result (`basic/patterns/mrtr`).
    let is_request = |message: &Message| matches!(message, Message::Request(_));
    // 600 and 500 ms are the official windows.
    let outcome =
        call_without(ctx, probes, &message, Duration::from_millis(600), is_request).await?;
    let id = "sep-2575-http-server-no-independent-requests-on-stream";
    report(ctx, id, outcome, asking, discovered);

    // No log level in `_meta`: the server MUST NOT log (`server/utilities/logging#per-request-log-level`).
    let logging = "test_logging_tool";
    let message = call(ctx, 802, logging);
    let is_log = |message: &Message| message.method() == Some("notifications/message");
    let outcome = call_without(ctx, probes, &message, Duration::from_millis(500), is_log).await?;
    report(ctx, "sep-2575-server-no-log-without-loglevel", outcome, logging, discovered);
    Ok(())
}

/// The outcome of a call that must not send a certain message.
enum Outcome {
    Unanswered(Finding),
    OnlyErrors,
    Violated(Finding),
    Passed,
}

/// Calls a tool and looks for messages that it must not send; officially only among the first few.
async fn call_without(
    ctx: &mut Ctx,
    probes: &mut Probes,
    message: &Value,
    window: Duration,
    is_forbidden: impl Fn(&Message) -> bool,
) -> Result<Outcome, Finding> {
    let request = post(ctx.revision(), message);
    // The official checks read three messages within the window; a later violation passes them, but not ours.
    let attempt = if ctx.profile() == Profile::Official {
        match ctx.attempt_open_http(request).await? {
            Ok(exchange) => Ok(read(exchange, 3, window).await),
            Err(finding) => Err(finding),
        }
    } else {
        ctx.attempt_http(request).await?
    };
    let answer = match &attempt {
        Ok(answer) => answer,
        Err(finding) => return Ok(Outcome::Unanswered(finding.clone())),
    };
    probes.inspect(message["id"].as_i64().unwrap_or_default(), answer);
    let messages = answer.messages();
    if messages.is_empty() {
        return Ok(Outcome::Unanswered(attempt_finding(
            "the call is not answered",
            &attempt,
            "a message",
        )));
    }
    if let Some(forbidden) = messages.iter().find(|message| is_forbidden(message)) {
        let got = format!("`{}`", forbidden.method().unwrap_or_default());
        let headline = "a tool sends a message before its result that it must not send";
        let expected = "notifications that belong to the request, and its result";
        return Ok(Outcome::Violated(finding(headline, answer).expected(expected).got(got)));
    }
    // A tool that only fails shows nothing about what it would have sent.
    if messages.iter().all(|message| matches!(message, Message::Error(_))) {
        return Ok(Outcome::OnlyErrors);
    }
    Ok(Outcome::Passed)
}

fn report(ctx: &mut Ctx, id: &str, outcome: Outcome, tool: &str, discovered: &Discovered) {
    let is_listed = discovered.tools.iter().any(|listed| listed == tool);
    let check = ctx.check(id);
    match outcome {
        Outcome::Passed => check.pass(),
        Outcome::Violated(finding) => check.fail(finding),
        Outcome::OnlyErrors | Outcome::Unanswered(_) if !is_listed => {
            check.missing(not_listed(tool))
        }
        Outcome::OnlyErrors => {
            check.untestable(Finding::peer(format!("the tool `{tool}` answers only with errors")))
        }
        Outcome::Unanswered(finding) => check.fail(finding),
    };
}

/// Reads at most this many messages of a response, within this time.
async fn read(mut exchange: HttpExchange, limit: usize, window: Duration) -> HttpResponse {
    let deadline = Deadline::after(window);
    if !exchange.answer().is_stream() {
        return exchange.finish(deadline).await;
    }
    let mut count = 0;
    let is_last = |_: &Message| {
        count += 1;
        count >= limit
    };
    exchange.read_until_message(deadline, is_last).await;
    exchange.close()
}
