//! Scenarios for clients that sign in (feature `auth`).
//!
//! Each serves a protected MCP server and one or more authorization servers, which accept everything and write it down.

/// The checks of what a client sends to sign in, beside those of the scenario itself: `whole` where a missing step counts by
/// itself, in the scenarios about discovery, `partial` elsewhere.
macro_rules! signing_in {
    (whole: $($own:expr),* $(,)?) => {
        signing_in!(@all $crate::scenarios::client::auth::flow::METADATA,
            $crate::scenarios::client::auth::flow::REGISTRATION,
            $crate::scenarios::client::auth::flow::AUTHORIZATION,
            $crate::scenarios::client::auth::flow::TOKEN, $($own),*)
    };
    (partial: $($own:expr),* $(,)?) => {
        signing_in!(@all $crate::scenarios::client::auth::flow::PRM.conditional().informs(),
            $crate::scenarios::client::auth::flow::METADATA.conditional().informs(),
            $crate::scenarios::client::auth::flow::REGISTRATION.conditional().informs(),
            $crate::scenarios::client::auth::flow::AUTHORIZATION.conditional().informs(),
            $crate::scenarios::client::auth::flow::TOKEN.conditional().informs(), $($own),*)
    };
    (@all $($check:expr),* $(,)?) => {
        [
            $crate::scenarios::client::auth::flow::APPLICATION_TYPE,
            $crate::scenarios::client::auth::flow::CHALLENGE_SENT,
            $crate::scenarios::client::auth::flow::S256,
            $crate::scenarios::client::auth::flow::VERIFIER_SENT,
            $crate::scenarios::client::auth::flow::VERIFIER_MATCHES,
            $crate::scenarios::client::auth::flow::VALID_BEARER,
            $crate::scenarios::client::auth::flow::INVALID_BEARER,
            $($check,)*
        ]
    };
}

mod flow;
mod flow_proofs;
mod references;
mod resource_parameter;
mod served;
mod signing_in_client;

use crate::scenario::Suite;

pub(crate) use signing_in_client::signing_in_client;

/// The official suites of the scenarios about metadata.
const METADATA_SUITES: &[Suite] = &[Suite::Active, Suite::Auth, Suite::Metadata];

scenarios![metadata_default, metadata_var1, metadata_var2, metadata_var3,];
