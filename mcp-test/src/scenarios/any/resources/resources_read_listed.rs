//! `resources-read-listed`.

use serde_json::json;

use crate::check::Finding;
use crate::client::Reply;
use crate::client::reply::listed_items;
use crate::json::Value;
use crate::scenario::{CheckSpec, Ctx, Need};
use crate::server::reference::everything;
use crate::server::{Answer, Call, Server};
use crate::spec::{Capability, ItemKind, Revisions, error_code};
use crate::wire::RpcError;
use crate::{proofs, scenario};

scenario! {
    /// The listed resources are read, and text is only what really is text.
    ///
    /// Read are at most 10 resources, none that is listed with more than a million bytes, and no more once that much was read. What
    /// the contents must be is judged in every conversation; this scenario makes one.
    Server "resources-read-listed": "Listed resources are read",
    revisions: Revisions::all(),
    needs: [Need::Capability(Capability::Resources)],
    shares_connection: true,
    checks: [
        CheckSpec::own(
            "templates-listed",
            "TemplatesListed",
            "`resources/templates/list` returns an array of templates, unless the server does not have that method",
        )
        .requires(&["resources.templates.list.respond"])
        .conditional(),
        CheckSpec::own("listed-readable", "ListedReadable", "No listed resource is unknown when it is read")
            .requires(&["resources.read.listed-readable"])
            .conditional(),
        CheckSpec::own("text-is-text", "TextIsText", "The text of a resource is text, not binary data")
            .requires(&["resources.contents.text-only-if-textual"])
            .conditional(),
    ],
}

/// How many resources are read.
const MOST: usize = 10;
/// After how many bytes no further resource is read.
const MOST_BYTES: usize = 1_000_000;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    templates(ctx).await?;
    let resources = ctx.offered(ItemKind::Resource).await?;
    let is_small = |resource: &&Value| {
        let size = resource.get("size").and_then(Value::as_f64);
        #[expect(clippy::cast_precision_loss, reason = "a million is exact")]
        size.is_none_or(|size| size <= MOST_BYTES as f64)
    };
    let (mut bytes, mut readable, mut outcomes) = (0, Vec::new(), Vec::new());
    for resource in resources.items.iter().filter(is_small).take(MOST) {
        let Some(uri) = resource.get("uri").and_then(Value::as_str) else { continue };
        if bytes > MOST_BYTES {
            break;
        }
        // As the server lists it, whatever its form.
        let reply = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
        let result = match reply.outcome() {
            Ok(result) => result,
            Err(error) => {
                readable.push(is_known(uri, &reply, error));
                continue;
            }
        };
        readable.push(Ok(()));
        bytes += result.to_string().len();
        let contents = result.get("contents").and_then(Value::as_array).unwrap_or_default();
        let broken = contents.iter().find(|contents| is_binary_as_text(contents)).map(|contents| {
            Finding::peer(format!("the text of the resource {uri:?} is binary data"))
                .expected("binary data in `blob`, as base64")
                .got(contents.short(120))
                .evidence_all(reply.evidence())
        });
        outcomes.push(broken.map_or(Ok(()), Err));
    }
    if !readable.is_empty() {
        let details = json!({ "read": readable.len(), "listed": resources.items.len() });
        ctx.check("listed-readable").details(details).judge(readable.into_iter().collect());
    }
    if !outcomes.is_empty() {
        let details =
            json!({ "read": outcomes.len(), "listed": resources.items.len(), "bytes": bytes });
        ctx.check("text-is-text").details(details).judge(outcomes.into_iter().collect());
    }
    Ok(())
}

/// Whether the error is a failure to read the resource, such as one of a database, rather than that it is unknown.
fn is_known(uri: &str, reply: &Reply, error: &RpcError) -> Result<(), Finding> {
    let unknown = [
        error_code::METHOD_NOT_FOUND,
        error_code::INVALID_PARAMS,
        error_code::resource_not_found(reply.revision()),
    ];
    if !unknown.contains(&error.code) {
        return Ok(());
    }
    Err(Finding::peer(format!("the listed resource {uri:?} is unknown"))
        .expected("its contents")
        .got(error.to_string())
        .evidence_all(reply.evidence()))
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
    catches "listed-readable" on knowing_no_resource(), also "text-is-text" Info;
    catches "text-is-text" on reading_an_image_as_text();
}

/// Decodes a PNG file as UTF-8.
fn reading_an_image_as_text() -> Server {
    everything().on("resources/read", |call: Call| async move {
        let text = "\u{FFFD}PNG\r\n\u{1a}\n\0\0\0\rIHDR";
        let contents = json!([{ "uri": call.param("uri").and_then(Value::as_str), "mimeType": "image/png", "text": text }]);
        json!({ "contents": contents, "ttlMs": 0, "cacheScope": "public" })
    })
}

/// Lists resources, and knows none of them.
fn knowing_no_resource() -> Server {
    everything().on("resources/read", |call: Call| async move {
        Answer::error(error_code::resource_not_found(call.revision()), "not found")
    })
}
