//! Converts traces to cases: a [`Recording`] takes traces and is written as a file of cases.
//!
//! | file | contents |
//! |---|---|
//! | `conversation` | the conversations of a trace |
//! | `replayable` | which messages can be replayed |
//! | `draft` | a conversation as a case: labels for ids, keys |
//! | `differing` `mismatch` | two recordings of the same conversation |
//! | `volatile` `binary` | values that vary from run to run, or are too long |
//! | `names` | values that are repeated later, and secrets |
//! | `page` `text` | the text of a case |
//! | `update` `save` | adding to an existing file; writing it |
//! | `record_cases` | recording the conversation of a test |
//! | `left_out` `walk` | comments; iterating over messages |
//!
//! Each conversation becomes a case with its handshake, so that it can run on its own. Conversations with the same messages
//! are one case. What a case cannot have (invalid bytes, batches, headers, messages that depend on timing) is left out, and
//! a comment says so.

mod binary;
mod conversation;
mod differing;
mod draft;
mod left_out;
mod mismatch;
mod names;
mod page;
mod record_cases;
mod replayable;
mod save;
mod text;
mod update;
mod volatile;
mod walk;

#[cfg(test)]
mod tests;

pub use self::mismatch::{ConversationMismatch, RecordError};
pub use self::record_cases::RecordExt;
pub use self::save::{SaveError, Saved};
pub use self::update::Updated;

use std::fmt;

use mcp_test_core::trace::{Redactor, Trace};

use self::conversation::conversations;
use self::differing::Differing;
use self::draft::Draft;
use self::left_out::LeftOut;
use self::page::Page;
use self::replayable::filter_replayable;

/// The maximum size of the messages of a recording, in bytes: a file of them is still within the limit of what is read.
const MAX_BYTES: usize = 12 * 1024 * 1024;

/// The cases of a trace, as the text of a file.
///
/// Values that differ from run to run become matchers, repeated ones are captured, secrets become inputs. A test records its
/// conversation with `mcp_test::cases::record("adds two numbers", &ctx.trace())`.
///
/// ```
/// use mcp_test::trace::{Party, EventKind, Recorder};
///
/// let recorder = Recorder::new();
/// let wire = recorder.open("duplex");
/// let mut send = |party, text: &'static str| recorder.record(wire, party, EventKind::message(text.into()));
/// send(Party::Client, r#"{"jsonrpc":"2.0","id":41,"method":"ping"}"#);
/// send(Party::Server, r#"{"jsonrpc":"2.0","id":41,"result":{}}"#);
/// assert_eq!(
///     mcp_test::cases::record("pings", &recorder.trace()),
///     r#"case: pings
/// in_ping: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
/// out_ping: {"jsonrpc": "2.0", "id": 1, "result": {}}
/// "#,
/// );
/// ```
#[must_use]
pub fn record(name: &str, trace: &Trace) -> String {
    let mut recording = Recording::new();
    recording.add(name, trace);
    recording.to_string()
}

/// Recorded cases; [`Display`](fmt::Display) writes the text of a file.
///
/// ```
/// use mcp_test::cases::Recording;
/// use mcp_test::trace::Trace;
///
/// let mut recording = Recording::new();
/// recording.add("empty", &Trace::default());
/// assert_eq!((recording.cases(), recording.left_out()), (0, 0));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Recording {
    cases: Vec<(Draft, Differing)>,
    /// The conversations of which nothing can be replayed, with what was left out.
    empty: Vec<(String, LeftOut)>,
    repeated: usize,
    bytes: usize,
}

impl Recording {
    /// An empty recording.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the conversations of a trace, without their secrets.
    pub fn add(&mut self, name: &str, trace: &Trace) {
        // First, so that nothing below can put a secret into the file.
        let trace = Redactor::secrets().trace(trace.clone());
        let conversations: Vec<_> = conversations(&trace)
            .into_iter()
            .filter(|it| !it.messages.is_empty() || !it.left_out.is_empty())
            .collect();
        let several = conversations.len() > 1;
        for (index, conversation) in conversations.into_iter().enumerate() {
            let name = match several {
                true => format!("{name}, conversation {}", index + 1),
                false => name.to_owned(),
            };
            let header = conversation.header;
            self.add_draft(Draft::of(name, filter_replayable(conversation), header));
        }
    }

    fn add_draft(&mut self, mut draft: Draft) {
        if !draft.is_answered() {
            // Without any message of the server, a case would check nothing.
            if draft.left_out.is_empty() {
                draft.left_out.add_reason("everything", "the server sends nothing");
            }
            self.empty.push((draft.name, draft.left_out));
            return;
        }
        // Compared as drafts, whose labels are the same even if the ids on the wire were not.
        if let Some((known, _)) =
            self.cases.iter_mut().find(|(known, _)| known.same_messages(&draft))
        {
            known.also.push(draft.name);
            known.left_out.add(&draft.left_out);
            self.repeated += 1;
            return;
        }
        let bytes: usize = draft.messages.iter().map(|it| it.value.to_string().len()).sum();
        if self.bytes + bytes > MAX_BYTES {
            draft.left_out.add_reason("everything", "the file would be larger than mcp-test reads");
            self.empty.push((draft.name, draft.left_out));
            return;
        }
        self.bytes += bytes;
        self.cases.push((draft, Differing::default()));
    }

    /// Adds another recording of the same conversations: differences become matchers, and cases that only the other one has are
    /// added.
    ///
    /// # Errors
    ///
    /// For each case whose conversations do not match, how they differ; the case of this recording is kept.
    pub fn compare(&mut self, other: Self) -> Result<(), Vec<RecordError>> {
        let mut errors = Vec::new();
        for (theirs, known) in other.cases {
            let is_it = |mine: &Draft| mine.names().any(|name| theirs.names().any(|it| it == name));
            match self.cases.iter_mut().find(|(mine, _)| is_it(mine)) {
                None => self.cases.push((theirs, known)),
                Some((mine, differing)) => {
                    if let Err(mismatch) = differing::merge(mine, differing, &theirs) {
                        let case = mine.name.clone();
                        errors.push(RecordError::Mismatch { case, mismatch });
                    }
                }
            }
        }
        for one in other.empty {
            if !self.empty.contains(&one) {
                self.empty.push(one);
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// How many cases there are.
    #[must_use]
    pub fn cases(&self) -> usize {
        self.cases.len()
    }

    /// How many conversations have nothing that can be replayed.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.empty.len()
    }

    /// How many conversations have the same messages as another one.
    #[must_use]
    pub fn repeated(&self) -> usize {
        self.repeated
    }

    fn pages(&self) -> Vec<Page> {
        self.cases.iter().map(|(draft, differing)| Page::of(draft, differing)).collect()
    }
}

/// The text of a file of cases.
impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remarks = self.empty.iter().flat_map(|(name, left_out)| {
            std::iter::once(format!("Nothing of {name} can be replayed.")).chain(left_out.lines())
        });
        let remarks: Vec<String> = remarks.collect();
        f.write_str(&text::text(&self.pages(), &remarks))
    }
}
