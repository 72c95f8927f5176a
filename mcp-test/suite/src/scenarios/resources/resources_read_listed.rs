//! `resources-read-listed`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_test_core::check::Severity;
use mcp_test_core::client::reply::listed_items;

use super::ReadBudget;
use crate::scenarios::prelude::*;

scenario! {
    /// The listed resources are read, and text is only what really is text.
    ///
    /// Read are at most 10 resources, none that is listed with more than a million bytes, and no more once that much was read. What
    /// the contents must be is judged in every conversation; this scenario makes one. What is not listed any more when it is unknown
    /// shows nothing. Any other error is a WARNING, since what the server reads from may be out of reach.
    Server "resources-read-listed": "Listed resources are read",
    revisions: Revisions::all(),
    needs: [Need::Capability(Capability::Resources)],
    shares_connection: Revisions::all(),
    checks: [
        check!("templates-listed",
            "`resources/templates/list` returns an array of templates, unless the server does not have that method",
            [RESOURCES_TEMPLATES_LIST_RESPOND]).conditional(),
        check!("listed-readable", "No listed resource is unknown when it is read, and none fails",
            [RESOURCES_READ_LISTED_READABLE]).conditional()
            .fails_or_warns("what the server reads from may be out of reach"),
        check!("text-is-text", "The text of a resource is text, not binary data",
            [RESOURCES_CONTENTS_TEXT_ONLY_IF_TEXTUAL]).conditional(),
        check!("sizes-true",
            "The `size` of a listed resource is the number of its bytes, before they are encoded as base64",
            [RESOURCES_DEFINITION_SIZE_RAW_BYTES]).conditional()
            .fails_or_warns("only the size of the base64 text is certainly the wrong one"),
    ],
}

/// How many resources are read.
const MOST: usize = 10;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    templates(ctx).await?;
    let resources = ctx.offered(ItemKind::Resource).await?;
    let mut budget = ReadBudget::default();
    let (mut readable, mut outcomes, mut sized) = (Vec::new(), Vec::new(), Vec::new());
    let mut read = 0;
    for resource in resources.items.iter() {
        let Some(uri) = resource.get("uri").and_then(Value::as_str) else { continue };
        if read == MOST || !budget.admits(resource) {
            continue;
        }
        read += 1;
        // As the server lists it, whatever its form.
        let reply = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
        budget.spend(&reply);
        let result = match reply.outcome() {
            Ok(result) => result,
            Err(error) => {
                readable.push(error_of_reading(uri, &reply, error));
                continue;
            }
        };
        readable.push(Ok(()));
        let contents = result.get("contents").and_then(Value::as_array).unwrap_or_default();
        let broken = contents.iter().find(|contents| is_binary_as_text(contents)).map(|contents| {
            Finding::peer(format!("the text of the resource {uri:?} is binary data"))
                .expected("binary data in `blob`, as base64")
                .got(contents.short(120))
                .evidence_all(reply.evidence())
        });
        outcomes.push(broken.map_or(Ok(()), Err));
        if let Some(outcome) = size_is_true(resource, uri, &reply) {
            sized.push((uri.to_owned(), outcome));
        }
    }
    if readable.iter().any(Result::is_err) {
        readable = still_unknown(ctx, readable).await?;
    }
    let readable: Vec<_> =
        readable.into_iter().map(|it| it.map_err(|(_, finding)| finding)).collect();
    if !readable.is_empty() {
        let details = json!({ "read": readable.len(), "listed": resources.items.len() });
        ctx.check("listed-readable").details(details).judge(readable.into_iter().collect());
    }
    if !outcomes.is_empty() {
        let details = json!({ "read": outcomes.len(), "listed": resources.items.len() });
        ctx.check("text-is-text").details(details).judge(outcomes.into_iter().collect());
    }
    if !sized.is_empty() {
        let outcomes = still_another_size(ctx, sized).await?;
        let details = json!({ "compared": outcomes.len() });
        ctx.check("sizes-true").details(details).judge(outcomes.into_iter().collect());
    }
    Ok(())
}

/// The URI of a resource that is not read, and the finding about it.
type Unread = (String, Finding);

/// The outcomes without those of resources that are not listed any more, or that can be read now.
async fn still_unknown(
    ctx: &mut Ctx,
    outcomes: Vec<Result<(), Unread>>,
) -> Result<Vec<Result<(), Unread>>, Finding> {
    let listed = ctx.listed_now(ItemKind::Resource).await?.unwrap_or_default();
    let mut still = Vec::new();
    for outcome in outcomes {
        if let Err((uri, finding)) = &outcome
            && finding.severity == Severity::Must
        {
            let is_it = |it: &Value| it.get("uri").and_then(Value::as_str) == Some(uri);
            if !listed.iter().any(is_it) {
                continue;
            }
            let again = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
            let Err(error) = again.outcome() else { continue };
            still.push(error_of_reading(uri, &again, error));
        } else {
            still.push(outcome);
        }
    }
    Ok(still)
}

