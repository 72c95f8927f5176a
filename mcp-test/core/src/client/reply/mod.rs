//! Replies: a result or a JSON-RPC error, with its events in the trace.
//!
//! This module only reads replies; [`crate::assert`] asserts their content.

mod exchange;
mod list;
mod single;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use exchange::HttpHeads;
#[doc(hidden)]
pub use list::listed_items;
pub use list::{
    List, ListKind, PromptList, Prompts, ResourceList, ResourceTemplateList, ResourceTemplates,
    Resources, ToolList, Tools,
};
pub use single::{Completion, PromptMessages, ResourceContents, ToolResult};

use super::{LogMessage, Progress, ReceivedNotification};
use crate::check::{Cause, Fate, Finding};
use crate::expect::{Matcher, words};
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::{Event, EventKind, Recorder, Seq};
use crate::wire::{Message, RpcError};

/// The reply to one request: a result or a JSON-RPC error.
///
/// An error, or the failure of a tool, that the test never examines fails it at its end, so that no test passes on either.
#[must_use = "an unexamined reply proves nothing"]
#[derive(Debug, Clone)]
pub struct Reply {
    method: String,
    revision: Revision,
    request: Seq,
    reply: Seq,
    outcome: Result<Value, RpcError>,
    recorder: Recorder,
    examined: Arc<AtomicBool>,
    notifications: Arc<[ReceivedNotification]>,
    token: Option<Value>,
    earlier: Arc<[Reply]>,
}

impl Reply {
    pub(super) fn new(
        method: &str,
        revision: Revision,
        (request, reply): (Seq, Seq),
        outcome: Result<Value, RpcError>,
        recorder: Recorder,
    ) -> Self {
        // Shared by all clones, one of which the client keeps. Only errors and failures of tools need an examination.
        let is_fine = outcome.as_ref().is_ok_and(|result| !is_tool_failure(method, result));
        let examined = Arc::new(AtomicBool::new(is_fine));
        Self {
            method: method.to_owned(),
            revision,
            request,
            reply,
            outcome,
            recorder,
            examined,
            notifications: Arc::default(),
            token: None,
            earlier: Arc::default(),
        }
    }

    pub(super) fn with_notifications(
        self,
        notifications: Vec<ReceivedNotification>,
        token: Option<&Value>,
    ) -> Self {
        Self { notifications: notifications.into(), token: token.cloned(), ..self }
    }

    /// Makes this the last of several replies to one request.
    pub(super) fn after(self, earlier: Vec<Self>) -> Self {
        Self { earlier: earlier.into(), ..self }
    }

    /// The method of the request.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The negotiated revision when it arrived.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The result.
    ///
    /// # Errors
    ///
    /// A peer finding when the reply is an error.
    pub fn result(&self) -> Result<&Value, Finding> {
        self.mark_examined();
        self.outcome.as_ref().map_err(|error| self.refused(error))
    }

    /// The result, like [`Reply::result`], for an assertion about a part of it: a test that only looks at the text of a tool
    /// that failed has not noticed the failure.
    pub(crate) fn partial_result(&self) -> Result<&Value, Finding> {
        self.outcome.as_ref().map_err(|error| {
            self.mark_examined();
            self.refused(error)
        })
    }

    fn mark_examined(&self) {
        // Relaxed, because no other data depends on the flag.
        self.examined.store(true, Ordering::Relaxed);
    }

    /// The JSON-RPC error, if the reply is one.
    #[must_use]
    pub fn error(&self) -> Option<&RpcError> {
        self.mark_examined();
        self.outcome.as_ref().err()
    }

    /// Result or error.
    ///
    /// # Errors
    ///
    /// The JSON-RPC error, when the reply is one.
    pub fn outcome(&self) -> Result<&Value, &RpcError> {
        self.mark_examined();
        self.outcome.as_ref()
    }

    /// The result, without marking the reply as examined.
    #[doc(hidden)]
    pub fn peek(&self) -> Option<&Value> {
        self.outcome.as_ref().ok()
    }

    /// The error, without marking the reply as examined.
    pub(super) fn peek_error(&self) -> Option<&RpcError> {
        self.outcome.as_ref().err()
    }

    /// The `resultType`: `complete`, `input_required` …; `None` before 2026-07-28.
    #[must_use]
    pub fn result_type(&self) -> Option<&str> {
        self.peek()?.get("resultType")?.as_str()
    }

