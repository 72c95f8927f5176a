//! `client-pages`.

use mcp_test_core::expect::words::count;
use mcp_test_core::scenario::ReceivedMessage;
use serde_json::Value as Json;

use crate::scenarios::listing_client::never_listed;
use crate::scenarios::listing_server::{page_index, server};
use crate::scenarios::prelude::*;

scenario! {
    /// The server lists its tools on several pages of different lengths, one of them empty, under cursors that a client damages if it
    /// does more than return them. At 2026-07-28 one of the cursors is the empty string.
    ///
    /// A client that asks for the first page only gets a warning: the specification recommends to handle several pages, and demands the
    /// rest of those who do.
    Client "client-pages": "The client follows the pages of a list",
    revisions: Revisions::from(Revision::V2025_03_26),
    checks: [
        check!("client-cursors-unchanged", "Every cursor comes back as the server issued it",
            [PAGINATION_CLIENT_UNMODIFIED, PAGINATION_CLIENT_OPAQUE_FORMAT]),
        check!("client-follows-pages", "The client asks for every page, also after a short or empty one",
            [PAGINATION_CLIENT_NO_FIXED_PAGE_SIZE, PAGINATION_CLIENT_BOTH_FLOWS]),
        check!("client-follows-empty-cursor", "The client asks for the page of a cursor that is the empty string",
            [PAGINATION_CLIENT_EMPTY_STRING_CURSOR]),
        check!("client-stops-after-last-page", "The client asks for no page after the one without `nextCursor`",
            [PAGINATION_CLIENT_MISSING_CURSOR_ENDS]),
        check!("client-follows-prompt-pages", "A client that lists prompts asks for every page of them",
            [PROMPTS_IMPL_CLIENT_PAGINATION]),
    ],
}

/// How many tools the pages have; the last one has no cursor.
const LENGTHS: [usize; 5] = [3, 1, 0, 5, 1];
/// The index of the last page.
const LAST: usize = LENGTHS.len() - 1;

/// The cursors of all pages but the first.
///
/// What looks like Base64, JSON, or a part of a URL is not to be decoded, white space not to be trimmed, and no text is to be normalized:
/// the last one has a letter with a combining accent.
const fn cursors(revision: Revision) -> [&'static str; 4] {
    let third = match Requirement::PAGINATION_CLIENT_EMPTY_STRING_CURSOR.applies_at(revision) {
        true => "",
        // Older revisions do not mention the empty string, so that clients may take it for the end.
        false => "3",
    };
    ["cGFnZSAy==", " {\"page\": 2}\t", third, "a+b%20&c=\u{65}\u{301}"]
}

fn serve(test: &ClientTest) -> Server {
    server(test)
        .capabilities(json!({ "tools": {}, "prompts": {} }))
        .on("tools/list", |call: Call| async move {
            page_of(&call, "tools", &cursors(call.revision()), tools)
        })
        .on("prompts/list", |call: Call| async move {
            page_of(&call, "prompts", &PROMPT_CURSORS, prompts)
        })
        .on("prompts/get", |_: Call| async { json!({ "messages": [] }) })
}

/// The page of a list that the cursor of the request leads to, with the items of that index.
fn page_of(call: &Call, list: &str, cursors: &[&str], items: fn(usize) -> Vec<Json>) -> Answer {
    let Some(index) = page_index(call.param("cursor"), cursors) else {
        return Answer::error(error_code::INVALID_PARAMS, "this cursor was not issued");
    };
    let mut page = json!({ list: items(index) });
    if let Some(next) = cursors.get(index) {
        page["nextCursor"] = (*next).into();
    }
    page.into()
}

fn tools(page: usize) -> Vec<Json> {
    let tool = |number| {
        let name = format!("tool_{page}_{number}");
        json!({ "name": name, "inputSchema": { "type": "object" } })
    };
    (0..LENGTHS[page]).map(tool).collect()
}

/// The cursors of the second and the third page of prompts.
const PROMPT_CURSORS: [&str; 2] = ["prompts 2", "prompts 3"];

fn prompts(page: usize) -> Vec<Json> {
    vec![json!({ "name": format!("prompt_{page}") })]
}

/// What a request for the list asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageRequest {
    /// A page, by its index.
    Page(usize),
    /// The page after the last one.
    AfterLast,
    /// The page of a cursor that the server did not issue.
    NotIssued,
}

