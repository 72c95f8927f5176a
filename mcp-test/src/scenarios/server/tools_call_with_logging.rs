//! `tools-call-with-logging`.

use std::time::Duration;

use serde_json::json;

use super::heard::{Said, beside, notified, open_stream};
use super::references::LOGGING;
use crate::check::Finding;
use crate::client::Reply;
use crate::clock;
use crate::expect::{anything, object, one_of, string};
use crate::json::Value;
use crate::scenario::{CheckBuilder, CheckSpec, Ctx, Need, Official, Part};
use crate::server::reference::everything;
use crate::server::{Call, Server};
use crate::spec::log_level::{LEVELS, reaches};
use crate::spec::{Capability, Revision, Revisions, meta};
use crate::{proofs, scenario};

scenario! {
    /// A call of the tool `test_tool_with_logging` logs what it does, where the client wants to see that.
    ///
    /// Up to 2025-11-25 a client says so once, by `logging/setLevel`; at 2026-07-28 it says so in each request. The
    /// official check counts what is logged; our own ones look at what is logged, and whether the level is kept.
    Server "tools-call-with-logging": "A tool logs what it does",
    revisions: Revisions::all(),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::Logging), Need::Tool("test_tool_with_logging")],
    checks: [
        CheckSpec::official(
            "tools-call-with-logging",
            "ToolsCallWithLogging",
            "At least three messages are logged",
            &[LOGGING],
        )
        .requires(&["schema.call-tool-result"]),
        CheckSpec::own(
            "tools-call-with-logging-messages",
            "ToolsCallWithLoggingMessages",
            "Each message has data, and one of the eight levels",
        )
        .requires(&["schema.logging-message-notification", "logging.levels.known"]),
        CheckSpec::own(
            "tools-call-with-logging-level",
            "ToolsCallWithLoggingLevel",
            "Nothing is logged below the level that is set, nor at 2026-07-28 where none is set",
        )
        .requires(&[
            "logging.set-level.threshold",
            "logging.per-request.threshold",
            "logging.per-request.silent-without-level",
        ]),
    ],
}

const METHOD: &str = "notifications/message";
const LATE: Duration = Duration::from_millis(200);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    open_stream(ctx.client().await?).await;
    let first = call_at(ctx, Some("debug")).await?;
    first.result()?;
    let mut logged = notified(&ctx.trace(), METHOD);
    if logged.len() < 3 {
        // What comes on a stream of its own may come a little later than the reply.
        clock::quiet(LATE).await;
        logged = notified(&ctx.trace(), METHOD);
    }
    ctx.check("tools-call-with-logging").by_fixture().judge(at_least_three(&logged, &first));

    let mut kept = Vec::new();
    for level in [Some("error"), None] {
        // Where the level is set once, there is no way to set none.
        if level.is_some() || ctx.revision().has_log_level_per_request() {
            let reply = call_at(ctx, level).await?;
            reply.result()?;
            let trace = ctx.trace();
            kept.push(keeps(&beside(&trace, &notified(&trace, METHOD), &reply), level, &reply));
        }
    }
    kept.into_iter().fold(ctx.check("tools-call-with-logging-level"), CheckBuilder::judge);

    let mut messages = ctx.check("tools-call-with-logging-messages");
    for (seq, params) in &logged {
        let message = Part::new("a log message", params, Some(*seq));
        messages = messages
            .requires("logging.levels.known")
            .expect(&message, object().member("level", one_of(LEVELS)))
            .requires("schema.logging-message-notification")
            .expect(&message, object().member("data", anything()).optional("logger", string()));
    }
    if logged.is_empty() {
        messages.skip("nothing was logged");
    }
    Ok(())
}

