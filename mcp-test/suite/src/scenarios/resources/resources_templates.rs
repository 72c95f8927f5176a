//! `resources-templates`.

use std::collections::BTreeSet;

use mcp_test_core::spec::uri_template::UriTemplate;

use super::ReadBudget;
use super::template_values::{FoundValues, completed_expansions};
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;

scenario! {
    /// The URIs that the templates of resources expand to can be read, and have the MIME type of their template; with values that
    /// do not exist they are refused.
    ///
    /// The values are those that the server itself completes, since no others are known to exist. Where it completes none, values
    /// are tried that its lists, its resources and the results of its tools have under similar names; that such a URI is refused
    /// says nothing. A value without reserved characters is preferred, since servers differ in how they decode the others. At most
    /// 10 templates are expanded.
    ///
    /// Two values of our own are read, too, and answers with contents are compared with those of a URI that exists, which was
    /// completed or is listed. Where a server makes the contents from the value, all are alike but for the value. Where the two
    /// are alike and the existing one is not, the contents seem to say that nothing was found, which should be an error. That is
    /// a WARNING, since it may be what the template is for.
    Server "resources-templates": "Expanded templates can be read",
    revisions: Revisions::from(Revision::V2025_03_26),
    needs: [Need::Any(ItemKind::ResourceTemplate)],
    shares_connection: Revisions::all(),
    checks: [
        check!("expansions-readable",
            "A template whose variables are completed by the server expands to a URI that can be read",
            [RESOURCES_TEMPLATES_EXPANSION_READABLE]).conditional(),
        check!("template-mime-types",
            "What is read through a template has the MIME type of the template, if it has one",
            [RESOURCES_TEMPLATES_MIME_TYPE_UNIFORM]).conditional(),
        check!("unknown-values-refused",
            "A template with a value that does not exist is answered with a JSON-RPC error, not with contents that say so",
            [RESOURCES_READ_ERRORS_ARE_JSON_RPC, RESOURCES_READ_NOT_FOUND_32602]).conditional()
            .only_warns("a template may be meant to answer so"),
    ],
}

