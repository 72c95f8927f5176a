//! The order of a rendered trace: which events are lines, which are shown below a line, which reply answers which line.

use std::collections::{BTreeSet, HashMap};

use super::protocol::is_of_handshake;
use crate::spec::Revision;
use crate::trace::{
    ConnectionId, Correlated, Correlator, Event, EventKind, Party, Position, Seq, Trace,
};

/// A trace in the order in which it is shown.
pub(super) struct Play<'a> {
    pub(super) lines: Vec<Line<'a>>,
    /// The transports of the connections, if there are several.
    pub(super) transports: HashMap<ConnectionId, &'a str>,
    /// Requests and their replies, as places in `lines`.
    pairs: Vec<(usize, usize)>,
}

pub(super) struct Line<'a> {
    pub(super) event: &'a Event,
    /// Its number, if it was sent where a message belongs.
    pub(super) number: Option<usize>,
    /// HTTP heads and event fields that it came with.
    pub(super) heads: Vec<&'a Event>,
    /// For each of its well-formed messages, what it answers.
    pub(super) answers: Vec<Answer>,
    /// The revision in force, if one is known.
    pub(super) revision: Option<Revision>,
}

/// What a message answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is not a reply.
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

/// How many requests of the other side an excerpt shows that came while a request was open.
const REQUESTS_WITHIN: usize = 5;

type Stream = (ConnectionId, Option<u64>, Party);

impl<'a> Play<'a> {
    /// The play of a trace; the messages of the handshake have numbers only on demand.
    pub(super) fn of(trace: &'a Trace, numbers_handshake: bool) -> Self {
        let mut play = Self { lines: Vec::new(), transports: transports(trace), pairs: Vec::new() };
        let mut correlator = Correlator::default();
        let mut places = HashMap::new();
        let mut heads: HashMap<Seq, Vec<&Event>> = HashMap::new();
        let bodies = bodies(trace);
        let mut number = 0;
        for event in &trace.events {
            // Also for heads, which are not lines of their own: HTTP headers name the revision.
            let messages = correlator.event(event);
            if let Some(body) = bodies.get(&event.seq) {
                heads.entry(*body).or_default().push(event);
                continue;
            }
            let is_numbered = event.kind.is_payload()
                && (numbers_handshake || !messages.first().is_some_and(is_of_handshake));
            number += usize::from(is_numbered);
            places.insert(event.seq, play.lines.len());
            let line = Line {
                event,
                number: is_numbered.then_some(number),
                heads: heads.remove(&event.seq).unwrap_or_default(),
                answers: Vec::new(),
                revision: messages.first().and_then(|message| message.revision),
            };
            play.lines.push(line);
            let answers = messages.iter().map(|message| play.answer(&places, message)).collect();
            if let Some(line) = play.lines.last_mut() {
                line.answers = answers;
            }
        }
        play
    }

    /// What a message of the last line answers.
    fn answer(
        &mut self,
        places: &HashMap<Seq, usize>,
        message: &Correlated<'_, Position>,
    ) -> Answer {
        if !message.message.is_reply() {
            return Answer::Nothing;
        }
        let place = self.lines.len() - 1;
        let request = message.request();
        let known = request.and_then(|it| Some((it, *places.get(&it.position.seq)?)));
        let Some((request, asked)) = known else { return Answer::Unasked };
        self.pairs.push((asked, place));
        match (self.lines[asked].number, self.lines[place].number) {
            (Some(number), _) if request.reply.is_some() => Answer::Again(number),
            (Some(number), Some(own)) if number + 1 == own => Answer::LineBefore,
            (Some(number), _) => Answer::Line(number),
            // Only the request of a handshake has no number, and it is the first one.
            (None, _) => Answer::LineBefore,
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
        // Partners are chosen by the events asked for alone, so that they do not bring partners of their own.
        let direct = chosen.clone();
        for (request, reply) in &self.pairs {
            let both = [self.lines[*request].event.seq, self.lines[*reply].event.seq];
            if both.iter().any(|seq| direct.contains(seq)) {
                chosen.extend(both);
                self.choose_requests_within(*request, *reply, &mut chosen);
            }
        }
        chosen
    }

    /// Chooses the requests, with their replies, that the other side sent while a request was open: they explain its reply.
    fn choose_requests_within(&self, request: usize, reply: usize, chosen: &mut BTreeSet<Seq>) {
        let asker = self.lines[request].event;
        let is_within = |(inner, _): &&(usize, usize)| {
            let event = self.lines[*inner].event;
            (request..reply).contains(inner)
                && event.connection == asker.connection
                && event.party != asker.party
        };
        for (inner, answer) in self.pairs.iter().filter(is_within).take(REQUESTS_WITHIN) {
            chosen.extend([self.lines[*inner].event.seq, self.lines[*answer].event.seq]);
        }
    }

    /// The last numbered lines, and what came between and after them.
    pub(super) fn ending(&self, count: usize) -> BTreeSet<Seq> {
        let numbered = self.lines.iter().filter(|line| line.number.is_some());
        let from = numbered.rev().take(count).last().map(|line| line.event.seq);
        let worth_it = |line: &&Line<'_>| {
            // Failure reports show the last lines of stderr in a section of their own.
            !matches!(line.event.kind, EventKind::Opened { .. } | EventKind::Stderr(_))
        };
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
        match &event.kind {
            what if what.is_payload() => drop(next.insert(stream, event.seq)),
            EventKind::HttpRequest { .. } | EventKind::HttpResponse { .. } => {
                // Removed: what comes before this head is another message.
                if let Some(body) = next.remove(&stream).filter(|_| event.exchange.is_some()) {
                    bodies.insert(event.seq, body);
                }
            }
            EventKind::SseEvent { .. } => {
                // Not removed: the head of the response comes before its first event, and goes with the same message.
                if let Some(body) = next.get(&stream) {
                    bodies.insert(event.seq, *body);
                }
            }
            _ => {}
        }
    }
    bodies
}

fn transports(trace: &Trace) -> HashMap<ConnectionId, &str> {
    let opened = trace.events.iter().filter_map(|event| match &event.kind {
        EventKind::Opened { transport } => Some((event.connection, transport.as_str())),
        _ => None,
    });
    let transports: HashMap<_, _> = opened.collect();
    // A single connection needs no heading.
    if transports.len() > 1 { transports } else { HashMap::new() }
}
