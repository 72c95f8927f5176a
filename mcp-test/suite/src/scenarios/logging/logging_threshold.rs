//! `logging-threshold`.

use mcp_test_core::spec::log_level::LEVELS;

use super::send_everything_again;
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;
use crate::scenarios::resources::ReadBudget;
use crate::scenarios::tools::call_params;

scenario! {
    /// No log message is sent below the level that the client has set, and those at the level are.
    ///
    /// The same requests are made twice: with the level `debug`, which shows what is logged, and with the highest level of what was
    /// logged. Called are at most 3 tools that the run may call, and no further one after a second in calls; requested are at most 2
    /// prompts, and read at most 2 resources. A server that logs nothing meanwhile shows nothing. That a message at the level is
    /// missing counts only if it is logged again with the level `debug`.
    Server "logging-threshold": "The log level is respected",
    revisions: Revisions::all(),
    needs: [Need::Capability(Capability::Logging)],
    shares_connection: Revisions::all(),
    checks: [
        check!("below-level-silent", "No log message is below the level that was set",
            [LOGGING_SET_LEVEL_THRESHOLD, LOGGING_PER_REQUEST_THRESHOLD]).conditional(),
        check!("at-level-sent", "What was logged at a level is logged again when this is the least level",
            [LOGGING_SET_LEVEL_SENDS_AT_OR_ABOVE]).conditional(),
    ],
}

/// How many tools are called.
const MOST_TOOLS: usize = 3;
/// How many prompts are requested, and how many resources are read.
const MOST_OTHERS: usize = 2;
/// After this time in calls no further tool is called.
const LONGEST: Duration = Duration::from_secs(1);

/// A method and its params.
type Subject = (&'static str, Value);

/// A log message: the index of its level, and its event.
type Logged = (usize, Seq);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(ctx, &SCENARIO, "the server logged nothing, whatever was requested");
    match ctx.revision().era() {
        Era::Handshake => send_everything_again(ctx).await,
        Era::Stateless => Ok(()),
    }
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut subjects = subjects(ctx).await?;
    if subjects.is_empty() {
        return Ok(());
    }
    // The first level is the least severe one.
    let debug = 0;
    let Some(all) = logged(ctx, debug, &mut subjects, true).await? else { return Ok(()) };
    let levels = || all.iter().map(|(level, _)| *level);
    let (Some(least), Some(most)) = (levels().min(), levels().max()) else { return Ok(()) };
    // Where all messages have one level, any above it silences them.
    let level = if most > least { most } else { LEVELS.len() - 1 };
    let Some(some) = logged(ctx, level, &mut subjects, false).await? else { return Ok(()) };
    let is_stateless = ctx.revision().era() == Era::Stateless;
    let row = match is_stateless {
        true => Requirement::LOGGING_PER_REQUEST_THRESHOLD,
        false => Requirement::LOGGING_SET_LEVEL_THRESHOLD,
    };
    let below = some.iter().find(|(sent, _)| *sent < level);
    let outcome = below.map_or(Ok(()), |(sent, seq)| {
        Err(Finding::peer("a log message below the level that was asked for")
            .expected(format!("level `{}` or above", LEVELS[level]))
            .got(format!("level `{}`", LEVELS[*sent]))
            .evidence(*seq)
            .caused_by(Cause::for_requirement(row)))
    });
    let details = json!({ "logged": all.len(), "level": LEVELS[level] });
    ctx.check("below-level-silent").requires(row).details(details).judge(outcome);
    if is_stateless || most == least {
        return Ok(());
    }
    let reaches = |logged: &[Logged]| logged.iter().any(|(sent, _)| *sent >= level);
    if reaches(&some) {
        ctx.check("at-level-sent").pass();
        return Ok(());
    }
    // What is logged once only, such as the first use of a cache, shows nothing.
    let again = logged(ctx, debug, &mut subjects, false).await?;
    if again.is_some_and(|again| reaches(&again)) {
        let name = LEVELS[level];
        let finding = Finding::peer(format!("nothing is logged at level `{name}` when it is set"))
            .expected(format!("the messages at `{name}` that are logged when `debug` is set"))
            .got("none, for the same requests");
        ctx.check("at-level-sent").fail(finding.should());
    }
    Ok(())
}

