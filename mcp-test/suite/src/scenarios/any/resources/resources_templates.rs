//! `resources-templates`.

use mcp_test_core::check::Finding;
use mcp_test_core::client::Reply;
use mcp_test_core::json::Value;
use mcp_test_core::scenario::{CheckSpec, Ctx, Need};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Answer, Call, Server};
use mcp_test_core::spec::uri_template::{UriTemplate, is_plain};
use mcp_test_core::spec::{Capability, ItemKind, Revision, Revisions, error_code};
use mcp_test_core::{proofs, scenario};
use serde_json::json;

use super::ReadBudget;
use crate::scenarios::any::note_if_unmade;

scenario! {
    /// The URIs that the templates of resources expand to can be read, and have the MIME type of their template.
    ///
    /// The values are those that the server itself completes, since no others are known to exist. A value without reserved
    /// characters is preferred, since servers differ in how they decode the others. At most 10 templates are expanded.
    Server "resources-templates": "Expanded templates can be read",
    revisions: Revisions::from(Revision::V2025_03_26),
    needs: [Need::Any(ItemKind::ResourceTemplate), Need::Capability(Capability::Completions)],
    shares_connection: Revisions::all(),
    checks: [
        CheckSpec::own(
            "expansions-readable",
            "ExpansionsReadable",
            "A template whose variables are completed by the server expands to a URI that can be read",
        )
        .requires(&["resources.templates.expansion-readable"])
        .conditional()
        .warns(),
        CheckSpec::own(
            "template-mime-types",
            "TemplateMimeTypes",
            "What is read through a template has the MIME type of the template, if it has one",
        )
        .requires(&["resources.templates.mime-type-uniform"])
        .conditional()
        .warns(),
    ],
}

/// How many templates are expanded.
const MOST: usize = 10;
/// How many values of the last variable are tried.
const VALUES: usize = 3;
/// Beginnings for which most servers complete something.
const BEGINNINGS: [&str; 3] = ["", "1", "a"];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    note_if_unmade(ctx, &SCENARIO, "the server completes no values of its templates");
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let templates = ctx.offered(ItemKind::ResourceTemplate).await?;
    let (mut readable, mut uniform) = (Vec::new(), Vec::new());
    let mut budget = ReadBudget::default();
    for template in templates.items.iter().take(MOST) {
        let Some(text) = template.get("uriTemplate").and_then(Value::as_str) else { continue };
        let parsed = UriTemplate::new(text);
        let variables = parsed.variables();
        let mut read = Vec::new();
        for uri in expansions(ctx, text, &parsed, &variables).await? {
            if !budget.admits(template) {
                break;
            }
            let reply = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
            budget.spend(&reply);
            read.push(is_read(text, &uri, &reply));
            uniform.extend(has_mime_type(template, text, &reply));
        }
        // The completed values of several variables need not belong together, so that one of the URIs has to exist.
        if read.is_empty() {
            continue;
        }
        let outcome = match variables.len() {
            1 => read.into_iter().collect(),
            _ if read.iter().any(Result::is_ok) => Ok(()),
            _ => read.into_iter().next().unwrap_or(Ok(())),
        };
        readable.push(outcome);
    }
    let listed = templates.items.len();
    for (id, outcomes) in [("expansions-readable", readable), ("template-mime-types", uniform)] {
        if !outcomes.is_empty() {
            let details = json!({ "read": outcomes.len(), "templates": listed });
            ctx.check(id).details(details).judge(outcomes.into_iter().collect());
        }
    }
    Ok(())
}

/// URIs with values that the server completes; none if it completes nothing for one of the variables.
async fn expansions(
    ctx: &mut Ctx,
    text: &str,
    template: &UriTemplate<'_>,
    variables: &[&str],
) -> Result<Vec<String>, Finding> {
    let mut uris = Vec::new();
    let mut chosen = serde_json::Map::new();
    for (number, name) in variables.iter().enumerate() {
        let values = completed(ctx, text, name, &chosen).await?;
        let Some(first) = values.first() else { return Ok(Vec::new()) };
        // Of the last variable several values are tried.
        if number + 1 == variables.len() {
            let expand = |last: &String| {
                template.expand(|it| match it == *name {
                    true => Some(last),
                    false => chosen.get(it).and_then(serde_json::Value::as_str),
                })
            };
            uris = values.iter().map(expand).collect();
        }
        chosen.insert((*name).to_owned(), json!(first));
    }
    Ok(uris)
}

async fn completed(
    ctx: &mut Ctx,
    template: &str,
    name: &str,
    chosen: &serde_json::Map<String, serde_json::Value>,
) -> Result<Vec<String>, Finding> {
    for beginning in BEGINNINGS {
        let mut params = json!({
            "ref": { "type": "ref/resource", "uri": template },
            "argument": { "name": name, "value": beginning },
        });
        if ctx.revision() >= Revision::V2025_06_18 && !chosen.is_empty() {
            params["context"] = json!({ "arguments": chosen });
        }
        let reply = ctx.request("completion/complete", params).await?;
        let completion = reply.outcome().ok().and_then(|result| result.get("completion"));
        let values = completion.and_then(|it| it.get("values")?.as_array()).unwrap_or_default();
        let values = values.iter().filter_map(Value::as_str).filter(|value| !value.is_empty());
        let mut values: Vec<String> = values.map(str::to_owned).collect();
        values.sort_by_key(|value| !is_plain(value));
        values.truncate(VALUES);
        if !values.is_empty() {
            return Ok(values);
        }
    }
    Ok(Vec::new())
}

fn is_read(template: &str, uri: &str, reply: &Reply) -> Result<(), Finding> {
    let Err(error) = reply.outcome() else { return Ok(()) };
    Err(Finding::peer(format!("an expansion of the template `{template}` cannot be read"))
        .expected(format!("the contents of {uri:?}, whose value the server has completed"))
        .got(error.to_string())
        .evidence_all(reply.evidence())
        .should())
}

/// Whether the contents have the MIME type of the template; `None` if there are no two types to compare.
fn has_mime_type(template: &Value, text: &str, reply: &Reply) -> Option<Result<(), Finding>> {
    let expected = template.get("mimeType")?.as_str()?;
    let contents = reply.outcome().ok()?.get("contents")?.as_array()?;
    let mut types = contents.iter().filter_map(|it| it.get("mimeType")?.as_str()).peekable();
    types.peek()?;
    let Some(other) = types.find(|it| essence(it) != essence(expected)) else {
        return Some(Ok(()));
    };
    let finding =
        Finding::peer(format!("the template `{text}` states another MIME type than its resource"));
    Some(Err(finding
        .expected(format!("{expected:?}, or no `mimeType` in the template"))
        .got(format!("{other:?}"))
        .evidence_all(reply.evidence())
        .should()))
}

/// The MIME type without its parameters.
fn essence(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

proofs! {
    passes on everything();
    warns "expansions-readable" on reading_nothing(), also "template-mime-types" Info;
    warns "template-mime-types" on reading_pictures();
}

fn reading_nothing() -> Server {
    everything().on("resources/read", |call: Call| async move {
        Answer::error(error_code::resource_not_found(call.revision()), "not found")
    })
}

/// Returns a picture for any URI.
fn reading_pictures() -> Server {
    everything().on("resources/read", |call: Call| async move {
        let contents = json!([{ "uri": call.param("uri").and_then(Value::as_str), "mimeType": "image/png", "blob": "AAAA" }]);
        json!({ "contents": contents, "ttlMs": 0, "cacheScope": "public" })
    })
}
