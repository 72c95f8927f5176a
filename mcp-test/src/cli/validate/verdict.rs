//! What is said of one value: what it is, by which shape it was judged, and what is wrong with it.

use crate::check;
use crate::expect::words;
use crate::json::{Object, Pointer, Value};
use crate::spec::Revision;
use crate::spec::schema::{Definition, Violation};
use crate::wire::Message;

/// The judgement of one message, or of one value.
#[derive(Debug)]
pub(super) struct Verdict {
    /// What it is, in words: the result of `tools/list`.
    pub(super) what: String,
    /// The shape that it was judged by.
    pub(super) shape: Option<String>,
    /// The revision that it was judged by.
    pub(super) revision: Option<Revision>,
    /// What is wrong, the most telling first.
    pub(super) wrong: Vec<Wrong>,
    /// It is a reply, and the request that it answers is not known.
    pub(super) is_alone: bool,
}

/// One thing that is wrong.
#[derive(Debug)]
pub(super) struct Wrong {
    /// Where.
    pub(super) pointer: Pointer,
    /// What is expected there; reads on after "is".
    pub(super) expected: String,
    /// What is there.
    pub(super) got: String,
    /// The shape, or the requirement, that says so.
    pub(super) rule: String,
    /// Where the specification says so; empty if it does not.
    pub(super) link: String,
}

impl From<Violation> for Wrong {
    fn from(violation: Violation) -> Self {
        let Violation { pointer, expected, got, shape, link, .. } = violation;
        Self { pointer, expected, got, rule: shape.into_owned(), link }
    }
}

impl Verdict {
    /// Of bytes that are no JSON.
    pub(super) fn no_json(bytes: &[u8], why: &str) -> Self {
        let (pointer, expected) = (Pointer::root(), "a JSON-RPC message".to_owned());
        // Of a line the only one that the reader has seen.
        let why = why.trim_start_matches("not JSON: ").trim_start_matches("line 1, ");
        let got = format!("{}, {why}", words::quoted(bytes));
        let wrong = Wrong { pointer, expected, got, rule: String::new(), link: String::new() };
        Self::wrong("not JSON".to_owned(), wrong)
    }

    /// Of something in which one thing is wrong that no shape says.
    pub(super) fn wrong(what: String, wrong: Wrong) -> Self {
        Self { what, shape: None, revision: None, wrong: vec![wrong], is_alone: false }
    }

    /// Of a message.
    pub(super) fn of_message(
        message: &Message,
        answers: Option<&str>,
        shape: Option<&Definition>,
        revision: Revision,
        violations: Vec<Violation>,
    ) -> Self {
        let what = check::in_words(message, answers);
        // Where it is not known what is answered, nothing is known but that it is a result.
        let shape = shape.map_or("Result", Definition::name).to_owned();
        let wrong = violations.into_iter().map(Wrong::from).collect();
        Self { what, shape: Some(shape), revision: Some(revision), wrong, is_alone: false }
    }

    /// Of a value that was judged by a definition that the user has named.
    pub(super) fn of_value(definition: &Definition, value: &Value) -> Self {
        let wrong = definition.violations(value).into_iter().map(Wrong::from).collect();
        Self {
            what: "the value".to_owned(),
            shape: Some(definition.name().to_owned()),
            revision: Some(definition.revision()),
            wrong,
            is_alone: false,
        }
    }

    /// The same, of a reply whose request is not known.
    pub(super) fn alone(self) -> Self {
        Self { is_alone: true, ..self }
    }

    /// The same, seen from what is around the value.
    pub(super) fn within(mut self, place: &Pointer) -> Self {
        for wrong in &mut self.wrong {
            wrong.pointer = place.clone().join(&wrong.pointer);
        }
        self
    }

    pub(super) fn is_valid(&self) -> bool {
        self.wrong.is_empty()
    }

    /// What was found, for people; nothing is found in what is valid.
    pub(super) fn text(&self, line: Option<usize>) -> String {
        let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        let mut text = match (&self.shape, self.revision) {
            (Some(shape), Some(revision)) => {
                format!("{place}{} is not valid as {shape} of MCP {revision}\n", self.what)
            }
            _ => format!("{place}{}\n", self.what),
        };
        for wrong in &self.wrong {
            text.push_str(&wrong.text());
        }
        text
    }

    /// What was found, for programs.
    pub(super) fn json(&self, line: Option<usize>) -> Value {
        let mut object = Object::new();
        if let Some(line) = line {
            object.push("line", line);
        }
        object.push("what", self.what.as_str());
        if let Some(shape) = &self.shape {
            object.push("definition", shape.as_str());
        }
        if let Some(revision) = self.revision {
            object.push("specVersion", revision.as_str());
        }
        object.push("errors", self.wrong.iter().map(Wrong::json).collect::<Value>());
        object.into()
    }
}

impl Wrong {
    fn text(&self) -> String {
        let Self { pointer, expected, got, rule, link } = self;
        let expected = match pointer.is_root() {
            true => expected.clone(),
            false => format!("`{pointer}` is {expected}"),
        };
        let mut text = format!("  expected {expected}\n  got {got}\n");
        if !rule.is_empty() {
            text.push_str(&format!("  {rule}: {link}\n"));
        }
        text
    }

    fn json(&self) -> Value {
        let mut object = Object::new();
        object.push("pointer", self.pointer.as_str());
        object.push("expected", self.expected.as_str());
        object.push("got", self.got.as_str());
        if !self.rule.is_empty() {
            object.push("rule", self.rule.as_str());
            object.push("url", self.link.as_str());
        }
        object.into()
    }
}
