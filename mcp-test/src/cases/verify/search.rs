//! Whether what was said holds a case: each of its messages, in its order.
//!
//! The first thing that fits a message is not always the one that is meant, when later messages depend on it; so others are
//! tried, as long as there is patience.

use std::collections::HashMap;
use std::sync::Arc;

use super::told;
use super::visit::{Said, Visit, label};
use crate::cases::compare::{Tolerance, matches};
use crate::cases::serve::heard::{Expected, Fit, Heard};
use crate::cases::{Case, CaseFile, CaseMessage, Direction, Values, capture, expand};
use crate::check::Finding;
use crate::json::{Object, Value};
use crate::trace::Party;
use crate::wire::{Id, Message};

/// How often something that was said is held against something that is demanded.
const PATIENCE: usize = 20_000;

/// A search for the messages of a case.
pub(super) struct Search<'a> {
    file: &'a CaseFile,
    lines: Vec<Line<'a>>,
    visit: &'a Visit,
    patience: usize,
    /// How far it has come.
    stuck: Option<Stuck>,
}

/// A message of the case.
pub(super) struct Line<'a> {
    pub(super) case: &'a Case,
    pub(super) message: &'a CaseMessage,
    /// What the mock expects to hear, if the client asks or tells it.
    pub(super) expected: Option<Expected>,
}

/// The message that was not found.
pub(super) struct Stuck {
    pub(super) line: usize,
    /// Where in what was said it should have come.
    pub(super) from: usize,
    pub(super) values: Values,
    /// What was said in its place, if that is certain: the answer to what was asked.
    pub(super) instead: Option<usize>,
}

/// How far the search is.
#[derive(Clone)]
struct State {
    /// Where the next message of the client may stand.
    from: usize,
    /// Where the last one stands, and what the server says about it may begin.
    last: usize,
    values: Values,
    /// Where the requests of the case stand, by their labels: those of the client, and those of the server.
    asked: HashMap<(Direction, Id), usize>,
}

impl<'a> Search<'a> {
    pub(super) fn new(file: &'a CaseFile, chain: &'a [Arc<Case>], visit: &'a Visit) -> Self {
        let lines = chain.iter().flat_map(|case| {
            case.messages.iter().map(|message| {
                let is_asked = message.direction == Direction::In;
                let is_asked = is_asked && message.value.get("method").is_some();
                let expected = is_asked.then(|| Expected::of(message, true));
                Line { case, message, expected }
            })
        });
        Self { file, lines: lines.collect(), visit, patience: PATIENCE, stuck: None }
    }

    /// Searches; what is missing is a finding.
    pub(super) fn run(mut self, values: Values) -> Result<(), Finding> {
        let state = State { from: 0, last: 0, values, asked: HashMap::new() };
        if self.holds(0, state) {
            return Ok(());
        }
        let Some(stuck) = self.stuck.take() else { return Ok(()) };
        Err(told::missing(self.file, &self.lines, &stuck, self.visit))
    }

    /// Whether the messages from `line` on are there.
    fn holds(&mut self, mut line: usize, mut state: State) -> bool {
        while let Some(Line { message, expected, .. }) = self.lines.get(line) {
            let message = *message;
            match (message.direction, expected) {
                (Direction::Out, _) => self.follow(message, &mut state),
                (Direction::In, Some(_)) => return self.is_said(line, &state),
                (Direction::In, None) => {
                    if let Err(instead) = self.is_answered(message, &mut state) {
                        return self.is_stuck(line, state, instead);
                    }
                }
            }
            line += 1;
        }
        true
    }

    /// Takes from what the server says what later messages need.
    fn follow(&self, message: &CaseMessage, state: &mut State) {
        let method = message.value.get("method").and_then(Value::as_str);
        let at = match (method, label(&message.value)) {
            (Some(method), Some(label)) => {
                let at = self.visit.told(method, true, state.last);
                if let Some(at) = at {
                    state.asked.insert((Direction::Out, label), at);
                }
                at
            }
            (Some(method), None) => self.visit.told(method, false, state.last),
            (None, Some(label)) => {
                let asked = state.asked.get(&(Direction::In, label)).copied();
                asked.and_then(|asked| self.visit.reply(asked)).map(|(at, _)| at)
            }
            (None, None) => None,
        };
        if let Some(at) = at {
            keep(message, &self.visit.said[at], &mut state.values);
        }
    }

