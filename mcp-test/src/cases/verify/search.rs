//! Whether what was said holds a case: each of its messages, in its order.
//!
//! The first thing that fits a message is not always the one that is meant, when later messages depend on it; so others are
//! tried, as long as there is patience.

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
    /// Where the requests of the case stand, by their labels: those of the client, and those of the server. Of two with one
    /// label the later one counts.
    asked: Vec<((Direction, Id), usize)>,
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
    values: Arc<Values>,
}

/// A message of the client that may have been said at several places.
struct Choice {
    line: usize,
    state: State,
    /// How many requests were known.
    asked: usize,
    /// The place that is tried next.
    next: usize,
}

/// What the messages that leave no choice come to.
enum Way {
    /// All that is left is there.
    Held,
    /// Here the client has to say something.
    Asks(usize),
    /// Here something else was said, or nothing.
    Stuck(usize, Option<usize>),
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
        let (lines, asked) = (lines.collect(), Vec::new());
        Self { file, lines, visit, patience: PATIENCE, asked, stuck: None }
    }

    /// Searches; what is missing is a finding.
    pub(super) fn run(mut self, values: Values) -> Result<(), Finding> {
        if self.holds(State { from: 0, last: 0, values: Arc::new(values) }) {
            return Ok(());
        }
        let Some(stuck) = self.stuck.take() else { return Ok(()) };
        Err(told::missing(self.file, &self.lines, &stuck, self.visit))
    }

    /// Whether all messages are there. The choices that were made are kept apart from the stack: a case may be long.
    fn holds(&mut self, mut state: State) -> bool {
        let mut choices: Vec<Choice> = Vec::new();
        let mut line = 0;
        loop {
            match self.way(line, &mut state) {
                Way::Held => return true,
                Way::Stuck(line, instead) => self.is_stuck(line, &state, instead),
                Way::Asks(line) => {
                    let (asked, next) = (self.asked.len(), state.from);
                    choices.push(Choice { line, state: state.clone(), asked, next });
                }
            }
            (line, state) = loop {
                let Some(choice) = choices.last_mut() else { return false };
                self.asked.truncate(choice.asked);
                match self.next(choice) {
                    Some(next) => break (choice.line + 1, next),
                    None => {
                        self.is_stuck(choice.line, &choice.state, None);
                        choices.pop();
                    }
                }
            };
        }
    }

    /// Goes on from `line` to where there is a choice.
    fn way(&mut self, mut line: usize, state: &mut State) -> Way {
        while let Some(Line { message, expected, .. }) = self.lines.get(line) {
            let message = *message;
            match (message.direction, expected) {
                (Direction::Out, _) => self.follow(message, state),
                (Direction::In, Some(_)) => return Way::Asks(line),
                (Direction::In, None) => {
                    if let Err(instead) = self.is_answered(message, state) {
                        return Way::Stuck(line, instead);
                    }
                }
            }
            line += 1;
        }
        Way::Held
    }

    /// Takes from what the server says what later messages need.
    fn follow(&mut self, message: &CaseMessage, state: &mut State) {
        let method = message.value.get("method").and_then(Value::as_str);
        let at = match (method, label(&message.value)) {
            (Some(method), Some(label)) => {
                let at = self.visit.told(method, true, state.last);
                if let Some(at) = at {
                    self.asked.push(((Direction::Out, label), at));
                }
                at
            }
            (Some(method), None) => self.visit.told(method, false, state.last),
            (None, Some(label)) => {
                let asked = self.place(Direction::In, &label);
                asked.and_then(|asked| self.visit.reply(asked)).map(|(at, _)| at)
            }
            (None, None) => None,
        };
        if let Some(at) = at {
            keep(message, &self.visit.said[at], &mut state.values);
        }
    }

    /// Where the request with this label stands.
    fn place(&self, direction: Direction, label: &Id) -> Option<usize> {
        let mut asked = self.asked.iter().rev();
        asked.find(|((by, known), _)| *by == direction && known == label).map(|(_, at)| *at)
    }

    /// Takes the next place where the client says the message; how far the search is then.
    fn next(&mut self, choice: &mut Choice) -> Option<State> {
        let visit = self.visit;
        let Line { message, expected, .. } = self.lines.get(choice.line)?;
        let expected = expected.as_ref()?;
        for (at, said, heard) in visit.heard(choice.next) {
            self.patience = self.patience.checked_sub(1)?;
            if !fits(message, expected, said, heard, &choice.state.values) {
                continue;
            }
            choice.next = at + 1;
            let mut state = State { from: at + 1, last: at, ..choice.state.clone() };
            expected.bind(heard, Arc::make_mut(&mut state.values));
            keep(message, said, &mut state.values);
            if let Some(label) = label(&message.value) {
                self.asked.push(((Direction::In, label), at));
            }
            return Some(state);
        }
        None
    }

    /// Whether the client answers as the case has it; otherwise, what it answered. One that is not asked owes no answer.
    fn is_answered(&self, message: &CaseMessage, state: &mut State) -> Result<(), Option<usize>> {
        let label = label(&message.value);
        let asked = label.and_then(|label| self.place(Direction::Out, &label));
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
    fn is_stuck(&mut self, line: usize, state: &State, instead: Option<usize>) {
        if self.stuck.as_ref().is_none_or(|stuck| stuck.line < line) {
            let values = Values::clone(&state.values);
            self.stuck = Some(Stuck { line, from: state.from, values, instead });
        }
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
fn keep(message: &CaseMessage, said: &Said, values: &mut Arc<Values>) {
    if !message.captures.is_empty() {
        drop(capture(message, &said.message.to_value(), Arc::make_mut(values)));
    }
}
