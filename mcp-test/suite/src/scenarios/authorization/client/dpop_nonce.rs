//! `auth/dpop-nonce`.

use super::flow::judge_flow;
use super::flow_proofs::refused_proofs;
use super::proofs_of_possession::{
    FRESH, Nonces, SCHEME, TOKEN_PROOF, bound, judge_proofs, judge_resource_nonce,
    judge_server_nonce,
};
use super::signing_in_client;
use crate::scenarios::prelude::*;
use crate::scenarios::references::{
    DPOP_EXTENSION, RFC_9449_RESOURCE_NONCE, RFC_9449_SERVER_NONCE, SEP_1932,
};

scenario! {
    /// The client proves possession of its key by proofs that have a nonce of the server.
    ///
    /// The token endpoint refuses the first proof with a nonce, and so does the server, with another one. The client repeats both
    /// requests, each with a new proof that has the nonce. Officially it is a scenario of the extension
    /// `io.modelcontextprotocol/auth/dpop`.
    Client "auth/dpop-nonce": "The client sends the nonces that its proofs must have",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::auth_extension(),
    transports: StreamableHttp,
    checks: signing_in![refused: TOKEN_PROOF, SCHEME, FRESH,
        check!(SERVER_NONCE, "The client repeats its token request with the nonce of the authorization server",
            [MCP_TEST_DPOP_NONCE]).official(&[SEP_1932, DPOP_EXTENSION, RFC_9449_SERVER_NONCE]).named("DpopAsNonce"),
        check!(RESOURCE_NONCE, "The client repeats its message with the nonce of the MCP server",
            [MCP_TEST_DPOP_NONCE])
            .official(&[SEP_1932, DPOP_EXTENSION, RFC_9449_RESOURCE_NONCE]).named("DpopRsNonce"),
    ],
}

const SERVER_NONCE: &str = "sep-1932-client-as-nonce";
const RESOURCE_NONCE: &str = "sep-1932-client-rs-nonce";

/// As in the official suite.
const NONCES: Nonces =
    Nonces { of_tokens: "conformance-as-dpop-nonce", of_mcp: "conformance-rs-dpop-nonce" };

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    bound(test, Some(NONCES))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    judge_proofs(judging, &flow);
    judge_server_nonce(&flow, NONCES.of_tokens).conclude(judging.check(SERVER_NONCE));
    judge_resource_nonce(&flow, NONCES.of_mcp).conclude(judging.check(RESOURCE_NONCE));
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares refused_proofs();
    catches "sep-1932-client-token-request-proof" by misbehavior(Misbehavior::IgnoresDpop), under Strict;
    catches "sep-1932-client-dpop-auth-scheme" by misbehavior(Misbehavior::SendsBoundTokenAsBearer);
    catches "sep-1932-client-fresh-proof" by misbehavior(Misbehavior::ReusesProof);
    catches "sep-1932-client-as-nonce" by misbehavior(Misbehavior::IgnoresNonce);
    catches "sep-1932-client-rs-nonce" by misbehavior(Misbehavior::IgnoresServerNonce);
}