    /// Whether the client says the message, and then what follows.
    fn is_said(&mut self, line: usize, state: &State) -> bool {
        let visit = self.visit;
        for (at, said, heard) in visit.heard(state.from) {
            if self.patience == 0 {
                break;
            }
            self.patience -= 1;
            let Line { message, expected: Some(expected), .. } = &self.lines[line] else { break };
            if !fits(message, expected, said, heard, &state.values) {
                continue;
            }
            let mut next = State { from: at + 1, last: at, ..state.clone() };
            expected.bind(heard, &mut next.values);
            keep(message, said, &mut next.values);
            if let Some(label) = label(&message.value) {
                next.asked.insert((Direction::In, label), at);
            }
            if self.holds(line + 1, next) {
                return true;
            }
        }
        self.is_stuck(line, state.clone(), None)
    }

    /// Whether the client answers as the case has it; otherwise, what it answered. One that is not asked owes no answer.
    fn is_answered(&self, message: &CaseMessage, state: &mut State) -> Result<(), Option<usize>> {
        let label = label(&message.value);
        let asked = label.and_then(|label| state.asked.get(&(Direction::Out, label)).copied());
        let Some(asked) = asked else { return self.is_brought(message, state) };
        let Some((at, said)) = self.visit.reply(asked) else { return Err(None) };
        let Ok(expected) = expand(&message.value, &state.values) else { return Err(Some(at)) };
        let tolerance = Tolerance::of(self.visit.revision);
        if !matches(&expected, &said.message.to_value(), &message.rule, &tolerance) {
            return Err(Some(at));
        }
        keep(message, said, &mut state.values);
        Ok(())
    }

    /// Whether a request of the client brings the answer along, if the server has asked in a result.
    fn is_brought(&self, message: &CaseMessage, state: &State) -> Result<(), Option<usize>> {
        let after = || self.visit.said.iter().enumerate().skip(state.last);
        let wants = |said: &Said| match &said.message {
            Message::Response(reply) => reply.result.get("inputRequests").is_some(),
            _ => false,
        };
        if !after().any(|(_, said)| said.by == Party::Server && wants(said)) {
            return Ok(());
        }
        let Ok(expected) = expand(&message.value, &state.values) else { return Err(None) };
        let tolerance = Tolerance::of(self.visit.revision);
        let mut brought = None;
        for (at, said, _) in self.visit.heard(state.last) {
            let answers = said.message.params().and_then(|params| params.get("inputResponses"));
            let answers = answers.and_then(Value::as_object).into_iter();
            for (_, answer) in answers.flat_map(Object::iter) {
                if matches(&expected, &result(answer), &message.rule, &tolerance) {
                    return Ok(());
                }
                brought = Some(at);
            }
        }
        Err(brought)
    }

    /// Remembers where the search has come furthest.
    fn is_stuck(&mut self, line: usize, state: State, instead: Option<usize>) -> bool {
        if self.stuck.as_ref().is_none_or(|stuck| stuck.line < line) {
            let State { from, values, .. } = state;
            self.stuck = Some(Stuck { line, from, values, instead });
        }
        false
    }
}

/// A message with this result, as the pointers of `_match` have it.
pub(super) fn result(value: &Value) -> Value {
    let mut message = Object::new();
    message.push("result", value.clone());
    message.into()
}

/// Whether something that the client said is what a message of the case demands.
pub(super) fn fits(
    message: &CaseMessage,
    expected: &Expected,
    said: &Said,
    heard: &Heard,
    values: &Values,
) -> bool {
    let asks = message.value.get("id").is_some();
    let method = message.value.get("method").and_then(Value::as_str);
    said.message.method() == method
        && said.message.id().is_some() == asks
        && !matches!(expected.fit(heard, values), Fit::Not)
}

/// Keeps of a message what the case asks to. A name that gets no value stands for anything.
fn keep(message: &CaseMessage, said: &Said, values: &mut Values) {
    drop(capture(message, &said.message.to_value(), values));
}
