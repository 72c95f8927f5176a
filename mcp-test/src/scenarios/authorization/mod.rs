//! Scenarios for authorization servers, which the official suite has, in its order.

mod discovery;
mod grant;
mod probes;
mod references;
mod wrong_answers;

use crate::scenario::AuthorizationPeer;

scenarios![authorization_server_metadata_endpoint, authorization_code_grant];

/// The authorization server on which the scenarios pass.
fn good_server() -> AuthorizationPeer {
    AuthorizationPeer::default()
}
