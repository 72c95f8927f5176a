//! `base-invalid-params`.

use serde_json::Value;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::declared_list;
use crate::scenarios::refusal::{has_invalid_params_code, is_error, refused_in_any_way};

scenario! {
    /// Requests of known methods whose parameters are missing, or of the wrong type, are answered with the error -32602.
    ///
    /// A result would hide the mistake from the client; another code, which is a WARNING, says that something else is wrong. Only methods whose
    /// capability the server declares are tried; `tools-call-malformed` tests calls of tools. Parameters that are an array, which JSON-RPC
    /// allows and MCP does not, may be refused as an invalid request as well. Where a method has no parameters, a server may not look
    /// at them: a result for a string or a number is a WARNING, and one for an array or `null` is accepted.
    Server "base-invalid-params": "Requests with invalid parameters are refused",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("params-missing", "A request without a required parameter is refused with error -32602",
            [JSONRPC_INVALID_PARAMS_ERROR]).conditional().fails_or_warns("another error code only warns"),
        check!("params-mistyped", "A request with a parameter of another type is refused with error -32602",
            [JSONRPC_INVALID_PARAMS_ERROR]).conditional().fails_or_warns("another error code only warns"),
        check!("params-array", "A request whose `params` is an array is answered with an error",
            [JSONRPC_INVALID_PARAMS_ERROR]).conditional(),
        check!("params-not-an-object",
            "A request without parameters is answered whatever the type of its `params`; a string and a number are refused",
            &[Requirement::JSONRPC_REQUEST_ANSWERED, INVALID_PARAMS])
            .fails_or_warns("a server may not look at the parameters of a method that has none"),
    ],
}

const INVALID_PARAMS: &Requirement = Requirement::JSONRPC_INVALID_PARAMS_ERROR;

/// A method with the member that it requires, a string, and the capability that it needs.
const METHODS: [(&str, &str, Capability); 3] = [
    ("tools/call", "name", Capability::Tools),
    ("resources/read", "uri", Capability::Resources),
    ("prompts/get", "name", Capability::Prompts),
];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut is_ignored = false;
    let is_http = ctx.transport().is_http();
    for (method, member, capability) in METHODS {
        if !ctx.declares(capability).await? {
            continue;
        }
        if capability != Capability::Tools {
            let reply = invalid(ctx, method, json!({})).await?;
            ctx.check("params-missing").judge(is_refused_for_its_params(&reply, is_http));
            let reply = invalid(ctx, method, json!({ member: 7 })).await?;
            ctx.check("params-mistyped").judge(is_refused_for_its_params(&reply, is_http));
        }
        // A server that ignores one ignores them all.
        if is_ignored {
            continue;
        }
        let outcome = unreadable(ctx, method, ("array", json!(["mcp-test"]))).await?;
        let refused = refused_in_any_way(&ctx.trace(), outcome, is_error);
        is_ignored = refused.is_err();
        ctx.check("params-array").judge(refused);
    }
    match is_ignored {
        true => {
            ctx.check("params-not-an-object").skip("the server does not refuse an array either");
        }
        false => not_an_object(ctx).await?,
    }
    if !ctx.has_checked("params-missing") {
        ctx.check("params-missing").skip("the server declares neither resources nor prompts");
    }
    Ok(())
}

/// Requests without parameters, with a value of each type in place of the object.
async fn not_an_object(ctx: &mut Ctx) -> Result<(), Finding> {
    let list = declared_list(ctx).await?.map(ItemKind::method);
    for method in [Some(always_answered(ctx.revision())), list].into_iter().flatten() {
        let values = [
            ("string", json!("mcp-test")),
            ("number", json!(7)),
            ("null", Value::Null),
            ("array", json!(["mcp-test"])),
        ];
        for (kind, value) in values {
            let outcome = unreadable(ctx, method, (kind, value)).await?;
            if is_unknown(&outcome) && is_unknown(&ctx.request(method, json!({})).await) {
                // Another scenario reports that the server does not have the method.
                break;
            }
            let is_answered = outcome.is_ok();
            let may_be_read = matches!(kind, "null" | "array");
            let answered = refused_in_any_way(&ctx.trace(), outcome, |reply| match may_be_read {
                // By JSON-RPC an array is valid, and some libraries write `null` for parameters that are missing.
                true => {
                    let _any_reply = reply.error();
                    Ok(())
                }
                false => is_invalid(reply),
            });
            let is_ignored = answered.is_err() && !is_answered;
            ctx.check("params-not-an-object").judge(answered);
            // A server that ignores one ignores others.
            if is_ignored {
                return Ok(());
            }
        }
    }
    if !ctx.has_checked("params-not-an-object") {
        ctx.check("params-not-an-object")
            .skip("the server does not support the methods without parameters");
    }
    Ok(())
}