/// How many templates are expanded.
const MOST: usize = 10;
/// Values that hardly exist.
const UNKNOWN_VALUES: [&str; 2] = ["no-such-value-of-mcp-test", "another-value-of-mcp-test"];
/// What takes the place of a value.
const ELLIPSIS: &str = "…";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(ctx, &SCENARIO, "no expansions of its templates are known to exist");
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let templates = ctx.offered(ItemKind::ResourceTemplate).await?;
    let completes = ctx.declares(Capability::Completions).await?;
    let (mut readable, mut uniform, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    let mut budget = ReadBudget::default();
    let mut found = FoundValues::default();
    for template in templates.items.iter().take(MOST) {
        let Some(text) = template.get("uriTemplate").and_then(Value::as_str) else { continue };
        let parsed = UriTemplate::new(text);
        let variables = parsed.variables();
        let mut read = Vec::new();
        let mut existing = None;
        let completed = match completes {
            true => completed_expansions(ctx, text, &parsed).await?,
            false => Vec::new(),
        };
        let is_completed = !completed.is_empty();
        let expansions = match is_completed {
            true => completed,
            false => found.expansions(ctx, &parsed, &mut budget).await?,
        };
        for uri in expansions {
            if !budget.admits(template) {
                break;
            }
            let reply = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
            budget.spend(&reply);
            // Nobody has said that a value which was found elsewhere exists here.
            if is_completed {
                read.push(is_read(text, &uri, &reply));
            }
            uniform.extend(has_mime_type(template, text, &reply));
            existing = existing.or_else(|| Contents::of(&reply, &[]));
        }
        if existing.is_none() {
            existing = listed(ctx, &parsed, &mut budget).await?;
        }
        if let Some(existing) = existing.filter(|_| budget.admits(template)) {
            refused.push(unknown_values_refused(ctx, text, &parsed, &existing).await?);
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
    let checks = [
        ("expansions-readable", readable),
        ("template-mime-types", uniform),
        ("unknown-values-refused", refused),
    ];
    for (id, outcomes) in checks {
        if !outcomes.is_empty() {
            let details = json!({ "read": outcomes.len(), "templates": listed });
            ctx.check(id).details(details).judge(outcomes.into_iter().collect());
        }
    }
    Ok(())
}

/// The contents of a resource, for comparison.
#[derive(PartialEq)]
enum Contents {
    Text(String),
    /// An object in JSON: the names of its members.
    Object(BTreeSet<String>),
    Other,
}

impl Contents {
    /// The contents of a reply, with an ellipsis in place of `values`; `None` if it has none.
    fn of(reply: &Reply, values: &[&str]) -> Option<Self> {
        let contents = reply.outcome().ok()?.get("contents")?.as_array()?;
        let [only] = contents else { return (!contents.is_empty()).then_some(Self::Other) };
        let Some(text) = only.get("text").and_then(Value::as_str) else { return Some(Self::Other) };
        Some(match Value::parse(text.as_bytes()).ok().map(|document| document.value) {
            Some(Value::Object(object)) => {
                Self::Object(object.iter().map(|(name, _)| name.to_owned()).collect())
            }
            // A list may be empty because nothing was found.
            Some(Value::Array(_)) => Self::Other,
            _ if text.trim().is_empty() => Self::Other,
            _ => Self::Text(
                values.iter().fold(text.to_owned(), |text, value| text.replace(value, ELLIPSIS)),
            ),
        })
    }

    /// Whether these may be made in the same way as others, which have ellipses in place of what differs.
    fn is_like(&self, pattern: &Self) -> bool {
        match (self, pattern) {
            (Self::Text(text), Self::Text(pattern)) => has_pieces(text, pattern),
            (Self::Object(_), Self::Object(_)) => self == pattern,
            (Self::Other, _) | (_, Self::Other) => true,
            _ => false,
        }
    }
}

/// Whether a text has the pieces between the ellipses of a pattern, in their order, and begins and ends like it.
fn has_pieces(text: &str, pattern: &str) -> bool {
    let Some((head, last)) = pattern.rsplit_once(ELLIPSIS) else { return text == pattern };
    let mut pieces = head.split(ELLIPSIS);
    let first = pieces.next().unwrap_or_default();
    let rest = text.strip_prefix(first);
    let rest = pieces.try_fold(rest, |rest, piece| Some(rest?.split_once(piece).map(|it| it.1)));
    rest.flatten().is_some_and(|rest| rest.ends_with(last))
}

/// The contents of a listed resource that the template may stand for; `None` if there is none that can be read.
async fn listed(
    ctx: &mut Ctx,
    template: &UriTemplate<'_>,
    budget: &mut ReadBudget,
) -> Result<Option<Contents>, Finding> {
    if !ctx.declares(Capability::Resources).await? {
        return Ok(None);
    }
    let resources = ctx.offered(ItemKind::Resource).await?;
    let is_of_template = |resource: &&Value| {
        resource.get("uri").and_then(Value::as_str).is_some_and(|uri| template.may_match(uri))
    };
    let found = resources.items.iter().filter(is_of_template).find(|it| budget.admits(it));
    let Some(uri) = found.and_then(|it| it.get("uri")?.as_str()) else { return Ok(None) };
    let reply = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
    budget.spend(&reply);
    Ok(Contents::of(&reply, &[]))
}

/// Whether values that do not exist are refused, or the server makes the contents of `existing` from any value.
async fn unknown_values_refused(
    ctx: &mut Ctx,
    text: &str,
    template: &UriTemplate<'_>,
    existing: &Contents,
) -> Result<Result<(), Finding>, Finding> {
    let mut replies = Vec::new();
    for value in UNKNOWN_VALUES {
        let uri = template.expand(|_| Some(value));
        let reply = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
        let Some(contents) = Contents::of(&reply, &[&uri, value]) else {
            return Ok(Ok(()));
        };
        replies.push((contents, reply));
    }
    let [(one, reply), (other, _)] = &replies[..] else { return Ok(Ok(())) };
    if one != other || existing.is_like(one) {
        return Ok(Ok(()));
    }
    let row = Requirement::first_at(
        ctx.revision(),
        &[
            Requirement::RESOURCES_READ_NOT_FOUND_32602,
            Requirement::RESOURCES_READ_ERRORS_ARE_JSON_RPC,
        ],
    );
    let headline =
        format!("values of the template `{text}` that do not exist are answered with contents");
    let got = reply.outcome().map_or_else(ToString::to_string, |result| result.short(200));
    Ok(Err(Finding::peer(headline)
        .expected("a JSON-RPC error")
        .got(format!("{got}, and the same for another value, but not for one that exists"))
        .evidence_all(reply.evidence())
        .requires(row)
        .should()))
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
        .in_any_state()
        .should()))
}

