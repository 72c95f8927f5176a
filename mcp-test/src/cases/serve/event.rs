//! What happened while cases were served, for those who watch.

use std::fmt;
use std::sync::Arc;

use super::line::Line;
use super::miss::Miss;
use crate::cases::compare::Difference;
use crate::cases::{Case, CaseFile};
use crate::expect::words;

/// One thing that happened.
///
/// Shown, it is one line: ``tools/call add ← calculator.yaml:12 "Adds two numbers"``.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// A case had what the client said; a request was answered as the case has it.
    Answered(Answered),
    /// No case has the request, but the contract implies the answer.
    Implied {
        /// Which client it was, counted from 0.
        client: u64,
        /// What the client said: `tools/list`.
        what: String,
        /// What the answer is made of.
        from: String,
    },
    /// No case has it, and it was refused.
    Missed(Arc<Miss>),
    /// The client answered a request of the server otherwise than in the case; the case went on.
    Differed {
        /// What was asked.
        asked: Answered,
        /// In what the answer differs.
        differences: Vec<Difference>,
    },
    /// Something that the case has was not said to the client.
    Unsaid {
        /// Which client it was, counted from 0.
        client: u64,
        /// What was not said, and where it stands.
        what: String,
        /// Why.
        why: String,
    },
    /// The cases were read again.
    Reloaded {
        /// How many there are now.
        cases: usize,
    },
}

/// A message of a client, and the message of a case that it was taken for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answered {
    /// Which client it was, counted from 0.
    pub client: u64,
    /// What the client said: `tools/call add`.
    pub what: String,
    /// The file of the case.
    pub file: Arc<CaseFile>,
    /// The case.
    pub case: Arc<Case>,
    /// The key of the message in the case.
    pub key: String,
    /// The line where the message stands.
    pub line: usize,
}

impl Answered {
    pub(super) fn new(client: u64, what: String, line: &Line) -> Self {
        let message = line.message();
        Self {
            client,
            what,
            file: Arc::clone(&line.file),
            case: Arc::clone(&line.case),
            key: message.key.clone(),
            line: message.key_span.line,
        }
    }
}

impl Event {
    /// Which client it was about, counted from 0.
    #[must_use]
    pub fn client(&self) -> Option<u64> {
        match self {
            Self::Answered(answered) | Self::Differed { asked: answered, .. } => {
                Some(answered.client)
            }
            Self::Implied { client, .. } | Self::Unsaid { client, .. } => Some(*client),
            Self::Missed(miss) => Some(miss.client()),
            Self::Reloaded { .. } => None,
        }
    }

    /// About how many bytes it holds that clients have a say in.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Answered(answered) => answered.what.len(),
            Self::Implied { what, from, .. } => what.len() + from.len(),
            Self::Missed(miss) => miss.weight(),
            Self::Differed { asked, differences } => {
                asked.what.len() + differences.iter().map(Difference::weight).sum::<usize>()
            }
            Self::Unsaid { what, why, .. } => what.len() + why.len(),
            Self::Reloaded { .. } => 0,
        }
    }
}

/// What a message is, in few words: its method, and what it is about.
pub(super) fn brief(method: &str, name: Option<&str>) -> String {
    let method = words::begun(method);
    match name {
        Some(name) => format!("{method} {}", words::begun(name)),
        None => method.into_owned(),
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, title) = (words::printable(&self.what), self.case.title());
        write!(f, "{what} ← {}:{} {title:?}", self.file.path, self.line)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered(answered) => answered.fmt(f),
            Self::Implied { what, from, .. } => write!(f, "{what} ← {from}"),
            Self::Missed(miss) => write!(f, "{} ← {}", words::printable(miss.what()), miss.why()),
            Self::Differed { asked, differences } => {
                let differences: Vec<_> = differences.iter().map(ToString::to_string).collect();
                write!(f, "{asked}: the client answered otherwise: {}", differences.join("; "))
            }
            Self::Unsaid { what, why, .. } => write!(f, "{what} was not said: {why}"),
            Self::Reloaded { cases } => write!(f, "read again: {}", words::count(*cases, "case")),
        }
    }
}
