//! What a client has sent to the server of its test, and the messages that an assertion has selected from it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::text::names;
use super::{Asserted, Scene, Staged};
use crate::check::Finding;
use crate::expect::{Matcher, Mismatch};
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::{ReceivedMessage, Seq, Trace};

/// What the client under test has sent, as [`ServerCtx::received`](crate::scenario::ServerCtx::received) returns it.
#[derive(Debug, Clone)]
#[must_use = "this asserts nothing by itself: continue with `assert_call`, `assert_sent` …"]
pub struct ReceivedMessages {
    pub(super) trace: Arc<Trace>,
    pub(super) revision: Revision,
    pub(super) messages: Vec<ReceivedMessage>,
    pub(super) unscripted: Vec<Seq>,
    pub(super) examined: ExaminedRequests,
    /// The messages that earlier assertions of the chain have selected.
    pub(super) asserted: BTreeSet<Seq>,
}

/// The requests without a scripted answer that a test has examined; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExaminedRequests(Arc<Mutex<BTreeSet<Seq>>>);

impl ExaminedRequests {
    /// Whether the test has examined this request.
    pub(crate) fn contains(&self, request: Seq) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&request)
    }

    pub(super) fn insert(&self, requests: impl IntoIterator<Item = Seq>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(requests);
    }
}

impl ReceivedMessages {
    /// What a client has sent in a conversation; `unscripted` are the requests that nothing in the script answered.
    pub(crate) fn new(
        trace: Trace,
        revision: Revision,
        unscripted: Vec<Seq>,
        examined: ExaminedRequests,
    ) -> Self {
        let messages = trace.received_messages();
        let (trace, asserted) = (Arc::new(trace), BTreeSet::new());
        Self { trace, revision, messages, unscripted, examined, asserted }
    }

    /// The messages, in the order of arrival.
    pub fn iter(&self) -> impl Iterator<Item = &ReceivedMessage> {
        self.messages.iter()
    }

    /// The methods of the requests and notifications, in the order of arrival.
    #[must_use]
    pub fn methods(&self) -> Vec<&str> {
        self.messages.iter().filter_map(|received| received.message.method()).collect()
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = (usize, &ReceivedMessage, &str)> {
        let all = self.messages.iter().enumerate();
        all.filter(|(_, received)| received.method() == "tools/call").map(|(index, received)| {
            let name = received.params().get("name").and_then(Value::as_str);
            (index, received, name.unwrap_or_default())
        })
    }

    /// The finding that something was not sent, with what was sent instead.
    pub(super) fn not_sent(&self, headline: String) -> Finding {
        let methods = self.methods();
        let got = match methods.as_slice() {
            [] => "no request or notification".to_owned(),
            methods => names(methods.iter().copied()),
        };
        Finding::peer(headline).got(got).evidence_all(self.last())
    }

    /// The last messages, which may say why nothing followed.
    pub(super) fn last(&self) -> impl Iterator<Item = Seq> {
        let first = self.messages.len().saturating_sub(SHOWN);
        self.messages[first..].iter().map(|received| received.seq)
    }
}

impl Staged for ReceivedMessages {
    fn scene(&self) -> Scene<'_> {
        Scene { trace: Cow::Borrowed(&self.trace), revision: self.revision }
    }
}

/// How many messages a finding shows.
pub(super) const SHOWN: usize = 4;

/// Messages of the client that an assertion has selected; [`MatchingMessages::and`] returns to all of them.
#[derive(Debug, Clone)]
pub struct MatchingMessages {
    pub(super) received: ReceivedMessages,
    pub(super) selection: Selection,
}

/// The selected messages, and a name for one of them.
#[derive(Debug, Clone)]
pub(super) struct Selection {
    /// Their places among all messages.
    pub(super) indices: Vec<usize>,
    /// What each of them is: "call of `add`".
    pub(super) what: String,
}

impl From<MatchingMessages> for ReceivedMessages {
    fn from(matching: MatchingMessages) -> Self {
        matching.received
    }
}

impl MatchingMessages {
    pub(super) fn new(received: impl Into<ReceivedMessages>, selection: Selection) -> Self {
        Self { received: received.into(), selection }
    }

    /// Returns to all messages of the client.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(server: &mut ServerCtx) -> Result<()> {
    /// server.received().assert_call("add").and().assert_no_call("subtract");
    /// # Ok(())
    /// # }
    /// ```
    pub fn and(self) -> Asserted<ReceivedMessages> {
        let selected: Vec<Seq> = self.iter().map(|received| received.seq).collect();
        let mut received = self.received;
        received.asserted.extend(selected);
        Asserted(received)
    }

    /// The selected messages, in the order of arrival.
    pub fn iter(&self) -> impl Iterator<Item = &ReceivedMessage> {
        let Self { received, selection } = self;
        selection.indices.iter().filter_map(|index| received.messages.get(*index))
    }
}

impl Staged for MatchingMessages {
    fn scene(&self) -> Scene<'_> {
        self.received.scene()
    }
}

/// How the header of a message deviates; an error if the message did not come over HTTP.
pub(super) fn check_header(
    received: &ReceivedMessage,
    name: &str,
    matcher: &dyn Matcher,
) -> Result<Result<(), Mismatch>, Finding> {
    if received.headers.is_empty() {
        return Err(Finding::test("the message has no HTTP headers")
            .expected("a client that is tested over HTTP")
            .got("another transport, or a request that is no longer in the trace")
            .evidence(received.seq));
    }
    Ok(match received.header(name) {
        Some(value) => matcher.check(&Value::from(value)),
        None => Err(Mismatch::absent(matcher.describe())),
    })
}

pub(super) fn header_finding(headline: String, name: &str, mismatch: &Mismatch) -> Finding {
    Finding::peer(headline)
        .expected(format!("a header `{name}` that is {}", mismatch.expected))
        .got(mismatch.got.clone())
}
