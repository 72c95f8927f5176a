//! `lists-pages`.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::client::MAX_PAGES;

use super::{all, first_pages, keys, next_cursor, page_of, paged};
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;

scenario! {
    /// Each list can be read to its end, page by page.
    ///
    /// A client follows `nextCursor` until a page has none. A server that takes no cursor, or repeats one, lets it read the same
    /// page again and again, and what is listed on two pages is offered twice. At most the first 100 pages of a list are read.
    Server "lists-pages": "Lists can be read page by page",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("lists-end", "Following `nextCursor` ends, without a cursor that repeats",
            [PAGINATION_CURSOR_ABSENT_AT_END]).conditional(),
        check!("cursors-accepted", "A cursor that the server has returned leads to another page",
            [PAGINATION_SERVER_OPERATIONS_ACCEPT_CURSOR]).conditional(),
        check!("pages-resume", "No item of a list is on two pages",
            [PAGINATION_CURSOR_RESUMES]).conditional(),
        check!("cursors-stable", "A cursor that is used again leads to the same page",
            [PAGINATION_SERVER_STABLE_CURSORS]).conditional(),
        check!("changes-announced",
            "A list that changes while it is read again is announced to have changed, if the server declares `listChanged`",
            [TOOLS_LIST_CHANGED_NOTIFY, PROMPTS_LIST_CHANGED_NOTIFY, RESOURCES_LIST_CHANGED_NOTIFY]).conditional()
            .within(Revisions::until(Revision::V2025_11_25), "from 2026-07-28 on, only subscribers are notified"),
        check!("lists-repeatable", "What is listed is listed again, unless it has changed",
            [MCP_TEST_LISTS_REPEATABLE]).conditional(),
    ],
}

/// The longest list that is read again, up to two times.
const MOST_PAGES_AGAIN: usize = 20;

/// What was found of all lists, by check.
#[derive(Default)]
struct Outcomes {
    ends: Vec<Result<(), Finding>>,
    accepted: Vec<Result<(), Finding>>,
    resume: Vec<Result<(), Finding>>,
    stable: Vec<Result<(), Finding>>,
    repeatable: Vec<Result<(), Finding>>,
    announced: Vec<Result<(), Finding>>,
    /// The lists that were not read to their end.
    bounded: Vec<&'static str>,
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(ctx, &SCENARIO, "the server lists nothing");
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut outcomes = Outcomes::default();
    for (kind, first) in first_pages(ctx).await? {
        outcomes.read(ctx, kind, first).await?;
    }
    let Outcomes { ends, accepted, resume, stable, repeatable, announced, bounded } = outcomes;
    if !ends.is_empty() {
        let check = ctx.check("lists-end").judge(all(ends));
        if !bounded.is_empty() {
            let lists = bounded.join(", ");
            check.info(format!("only the first {MAX_PAGES} pages were read of {lists}"));
        }
    }
    let of_pages = [
        ("cursors-accepted", accepted),
        ("pages-resume", resume),
        ("cursors-stable", stable),
        ("lists-repeatable", repeatable),
        ("changes-announced", announced),
    ];
    for (id, outcomes) in of_pages {
        // A server whose lists have one page each has no cursors.
        if !outcomes.is_empty() {
            ctx.check(id).judge(all(outcomes));
        }
    }
    Ok(())
}

impl Outcomes {
    async fn read(&mut self, ctx: &mut Ctx, kind: ItemKind, first: Reply) -> Result<(), Finding> {
        let Some(cursor) = next_cursor(&first) else {
            self.ends.push(Ok(()));
            self.read_again(ctx, kind, &[first]).await?;
            return Ok(());
        };
        let pages = ctx.client().await?.first_pages(kind.method(), MAX_PAGES).await;
        let (pages, has_more) = match pages {
            Ok(read) => read,
            Err(finding)
                if finding.requirements.contains(&Requirement::PAGINATION_CURSOR_ABSENT_AT_END) =>
            {
                self.ends.push(Err(finding));
                return Ok(());
            }
            Err(finding) => return Err(finding),
        };
        if has_more {
            self.bounded.push(kind.method());
        }
        self.ends.push(Ok(()));
        let refused = pages.iter().find(|page| page.error().is_some());
        self.accepted.push(refused.map_or(Ok(()), |page| Err(refused_cursor(kind, page))));
        if refused.is_some() {
            return Ok(());
        }
        self.resume.push(no_repeats(kind, &pages));
        if let Some(second) = pages.get(1) {
            let again = ctx.request(kind.method(), json!({ "cursor": cursor })).await?;
            self.stable.push(is_same(kind, second, &again));
        }
        if pages.len() <= MOST_PAGES_AGAIN && !has_more {
            self.read_again(ctx, kind, &pages).await?;
        }
        Ok(())
    }

