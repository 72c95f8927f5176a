//! Searches the log for the messages that a case demands, in the order of the case.
//!
//! The first message that fits is not always the right one, because later messages depend on it; so the search backtracks,
//! within a limit.

use std::sync::Arc;

use mcp_test_core::json::{Object, Value};
use mcp_test_core::trace::Party;
use mcp_test_core::wire::{Id, Message};

use super::demanded_message::{DemandedMessage, MissingMessage, result_message};
use super::message_log::{LoggedMessage, MessageLog, label};
use crate::cases::compare::{Tolerance, matches};
use crate::cases::serve::incoming::ExpectedMessage;
use crate::cases::{Case, CaseMessage, Direction, Values, capture, expand};

/// How many comparisons a search may make: backtracking is exponential for a client that repeats itself.
const MAX_COMPARISONS: usize = 20_000;

/// A search for the messages of a case.
pub(super) struct Search<'a> {
    lines: Vec<DemandedMessage<'a>>,
    log: &'a MessageLog,
    comparisons_left: usize,
    /// The requests that were found, by their direction and label. Of two with one label, the later one counts.
    requests: Vec<((Direction, Id), usize)>,
    /// The furthest message that was not found.
    missing: Option<MissingMessage>,
}

/// The position of the search.
#[derive(Clone)]
struct Position {
    /// Where the next message of the client may be.
    from: usize,
    /// Where the last one is, or the first of `at_once`; what the server sends about it comes after.
    last: usize,
    /// The messages that were found since the server last had to send something, where they may have any order.
    at_once: Arc<Vec<usize>>,
    values: Arc<Values>,
}

impl Position {
    fn new(values: Values) -> Self {
        Self { from: 0, last: 0, at_once: Arc::default(), values: Arc::new(values) }
    }

    /// The position after a message of the client.
    fn after(&self, at: usize, is_ordered: bool) -> Self {
        let mut next = self.clone();
        if is_ordered {
            (next.from, next.last) = (at + 1, at);
        } else {
            next.last = self.at_once.iter().copied().fold(at, usize::min);
            Arc::make_mut(&mut next.at_once).push(at);
        }
        next
    }

    /// Goes on after the messages that may have any order.
    fn pass_at_once(&mut self) {
        if let Some(last) = self.at_once.iter().max() {
            self.from = last + 1;
            self.at_once = Arc::default();
        }
    }
}

/// A message of the client that several messages in the log may match.
struct Choice {
    line: usize,
    position: Position,
    /// How many requests had been found.
    requests: usize,
    /// Where the next attempt starts.
    next: usize,
}

/// Where the search gets without a choice.
enum Progress {
    /// All messages were found.
    Complete,
    /// The next message of the client has to be found.
    Incoming(usize),
    /// The client sent something else here, or nothing.
    Missing(usize, Option<usize>),
}

impl<'a> Search<'a> {
    pub(super) fn new(cases: &'a [Arc<Case>], log: &'a MessageLog) -> Self {
        let lines = cases.iter().flat_map(|case| {
            case.messages.iter().map(|message| {
                let is_incoming =
                    message.direction == Direction::In && message.value.get("method").is_some();
                let expected = is_incoming.then(|| ExpectedMessage::new(message, true));
                DemandedMessage { case, message, expected }
            })
        });
        let (lines, requests) = (lines.collect(), Vec::new());
        Self { lines, log, comparisons_left: MAX_COMPARISONS, requests, missing: None }
    }

    /// The demanded messages, and the first that is missing, if any.
    pub(super) fn run(
        mut self,
        values: Values,
    ) -> Option<(Vec<DemandedMessage<'a>>, MissingMessage)> {
        if self.finds_all(Position::new(values)) {
            return None;
        }
        Some((self.lines, self.missing?))
    }

    /// Whether all messages are found. The choices are in a list, not on the call stack, because a case may be long.
    fn finds_all(&mut self, mut position: Position) -> bool {
        let mut choices: Vec<Choice> = Vec::new();
        let mut line = 0;
        loop {
            match self.advance(line, &mut position) {
                Progress::Complete => return true,
                Progress::Missing(line, instead) => self.note_missing(line, &position, instead),
                Progress::Incoming(line) => {
                    let (requests, next) = (self.requests.len(), position.from);
                    choices.push(Choice { line, position: position.clone(), requests, next });
                }
            }
            (line, position) = loop {
                let Some(choice) = choices.last_mut() else { return false };
                // The requests found after this choice belong to the attempt that is given up.
                self.requests.truncate(choice.requests);
                match self.next_match(choice) {
                    Some(next) => break (choice.line + 1, next),
                    None => {
                        self.note_missing(choice.line, &choice.position, None);
                        choices.pop();
                    }
                }
            };
        }
    }

    /// Goes on from `line` to the next choice.
    fn advance(&mut self, mut line: usize, position: &mut Position) -> Progress {
        while let Some(DemandedMessage { message, expected, .. }) = self.lines.get(line) {
            let message = *message;
            match (message.direction, expected) {
                // What the server sends is not judged: it only determines labels and values.
                (Direction::Out, _) => {
                    position.pass_at_once();
                    self.follow_server(message, position);
                }
                (Direction::In, Some(_)) => return Progress::Incoming(line),
                (Direction::In, None) => {
                    if let Err(instead) = self.find_answer(message, position) {
                        return Progress::Missing(line, instead);
                    }
                }
            }
            line += 1;
        }
        Progress::Complete
    }

