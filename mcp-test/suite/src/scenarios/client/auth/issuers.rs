//! What the scenarios about the issuer of an authorization response have in common (RFC 9207).

use super::flow::judge_flow;
use super::references::RFC_9207;
use crate::scenarios::prelude::*;

/// The check of a scenario about the issuer of an authorization response.
pub(super) const fn issuer_check(
    id: &'static str,
    name: &'static str,
    description: &'static str,
    requirements: &'static [&'static Requirement],
) -> CheckSpec {
    CheckSpec::own(id, description, requirements).official(&[RFC_9207]).named(name)
}

/// Judges whether the client goes on with a response that it has to accept.
pub(super) fn judge_acceptance(judging: &mut Judging, check: &str) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    match (flow.tokens.first(), flow.authorizations.last()) {
        (Some(_), _) => judging.check(check).pass(),
        (None, Some(asked)) => judging.check(check).fail(
            Finding::peer("the client does not go on after the authorization response")
                .expected("a token request")
                .got("none after the authorization request")
                .evidence(asked.seq),
        ),
        (None, None) => {
            judging.check(check).missing(Finding::peer("the client made no authorization request"))
        }
    };
    Ok(())
}

/// Judges whether the client stops at a response that it has to refuse; `what` is wrong with its `iss`.
pub(super) fn judge_refusal(judging: &mut Judging, check: &str, what: &str) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    match (flow.tokens.first(), flow.authorizations.last()) {
        (Some(made), _) => judging.check(check).fail(
            Finding::peer("the client accepts the response of another issuer")
                .expected(format!("no token request, since {what}"))
                .got("a token request")
                .evidence(made.seq),
        ),
        (None, Some(_)) => judging.check(check).pass(),
        (None, None) => {
            judging.check(check).missing(Finding::peer("the client made no authorization request"))
        }
    };
    Ok(())
}
