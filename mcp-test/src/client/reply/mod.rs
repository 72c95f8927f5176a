//! Replies: a result or a JSON-RPC error, with the way back to the trace.
//!
//! Reading a reply is what this room is for; what it should hold is asserted in [`crate::assert`].

mod list;
mod single;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use list::{
    List, ListKind, PromptList, Prompts, ResourceList, ResourceTemplateList, ResourceTemplates,
    Resources, ToolList, Tools,
};
pub use single::{Completion, PromptMessages, ResourceContents, ToolResult};

use super::{LogMessage, Notice, Progress};
use crate::check::Finding;
use crate::expect::Matcher;
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::{Recorder, Seq};
use crate::wire::RpcError;

/// The reply to one request: a result or a JSON-RPC error.
///
/// An error that is never looked at fails the test at its end, so that nothing passes on a refusal.
#[must_use = "a reply that nobody looks at shows nothing"]
#[derive(Debug, Clone)]
pub struct Reply {
    method: String,
    revision: Revision,
    request: Seq,
    reply: Seq,
    outcome: Result<Value, RpcError>,
    recorder: Recorder,
    examined: Arc<AtomicBool>,
    notices: Arc<[Notice]>,
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
        let examined = Arc::new(AtomicBool::new(outcome.is_ok()));
        Self {
            method: method.to_owned(),
            revision,
            request,
            reply,
            outcome,
            recorder,
            examined,
            notices: Arc::default(),
            token: None,
            earlier: Arc::default(),
        }
    }

    pub(super) fn with_notices(self, notices: Vec<Notice>, token: Option<&Value>) -> Self {
        Self { notices: notices.into(), token: token.cloned(), ..self }
    }

    /// The last of several replies to one request.
    pub(super) fn after(self, earlier: Vec<Self>) -> Self {
        Self { earlier: earlier.into(), ..self }
    }

    /// The method of the request.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The revision in force when it came.
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
        self.examined.store(true, Ordering::Relaxed);
        self.outcome.as_ref().map_err(|error| self.refused(error))
    }

    /// The JSON-RPC error, if the reply is one.
    #[must_use]
    pub fn error(&self) -> Option<&RpcError> {
        self.examined.store(true, Ordering::Relaxed);
        self.outcome.as_ref().err()
    }

    /// Result or error.
    ///
    /// # Errors
    ///
    /// The JSON-RPC error, when the reply is one.
    pub fn outcome(&self) -> Result<&Value, &RpcError> {
        self.examined.store(true, Ordering::Relaxed);
        self.outcome.as_ref()
    }

    /// The result, without counting as a look at the reply.
    pub(crate) fn peek(&self) -> Option<&Value> {
        self.outcome.as_ref().ok()
    }

    /// The error, without counting as a look at the reply.
    pub(super) fn peek_error(&self) -> Option<&RpcError> {
        self.outcome.as_ref().err()
    }

    /// What the result says of its type: `complete`, `input_required` … `None` before 2026-07-28.
    #[must_use]
    pub fn result_type(&self) -> Option<&str> {
        self.peek()?.get("resultType")?.as_str()
    }

    /// What the result says of how it may be cached, from 2026-07-28 on.
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

    /// The notifications that came with the reply: over HTTP on the same response, elsewhere between the request and it.
    #[must_use]
    pub fn notifications(&self) -> &[Notice] {
        &self.notices
    }

    /// The progress of the request until its reply, if it asked for that.
    #[must_use]
    pub fn progress(&self) -> Vec<Progress> {
        let told = self.notices.iter().filter_map(Notice::as_progress);
        told.filter(|progress| Some(&progress.token) == self.token.as_ref()).collect()
    }

    /// The log messages that came with the reply.
    #[must_use]
    pub fn log_messages(&self) -> Vec<LogMessage> {
        self.notices.iter().filter_map(Notice::as_log).collect()
    }

    /// The earlier replies to the same request, in order: each asked for input, or for headers, and the request was sent
    /// again with them.
    pub fn earlier(&self) -> &[Self] {
        &self.earlier
    }

    /// Checks the result.
    ///
    /// # Errors
    ///
    /// A peer finding when the reply is an error, or its result is not what `matcher` wants.
    pub fn expect(&self, matcher: &dyn Matcher) -> Result<&Value, Finding> {
        let result = self.result()?;
        matcher.check(result).map(|()| result).map_err(|mismatch| {
            Finding::mismatch(
                format!("the result of `{}` is not as it should be", self.method),
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

    /// The recorder of the conversation that the reply is part of.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// The exchange, rendered for a failure message.
    #[must_use]
    pub fn excerpt(&self) -> String {
        crate::trace::excerpt(&self.recorder.trace(), &self.evidence())
    }

    /// Keeps track of whether somebody looks at the reply.
    pub(super) fn examined(&self) -> Examined {
        Examined { reply: self.clone() }
    }

    fn refused(&self, error: &RpcError) -> Finding {
        Finding::peer(format!("`{}` was refused", self.method))
            .expected("a result")
            .got(error.to_string())
            .evidence_all(self.evidence())
    }
}

/// What a result says of how it may be cached. What it lacks, or has in another type, reads as nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheHints {
    /// For how long.
    pub ttl: Option<Duration>,
    /// For whom: `public` or `private`.
    pub scope: Option<String>,
}

/// Remembers a reply that may never be looked at.
#[derive(Debug)]
pub(super) struct Examined {
    reply: Reply,
}

impl Examined {
    /// A finding against the test, when the reply is an error that nobody looked at.
    pub(super) fn overlooked(&self) -> Option<Finding> {
        if self.reply.examined.load(Ordering::Relaxed) {
            return None;
        }
        let error = self.reply.outcome.as_ref().err()?;
        let finding = Finding::test(format!(
            "the test never looked at the error reply to `{}`",
            self.reply.method
        ));
        Some(
            finding
                .expected("the test to examine each error reply, for example with `assert_error`")
                .got(error.to_string())
                .evidence_all(self.reply.evidence()),
        )
    }
}