    /// Requests a list again: its items are the same, or it has changed, which the server announces if it declares that.
    ///
    /// Of three lists the first and the third are equal if the second one lacks something by chance.
    async fn read_again(
        &mut self,
        ctx: &mut Ctx,
        kind: ItemKind,
        pages: &[Reply],
    ) -> Result<(), Finding> {
        let Some(first) = all_keys(kind, pages) else { return Ok(()) };
        let mut others = Vec::new();
        for _ in 0..2 {
            let pages = ctx.client().await?.first_pages(kind.method(), MOST_PAGES_AGAIN).await;
            // Cursors that repeat have been reported.
            let Ok((pages, false)) = pages else { return Ok(()) };
            let Some(keys) = all_keys(kind, &pages) else { return Ok(()) };
            if others.is_empty() && keys == first {
                self.repeatable.push(Ok(()));
                return Ok(());
            }
            others.push((keys, pages));
        }
        let [(second, again), (third, _)] = &others[..] else { return Ok(()) };
        let evidence = || again.iter().flat_map(Reply::evidence);
        if *third == first {
            let differing = first.symmetric_difference(second).next().cloned().unwrap_or_default();
            let finding = Finding::peer(format!("`{}` lists other items each time", kind.method()));
            self.repeatable.push(Err(finding
                .expected(
                    "the same items in three lists, of which the first and the third are equal",
                )
                .got(format!("the {} {differing} not in each of them", kind.noun()))
                .evidence_all(evidence())));
        } else if let Some(outcome) = is_announced(ctx, kind, pages).await? {
            self.announced.push(outcome.map_err(|finding| finding.evidence_all(evidence())));
        }
        Ok(())
    }
}

/// Whether the change of a list was announced since its pages were read; `None` if the server does not promise that, or may
/// announce it on another stream.
async fn is_announced(
    ctx: &mut Ctx,
    kind: ItemKind,
    pages: &[Reply],
) -> Result<Option<Result<(), Finding>>, Finding> {
    let (capability, method, row) = match kind {
        ItemKind::Tool => (
            Capability::ToolsListChanged,
            "notifications/tools/list_changed",
            Requirement::TOOLS_LIST_CHANGED_NOTIFY,
        ),
        ItemKind::Prompt => (
            Capability::PromptsListChanged,
            "notifications/prompts/list_changed",
            Requirement::PROMPTS_LIST_CHANGED_NOTIFY,
        ),
        ItemKind::Resource => (
            Capability::ResourcesListChanged,
            "notifications/resources/list_changed",
            Requirement::RESOURCES_LIST_CHANGED_NOTIFY,
        ),
        ItemKind::ResourceTemplate => return Ok(None),
    };
    let is_notified = ctx.makes("changes-announced") && !ctx.transport().is_http();
    if !is_notified || !ctx.declares(capability).await? {
        return Ok(None);
    }
    // What was sent before this reply has arrived.
    let _ = ctx.ping().await?.error();
    let since = pages.iter().flat_map(Reply::evidence).min();
    let mut received = ctx.client().await?.notifications().iter();
    let is_sent = received.any(|it| it.method() == method && Some(it.seq) > since);
    Ok(Some(ensure(is_sent, || {
        Finding::peer(format!("a change of `{}` was not announced", kind.method()))
            .expected(format!("`{method}`, since the server declares `{capability}`"))
            .got("another list, and no notification")
            .requires(row)
    })))
}

/// What identifies the items of all pages; `None` if one is not a page.
fn all_keys(kind: ItemKind, pages: &[Reply]) -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for page in pages {
        all.extend(page.error().is_none().then(|| keys(kind, page)).flatten()?);
    }
    Some(all)
}

fn refused_cursor(kind: ItemKind, page: &Reply) -> Finding {
    let got = page.error().map(ToString::to_string).unwrap_or_default();
    Finding::peer(format!("`{}` refused a cursor that it had returned", kind.method()))
        .expected("the next page of the list")
        .got(got)
        .evidence_all(page.evidence())
}

