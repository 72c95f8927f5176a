//! The checks of proofs of possession (DPoP, RFC 9449).

use std::collections::HashSet;

use mcp_test_core::oauth::dpop::Proof;
use mcp_test_core::oauth::oauth_error::ErrorCode;
use mcp_test_core::oauth::scripted::{
    Behavior, McpCredentials, McpRequest, ProtectedResource, ScriptedServer, Verdict,
};

use super::flow::{Flow, Received};
use super::served::{facts, server_behind};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{
    DPOP_EXTENSION, RFC_9449_CHECKS, RFC_9449_SCHEME, RFC_9449_SYNTAX, RFC_9449_TOKEN, SEP_1932,
};

pub(super) const TOKEN_PROOF: CheckSpec = check!(
    "sep-1932-client-token-request-proof",
    "Each request that redeems a code has a valid proof of possession",
    [MCP_TEST_DPOP_TOKEN_REQUEST]
)
.official(&[SEP_1932, DPOP_EXTENSION, RFC_9449_TOKEN])
.named("DpopTokenRequestProof");
pub(super) const SCHEME: CheckSpec = check!(
    "sep-1932-client-dpop-auth-scheme",
    "The client sends its token with the scheme `DPoP`",
    [MCP_TEST_DPOP_SCHEME]
)
.official(&[SEP_1932, DPOP_EXTENSION, RFC_9449_SCHEME])
.named("DpopAuthScheme");
pub(super) const FRESH: CheckSpec = check!(
    "sep-1932-client-fresh-proof",
    "Each POST with a token has a valid proof of possession of its own",
    [MCP_TEST_DPOP_FRESH_PROOF]
)
.official(&[DPOP_EXTENSION, RFC_9449_SYNTAX, RFC_9449_CHECKS])
.named("DpopFreshProof");

/// The nonces that are demanded at the token endpoint and at the MCP server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nonces {
    pub(super) of_tokens: &'static str,
    pub(super) of_mcp: &'static str,
}

/// A server whose tokens are bound to the keys of clients. It admits what has any token, so that everything can be judged.
pub(super) fn bound(test: &ClientTest, nonces: Option<Nonces>) -> Result<Server, Finding> {
    let facts = facts(test);
    let behavior = Behavior {
        dpop: &["ES256"],
        nonce: nonces.map(|nonces| nonces.of_tokens),
        ..Behavior::default()
    };
    let server = ScriptedServer::start(behavior, &facts)?;
    let resource = ProtectedResource::new(&facts, vec![server])
        .dpop(nonces.map(|nonces| nonces.of_mcp))
        .admits(|access| match access.has_token {
            true => Verdict::Admit,
            false => Verdict::Unauthorized { scope: None },
        });
    Ok(server_behind(test, resource))
}

impl Flow {
    /// Whether the client has sent a proof anywhere.
    fn has_proofs(&self) -> bool {
        self.tokens.iter().any(|token| token.request.proof.is_some())
            || self.mcp.iter().any(|mcp| mcp.request.proof.is_some())
    }

    /// The messages with a token.
    fn authenticated(&self) -> impl Iterator<Item = (&Received<McpRequest>, &McpCredentials)> {
        let posts = self.mcp.iter().filter(|received| received.request.verb == "POST");
        posts.filter_map(|received| Some((received, received.request.credentials.as_ref()?)))
    }
}

/// Makes the checks of both scenarios.
pub(super) fn judge_proofs(judging: &mut Judging, flow: &Flow) {
    // A client without proofs does something else than the scenario is about; tokens of any other kind are no fault of it.
    let is_task = !flow.has_proofs();
    let mut row = |spec: &CheckSpec, outcome: Outcome| {
        let row = judging.check(&spec.id);
        let row = if is_task { row.by_task() } else { row };
        outcome.conclude(row);
    };
    row(&TOKEN_PROOF, judge_token_requests(flow));
    row(&SCHEME, judge_scheme(flow));
    row(&FRESH, judge_messages(flow));
}

