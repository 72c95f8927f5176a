//! `lists-undeclared`.

use super::{all, keys};
use crate::scenarios::base::undeclared_served;
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::is_error;

scenario! {
    /// A server that offers tools, resources or prompts declares so.
    ///
    /// A client looks only for what is declared, so that what is listed without a capability is never used. A list without items
    /// offers nothing, and a refused one is what is expected.
    Server "lists-undeclared": "Nothing is listed without its capability",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("tools-declared", "No tools are listed without the capability `tools`",
            [TOOLS_CAPABILITY_DECLARE]).conditional(),
        check!("resources-declared", "No resources or templates are listed without the capability `resources`",
            [RESOURCES_CAPABILITY_DECLARE]).conditional(),
        check!("prompts-declared", "No prompts are listed without the capability `prompts`",
            [PROMPTS_CAPABILITY_DECLARE, PROMPTS_IMPL_RESPECT_NEGOTIATION]).conditional()
            .always_fails("one list breaks both requirements")
            .within(Revisions::until(Revision::V2025_11_25), "from 2026-07-28 on, `base-capabilities` checks all lists"),
        check!("undeclared-call-refused",
            "A server without the capability `tools` answers `tools/call` with a JSON-RPC error",
            [TOOLS_CALL_UNSUPPORTED_PROTOCOL_ERROR]).conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(ctx, &SCENARIO, "the server declares tools, resources and prompts");
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    use ItemKind::{Prompt, Resource, ResourceTemplate, Tool};
    let tools = undeclared(ctx, &[Tool]).await?;
    if let Some(outcome) = tools {
        ctx.check("tools-declared").judge(outcome);
        let params = json!({ "name": "no-such-tool-of-mcp-test", "arguments": {} });
        let reply = ctx.request("tools/call", params).deliberate().promptly().await?;
        ctx.check("undeclared-call-refused").judge(is_error(&reply).map_err(Finding::should));
    }
    if let Some(outcome) = undeclared(ctx, &[Resource, ResourceTemplate]).await? {
        ctx.check("resources-declared").judge(outcome);
    }
    if ctx.makes("prompts-declared")
        && let Some(outcome) = undeclared(ctx, &[Prompt]).await?
    {
        ctx.check("prompts-declared")
            .requires(Requirement::PROMPTS_CAPABILITY_DECLARE)
            .judge(outcome);
    }
    Ok(())
}

/// Whether lists without their capability are empty or refused; `None` if the capability is declared.
async fn undeclared(
    ctx: &mut Ctx,
    kinds: &[ItemKind],
) -> Result<Option<Result<(), Finding>>, Finding> {
    let mut outcomes = Vec::new();
    for kind in kinds {
        let capability = kind.capability();
        if ctx.declares(capability).await? {
            return Ok(None);
        }
        let page = ctx.request(kind.method(), json!({})).deliberate().promptly().await?;
        let listed = page.outcome().ok().and_then(|_| keys(*kind, &page)).unwrap_or_default();
        let found = listed.first().map(|first| {
            Finding::peer(format!(
                "`{}` lists items without the capability `{capability}`",
                kind.method()
            ))
            .expected(format!("`{capability}` among the capabilities of the server"))
            .got(format!("the {} {first}", kind.noun()))
            .caused_by(undeclared_served(capability))
            .evidence_all(page.evidence())
        });
        outcomes.push(found.map_or(Ok(()), Err));
    }
    Ok(Some(all(outcomes)))
}

proofs! {
    passes on with_nothing();
    catches "tools-declared" on hiding_tools();
    catches "resources-declared" on hiding_resources();
    catches "prompts-declared"
        on with_nothing().on("prompts/list", |_: Call| async { json!({ "prompts": [{ "name": "a" }] }) });
    warns "undeclared-call-refused" on answering_calls();
}

/// Declares nothing, and lists nothing.
fn with_nothing() -> Server {
    let server = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
        .into_iter()
        .fold(everything(), |server, list| {
            let none = Answer::error(error_code::METHOD_NOT_FOUND, "method not found");
            server.on(list, move |_: Call| std::future::ready(none.clone()))
        });
    let hidden = |capability: &'static str| {
        let place = format!("/capabilities/{capability}");
        [Fault::remove("initialize", place.clone()), Fault::remove("server/discover", place)]
    };
    server.faults(["tools", "resources", "prompts"].into_iter().flat_map(hidden))
}

fn hiding_tools() -> Server {
    with_nothing().on("tools/list", |_: Call| async {
        let tool = json!({ "name": "a", "inputSchema": { "type": "object" } });
        json!({ "tools": [tool], "ttlMs": 0, "cacheScope": "public" })
    })
}

fn hiding_resources() -> Server {
    with_nothing().on("resources/templates/list", |_: Call| async {
        let template = json!({ "uriTemplate": "a:{b}", "name": "a" });
        json!({ "resourceTemplates": [template], "ttlMs": 0, "cacheScope": "public" })
    })
}

/// Reports in a result that it has no tools.
fn answering_calls() -> Server {
    with_nothing().on("tools/call", |_: Call| async {
        json!({ "content": [{ "type": "text", "text": "no tools" }], "isError": true })
    })
}
