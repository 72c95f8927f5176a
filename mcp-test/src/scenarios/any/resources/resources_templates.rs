//! `resources-templates`.

use serde_json::json;

use crate::check::Finding;
use crate::client::Reply;
use crate::json::Value;
use crate::scenario::{CheckSpec, Ctx, Need};
use crate::scenarios::any::note_if_unmade;
use crate::server::reference::everything;
use crate::server::{Answer, Call, Server};
use crate::spec::{Capability, ItemKind, Revision, Revisions, error_code};
use crate::{proofs, scenario};

scenario! {
    /// The URIs that the templates of resources expand to can be read, and have the MIME type of their template.
    ///
    /// The values are those that the server itself completes, since no others are known to exist. Only templates with variables
    /// alone, like `{id}`, are expanded, and of those at most 10.
    Server "resources-templates": "Expanded templates can be read",
    revisions: Revisions::from(Revision::V2025_03_26),
    needs: [Need::Any(ItemKind::ResourceTemplate), Need::Capability(Capability::Completions)],
    shares_connection: true,
    checks: [
        CheckSpec::own(
            "expansions-readable",
            "ExpansionsReadable",
            "A template whose only variable is completed by the server expands to a URI that can be read",
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
    for template in templates.items.iter().take(MOST) {
        let Some(text) = template.get("uriTemplate").and_then(Value::as_str) else { continue };
        let Some(variables) = variables(text) else { continue };
        for uri in expansions(ctx, text, &variables).await? {
            let reply = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
            // The completed values of several variables need not belong together.
            if variables.len() == 1 {
                readable.push(is_read(text, &uri, &reply));
            }
            uniform.extend(has_mime_type(template, text, &reply));
        }
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

/// The names of the variables, if the template has nothing but plain ones.
fn variables(template: &str) -> Option<Vec<&str>> {
    let expressions = template.split('{').skip(1).map(|rest| rest.split_once('}').map(|it| it.0));
    let names: Vec<&str> = expressions.collect::<Option<_>>()?;
    let is_plain = |name: &&str| name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    (!names.is_empty() && names.iter().all(is_plain)).then_some(names)
}

/// URIs with values that the server completes; none if it completes nothing for one of the variables.
async fn expansions(
    ctx: &mut Ctx,
    template: &str,
    variables: &[&str],
) -> Result<Vec<String>, Finding> {
    let mut uris = vec![template.to_owned()];
    let mut chosen = serde_json::Map::new();
    for name in variables {
        let values = completed(ctx, template, name, &chosen).await?;
        let Some(first) = values.first() else { return Ok(Vec::new()) };
        chosen.insert((*name).to_owned(), json!(first));
        let expand = |value: &String| uris[0].replace(&format!("{{{name}}}"), &encoded(value));
        uris = values.iter().map(expand).collect();
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
        let values: Vec<String> = values.take(VALUES).map(str::to_owned).collect();
        if !values.is_empty() {
            return Ok(values);
        }
    }
    Ok(Vec::new())
}

/// The value as in a URI: RFC 6570, section 3.2.2.
fn encoded(value: &str) -> String {
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    value.bytes().map(encode).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_variables_are_expanded() {
        assert_eq!(variables("a://{b}/{c}"), Some(vec!["b", "c"]));
        for template in ["a://b", "a://{+b}", "a://{b", "a://{?b,c}"] {
            assert_eq!(variables(template), None, "{template}");
        }
        assert_eq!(encoded("a b/ä"), "a%20b%2F%C3%A4");
    }
}
