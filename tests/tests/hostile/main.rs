//! Servers and clients that do what nobody should: each is named for what it does, at once, within bounds, and nothing
//! of it is left behind.
//!
//! The servers are hand-written, in `mcp_test_tests::hostile`, and run by the real thing. Time-outs are so long here that
//! a test which needs one does not end, but for the servers that are silent: these are waited for, and the waits counted.

mod bounds;
mod cancelled;
mod client_bounds;
mod clients;
mod http;
mod http_clients;
mod leftovers;
mod levels;
mod lines;
mod played;
mod silence;
