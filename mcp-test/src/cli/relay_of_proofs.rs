//! The server that the clients of proofs over stdio start: this very test program, with the arguments of a relay beside those of the
//! test harness. Not a test of its own.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::process::exit;

use crate::transport::client_stdio::{ARGUMENT, serve_as_relay_at};

/// Serves on descriptor 3, because what the test harness prints would be on the standard output.
#[test]
#[ignore = "proofs over stdio start it as the server of a client"]
fn serves() {
    let args: Vec<OsString> = std::env::args_os().collect();
    let Some(first) = args.iter().position(|argument| argument == ARGUMENT) else { return };
    let output = OpenOptions::new().write(true).open("/dev/fd/3").expect("a pipe");
    let code = serve_as_relay_at(&args[first - 1..], tokio::fs::File::from_std(output));
    exit(code.expect("the arguments of a relay").into());
}
