//! What MCP says of the messages: methods, shapes, revisions.

use std::collections::{HashMap, HashSet};

use super::{Chain, OTHER_HANDSHAKE, OTHER_REVISION, SHAPE, UNKNOWN_METHOD, WRONG_SIDE};
use crate::cases::reading::nearest;
use crate::cases::{CaseMessage, Complaint, Direction, Mode};
use crate::json::Pointer;
use crate::spec::schema::{Authority, Schemas, Violation};
use crate::spec::{self, Era, METHODS, Method, Revision, Revisions, meta};
use crate::wire::{Id, Message};

pub(super) fn of_chain(chain: &Chain<'_>) -> Vec<Complaint> {
    let window = window(chain);
    let mut found: Vec<Complaint> = handshake(chain).into_iter().collect();
    let refused = refused(chain);
    let mut asked: HashMap<(Direction, &Id), &str> = HashMap::new();
    let judge = Judge { chain, window, schemas: Schemas::ours(), has_names: chain.has_names() };
    for (said, message) in chain.messages() {
        let is_refused = message.id().is_some_and(|id| refused.contains(&(said.direction, id)));
        match message {
            Message::Request(request) => {
                asked.insert((said.direction, &request.id), &request.method);
                // What has to be refused may be anything.
                if !is_refused {
                    found.extend(judge.said(said, message, &request.method));
                }
            }
            Message::Notification(told) => found.extend(judge.said(said, message, &told.method)),
            Message::Response(response) => {
                let asker = match said.direction {
                    Direction::In => Direction::Out,
                    Direction::Out => Direction::In,
                };
                let method = asked.get(&(asker, &response.id)).copied();
                found.extend(judge.shape(said, message, method));
            }
            Message::Error(_) => found.extend(judge.shape(said, message, None)),
        }
    }
    found
}

/// The requests that are answered by an error, by who makes them and their ids.
fn refused<'a>(chain: &Chain<'a>) -> HashSet<(Direction, &'a Id)> {
    let errors = chain.messages().filter_map(|(said, message)| match message {
        Message::Error(reply) => Some((said.direction, reply.id.as_ref()?)),
        _ => None,
    });
    errors
        .map(|(direction, id)| match direction {
            Direction::In => (Direction::Out, id),
            Direction::Out => (Direction::In, id),
        })
        .collect()
}

/// The revisions at which a conversation may be held, as far as it says so itself.
fn window(chain: &Chain<'_>) -> Revisions {
    let said = chain.cases.iter().filter_map(|case| case.settings.revisions);
    let said = said.reduce(Revisions::intersection);
    let named = || chain.messages().find_map(|(said, message)| named(said, message));
    let window = said.or_else(|| named().map(Revisions::only)).unwrap_or(Revisions::all());
    if window.is_empty() { Revisions::all() } else { window }
}

/// The revision that a message names.
fn named(said: &CaseMessage, message: &Message) -> Option<Revision> {
    let place = match message {
        Message::Request(request) if request.method == "initialize" => "/params/protocolVersion",
        Message::Response(_) => "/result/protocolVersion",
        _ => {
            let meta = message.params()?.get("_meta")?;
            return meta.get(meta::PROTOCOL_VERSION)?.as_str()?.parse().ok();
        }
    };
    said.value.at(place)?.as_str()?.parse().ok()
}

/// What `initialize` settles on has to be one of the revisions at which the case holds.
fn handshake(chain: &Chain<'_>) -> Option<Complaint> {
    let revisions = chain.cases.iter().find_map(|case| case.settings.revisions)?;
    let place = Pointer::root().member("result").member("protocolVersion");
    let (said, revision) = chain.messages().find_map(|(said, message)| {
        let settled = said.direction == Direction::Out && matches!(message, Message::Response(_));
        Some((said, settled.then(|| named(said, message)).flatten()?))
    })?;
    if revisions.contains(revision) {
        return None;
    }
    let text = format!("the handshake agrees on {revision}, but the case holds at {revisions}");
    let complaint = chain.complaint(&OTHER_HANDSHAKE, said.place(&place), text);
    Some(complaint.label("`_revision` leaves this one out"))
}

struct Judge<'a> {
    chain: &'a Chain<'a>,
    window: Revisions,
    schemas: Schemas,
    has_names: bool,
}

