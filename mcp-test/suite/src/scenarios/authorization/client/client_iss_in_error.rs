//! `client-iss-in-error`.

use mcp_test_core::oauth::scripted::{Behavior, SentIssuer};

use super::flow::{Step, judge_flow};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization server answers with an error, and with the `iss` of another server. The client must not show what the error says;
    /// that it fails is right.
    ///
    /// The text is looked for in what the client prints, and in the reason why it fails. A client that shows it in a window passes.
    Client "client-iss-in-error": "The client does not show the error of another issuer",
    revisions: Revisions::from(Revision::V2026_07_28),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(HIDES, "The client does not show `error_description` of a response with another `iss`",
            [AUTH_REDIRECT_ISS_ERROR_RESPONSE]),
    ],
}

const HIDES: &str = "client-hides-error-of-other-issuer";
const DESCRIPTION: &str = "call 0123 to go on, says another issuer";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior {
        denies: Some(DESCRIPTION),
        iss: SentIssuer::Other("https://evil.example.com"),
        ..Behavior::default()
    };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let is_shown = judging.has_shown(DESCRIPTION);
    if !flow.authorizations.is_empty() {
        // It may go on waiting for the response of the right server, which does not come.
        judging.tolerate_failed_exit();
    }
    let row = judging.check(HIDES);
    match flow.authorizations.last() {
        Some(asked) if is_shown => row.fail(
            Finding::peer("the client shows the error of another issuer")
                .expected(
                    "nothing of the response shown, since its `iss` is that of another server",
                )
                .got(format!("`{DESCRIPTION}` in what the client prints, or in why it failed"))
                .evidence(asked.seq),
        ),
        Some(_) => row.pass(),
        None => row.missing(Step::Authorization.not_taken(&flow)),
    };
    Ok(())
}

proofs! {
    passes on signing_in_client();
    catches "client-hides-error-of-other-issuer" by misbehavior(Misbehavior::IgnoresResponseIssuer);
}
