//! `resources-read-unknown`.

use serde_json::json;

use super::is_template_for;
use crate::check::Finding;
use crate::client::Reply;
use crate::expect::equals;
use crate::json::Value;
use crate::scenario::{CheckSpec, Ctx, Need};
use crate::scenarios::everything_but;
use crate::scenarios::refusal::{has_code, is_error};
use crate::server::reference::everything;
use crate::server::{Answer, Server, given, method, param};
use crate::spec::{Capability, ItemKind, Revision, Revisions, error_code};
use crate::{proofs, scenario};

scenario! {
    /// Reading a resource that does not exist is refused, with the code of the revision.
    ///
    /// The code is -32002 up to 2025-11-25, and -32602 from 2026-07-28 on. Read are a URI with a scheme that no server has, and one
    /// like that of a listed resource; a success is accepted where a template of the server may match.
    Server "resources-read-unknown": "Reading an unknown resource is refused",
    revisions: Revisions::all(),
    needs: [Need::Capability(Capability::Resources)],
    shares_connection: true,
    checks: [
        CheckSpec::own(
            "unknown-resource-error",
            "UnknownResourceError",
            "A resource that does not exist is answered with a JSON-RPC error, not with contents",
        )
        .requires(&[
            "resources.read.errors-are-json-rpc",
            "resources.read.not-found-32602",
            "resources.read.no-empty-contents",
        ])
        .also_warns(),
        CheckSpec::own(
            "unknown-resource-code",
            "UnknownResourceCode",
            "The error for a resource that does not exist has the code of the revision",
        )
        .requires(&["resources.read.not-found-32002", "resources.read.not-found-32602"])
        .conditional()
        .also_warns(),
    ],
}

/// A URI that no server has by accident.
const UNKNOWN: &str = "mcp-test://no-such-resource";
/// What makes the URI of a listed resource one that does not exist.
const SUFFIX: &str = "-no-such-resource-of-mcp-test";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.request("resources/read", json!({ "uri": UNKNOWN })).await?;
    // What a template matches may exist.
    let (mut errors, mut codes) = (Vec::new(), Vec::new());
    if !is_template_for(ctx, UNKNOWN).await? {
        errors.push(refused(&reply));
        codes.push(has_the_code(&reply));
    }
    if let Some(uri) = similar_to_a_listed_one(ctx).await? {
        let reply = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
        // A template may match it, and a resource that is made when it is read exists.
        if reply.error().is_some() || !is_template_for(ctx, &uri).await? {
            errors.push(refused(&reply));
        }
        codes.push(has_the_code(&reply));
    }
    let codes: Vec<_> = codes.into_iter().flatten().collect();
    let check = ctx.check("unknown-resource-error");
    if errors.is_empty() {
        check.skip("a template of the server matches any URI");
    } else {
        check.judge(errors.into_iter().collect());
    }
    if !codes.is_empty() {
        ctx.check("unknown-resource-code").judge(codes.into_iter().collect());
    }
    Ok(())
}

/// A URI that is not listed, with the scheme of one that is.
async fn similar_to_a_listed_one(ctx: &mut Ctx) -> Result<Option<String>, Finding> {
    let resources = ctx.offered(ItemKind::Resource).await?;
    let mut uris = resources.items.iter().filter_map(|resource| resource.get("uri")?.as_str());
    // A server may look for what is on the web, and find something there.
    let is_of_server = |uri: &&str| !uri.starts_with("http:") && !uri.starts_with("https:");
    Ok(uris.find(is_of_server).map(|uri| format!("{uri}{SUFFIX}")))
}

fn refused(reply: &Reply) -> Result<(), Finding> {
    let Err(finding) = is_error(reply) else { return Ok(()) };
    let contents = reply.outcome().ok().and_then(|result| result.get("contents"));
    let is_empty = contents.and_then(Value::as_array).is_some_and(<[Value]>::is_empty);
    Err(match (reply.revision() >= Revision::V2026_07_28, is_empty) {
        (true, true) => finding.requires("resources.read.no-empty-contents"),
        (true, false) => finding.requires("resources.read.not-found-32602"),
        (false, _) => finding.requires("resources.read.errors-are-json-rpc").should(),
    })
}

/// Whether the error has the code of the revision; `None` if there is none.
fn has_the_code(reply: &Reply) -> Option<Result<(), Finding>> {
    reply.error()?;
    let revision = reply.revision();
    let outcome = has_code(reply, error_code::resource_not_found(revision));
    Some(outcome.map_err(|finding| match revision >= Revision::V2026_07_28 {
        true => finding.requires("resources.read.not-found-32602"),
        false => finding.requires("resources.read.not-found-32002").should(),
    }))
}

proofs! {
    passes on everything();
    catches "unknown-resource-error" on returning_no_contents();
    warns "unknown-resource-error" on returning_a_message(), at V2025_11_25;
    catches "unknown-resource-error" on returning_a_message();
    catches "unknown-resource-code" on with_the_former_code(), also "wire-well-formed" Failure;
    warns "unknown-resource-code" on with_code_0(), also "wire-well-formed" Warning, at V2024_11_05;
}

fn answering(answer: Answer) -> Server {
    let read = given(method("resources/read")).and(param("/uri", equals(UNKNOWN)));
    everything_but([read.respond_with(answer)])
}

fn returning_no_contents() -> Server {
    answering(json!({ "contents": [], "ttlMs": 0, "cacheScope": "public" }).into())
}

/// Reports in the contents that there is no such resource.
fn returning_a_message() -> Server {
    let contents = json!([{ "uri": UNKNOWN, "text": "not found" }]);
    answering(json!({ "contents": contents, "ttlMs": 0, "cacheScope": "public" }).into())
}

fn with_the_former_code() -> Server {
    answering(Answer::error(error_code::resource_not_found(Revision::V2025_11_25), "not found"))
}

fn with_code_0() -> Server {
    answering(Answer::error(0, "Unknown resource"))
}
