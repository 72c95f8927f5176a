//! Writes a trace as text, like a play: who sent what to whom, in order.
//!
//! ```text
//! 1  client → server  initialize {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{…}}
//! 2  client ← server  result {"protocolVersion":"2025-11-25",…}
//! 3  client → server  notifications/initialized
//! ```
//!
//! Lines of the wire where a message belongs are numbered, over the whole trace, also in an excerpt. A reply names the
//! number of its request unless that is the line before. Times are not shown unless asked for, so that the same
//! conversation gives the same text.

mod focus;
#[doc(hidden)]
pub mod layout;
mod line;
mod play;
mod protocol;

use std::collections::BTreeSet;

use self::focus::Focus;
use self::line::Writer;
use self::play::Play;
use super::{Redactor, Seq, Trace};
use crate::json::Pointer;

/// How a trace is written.
#[doc(hidden)]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Style {
    /// How many characters a line should have at most.
    pub width: usize,
    /// About how many characters of a value are shown; `None` shows it in full, over several lines.
    pub value_chars: Option<usize>,
    /// Which HTTP headers are shown.
    pub headers: Headers,
    /// Whether lines of stderr are shown.
    pub stderr: bool,
    /// Whether events around the conversation are shown: connections, fences, remarks of the harness.
    pub asides: bool,
    /// Whether each line begins with its time.
    pub times: bool,
    /// Whether what only the era of a revision adds is shown like everything else: members that the stateless era adds to
    /// every message (`_meta`, cache hints, `"resultType": "complete"`), the headers of MCP, and the numbers of the lines of the
    /// handshake.
    pub additions: bool,
    /// What is replaced.
    pub redactor: Redactor,
}

/// Which HTTP headers are shown.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headers {
    /// None, and no HTTP lines at all.
    Hidden,
    /// Those that MCP gives a meaning.
    Mcp,
    /// All of them.
    All,
}

impl Style {
    /// For snapshots: values in full, nothing that differs from run to run or that only the era of the revision adds.
    pub fn golden() -> Self {
        Self {
            // In full, because a snapshot has to change when a value changes.
            value_chars: None,
            additions: false,
            redactor: Redactor::golden(),
            ..Self::brief()
        }
    }

    /// For an overview of the conversation: abbreviated values, no stderr.
    pub fn brief() -> Self {
        Self {
            width: 100,
            value_chars: Some(240),
            headers: Headers::Mcp,
            stderr: false,
            asides: false,
            times: false,
            additions: true,
            redactor: Redactor::secrets(),
        }
    }

    /// For debugging: everything, with times.
    pub fn full() -> Self {
        Self {
            value_chars: None,
            headers: Headers::All,
            stderr: true,
            asides: true,
            times: true,
            ..Self::brief()
        }
    }
}

/// Writes a trace.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::trace::{Party, EventKind, Recorder, Style, render};
///
/// let recorder = Recorder::new();
/// let wire = recorder.open("duplex");
/// let mut say = |party, text: &'static str| recorder.record(wire, party, EventKind::message(text.into()));
/// say(Party::Client, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
/// say(Party::Server, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
/// assert_eq!(
///     render(&recorder.trace(), &Style::golden()),
///     "1  client → server  ping\n2  client ← server  result {}\n",
/// );
/// ```
pub fn render(trace: &Trace, style: &Style) -> String {
    let play = Play::of(trace, style.additions);
    twice(trace, style, None, |writer| writer.write(trace, &play, None))
}

/// Writes what is needed to understand these events: the events themselves, and the other half of their exchanges.
///
/// Without any events it shows how the trace ends.
#[doc(hidden)]
pub fn excerpt(trace: &Trace, events: &[Seq]) -> String {
    excerpt_at(trace, events, None)
}

/// [`excerpt`], which also shows this place in the messages of the events if they are too long to be shown in full.
pub(crate) fn excerpt_at(trace: &Trace, events: &[Seq], place: Option<&Pointer>) -> String {
    let focus = place.map(|place| Focus { place, events });
    let play = Play::of(trace, true);
    let chosen: BTreeSet<Seq> =
        if events.is_empty() { play.ending(4) } else { play.with_partners(events) };
    twice(trace, &Style::brief(), focus, |writer| writer.write(trace, &play, Some(&chosen)))
}

/// Writes twice: only after the first time the redactor knows which placeholders need numbers.
fn twice(
    trace: &Trace,
    style: &Style,
    focus: Option<Focus<'_>>,
    write: impl Fn(&mut Writer<'_>) -> String,
) -> String {
    let mut redactor = style.redactor.clone();
    // From the whole trace, even for an excerpt: a secret of a header may turn up in any message.
    redactor.learn(trace);
    write(&mut Writer::new(style, focus, &mut redactor));
    write(&mut Writer::new(style, focus, &mut redactor))
}

#[cfg(test)]
mod tests;
