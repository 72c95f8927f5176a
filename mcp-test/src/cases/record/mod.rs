//! From what was said to cases that say it again: a [`Recording`] takes traces and becomes the text of a file.
//!
//! | file | what |
//! |---|---|
//! | `conversation` | from a trace to its conversations |
//! | `sift` | which messages hold again |
//! | `draft` | a conversation in the words of a case: labels for ids, keys |
//! | `compare` | two recordings of the same |
//! | `volatile` `base64` | values that will be others the next time, or are too long |
//! | `names` | values that come back later, and secrets |
//! | `page` `text` | what is written |
//! | `update` | a file that is there already |
//! | `left_out` `walk` | comments; going through messages |
//!
//! Each conversation becomes a case with its handshake, so that it holds by itself. Conversations in which the same was
//! said are one case. What a case cannot say (bytes that are no message, batches, headers, what comes at its own time) is
//! left out, and a comment says so.
//!
//! Who plays cases is another room: nothing here talks to anybody.

mod base64;
mod compare;
mod conversation;
mod draft;
mod left_out;
mod names;
mod page;
mod sift;
mod text;
mod update;
mod volatile;
mod walk;

#[cfg(test)]
mod tests;

use std::fmt;

pub use self::update::Updated;

use self::compare::Differing;
use self::conversation::conversations;
use self::draft::Draft;
use self::left_out::LeftOut;
use self::page::Page;
use crate::trace::{Redactor, Trace};

/// How much text a recording may come to, in bytes: less than what is read.
const MOST: usize = 12 * 1024 * 1024;

/// The cases of what was said in a trace, as the text of a file.
///
/// Values that differ from run to run become matchers, those that come back are kept, secrets become inputs. A test records
/// what it said with `mcp_test::cases::record("adds two numbers", &ctx.trace())`.
///
/// ```
/// use mcp_test::trace::{Party, Reading, Recorder};
///
/// let recorder = Recorder::new();
/// let wire = recorder.open("duplex");
/// let mut say = |party, text: &'static str| recorder.record(wire, party, Reading::message(text.into()));
/// say(Party::Client, r#"{"jsonrpc":"2.0","id":41,"method":"ping"}"#);
/// say(Party::Server, r#"{"jsonrpc":"2.0","id":41,"result":{}}"#);
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

/// What was recorded, as cases; [`Display`](fmt::Display) writes the text of a file.
///
/// ```
/// use mcp_test::cases::Recording;
/// use mcp_test::trace::Trace;
///
/// let mut recording = Recording::new();
/// recording.add("says nothing", &Trace::default());
/// assert_eq!((recording.cases(), recording.left_out()), (0, 0));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Recording {
    cases: Vec<(Draft, Differing)>,
    /// Conversations of which nothing is left, with what was in them.
    nothing_left: Vec<(String, LeftOut)>,
    repeated: usize,
    bytes: usize,
}

impl Recording {
    /// One in which nothing was said.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the conversations of a trace, without what is secret in them.
    pub fn add(&mut self, name: &str, trace: &Trace) {
        let trace = Redactor::secrets().trace(trace.clone());
        let conversations: Vec<_> = conversations(&trace)
            .into_iter()
            .filter(|it| !it.said.is_empty() || !it.left_out.is_empty())
            .collect();
        let several = conversations.len() > 1;
        for (index, conversation) in conversations.into_iter().enumerate() {
            let name = match several {
                true => format!("{name}, conversation {}", index + 1),
                false => name.to_owned(),
            };
            let header = conversation.header;
            self.take(Draft::of(name, sift::sift(conversation), header));
        }
    }

    fn take(&mut self, mut draft: Draft) {
        if !draft.is_answered() {
            if draft.left_out.is_empty() {
                draft.left_out.because("everything", "the server says nothing in it");
            }
            self.nothing_left.push((draft.name, draft.left_out));
            return;
        }
        if let Some((known, _)) =
            self.cases.iter_mut().find(|(known, _)| known.says_the_same(&draft))
        {
            known.also.push(draft.name);
            known.left_out.add(&draft.left_out);
            self.repeated += 1;
            return;
        }
        let bytes: usize = draft.messages.iter().map(|it| it.value.to_string().len()).sum();
        if self.bytes + bytes > MOST {
            draft.left_out.because("everything", "the file would be larger than what is read");
            self.nothing_left.push((draft.name, draft.left_out));
            return;
        }
        self.bytes += bytes;
        self.cases.push((draft, Differing::default()));
    }

    /// Takes another recording of the same: what differs between the two becomes a matcher, and what is only in the other
    /// one is added.
    ///
    /// # Errors
    ///
    /// For each case that is another conversation in the other recording, why it is; this one keeps its own.
    pub fn compare(&mut self, other: Self) -> Result<(), Vec<String>> {
        let mut complaints = Vec::new();
        for (theirs, known) in other.cases {
            let names = |it: &Draft| {
                std::iter::once(it.name.clone()).chain(it.also.clone()).collect::<Vec<_>>()
            };
            let wanted = names(&theirs);
            let mine = self
                .cases
                .iter_mut()
                .find(|(it, _)| names(it).iter().any(|it| wanted.contains(it)));
            match mine {
                None => self.cases.push((theirs, known)),
                Some((mine, differing)) => {
                    if let Err(why) = compare::agree(mine, differing, &theirs) {
                        complaints.push(format!("{}: {why}", mine.name));
                    }
                }
            }
        }
        for one in other.nothing_left {
            if !self.nothing_left.contains(&one) {
                self.nothing_left.push(one);
            }
        }
        if complaints.is_empty() { Ok(()) } else { Err(complaints) }
    }

    /// How many cases there are.
    #[must_use]
    pub fn cases(&self) -> usize {
        self.cases.len()
    }

    /// How many conversations have nothing that a case could say.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.nothing_left.len()
    }

    /// How many conversations said the same as another one.
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
        let remarks = self.nothing_left.iter().flat_map(|(name, left_out)| {
            std::iter::once(format!("Nothing is left of {name}.")).chain(left_out.lines())
        });
        let remarks: Vec<String> = remarks.collect();
        f.write_str(&text::text(&self.pages(), &remarks))
    }
}