/// What each request asks for.
fn asked(requests: &[ReceivedMessage], cursors: &[&str; 4]) -> Vec<PageRequest> {
    let mut last_page = false;
    let asked = requests.iter().map(|request| {
        let cursor = request.params().get("cursor");
        let page = page_index(cursor, cursors);
        let is_after_last = last_page && cursor.is_some();
        last_page = page == Some(LAST);
        match page {
            _ if is_after_last => PageRequest::AfterLast,
            Some(page) => PageRequest::Page(page),
            None => PageRequest::NotIssued,
        }
    });
    asked.collect()
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let requests = judging.requests("tools/list");
    if requests.is_empty() {
        return Err(never_listed(judging));
    }
    judge_prompts(judging);
    let cursors = cursors(judging.spoken().unwrap_or_else(|| judging.revision()));
    let asked = asked(&requests, &cursors);
    let first = |wanted: PageRequest| {
        let at = asked.iter().position(|asked| *asked == wanted)?;
        requests.get(at)
    };
    let pages = asked.iter().filter_map(|asked| match asked {
        PageRequest::Page(page) => Some(*page),
        PageRequest::AfterLast | PageRequest::NotIssued => None,
    });
    let furthest = pages.max().unwrap_or_default();
    let not_issued = first(PageRequest::NotIssued);
    let unchanged = judging.check("client-cursors-unchanged");
    match not_issued {
        Some(request) => unchanged.fail(
            Finding::peer("the client sent a cursor that the server did not issue")
                .expected(format!("the cursor of page {}: {:?}", furthest + 1, cursors[furthest]))
                .got(request.params().get("cursor").map(|it| it.short(120)).unwrap_or_default())
                .evidence(request.seq),
        ),
        None if furthest > 0 => unchanged.pass(),
        None => unchanged.skip("the client asked for the first page only"),
    };
    let stops_at_empty = furthest < LAST && cursors[furthest].is_empty();
    let follows = judging.check("client-follows-pages");
    match (not_issued, requests.last()) {
        (Some(_), _) => follows.skip("the client asked for a page under another cursor"),
        (None, _) if furthest == LAST || stops_at_empty => follows.pass(),
        (None, last) => follows.fail(stopped(furthest).evidence_all(last.map(|last| last.seq))),
    };
    if judging.revision().era() == Era::Stateless {
        let empty = judging.check("client-follows-empty-cursor");
        let before = cursors.iter().position(|cursor| cursor.is_empty()).unwrap_or(LAST);
        match requests.last() {
            _ if furthest < before => empty.skip("the client did not ask for the page before"),
            Some(last) if stops_at_empty => empty.fail(
                Finding::peer("the client took an empty cursor for the end of the list")
                    .expected("`tools/list` with the cursor \"\"")
                    .got(format!("no request after page {}", furthest + 1))
                    .evidence(last.seq),
            ),
            _ => empty.pass(),
        };
    }
    let stops = judging.check("client-stops-after-last-page");
    match first(PageRequest::AfterLast) {
        Some(request) => stops.fail(
            Finding::peer("the client asked for a page after the last one")
                .expected("no request with a cursor after a page without `nextCursor`")
                .got(request.params().get("cursor").map(|it| it.short(120)).unwrap_or_default())
                .evidence(request.seq),
        ),
        None if furthest == LAST => stops.pass(),
        None => stops.skip("the client did not ask for the last page"),
    };
    Ok(())
}

fn judge_prompts(judging: &mut Judging) {
    let requests = judging.requests("prompts/list");
    let is_asked = |cursor: &&str| {
        requests.iter().any(|it| it.params().get("cursor").is_some_and(|it| it == cursor))
    };
    let missing = PROMPT_CURSORS.iter().find(|cursor| !is_asked(cursor));
    let check = judging.check("client-follows-prompt-pages");
    match (requests.last(), missing) {
        (None, _) => check.skip("the client did not list prompts"),
        (Some(_), None) => check.pass(),
        (Some(last), Some(cursor)) => check.fail(
            Finding::peer("the client did not ask for all pages of the list of prompts")
                .expected(format!("`prompts/list` with the cursor {cursor:?}"))
                .got("no such request")
                .evidence(last.seq),
        ),
    };
}

/// The finding about a client that asked for no page after this one.
fn stopped(page: usize) -> Finding {
    let finding = Finding::peer("the client did not ask for all pages of the list")
        .expected(format!("{} pages, each until one has no `nextCursor`", LENGTHS.len()))
        .got(format!(
            "no request after page {}, which has {}",
            page + 1,
            count(LENGTHS[page], "tool")
        ));
    // A client that reads several pages must not take a short one for the last (`server/utilities/pagination`).
    if page > 0 && LENGTHS[page] < LENGTHS[0] {
        finding.requires(Requirement::PAGINATION_CLIENT_NO_FIXED_PAGE_SIZE)
    } else {
        finding.requires(Requirement::PAGINATION_CLIENT_BOTH_FLOWS).should()
    }
}

/// Lists the tools; `next` returns the cursor of the next request for that of a page and the number of its tools.
fn listing(next: fn(Option<&str>, usize) -> Option<Value>) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let mut params = json!({});
        for _ in 0..LENGTHS.len() + 1 {
            let page = client.request("tools/list", params).await?;
            let Ok(page) = page.outcome() else { break };
            let tools = page.get("tools").and_then(Value::as_array).map_or(0, <[_]>::len);
            let cursor = page.get("nextCursor").and_then(Value::as_str);
            let Some(next) = next(cursor, tools) else { break };
            params = json!({ "cursor": next.to_serde() });
        }
        client.end().await;
        Ok(())
    })
}

/// Lists all tools, but only the first page of prompts.
fn lists_the_first_page_of_prompts() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let pages = client.pages("tools/list").await?;
        pages.iter().try_for_each(|page| page.result().map(|_| ()))?;
        client.request("prompts/list", json!({})).await?.result()?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "client-cursors-unchanged" on listing(|cursor, _| cursor.map(|cursor| cursor.trim().into()));
    catches "client-follows-pages" on listing(|cursor, tools| cursor.filter(|_| tools > 1).map(Value::from));
    warns "client-follows-pages" on listing(|_, _| None);
    warns "client-follows-pages" on listing(|cursor, tools| cursor.filter(|_| tools < 5).map(Value::from));
    catches "client-follows-empty-cursor"
        on listing(|cursor, _| cursor.filter(|cursor| !cursor.is_empty()).map(Value::from));
    warns "client-follows-prompt-pages" on lists_the_first_page_of_prompts();
    warns "client-stops-after-last-page" on listing(|cursor, _| Some(cursor.unwrap_or("the end").into()));
}
