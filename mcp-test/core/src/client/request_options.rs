//! [`RequestOptions`]: what a request carries beyond its method and parameters.

use std::time::Duration;

use crate::json::{Object, Value};
use crate::spec::{Revision, meta};
use crate::wire::Id;

/// What a request carries beyond its method and parameters, and how its reply is awaited.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::client::RequestOptions;
/// use std::time::Duration;
///
/// let options = RequestOptions::new()
///     .progress_token("import")
///     .log_level("debug")
///     .meta("com.example/tenant", "a")
///     .timeout(Duration::from_secs(60));
/// # drop(options);
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "pass it to `Client::request_with`"]
pub struct RequestOptions {
    pub(super) id: Option<Id>,
    pub(super) meta: Object,
    /// The level of the log messages that are requested, where a request has one.
    pub(super) log_level: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) timeout: Option<Duration>,
    pub(super) once: bool,
    pub(super) manual: bool,
    pub(super) verbatim: bool,
    pub(super) deliberate: bool,
    pub(super) promptly: bool,
    pub(super) gives_up_if_working: bool,
}

impl RequestOptions {
    /// Options that add nothing to what the revision requires.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests progress notifications; they are in [`Reply::progress`](super::Reply::progress) and, until the
    /// reply, in [`Client::progress`](super::Client::progress).
    pub fn progress_token(self, token: impl Into<Value>) -> Self {
        self.meta(meta::PROGRESS_TOKEN, token)
    }

    /// Requests log messages of this level and above, from 2026-07-28 on.
    ///
    /// Up to 2025-11-25 this sends nothing: there `logging/setLevel` sets the level for the whole conversation.
    pub fn log_level(mut self, level: &str) -> Self {
        self.log_level = Some(level.to_owned());
        self
    }

    /// Adds a member to `_meta`; it replaces one of the same name that the revision requires.
    pub fn meta(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.meta.insert(key, value);
        self
    }

    /// Adds an HTTP header; it replaces one of the same name that the revision requires.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Waits this long for the reply, instead of [`Options::timeout`](super::Options::timeout).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Uses this id, which must be unique in the conversation.
    pub fn id(mut self, id: impl Into<Id>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Marks the request as deliberately invalid, so that it does not count as a mistake of the test.
    pub fn deliberate(mut self) -> Self {
        self.deliberate = true;
        self
    }

    /// Gives the request up if it takes long while the server reports progress on it: so it is not just the machine that is slow.
    ///
    /// The finding has the cause [`Fate::GivenUp`](crate::check::Fate::GivenUp).
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn give_up_if_working(mut self, token: impl Into<Value>) -> Self {
        self.gives_up_if_working = true;
        self.progress_token(token)
    }

    /// Sends the request once and returns the first reply, even one that asks for input.
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// The members of `_meta` at a revision.
    pub(super) fn meta_at(&self, revision: Revision) -> Object {
        let mut members = self.meta.clone();
        if let Some(level) = self.log_level.as_deref()
            && revision.has_log_level_per_request()
            && !members.contains(meta::LOG_LEVEL)
        {
            members.insert(meta::LOG_LEVEL, level);
        }
        members
    }

    /// The progress token of the request.
    pub(super) fn token(&self) -> Option<&Value> {
        self.meta.get(meta::PROGRESS_TOKEN)
    }
}
