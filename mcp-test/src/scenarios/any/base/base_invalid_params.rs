//! `base-invalid-params`.

use serde_json::{Value, json};

use crate::check::Finding;
use crate::client::Reply;
use crate::scenario::{CheckSpec, Ctx};
use crate::scenarios::refusal::{has_invalid_params_code, is_error, refused_in_any_way};
use crate::server::reference::everything;
use crate::server::{Answer, Call, Server};
use crate::spec::{Capability, Era, Revisions, error_code};
use crate::wire::Id;
use crate::{proofs, scenario};

scenario! {
    /// Requests of known methods whose parameters are missing, or of the wrong type, are answered with the error -32602.
    ///
    /// A result would hide the mistake from the client; another code, which is a WARNING, says that something else is wrong. Only methods whose
    /// capability the server declares are tried; `tools-call-malformed` tests calls of tools. Parameters that are an array, which JSON-RPC
    /// allows and MCP does not, may be refused as an invalid request as well.
    Server "base-invalid-params": "Requests with invalid parameters are refused",
    revisions: Revisions::all(),
    shares_connection: true,
    checks: [
        CheckSpec::own(
            "params-missing",
            "ParamsMissing",
            "A request without a required parameter is refused with error -32602",
        )
        .requires(&["jsonrpc.invalid-params-error"])
        .conditional()
        .also_warns(),
        CheckSpec::own(
            "params-mistyped",
            "ParamsMistyped",
            "A request with a parameter of another type is refused with error -32602",
        )
        .requires(&["jsonrpc.invalid-params-error"])
        .conditional()
        .also_warns(),
        CheckSpec::own(
            "params-array",
            "ParamsArray",
            "A request whose `params` is an array is answered with an error",
        )
        .requires(&["jsonrpc.invalid-params-error"])
        .conditional(),
    ],
}

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
        // As an invalid request it may be refused without its id (JSON-RPC 2.0).
        let id = format!("array-{method}");
        let array = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": ["mcp-test"]});
        let client = ctx.client().await?;
        let pending =
            client.start_unreadable(Id::from(id.as_str()), method, array.to_string()).await;
        let outcome = ctx.wait(pending).await;
        let refused = refused_in_any_way(&ctx.trace(), outcome, is_error);
        is_ignored = refused.is_err();
        ctx.check("params-array").judge(refused);
    }
    if !ctx.has_checked("params-missing") {
        ctx.check("params-missing").skip("the server declares neither resources nor prompts");
    }
    Ok(())
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
    catches "params-mistyped" on reading_anything(), also "params-missing" Failure;
    catches "params-array" by answer("prompts/get", json!({"messages": []})),
        also "params-missing" Failure, also "params-mistyped" Failure, at V2025_11_25;
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

/// Reads nothing, whatever the URI.
fn reading_anything() -> Server {
    everything().on("resources/read", |_: Call| async { json!({"contents": []}) })
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