fn no_repeats(kind: ItemKind, pages: &[Reply]) -> Result<(), Finding> {
    // Two items of one page with the same name are reported with the definitions.
    let mut page_of: HashMap<String, usize> = HashMap::new();
    for (number, page) in (1..).zip(pages) {
        for key in keys(kind, page).unwrap_or_default() {
            let first = *page_of.entry(key.clone()).or_insert(number);
            if first != number {
                let finding = Finding::peer(format!("`{}` repeats an item", kind.method()));
                return Err(finding
                    .expected("each page to continue after the one before")
                    .got(format!("the {} {key} on the pages {first} and {number}", kind.noun()))
                    .evidence_all(page.evidence()));
            }
        }
    }
    Ok(())
}

fn is_same(kind: ItemKind, page: &Reply, again: &Reply) -> Result<(), Finding> {
    let (before, now) = (keys(kind, page), again.outcome().ok().and_then(|_| keys(kind, again)));
    if before == now {
        return Ok(());
    }
    let in_words = |keys: Option<Vec<String>>| {
        keys.map_or_else(
            || again.excerpt(),
            |keys| format!("{} items: {}", keys.len(), keys.join(", ")),
        )
    };
    Err(Finding::peer(format!(
        "the second use of a cursor of `{}` has another result",
        kind.method()
    ))
    .expected(in_words(before))
    .got(in_words(now))
    .evidence_all(page.evidence().into_iter().chain(again.evidence())))
}

proofs! {
    passes on in_pages();
    catches "lists-end" on repeating_the_last_cursor();
    // Knows none of its own cursors.
    catches "cursors-accepted" on paged(|_| Err(RpcError::new(error_code::INVALID_PARAMS, "invalid cursor")));
    warns "pages-resume" on repeating_an_item();
    warns "cursors-stable" on forgetting_cursors();
    warns "lists-repeatable" on leaving_out_a_resource();
    warns "changes-announced" on adding_a_resource(), at V2025_11_25;
}

fn in_pages() -> Server {
    paged(page_of)
}

/// Also the last page has a cursor, that of itself.
fn repeating_the_last_cursor() -> Server {
    paged(page_of).on("prompts/list", |_: Call| async {
        json!({ "prompts": [{ "name": "a" }], "nextCursor": "last" })
    })
}

/// Each page has the items of the one before as well.
fn repeating_an_item() -> Server {
    paged(page_of).on("prompts/list", |call: Call| async move {
        match call.param("cursor") {
            None => json!({ "prompts": [{ "name": "a" }], "nextCursor": "page 1", "ttlMs": 0, "cacheScope": "public" }),
            Some(_) => json!({ "prompts": [{ "name": "a" }, { "name": "b" }], "ttlMs": 0, "cacheScope": "public" }),
        }
    })
}

/// Lists one more resource each time, and declares to announce changes.
fn adding_a_resource() -> Server {
    let uses = AtomicUsize::new(0);
    let capabilities = json!({ "prompts": {}, "resources": { "listChanged": true } });
    in_pages().capabilities(capabilities).on("resources/list", move |_: Call| {
        let listed: Vec<_> = (0..=uses.fetch_add(1, Ordering::Relaxed))
            .map(|index| json!({ "uri": format!("test://{index}"), "name": "a" }))
            .collect();
        async move { json!({ "resources": listed }) }
    })
}

/// Two processes answer in turn, one of which has not loaded everything.
fn leaving_out_a_resource() -> Server {
    let uses = AtomicUsize::new(0);
    in_pages().on("resources/list", move |_: Call| {
        let all =
            [json!({ "uri": "test://a", "name": "a" }), json!({ "uri": "test://b", "name": "b" })];
        let listed = &all[uses.fetch_add(1, Ordering::Relaxed) % 2..];
        let list = json!({ "resources": listed, "ttlMs": 0, "cacheScope": "public" });
        async move { list }
    })
}

/// The position in the list belongs to the connection: the second use of the first cursor leads to the last page.
fn forgetting_cursors() -> Server {
    let uses = AtomicUsize::new(0);
    paged(move |cursor| match cursor {
        "page 1" => Ok(1 + uses.fetch_add(1, Ordering::Relaxed) % 2),
        _ => page_of(cursor),
    })
}
