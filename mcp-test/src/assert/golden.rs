//! Golden traces: a conversation as text that stays the same from run to run.
//!
//! Only the text is made here. The comparison with the snapshot is insta's, expanded in the user's file.

use crate::trace::{Style, Trace, render};

/// The conversation as it goes into a snapshot: secrets and whatever differs from run to run are `[bracketed]`.
///
/// ```
/// use mcp_test::assert::golden;
/// use mcp_test::trace::{Party, Reading, Recorder};
///
/// let recorder = Recorder::new();
/// let wire = recorder.open("duplex");
/// let mut say = |party, text: &'static str| recorder.record(wire, party, Reading::message(text.into()));
/// say(Party::Client, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
/// say(Party::Server, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
/// assert_eq!(golden(&recorder.trace()), "1  client → server  ping\n2  client ← server  result {}\n");
/// ```
#[must_use]
pub fn golden(trace: &Trace) -> String {
    render(trace, &Style::golden())
}
