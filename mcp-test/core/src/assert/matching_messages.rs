//! Assertions that narrow a selection of the messages of a client.
//!
//! Each keeps the messages that match, and fails if none is left: two arguments that are asserted in one chain belong to one
//! call.

use super::received::{MatchingMessages, SHOWN, Selection, check_header, header_finding};
use super::reply::member;
use super::{assertions, plain_assertions};
use crate::check::Finding;
use crate::expect::{Matcher, words};
use crate::json::Pointer;
use crate::server::Times;
use crate::trace::ReceivedMessage;

impl MatchingMessages {
    /// Keeps the messages that pass; fails with what is wrong with them if there are none.
    fn narrow(
        &self,
        check: impl Fn(&ReceivedMessage) -> Result<(), Finding>,
    ) -> Result<Selection, Finding> {
        let Selection { indices, what } = &self.selection;
        let (mut kept, mut findings) = (Vec::new(), Vec::new());
        for (index, received) in indices.iter().zip(self.iter()) {
            match check(received) {
                Ok(()) => kept.push(*index),
                Err(finding) => findings.push(finding.evidence(received.seq)),
            }
        }
        if !kept.is_empty() {
            return Ok(Selection { indices: kept, what: what.clone() });
        }
        let count = findings.len();
        let Some(mut first) = findings.first().cloned() else {
            return Err(Finding::test("no message is selected"));
        };
        if count > 1 {
            first.headline =
                format!("none of the {count} messages that are a {what} is as expected");
            let got = findings.iter().filter_map(|finding| finding.got.as_deref());
            let more = count.saturating_sub(SHOWN);
            let got = got.take(SHOWN).map(str::to_owned);
            let got = got.chain((more > 0).then(|| format!("{more} more")));
            first.got = Some(words::list(got, "and"));
            first.evidence =
                findings.iter().take(SHOWN).flat_map(|finding| finding.evidence.clone()).collect();
        }
        Err(first)
    }

    fn narrow_by_param(&self, pointer: &str, matcher: &dyn Matcher) -> Result<Selection, Finding> {
        let what = &self.selection.what;
        self.narrow(|received| {
            let headline = format!("the parameters of the {what} are not as expected");
            member(received.params(), pointer, matcher, headline)
        })
    }
}

assertions! { [] MatchingMessages {
    /// Asserts that the parameters match as a whole; missing ones are `null`.
    assert_params / try_params (self, matcher: impl Matcher) -> MatchingMessages {
        self.narrow_by_param("", &matcher)
    }

    /// Asserts that the value at a JSON pointer of the parameters matches.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(server: &mut ServerCtx) -> Result<()> {
    /// server.received().assert_sent("resources/read").assert_param("/uri", "file:///notes.txt");
    /// # Ok(())
    /// # }
    /// ```
    assert_param / try_param (self, pointer: &str, matcher: impl Matcher) -> MatchingMessages {
        self.narrow_by_param(pointer, &matcher)
    }

    /// Asserts that an argument of the call of a tool, or of a prompt, matches.
    assert_argument / try_argument (self, name: &str, matcher: impl Matcher) -> MatchingMessages {
        let pointer = Pointer::root().member("arguments").member(name);
        self.narrow_by_param(pointer.as_str(), &matcher)
    }

    /// Asserts that the arguments of the call of a tool, or of a prompt, match as a whole.
    assert_arguments / try_arguments (self, matcher: impl Matcher) -> MatchingMessages {
        self.narrow_by_param("/arguments", &matcher)
    }

    /// Asserts that the HTTP request had a header whose value, a string, matches.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(server: &mut ServerCtx) -> Result<()> {
    /// server.received().assert_call("add").assert_header("Authorization", "Bearer 1234");
    /// # Ok(())
    /// # }
    /// ```
    assert_header / try_header (self, name: &str, matcher: impl Matcher) -> MatchingMessages {
        let what = &self.selection.what;
        self.narrow(|received| {
            let headline = format!("a header of the {what} is not as expected");
            check_header(received, name, &matcher)?
                .map_err(|mismatch| header_finding(headline, name, &mismatch))
        })
    }
}}

plain_assertions! { [] MatchingMessages {
    /// Asserts how many messages are selected: `1`, `2..`, `..=3`.
    assert_times / try_times (self, times: impl Into<Times>) { check_times(&self, times.into()) }
}}

fn check_times(matching: &MatchingMessages, times: Times) -> Result<(), Finding> {
    let count = matching.selection.indices.len();
    if times.contains(count as u64) {
        return Ok(());
    }
    let what = &matching.selection.what;
    Err(Finding::peer(format!("the client sent a {what} an unexpected number of times"))
        .expected(format!("a {what} {times}"))
        .got(words::count(count, "message"))
        .evidence_all(matching.iter().take(SHOWN).map(|received| received.seq)))
}