/// Whether a method was refused as one that the server does not have.
fn is_unknown(outcome: &Result<Reply, Finding>) -> bool {
    let error = outcome.as_ref().ok().and_then(Reply::error);
    error.is_some_and(|error| error.code == error_code::METHOD_NOT_FOUND)
}

/// Whether the reply says that the request or its parameters are invalid.
fn is_invalid(reply: &Reply) -> Result<(), Finding> {
    let outcome = is_error(reply).map_err(Finding::should).and_then(|()| {
        match reply.error().is_some_and(|error| error.code == error_code::INVALID_REQUEST) {
            true => Ok(()),
            false => has_invalid_params_code(reply),
        }
    });
    outcome.map_err(|finding| finding.requires(INVALID_PARAMS))
}

/// What becomes of a request whose `params` are this value.
///
/// As an invalid request it may be refused without its id (JSON-RPC 2.0).
async fn unreadable(
    ctx: &mut Ctx,
    method: &str,
    (kind, params): (&str, Value),
) -> Result<Result<Reply, Finding>, Finding> {
    let id = format!("{kind}-{method}");
    let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let client = ctx.client().await?;
    let pending = client.start_unreadable(Id::from(id.as_str()), method, request.to_string()).await;
    Ok(ctx.wait(pending).await)
}

async fn invalid(ctx: &mut Ctx, method: &str, params: Value) -> Result<Reply, Finding> {
    ctx.request(method, params).deliberate().promptly().once().await
}

fn is_refused_for_its_params(reply: &Reply, is_http: bool) -> Result<(), Finding> {
    is_error(reply)?;
    // Without a name the header `Mcp-Name` is missing, too, for which there is another code.
    let has_headers = reply.revision().era() == Era::Stateless && is_http;
    if has_headers { Ok(()) } else { has_invalid_params_code(reply) }
}

proofs! {
    passes on everything();
    catches "params-missing" on with_an_empty_prompt(), at V2025_11_25;
    warns "params-mistyped" on failing_internally();
    warns "params-missing" on failing_without_a_name();
    // Reads nothing, whatever the URI.
    catches "params-mistyped" on everything().on("resources/read", |_: Call| async { json!({"contents": []}) });
    catches "params-array" by answer("prompts/get", json!({"messages": []})), at V2025_11_25;
    catches "params-not-an-object" by never("ping"), at V2025_11_25, timeout 3;
    warns "params-not-an-object" by answer("ping", json!({})), at V2025_11_25;
}

/// Answers `prompts/get` without the name of a prompt with an empty one.
fn with_an_empty_prompt() -> Server {
    everything().on("prompts/get", |call: Call| async move {
        match call.param("name") {
            None => json!({"messages": []}).into(),
            Some(_) => Answer::error(error_code::INVALID_PARAMS, "unknown prompt"),
        }
    })
}

/// Fails over a prompt without a name.
fn failing_without_a_name() -> Server {
    everything().on("prompts/get", |call: Call| async move {
        match call.param("name") {
            None => Answer::error(error_code::INTERNAL_ERROR, "name is undefined"),
            Some(_) => Answer::error(error_code::INVALID_PARAMS, "unknown prompt"),
        }
    })
}

/// Fails over a URI that is not a string.
fn failing_internally() -> Server {
    everything().on("resources/read", |call: Call| async move {
        match call.param("uri") {
            None => Answer::error(error_code::INVALID_PARAMS, "no `uri`"),
            Some(_) => {
                Answer::error(error_code::INTERNAL_ERROR, "uri.startsWith is not a function")
            }
        }
    })
}
