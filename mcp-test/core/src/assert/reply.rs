//! Assertions about any reply: that it is a result, and what the result contains.

use std::borrow::Cow;

use super::{Scene, Staged, assertions};
use crate::check::Finding;
use crate::client::reply::{
    Completion, List, ListKind, PromptMessages, Reply, ResourceContents, ToolResult,
};
use crate::expect::{Matcher, Mismatch};
use crate::json::{Pointer, Value};
use crate::spec::{Requirement, Revision};
use crate::trace::Trace;

/// One reply, or the pages of a list.
pub trait Replied {
    /// The replies, in order.
    fn replies(&self) -> &[Reply];
}

impl Replied for Reply {
    fn replies(&self) -> &[Reply] {
        std::slice::from_ref(self)
    }
}

impl<K: ListKind> Replied for List<K> {
    fn replies(&self) -> &[Reply] {
        self.pages()
    }
}

macro_rules! replied {
    ($($single:ty),*) => { $(
        impl Replied for $single {
            fn replies(&self) -> &[Reply] {
                std::slice::from_ref(self.reply())
            }
        }
    )* };
}

replied!(ToolResult, ResourceContents, PromptMessages, Completion);

impl<T: Replied> Staged for T {
    fn scene(&self) -> Scene<'_> {
        let (trace, revision) = match self.replies().last() {
            Some(reply) => (reply.recorder().trace(), reply.revision()),
            None => (Trace::default(), Revision::NEWEST),
        };
        Scene { trace: Cow::Owned(trace), revision }
    }
}

macro_rules! ok_assertions {
    ($($subject:ty),*) => { $(
        assertions! { [] $subject {
            /// Asserts that the request was answered with a result, not with an error.
            assert_ok / try_ok (self) { check_ok(&self) }
        }}
    )* };
}

ok_assertions!(Reply, ResourceContents, PromptMessages, Completion);

macro_rules! result_assertions {
    ($($subject:ty),*) => { $(
        assertions! { [] $subject {
            /// Asserts that the result matches; a value from `json!` is compared with all of it.
            assert_result / try_result (self, matcher: impl Matcher) { check_member(&self, "", &matcher) }

            /// Asserts that the value at a JSON pointer of the result matches:
            /// `assert_member("/serverInfo/name", expect::non_empty_string())`.
            assert_member / try_member (self, pointer: &str, matcher: impl Matcher) {
                check_member(&self, pointer, &matcher)
            }

            /// Asserts that the result has no value at a JSON pointer.
            assert_no_member / try_no_member (self, pointer: &str) { check_no_member(&self, pointer) }
        }}
    )* };
}

result_assertions!(Reply, ToolResult, ResourceContents, PromptMessages, Completion);

/// Whether every reply is a result.
pub(super) fn check_ok(subject: &impl Replied) -> Result<(), Finding> {
    subject.replies().iter().try_for_each(|reply| reply.partial_result().map(|_| ()))
}

/// The last reply; only a list without pages has none.
pub(super) fn last(subject: &impl Replied) -> Result<&Reply, Finding> {
    subject.replies().last().ok_or_else(|| Finding::test("a list without pages has no reply"))
}

/// The result of a completed request; one that requires input has no content yet.
pub(super) fn complete(reply: &Reply) -> Result<&Value, Finding> {
    let result = reply.partial_result()?;
    // Only results of 2026-07-28 have a type; without one a result is complete.
    match result.get("resultType").and_then(Value::as_str) {
        Some("input_required") => {
            Err(Finding::peer(format!("`{}` requires input first", reply.method()))
                .expected("a complete result")
                .got("`resultType` is \"input_required\"")
                .evidence_all(reply.evidence()))
        }
        _ => Ok(result),
    }
}

fn check_member(
    subject: &impl Replied,
    pointer: &str,
    matcher: &dyn Matcher,
) -> Result<(), Finding> {
    let reply = last(subject)?;
    let headline = format!("the result of `{}` is not as expected", reply.method());
    check_result_member(reply, pointer, matcher, headline)
}

/// Matches the value at `pointer` of the result.
pub(super) fn check_result_member(
    reply: &Reply,
    pointer: &str,
    matcher: &dyn Matcher,
    headline: impl Into<String>,
) -> Result<(), Finding> {
    member(result_at(reply, pointer)?, pointer, matcher, headline.into())
        .map_err(|finding| finding.evidence_all(reply.evidence()))
}

/// The result, for an assertion about the value at `pointer`.
fn result_at<'a>(reply: &'a Reply, pointer: &str) -> Result<&'a Value, Finding> {
    // Only these examine whether a tool has failed.
    if matches!(pointer, "" | "/isError") { reply.result() } else { reply.partial_result() }
}

/// Matches what an assertion needs of the result; without it, the result breaks the requirement.
pub(super) fn check_shape(
    reply: &Reply,
    result: &Value,
    shape: &dyn Matcher,
    headline: &str,
    requirement: &'static Requirement,
) -> Result<(), Finding> {
    shape.check(result).map_err(|mismatch| {
        Finding::mismatch(headline, &mismatch).requires(requirement).evidence_all(reply.evidence())
    })
}

fn check_no_member(subject: &impl Replied, pointer: &str) -> Result<(), Finding> {
    let reply = last(subject)?;
    // Nothing is at an invalid pointer, so the assertion would always pass.
    parse_pointer(pointer)?;
    match result_at(reply, pointer)?.at(pointer) {
        None => Ok(()),
        Some(value) => {
            Err(Finding::peer(format!("the result of `{}` is not as expected", reply.method()))
                .expected(format!("no value at `{pointer}`"))
                .got(crate::expect::words::got(Some(value)))
                .evidence_all(reply.evidence()))
        }
    }
}

/// Matches the value at `pointer`.
pub(super) fn member(
    value: &Value,
    pointer: &str,
    matcher: &dyn Matcher,
    headline: String,
) -> Result<(), Finding> {
    let parsed = parse_pointer(pointer)?;
    let checked = match value.at(pointer) {
        Some(value) => matcher.check(value),
        None => Err(Mismatch::absent(matcher.describe())),
    };
    checked.map_err(|mismatch| Finding::mismatch(headline, &mismatch.within(parsed)))
}

fn parse_pointer(pointer: &str) -> Result<Pointer, Finding> {
    Pointer::parse(pointer).ok_or_else(|| {
        Finding::test("the test uses an invalid JSON pointer")
            .expected(
                "a JSON pointer, such as `/content/0/text`; the empty one is the whole result",
            )
            .got(format!("{pointer:?}"))
    })
}
