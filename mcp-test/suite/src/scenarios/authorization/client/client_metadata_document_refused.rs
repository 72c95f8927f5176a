//! `client-metadata-document-refused`.

use mcp_test_core::oauth::oauth_error::ErrorCode;
use mcp_test_core::oauth::scripted::{Behavior, TokenIssuer, TokenRequest};

use super::flow::{Step, judge_flow};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization server supports metadata documents, but does not trust that of the client, and answers its token request with
    /// `invalid_client`. The client should not try that again and again. It may register instead, or fail.
    Client "client-metadata-document-refused": "The client copes with an authorization server that does not trust it",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(COPES, "The client goes on with another id, or ends, when the URL of its metadata document is refused",
            [AUTH_REGISTRATION_TOLERATE_CIMD_REJECTION]),
    ],
}

const COPES: &str = "client-copes-with-refused-metadata-document";

/// How many token requests a client may make: with each of its first few requests, say.
const MOST_REQUESTS: usize = 5;

fn is_document(id: Option<&str>) -> bool {
    id.is_some_and(|id| id.starts_with("https://"))
}

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior {
        takes_metadata_documents: true,
        answers_token: Some(Arc::new(|request: &TokenRequest, _: &TokenIssuer<'_>| {
            let is_refused = is_document(request.parameters.first("client_id"));
            let why = "the metadata document of this client is not trusted";
            is_refused.then(|| Err(ErrorCode::InvalidClient.because(why)))
        })),
        ..Behavior::default()
    };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let row = judging.check(COPES);
    let refused: Vec<_> = flow
        .tokens
        .iter()
        .filter(|token| is_document(token.request.parameters.first("client_id")))
        .collect();
    match refused.last() {
        None if flow.tokens.is_empty() => row.missing(Step::Token.not_taken(&flow)),
        None => row.skip("the client does not use the URL of a metadata document as its id"),
        Some(last) if refused.len() > MOST_REQUESTS => row.fail(
            Finding::peer("the client tries a refused id again and again")
                .expected(format!(
                    "at most {MOST_REQUESTS} token requests with an id that the server refuses"
                ))
                .got(format!("{} of them", refused.len()))
                .evidence(last.seq)
                .should(),
        ),
        Some(_) => row.pass(),
    };
    Ok(())
}

proofs! {
    passes on signing_in_client();
    warns "client-copes-with-refused-metadata-document" by misbehavior(Misbehavior::SignsInEndlessly);
}
