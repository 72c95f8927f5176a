//! `tools-call-malformed`.

use serde_json::json;

use crate::check::Finding;
use crate::expect::equals;
use crate::scenario::{CheckSpec, Ctx, Need};
use crate::scenarios::everything_but;
use crate::scenarios::refusal::{has_invalid_params_code, is_error};
use crate::server::reference::everything;
use crate::server::{Answer, Call, Server, given, method, param};
use crate::spec::{Capability, Era, Revision, Revisions, error_code};
use crate::{proofs, scenario};

scenario! {
    /// A `tools/call` that is not one is refused with a JSON-RPC error.
    ///
    /// What the arguments of a tool should be is for the tool to say, in a result that the model reads. That a request has no name,
    /// one that is not a string, or arguments that are not an object is a fault of the client, which no model can correct. No tool
    /// is named, so that none runs.
    Server "tools-call-malformed": "A malformed call of a tool is refused",
    revisions: Revisions::all(),
    needs: [Need::Capability(Capability::Tools)],
    shares_connection: true,
    checks: [
        CheckSpec::own(
            "malformed-call-error",
            "MalformedCallError",
            "A call without a name, with a number as its name, or with a string as arguments is answered with a JSON-RPC error",
        )
        .requires(&["jsonrpc.invalid-params-error", "tools.call.malformed-request-error"]),
        CheckSpec::own("malformed-call-code", "MalformedCallCode", "The error has code -32602")
            .requires(&["jsonrpc.invalid-params-error"])
            .conditional()
            .warns(),
    ],
}

/// A name that no server has by accident.
const UNKNOWN: &str = "no-such-tool-of-mcp-test";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let malformed = [
        ("without `name`", json!({ "arguments": {} })),
        ("with a number as `name`", json!({ "name": 7, "arguments": {} })),
        ("with a string as `arguments`", json!({ "name": UNKNOWN, "arguments": "text" })),
    ];
    // Without a name the header `Mcp-Name` is missing, too, for which there is another code.
    let has_headers = ctx.transport().is_http() && ctx.revision().era() == Era::Stateless;
    let (mut errors, mut codes) = (Vec::new(), Vec::new());
    for (what, params) in malformed {
        let reply = ctx.request("tools/call", params).deliberate().promptly().await?;
        let about = |finding: Finding| Finding {
            headline: format!("{} ({what})", finding.headline),
            ..finding
        };
        errors.push(is_error(&reply).map_err(about));
        // An unknown tool may have another code, whatever its arguments.
        if reply.error().is_some() && !what.contains("arguments") && !has_headers {
            codes.push(has_invalid_params_code(&reply).map_err(about));
        }
    }
    let cited = match ctx.revision() {
        Revision::V2025_11_25 | Revision::V2026_07_28 => {
            vec!["jsonrpc.invalid-params-error", "tools.call.malformed-request-error"]
        }
        _ => vec!["jsonrpc.invalid-params-error"],
    };
    let cite = |finding: Finding| cited.iter().fold(finding, |finding, id| finding.requires(id));
    let refused: Result<(), Finding> = errors.into_iter().collect();
    ctx.check("malformed-call-error").judge(refused.map_err(cite));
    if !codes.is_empty() {
        ctx.check("malformed-call-code").judge(codes.into_iter().collect());
    }
    Ok(())
}

proofs! {
    passes on everything();
    catches "malformed-call-error" on looking_for_undefined(), also "malformed-call-code" Info;
    catches "malformed-call-error" on looking_for_undefined(), also "malformed-call-code" Info, at V2025_03_26;
    warns "malformed-call-code" on failing_without_a_name();
}

/// Reports in a result that there is no tool of that name, whatever it is.
fn looking_for_undefined() -> Server {
    everything().on("tools/call", |_: Call| async {
        json!({ "content": [{ "type": "text", "text": "Tool undefined not found" }], "isError": true })
    })
}

/// Fails at a name that is a number.
fn failing_without_a_name() -> Server {
    let error = Answer::error(error_code::INTERNAL_ERROR, "name.split is not a function");
    everything_but([given(method("tools/call")).and(param("/name", equals(7))).respond_with(error)])
}
