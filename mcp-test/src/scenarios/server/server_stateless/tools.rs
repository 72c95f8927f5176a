//! Probes of what a tool says before its result.

use std::time::Duration;

use serde_json::{Value, json};

use super::discovery::Discovered;
use super::probes::{Probes, said};
use super::requests::{absent, eliciting};
use crate::check::Finding;
use crate::clock::Deadline;
use crate::scenario::{Ctx, Profile};
use crate::scenarios::server::raw::{finding, post, request};
use crate::transport::{HttpAnswer, HttpExchange};
use crate::wire::Message;

/// The tools that must not say certain things before their results.
pub(super) async fn tools(
    ctx: &mut Ctx,
    probes: &mut Probes,
    discovered: &Discovered,
) -> Result<(), Finding> {
    let call = |ctx: &Ctx, id, name: &str| {
        request(ctx.revision(), id, "tools/call", json!({ "name": name, "arguments": {} }))
    };
    let asking = "test_streaming_elicitation";
    let mut message = call(ctx, 801, asking);
    message["params"]["_meta"] = eliciting(ctx);
    let is_request = |message: &Message| matches!(message, Message::Request(_));
    let outcome = says_not(ctx, probes, &message, Duration::from_millis(600), is_request).await?;
    let id = "sep-2575-http-server-no-independent-requests-on-stream";
    told(ctx, id, outcome, asking, discovered);

    let logging = "test_logging_tool";
    let message = call(ctx, 802, logging);
    let is_log = |message: &Message| message.method() == Some("notifications/message");
    let outcome = says_not(ctx, probes, &message, Duration::from_millis(500), is_log).await?;
    told(ctx, "sep-2575-server-no-log-without-loglevel", outcome, logging, discovered);
    Ok(())
}

/// What came of a call that has to do without something.
enum Said {
    Nothing(Finding),
    OnlyErrors,
    Wrong(Finding),
    Right,
}

/// Calls a tool and looks for what it must not say; officially only in what comes soon.
async fn says_not(
    ctx: &mut Ctx,
    probes: &mut Probes,
    message: &Value,
    soon: Duration,
    is_wrong: impl Fn(&Message) -> bool,
) -> Result<Said, Finding> {
    let request = post(ctx.revision(), message);
    let heard = if ctx.profile() == Profile::Official {
        match ctx.attempt_open_http(request).await? {
            Ok(exchange) => Ok(read(exchange, 3, soon).await),
            Err(finding) => Err(finding),
        }
    } else {
        ctx.attempt_http(request).await?
    };
    let answer = match &heard {
        Ok(answer) => answer,
        Err(finding) => return Ok(Said::Nothing(finding.clone())),
    };
    probes.note(message["id"].as_i64().unwrap_or_default(), answer);
    let messages = answer.messages();
    if messages.is_empty() {
        return Ok(Said::Nothing(said("the call is not answered", &heard, "a message")));
    }
    if let Some(wrong) = messages.iter().find(|message| is_wrong(message)) {
        let got = format!("`{}`", wrong.method().unwrap_or_default());
        let headline = "a tool says something before its result that it must not say";
        let expected = "notifications that belong to the request, and its result";
        return Ok(Said::Wrong(finding(headline, answer).expected(expected).got(got)));
    }
    if messages.iter().all(|message| matches!(message, Message::Error(_))) {
        return Ok(Said::OnlyErrors);
    }
    Ok(Said::Right)
}

fn told(ctx: &mut Ctx, id: &str, outcome: Said, tool: &str, discovered: &Discovered) {
    let is_listed = discovered.tools.iter().any(|listed| listed == tool);
    let check = ctx.check(id);
    match outcome {
        Said::Right => check.pass(),
        Said::Wrong(finding) => check.fail(finding),
        Said::OnlyErrors | Said::Nothing(_) if !is_listed => check.missing(absent(tool)),
        Said::OnlyErrors => {
            check.untestable(Finding::peer(format!("the tool `{tool}` only answers with errors")))
        }
        Said::Nothing(finding) => check.fail(finding),
    };
}

/// Reads so many messages of a response, or what comes in that time.
async fn read(mut exchange: HttpExchange, most: usize, soon: Duration) -> HttpAnswer {
    let deadline = Deadline::after(soon);
    if !exchange.answer().is_stream() {
        return exchange.finish(deadline).await;
    }
    let mut count = 0;
    let enough = |_: &Message| {
        count += 1;
        count >= most
    };
    exchange.until_said(deadline, enough).await;
    exchange.close()
}
