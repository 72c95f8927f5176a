//! `lists-connections`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::client::Client;

use super::{all, keys};
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;
use crate::scenarios::resources::ReadBudget;
use crate::scenarios::tools::call_params;

scenario! {
    /// All connections see the same lists, whatever was requested in them before.
    ///
    /// From 2026-07-28 on a list does not depend on the connection, so that a client may cache it, and read it over another one.
    /// The lists of two connections are compared, and once more after other requests in one of them. Lists that have changed for
    /// both, or while they were compared, show nothing. Lists of more than 20 pages are not compared; the details name them.
    Server "lists-connections": "Lists are the same for all connections",
    revisions: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!("same-for-each-connection",
            "Two connections are listed the same tools, prompts, resources and resource templates",
            [
                TOOLS_LIST_CONNECTION_INDEPENDENT, PROMPTS_LIST_CONNECTION_INDEPENDENT,
                RESOURCES_LIST_CONNECTION_INDEPENDENT,
            ]).conditional(),
        check!("same-after-other-requests", "Other requests change the lists for no connection alone",
            [
                TOOLS_LIST_NO_REQUEST_SIDE_EFFECTS, PROMPTS_LIST_NO_REQUEST_SIDE_EFFECTS,
                RESOURCES_LIST_NO_REQUEST_SIDE_EFFECTS,
            ]).conditional(),
    ],
}

/// The lists that are compared, with the requirements for each. What is said of resources includes their templates.
const KINDS: [(ItemKind, &Requirement, &Requirement); 4] = [
    (
        ItemKind::Tool,
        Requirement::TOOLS_LIST_CONNECTION_INDEPENDENT,
        Requirement::TOOLS_LIST_NO_REQUEST_SIDE_EFFECTS,
    ),
    (
        ItemKind::Prompt,
        Requirement::PROMPTS_LIST_CONNECTION_INDEPENDENT,
        Requirement::PROMPTS_LIST_NO_REQUEST_SIDE_EFFECTS,
    ),
    (
        ItemKind::Resource,
        Requirement::RESOURCES_LIST_CONNECTION_INDEPENDENT,
        Requirement::RESOURCES_LIST_NO_REQUEST_SIDE_EFFECTS,
    ),
    (
        ItemKind::ResourceTemplate,
        Requirement::RESOURCES_LIST_CONNECTION_INDEPENDENT,
        Requirement::RESOURCES_LIST_NO_REQUEST_SIDE_EFFECTS,
    ),
];

/// The longest list that is compared, which takes six readings.
const PAGES: usize = 20;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(
        ctx,
        &SCENARIO,
        &format!("the server has no list of up to {PAGES} pages"),
    );
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut other = ctx.connect(ctx.options()).await?;
    let mut fresh = Vec::new();
    let mut left_out = Vec::new();
    let mut independent = Vec::new();
    for (kind, connection, _) in KINDS {
        if !ctx.declares(kind.capability()).await? {
            continue;
        }
        match compare(ctx, &mut other, kind).await? {
            Some(outcome) => {
                independent.push(outcome.map_err(|finding| finding.requires(connection)));
                fresh.push(kind);
            }
            None => left_out.push(kind.method()),
        }
    }
    if fresh.is_empty() {
        return Ok(());
    }
    let differs = independent.iter().any(Result::is_err);
    let details = |left_out: &[&str]| json!({ "notCompared": left_out });
    ctx.check("same-for-each-connection").details(details(&left_out)).judge(all(independent));
    if differs {
        return Ok(());
    }
    other_requests(ctx).await?;
    let mut unaffected = Vec::new();
    for (kind, _, side_effect) in KINDS.into_iter().filter(|(kind, ..)| fresh.contains(kind)) {
        match compare(ctx, &mut other, kind).await? {
            Some(outcome) => {
                unaffected.push(outcome.map_err(|finding| finding.requires(side_effect)));
            }
            None => left_out.push(kind.method()),
        }
    }
    if !unaffected.is_empty() {
        let details = details(&left_out);
        ctx.check("same-after-other-requests").details(details).judge(all(unaffected));
    }
    Ok(())
}

