//! The order of a play: which events are lines of the conversation, which stand below a line, who answers whom.

use std::collections::{BTreeSet, HashMap};

use crate::trace::{Connection, Event, Party, Seq, Trace, What};
use crate::wire::{Id, Message};

/// A trace in the order in which it is shown.
pub(super) struct Play<'a> {
    pub(super) lines: Vec<Line<'a>>,
    /// The carriers of the connections, if there are several.
    pub(super) carriers: HashMap<Connection, &'a str>,
    /// Requests and their replies, as places in `lines`.
    pairs: Vec<(usize, usize)>,
}

pub(super) struct Line<'a> {
    pub(super) event: &'a Event,
    /// Its number, if it is said where a message belongs.
    pub(super) number: Option<usize>,
    /// HTTP heads and event fields that it came with.
    pub(super) heads: Vec<&'a Event>,
    /// For each of its well-formed messages, what it answers.
    pub(super) answers: Vec<Answer>,
}

/// What a message answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is no reply.
    Nothing,
    /// The line before.
    LineBefore,
    /// An earlier line.
    Line(usize),
    /// An earlier line that had its answer already.
    Again(usize),
    /// A request that was never made.
    Unasked,
}

struct Asked {
    place: usize,
    number: usize,
    answered: bool,
}

type Stream = (Connection, Option<u64>, Party);

impl<'a> Play<'a> {
    pub(super) fn of(trace: &'a Trace) -> Self {
        let mut play = Self { lines: Vec::new(), carriers: carriers(trace), pairs: Vec::new() };
        let mut asked = HashMap::new();
        let mut heads: HashMap<Seq, Vec<&Event>> = HashMap::new();
        let bodies = bodies(trace);
        let mut number = 0;
        for event in &trace.events {
            if let Some(body) = bodies.get(&event.seq) {
                heads.entry(*body).or_default().push(event);
                continue;
            }
            let is_payload = event.what.is_payload();
            number += usize::from(is_payload);
            let mut line = Line {
                event,
                number: is_payload.then_some(number),
                heads: heads.remove(&event.seq).unwrap_or_default(),
                answers: Vec::new(),
            };
            if let What::Message { reading, .. } = &event.what {
                line.answers = reading
                    .messages()
                    .map(|message| play.answer(&mut asked, event, number, message))
                    .collect();
            }
            play.lines.push(line);
        }
        play
    }

    fn answer(
        &mut self,
        asked: &mut HashMap<(Connection, Party, Id), Asked>,
        event: &Event,
        number: usize,
        message: &Message,
    ) -> Answer {
        let place = self.lines.len();
        match message {
            Message::Request(request) => {
                let key = (event.connection, event.party, request.id.clone());
                let question = Asked { place, number, answered: false };
                asked.insert(key, question);
                Answer::Nothing
            }
            Message::Notification(_) => Answer::Nothing,
            Message::Response(_) | Message::Error(_) => {
                let asker =
                    if event.party == Party::Client { Party::Server } else { Party::Client };
                let key = message.id().map(|id| (event.connection, asker, id.clone()));
                let Some(question) = key.and_then(|key| asked.get_mut(&key)) else {
                    return Answer::Unasked;
                };
                self.pairs.push((question.place, place));
                if std::mem::replace(&mut question.answered, true) {
                    Answer::Again(question.number)
                } else if question.number + 1 == number {
                    Answer::LineBefore
                } else {
                    Answer::Line(question.number)
                }
            }
        }
    }

    /// These events with the requests and replies that belong to them.
    pub(super) fn with_partners(&self, events: &[Seq]) -> BTreeSet<Seq> {
        let mut chosen: BTreeSet<Seq> = events.iter().copied().collect();
        for line in &self.lines {
            // A head is shown below its line.
            if line.heads.iter().any(|head| events.contains(&head.seq)) {
                chosen.insert(line.event.seq);
            }
        }
        let direct = chosen.clone();
        for (request, reply) in &self.pairs {
            let both = [self.lines[*request].event.seq, self.lines[*reply].event.seq];
            if both.iter().any(|seq| direct.contains(seq)) {
                chosen.extend(both);
            }
        }
        chosen
    }

    /// The last numbered lines, and what came between and after them.
    pub(super) fn ending(&self, count: usize) -> BTreeSet<Seq> {
        let numbered = self.lines.iter().filter(|line| line.number.is_some());
        let from = numbered.rev().take(count).last().map(|line| line.event.seq);
        let worth_it =
            |line: &&Line<'_>| !matches!(line.event.what, What::Opened { .. } | What::Stderr(_));
        let tail = self.lines.iter().filter(|line| from.is_none_or(|from| line.event.seq >= from));
        tail.filter(worth_it).map(|line| line.event.seq).collect()
    }

    /// How many digits the greatest number has.
    pub(super) fn number_width(&self) -> usize {
        let last = self.lines.iter().rev().find_map(|line| line.number).unwrap_or(0);
        last.to_string().len()
    }
}

/// The heads that have a body, each with its body: the next payload in the same direction of the same exchange.
fn bodies(trace: &Trace) -> HashMap<Seq, Seq> {
    let mut next: HashMap<Stream, Seq> = HashMap::new();
    let mut bodies = HashMap::new();
    for event in trace.events.iter().rev() {
        let stream = (event.connection, event.exchange, event.party);
        match &event.what {
            what if what.is_payload() => drop(next.insert(stream, event.seq)),
            What::HttpRequest { .. } | What::HttpResponse { .. } => {
                // Removed: what comes before this head is another message.
                if let Some(body) = next.remove(&stream).filter(|_| event.exchange.is_some()) {
                    bodies.insert(event.seq, body);
                }
            }
            What::SseEvent { .. } => {
                if let Some(body) = next.get(&stream) {
                    bodies.insert(event.seq, *body);
                }
            }
            _ => {}
        }
    }
    bodies
}

fn carriers(trace: &Trace) -> HashMap<Connection, &str> {
    let opened = trace.events.iter().filter_map(|event| match &event.what {
        What::Opened { carrier } => Some((event.connection, carrier.as_str())),
        _ => None,
    });
    let carriers: HashMap<_, _> = opened.collect();
    if carriers.len() > 1 { carriers } else { HashMap::new() }
}
