//! Interoperability: `mcp-test` against third-party servers and clients, the shapes of the messages that these send, our
//! reference peers under the official conformance suite, servers that break MCP in ways that occur in practice, reports read by
//! third-party readers, and the same tests written with the clients of SDKs.
//!
//! Most of these tests need third-party programs, and are ignored unless asked for:
//! `.ci/peers DIR && MCP_TEST_PEERS=DIR cargo test -p mcp-test-tests --test interop -- --include-ignored`.

mod agreement;
mod broken_servers;
mod cases;
mod client_scenarios;
mod explorer;
mod findings;
mod interrupted;
mod json_report;
mod oauth;
mod official_suite;
mod peers;
mod planted;
mod program;
mod published_servers;
mod recordings;
mod reference_server;
mod reports;
mod rmcp_client;
mod sdk_clients;
mod sdk_servers;
mod secrets;
mod shapes;
mod side_by_side;
