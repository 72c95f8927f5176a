//! Assertions of a whole conversation: what was said, by whom, and in which order.
//!
//! "Sent" is what the client wrote, "received" what the server wrote. That something was never said cannot be shown, only
//! that it was not seen before some point; hence the fences.

use std::borrow::Cow;

use super::text::names;
use super::{Scene, Staged, plain_assertions};
use crate::check::Finding;
use crate::expect::words;
use crate::spec::{Revision, spoken};
use crate::trace::{Event, Party, Trace, What};
use crate::wire::Message;

plain_assertions! { [] Trace {
    /// Asserts that the client sent a request or notification of this method.
    assert_sent / try_sent (self, method: &str) { check_said(&self, Party::Client, method) }

    /// Asserts that a request or notification of this method came from the server.
    assert_received / try_received (self, method: &str) { check_said(&self, Party::Server, method) }

    /// Asserts that requests and notifications of these methods were said in this order, by whomever, with whatever
    /// else between them.
    assert_order / try_order (self, methods: impl IntoIterator<Item = impl AsRef<str>>) {
        check_order(&self, methods)
    }

    /// Asserts that nothing of this method was said before the fence of this name.
    ///
    /// A fence is a point that a scenario sets in its trace, say after an exchange that the peer can answer only when it
    /// has dealt with everything before.
    assert_not_seen_before_fence / try_not_seen_before_fence (self, method: &str, fence: &str) {
        check_not_before(&self, method, fence)
    }

    /// Asserts that nothing was awaited until its deadline passed.
    assert_no_deadline_fired / try_no_deadline_fired (self) { check_no_deadline(&self) }
}}

impl Staged for Trace {
    fn scene(&self) -> Scene<'_> {
        Scene { trace: Cow::Borrowed(self), revision: settled_on(self).unwrap_or(Revision::NEWEST) }
    }
}

/// The revision that the handshake settled on.
fn settled_on(trace: &Trace) -> Option<Revision> {
    trace.messages().find_map(|(_, message)| match message {
        Message::Response(response) => spoken::settled(&response.result).known(),
        _ => None,
    })
}

/// Requests and notifications, in order.
fn said(trace: &Trace) -> impl Iterator<Item = (&Event, &str)> {
    trace.messages().filter_map(|(event, message)| Some((event, message.method()?)))
}

/// Each method once, in the order in which they were first said.
fn methods<'a>(said: impl Iterator<Item = (&'a Event, &'a str)>) -> Vec<&'a str> {
    let mut methods = Vec::new();
    for (_, method) in said {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    methods
}

fn check_said(trace: &Trace, party: Party, wanted: &str) -> Result<(), Finding> {
    let by_party = || said(trace).filter(|(event, _)| event.party == party);
    if by_party().any(|(_, method)| method == wanted) {
        return Ok(());
    }
    let methods = methods(by_party());
    let got = match methods.as_slice() {
        [] => "no request and no notification".to_owned(),
        methods => names(methods.iter().copied()),
    };
    let finding = Finding::peer(format!("no `{wanted}` from the {party} was seen"))
        .expected(format!("a request or notification `{wanted}` from the {party}"))
        .got(got);
    Err(match words::closest(wanted, methods) {
        Some(near) => finding.hint(format!("did you mean `{near}`?")),
        None => finding,
    })
}

fn check_order(
    trace: &Trace,
    methods: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<(), Finding> {
    let mut heard = said(trace);
    let mut last: Option<String> = None;
    for wanted in methods {
        let wanted = wanted.as_ref();
        if heard.by_ref().any(|(_, method)| method == wanted) {
            last = Some(wanted.to_owned());
            continue;
        }
        let place = match last {
            Some(last) => format!("`{wanted}` after `{last}`"),
            None => format!("`{wanted}`"),
        };
        let all: Vec<&str> = said(trace).map(|(_, method)| method).collect();
        let seen = all.contains(&wanted);
        let headline = if seen { "was said, but not in this order" } else { "was not seen" };
        return Err(Finding::peer(format!("`{wanted}` {headline}"))
            .expected(place)
            .got(names(all)));
    }
    Ok(())
}

fn check_not_before(trace: &Trace, unwanted: &str, fence: &str) -> Result<(), Finding> {
    let fences = || {
        trace.events.iter().filter_map(|event| match &event.what {
            What::Fence(name) => Some((event.seq, name.as_str())),
            _ => None,
        })
    };
    let Some((end, _)) = fences().find(|(_, name)| *name == fence) else {
        let set: Vec<&str> = fences().map(|(_, name)| name).collect();
        let got = if set.is_empty() { "no fence at all".to_owned() } else { names(set) };
        return Err(Finding::test(format!("there is no fence `{fence}` in the trace"))
            .expected(format!("a fence `{fence}`"))
            .got(got));
    };
    match said(trace).find(|(event, method)| *method == unwanted && event.seq < end) {
        None => Ok(()),
        Some((event, _)) => {
            Err(Finding::peer(format!("`{unwanted}` was said before the fence `{fence}`"))
                .expected(format!("no `{unwanted}` before it"))
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
        trace.events.iter().filter(|event| matches!(event.what, What::DeadlineFired { .. }));
    Err(Finding::peer("something was awaited in vain")
        .expected("an answer to everything, or at once the reason why none can come")
        .got(format!("a deadline passed for {}", words::list(awaited, "and")))
        .evidence_all(fired.map(|event| event.seq)))
}
