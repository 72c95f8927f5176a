//! The verdict on one value: its kind, its shape, and the violations.

use mcp_test_core::check;
use mcp_test_core::expect::words;
use mcp_test_core::json::{Note, NoteKind, Object, Pointer, Value};
use mcp_test_core::spec::Revision;
use mcp_test_core::spec::schema::{Definition, Violation};
use mcp_test_core::trace::ParsedText;
use mcp_test_core::wire::Message;

/// The judgement of one message, or of one value.
#[derive(Debug)]
pub(super) struct Verdict {
    /// What was validated, in words: the result of `tools/list`.
    pub(super) what: String,
    /// The shape that it was validated against.
    pub(super) shape: Option<String>,
    /// The revision of the shape.
    pub(super) revision: Option<Revision>,
    /// What is wrong with it; empty if it is valid.
    pub(super) problems: Vec<Problem>,
    /// Whether it is a reply to an unknown request.
    pub(super) is_unmatched: bool,
}

/// A violation of a shape or of a requirement.
#[derive(Debug)]
pub(super) struct Problem {
    /// Where it is.
    pub(super) pointer: Pointer,
    /// What is expected there, such as `a string`.
    pub(super) expected: String,
    /// What was found there.
    pub(super) got: String,
    /// The violated shape or requirement.
    pub(super) rule: String,
    /// The page of the specification; empty if there is none.
    pub(super) link: String,
}

impl From<Violation> for Problem {
    fn from(violation: Violation) -> Self {
        let Violation { pointer, expected, got, shape, link, .. } = violation;
        Self { pointer, expected, got, rule: shape.into_owned(), link }
    }
}

impl Verdict {
    /// The verdict on bytes that are not JSON.
    pub(super) fn not_json(bytes: &[u8], reason: &str) -> Self {
        let (pointer, expected) = (Pointer::root(), "a JSON-RPC message".to_owned());
        // The parser has seen only this line, which is line 1 only to it.
        let reason = reason.trim_start_matches("not JSON: ").trim_start_matches("line 1, ");
        let got = format!("{}, {reason}", words::quoted(bytes));
        let problem = Problem { pointer, expected, got, rule: String::new(), link: String::new() };
        Self::without_shape("not JSON".to_owned(), problem)
    }

    /// The verdict on what has no shape to validate it against.
    pub(super) fn without_shape(what: String, problem: Problem) -> Self {
        Self { what, shape: None, revision: None, problems: vec![problem], is_unmatched: false }
    }

    /// The verdict on a message.
    pub(super) fn for_message(
        message: &Message,
        answers: Option<&str>,
        shape: Option<&Definition>,
        revision: Revision,
        violations: Vec<Violation>,
    ) -> Self {
        let what = check::in_words(message, answers);
        // Without the request, all that is known is that it is a result.
        let shape = shape.map_or("Result", Definition::name).to_owned();
        let problems = violations.into_iter().map(Problem::from).collect();
        Self { what, shape: Some(shape), revision: Some(revision), problems, is_unmatched: false }
    }

    /// The verdict on a value that was validated against a definition.
    pub(super) fn for_value(definition: &Definition, value: &Value) -> Self {
        Self {
            what: "the value".to_owned(),
            shape: Some(definition.name().to_owned()),
            revision: Some(definition.revision()),
            problems: definition.violations(value).into_iter().map(Problem::from).collect(),
            is_unmatched: false,
        }
    }

    /// The verdict with its pointers relative to the batch in which the message is at `position`.
    pub(super) fn within_batch(mut self, position: &Pointer) -> Self {
        for problem in &mut self.problems {
            problem.pointer = position.clone().join(&problem.pointer);
        }
        self
    }

    pub(super) fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }

    /// The problems as text.
    pub(super) fn text(&self, line: Option<usize>) -> String {
        let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        let mut text = match (&self.shape, self.revision) {
            (Some(shape), Some(revision)) => {
                format!("{place}{} is not valid as {shape} of MCP {revision}\n", self.what)
            }
            _ => format!("{place}{}\n", self.what),
        };
        self.problems.iter().for_each(|problem| text.push_str(&problem.text()));
        text
    }

    /// The problems as JSON.
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
        object.push("errors", self.problems.iter().map(Problem::json).collect::<Value>());
        object.into()
    }
}

impl Problem {
    /// The keys that an object has twice: readers differ in which value they take, and only one was validated.
    pub(super) fn duplicate_keys(parsed: &ParsedText) -> Vec<Self> {
        let duplicate = |note: &Note| match &note.kind {
            NoteKind::DuplicateMember { name } => Some(Self {
                pointer: note.pointer.clone(),
                expected: "a key that occurs once".to_owned(),
                got: format!("a duplicate key {}", words::quoted(name.as_bytes())),
                rule: "JSON".to_owned(),
                link: "https://www.rfc-editor.org/rfc/rfc8259#section-4".to_owned(),
            }),
            _ => None,
        };
        parsed.notes().iter().filter_map(duplicate).collect()
    }

    fn text(&self) -> String {
        let Self { pointer, expected, got, rule, link } = self;
        // A pointer to the whole value is empty, which would read like a mistake.
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
