//! `logging-malformed-level`.

use mcp_test_core::expect::not;
use mcp_test_core::server::params;

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::is_error;

scenario! {
    /// `logging/setLevel` without a level, or with one that is not a string, is refused.
    ///
    /// A client that sends it has a mistake, such as the number of another logging library. A result would tell it that the
    /// level is set, and its user waits for log messages that never come.
    Server "logging-malformed-level": "A log level that is missing or not a string is refused",
    revisions: Revisions::until(Revision::V2025_11_25),
    needs: [Need::Capability(Capability::Logging)],
    shares_connection: Revisions::all(),
    checks: [
        check!("missing-level-refused", "`logging/setLevel` without a level is answered with an error",
            [LOGGING_SET_LEVEL_STANDARD_ERRORS]),
        check!("numeric-level-refused", "`logging/setLevel` with a number is answered with an error",
            [LOGGING_SET_LEVEL_STANDARD_ERRORS]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let probes =
        [("missing-level-refused", json!({})), ("numeric-level-refused", json!({"level": 3}))];
    for (id, params) in probes {
        let reply = ctx.request("logging/setLevel", params).deliberate().promptly().await?;
        ctx.check(id).judge(is_error(&reply).map_err(Finding::should));
    }
    Ok(())
}

proofs! {
    passes on everything();
    // Takes a missing level for the default one.
    warns "missing-level-refused" on accepting(not(object().member("level", anything())));
    // Takes any number for a level.
    warns "numeric-level-refused" on accepting(object().member("level", not(string())));
}

fn accepting(wrong: impl Matcher + 'static) -> Server {
    let rule = given(method("logging/setLevel")).and(params(wrong));
    reference_server_with([rule.respond_with(json!({}))])
}
