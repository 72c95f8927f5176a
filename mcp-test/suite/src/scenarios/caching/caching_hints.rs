//! `caching-hints`.

use mcp_test_core::expect::{integer, one_of};

use crate::scenarios::prelude::*;
use crate::scenarios::resources::ReadBudget;

scenario! {
    /// The results of `server/discover`, of each list and of `resources/read` say how long, and by whom, they may be cached.
    ///
    /// Since 2026-07-28 a client is not told that a list has changed unless it subscribes, and asks again when its copy is no
    /// longer fresh. Without `ttlMs` it asks every time. With a wrong `cacheScope`, or with pages of different scopes, a
    /// gateway serves one user what was meant for another.
    Server "caching-hints": "Cacheable results carry caching hints",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: Revisions::all(),
    checks: [
        check!("caching-hints-present",
            "Complete results of `server/discover`, of each page of a list and of `resources/read` have `ttlMs` and `cacheScope`",
            [
                CACHING_HINTS_DISCOVER, CACHING_HINTS_TOOLS_LIST, CACHING_HINTS_PROMPTS_LIST,
                CACHING_HINTS_RESOURCES_LIST, CACHING_HINTS_RESOURCE_TEMPLATES_LIST, CACHING_HINTS_RESOURCES_READ,
                CACHING_PAGINATION_PAGE_CARRIES_HINTS,
            ]),
        check!("caching-hints-valid",
            "`ttlMs` is a whole number and not negative, `cacheScope` is `public` or `private`",
            [CACHING_TTL_INTEGER, CACHING_TTL_NON_NEGATIVE, CACHING_SCOPE_VALUES]),
        check!("caching-scope-uniform",
            "All pages of a list have the same `cacheScope`; checked if a list has several",
            [CACHING_SCOPE_UNIFORM_ACROSS_PAGES]).conditional(),
    ],
}

/// How many pages of each list are requested, and how many resources are read.
const MAX_OF_KIND: usize = 10;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut groups = vec![vec![ctx.discover().await?]];
    for kind in ItemKind::ALL {
        if ctx.declares(kind.capability()).await? {
            groups.push(ctx.client().await?.first_pages(kind.method(), MAX_OF_KIND).await?.0);
        }
    }
    let resources = ctx.offered(ItemKind::Resource).await?;
    let mut budget = ReadBudget::default();
    for resource in resources.items.iter().take(MAX_OF_KIND) {
        let Some(uri) = resource.get("uri").and_then(Value::as_str) else { continue };
        if budget.admits(resource) {
            let params = json!({ "uri": uri });
            let reply = ctx.request("resources/read", params).deliberate().once().await?;
            budget.spend(&reply);
            groups.push(vec![reply]);
        }
    }
    // What is wrong with an error reply, other scenarios report.
    let complete = |reply: &Reply| {
        let kind = reply.outcome().ok().and_then(|result| result.get("resultType"));
        kind.and_then(Value::as_str) == Some("complete")
    };
    for group in &mut groups {
        group.retain(complete);
    }
    present(ctx, &groups);
    valid(ctx, &groups);
    uniform(ctx, &groups);
    Ok(())
}

fn present(ctx: &mut Ctx, groups: &[Vec<Reply>]) {
    let mut check = ctx.check("caching-hints-present");
    for (page, reply) in groups.iter().flat_map(|group| group.iter().enumerate()) {
        let Some(of_method) = requirement(reply.method()) else { continue };
        let requirement =
            if page == 0 { of_method } else { Requirement::CACHING_PAGINATION_PAGE_CARRIES_HINTS };
        for hint in ["ttlMs", "cacheScope"] {
            let is_present = reply.outcome().is_ok_and(|result| result.get(hint).is_some());
            check = check.requires(requirement).judge(ensure(is_present, || {
                Finding::peer(format!("the result of `{}` has no `{hint}`", reply.method()))
                    .expected("`ttlMs` and `cacheScope`")
                    .got(format!("no `{hint}`"))
                    .evidence_all(reply.evidence())
            }));
        }
    }
}

/// The requirement about the hints of a method.
fn requirement(method: &str) -> Option<&'static Requirement> {
    Some(match method {
        "server/discover" => Requirement::CACHING_HINTS_DISCOVER,
        "tools/list" => Requirement::CACHING_HINTS_TOOLS_LIST,
        "prompts/list" => Requirement::CACHING_HINTS_PROMPTS_LIST,
        "resources/list" => Requirement::CACHING_HINTS_RESOURCES_LIST,
        "resources/templates/list" => Requirement::CACHING_HINTS_RESOURCE_TEMPLATES_LIST,
        "resources/read" => Requirement::CACHING_HINTS_RESOURCES_READ,
        _ => return None,
    })
}

fn valid(ctx: &mut Ctx, groups: &[Vec<Reply>]) {
    let not_negative = |value: &Value| value.as_f64().is_none_or(|number| number >= 0.0);
    let hint = |name: &str, matcher: Box<dyn Matcher>| object().optional(name, matcher);
    let mut check = ctx.check("caching-hints-valid").pass();
    for reply in groups.iter().flatten() {
        check = check
            .requires(Requirement::CACHING_TTL_INTEGER)
            .expect(reply, hint("ttlMs", Box::new(integer())))
            .requires(Requirement::CACHING_TTL_NON_NEGATIVE)
            .expect(reply, hint("ttlMs", Box::new(satisfying("a number from 0 on", not_negative))))
            .requires(Requirement::CACHING_SCOPE_VALUES)
            .expect(reply, hint("cacheScope", Box::new(one_of(["public", "private"]))));
    }
}

fn uniform(ctx: &mut Ctx, groups: &[Vec<Reply>]) {
    let scope = |reply: &Reply| reply.outcome().ok()?.get("cacheScope").cloned();
    for pages in groups.iter().filter(|pages| pages.len() > 1) {
        let first = scope(&pages[0]);
        let other = pages.iter().find(|page| scope(page) != first);
        let words = |scope: Option<Value>| scope.map_or("none".to_owned(), |scope| scope.short(40));
        let outcome = other.map_or(Ok(()), |other| {
            Err(Finding::peer(format!("the pages of `{}` have different scopes", other.method()))
                .expected(format!("the `cacheScope` of the first page, {}", words(first)))
                .got(words(scope(other)))
                .evidence_all(other.evidence()))
        });
        ctx.check("caching-scope-uniform").judge(outcome);
    }
}

proofs! {
    passes on everything();
    catches "caching-hints-present" by remove("server/discover", "/ttlMs");
    catches "caching-hints-present" by remove("tools/list", "/ttlMs");
    catches "caching-hints-present" by remove("prompts/list", "/cacheScope");
    catches "caching-hints-present" by remove("resources/list", "/cacheScope");
    catches "caching-hints-present" by remove("resources/templates/list", "/ttlMs");
    catches "caching-hints-present" by remove("resources/read", "/ttlMs");
    catches "caching-hints-valid" by set("tools/list", "/ttlMs", -1);
    catches "caching-hints-valid" by set("tools/list", "/ttlMs", 0.5);
    catches "caching-hints-valid" by set("resources/read", "/cacheScope", "shared");
    catches "caching-scope-uniform" on with_different_scopes();
}

/// Lists its tools on two pages, the second of which is for everyone.
fn with_different_scopes() -> Server {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    everything().on("tools/list", move |call: Call| async move {
        match call.param("cursor") {
            None => json!({"tools": [tool("a")], "nextCursor": "2"}),
            Some(_) => json!({"tools": [tool("b")], "cacheScope": "public"}),
        }
    })
}
