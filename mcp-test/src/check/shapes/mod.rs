//! Judging the shapes of a whole trace: what the params, the result or the error of each message must hold.
//!
//! Each message is judged in the context of its exchange: a result against the method that it answers, in the revision
//! that was agreed on or that is carried. What a shape is, `spec::schema` knows. The rules of the envelope are
//! [`judge`](super::judge)'s: what breaks them is not said again here.

mod exchanges;
mod requirements;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

pub(super) use self::exchanges::{Exchanges, Place};
use super::judge::{Alike, is_elided};
use super::{Finding, Shape};
use crate::expect::words::begun;
use crate::json::{Pointer, Value};
use crate::spec::schema::{Authority, DISAGREEMENTS, Schemas, Violation};
use crate::spec::{Era, Revision};
use crate::trace::{Connection, Event, Party, Seq, Trace, What};
use crate::wire::{Frame, Message};

/// How many violations of one message are told; there may be more than these.
const TOLD: usize = 6;

/// How many wrong messages are looked at; of a peer that says nothing right, that is enough.
const WRONG: usize = 10_000;

/// What the shapes of a conversation come to.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ShapeJudgement {
    /// What is wrong with the messages of the judged party.
    pub findings: Vec<Finding>,
    /// What is wrong with those of the other party, which is ours, unless it was meant to be wrong.
    pub harness: Vec<Finding>,
    /// How many messages were judged, of both parties: not those that were meant to be as they are, nor what comes
    /// after ten thousand that are wrong.
    pub judged: usize,
    /// How many of them the judged party said.
    pub said: usize,
}

/// Everything wrong with the shapes of what was said in `trace`, by `who` and by the other party.
///
/// `revisions` knows for each connection the revision that it was meant to be held in; what was agreed on in it, or is
/// carried by a message, counts more. A finding that rests on the official schema alone says so in
/// [`Shape::allowed`].
#[must_use]
pub fn judge_shapes(
    trace: &Trace,
    who: Party,
    revisions: &dyn Fn(Connection) -> Revision,
    schemas: &Schemas,
    authority: Authority,
) -> ShapeJudgement {
    let judgement = ShapeJudgement::default();
    let (peer, ours) = (Alike::default(), Alike::default());
    let (misleading, misled) = (HashSet::new(), HashSet::new());
    let exchanges = Exchanges::new(revisions);
    let mut judge = Judge {
        who,
        schemas,
        authority,
        exchanges,
        judgement,
        peer,
        ours,
        misleading,
        misled,
        wrong: 0,
        more: false,
    };
    for event in &trace.events {
        judge.event(event);
    }
    let Judge { mut judgement, peer, ours, more, .. } = judge;
    let elided = more || is_elided(trace);
    peer.count(&mut judgement.findings, elided);
    ours.count(&mut judgement.harness, elided);
    judgement
}

struct Judge<'a> {
    who: Party,
    schemas: &'a Schemas,
    authority: Authority,
    exchanges: Exchanges<'a>,
    judgement: ShapeJudgement,
    peer: Alike,
    ours: Alike,
    /// The wrong messages of the judged party: what answers them is not ours to answer for.
    misleading: HashSet<Seq>,
    /// The connections with a wrong result of the judged party, which may have asked for input.
    misled: HashSet<Connection>,
    /// How many messages were wrong so far.
    wrong: usize,
    /// There may be more violations than were told.
    more: bool,
}

