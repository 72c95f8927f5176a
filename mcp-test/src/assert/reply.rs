//! Assertions of any reply: that it is a result, and what the result holds.

use std::borrow::Cow;

use super::{Scene, Staged, assertions};
use crate::check::Finding;
use crate::client::reply::{
    Completion, List, ListKind, PromptMessages, Reply, ResourceContents, ToolResult,
};
use crate::expect::{Matcher, Mismatch};
use crate::json::{Pointer, Value};
use crate::spec::Revision;
use crate::trace::Trace;

/// What holds one reply, or several that belong together.
pub(super) trait Replied {
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
        match self.replies().last() {
            Some(reply) => {
                Scene { trace: Cow::Owned(reply.recorder().trace()), revision: reply.revision() }
            }
            None => Scene { trace: Cow::Owned(Trace::default()), revision: Revision::NEWEST },
        }
    }
}

assertions! { [] Reply {
    /// Asserts that the request was answered with a result, not with an error.
    assert_ok / try_ok (self) { check_ok(&self) }
}}

assertions! { [] ResourceContents {
    /// Asserts that the request was answered with a result, not with an error.
    assert_ok / try_ok (self) { check_ok(&self) }
}}

assertions! { [] PromptMessages {
    /// Asserts that the request was answered with a result, not with an error.
    assert_ok / try_ok (self) { check_ok(&self) }
}}

assertions! { [] Completion {
    /// Asserts that the request was answered with a result, not with an error.
    assert_ok / try_ok (self) { check_ok(&self) }
}}

macro_rules! result_assertions {
    ($($subject:ty),*) => { $(
        assertions! { [] $subject {
            /// Asserts that the result matches; [`equals`](crate::expect::equals) compares it as a whole.
            assert_result / try_result (self, matcher: impl Matcher) { check_member(&self, "", &matcher) }

            /// Asserts that the value at a JSON pointer of the result matches:
            /// `assert_member("/serverInfo/name", expect::non_empty_string())`.
            assert_member / try_member (self, pointer: &str, matcher: impl Matcher) {
                check_member(&self, pointer, &matcher)
            }

            /// Asserts that the result has nothing at a JSON pointer.
            assert_no_member / try_no_member (self, pointer: &str) { check_no_member(&self, pointer) }
        }}
    )* };
}

result_assertions!(Reply, ToolResult, ResourceContents, PromptMessages, Completion);

/// Every reply is a result.
pub(super) fn check_ok(subject: &impl Replied) -> Result<(), Finding> {
    subject.replies().iter().try_for_each(|reply| reply.result().map(|_| ()))
}

/// The last reply; there is none only when a list was put together from no page at all.
pub(super) fn last(subject: &impl Replied) -> Result<&Reply, Finding> {
    subject.replies().last().ok_or_else(|| Finding::test("a list of no pages has no reply"))
}

/// The result of a request that is done: one that asks for input first holds nothing else yet.
pub(super) fn complete(reply: &Reply) -> Result<&Value, Finding> {
    let result = reply.result()?;
    match result.get("resultType").and_then(Value::as_str) {
        Some("input_required") => {
            Err(Finding::peer(format!("`{}` asks for input first", reply.method()))
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
    member(reply.result()?, pointer, matcher, headline)
        .map_err(|finding| finding.evidence_all(reply.evidence()))
}

fn check_no_member(subject: &impl Replied, pointer: &str) -> Result<(), Finding> {
    let reply = last(subject)?;
    parsed(pointer)?;
    match reply.result()?.at(pointer) {
        None => Ok(()),
        Some(value) => {
            Err(Finding::peer(format!("the result of `{}` is not as expected", reply.method()))
                .expected(format!("nothing at `{pointer}`"))
                .got(crate::expect::words::got(Some(value)))
                .evidence_all(reply.evidence()))
        }
    }
}

/// Holds the value at `pointer` against a matcher.
pub(super) fn member(
    value: &Value,
    pointer: &str,
    matcher: &dyn Matcher,
    headline: String,
) -> Result<(), Finding> {
    let place = parsed(pointer)?;
    let checked = match value.at(pointer) {
        Some(value) => matcher.check(value),
        None => Err(Mismatch::absent(matcher.describe())),
    };
    checked.map_err(|mismatch| Finding::mismatch(headline, &mismatch.within(place)))
}

fn parsed(pointer: &str) -> Result<Pointer, Finding> {
    Pointer::parse(pointer).ok_or_else(|| {
        Finding::test("the test asks for a place that no JSON value has")
            .expected(
                "a JSON pointer, such as `/content/0/text`; the empty one is the whole result",
            )
            .got(format!("{pointer:?}"))
    })
}
