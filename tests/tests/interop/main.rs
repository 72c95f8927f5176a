//! mcp-test and programs that others wrote: their servers and clients under our command line, what they say judged by its
//! shape, our reference peers under the official command line, and peers that break MCP in the ways in which real ones do.
//!
//! Other people's programs have to be installed first, and most of these tests are skipped without them:
//! `.ci/peers DIR && MCP_TEST_PEERS=DIR cargo test -p mcp-test-tests --test interop`.

mod broken;
mod cases;
mod clients;
mod ended;
mod faults;
mod findings;
mod official;
mod peers;
mod program;
mod recorded;
mod reference;
mod report;
mod rmcp_client;
mod secrets;
mod servers;
mod shapes;
mod their_clients;
mod tour;