impl Judge<'_> {
    fn event(&mut self, event: &Event) {
        match &event.what {
            What::HttpRequest { headers, .. } => self.exchanges.request(event, headers),
            What::Message { reading, .. } => match reading.frame() {
                Some(Ok(Frame::One(message))) => self.message(event, &Pointer::root(), message),
                Some(Ok(Frame::Batch(items))) => {
                    for (index, item) in items.iter().enumerate() {
                        if let Ok(message) = item {
                            self.message(event, &Pointer::root().index(index), message);
                        }
                    }
                }
                Some(Err(_)) | None => {}
            },
            _ => {}
        }
    }

    /// Judges a message that stands at `root` in what was said.
    fn message(&mut self, event: &Event, root: &Pointer, message: &Message) {
        let place = self.exchanges.place(event, message);
        let by_peer = event.party == self.who;
        if !by_peer && event.deliberate {
            return;
        }
        if self.wrong == WRONG {
            self.more = true;
            return;
        }
        self.judgement.judged += 1;
        self.judgement.said += usize::from(by_peer);
        let violations = self.violations(message, &place, self.authority);
        if violations.is_empty() || (!by_peer && self.is_misled(event, message, &place)) {
            return;
        }
        self.wrong += 1;
        if by_peer {
            self.misleading.insert(event.seq);
            if matches!(message, Message::Response(_)) {
                self.misled.insert(event.connection);
            }
        }
        self.more |= violations.len() >= TOLD;
        let by_text = match self.authority {
            Authority::Text => None,
            Authority::Schema => Some(self.violations(message, &place, Authority::Text)),
        };
        for violation in violations {
            let pointer = &violation.pointer;
            let is_not_told = if by_peer {
                is_of_the_envelope(pointer, message, place.revision, event.party)
            } else {
                is_repeated(pointer, message)
            };
            if is_not_told {
                continue;
            }
            let allowed = by_text
                .as_ref()
                .is_some_and(|found| !found.iter().any(|other| other.pointer == *pointer));
            let finding = self.finding(event, root, message, &place, violation, allowed);
            self.keep(by_peer, finding);
        }
    }

    /// Whether a message of ours answers something that was wrong itself: a request, or what a result asked for.
    fn is_misled(&self, event: &Event, message: &Message, place: &Place) -> bool {
        let asked =
            place.answers.as_ref().is_some_and(|asked| self.misleading.contains(&asked.seq));
        let retried = message.params().is_some_and(|params| params.get("inputResponses").is_some());
        asked || (retried && self.misled.contains(&event.connection))
    }

    fn violations(&self, message: &Message, place: &Place, authority: Authority) -> Vec<Violation> {
        let answers = place.answers.as_ref().map(|asked| asked.method.as_str());
        self.schemas.judge(message, answers, place.revision, authority)
    }

    fn finding(
        &self,
        event: &Event,
        root: &Pointer,
        message: &Message,
        place: &Place,
        violation: Violation,
        allowed: bool,
    ) -> Finding {
        let Violation { pointer, expected, got, shape, link, .. } = violation;
        let revision = place.revision;
        let answers = place.answers.as_ref().map(|asked| asked.method.as_str());
        let what = in_words(message, answers);
        let named = self.schemas.governing(message, answers, revision, self.authority);
        let requirement =
            requirements::find(&shape, &pointer, named.as_ref(), revision, event.party);
        let pointer = root.clone().join(&pointer);
        let finding = if event.party == self.who {
            Finding::peer(format!("{what} does not have the shape that MCP {revision} gives it"))
        } else {
            Finding::harness(format!(
                "{what} was sent without the shape that MCP {revision} gives it"
            ))
        };
        let subject = match pointer.is_root() {
            true => "the message".to_owned(),
            false => format!("`{pointer}`"),
        };
        let mut shape = Shape::new(shape, revision, pointer, link);
        shape.allowed = allowed.then(|| why(&shape));
        let mut finding = finding
            .expected(format!("{subject} is {expected}"))
            .got(got)
            .shape(shape)
            .evidence_all(place.answers.as_ref().map(|asked| asked.seq))
            .evidence(event.seq);
        finding.requirements.extend(requirement);
        finding
    }

    fn keep(&mut self, by_peer: bool, finding: Finding) {
        let (alike, kept) = if by_peer {
            (&mut self.peer, &mut self.judgement.findings)
        } else {
            (&mut self.ours, &mut self.judgement.harness)
        };
        if alike.admits(&finding, kept.len()) {
            kept.push(finding);
        }
    }
}

/// Whether the envelope rules have looked at this place of a message of the judged party already.
fn is_of_the_envelope(
    pointer: &Pointer,
    message: &Message,
    revision: Revision,
    party: Party,
) -> bool {
    let is_object = |value: Option<&Value>| value.is_some_and(Value::is_object);
    match (pointer.as_str(), message) {
        ("/jsonrpc" | "/id" | "/method" | "/error" | "/error/code" | "/error/message", _) => true,
        ("/params", _) => message.params().is_some_and(|params| !params.is_object()),
        ("/result", Message::Response(response)) => !is_object(Some(&response.result)),
        ("/result/resultType", Message::Response(response)) => {
            let says_so = response.result.get("resultType").and_then(Value::as_str).is_some();
            !says_so && party == Party::Server && revision.era() == Era::Stateless
        }
        _ => false,
    }
}

/// Whether this is the id of an error: as the judged party wrote it, or null where it wrote none that can be read.
fn is_repeated(pointer: &Pointer, message: &Message) -> bool {
    pointer.as_str() == "/id" && matches!(message, Message::Error(_))
}

/// A message in a few words, which read on in a sentence; `answers` is the method of the request that a reply answers.
pub(crate) fn in_words(message: &Message, answers: Option<&str>) -> String {
    match (message, answers.map(begun)) {
        (Message::Request(request), _) => format!("the request `{}`", begun(&request.method)),
        (Message::Notification(said), _) => format!("the notification `{}`", begun(&said.method)),
        (Message::Response(_), Some(method)) => format!("the result of `{method}`"),
        (Message::Response(_), None) => "a result".to_owned(),
        (Message::Error(_), Some(method)) => format!("the error reply to `{method}`"),
        (Message::Error(_), None) => "an error reply".to_owned(),
    }
}

/// Why the text allows what the schema does not.
fn why(shape: &Shape) -> &'static str {
    let disagreement = DISAGREEMENTS.iter().find(|disagreement| {
        disagreement.definition == shape.name && disagreement.revisions.contains(shape.revision)
    });
    disagreement
        .map_or("the text of the specification allows it, its schema alone does not", |found| {
            found.says
        })
}