/// Calls the tool, as a client that wants to see what is at least that grave.
async fn call_at(ctx: &mut Ctx, level: Option<&str>) -> Result<Reply, Finding> {
    let mut call =
        Value::from(json!({"name": "test_tool_with_logging", "arguments": {}, "_meta": {}}));
    if let Some(level) = level {
        if ctx.revision().has_log_level_per_request() {
            call.set(&format!("/_meta/{}", meta::LOG_LEVEL.replace('/', "~1")), level.into());
        } else {
            let reply = ctx.set_level(level).await?;
            reply.result().map_err(|finding| finding.requires("logging.set-level.accept"))?;
        }
    }
    ctx.request("tools/call", call).await
}

fn at_least_three(logged: &[Said], reply: &Reply) -> Result<(), Finding> {
    if logged.len() >= 3 {
        return Ok(());
    }
    Err(Finding::peer("the tool does not log what it does")
        .expected("at least 3 log messages")
        .got(logged.len().to_string())
        .evidence_all(reply.evidence()))
}

/// That nothing less grave than `least` was logged since the call, and nothing at all if that is not given.
fn keeps(logged: &[&Said], least: Option<&str>, reply: &Reply) -> Result<(), Finding> {
    let level = |params: &Value| params.get("level").and_then(Value::as_str).map(str::to_owned);
    let undue = logged.iter().find(|(seq, params)| {
        let is_due = least.zip(level(params)).is_some_and(|(least, level)| reaches(&level, least));
        Some(seq) > reply.evidence().first() && !is_due
    });
    let Some((seq, params)) = undue else { return Ok(()) };
    let requirement = match least {
        None => "logging.per-request.silent-without-level",
        Some(_) if reply.revision().has_log_level_per_request() => "logging.per-request.threshold",
        Some(_) => "logging.set-level.threshold",
    };
    let due = least.map_or_else(|| "nothing".to_owned(), |least| format!("`{least}` or graver"));
    Err(Finding::peer("more is logged than the client has asked for")
        .expected(due)
        .got(params.short(120))
        .requires(requirement)
        .evidence(*seq))
}

proofs! {
    passes on everything();
    catches "tools-call-with-logging" by reply_error("logging/setLevel", -32601),
        also "tools-call-with-logging-level" Skipped, also "tools-call-with-logging-messages" Skipped, at V2025_11_25;
    catches "tools-call-with-logging" by reply_error("tools/call", -32603),
        also "tools-call-with-logging-level" Skipped, also "tools-call-with-logging-messages" Skipped;
    catches "tools-call-with-logging" on taciturn(), also "tools-call-with-logging-messages" Skipped;
    catches "tools-call-with-logging-messages" on warning(),
        also "wire-schema-valid" Failure;
    catches "tools-call-with-logging-messages" on without_data(),
        also "wire-schema-valid" Failure;
    catches "tools-call-with-logging-level" on deaf(), at V2025_11_25;
    catches "tools-call-with-logging-level" on deaf();
    catches "tools-call-with-logging-level" on talkative();
}

/// Logs this three times, or nothing, by the level that the request asks for.
fn logging(message: fn(Option<&str>) -> Option<serde_json::Value>) -> Server {
    everything().on("tools/call", move |call: Call| async move {
        let level = call.param("_meta").and_then(|fields| fields.get(meta::LOG_LEVEL)?.as_str());
        for _ in 0..3 {
            if let Some(message) = message(level) {
                call.notify(METHOD, message).await.ok();
            }
        }
        json!({"content": [{"type": "text", "text": "done"}]})
    })
}

fn taciturn() -> Server {
    logging(|_| None)
}

/// Has a level that nobody else has.
fn warning() -> Server {
    logging(|level| (level == Some("debug")).then(|| json!({"level": "warn", "data": "careful"})))
}

/// Says it where nobody looks.
fn without_data() -> Server {
    logging(|level| (level == Some("debug")).then(|| json!({"level": "info", "message": "here"})))
}

/// Logs everything, whatever the client has asked for.
fn deaf() -> Server {
    logging(|_| Some(json!({"level": "info", "data": "started"})))
}

/// Logs for a client that has not asked for it.
fn talkative() -> Server {
    logging(|level| (level != Some("error")).then(|| json!({"level": "info", "data": "started"})))
}
