//! Assertions about what a client has sent to the server of its test.
//!
//! Unlike a server, a client under test has exited when they are made: what it has not sent by then, it does not send.

use super::assertions;
use super::received::{
    MatchingMessages, ReceivedMessages, SHOWN, Selection, check_header, header_finding,
};
use super::text::{names, suggest};
use super::trace::check_order_of;
use crate::check::Finding;
use crate::expect::{Matcher, words};
use crate::trace::Seq;

assertions! { [] ReceivedMessages {
    /// Asserts that the client called this tool, and selects these calls for further assertions.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(server: &mut ServerCtx) -> Result<()> {
    /// server.received().assert_call("add").assert_argument("a", 1).assert_argument("b", 2);
    /// # Ok(())
    /// # }
    /// ```
    assert_call / try_call (self, tool: &str) -> MatchingMessages { select_calls(&self, tool) }

    /// Asserts that the client did not call this tool.
    assert_no_call / try_no_call (self, tool: &str) { check_no_call(&self, tool) }

    /// Asserts that the client called no tools but those that earlier assertions of this chain have selected.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(server: &mut ServerCtx) -> Result<()> {
    /// server.received().assert_call("add").assert_times(1).and().assert_no_other_calls();
    /// # Ok(())
    /// # }
    /// ```
    assert_no_other_calls / try_no_other_calls (self) { check_no_other_calls(&self) }

    /// Asserts that the client sent a request or notification of this method, and selects these messages for further
    /// assertions.
    assert_sent / try_sent (self, method: &str) -> MatchingMessages { select_method(&self, method) }

    /// Asserts that the client sent no request and no notification of this method.
    assert_not_sent / try_not_sent (self, method: &str) { check_not_sent(&self, method) }

    /// Asserts that the client sent requests and notifications of these methods in this order, possibly with others in between.
    assert_order / try_order (self, methods: impl IntoIterator<Item = impl AsRef<str>>) {
        check_order_of(&self.methods(), methods)
            .map_err(|finding| finding.evidence_all(self.last()))
    }

    /// Asserts that each message came in an HTTP request with this header, whose value, a string, matches.
    assert_header_everywhere / try_header_everywhere (self, name: &str, matcher: impl Matcher) {
        check_headers(&self, name, &matcher)
    }

    /// Asserts that the client sent a request of this method for which the test has scripted no answer, and selects these
    /// requests for further assertions.
    ///
    /// The server has answered it with an error. Without this assertion, such a request fails the test at its end.
    assert_unscripted / try_unscripted (self, method: &str) -> MatchingMessages {
        select_unscripted(&self, method)
    }
}}

fn select_calls(received: &ReceivedMessages, tool: &str) -> Result<Selection, Finding> {
    let calls = received.calls().filter(|(_, _, name)| *name == tool);
    let indices: Vec<usize> = calls.map(|(index, ..)| index).collect();
    if !indices.is_empty() {
        return Ok(Selection { indices, what: format!("call of `{tool}`") });
    }
    let expected = format!("a call of the tool `{tool}`");
    let headline = format!("the client did not call `{tool}`");
    let others: Vec<&str> = received.calls().map(|(_, _, name)| name).collect();
    if others.is_empty() {
        return Err(received.not_sent(headline).expected(expected));
    }
    let seqs = received.calls().take(SHOWN).map(|(_, call, _)| call.seq);
    let finding = Finding::peer(headline)
        .expected(expected)
        .got(format!("calls of {}", names(others.iter().copied())))
        .evidence_all(seqs);
    Err(suggest(finding, tool, others))
}

fn check_no_call(received: &ReceivedMessages, tool: &str) -> Result<(), Finding> {
    let calls: Vec<_> = received.calls().filter(|(_, _, name)| *name == tool).collect();
    match calls.as_slice() {
        [] => Ok(()),
        calls => Err(Finding::peer(format!("the client called `{tool}`"))
            .expected(format!("no call of the tool `{tool}`"))
            .got(words::count(calls.len(), "call"))
            .evidence_all(calls.iter().take(SHOWN).map(|(_, call, _)| call.seq))),
    }
}

fn check_no_other_calls(received: &ReceivedMessages) -> Result<(), Finding> {
    let is_other = |seq: Seq| !received.asserted.contains(&seq);
    let others: Vec<_> = received.calls().filter(|(_, call, _)| is_other(call.seq)).collect();
    if others.is_empty() {
        return Ok(());
    }
    let shown = others.iter().map(|(_, call, name)| {
        let arguments = call.params().get("arguments");
        format!(
            "`{name}` with {}",
            arguments.map_or("no arguments".to_owned(), |it| words::got(Some(it)))
        )
    });
    let more = others.len().saturating_sub(SHOWN);
    let shown = shown.take(SHOWN).chain((more > 0).then(|| format!("{more} more")));
    let expected = match received.asserted.is_empty() {
        true => "no call of a tool",
        false => "no call of a tool but those that the test has asserted",
    };
    Err(Finding::peer("the client made calls that the test does not expect")
        .expected(expected)
        .got(words::list(shown, "and"))
        .evidence_all(others.iter().take(SHOWN).map(|(_, call, _)| call.seq)))
}

fn indices_of_method(received: &ReceivedMessages, method: &str) -> Vec<usize> {
    let all = received.messages.iter().enumerate();
    all.filter(|(_, received)| received.method() == method).map(|(index, _)| index).collect()
}

fn select_method(received: &ReceivedMessages, method: &str) -> Result<Selection, Finding> {
    let indices = indices_of_method(received, method);
    if indices.is_empty() {
        let expected = format!("a request or notification `{method}`");
        let finding =
            received.not_sent(format!("the client did not send `{method}`")).expected(expected);
        return Err(suggest(finding, method, received.methods()));
    }
    Ok(Selection { indices, what: format!("`{method}`") })
}

fn check_not_sent(received: &ReceivedMessages, method: &str) -> Result<(), Finding> {
    let indices = indices_of_method(received, method);
    if indices.is_empty() {
        return Ok(());
    }
    let seqs = indices.iter().take(SHOWN).map(|index| received.messages[*index].seq);
    Err(Finding::peer(format!("the client sent `{method}`"))
        .expected(format!("no `{method}`"))
        .got(words::count(indices.len(), "message"))
        .evidence_all(seqs))
}

fn check_headers(
    received: &ReceivedMessages,
    name: &str,
    matcher: &dyn Matcher,
) -> Result<(), Finding> {
    if received.messages.is_empty() {
        let expected = format!("messages with a header `{name}`");
        return Err(received.not_sent("the client sent no message".to_owned()).expected(expected));
    }
    received.messages.iter().try_for_each(|received| {
        let headline = format!("a header of `{}` is not as expected", received.method());
        check_header(received, name, matcher)?
            .map_err(|mismatch| header_finding(headline, name, &mismatch).evidence(received.seq))
    })
}

fn select_unscripted(received: &ReceivedMessages, method: &str) -> Result<Selection, Finding> {
    let mut indices = indices_of_method(received, method);
    indices.retain(|index| received.unscripted.contains(&received.messages[*index].seq));
    if indices.is_empty() {
        let headline = format!("the client sent no unscripted `{method}`");
        let expected = format!("a request `{method}` for which the test has scripted no answer");
        return Err(received.not_sent(headline).expected(expected));
    }
    received.examined.insert(indices.iter().map(|index| received.messages[*index].seq));
    Ok(Selection { indices, what: format!("unscripted `{method}`") })
}