/// What an error in place of a listed resource shows: that it is unknown, or that the server fails to read it.
fn error_of_reading(uri: &str, reply: &Reply, error: &RpcError) -> Result<(), Unread> {
    let unknown = [
        error_code::METHOD_NOT_FOUND,
        error_code::INVALID_PARAMS,
        error_code::resource_not_found(reply.revision()),
    ];
    let finding = match unknown.contains(&error.code) {
        true => Finding::peer(format!("the listed resource {uri:?} is unknown")),
        false => Finding::peer(format!("the listed resource {uri:?} cannot be read")).should(),
    };
    let finding = finding.expected("its contents").got(error.to_string());
    Err((uri.to_owned(), finding.evidence_all(reply.evidence())))
}

/// Whether what was read has the size that is listed; `None` if it has none, or if there is more than one part.
///
/// The length in base64 is a mistake about the unit. Any other length may be that of a text in another encoding, or of what has
/// changed since.
fn size_is_true(resource: &Value, uri: &str, reply: &Reply) -> Option<Result<(), Finding>> {
    let listed = usize::try_from(resource.get("size")?.as_i64()?).ok()?;
    let [contents] = reply.outcome().ok()?.get("contents")?.as_array()? else { return None };
    let member = |name: &str| contents.get(name).and_then(Value::as_str);
    let (encoded, actual) = match (member("text"), member("blob")) {
        (Some(text), None) => (None, text.len()),
        (None, Some(blob)) => (Some(blob.len()), STANDARD.decode(blob).ok()?.len()),
        _ => return None,
    };
    if listed == actual {
        return Some(Ok(()));
    }
    let finding = Finding::peer(format!("the `size` of the resource {uri:?} is wrong"))
        .expected(format!("{actual}, the number of bytes that were read"))
        .got(listed.to_string())
        .evidence_all(reply.evidence());
    Some(Err(match encoded == Some(listed) {
        true => finding.hint("that is the length in base64"),
        false => finding.should(),
    }))
}

/// The outcomes without those of resources whose list or contents have changed.
async fn still_another_size(
    ctx: &mut Ctx,
    outcomes: Vec<(String, Result<(), Finding>)>,
) -> Result<Vec<Result<(), Finding>>, Finding> {
    let mut listed = None;
    let mut still = Vec::new();
    for (uri, outcome) in outcomes {
        if outcome.is_ok() {
            still.push(outcome);
            continue;
        }
        if listed.is_none() {
            listed = ctx.listed_now(ItemKind::Resource).await?;
        }
        let is_it = |it: &&Value| it.get("uri").and_then(Value::as_str) == Some(&uri);
        let Some(resource) = listed.as_ref().and_then(|all| all.iter().find(is_it)).cloned() else {
            continue;
        };
        let again = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
        still.extend(size_is_true(&resource, &uri, &again));
    }
    Ok(still)
}

async fn templates(ctx: &mut Ctx) -> Result<(), Finding> {
    let kind = ItemKind::ResourceTemplate;
    let page = ctx.request(kind.method(), json!({})).await?;
    if page.error().is_some_and(|error| error.code == error_code::METHOD_NOT_FOUND) {
        ctx.check("templates-listed").info("the server does not have the method");
    } else {
        ctx.check("templates-listed").judge(listed_items(kind, &[page]).map(|_| ()));
    }
    Ok(())
}

/// Whether the contents are text by their form, and neither by their MIME type nor by their characters.
///
/// A null character or a replacement character alone may be in a text, and a wrong MIME type alone says nothing of the text.
fn is_binary_as_text(contents: &Value) -> bool {
    let mime = contents.get("mimeType").and_then(Value::as_str).unwrap_or_default();
    let is_binary_type =
        ["image/", "audio/", "video/", "application/octet-stream", "application/pdf"]
            .iter()
            .any(|start| mime.starts_with(start) && !mime.ends_with("+xml"));
    let text = contents.get("text").and_then(Value::as_str).unwrap_or_default();
    is_binary_type && text.contains(['\0', char::REPLACEMENT_CHARACTER])
}

proofs! {
    passes on everything();
    catches "templates-listed" by reply_error("resources/templates/list", -32603);
    catches "listed-readable" on knowing_no_resource();
    warns "listed-readable" by reply_error("resources/read", -32603);
    catches "text-is-text" on reading_an_image_as_text();
    catches "sizes-true" on stating_the_length_in_base64();
    warns "sizes-true" by set("resources/list", "/resources/0/size", json!(7));
}

/// Decodes a PNG file as UTF-8.
fn reading_an_image_as_text() -> Server {
    everything().on("resources/read", |call: Call| async move {
        let text = "\u{FFFD}PNG\r\n\u{1a}\n\0\0\0\rIHDR";
        let contents = json!([{ "uri": call.param("uri").and_then(Value::as_str), "mimeType": "image/png", "text": text }]);
        json!({ "contents": contents, "ttlMs": 0, "cacheScope": "public" })
    })
}

/// Lists the length of what it sends instead of that of the file.
fn stating_the_length_in_base64() -> Server {
    let uri = "demo://resource/dynamic/blob/1";
    everything().on("resources/list", move |_: Call| async move {
        let blob = STANDARD.encode("Resource 1: always the same");
        let resource = json!({ "uri": uri, "name": "a", "size": blob.len() });
        json!({ "resources": [resource], "ttlMs": 0, "cacheScope": "public" })
    })
}

/// Lists resources, and knows none of them.
fn knowing_no_resource() -> Server {
    everything().on("resources/read", |call: Call| async move {
        Answer::error(error_code::resource_not_found(call.revision()), "not found")
    })
}