/// The requests that a server may log something for.
async fn subjects(ctx: &mut Ctx) -> Result<Vec<Subject>, Finding> {
    let mut subjects: Vec<Subject> = Vec::new();
    let tools = ctx.working_tools().await?;
    let calls = tools.iter().filter_map(|tool| Some((&tool.name, tool.arguments.as_ref()?)));
    let calls = calls.map(|(name, arguments)| ("tools/call", call_params(name, arguments)));
    subjects.extend(calls.take(MOST_TOOLS));
    let prompts = ctx.offered(ItemKind::Prompt).await?;
    let is_free = |prompt: &&Value| {
        let arguments = prompt.get("arguments").and_then(Value::as_array).unwrap_or_default();
        !arguments.iter().any(|it| it.get("required") == Some(&Value::Bool(true)))
    };
    let names = prompts.items.iter().filter(is_free).filter_map(|it| it.get("name")?.as_str());
    let gets = names.map(|name| ("prompts/get", json!({ "name": name }).into()));
    subjects.extend(gets.take(MOST_OTHERS));
    let resources = ctx.offered(ItemKind::Resource).await?;
    let small = resources.items.iter().filter(|it| ReadBudget::default().admits(it));
    let uris = small.filter_map(|it| it.get("uri")?.as_str());
    let reads = uris.map(|uri| ("resources/read", json!({ "uri": uri }).into()));
    subjects.extend(reads.take(MOST_OTHERS));
    Ok(subjects)
}

/// What is logged for the requests at a level; `None` if the level is refused.
///
/// The first time, the calls for which no time is left are left out, also later.
async fn logged(
    ctx: &mut Ctx,
    level: usize,
    subjects: &mut Vec<Subject>,
    is_first: bool,
) -> Result<Option<Vec<Logged>>, Finding> {
    let is_stateless = ctx.revision().era() == Era::Stateless;
    let name = LEVELS[level];
    let mut since = None;
    if !is_stateless {
        let reply = ctx.set_level(name).await?;
        if reply.error().is_some() {
            return Ok(None);
        }
        since = reply.evidence().last().copied();
    }
    // What arrives on an older exchange over HTTP, such as that of a `GET`, may have been sent before the level was set.
    let newest = ctx.trace().events.iter().filter_map(|event| event.exchange).max();
    let before = ctx.client().await?.notifications().len();
    let mut spent = Duration::ZERO;
    let mut sent = Vec::new();
    for (method, params) in std::mem::take(subjects) {
        if is_first && method == "tools/call" && spent > LONGEST {
            continue;
        }
        let request = ctx.request(method, params.clone()).deliberate().once();
        let reply = request.log_level(name).await?;
        // Whether it succeeds does not matter.
        let _ = reply.error();
        spent += reply.latency().unwrap_or_default();
        sent.push((method, params));
    }
    *subjects = sent;
    let received = ctx.client().await?.notifications();
    let new = received.get(before.min(received.len())..).unwrap_or_default();
    let new = new.iter().filter(|it| it.method() == "notifications/message");
    let new = new.filter(|it| since.is_none_or(|since| it.seq > since));
    let new = new.filter(|it| it.exchange.is_none() || it.exchange > newest);
    let logged = new.filter_map(|it| {
        let level = it.param("level")?.as_str()?;
        Some((LEVELS.iter().position(|known| *known == level)?, it.seq))
    });
    Ok(Some(logged.collect()))
}

proofs! {
    passes on logging();
    catches "below-level-silent" on logging_everything();
    catches "below-level-silent" on logging_everything(), at V2025_11_25;
    warns "at-level-sent" on logging_at_debug_only(), at V2025_11_25;
}

/// Logs what is read, and an error, as far as its client wants to know.
fn logging() -> Server {
    everything().on("resources/read", |call: Call| async move {
        for level in ["info", "error"] {
            call.log(level, "reading").await.ok();
        }
        contents(&call)
    })
}

/// Logs whatever the level is.
fn logging_everything() -> Server {
    everything().on("resources/read", |call: Call| async move {
        for level in ["info", "error"] {
            let params = json!({ "level": level, "data": "reading" });
            call.notify("notifications/message", params).await.ok();
        }
        contents(&call)
    })
}

/// Compares the levels the wrong way round.
fn logging_at_debug_only() -> Server {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let is_debug = Arc::new(AtomicBool::new(false));
    let set = is_debug.clone();
    let server = everything().on("logging/setLevel", move |call: Call| {
        let level = call.param("level").and_then(Value::as_str);
        set.store(level == Some("debug"), Ordering::Relaxed);
        async { json!({}) }
    });
    server.on("resources/read", move |call: Call| {
        let is_debug = is_debug.load(Ordering::Relaxed);
        async move {
            for level in ["info", "error"].iter().filter(|_| is_debug) {
                let params = json!({ "level": level, "data": "reading" });
                call.notify("notifications/message", params).await.ok();
            }
            contents(&call)
        }
    })
}

fn contents(call: &Call) -> serde_json::Value {
    let uri = call.param("uri").and_then(Value::as_str);
    let contents = json!([{ "uri": uri, "mimeType": "text/plain", "text": "a" }]);
    json!({ "contents": contents, "ttlMs": 0, "cacheScope": "public" })
}
