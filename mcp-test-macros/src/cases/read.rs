//! From the text of a file to its cases: where each begins, what it is called, and when it is not run.
//!
//! What stands before a mistake in the YAML counts, so that one file with a mistake changes no other test.

use granit_parser::{Event, Parser, ScalarStyle};

/// What a file may hold at most: what is longer is not for a compiler to read, and refused when the test runs.
const LONGEST: usize = 16 << 20;

/// A case, as far as a test needs to know it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Case {
    /// `case`.
    pub(super) title: Option<String>,
    /// `_skip`.
    pub(super) skip: Option<String>,
    /// `_only`.
    pub(super) only: bool,
    /// `_tags`.
    pub(super) tags: Vec<String>,
}

/// The cases of a file: one for each document that is not empty.
pub(super) fn cases(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    if text.len() > LONGEST {
        return cases;
    }
    let mut document = Document::default();
    // A file from elsewhere may begin with a mark of its byte order.
    let mut events = Parser::new_from_str(text.trim_start_matches('\u{feff}'));
    while let Some(Ok((event, _))) = events.next_event() {
        match event {
            Event::DocumentStart(..) => document = Document::default(),
            Event::DocumentEnd => cases.extend(std::mem::take(&mut document).case),
            Event::Scalar(text, style, ..) => document.scalar(&text, style == ScalarStyle::Plain),
            Event::Alias(_) => document.node(),
            Event::MappingStart(..) => document.open(true),
            Event::SequenceStart(..) => document.open(false),
            Event::MappingEnd | Event::SequenceEnd => document.close(),
            _ => {}
        }
    }
    cases
}

/// A document that is being read.
#[derive(Default)]
struct Document {
    /// What it holds, unless that is nothing.
    case: Option<Case>,
    /// How many collections are open.
    depth: usize,
    /// Whether its root is a mapping.
    mapping: bool,
    /// The key at the root whose value comes, or has begun.
    key: Option<String>,
    /// Whether the next node at the root is a value.
    value: bool,
}

impl Document {
    fn open(&mut self, mapping: bool) {
        if self.depth == 0 {
            self.case = Some(Case::default());
            self.mapping = mapping;
        } else if self.depth == 1 && !self.value {
            self.key = None;
        }
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 1 {
            self.value = !self.value;
        }
    }

    /// A node without a value of its own.
    fn node(&mut self) {
        if self.depth == 1 {
            self.key = None;
            self.value = !self.value;
        }
    }

    fn scalar(&mut self, text: &str, plain: bool) {
        match self.depth {
            0 if plain && matches!(text, "" | "~" | "null" | "Null" | "NULL") => {}
            0 => self.case = Some(Case::default()),
            1 if self.mapping && !self.value => {
                self.key = Some(text.to_owned());
                self.value = true;
            }
            1 if self.mapping => {
                self.say(text);
                self.value = false;
            }
            2 if self.mapping && self.key.as_deref() == Some("_tags") => self.say(text),
            _ => {}
        }
    }

    /// Takes what the key of the root says.
    fn say(&mut self, text: &str) {
        let (Some(case), Some(key)) = (&mut self.case, &self.key) else { return };
        match key.as_str() {
            "case" => case.title = Some(text.trim().to_owned()),
            "_skip" => case.skip = Some(text.to_owned()),
            "_only" => case.only = matches!(text, "true" | "True" | "TRUE"),
            "_tags" => case.tags.push(text.to_owned()),
            _ => {}
        }
    }
}
