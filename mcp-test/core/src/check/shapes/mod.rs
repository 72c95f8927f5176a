//! Judging the shapes of a whole trace: what the params, the result or the error of each message must contain.
//!
//! Each message is judged in the context of its exchange: a result by the method that it answers, in the revision that was
//! negotiated or that the message names. Shapes are defined in `spec::schema`. The rules of the envelope are those of
//! [`judge_envelopes`](super::judge_envelopes): what breaks them is not reported again here.

pub(crate) mod requirements;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};

use super::repeat_filter::RepeatFilter;
use super::server_requests::places;
use super::shape::place_in_words;
use super::walk::{EventJudge, JudgedEvent, TraceMessage, walk};
use super::{Finding, Shape};
use crate::expect::words::excerpt;
use crate::json::{Pointer, Value};
use crate::spec::schema::{Authority, DISAGREEMENTS, Schemas, Violation};
use crate::spec::{Era, Requirement, Revision};
use crate::trace::{ConnectionId, Party, Relation, Seq, Trace};
use crate::wire::Message;

/// How many violations `spec::schema` reports of one message; there may be more.
const REPORTED: usize = 6;

/// How many wrong messages are reported: enough of a peer that sends nothing right, and a bound on the time that it costs.
const WRONG: usize = 10_000;

/// Of how many messages of a kind the parts are noted.
const LOOKED_AT: usize = 20;

/// The result of judging the shapes of a conversation.
#[doc(hidden)]
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
    /// How many of them the judged party sent.
    pub from_peer: usize,
    /// The requirements that demand the shapes of the messages that the judged party sent.
    pub demanded: BTreeSet<&'static Requirement>,
}

/// Everything wrong with the shapes of the messages in `trace`, of `who` and of the other party.
///
/// `revisions` returns for each connection the revision that it was opened for; what was negotiated in it, or is named
/// by a message, takes precedence. A finding that rests on the official schema alone says so in
/// [`Shape::allowed`].
#[doc(hidden)]
#[must_use]
pub fn judge_shapes(
    trace: &Trace,
    who: Party,
    revisions: &dyn Fn(ConnectionId) -> Revision,
    schemas: &Schemas,
    authority: Authority,
) -> ShapeJudgement {
    let mut judge = ShapeJudge::new(who, schemas.clone(), authority);
    walk(trace, revisions, &mut judge);
    judge.into_judgement()
}

pub(super) struct ShapeJudge {
    who: Party,
    schemas: Schemas,
    authority: Authority,
    judgement: ShapeJudgement,
    peer: RepeatFilter,
    ours: RepeatFilter,
    /// The wrong messages of the judged party: a wrong answer of ours to one of them is not our fault.
    misleading: HashSet<Seq>,
    /// The connections with a wrong result of the judged party, which may have asked for input.
    misled: HashSet<ConnectionId>,
    /// How many messages were wrong so far.
    wrong: usize,
    /// There may be more violations than were reported.
    more: bool,
    /// How many messages of each kind the judged party has sent, up to [`LOOKED_AT`].
    seen: HashMap<Revision, HashMap<String, usize>>,
}

impl EventJudge for ShapeJudge {
    fn miss_parts(&mut self) {
        self.more = true;
    }

    fn findings(&self) -> &[Finding] {
        &self.judgement.findings
    }

    fn event(&mut self, event: JudgedEvent<'_>, messages: &[TraceMessage<'_>]) {
        messages.iter().for_each(|message| self.message(event, message));
    }

    fn forget(&mut self, connection: ConnectionId) {
        self.misled.remove(&connection);
    }
}

impl ShapeJudge {
    pub(super) fn new(who: Party, schemas: Schemas, authority: Authority) -> Self {
        Self {
            who,
            schemas,
            authority,
            judgement: ShapeJudgement::default(),
            peer: RepeatFilter::default(),
            ours: RepeatFilter::default(),
            misleading: HashSet::new(),
            misled: HashSet::new(),
            wrong: 0,
            seen: HashMap::new(),
            more: false,
        }
    }

