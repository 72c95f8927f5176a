//! `client-registration-refused`.

use mcp_test_core::oauth::scripted::Behavior;

use super::flow::{Received, Step, judge_flow};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization server refuses every registration because of its redirect URI. The client may try another one, or use another id
    /// that it has, or fail. It must not go on without an id, nor register for ever.
    Client "client-registration-refused": "The client copes with a refused registration",
    revisions: Revisions::from(Revision::V2026_07_28),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(HANDLES, "The client goes on with another id, or ends, when a registration is refused",
            [AUTH_REGISTRATION_HANDLE_REDIRECT_REJECTION]),
    ],
}

const HANDLES: &str = "client-handles-refused-registration";

/// How often a client may register: with each of a few redirect URIs, for each of its first requests.
const MOST_REGISTRATIONS: usize = 5;
/// What programs make of an id that is missing.
const NOT_IDS: [&str; 3] = ["undefined", "null", "None"];

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { refuses_registration: true, ..Behavior::default() };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let row = judging.check(HANDLES);
    let Some(last) = flow.registrations.last() else {
        row.missing(Step::Registration.not_taken(&flow));
        return Ok(());
    };
    let without_id = flow.authorizations.iter().find(|received| {
        let id = received.request.parameters.first("client_id");
        id.is_none_or(|id| NOT_IDS.contains(&id))
    });
    let registrations = flow.registrations.len();
    match without_id {
        Some(Received { seq, request }) => row.fail(
            Finding::peer("the client goes on without a client id")
                .expected("another registration, another id, or an end, since the registration was refused")
                .got(match request.parameters.first("client_id") {
                    Some(id) => format!("an authorization request with `client_id={id}`"),
                    None => "an authorization request without `client_id`".to_owned(),
                })
                .evidence(*seq),
        ),
        None if registrations > MOST_REGISTRATIONS => row.fail(
            Finding::peer("the client registers again and again")
                .expected(format!("at most {MOST_REGISTRATIONS} registrations, all of which are refused"))
                .got(format!("{registrations} registrations"))
                .evidence(last.seq),
        ),
        None => row.pass(),
    };
    Ok(())
}

proofs! {
    passes on signing_in_client();
    catches "client-handles-refused-registration" by misbehavior(Misbehavior::IgnoresRefusedRegistration);
    catches "client-handles-refused-registration" by misbehavior(Misbehavior::RetriesRegistration);
}
