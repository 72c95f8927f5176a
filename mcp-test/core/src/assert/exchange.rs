//! Assertions about the exchange that a reply ends: how long it took, and its HTTP status and headers.

use std::time::Duration;

use super::assertions;
use super::reply::{Replied, last};
use super::text::names;
use crate::check::Finding;
use crate::client::reply::{
    Completion, HttpHeads, List, ListKind, PromptMessages, Reply, ResourceContents, ToolResult,
};
use crate::clock;
use crate::expect::Matcher;
use crate::json::Value;

macro_rules! exchange_assertions {
    ($([$($generics:tt)*] $subject:ty),* $(,)?) => { $(
        assertions! { [$($generics)*] $subject {
            /// Asserts that the reply took at most this long, on the wire; each page of a list, and all rounds of a request that
            /// requires input.
            assert_within / try_within (self, limit: Duration) { check_within(&self, limit) }

            /// Asserts the status code of the HTTP response.
            assert_http_status / try_http_status (self, status: u16) { check_status(&self, status) }

            /// Asserts that the HTTP response has a header whose value, a string, matches.
            assert_http_header / try_http_header (self, name: &str, matcher: impl Matcher) {
                check_header(&self, name, &matcher)
            }
        }}
    )* };
}

exchange_assertions!(
    [] Reply,
    [] ToolResult,
    [] ResourceContents,
    [] PromptMessages,
    [] Completion,
    [K: ListKind] List<K>,
);

fn check_within(subject: &impl Replied, limit: Duration) -> Result<(), Finding> {
    for reply in subject.replies() {
        let Some(latency) = reply.latency() else {
            return Err(Finding::test("the trace no longer has the exchange")
                .expected(format!("`{}` and its reply in the trace", reply.method()))
                .got("a trace that was cut because of its size"));
        };
        if latency > limit {
            return Err(Finding::peer(format!("the reply to `{}` took too long", reply.method()))
                .expected(format!("a reply within {}", clock::format_duration(limit)))
                .got(format!("one after {}", clock::format_duration(latency)))
                .evidence_all(reply.evidence()));
        }
    }
    Ok(())
}

fn heads(reply: &Reply) -> Result<HttpHeads, Finding> {
    reply.http().ok_or_else(|| {
        Finding::test("the exchange has no HTTP response")
            .expected("a scenario run over HTTP: `#[mcp_scenario(transports = [http])]`")
            .got("another transport, or an exchange that is no longer in the trace")
            .evidence_all(reply.evidence())
    })
}

fn check_status(subject: &impl Replied, status: u16) -> Result<(), Finding> {
    let reply = last(subject)?;
    let got = heads(reply)?.status;
    if got == status {
        return Ok(());
    }
    let headline = format!("`{}` was answered with an unexpected HTTP status", reply.method());
    Err(Finding::peer(headline)
        .expected(format!("HTTP {status}"))
        .got(format!("HTTP {got}"))
        .evidence_all(reply.evidence()))
}

fn check_header(subject: &impl Replied, name: &str, matcher: &dyn Matcher) -> Result<(), Finding> {
    let reply = last(subject)?;
    let heads = heads(reply)?;
    let headline = format!("unexpected HTTP headers in the response to `{}`", reply.method());
    let Some(value) = heads.header(name) else {
        let present = names(heads.headers.iter().map(|(name, _)| name.as_str()));
        return Err(Finding::peer(headline)
            .expected(format!("a header `{name}` that is {}", matcher.describe()))
            .got(format!("the headers {present}"))
            .evidence_all(reply.evidence()));
    };
    matcher.check(&Value::from(value)).map_err(|mismatch| {
        Finding::peer(headline)
            .expected(format!("a header `{name}` that is {}", mismatch.expected))
            .got(mismatch.got)
            .evidence_all(reply.evidence())
    })
}
