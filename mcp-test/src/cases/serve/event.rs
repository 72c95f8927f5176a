//! Events of a mock, for watchers.

use std::fmt;
use std::sync::Arc;

use mcp_test_core::expect::words;

use super::message_ref::MessageRef;
use super::unmatched::UnmatchedMessage;
use crate::cases::compare::Difference;
use crate::cases::{Case, CaseFile};

/// Something that happened while a mock was serving.
///
/// It is displayed in one line: ``tools/call add ← calculator.yaml:12 "Adds two numbers"``.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum MockEvent {
    /// A case has the client's message; a request was answered as in the case.
    Answered(MatchedMessage),
    /// No case has the request, but the contract implies its answer.
    Implied {
        /// The client's number, counted from 0.
        client: u64,
        /// The client's message in short: `tools/list`.
        message: String,
        /// Where the answer comes from.
        source: String,
    },
    /// No case has the client's message, and it was refused.
    Unmatched(Arc<UnmatchedMessage>),
    /// The client's answer to a request of the server differs from the case; the case went on.
    Differed {
        /// The request, and the answer in the case.
        request: MatchedMessage,
        /// Where the client's answer differs.
        differences: Vec<Difference>,
    },
    /// A message of the case was not sent to the client.
    NotSent {
        /// The client's number, counted from 0.
        client: u64,
        /// The message in short, with its place.
        message: String,
        /// Why it was not sent.
        reason: String,
    },
    /// The cases were read again.
    Reloaded {
        /// How many cases there are now.
        cases: usize,
    },
}

/// A message of a client, and the message of a case that it matches.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MatchedMessage {
    /// The client's number, counted from 0.
    pub client: u64,
    /// The client's message in short: `tools/call add`.
    pub message: String,
    /// The file of the case.
    pub file: Arc<CaseFile>,
    /// The case.
    pub case: Arc<Case>,
    /// The key of the message in the case.
    pub key: String,
    /// The line of the message in the file.
    pub line: usize,
}

impl MatchedMessage {
    pub(super) fn new(client: u64, summary: String, line: &MessageRef) -> Self {
        let message = line.message();
        Self {
            client,
            message: summary,
            file: Arc::clone(&line.file),
            case: Arc::clone(&line.case),
            key: message.key.clone(),
            line: message.key_span.line,
        }
    }
}

impl MockEvent {
    /// The number of the client that it concerns, counted from 0.
    #[must_use]
    pub fn client(&self) -> Option<u64> {
        match self {
            Self::Answered(matched) | Self::Differed { request: matched, .. } => {
                Some(matched.client)
            }
            Self::Implied { client, .. } | Self::NotSent { client, .. } => Some(*client),
            Self::Unmatched(unmatched) => Some(unmatched.client()),
            Self::Reloaded { .. } => None,
        }
    }

    /// An `Answered`, or a `Differed` if the answer differs from the case.
    pub(super) fn matched(matched: MatchedMessage, differences: Vec<Difference>) -> Self {
        match differences.is_empty() {
            true => Self::Answered(matched),
            false => Self::Differed { request: matched, differences },
        }
    }

    /// Roughly how many bytes it holds that clients control.
    pub(super) fn weight(&self) -> usize {
        match self {
            // The file and the case are shared, and no client can enlarge them.
            Self::Answered(matched) => matched.message.len(),
            Self::Implied { message, source, .. } => message.len() + source.len(),
            Self::Unmatched(unmatched) => unmatched.weight(),
            Self::Differed { request, differences } => {
                request.message.len() + differences.iter().map(Difference::weight).sum::<usize>()
            }
            Self::NotSent { message, reason, .. } => message.len() + reason.len(),
            Self::Reloaded { .. } => 0,
        }
    }
}

impl fmt::Display for MatchedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (message, title) = (words::printable(&self.message), self.case.title());
        write!(f, "{message} ← {}:{} {title:?}", self.file.path, self.line)
    }
}

impl fmt::Display for MockEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered(matched) => matched.fmt(f),
            Self::Implied { message, source, .. } => write!(f, "{message} ← {source}"),
            Self::Unmatched(unmatched) => {
                write!(f, "{} ← {}", words::printable(unmatched.summary()), unmatched.reason())
            }
            Self::Differed { request, differences } => {
                let differences: Vec<_> = differences.iter().map(ToString::to_string).collect();
                write!(f, "{request}: the client's answer differs: {}", differences.join("; "))
            }
            Self::NotSent { message, reason, .. } => write!(f, "{message} was not sent: {reason}"),
            Self::Reloaded { cases } => write!(f, "reloaded: {}", words::count(*cases, "case")),
        }
    }
}
