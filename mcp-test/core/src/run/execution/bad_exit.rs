//! Counts the bad exit of a client under the finding that it follows from: one cause, one finding.
//!
//! What a bad exit is, and what it is called, is in `scenario::ClientEnding`.

use std::collections::BTreeSet;

use super::RunningScenario;
use super::client::{client_exit_row, left_behind_instead};
use crate::check::{Blame, Check, Demand, Finding, Status};
use crate::expect::words;
use crate::run::problems::parts;
use crate::scenario::{CLIENT_CONNECTED, CLIENT_EXIT, Profile, TestedSide};
use crate::spec::Requirement;
use crate::trace::{Event, EventKind, Party, Seq, Trace, exchange};
use crate::transport::ClientRun;
use crate::wire::Message;

/// What a client sends to give up: it does not show that the client went on.
const GIVING_UP: &str = "notifications/cancelled";

impl RunningScenario<'_> {
    /// Skips the check of a bad exit that follows from what another check reports, which its message names.
    ///
    /// That other check counts against the client in the same profile, so the exit is never lost. A crash stays a failure: a client may
    /// give up at what it cannot handle, but nothing that it receives may crash it. So do processes that it leaves behind, which no
    /// message of a server asks for. Where only the exit shows what the other check reports, neither explains the other: both fail with
    /// one finding, which is one problem.
    pub(super) fn trace_exit_back(&self, checks: &mut [Check], trace: &Trace, run: &ClientRun) {
        let ending = self.ending(run, trace);
        let Some(at) = checks.iter().position(|it| it.id == CLIENT_EXIT && it.status.is_failing())
        else {
            return;
        };
        // What the official runner counts stays, since it decides the exit code also where a baseline expects the other check.
        let is_official = self.profile == Profile::Official && checks[at].binding;
        if is_official || !ending.may_have_given_up() {
            return;
        }
        let Some(cause) = self.cause_of_exit(checks, trace) else { return };
        let how = ending.how_it_ended();
        let why = format!("after what `{}` reports, the client {how}", cause.id);
        let message = Some(words::into_inert(why));
        checks[at] = match cause.finding {
            // The same finding as there, so that both are one problem.
            Some(finding) if finding.shown_by_exit => {
                let requirements = vec![Requirement::MCP_TEST_CLIENT_EXITS_WELL];
                let finding = Some(Finding { requirements, ..finding });
                Check { message, finding, ..checks[at].clone() }
            }
            finding => {
                let skipped = Check { message, finding, ..client_exit_row(Status::Skipped) };
                left_behind_instead(skipped, &ending)
            }
        };
    }

    /// The check, with only the finding that may have led to a bad exit; of several the one that shows last.
    fn cause_of_exit(&self, checks: &[Check], trace: &Trace) -> Option<Check> {
        let failing = checks.iter().filter(|it| it.id != CLIENT_EXIT && it.status.is_failing());
        let causes = failing.flat_map(parts).filter(|part| {
            let is_shown = !part.untestable && part.known_false.is_none();
            let finding = part.finding.as_ref().filter(|_| is_shown);
            self.profile.fails(TestedSide::Client, part)
                && finding.is_some_and(|finding| may_end_client(finding, trace))
        });
        let causes: Vec<Check> = causes.collect();
        // The absence of a client is shown by no event, and explains everything else. Of equal ones the first remains.
        causes.into_iter().rev().max_by_key(|it| {
            let last = it.finding.as_ref().and_then(|finding| finding.evidence.iter().max());
            (it.id == CLIENT_CONNECTED, last.copied())
        })
    }
}

/// Whether a client may have ended badly because of what a finding reports.
///
/// The trace shows that it did not where the finding is only about what the client itself sent, the server accepted that, and the client
/// then sent a message of another kind: a wrong header, say, of which it cannot know. Where the finding is about what it received, or
/// about what never came, nothing shows that its exit has another cause, even if it went on for a while.
fn may_end_client(finding: &Finding, trace: &Trace) -> bool {
    // A client that does not do its task may have ended before, so that its exit is the cause.
    let is_undone = finding.demand == Demand::Task && finding.evidence.is_empty();
    finding.blame == Blame::Peer && !is_undone && !went_on(&finding.evidence, trace)
}

/// Whether the server accepted these events, all of them of the client, and the client sent a message of another kind afterwards: not
/// another of a loop, nor a reply, which a client may send while it waits for something else.
fn went_on(evidence: &[Seq], trace: &Trace) -> bool {
    let accepted: Option<Vec<Accepted<'_>>> =
        evidence.iter().map(|seq| accepted(trace.event(*seq)?, trace)).collect();
    let Some(accepted) = accepted else { return false };
    let Some(last) = accepted.iter().map(|it| it.at).max() else { return false };
    let sent = accepted.iter().flat_map(|it| &it.messages).filter_map(|it| it.method());
    let sent: BTreeSet<&str> = sent.collect();
    let mut later = trace
        .messages()
        .filter(|(event, _)| event.party == Party::Client && event.seq > last)
        .filter_map(|(_, message)| message.method());
    later.any(|method| method != GIVING_UP && !sent.contains(&method))
}

/// What a client sent, and when the server had accepted it.
struct Accepted<'a> {
    messages: Vec<&'a Message>,
    at: Seq,
}

/// What the client sent with this event, if the server accepted it: each request has a result, and an HTTP request a status that is not
/// an error. `None` for an event of the server.
fn accepted<'a>(event: &'a Event, trace: &'a Trace) -> Option<Accepted<'a>> {
    if event.party != Party::Client {
        return None;
    }
    let is_http = event.exchange.is_some();
    let is_same = |other: &Event| match is_http {
        true => exchange(other) == exchange(event),
        false => other.seq == event.seq,
    };
    let of_client = trace.messages().filter(|(it, _)| it.party == Party::Client && is_same(it));
    let messages: Vec<&Message> = of_client.map(|(_, message)| message).collect();
    let mut at = match is_http {
        true => accepting_response(event, trace)?,
        // Over a pipe, nothing shows whether what is not a message was accepted.
        false if messages.is_empty() => return None,
        false => event.seq,
    };
    for request in messages.iter().filter(|it| matches!(it, Message::Request(_))) {
        let mut replies = trace.messages().filter(|(it, message)| {
            let is_later = it.party == Party::Server && it.seq > event.seq;
            is_later && it.connection == event.connection && message.is_reply()
        });
        let (replied, reply) = replies.find(|(_, reply)| reply.id() == request.id())?;
        if !matches!(reply, Message::Response(_)) {
            return None;
        }
        at = at.max(replied.seq);
    }
    Some(Accepted { messages, at })
}

/// The HTTP response in the exchange of this event, if its status is not an error.
fn accepting_response(event: &Event, trace: &Trace) -> Option<Seq> {
    let mut responses = trace.since(event.seq).iter().filter_map(|it| match it.kind {
        EventKind::HttpResponse { status, .. } if exchange(it) == exchange(event) => {
            Some((it.seq, status))
        }
        _ => None,
    });
    responses.next().filter(|(_, status)| *status < 400).map(|(seq, _)| seq)
}