impl Judge<'_> {
    /// Judges a request or a notification.
    fn said(&self, said: &CaseMessage, message: &Message, method: &str) -> Vec<Complaint> {
        let Some(known) = spec::method(method) else {
            return self.unknown(said, message, method).into_iter().collect();
        };
        match self.misplaced(said, known) {
            Some(complaint) => vec![complaint],
            None => self.shape(said, message, None),
        }
    }

    /// A notification may be one of the peers' own, unless it looks like one of MCP.
    fn unknown(&self, said: &CaseMessage, message: &Message, method: &str) -> Option<Complaint> {
        let help = instead(method).map(|near| format!("did you mean `{near}`?"));
        let label = match message {
            Message::Notification(_) if help.is_none() => return None,
            Message::Notification(_) => "no revision has it",
            _ => "no revision has it, and the case expects no error",
        };
        let text = format!("`{method}` is no method of MCP");
        let complaint = self.chain.complaint(&UNKNOWN_METHOD, place(said, "method"), text);
        Some(complaint.label(label).help(help))
    }

    /// A method that this side does not send, at all or at these revisions.
    fn misplaced(&self, said: &CaseMessage, method: &Method) -> Option<Complaint> {
        let (own, side) = match said.direction {
            Direction::In => (method.from_client, "client"),
            Direction::Out => (method.from_server, "server"),
        };
        let own = own.union(method.extension);
        let span = place(said, "method");
        if own.is_empty() {
            let text = format!("a {side} never sends `{method}`");
            let complaint = self.chain.complaint(&WRONG_SIDE, span, text);
            let label = format!("`{}` is what the {side} says", said.key);
            return Some(complaint.label(label));
        }
        if !own.intersection(self.window).is_empty() {
            return None;
        }
        let text = format!("`{method}` does not exist at {}", self.window);
        let complaint = self.chain.complaint(&OTHER_REVISION, span, text);
        Some(complaint.label(format!("a {side} sends it at {own}")))
    }

    /// Where a message has a shape that no revision allows; seen at the revision that it fits best.
    fn shape(
        &self,
        said: &CaseMessage,
        message: &Message,
        answers: Option<&str>,
    ) -> Vec<Complaint> {
        let exists = |revision: &Revision| {
            answers
                .or(message.method())
                .and_then(spec::method)
                .is_none_or(|method| method.revisions().union(method.extension).contains(*revision))
        };
        let mut best: Option<(Revision, Vec<Violation>)> = None;
        for revision in self.window.iter().rev().filter(exists) {
            let mut found = self.schemas.judge(message, answers, revision, Authority::Text);
            found.retain(|violation| !self.is_forgiven(said, violation, revision));
            if found.is_empty() {
                return Vec::new();
            }
            if best.as_ref().is_none_or(|(_, least)| found.len() < least.len()) {
                best = Some((revision, found));
            }
        }
        let (revision, found) = best.unwrap_or((Revision::NEWEST, Vec::new()));
        let complaints = found.into_iter().map(|violation| {
            let Violation { pointer, expected, got, shape, .. } = violation;
            let text = match pointer.is_root() {
                true => format!("`{}` has to be {expected}", said.key),
                false => format!("`{pointer}` of `{}` has to be {expected}, got {got}", said.key),
            };
            let complaint = self.chain.complaint(&SHAPE, said.place(&pointer), text);
            complaint.label(format!("by {shape} of {revision}"))
        });
        complaints.collect()
    }

    /// What a case need not have, and what is known only when it runs.
    fn is_forgiven(&self, said: &CaseMessage, violation: &Violation, revision: Revision) -> bool {
        let pointer = violation.pointer.as_str();
        let Some(value) = said.value.at(pointer) else {
            let added = revision.era() == Era::Stateless
                && (pointer == "/params"
                    || pointer.starts_with("/params/_meta")
                    || ["/result/resultType", "/result/ttlMs", "/result/cacheScope"]
                        .contains(&pointer));
            return added || said.rule.mode == Mode::Contains;
        };
        self.has_names && value.as_str().is_some_and(|text| text.contains("${"))
    }
}

/// The method that was probably meant. What all notifications begin with says nothing.
fn instead(method: &str) -> Option<String> {
    let names = METHODS.iter().map(|it| it.name);
    match method.strip_prefix(NOTIFICATIONS) {
        Some(rest) => nearest(rest, names.filter_map(|name| name.strip_prefix(NOTIFICATIONS)))
            .map(|near| format!("{NOTIFICATIONS}{near}")),
        None => nearest(method, names).map(str::to_owned),
    }
}

const NOTIFICATIONS: &str = "notifications/";

fn place(said: &CaseMessage, member: &str) -> crate::yaml::Span {
    said.place(&Pointer::root().member(member))
}
