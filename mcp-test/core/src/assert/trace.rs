//! Assertions about a whole conversation: which messages were sent, by whom, and in which order.
//!
//! "Sent" means by the client, "received" means from the server. That a message was never sent cannot be shown, only that
//! it was not seen before some point; hence the fences.

use std::borrow::Cow;

use super::text::{names, suggest};
use super::{Scene, Staged, plain_assertions};
use crate::check::Finding;
use crate::expect::words;
use crate::spec::{Revision, named_revision};
use crate::trace::{Event, EventKind, Party, Trace};
use crate::wire::Message;

plain_assertions! { [] Trace {
    /// Asserts that the client sent a request or notification with this method.
    assert_sent / try_sent (self, method: &str) { check_seen(&self, Party::Client, method) }

    /// Asserts that the server sent a request or notification with this method.
    assert_received / try_received (self, method: &str) { check_seen(&self, Party::Server, method) }

    /// Asserts that requests and notifications with these methods were seen in this order, from either side and possibly
    /// with others in between.
    assert_order / try_order (self, methods: impl IntoIterator<Item = impl AsRef<str>>) {
        let all: Vec<&str> = messages(&self).map(|(_, method)| method).collect();
        check_order_of(&all, methods)
    }

    /// Asserts that no message with this method was seen before the fence with this name.
    ///
    /// A fence is a point that a scenario sets in its trace, for example after an exchange that the peer can answer only
    /// after it has handled all earlier messages.
    assert_not_seen_before_fence / try_not_seen_before_fence (self, method: &str, fence: &str) {
        check_not_before(&self, method, fence)
    }

    /// Asserts that no deadline fired.
    assert_no_deadline_fired / try_no_deadline_fired (self) { check_no_deadline(&self) }
}}

impl Staged for Trace {
    fn scene(&self) -> Scene<'_> {
        Scene { trace: Cow::Borrowed(self), revision: negotiated(self).unwrap_or(Revision::NEWEST) }
    }
}

/// The negotiated revision.
fn negotiated(trace: &Trace) -> Option<Revision> {
    // The first result with a `protocolVersion` is that of `initialize`.
    trace.messages().find_map(|(_, message)| match message {
        Message::Response(response) => named_revision::negotiated(&response.result).known(),
        _ => None,
    })
}

/// Requests and notifications, in order.
fn messages(trace: &Trace) -> impl Iterator<Item = (&Event, &str)> {
    trace.messages().filter_map(|(event, message)| Some((event, message.method()?)))
}

/// Each method once, in the order of first occurrence.
fn methods<'a>(messages: impl Iterator<Item = (&'a Event, &'a str)>) -> Vec<&'a str> {
    let mut methods = Vec::new();
    for (_, method) in messages {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    methods
}

fn check_seen(trace: &Trace, party: Party, expected: &str) -> Result<(), Finding> {
    let by_party = || messages(trace).filter(|(event, _)| event.party == party);
    if by_party().any(|(_, method)| method == expected) {
        return Ok(());
    }
    let methods = methods(by_party());
    let got = match methods.as_slice() {
        [] => "no request or notification".to_owned(),
        methods => names(methods.iter().copied()),
    };
    let finding = Finding::peer(format!("no `{expected}` from the {party} was seen"))
        .expected(format!("a request or notification `{expected}` from the {party}"))
        .got(got);
    Err(suggest(finding, expected, methods))
}

/// Whether methods were seen in this order among `all`, possibly with others in between.
pub(super) fn check_order_of(
    all: &[&str],
    methods: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<(), Finding> {
    let mut remaining = all.iter();
    let mut last: Option<String> = None;
    for expected in methods {
        let expected = expected.as_ref();
        // `any` consumes the messages up to the method, so that the next one is searched for after it.
        if remaining.by_ref().any(|method| *method == expected) {
            last = Some(expected.to_owned());
            continue;
        }
        let position = match last {
            Some(last) => format!("`{expected}` after `{last}`"),
            None => format!("`{expected}`"),
        };
        let seen = all.contains(&expected);
        let headline = if seen { "was seen, but not in this order" } else { "was not seen" };
        return Err(Finding::peer(format!("`{expected}` {headline}"))
            .expected(position)
            // In their order and with repeats, since the order is what is wrong.
            .got(names(all.iter().copied())));
    }
    Ok(())
}

fn check_not_before(trace: &Trace, unexpected: &str, fence: &str) -> Result<(), Finding> {
    let fences = || {
        trace.events.iter().filter_map(|event| match &event.kind {
            EventKind::Fence(name) => Some((event.seq, name.as_str())),
            _ => None,
        })
    };
    let Some((end, _)) = fences().find(|(_, name)| *name == fence) else {
        let set: Vec<&str> = fences().map(|(_, name)| name).collect();
        let got = if set.is_empty() { "no fence".to_owned() } else { names(set) };
        // Not a pass: without the fence nothing is known about the time before it.
        return Err(Finding::test(format!("fence `{fence}` not found in the trace"))
            .expected(format!("a fence `{fence}`"))
            .got(got));
    };
    match messages(trace).find(|(event, method)| *method == unexpected && event.seq < end) {
        None => Ok(()),
        Some((event, _)) => {
            Err(Finding::peer(format!("`{unexpected}` was seen before the fence `{fence}`"))
                .expected(format!("no `{unexpected}` before it"))
                .got(format!("one from the {}", event.party))
                .evidence(event.seq)
                .evidence(end))
        }
    }
}

fn check_no_deadline(trace: &Trace) -> Result<(), Finding> {
    let awaited = trace.deadlines_fired();
    if awaited.is_empty() {
        return Ok(());
    }
    let fired =
        trace.events.iter().filter(|event| matches!(event.kind, EventKind::DeadlineFired { .. }));
    Err(Finding::peer("a deadline fired")
        .expected("every awaited message before its deadline")
        .got(format!("the deadline passed for {}", words::list(awaited, "and")))
        .evidence_all(fired.map(|event| event.seq)))
}
