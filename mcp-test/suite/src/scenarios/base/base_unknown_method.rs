//! `base-unknown-method`.

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};

scenario! {
    /// A request for a method that the server does not know is answered with the error for that, -32601.
    ///
    /// Clients find out with it what a server can do. Silence, another code or a crash looks like a server that is broken.
    /// One method is unknown to all servers; the name of the other differs from a known one only in case.
    Server "base-unknown-method": "A request for an unknown method is refused",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("unknown-method-error", "A request for an unknown method is answered with error -32601",
            [JSONRPC_UNKNOWN_METHOD_ERROR, JSONRPC_ERROR_CODE_RESERVED_MEANING]),
        check!("method-name-case", "A method whose name is in other case is unknown",
            [JSONRPC_UNKNOWN_METHOD_ERROR, JSONRPC_ERROR_CODE_RESERVED_MEANING]),
    ],
}

/// A method that no server has by accident.
const UNKNOWN: &str = "mcp-test/no-such-method";
/// A method of MCP, but for its case.
const OTHER_CASE: &str = "TOOLS/LIST";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    for (check, method) in [("unknown-method-error", UNKNOWN), ("method-name-case", OTHER_CASE)] {
        let reply = ctx.request(method, json!({})).promptly().await?;
        let outcome =
            is_error(&reply).and_then(|()| has_code(&reply, error_code::METHOD_NOT_FOUND));
        // What answers both names in the same way is one mistake.
        let outcome = outcome.map_err(|finding| finding.caused_by(cause(&reply)));
        // These codes have a meaning of their own at the revision, which is another one.
        let has_reserved_code = reply.error().is_some_and(|error| {
            error_code::RESERVED.contains(&error.code)
                && error_code::may_be_sent(error.code, ctx.revision())
        });
        let meaning = Requirement::JSONRPC_ERROR_CODE_RESERVED_MEANING;
        let requirement = match has_reserved_code && meaning.applies_at(ctx.revision()) {
            true => meaning,
            false => Requirement::JSONRPC_UNKNOWN_METHOD_ERROR,
        };
        ctx.check(check).requires(requirement).judge(outcome);
    }
    Ok(())
}

/// A wrong answer to an unknown method, whatever its name.
fn cause(reply: &Reply) -> Cause {
    let answer = match reply.outcome() {
        Ok(result) => result.short(120),
        Err(error) => error.code.to_string(),
    };
    Cause::RequirementFor(Requirement::JSONRPC_UNKNOWN_METHOD_ERROR, answer)
}

proofs! {
    passes on everything();
    // Accepts methods that it does not know.
    catches "unknown-method-error" on reference_server_with([given(method(UNKNOWN)).respond_with(json!({}))]);
    catches "unknown-method-error" on with_another_code();
    catches "unknown-method-error" by reply_error("mcp-test/no-such-method", -32021);
    // Compares the names of methods without regard to case.
    catches "method-name-case" on reference_server_with([given(method(OTHER_CASE)).respond_with(json!({"tools": []}))]);
}

/// Treats an unknown method as an invalid parameter.
fn with_another_code() -> Server {
    let refuse = |name| {
        let error = Answer::error(error_code::INVALID_PARAMS, "invalid request parameters");
        given(method(name)).respond_with(error)
    };
    reference_server_with([refuse(UNKNOWN), refuse(OTHER_CASE)])
}
