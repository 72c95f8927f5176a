//! Probes of the messages that a tool sends before its result.

use mcp_test_core::transport::HttpExchange;
use serde_json::Value;

use super::discovery::Discovered;
use super::probes::{Probes, attempt_finding};
use super::requests::eliciting_meta;
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{call_of_fixture, finding, post};

/// The tool that asks its user for input, in the result of its call.
pub(super) const ASKING: &str = "test_streaming_elicitation";

/// The tool that logs, if the request has a log level.
pub(super) const LOGGING: &str = "test_logging_tool";

/// Calls the tools that must not send certain messages before their results.
pub(super) async fn tools(
    ctx: &mut Ctx,
    probes: &mut Probes,
    discovered: &Discovered,
) -> Result<(), Finding> {
    // With the capability declared, so that the tool has no reason to refuse the call.
    let mut message = call_of_fixture(ctx, 801, ASKING);
    message["params"]["_meta"] = eliciting_meta(ctx);
    // 2026-07-28 has no requests of servers: input is requested in the result (`basic/patterns/mrtr`).
    let is_request = |message: &Message| matches!(message, Message::Request(_));
    // 600 and 500 ms are the official windows.
    let outcome =
        call_without(ctx, probes, &message, Duration::from_millis(600), is_request).await?;
    let id = "sep-2575-http-server-no-independent-requests-on-stream";
    report(ctx, id, outcome, ASKING, discovered);

    // No log level in `_meta`: the server MUST NOT log (`server/utilities/logging#per-request-log-level`).
    let message = call_of_fixture(ctx, 802, LOGGING);
    let is_log = |message: &Message| message.method() == Some("notifications/message");
    let outcome = call_without(ctx, probes, &message, Duration::from_millis(500), is_log).await?;
    report(ctx, "sep-2575-server-no-log-without-loglevel", outcome, LOGGING, discovered);
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
    let missing = discovered.not_listed(ctx.fixtures(), tool);
    let described = ctx.fixtures().describe(tool);
    let check = ctx.check(id);
    match outcome {
        Outcome::Passed => check.pass(),
        Outcome::Violated(finding) => check.fail(finding),
        Outcome::OnlyErrors | Outcome::Unanswered(_) if let Some(missing) = missing => {
            check.missing(missing)
        }
        Outcome::OnlyErrors => check
            .untestable(Finding::peer(format!("the tool {described} answers only with errors"))),
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
