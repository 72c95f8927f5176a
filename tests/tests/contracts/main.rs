//! One contract for several peers: the cases of `contracts/` run against servers, and served to clients.
//!
//! | files | contract of | tested with |
//! |---|---|---|
//! | `example.yaml` | the example of the format | all of them |
//! | `everything/` | the everything server of the MCP project, as far as other servers can keep it | the reference server, a server on rmcp |
//! | `reference.yaml` | the fixtures of the official suite, in both eras | the reference server |
//!
//! `interop` tests the everything server itself, and clients on other SDKs.

mod rmcp_client;
mod rmcp_server;

use mcp_test::prelude::*;
use mcp_test::server::reference::everything;

fn reference() -> Target {
    everything().target()
}

/// A client that proposes the newest revision that it speaks and sends nothing invalid, so that cases with another revision or
/// with invalid messages do not apply to it.
fn client_on_rmcp() -> ClientTarget {
    ClientTarget::future(rmcp_client::run)
}

mcp_test::cases!(
    "contracts/**/*.yaml",
    target = reference,
    transports = [duplex, router],
    name = reference_server
);

mcp_test::cases!(
    "contracts/example.yaml",
    target = rmcp_server::target,
    transports = [duplex, router],
    name = example_on_rmcp
);
mcp_test::cases!(
    "contracts/everything/*.yaml",
    target = rmcp_server::target,
    transports = [duplex, router],
    name = everything_on_rmcp
);

mcp_test::cases!("contracts/example.yaml", client = client_on_rmcp, name = example_to_rmcp);
mcp_test::cases!(
    "contracts/everything/*.yaml",
    client = client_on_rmcp,
    skip_tags = ["negotiation", "malformed"],
    name = everything_to_rmcp
);
