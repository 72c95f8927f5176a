//! Golden traces: a conversation as text that is the same in every run.
//!
//! The comparison with the snapshot is done by insta, expanded in the user's file.

use crate::trace::{Style, Trace, render};

/// The text of a conversation for a snapshot: secrets and whatever changes between runs are `[bracketed]`, and what only the
/// era of the revision adds is left out.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::assert::golden;
/// use mcp_test::trace::{Party, EventKind, Recorder};
///
/// let recorder = Recorder::new();
/// let wire = recorder.open("duplex");
/// let mut record = |party, text: &'static str| recorder.record(wire, party, EventKind::message(text.into()));
/// record(Party::Client, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
/// record(Party::Server, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
/// assert_eq!(golden(&recorder.trace()), "1  client → server  ping\n2  client ← server  result {}\n");
/// ```
#[doc(hidden)]
#[must_use]
pub fn golden(trace: &Trace) -> String {
    render(trace, &Style::golden())
}