    pub(super) fn into_judgement(self) -> ShapeJudgement {
        let Self { mut judgement, peer, ours, more, .. } = self;
        peer.count(&mut judgement.findings, more);
        ours.count(&mut judgement.harness, more);
        judgement
    }

    fn message(&mut self, event: JudgedEvent<'_>, message: &TraceMessage<'_>) {
        let by_peer = event.party == self.who;
        // A scenario that sends an invalid message on purpose is not a bug of mcp-test.
        if !by_peer && event.deliberate {
            return;
        }
        let revision = message.revision.unwrap_or(event.opened_for);
        // That a client of the stateless era replies at all is reported by the direction of its message.
        if event.party == Party::Client
            && message.message.is_reply()
            && revision.era() == Era::Stateless
        {
            return;
        }
        let is_of_unnamed_revision = match &message.relation {
            Relation::Reply(reply) => reply.is_of_unnamed_revision(),
            Relation::Request { .. } | Relation::Notification => false,
        };
        if is_of_unnamed_revision && revision.era() == Era::Stateless {
            return;
        }
        if self.wrong == WRONG {
            self.more = true;
            return;
        }
        self.judgement.judged += 1;
        self.judgement.from_peer += usize::from(by_peer);
        let message = Judged { message, revision };
        if by_peer {
            self.note_demanded(event, &message);
        }
        let violations = self.violations(&message, self.authority);
        if violations.is_empty() || (!by_peer && self.is_misled(event, message.message)) {
            return;
        }
        self.wrong += 1;
        if by_peer {
            self.misleading.insert(event.seq);
            if matches!(message.message.message, Message::Response(_)) {
                self.misled.insert(event.connection);
            }
        }
        // The schema stops at this number, so how many violations there are is unknown.
        self.more |= violations.len() >= REPORTED;
        // A violation of the official schema counts, but is marked where the text of the specification allows it.
        let by_text = match self.authority {
            Authority::Text => None,
            Authority::Schema => Some(self.violations(&message, Authority::Text)),
        };
        for violation in violations {
            let pointer = &violation.pointer;
            // The envelope rules judge only the peer; what they would find in our messages is reported here.
            let is_reported_elsewhere = if by_peer {
                is_of_the_envelope(pointer, message.message.message, revision, event.party)
            } else {
                is_repeated(pointer, message.message.message)
            };
            if is_reported_elsewhere {
                continue;
            }
            let allowed = by_text
                .as_ref()
                .is_some_and(|found| !found.iter().any(|other| other.pointer == *pointer));
            let finding = self.finding(event, &message, violation, allowed);
            self.keep(by_peer, finding);
        }
    }

    /// Whether a message of ours answers something that was wrong itself: a request, or what a result asked for.
    fn is_misled(&self, event: JudgedEvent<'_>, message: &TraceMessage<'_>) -> bool {
        let params = message.message.params();
        let is_retry = params.is_some_and(|params| params.get("inputResponses").is_some());
        message.request().is_some_and(|request| self.misleading.contains(&request.position.seq))
            || (is_retry && self.misled.contains(&event.connection))
    }

    fn note_demanded(&mut self, event: JudgedEvent<'_>, judged: &Judged<'_>) {
        let answers = judged.message.request().map(|request| &*request.method);
        let (message, revision) = (judged.message.message, judged.revision);
        let named = self.schemas.definition_for(message, answers, revision, self.authority);
        let Some(named) = named else { return };
        // Most messages of a conversation are of few kinds.
        let seen = self.seen.entry(revision).or_default();
        if !seen.contains_key(named.name()) {
            seen.insert(named.name().to_owned(), 0);
            let demanded = requirements::for_message(named.name(), revision, event.party);
            self.judgement.demanded.extend(demanded);
        }
        let count = seen.get_mut(named.name()).filter(|count| **count < LOOKED_AT);
        let Some(count) = count else { return };
        *count += 1;
        let parts = match (message, message.params()) {
            (Message::Response(response), _) => named.parts(&response.result),
            (_, Some(params)) => named.params().map(|it| it.parts(params)).unwrap_or_default(),
            _ => return,
        };
        for part in parts {
            let demanded = requirements::for_message(part, revision, event.party);
            self.judgement.demanded.extend(demanded);
        }
    }

