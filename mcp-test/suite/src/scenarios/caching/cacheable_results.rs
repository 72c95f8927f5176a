//! `caching`.

use mcp_test_core::expect::{integer, one_of};

use crate::scenarios::matchers::caching_hints;
use crate::scenarios::prelude::*;
use crate::scenarios::references::{CACHING, SEP_2549};

scenario! {
    /// The lists, and what is read, say how long and by whom they may be cached.
    ///
    /// The official checks look at the first page of each list and at the first resource; a list that the server does not
    /// offer fails. `caching-hints` looks at more of them, and at `server/discover`.
    Server "caching": "Lists and resources carry caching hints",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2549-tools-list-caching-hints", "The result of `tools/list` has `ttlMs` and `cacheScope`",
            [CACHING_HINTS_TOOLS_LIST]).official(&[CACHING, SEP_2549]).named("ToolsListCachingHints"),
        check!("sep-2549-prompts-list-caching-hints", "The result of `prompts/list` has `ttlMs` and `cacheScope`",
            [CACHING_HINTS_PROMPTS_LIST]).official(&[CACHING, SEP_2549]).named("PromptsListCachingHints"),
        check!("sep-2549-resources-list-caching-hints", "The result of `resources/list` has `ttlMs` and `cacheScope`",
            [CACHING_HINTS_RESOURCES_LIST]).official(&[CACHING, SEP_2549]).named("ResourcesListCachingHints"),
        check!("sep-2549-resources-templates-list-caching-hints",
            "The result of `resources/templates/list` has `ttlMs` and `cacheScope`",
            [CACHING_HINTS_RESOURCE_TEMPLATES_LIST])
            .official(&[CACHING, SEP_2549]).named("ResourcesTemplatesListCachingHints"),
        check!("sep-2549-resources-read-caching-hints", "The result of `resources/read` has `ttlMs` and `cacheScope`",
            [CACHING_HINTS_RESOURCES_READ]).official(&[CACHING, SEP_2549]).named("ResourcesReadCachingHints"),
        check!("sep-2549-ttl-non-negative", "Every `ttlMs` is a whole number and not negative",
            [CACHING_TTL_INTEGER, CACHING_TTL_NON_NEGATIVE]).official(&[CACHING, SEP_2549]).named("TtlNonNegative"),
        check!("sep-2549-cache-scope-valid", "Every `cacheScope` is `public` or `private`",
            [CACHING_SCOPE_VALUES]).official(&[CACHING, SEP_2549]).named("CacheScopeValid"),
    ],
}

/// The lists in the order of the official suite, and the check of each.
const LISTS: [(ItemKind, &str); 4] = [
    (ItemKind::Tool, "sep-2549-tools-list-caching-hints"),
    (ItemKind::Prompt, "sep-2549-prompts-list-caching-hints"),
    (ItemKind::Resource, "sep-2549-resources-list-caching-hints"),
    (ItemKind::ResourceTemplate, "sep-2549-resources-templates-list-caching-hints"),
];
const READ: &str = "sep-2549-resources-read-caching-hints";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut replies = Vec::new();
    let mut first_resource = None;
    for (kind, check) in LISTS {
        let capability = kind.capability();
        // The official suite asks for every list, whatever the server declares.
        if ctx.profile() != Profile::Official && !ctx.declares(capability).await? {
            let why = format!("the server does not declare the capability `{capability}`");
            ctx.check(check).missing(Finding::peer(why));
            continue;
        }
        let reply = ctx.request(kind.method(), json!({})).await?;
        if kind == ItemKind::Resource {
            let uri = reply.outcome().ok().and_then(|result| result.at("/resources/0/uri"));
            first_resource = uri.and_then(Value::as_str).map(str::to_owned);
        }
        if let Err(finding) = reply.result() {
            // Officially a list that is refused fails here as well.
            ctx.check(check).missing(finding);
            continue;
        }
        ctx.check(check).expect(&reply, caching_hints());
        replies.push(reply);
    }
    match first_resource {
        Some(uri) => {
            let reply = ctx.request("resources/read", json!({ "uri": uri })).once().await?;
            // A resource may be readable only with more input from the user.
            if reply.result_type() == Some("input_required") {
                ctx.check(READ).skip("the server asks for input before it reads the resource");
            } else if let Err(finding) = reply.result() {
                // That it cannot be read now says nothing about the hints. Officially it fails.
                ctx.check(READ).missing(finding);
            } else {
                ctx.check(READ).expect(&reply, caching_hints());
                replies.push(reply);
            }
        }
        None => drop(ctx.check(READ).skip("the server lists no resource")),
    }
    judge_ttls(ctx, &replies);
    judge_scopes(ctx, &replies);
    Ok(())
}

fn judge_ttls(ctx: &mut Ctx, replies: &[Reply]) {
    let mut check = ctx.check("sep-2549-ttl-non-negative");
    let not_negative = |value: &Value| value.as_f64().is_none_or(|number| number >= 0.0);
    for reply in with_hint(replies, "ttlMs") {
        check = check
            .requires(Requirement::CACHING_TTL_INTEGER)
            .expect(reply, object().member("ttlMs", integer()))
            .requires(Requirement::CACHING_TTL_NON_NEGATIVE)
            .expect(
                reply,
                object().member("ttlMs", satisfying("a number from 0 on", not_negative)),
            );
    }
    if with_hint(replies, "ttlMs").next().is_none() {
        check.missing(Finding::peer("no result has `ttlMs`"));
    }
}

fn judge_scopes(ctx: &mut Ctx, replies: &[Reply]) {
    let mut check = ctx.check("sep-2549-cache-scope-valid");
    for reply in with_hint(replies, "cacheScope") {
        check = check.expect(reply, object().member("cacheScope", one_of(["public", "private"])));
    }
    if with_hint(replies, "cacheScope").next().is_none() {
        check.missing(Finding::peer("no result has `cacheScope`"));
    }
}

fn with_hint<'a>(replies: &'a [Reply], hint: &'a str) -> impl Iterator<Item = &'a Reply> {
    replies.iter().filter(move |reply| reply.outcome().is_ok_and(|it| it.get(hint).is_some()))
}

proofs! {
    passes on everything();
    catches "sep-2549-tools-list-caching-hints" by remove("tools/list", "/ttlMs");
    catches "sep-2549-prompts-list-caching-hints" by remove("prompts/list", "/cacheScope");
    catches "sep-2549-resources-list-caching-hints" by remove("resources/list", "/ttlMs");
    catches "sep-2549-resources-templates-list-caching-hints" by remove("resources/templates/list", "/cacheScope");
    catches "sep-2549-resources-read-caching-hints" by remove("resources/read", "/ttlMs");
    catches "sep-2549-ttl-non-negative" by set("tools/list", "/ttlMs", -1);
    catches "sep-2549-ttl-non-negative" by set("prompts/list", "/ttlMs", 0.5);
    catches "sep-2549-cache-scope-valid" by set("resources/read", "/cacheScope", "shared");
}
