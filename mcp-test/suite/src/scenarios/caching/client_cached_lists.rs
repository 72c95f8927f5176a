//! `client-cached-lists`.

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::scenario::ReceivedMessage;

use crate::scenarios::listing_client::{fails_after, never_listed};
use crate::scenarios::listing_server::{page_index, server};
use crate::scenarios::prelude::*;
use crate::scenarios::reaction::accepts_replies_to;

scenario! {
    /// The pages of the list of tools differ in how long they may be cached: the first one does not say so, the second one has a negative
    /// time, and the third one may be kept for a minute, and repeats a tool. Then the server refuses the cursor of the fourth page, as
    /// if the list had changed.
    ///
    /// A client accepts a page if it sends another message afterwards, or exits without an error. After the refusal it should begin
    /// again without a cursor.
    Client "client-cached-lists": "The client copes with missing, negative and different cache times, and with an expired cursor",
    revisions: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!("client-accepts-missing-cache-time", "The client accepts a list without `ttlMs`",
            [CACHING_TTL_ABSENT_MEANS_ZERO]),
        check!("client-accepts-negative-cache-time", "The client accepts a list whose `ttlMs` is negative",
            [CACHING_TTL_NEGATIVE_MEANS_ZERO]),
        check!("client-accepts-different-pages",
            "The client accepts a page with another `ttlMs`, and with an item that an earlier page has as well",
            [CACHING_PAGINATION_CLIENT_PER_PAGE_CLOCK, CACHING_PAGINATION_CLIENT_TOLERATES_INCONSISTENCY]),
        check!("client-drops-refused-cursor", "Once a cursor is refused, the client begins again without one",
            [CACHING_PAGINATION_INVALID_CURSOR_DISCARDS]),
    ],
}

/// The cursors of the second, the third and the fourth page.
const CURSORS: [&str; 3] = ["second", "third", "fourth"];

/// The pages that the client may accept or not: the check, the index of the page, and what is unusual about it.
const PAGES: [(&str, usize, &str); 3] = [
    ("client-accepts-missing-cache-time", 0, "no `ttlMs`"),
    ("client-accepts-negative-cache-time", 1, "a negative `ttlMs`"),
    ("client-accepts-different-pages", 2, "another `ttlMs` and a repeated item"),
];

fn serve(test: &ClientTest) -> Server {
    let is_refused = Arc::new(AtomicBool::new(false));
    server(test).on("tools/list", move |call: Call| {
        let is_refused = Arc::clone(&is_refused);
        async move { page(&call, &is_refused).await }
    })
}

async fn page(call: &Call, is_refused: &AtomicBool) -> Answer {
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    let Some(index) = asked_page(call.params()) else {
        return Answer::error(error_code::INVALID_PARAMS, "this cursor was not issued");
    };
    if index == CURSORS.len() {
        // Relaxed: no other data depends on it.
        is_refused.store(true, Ordering::Relaxed);
        return Answer::error(error_code::INVALID_PARAMS, "this cursor has expired");
    }
    let mut page = json!({ "resultType": "complete", "cacheScope": "private" });
    if is_refused.load(Ordering::Relaxed) {
        page["tools"] = json!([tool("first"), tool("second")]);
        page["ttlMs"] = 0.into();
        return page.into();
    }
    page["nextCursor"] = CURSORS[index].into();
    page["tools"] = json!([tool(["first", "second", "first"][index])]);
    match index {
        0 => {}
        1 => page["ttlMs"] = (-5000).into(),
        _ => page["ttlMs"] = 60_000.into(),
    }
    call.reply_exactly(page).await
}

/// The page that a request asks for; `None` if no page has its cursor.
fn asked_page(params: &Value) -> Option<usize> {
    page_index(params.get("cursor"), &CURSORS)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let requests = judging.requests("tools/list");
    if requests.is_empty() {
        return Err(never_listed(judging));
    }
    let refused = requests.iter().position(|it| asked_page(it.params()) == Some(CURSORS.len()));
    let before = &requests[..refused.unwrap_or(requests.len())];
    for (check, index, what) in PAGES {
        let of_page: Vec<ReceivedMessage> =
            before.iter().filter(|it| asked_page(it.params()) == Some(index)).cloned().collect();
        let label = format!("page {} of `tools/list`", index + 1);
        accepts_replies_to(judging, check, &of_page, &label, what);
    }
    let next = refused.and_then(|at| requests.get(at + 1));
    if refused.is_some() && next.is_none() {
        // The page says what a client does if it goes on, but not that it has to.
        judging.tolerate_failed_exit();
    }
    let check = judging.check("client-drops-refused-cursor");
    match next {
        None if refused.is_none() => check.skip("the client did not ask for the fourth page"),
        None => check.skip("the client did not ask for the list again"),
        Some(next) => check.judge(match next.params().get("cursor") {
            None => Ok(()),
            Some(cursor) => {
                Err(Finding::peer("the client went on with a cursor after one was refused")
                    .expected("`tools/list` without a cursor")
                    .got(format!("the cursor {}", cursor.short(120)))
                    .evidence(next.seq)
                    .should())
            }
        }),
    };
    Ok(())
}

/// Fails at the page after these cursors.
fn fails_at(page: usize) -> ScriptedClient {
    let cursors = CURSORS[..page].iter().map(|cursor| ("tools/list", json!({ "cursor": cursor })));
    fails_after([("tools/list", json!({}))].into_iter().chain(cursors))
}

/// Asks for the refused page twice.
fn repeats_a_refused_cursor() -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let cursors =
            CURSORS.iter().chain(CURSORS.last()).map(|cursor| json!({ "cursor": cursor }));
        for params in [json!({})].into_iter().chain(cursors) {
            // A refusal is examined, and nothing is made of it.
            let _refusal = client.request("tools/list", params).await?.error().is_some();
        }
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    warns "client-accepts-missing-cache-time" on fails_at(0);
    warns "client-accepts-negative-cache-time" on fails_at(1);
    catches "client-accepts-different-pages" on fails_at(2);
    warns "client-drops-refused-cursor" on repeats_a_refused_cursor();
}
