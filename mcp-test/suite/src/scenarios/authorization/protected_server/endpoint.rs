//! A server under test that demands tokens, and the requests of clients with and without one.

use mcp_test_core::oauth::challenge::Challenge;
use mcp_test_core::transport::TokenRole;
use mcp_test_core::transport::test_tokens::{TestTokens, TokenKind};
use serde_json::Value;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{
    Session, describe, finding, is_success, opening_request, post, reply,
};

/// Why the scenarios for protected servers are skipped.
const NOT_PROTECTED: &str =
    "the server is not tested as a protected one, for which `--auth` is needed";

/// A server under test that demands tokens.
pub(super) struct ProtectedServer {
    pub(super) tokens: Arc<dyn TestTokens>,
    pub(super) url: String,
}

impl ProtectedServer {
    /// The server of a run; without tokens for it all checks are skipped, and there is none.
    pub(super) fn of(ctx: &mut Ctx) -> Option<Self> {
        let found = ctx.test_tokens().zip(ctx.url());
        if found.is_none() {
            ctx.skip_the_rest(NOT_PROTECTED);
        }
        found.map(|(tokens, url)| Self { tokens, url })
    }

    /// A request with a token, and with what the server demands beside it.
    pub(super) fn with(&self, request: HttpRequest, token: &str) -> HttpRequest {
        let headers = self.tokens.authorize(token, &request.method, &self.url);
        headers.into_iter().fold(request, |request, (name, value)| request.with(name, value))
    }

    /// The response to the first request of a client with this token; a session that it opens is closed again.
    pub(super) async fn open_with(
        &self,
        ctx: &mut Ctx,
        token: &str,
    ) -> Result<HttpResponse, Finding> {
        let answer = ctx.http(self.with(opening(ctx), token)).await?;
        self.close(ctx, &answer, token).await;
        Ok(answer)
    }

    /// Ends the session that a response has opened, if it has.
    pub(super) async fn close(&self, ctx: &mut Ctx, answer: &HttpResponse, token: &str) {
        let session = Session::opened(answer, ctx.revision());
        if ctx.revision().era() == Era::Handshake && session.id.is_some() {
            // A server may refuse DELETE with 405.
            let _ = ctx.http(self.with(session.delete(), token)).await;
        }
    }

    /// A token of this kind, with which the server serves a request; otherwise why there is none.
    pub(super) async fn accepted(
        &self,
        ctx: &mut Ctx,
        kind: TokenKind,
    ) -> Result<Result<String, String>, Finding> {
        let role = kind.role().unwrap_or(TokenRole::User);
        let Some(token) = self.tokens.token(kind, &self.url) else {
            return Ok(Err(format!("there is no token for the role `{role}`")));
        };
        let answer = self.open_with(ctx, &token).await?;
        Ok(match is_served(&answer) {
            true => Ok(token),
            false => Err(format!(
                "the server does not accept the token of `{role}`, which should be good: {}",
                describe(&answer)
            )),
        })
    }
}

/// The first request of a client, without credentials.
pub(super) fn opening(ctx: &Ctx) -> HttpRequest {
    post(ctx.revision(), &opening_request(ctx.revision(), 1)).anonymous()
}

/// The message of a request to list what the server has, or to do nothing.
pub(super) fn message(ctx: &Ctx, id: i64) -> Value {
    let revision = ctx.revision();
    let method = always_answered(revision);
    crate::scenarios::raw_http::request(revision, id, method, serde_json::json!({}))
}

/// Whether the first request of a client was answered with a result.
pub(super) fn is_served(answer: &HttpResponse) -> bool {
    is_success(answer) && matches!(reply(answer, 1), Some(Ok(_)))
}

/// Whether a request was refused with 401, before anything was done; `what` begins the headline otherwise.
pub(super) fn is_unauthorized(what: &str, answer: &HttpResponse) -> Result<(), Finding> {
    let leaks =
        answer.messages().into_iter().any(|message| matches!(message, Message::Response(_)));
    match (answer.status, leaks) {
        (401, false) => Ok(()),
        (401, true) => Err(finding(format!("{what} is refused, and served nevertheless"), answer)
            .expected("HTTP 401 without a result")),
        (status, _) if (200..300).contains(&status) => {
            Err(finding(format!("{what} is served"), answer).expected("HTTP 401"))
        }
        _ => {
            let headline = format!("{what} is not refused with HTTP 401");
            Err(finding(headline, answer).expected("HTTP 401"))
        }
    }
}

/// The challenge of a response.
pub(super) fn challenge(answer: &HttpResponse) -> Option<Challenge> {
    Challenge::from_headers(&answer.headers)
}
