//! `sep-2164-resource-not-found`.

use mcp_test_core::expect::non_empty_array;

use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2164;
use crate::scenarios::refusal::{has_code, is_error};

scenario! {
    /// Reading a resource that does not exist is refused with -32602, and the error names the resource.
    ///
    /// `resources-read-unknown` tries more URIs, and takes another code for a FAILURE; the official checks only warn about it.
    Server "sep-2164-resource-not-found": "Reading an unknown resource is refused with its URI",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Resources)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2164-no-empty-contents", "The reply is an error, or a result that is not empty",
            [RESOURCES_READ_NO_EMPTY_CONTENTS]).official(&[SEP_2164]).named("ResourcesNotFoundNoEmptyContents"),
        check!("sep-2164-error-code", "The reply is an error with the code -32602",
            [RESOURCES_READ_NOT_FOUND_32602]).official(&[SEP_2164]).named("ResourcesNotFoundErrorCode")
            .only_warns("the official suite only warns"),
        check!("sep-2164-data-uri", "The reply is an error with the requested URI in its `data`",
            [RESOURCES_READ_NOT_FOUND_32602]).official(&[SEP_2164]).named("ResourcesNotFoundDataUri")
            .fails_or_warns("the official suite only warns of an error without the URI"),
    ],
}

const UNKNOWN: &str = "test://nonexistent-resource-for-conformance-testing";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.request("resources/read", json!({"uri": UNKNOWN})).await?;
    let check = ctx.check("sep-2164-no-empty-contents");
    match reply.error() {
        Some(_) => check.pass(),
        None => check.expect(&reply, object().member("contents", non_empty_array())),
    };
    ctx.check("sep-2164-error-code")
        .judge(is_error(&reply).and_then(|()| has_code(&reply, error_code::INVALID_PARAMS)));
    let check = ctx.check("sep-2164-data-uri");
    match reply.error() {
        None => check.judge(is_error(&reply)),
        Some(error) => check.officially_judge(
            names_the_uri(&reply, error),
            "the URI in `data` is part of an example only",
        ),
    };
    Ok(())
}

fn names_the_uri(reply: &Reply, error: &RpcError) -> Result<(), Finding> {
    let uri = error.data.as_ref().and_then(|data| data.get("uri")).and_then(Value::as_str);
    ensure(uri == Some(UNKNOWN), || {
        Finding::peer("the error does not name the resource that was not found")
            .expected(format!("`data` with the `uri` {UNKNOWN}"))
            .got(error.to_string())
            .evidence_all(reply.evidence())
            .should()
    })
}

proofs! {
    passes on everything();
    catches "sep-2164-no-empty-contents" on returning(&json!([]));
    warns "sep-2164-error-code" on returning_a_message();
    warns "sep-2164-error-code" on with_the_former_code();
    catches "sep-2164-data-uri" on returning_a_message();
    warns "sep-2164-data-uri" on answering(Answer::error(error_code::INVALID_PARAMS, "not found")), under Official;
}

fn answering(answer: impl Into<Answer>) -> Server {
    reference_server_with([given(method("resources/read")).respond_with(answer.into())])
}

fn returning(contents: &serde_json::Value) -> Server {
    answering(json!({"contents": contents, "ttlMs": 0, "cacheScope": "public"}))
}

/// Reports in the contents that there is no such resource.
fn returning_a_message() -> Server {
    returning(&json!([{"uri": UNKNOWN, "text": "not found"}]))
}

fn with_the_former_code() -> Server {
    let code = error_code::resource_not_found(Revision::V2025_11_25);
    answering(RpcError::new(code, "not found").with_data(json!({"uri": UNKNOWN})))
}
