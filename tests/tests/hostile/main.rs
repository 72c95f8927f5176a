//! Hostile servers and clients: each misbehavior is reported at once and within bounds, and nothing is left behind.
//!
//! The servers are in `mcp_test_tests::hostile`, and are tested by the real command and library. Timeouts are so long that a
//! test that needs one would not end, except with silent servers, where the waits are counted.

mod bounds;
mod cancelled;
mod client_bounds;
mod client_timing;
mod clients;
mod closing;
mod exit_codes;
mod files;
mod hosts;
mod http;
mod http_clients;
mod large_server;
mod leftovers;
mod levels;
mod lines;
mod one_verdict;
mod other_commands;
mod output_size;
mod repeats;
mod scenario_run;
mod secrets;
mod server_memory;
mod silence;
mod table;
