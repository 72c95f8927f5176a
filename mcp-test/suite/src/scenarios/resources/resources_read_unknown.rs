//! `resources-read-unknown`.

use mcp_test_core::expect::text_containing;
use mcp_test_core::spec::uri_template::UriTemplate;

use super::is_template_for;
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};
use crate::scenarios::sdk_answers::recognize_unknown_resource;

scenario! {
    /// Reading a resource that does not exist is refused, with the code of the revision.
    ///
    /// The code is -32002 up to 2025-11-25, and -32602 from 2026-07-28 on. Read are a URI with a scheme that no server has, one
    /// like that of a listed resource, and the first template with a value that hardly exists; a success is accepted where a
    /// template of the server may match, unless it is marked as an error.
    Server "resources-read-unknown": "Reading an unknown resource is refused",
    revisions: Revisions::all(),
    needs: [Need::Capability(Capability::Resources)],
    shares_connection: Revisions::all(),
    checks: [
        check!("unknown-resource-error",
            "A resource that does not exist is answered with a JSON-RPC error, not with contents",
            [RESOURCES_READ_ERRORS_ARE_JSON_RPC, RESOURCES_READ_NOT_FOUND_32602, RESOURCES_READ_NO_EMPTY_CONTENTS]),
        check!("unknown-resource-code", "The error for a resource that does not exist has the code of the revision",
            [RESOURCES_READ_NOT_FOUND_32002, RESOURCES_READ_NOT_FOUND_32602]).conditional(),
    ],
}

/// A URI that no server has by accident.
const UNKNOWN: &str = "mcp-test://no-such-resource";
/// The value of each variable of a template.
const UNKNOWN_VALUE: &str = "no-such-value-of-mcp-test";
/// What makes the URI of a listed resource one that does not exist.
const SUFFIX: &str = "-no-such-resource-of-mcp-test";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.request("resources/read", json!({ "uri": UNKNOWN })).await?;
    // What a template matches may exist.
    let (mut errors, mut codes) = (Vec::new(), Vec::new());
    if !is_template_for(ctx, UNKNOWN).await? {
        errors.push(refused(&reply));
        codes.push(has_the_code(&reply, UNKNOWN));
    }
    if let Some(uri) = similar_to_a_listed_one(ctx).await? {
        let reply = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
        // A template may match it, and a resource that is made when it is read exists.
        if reply.error().is_some() || !is_template_for(ctx, &uri).await? {
            errors.push(refused(&reply));
        }
        codes.push(has_the_code(&reply, &uri));
    }
    errors.extend(unknown_expansion(ctx).await?);
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

/// Whether the expansion of a template with a value that hardly exists is not answered with a result that is marked as an error.
///
/// What else a template stands for, only its author knows.
async fn unknown_expansion(ctx: &mut Ctx) -> Result<Option<Result<(), Finding>>, Finding> {
    let templates = ctx.offered(ItemKind::ResourceTemplate).await?;
    let mut texts = templates.items.iter().filter_map(|it| it.get("uriTemplate")?.as_str());
    // A server may look for what is on the web, and find something there.
    let Some(text) = texts.find(|text| !text.starts_with("http")) else { return Ok(None) };
    let uri = UriTemplate::new(text).expand(|_| Some(UNKNOWN_VALUE));
    let reply = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?;
    let is_marked = reply.outcome().is_ok_and(|result| result.get("isError").is_some());
    let row = Requirement::first_at(
        ctx.revision(),
        &[
            Requirement::RESOURCES_READ_NOT_FOUND_32602,
            Requirement::RESOURCES_READ_ERRORS_ARE_JSON_RPC,
        ],
    );
    Ok(Some(ensure(!is_marked, || {
        Finding::peer(
            "a result of `resources/read` has `isError`, which only results of tools have",
        )
        .expected("a JSON-RPC error if the resource cannot be read")
        .got(reply.outcome().map_or_else(ToString::to_string, |result| result.short(120)))
        .evidence_all(reply.evidence())
        .requires(row)
        .in_any_state()
        .should()
    })))
}

fn refused(reply: &Reply) -> Result<(), Finding> {
    let Err(finding) = is_error(reply) else { return Ok(()) };
    let contents = reply.outcome().ok().and_then(|result| result.get("contents"));
    let is_empty = contents.and_then(Value::as_array).is_some_and(<[Value]>::is_empty);
    let is_stated = Requirement::RESOURCES_READ_NOT_FOUND_32602.applies_at(reply.revision());
    Err(match (is_stated, is_empty) {
        (true, true) => finding.requires(Requirement::RESOURCES_READ_NO_EMPTY_CONTENTS),
        (true, false) => finding.requires(Requirement::RESOURCES_READ_NOT_FOUND_32602),
        (false, _) => finding.requires(Requirement::RESOURCES_READ_ERRORS_ARE_JSON_RPC).should(),
    })
}

/// Whether the error has the code of the revision; `None` if there is none.
fn has_the_code(reply: &Reply, uri: &str) -> Option<Result<(), Finding>> {
    let error = reply.error()?;
    let revision = reply.revision();
    let outcome = has_code(reply, error_code::resource_not_found(revision));
    let sdk = recognize_unknown_resource(error, uri);
    let outcome = outcome.map_err(|finding| finding.sdk(sdk));
    let invalid_params = Requirement::RESOURCES_READ_NOT_FOUND_32602;
    Some(outcome.map_err(|finding| match invalid_params.applies_at(revision) {
        true => finding.requires(invalid_params),
        false => finding.requires(Requirement::RESOURCES_READ_NOT_FOUND_32002).should(),
    }))
}

proofs! {
    passes on everything();
    catches "unknown-resource-error" on answering(json!({ "contents": [], "ttlMs": 0, "cacheScope": "public" }).into());
    warns "unknown-resource-error" on returning_a_message(), at V2025_11_25;
    catches "unknown-resource-error" on returning_a_message();
    warns "unknown-resource-error" on marking_a_result();
    warns "unknown-resource-error" on marking_a_result(), at V2025_11_25;
    catches "unknown-resource-code"
        on answering(Answer::error(error_code::resource_not_found(Revision::V2025_11_25), "not found"));
    warns "unknown-resource-code" on answering(Answer::error(0, "Unknown resource")), at V2024_11_05;
}

fn answering(answer: Answer) -> Server {
    let read = given(method("resources/read")).and(param("/uri", equals(UNKNOWN)));
    reference_server_with([read.respond_with(answer)])
}

/// Reports in the contents that there is no such resource.
fn returning_a_message() -> Server {
    let contents = json!([{ "uri": UNKNOWN, "text": "not found" }]);
    answering(json!({ "contents": contents, "ttlMs": 0, "cacheScope": "public" }).into())
}

/// Reports as tools do that what a template stands for does not exist.
fn marking_a_result() -> Server {
    let expanded =
        given(method("resources/read")).and(param("/uri", text_containing(UNKNOWN_VALUE)));
    let contents = json!([{ "uri": "test://x", "text": "not found" }]);
    let result =
        json!({ "contents": contents, "isError": true, "ttlMs": 0, "cacheScope": "public" });
    reference_server_with([expanded.respond_with(result)])
}
