//! `resources-read-invalid`.

use super::{OBJECT_MEMBER, is_template_for};
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::is_error;

scenario! {
    /// What is not a URI is not read.
    ///
    /// A server validates URIs before it uses them; one that is empty, has no scheme or is not a string names no resource. What a
    /// template of the server may match, it may read. Up to 2025-11-25 pages let contents say that the resource was not found, so
    /// that these are a WARNING only.
    Server "resources-read-invalid": "Reading an invalid URI is refused",
    revisions: Revisions::all(),
    needs: [Need::Capability(Capability::Resources)],
    shares_connection: Revisions::all(),
    checks: [
        check!("invalid-uri-refused",
            "Reading an empty URI, one without a scheme, or a number is answered with a JSON-RPC error",
            [RESOURCES_SECURITY_VALIDATE_URIS])
            .fails_or_warns("up to 2025-11-25 contents may say that nothing was found"),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut outcomes = Vec::new();
    for uri in [json!(""), json!("not a uri"), json!(OBJECT_MEMBER), json!(7)] {
        let what = uri.to_string();
        if let Some(text) = uri.as_str()
            && is_template_for(ctx, text).await?
        {
            continue;
        }
        let reply =
            ctx.request("resources/read", json!({ "uri": uri })).deliberate().promptly().await?;
        outcomes.push(is_error(&reply).map_err(|finding| {
            let finding = finding.hint(format!("the URI was {what}"));
            match Requirement::RESOURCES_READ_NOT_FOUND_32602.applies_at(reply.revision()) {
                true => finding,
                false => finding.should(),
            }
        }));
    }
    ctx.check("invalid-uri-refused").judge(outcomes.into_iter().collect());
    Ok(())
}

proofs! {
    passes on everything();
    catches "invalid-uri-refused" on reading_the_first_for_an_empty_uri();
    warns "invalid-uri-refused" on reading_the_first_for_an_empty_uri(), at V2025_11_25;
    catches "invalid-uri-refused" on knowing_members_of_objects();
}

/// Takes an empty URI for that of its first resource.
fn reading_the_first_for_an_empty_uri() -> Server {
    let contents = json!([{ "uri": "test://static-text", "text": "a" }]);
    let empty = given(method("resources/read")).and(param("/uri", equals("")));
    reference_server_with([
        empty.respond_with(json!({ "contents": contents, "ttlMs": 0, "cacheScope": "public" }))
    ])
}

/// Looks URIs up in an object of JavaScript.
fn knowing_members_of_objects() -> Server {
    let contents = json!([{ "uri": "test://static-text", "text": "a" }]);
    let member = given(method("resources/read")).and(param("/uri", equals(OBJECT_MEMBER)));
    reference_server_with([
        member.respond_with(json!({ "contents": contents, "ttlMs": 0, "cacheScope": "public" }))
    ])
}
