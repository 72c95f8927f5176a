//! `lists-cursor-invalid`.

use super::{all, first_pages, next_cursor, page_of, paged};
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{is_error, refused};

scenario! {
    /// A cursor that the server never returned is refused, and hurts nothing.
    ///
    /// A client may keep a cursor for longer than it is valid. A server that answers an unknown one with the first page makes such a
    /// client read the list again without noticing. That of another list is an unknown one, unless its text is that of a cursor
    /// of this list. An empty cursor and a long one may be refused or accepted, but are answered, and the server serves on.
    Server "lists-cursor-invalid": "A cursor that was never issued is refused",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("unknown-cursor-refused", "Each list refuses an unknown cursor with -32602",
            [PAGINATION_SERVER_INVALID_CURSOR_32602]).conditional(),
        check!("foreign-cursor-refused", "A list that refuses unknown cursors refuses that of another list, too",
            [PAGINATION_SERVER_INVALID_CURSOR_32602]).conditional(),
        check!("odd-cursors-survived", "After empty, long and foreign cursors, the list is returned as before",
            [PAGINATION_SERVER_INVALID_CURSOR_GRACEFUL]).conditional(),
    ],
}

/// A cursor that no server has by accident.
const UNKNOWN: &str = "no-such-cursor-of-mcp-test";
/// The length of a cursor that exceeds what servers usually issue, but not what they read.
const LONG: usize = 10_000;

/// The longest list whose cursors are compared with those of others.
const MOST_PAGES: usize = 20;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(ctx, &SCENARIO, "the server lists nothing");
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let lists = first_pages(ctx).await?;
    let (mut outcomes, mut foreign) = (Vec::new(), Vec::new());
    for (kind, first) in &lists {
        let reply = ctx.request(kind.method(), json!({ "cursor": UNKNOWN })).promptly().await?;
        // A list that takes any cursor takes also that of another list.
        if reply.error().is_some() {
            let others = lists.iter().filter(|(other, _)| other != kind);
            let cursors: Vec<String> = others.filter_map(|(_, page)| next_cursor(page)).collect();
            foreign.extend(foreign_refused(ctx, *kind, first, cursors).await?);
        }
        outcomes.push(refused(&reply, error_code::INVALID_PARAMS).map_err(|finding| {
            let headline =
                format!("`{}` does not refuse an unknown cursor as it should", kind.method());
            finding.headed(headline)
        }));
    }
    let Some((kind, _)) = lists.first() else { return Ok(()) };
    ctx.check("unknown-cursor-refused").judge(all(outcomes));
    if !foreign.is_empty() {
        ctx.check("foreign-cursor-refused").judge(all(foreign));
    }

    let mut odd = vec![String::new(), "x".repeat(LONG)];
    odd.extend(lists.iter().skip(1).find_map(|(_, page)| next_cursor(page)));
    for cursor in odd {
        // Refused or not: only a server that does not answer at all is wrong, which the client reports.
        let reply = ctx.request(kind.method(), json!({ "cursor": cursor })).promptly().await?;
        let _ = reply.error();
    }
    let again = ctx.request(kind.method(), json!({})).await?;
    let outcome = match again.outcome() {
        Ok(_) => Ok(()),
        Err(error) => Err(Finding::peer(format!("`{}` fails after odd cursors", kind.method()))
            .expected("the first page, as before")
            .got(error.to_string())
            .evidence_all(again.evidence())
            .should()),
    };
    ctx.check("odd-cursors-survived").judge(outcome);
    Ok(())
}

/// Whether a list refuses the cursor of another one; `None` if there is none that it has not issued itself.
async fn foreign_refused(
    ctx: &mut Ctx,
    kind: ItemKind,
    first: &Reply,
    mut cursors: Vec<String>,
) -> Result<Option<Result<(), Finding>>, Finding> {
    if cursors.is_empty() {
        return Ok(None);
    }
    if next_cursor(first).is_some() {
        let pages = ctx.client().await?.first_pages(kind.method(), MOST_PAGES).await;
        let Ok((pages, false)) = pages else { return Ok(None) };
        let own: Vec<String> = pages.iter().filter_map(next_cursor).collect();
        cursors.retain(|cursor| !own.contains(cursor));
    }
    let Some(cursor) = cursors.first() else { return Ok(None) };
    let reply = ctx.request(kind.method(), json!({ "cursor": cursor })).promptly().await?;
    Ok(Some(is_error(&reply).map_err(|finding| {
        let headline = format!("`{}` takes the cursor of another list", kind.method());
        finding.headed(headline)
    })))
}

proofs! {
    passes on paged(page_of);
    // Answers any cursor with the first page.
    warns "unknown-cursor-refused" on paged(|_| Ok(0));
    warns "unknown-cursor-refused" on failing_at_cursors();
    warns "foreign-cursor-refused" on taking_the_cursor_of_prompts();
    warns "odd-cursors-survived" on broken_by_a_long_cursor();
}

/// Answers a cursor of its prompts with all tools.
fn taking_the_cursor_of_prompts() -> Server {
    let server = paged(page_of);
    let list = json!({ "tools": [], "ttlMs": 0, "cacheScope": "public" });
    let foreign = given(method("tools/list")).and(param("/cursor", equals("page 1")));
    server.mount(foreign.respond_with(list));
    server
}

/// Answers an unknown cursor as a fault of its own.
fn failing_at_cursors() -> Server {
    let server = paged(page_of);
    let error = Answer::error(error_code::INTERNAL_ERROR, "no such cursor");
    let unknown = given(method("tools/list")).and(param("/cursor", equals(UNKNOWN)));
    server.mount(unknown.respond_with(error));
    server
}

/// Fails to list its tools after a long cursor.
fn broken_by_a_long_cursor() -> Server {
    use std::sync::atomic::{AtomicBool, Ordering};
    let is_broken = AtomicBool::new(false);
    paged(page_of).on("tools/list", move |call: Call| {
        let cursor = call.param("cursor").and_then(Value::as_str);
        if cursor.is_some_and(|cursor| cursor.len() >= LONG) {
            is_broken.store(true, Ordering::Relaxed);
        }
        let answer = match (is_broken.load(Ordering::Relaxed), cursor) {
            (true, None) => {
                is_broken.store(false, Ordering::Relaxed);
                Answer::error(error_code::INTERNAL_ERROR, "out of memory")
            }
            (_, Some(_)) => Answer::error(error_code::INVALID_PARAMS, "invalid cursor"),
            (false, None) => {
                Answer::from(json!({ "tools": [], "ttlMs": 0, "cacheScope": "public" }))
            }
        };
        async move { answer }
    })
}