    /// Captures from a message of the server what later messages need.
    fn follow_server(&mut self, message: &CaseMessage, position: &mut Position) {
        let method = message.value.get("method").and_then(Value::as_str);
        let at = match (method, label(&message.value)) {
            (Some(method), Some(label)) => {
                let at = self.log.received(method, true, position.last);
                if let Some(at) = at {
                    self.requests.push(((Direction::Out, label), at));
                }
                at
            }
            (Some(method), None) => self.log.received(method, false, position.last),
            (None, Some(label)) => {
                let request = self.request(Direction::In, &label);
                request.and_then(|request| self.log.reply(request)).map(|(at, _)| at)
            }
            (None, None) => None,
        };
        if let Some(at) = at {
            capture_from(message, &self.log.messages[at], &mut position.values);
        }
    }

    /// The index of the request with this label.
    fn request(&self, direction: Direction, label: &Id) -> Option<usize> {
        let mut requests = self.requests.iter().rev();
        requests.find(|((by, known), _)| *by == direction && known == label).map(|(_, at)| *at)
    }

    /// Tries the next message in the log that matches; returns the position after it.
    fn next_match(&mut self, choice: &mut Choice) -> Option<Position> {
        let log = self.log;
        let line = self.lines.get(choice.line)?;
        let expected = line.expected.as_ref()?;
        for (at, logged, incoming) in log.incoming(choice.next) {
            // Beyond the limit nothing matches, so that the search ends with what it has found.
            self.comparisons_left = self.comparisons_left.checked_sub(1)?;
            let is_taken = choice.position.at_once.contains(&at);
            if is_taken || !line.fits(logged, incoming, &choice.position.values) {
                continue;
            }
            choice.next = at + 1;
            let mut position = choice.position.after(at, log.is_ordered);
            expected.bind(incoming, Arc::make_mut(&mut position.values));
            capture_from(line.message, logged, &mut position.values);
            if let Some(label) = label(&line.message.value) {
                self.requests.push(((Direction::In, label), at));
            }
            return Some(position);
        }
        None
    }

    /// Finds the client's answer to a request of the server; if it differs, returns the index of what it answered.
    fn find_answer(
        &self,
        message: &CaseMessage,
        position: &mut Position,
    ) -> Result<(), Option<usize>> {
        let label = label(&message.value);
        let request = label.and_then(|label| self.request(Direction::Out, &label));
        let Some(request) = request else { return self.find_input_response(message, position) };
        let Some((at, logged)) = self.log.reply(request) else { return Err(None) };
        let Ok(expected) = expand(&message.value, &position.values) else { return Err(Some(at)) };
        let tolerance = Tolerance::of(self.log.revision);
        if !matches(&expected, &logged.message.to_value(), &message.rule, &tolerance) {
            return Err(Some(at));
        }
        capture_from(message, logged, &mut position.values);
        Ok(())
    }

    /// Finds the answer in the `inputResponses` of a request. A client that got no request for input need not answer.
    fn find_input_response(
        &self,
        message: &CaseMessage,
        position: &Position,
    ) -> Result<(), Option<usize>> {
        let after = || self.log.messages.iter().enumerate().skip(position.last);
        let asks = |logged: &LoggedMessage| match &logged.message {
            Message::Response(reply) => reply.result.get("inputRequests").is_some(),
            _ => false,
        };
        if !after().any(|(_, logged)| logged.sender == Party::Server && asks(logged)) {
            return Ok(());
        }
        let Ok(expected) = expand(&message.value, &position.values) else { return Err(None) };
        let tolerance = Tolerance::of(self.log.revision);
        // The name of an answer is not compared: the server chooses it, and the case has none.
        let mut other = None;
        for (at, logged, _) in self.log.incoming(position.last) {
            let answers = logged.message.params().and_then(|params| params.get("inputResponses"));
            let answers = answers.and_then(Value::as_object).into_iter();
            for (_, answer) in answers.flat_map(Object::iter) {
                if matches(&expected, &result_message(answer), &message.rule, &tolerance) {
                    return Ok(());
                }
                other = Some(at);
            }
        }
        Err(other)
    }

    /// Remembers the furthest message that is missing: it is the most useful one to report.
    fn note_missing(&mut self, line: usize, position: &Position, instead: Option<usize>) {
        if self.missing.as_ref().is_none_or(|missing| missing.line < line) {
            let values = Values::clone(&position.values);
            self.missing = Some(MissingMessage { line, from: position.from, values, instead });
        }
    }
}

/// Captures what the case names in a message. A name that gets no value matches anything.
fn capture_from(message: &CaseMessage, logged: &LoggedMessage, values: &mut Arc<Values>) {
    if !message.captures.is_empty() {
        drop(capture(message, &logged.message.to_value(), Arc::make_mut(values)));
    }
}
