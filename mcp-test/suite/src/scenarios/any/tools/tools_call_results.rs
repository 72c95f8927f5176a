//! `tools-call-results`.

use mcp_test_core::check::Finding;
use mcp_test_core::client::Reply;
use mcp_test_core::expect::words::excerpt;
use mcp_test_core::json::Value;
use mcp_test_core::scenario::{CheckSpec, Ctx, Need};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Call, Server};
use mcp_test_core::spec::{ItemKind, Revision, Revisions, error_code};
use mcp_test_core::{proofs, scenario};
use serde_json::json;

use super::{Calls, call_params};
use crate::scenarios::any::note_if_unmade;
use crate::scenarios::links::{Link, links};

scenario! {
    /// Tools are called with the arguments that their schemas state, and the resources in their results can be read.
    ///
    /// Called are only tools that the run may call, and of those the first 10 whose required arguments are known. What the content
    /// of a result must be, and that it conforms to the `outputSchema`, is judged in every conversation; this scenario makes one.
    /// A tool that fails says so in its result, which a model can read; an internal error is one of the server.
    Server "tools-call-results": "The results of tools lead to resources",
    revisions: Revisions::all(),
    needs: [Need::Any(ItemKind::Tool)],
    shares_connection: Revisions::all(),
    checks: [
        CheckSpec::own(
            "links-usable",
            "LinksUsable",
            "A resource to which a result links can be read, unless it is on the web",
        )
        .requires(&["tools.content.resource-link-usable"])
        .within(Revisions::from(Revision::V2025_06_18))
        .conditional()
        .warns(),
        CheckSpec::own("embedded-refetchable", "EmbeddedRefetchable", "A resource that a result embeds can be read")
            .requires(&["tools.content.embedded-uri-refetchable"])
            .within(Revisions::between(Revision::V2024_11_05, Revision::V2025_03_26))
            .conditional()
            .warns(),
        CheckSpec::own(
            "failures-as-results",
            "FailuresAsResults",
            "A call with arguments that the schema allows is not answered with the internal error -32603, and a result that \
             reports `\"success\": false` has `isError`",
        )
        .requires(&["tools.call.execution-error-is-error"])
        .conditional()
        .warns(),
    ],
}

/// How many tools are called.
const MOST: usize = 10;
/// How many resources of their results are read.
const MOST_RESOURCES: usize = 10;
/// The longest text in which a failure is looked for, in bytes.
const LONGEST_REPORT: usize = 64 * 1024;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    note_if_unmade(ctx, &SCENARIO, "no result of a tool that the run may call names a resource");
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let tools = ctx.callable_tools().await?;
    let calls = tools.iter().filter_map(|tool| Some((tool, tool.arguments.as_ref()?)));
    let mut calling = Calls::default();
    let mut found: Vec<Link> = Vec::new();
    let mut failures: Vec<Result<(), Finding>> = Vec::new();
    for (tool, arguments) in calls.take(MOST) {
        if ctx.is_slow(tool).await {
            continue;
        }
        let name = &tool.name;
        let Some(reply) = calling.call(ctx, call_params(name, arguments)).await? else { break };
        // Whether a tool succeeds with these arguments, only its author knows.
        if let Ok(result) = reply.outcome() {
            let content = result.get("content").and_then(Value::as_array).unwrap_or_default();
            found.extend(links(content, &format!("the tool `{name}`"), &reply));
        }
        failures.push(fails_in_its_result(name, &reply));
    }
    if !failures.is_empty() {
        ctx.check("failures-as-results").judge(failures.into_iter().collect());
    }
    let is_checked = |id: &str, ctx: &Ctx| {
        SCENARIO.check(id).is_some_and(|check| check.revisions.contains(ctx.revision()))
    };
    for (id, embedded) in [("links-usable", false), ("embedded-refetchable", true)] {
        let all: Vec<&Link> = found.iter().filter(|link| link.is_embedded == embedded).collect();
        if all.is_empty() || !is_checked(id, ctx) {
            continue;
        }
        let mut outcomes = Vec::new();
        for link in all.iter().take(MOST_RESOURCES) {
            outcomes.push(link.read(ctx).await?);
        }
        let more = all.len().saturating_sub(MOST_RESOURCES);
        let details = json!({ "resources": outcomes.len(), "notRead": more });
        ctx.check(id).details(details).judge(outcomes.into_iter().collect());
    }
    Ok(())
}

/// Whether a tool that fails does so with a result that has `isError`, as far as can be seen.
fn fails_in_its_result(name: &str, reply: &Reply) -> Result<(), Finding> {
    let (how, got) = match reply.outcome() {
        Err(error) if error.code == error_code::INTERNAL_ERROR => {
            let got = format!("error {}: {}", error.code, excerpt(&error.message));
            ("fails with an internal error", got)
        }
        Ok(result) => match reported_failure(result) {
            Some(text) => ("reports a failure as a success", format!("the text {}", excerpt(text))),
            None => return Ok(()),
        },
        Err(_) => return Ok(()),
    };
    Err(Finding::peer(format!("the tool `{}` {how}", excerpt(name)))
        .expected("a result with `isError`")
        .got(got)
        .evidence_all(reply.evidence())
        .should())
}

/// The text of a result without `isError` that is a JSON object with `"success": false` and an `error`.
///
/// Either alone may be what the tool was asked for.
fn reported_failure(result: &Value) -> Option<&str> {
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let [only] = result.get("content")?.as_array()? else { return None };
    let text = only.get("text")?.as_str().filter(|text| text.len() <= LONGEST_REPORT)?;
    let object = Value::parse(text.as_bytes()).ok()?.value;
    let has_failed = object.get("success").and_then(Value::as_bool) == Some(false);
    (has_failed && object.get("error")?.as_str().is_some()).then_some(text)
}

proofs! {
    passes on everything();
    warns "failures-as-results" by reply_error("tools/call", -32603), also "links-usable" Info;
    warns "failures-as-results" on hiding_failures(), also "links-usable" Info, also "wire-tool-schemas" Failure;
    warns "links-usable" on linking_to_nothing(), also "wire-tool-schemas" Failure;
    warns "embedded-refetchable" on embedding_nothing_known();
}

/// Says in a text that it has failed.
fn hiding_failures() -> Server {
    returning(json!({ "type": "text", "text": r#"{"success":false,"error":"no connection"}"# }))
}

/// Links to a resource that it does not have.
fn linking_to_nothing() -> Server {
    returning(json!({ "type": "resource_link", "uri": "test://gone", "name": "gone" }))
}

/// Embeds a resource that it does not have.
fn embedding_nothing_known() -> Server {
    returning(json!({ "type": "resource", "resource": { "uri": "test://gone", "text": "a" } }))
}

/// Returns this content from every tool, all of which are annotated as read-only where there are annotations.
fn returning(item: serde_json::Value) -> Server {
    everything().on("tools/call", move |_: Call| {
        let result = json!({ "content": [item] });
        async move { result }
    })
}