/// The MIME type without its parameters.
fn essence(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

proofs! {
    passes on everything();
    warns "expansions-readable" on reading_nothing();
    warns "template-mime-types" on reading_pictures();
    warns "unknown-values-refused" on saying_not_found();
    warns "unknown-values-refused" on reading_an_error();
    // What exists is known from the result of a tool only.
    warns "unknown-values-refused" on having("test://notes/{note_id}/data", json!([]), &tool("list_notes", true));
    warns "unknown-values-refused" on having_an_index();
    // What exists is known from a list only.
    warns "unknown-values-refused" on having("test://tools/{tool_name}/data", json!([]), &tool("seven", false));
}

/// Answers reads of a template with what this function returns for its value.
fn reading(text: fn(&str) -> String) -> Server {
    everything().on("resources/read", move |call: Call| async move {
        let uri = call.param("uri").and_then(Value::as_str).unwrap_or_default().to_owned();
        let value = uri.rsplit('/').nth(1).unwrap_or_default();
        let contents = json!([{ "uri": uri, "text": text(value) }]);
        json!({ "contents": contents, "ttlMs": 0, "cacheScope": "public" })
    })
}

fn is_unknown(value: &str) -> bool {
    UNKNOWN_VALUES.contains(&value)
}

fn saying_not_found() -> Server {
    reading(|value| match is_unknown(value) {
        true => format!("Resource {value} not found"),
        false => format!("The data of {value}"),
    })
}

fn reading_an_error() -> Server {
    reading(|value| match is_unknown(value) {
        true => json!({ "error": format!("no {value}") }).to_string(),
        false => json!({ "id": value, "templateTest": true }).to_string(),
    })
}

/// A server that completes nothing and lists this template; one of its values exists, and is named by nothing but what it lists.
fn having(
    template: &'static str,
    resources: serde_json::Value,
    tool: &serde_json::Value,
) -> Server {
    let answering = |key: &'static str, items: serde_json::Value| {
        let list = json!({ key: items, "ttlMs": 0, "cacheScope": "public" });
        move |_: Call| {
            let list = list.clone();
            async move { list }
        }
    };
    reading(|value| match value {
        // Of the index, which does not match the template.
        "" => NOTES.to_owned(),
        "7" | "seven" => "The data of 7".to_owned(),
        _ => "Not found".to_owned(),
    })
    .on(
        "resources/templates/list",
        answering("resourceTemplates", json!([{ "uriTemplate": template, "name": "a" }])),
    )
    .on("resources/list", answering("resources", resources))
    .on("tools/list", answering("tools", json!([tool])))
    .on("tools/call", |_: Call| async { json!({ "content": [{ "type": "text", "text": NOTES }] }) })
}

const NOTES: &str = r#"{"notes":[{"id":7}]}"#;

fn tool(name: &str, is_harmless: bool) -> serde_json::Value {
    json!({
        "name": name,
        "description": "Lists.",
        "inputSchema": { "type": "object" },
        "annotations": { "readOnlyHint": is_harmless },
    })
}

/// What exists is known from a resource only.
fn having_an_index() -> Server {
    let index = json!([{ "uri": "test://index", "name": "index" }]);
    having("test://notes/{note_id}/data", index, &tool("list_notes", false))
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
    fn a_text_that_is_made_from_the_value_is_like_the_others() {
        let is_like = |text: &str, pattern: &str| {
            Contents::Text(text.to_owned()).is_like(&Contents::Text(pattern.to_owned()))
        };
        assert!(is_like("Hello, world!", "Hello, …!"));
        assert!(is_like("a of b, and again a", "… of …, and again …"));
        assert!(is_like("anything", "…"));
        assert!(is_like("the same", "the same"));
        assert!(!is_like("The data of paris", "Resource … not found"));
        assert!(!is_like("Hello, world", "Hello, …!"));
        assert!(!is_like("the same, and more", "the same"));
    }
}
