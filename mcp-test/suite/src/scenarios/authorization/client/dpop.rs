//! `auth/dpop`.

use super::flow::judge_flow;
use super::flow_proofs::refused_proofs;
use super::proofs_of_possession::{FRESH, SCHEME, TOKEN_PROOF, bound, judge_proofs};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The client binds its token to a key of its own, so that nobody else can use it.
    ///
    /// The authorization server says that it verifies proofs of possession (DPoP), and the server challenges for them. The client
    /// sends a proof with its token request, and another one with each message. Officially it is a scenario of the extension
    /// `io.modelcontextprotocol/auth/dpop`.
    Client "auth/dpop": "The client proves that its token is its own",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::auth_extension(),
    transports: StreamableHttp,
    checks: signing_in![refused: TOKEN_PROOF, SCHEME, FRESH],
}

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    bound(test, None)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    judge_proofs(judging, &flow);
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares refused_proofs();
    catches "sep-1932-client-token-request-proof" by misbehavior(Misbehavior::IgnoresDpop), under Strict;
    catches "sep-1932-client-dpop-auth-scheme" by misbehavior(Misbehavior::SendsBoundTokenAsBearer);
    catches "sep-1932-client-fresh-proof" by misbehavior(Misbehavior::ReusesProof);
}
