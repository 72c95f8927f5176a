//! `tools-call-with-logging`.

use mcp_test_core::clock;
use mcp_test_core::expect::one_of;
use mcp_test_core::spec::log_level::{LEVELS, reaches};

use crate::scenarios::prelude::*;
use crate::scenarios::references::LOGGING;
use crate::scenarios::server_messages::{
    Params, notifications, on_stream_of_reply, open_listening_stream,
};

scenario! {
    /// A call of the tool `test_tool_with_logging` sends log messages at the level that the client has set.
    ///
    /// Up to 2025-11-25 a client sets the level once with `logging/setLevel`; at 2026-07-28 it sets it in each request. The
    /// official check counts the log messages; our own checks look at their content and level.
    Server "tools-call-with-logging": "A tool sends log messages",
    revisions: Revisions::all(),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::Logging), Need::Tool("test_tool_with_logging")],
    checks: [
        check!("tools-call-with-logging", "At least three log messages are sent",
            [SCHEMA_CALL_TOOL_RESULT, LOGGING_SET_LEVEL_ACCEPT]).official(&[LOGGING]),
        check!("tools-call-with-logging-messages", "Each log message has data and one of the eight levels",
            [SCHEMA_LOGGING_MESSAGE_NOTIFICATION, LOGGING_LEVELS_KNOWN]),
        check!("tools-call-with-logging-level",
            "Nothing is logged below the level that is set, and at 2026-07-28 nothing if none is set",
            [LOGGING_SET_LEVEL_THRESHOLD, LOGGING_PER_REQUEST_THRESHOLD, LOGGING_PER_REQUEST_SILENT_WITHOUT_LEVEL]),
    ],
}

const METHOD: &str = "notifications/message";
/// As long as the official suite waits after the call.
const GRACE: Duration = Duration::from_millis(200);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    open_listening_stream(ctx.client().await?).await;
    let first = call_at(ctx, Some("debug")).await?;
    first.result()?;
    let mut logged = notifications(&ctx.trace(), METHOD);
    if logged.len() < 3 {
        // Messages on the listening stream may arrive a little later than the reply.
        clock::quiet(GRACE).await;
        logged = notifications(&ctx.trace(), METHOD);
    }
    ctx.check("tools-call-with-logging").by_fixture().judge(at_least_three(&logged, &first));

    let mut outcomes = Vec::new();
    for level in [Some("error"), None] {
        // `logging/setLevel` cannot unset the level.
        if level.is_some() || ctx.revision().has_log_level_per_request() {
            let reply = call_at(ctx, level).await?;
            reply.result()?;
            // A message on another stream may belong to an earlier call, whose level was lower.
            let trace = ctx.trace();
            let logged = notifications(&trace, METHOD);
            let logged = on_stream_of_reply(&trace, &logged, &reply);
            outcomes.push(respects_level(&logged, level, &reply));
        }
    }
    outcomes.into_iter().fold(ctx.check("tools-call-with-logging-level"), CheckBuilder::judge);

    // Only those of the first call: what a stricter level lets through is a matter of the check above.
    let mut messages = ctx.check("tools-call-with-logging-messages");
    for (seq, params) in &logged {
        let message = Part::new("a log message", params, Some(*seq));
        messages = messages
            .requires(Requirement::LOGGING_LEVELS_KNOWN)
            .expect(&message, object().member("level", one_of(LEVELS)))
            .requires(Requirement::SCHEMA_LOGGING_MESSAGE_NOTIFICATION)
            .expect(&message, object().member("data", anything()).optional("logger", string()));
    }
    if logged.is_empty() {
        messages.skip("nothing was logged");
    }
    Ok(())
}

/// Calls the tool with this minimum log level.
async fn call_at(ctx: &mut Ctx, level: Option<&str>) -> Result<Reply, Finding> {
    let mut call =
        Value::from(json!({"name": "test_tool_with_logging", "arguments": {}, "_meta": {}}));
    if let Some(level) = level {
        if ctx.revision().has_log_level_per_request() {
            // The key contains a slash, which a JSON Pointer escapes.
            call.set(&format!("/_meta/{}", meta::LOG_LEVEL.replace('/', "~1")), level.into());
        } else {
            let reply = ctx.set_level(level).await?;
            reply
                .result()
                .map_err(|finding| finding.requires(Requirement::LOGGING_SET_LEVEL_ACCEPT))?;
        }
    }
    ctx.request("tools/call", call).await
}

fn at_least_three(logged: &[Params], reply: &Reply) -> Result<(), Finding> {
    ensure(logged.len() >= 3, || {
        Finding::peer("the tool does not send enough log messages")
            .expected("at least 3 log messages")
            .got(logged.len().to_string())
            .evidence_all(reply.evidence())
    })
}

/// Whether nothing below `least` was logged since the call, or nothing at all without a level.
fn respects_level(logged: &[&Params], least: Option<&str>, reply: &Reply) -> Result<(), Finding> {
    let level = |params: &Value| params.get("level").and_then(Value::as_str).map(str::to_owned);
    let excess = logged.iter().find(|(seq, params)| {
        let is_allowed =
            least.zip(level(params)).is_some_and(|(least, level)| reaches(&level, least));
        Some(seq) > reply.evidence().first() && !is_allowed
    });
    let Some((seq, params)) = excess else { return Ok(()) };
    let requirement = match least {
        None => Requirement::LOGGING_PER_REQUEST_SILENT_WITHOUT_LEVEL,
        Some(_) if reply.revision().has_log_level_per_request() => {
            Requirement::LOGGING_PER_REQUEST_THRESHOLD
        }
        Some(_) => Requirement::LOGGING_SET_LEVEL_THRESHOLD,
    };
    let expected =
        least.map_or_else(|| "nothing".to_owned(), |least| format!("`{least}` or more severe"));
    Err(Finding::peer("the tool logs below the level that the client has set")
        .expected(expected)
        .got(params.short(120))
        .requires(requirement)
        .evidence(*seq))
}

proofs! {
    passes on everything();
    catches "tools-call-with-logging" by reply_error("logging/setLevel", -32601), at V2025_11_25;
    catches "tools-call-with-logging" by reply_error("tools/call", -32603);
    catches "tools-call-with-logging" on logging(|_| None);
    // Logs at a level that does not exist.
    catches "tools-call-with-logging-messages"
        on logging(|level| (level == Some("debug")).then(|| json!({"level": "warn", "data": "careful"})));
    // Logs without `data`.
    catches "tools-call-with-logging-messages"
        on logging(|level| (level == Some("debug")).then(|| json!({"level": "info", "message": "here"})));
    catches "tools-call-with-logging-level" on ignoring_level(), at V2025_11_25;
    catches "tools-call-with-logging-level" on ignoring_level();
    // Logs for a request without a level.
    catches "tools-call-with-logging-level"
        on logging(|level| (level != Some("error")).then(|| json!({"level": "info", "data": "started"})));
}

/// Logs this message three times, or nothing, depending on the level in the request.
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

/// Logs everything, whatever the level.
fn ignoring_level() -> Server {
    logging(|_| Some(json!({"level": "info", "data": "started"})))
}