    /// How the result may be cached, from 2026-07-28 on.
    ///
    /// <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching>
    #[must_use]
    pub fn cache_hints(&self) -> CacheHints {
        let part = |name: &str| self.peek().and_then(|result| result.get(name));
        CacheHints {
            ttl: part("ttlMs").and_then(Value::as_u64).map(Duration::from_millis),
            scope: part("cacheScope").and_then(Value::as_str).map(str::to_owned),
        }
    }

    /// The notifications that belong to the request: over HTTP those on the same response, elsewhere those between request
    /// and reply.
    #[must_use]
    pub fn notifications(&self) -> &[ReceivedNotification] {
        &self.notifications
    }

    /// The progress of the request until its reply, if it carried a progress token.
    #[must_use]
    pub fn progress(&self) -> Vec<Progress> {
        let reported = self.notifications.iter().filter_map(ReceivedNotification::as_progress);
        reported.filter(|progress| Some(&progress.token) == self.token.as_ref()).collect()
    }

    /// Whether the request asked for progress.
    pub(crate) fn has_progress_token(&self) -> bool {
        self.token.is_some()
    }

    /// The log messages that belong to the request.
    #[must_use]
    pub fn log_messages(&self) -> Vec<LogMessage> {
        self.notifications.iter().filter_map(ReceivedNotification::as_log).collect()
    }

    /// The earlier replies to the same request, in order: each asked for input or refused its headers, and the request was
    /// sent again.
    pub fn earlier(&self) -> &[Self] {
        &self.earlier
    }

    /// Checks the result.
    ///
    /// # Errors
    ///
    /// A peer finding when the reply is an error or its result does not match.
    pub fn expect(&self, matcher: &dyn Matcher) -> Result<&Value, Finding> {
        let result = self.result()?;
        matcher.check(result).map(|()| result).map_err(|mismatch| {
            Finding::mismatch(
                format!("the result of `{}` is not as expected", self.method),
                &mismatch,
            )
            .evidence_all(self.evidence())
        })
    }

    /// The events of request and reply.
    #[must_use]
    pub fn evidence(&self) -> Vec<Seq> {
        vec![self.request, self.reply]
    }

    /// The recorder of the conversation.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// The exchange, rendered for a failure message.
    #[must_use]
    pub fn excerpt(&self) -> String {
        crate::trace::excerpt(&self.recorder.trace(), &self.evidence())
    }

    /// A finding against the test, if the reply is an error or the failure of a tool, and was never examined.
    pub(super) fn unexamined(&self) -> Option<Finding> {
        if self.examined.load(Ordering::Relaxed) {
            return None;
        }
        let finding = match &self.outcome {
            Err(error) => {
                let method = &self.method;
                Finding::test(format!("the test never examined the error reply to `{method}`"))
                    .expected(
                        "the test to examine each error reply, for example with `assert_error`",
                    )
                    .got(error.to_string())
            }
            Ok(result) => {
                let tool = match self.recorder.trace().event(self.request).and_then(subject_of) {
                    Some(name) => format!("tool `{name}`"),
                    None => "a tool".to_owned(),
                };
                Finding::test(format!("the test never examined the failure of {tool}"))
                    .expected("a result without `isError`, or a test that expects the failure")
                    .got(format!("`isError` is true in {}", result.short(200)))
                    .hint("a failure that is expected: `assert_tool_error`")
            }
        };
        Some(finding.evidence_all(self.evidence()))
    }

    fn refused(&self, error: &RpcError) -> Finding {
        let subject = self.recorder.trace().event(self.request).and_then(subject_of);
        let method = self.method.clone();
        Finding::peer(format!("{} was refused", words::method(&self.method)))
            .caused_by(Cause::Request { method, subject, fate: Fate::Refused })
            .expected("a result")
            .got(error.to_string())
            .evidence_all(self.evidence())
    }
}

/// Whether a tool reports an error in its result (`server/tools`, error handling).
fn is_tool_failure(method: &str, result: &Value) -> bool {
    method == "tools/call" && result.get("isError").and_then(Value::as_bool) == Some(true)
}

/// The name or URI that a request asks for.
fn subject_of(request: &Event) -> Option<String> {
    let EventKind::Message { parsed, .. } = &request.kind else { return None };
    let params = parsed.messages().find_map(Message::params)?;
    let named = ["name", "uri"].into_iter().find_map(|member| params.get(member));
    named.and_then(Value::as_str).map(str::to_owned)
}

/// How a result may be cached. A member that is missing or has the wrong type is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheHints {
    /// For how long.
    pub ttl: Option<Duration>,
    /// For whom: `public` or `private`.
    pub scope: Option<String>,
}