    fn violations(&self, message: &Judged<'_>, authority: Authority) -> Vec<Violation> {
        let Judged { message, revision } = message;
        let answers = message.request().map(|request| &*request.method);
        self.schemas.validate(message.message, answers, *revision, authority)
    }

    fn finding(
        &self,
        event: JudgedEvent<'_>,
        message: &Judged<'_>,
        violation: Violation,
        allowed: bool,
    ) -> Finding {
        let Violation { pointer, expected, got, shape, link, .. } = violation;
        let Judged { message, revision } = *message;
        let request = message.request();
        let answers = request.map(|request| &*request.method);
        let what = in_words(message.message, answers);
        let named = self.schemas.definition_for(message.message, answers, revision, self.authority);
        let of_place = (event.party == Party::Server)
            .then(|| places::rule_at(message.message, &pointer, revision))
            .flatten()
            .map(|rule| rule.0);
        let requirement = of_place.or_else(|| {
            requirements::find(&shape, &pointer, named.as_ref(), revision, event.party)
        });
        // In a batch, the place is counted from the array.
        let root = Pointer::root();
        let pointer = match message.position.item {
            Some(index) => root.index(index).join(&pointer),
            None => pointer,
        };
        let finding = if event.party == self.who {
            Finding::peer(format!("{what} does not have the shape that MCP {revision} gives it"))
        } else {
            Finding::harness(format!(
                "{what} was sent without the shape that MCP {revision} gives it"
            ))
        };
        let subject = place_in_words(&pointer);
        let mut shape = Shape::new(shape, revision, pointer, link);
        shape.allowed = allowed.then(|| why(&shape));
        let mut finding = finding
            .expected(format!("{subject} is {expected}"))
            .got(got)
            .shape(shape)
            .evidence_all(request.map(|request| request.position.seq))
            .evidence(event.seq);
        // What the text of the specification allows breaks no requirement.
        let ours =
            || (!allowed && event.party == self.who).then_some(Requirement::MCP_TEST_MESSAGE_SHAPE);
        finding.requirements.extend(requirement.or_else(ours));
        finding
    }

    fn keep(&mut self, by_peer: bool, finding: Finding) {
        let (repeats, kept) = if by_peer {
            (&mut self.peer, &mut self.judgement.findings)
        } else {
            (&mut self.ours, &mut self.judgement.harness)
        };
        if repeats.admits(&finding, kept.len()) {
            kept.push(finding);
        }
    }
}

/// A message, and the revision that it is judged by.
struct Judged<'a> {
    message: &'a TraceMessage<'a>,
    revision: Revision,
}

/// Whether the envelope rules have looked at this place of a message of the judged party already.
fn is_of_the_envelope(
    pointer: &Pointer,
    message: &Message,
    revision: Revision,
    party: Party,
) -> bool {
    match (pointer.as_str(), message) {
        ("/jsonrpc" | "/id" | "/method" | "/error" | "/error/code" | "/error/message", _) => true,
        // Only the type itself is of the envelope; a missing or unknown member is not.
        ("/params", _) => message.params().is_some_and(|params| !params.is_object()),
        ("/result", Message::Response(response)) => !response.result.is_object(),
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

/// A message in a few words, to be part of a sentence; `answers` is the method of the request that a reply answers.
#[doc(hidden)]
pub fn in_words(message: &Message, answers: Option<&str>) -> String {
    match (message, answers.map(excerpt)) {
        (Message::Request(request), _) => format!("the request `{}`", excerpt(&request.method)),
        (Message::Notification(notification), _) => {
            format!("the notification `{}`", excerpt(&notification.method))
        }
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
    let allowed = disagreement.and_then(|disagreement| disagreement.allowed);
    allowed.unwrap_or("only its schema forbids it, not its text")
}