/// The result of a check.
pub(super) enum Outcome {
    Passed,
    Failed(Finding),
    /// The client did not come to what is checked.
    NotReached(&'static str),
}

impl Outcome {
    pub(super) fn conclude(self, row: CheckBuilder<'_>) {
        drop(match self {
            Self::Passed => row.pass(),
            Self::Failed(finding) => row.fail(finding),
            Self::NotReached(what) => row.missing(Finding::peer(what)),
        });
    }
}

fn judge_token_requests(flow: &Flow) -> Outcome {
    let redeeming = flow
        .tokens
        .iter()
        .filter(|token| token.request.parameters.first("grant_type") == Some("authorization_code"));
    let mut outcome = Outcome::NotReached("the client redeemed no code");
    for received in redeeming {
        let got = match &received.request.proof {
            Some(Ok(_)) => {
                outcome = Outcome::Passed;
                continue;
            }
            Some(Err(why)) => *why,
            None => "no `DPoP` header",
        };
        let finding = Finding::peer("the token request has no valid proof of possession")
            .expected("a valid proof for the token endpoint")
            .got(got);
        return Outcome::Failed(finding.evidence(received.seq));
    }
    outcome
}

fn judge_scheme(flow: &Flow) -> Outcome {
    let mut outcome = Outcome::NotReached(NO_TOKEN);
    for (received, credentials) in flow.authenticated() {
        if !credentials.scheme.eq_ignore_ascii_case("dpop") {
            let finding = Finding::peer("the client sends its token with another scheme")
                .expected("`Authorization: DPoP` and the token")
                .got(match credentials.scheme.eq_ignore_ascii_case("bearer") {
                    true => "the scheme `Bearer`",
                    false => "a scheme that is neither `DPoP` nor `Bearer`",
                });
            return Outcome::Failed(finding.evidence(received.seq));
        }
        outcome = Outcome::Passed;
    }
    outcome
}

const NO_TOKEN: &str = "the client sent no message with a token";

fn judge_messages(flow: &Flow) -> Outcome {
    let mut outcome = Outcome::NotReached(NO_TOKEN);
    let mut ids = HashSet::new();
    for (received, credentials) in flow.authenticated() {
        let got = match &received.request.proof {
            None => "no `DPoP` header",
            Some(Err(why)) => *why,
            Some(Ok(_)) if !credentials.is_issued => "a token that the client never got",
            Some(Ok(_)) if credentials.key.is_none() => "a token that is bound to no key",
            Some(Ok(proof)) if credentials.key.as_ref() != Some(&proof.thumbprint) => {
                "a proof by another key than that of the token"
            }
            Some(Ok(proof)) if !ids.insert(&proof.id) => "a proof that the client has sent before",
            Some(Ok(_)) => {
                outcome = Outcome::Passed;
                continue;
            }
        };
        let finding = Finding::peer("the message has no valid proof of possession of its own")
            .expected("a new, valid proof by the key of the token")
            .got(got);
        return Outcome::Failed(finding.evidence(received.seq));
    }
    outcome
}

/// Whether the client repeated a token request with the nonce that was demanded.
pub(super) fn judge_server_nonce(flow: &Flow, nonce: &str) -> Outcome {
    let challenged =
        flow.tokens.iter().find(|token| token.request.refusal == Some(ErrorCode::UseDpopNonce));
    let has_nonce = |proof: &Option<Result<Proof, &'static str>>| matches!(proof, Some(Ok(proof)) if proof.nonce.as_deref() == Some(nonce));
    let is_honored = flow.tokens.iter().any(|token| has_nonce(&token.request.proof));
    honored(challenged.map(|token| token.seq), is_honored, "the token request")
}

/// Whether the client repeated a message with the nonce that was demanded.
pub(super) fn judge_resource_nonce(flow: &Flow, nonce: &str) -> Outcome {
    let is_valid = |received: &&Received<McpRequest>| {
        let key = received.request.credentials.as_ref().and_then(|it| it.key.as_ref());
        matches!(&received.request.proof, Some(Ok(proof)) if Some(&proof.thumbprint) == key)
    };
    let posts = flow.authenticated().map(|(received, _)| received).filter(is_valid);
    let (mut challenged, mut is_honored) = (None, false);
    for received in posts {
        let proof = received.request.proof.as_ref().and_then(|proof| proof.as_ref().ok());
        match proof.and_then(|proof| proof.nonce.as_deref()) == Some(nonce) {
            true => is_honored = true,
            false => challenged = challenged.or(Some(received.seq)),
        }
    }
    honored(challenged, is_honored, "the message")
}

fn honored(challenged: Option<Seq>, is_honored: bool, what: &str) -> Outcome {
    match (challenged, is_honored) {
        (None, _) => Outcome::NotReached("the client sent no valid proof that lacked the nonce"),
        (Some(_), true) => Outcome::Passed,
        (Some(seq), false) => {
            let finding = Finding::peer(format!("the client did not repeat {what} with the nonce"))
                .expected("another proof, with the `DPoP-Nonce` of the refusal")
                .got("no such request");
            Outcome::Failed(finding.evidence(seq))
        }
    }
}