/// Compares a list in two connections; `None` if it is refused, too long, or changes while it is compared.
async fn compare(
    ctx: &mut Ctx,
    other: &mut Client,
    kind: ItemKind,
) -> Result<Option<Result<(), Finding>>, Finding> {
    let Some(here) = listed(ctx.client().await?, kind).await? else { return Ok(None) };
    let Some(there) = listed(other, kind).await? else { return Ok(None) };
    let here_again = listed(ctx.client().await?, kind).await?;
    // A list that changes while it is compared depends on time, not on the connection.
    Ok((here_again.as_ref() == Some(&here)).then(|| same(kind, &here, &there)))
}

/// Requests that change nothing: whether they are refused does not matter here.
async fn other_requests(ctx: &mut Ctx) -> Result<(), Finding> {
    let requests = [
        ("tools/call", json!({ "name": "no-such-tool-of-mcp-test", "arguments": {} })),
        ("prompts/get", json!({ "name": "no-such-prompt-of-mcp-test" })),
        ("resources/read", json!({ "uri": "mcp-test:no-such-resource" })),
    ];
    for (method, params) in requests {
        let _ = ctx.request(method, params).await?.error();
    }
    let resources = ctx.offered(ItemKind::Resource).await?;
    let first = resources.items.iter().find(|resource| ReadBudget::default().admits(resource));
    let first = first.and_then(|resource| resource.get("uri")?.as_str());
    if let Some(uri) = first {
        let _ = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?.error();
    }
    let tools = ctx.working_tools().await?;
    let first = tools.iter().find_map(|tool| Some((&tool.name, tool.arguments.as_ref()?)));
    if let Some((name, arguments)) = first {
        let _ = ctx.request("tools/call", call_params(name, arguments)).await?.error();
    }
    Ok(())
}

/// What is listed in a connection; `None` if the list is refused or longer than the pages that are read.
async fn listed(client: &mut Client, kind: ItemKind) -> Result<Option<BTreeSet<String>>, Finding> {
    let (pages, has_more) = client.first_pages(kind.method(), PAGES).await?;
    if has_more {
        return Ok(None);
    }
    let mut all = BTreeSet::new();
    for page in &pages {
        let Some(keys) = page.error().is_none().then(|| keys(kind, page)).flatten() else {
            return Ok(None);
        };
        all.extend(keys);
    }
    Ok(Some(all))
}

fn same(kind: ItemKind, here: &BTreeSet<String>, there: &BTreeSet<String>) -> Result<(), Finding> {
    let Some(differing) = here.symmetric_difference(there).next() else { return Ok(()) };
    let which = if here.contains(differing) { "one connection" } else { "the other connection" };
    Err(Finding::peer(format!("`{}` differs between two connections", kind.method()))
        .expected("the same list for both")
        .got(format!("the {} {differing} only in {which}", kind.noun())))
}

proofs! {
    passes on everything();
    catches "same-for-each-connection" on counting_lists();
    catches "same-after-other-requests" on unlocking_a_prompt();
}

/// Shows a further tool to every other client.
fn counting_lists() -> Server {
    let uses = AtomicUsize::new(0);
    everything().on("tools/list", move |_: Call| {
        let name = if uses.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) { "a" } else { "b" };
        let tools = json!([{ "name": name, "inputSchema": { "type": "object" } }]);
        async move { json!({ "tools": tools, "ttlMs": 0, "cacheScope": "public" }) }
    })
}

/// Lists another prompt to the client that has sent other requests.
fn unlocking_a_prompt() -> Server {
    let uses = AtomicUsize::new(0);
    everything().on("prompts/list", move |_: Call| {
        // The lists from the fourth on come after the other requests; every other one is that of the same connection.
        let number = uses.fetch_add(1, Ordering::Relaxed);
        let name = if number >= 3 && !number.is_multiple_of(2) { "b" } else { "a" };
        async move { json!({ "prompts": [{ "name": name }], "ttlMs": 0, "cacheScope": "public" }) }
    })
}
