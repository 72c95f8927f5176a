//! Reads the names of the cases in a file, and when they are not run.
//!
//! Arguments before an error in the YAML counts, so that an error in one file does not change other tests.

use granit_parser::{Event, Parser, ScalarStyle};

/// The greatest size of a file; a larger one would slow the compiler down, and is refused when the test runs.
const LONGEST: usize = 16 << 20;

/// What a test needs to know of a case.
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
    // A file may begin with a byte order mark.
    let mut events = Parser::new_from_str(text.trim_start_matches('\u{feff}'));
    while let Some(Ok((event, _))) = events.next_event() {
        match event {
            // A document whose end was not reached has an error, and is not a case.
            Event::DocumentStart(..) => document = Document::default(),
            Event::DocumentEnd => cases.extend(std::mem::take(&mut document).case),
            Event::Scalar(text, style, ..) => document.scalar(&text, style == ScalarStyle::Plain),
            Event::Alias(_) => document.alias(),
            Event::MappingStart(..) => document.open(true),
            Event::SequenceStart(..) => document.open(false),
            Event::MappingEnd | Event::SequenceEnd => document.close(),
            _ => {}
        }
    }
    cases
}

/// A document while it is read.
#[derive(Default)]
struct Document {
    /// Its case, unless it is empty.
    case: Option<Case>,
    /// The number of open collections.
    depth: usize,
    /// Whether its root is a mapping.
    is_mapping: bool,
    /// The key at the root whose value follows, or has begun.
    key: Option<String>,
    /// Whether the next node in the mapping at the root is a value, and not a key.
    expects_value: bool,
}

impl Document {
    fn open(&mut self, is_mapping: bool) {
        if self.depth == 0 {
            self.case = Some(Case::default());
            self.is_mapping = is_mapping;
        } else if self.depth == 1 && !self.expects_value {
            // A key that is a collection itself; its value is not that of the previous key.
            self.key = None;
        }
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 1 {
            self.expects_value = !self.expects_value;
        }
    }

    /// An alias, whose value is not resolved here.
    fn alias(&mut self) {
        if self.depth == 1 {
            self.key = None;
            self.expects_value = !self.expects_value;
        }
    }

    fn scalar(&mut self, text: &str, plain: bool) {
        match self.depth {
            // An empty document is not a case: the file may begin or end with `---`.
            0 if plain && matches!(text, "" | "~" | "null" | "Null" | "NULL") => {}
            0 => self.case = Some(Case::default()),
            1 if self.is_mapping && !self.expects_value => {
                self.key = Some(text.to_owned());
                self.expects_value = true;
            }
            1 if self.is_mapping => {
                self.set(text);
                self.expects_value = false;
            }
            // `_tags` may be a list; no other key that is needed here has one.
            2 if self.is_mapping && self.key.as_deref() == Some("_tags") => self.set(text),
            _ => {}
        }
    }

    /// Sets the value of the current key.
    fn set(&mut self, text: &str) {
        let (Some(case), Some(key)) = (&mut self.case, &self.key) else { return };
        match key.as_str() {
            "case" => case.title = Some(text.trim().to_owned()),
            "_skip" => case.skip = Some(text.to_owned()),
            // The booleans of the YAML 1.2 core schema.
            "_only" => case.only = matches!(text, "true" | "True" | "TRUE"),
            "_tags" => case.tags.push(text.to_owned()),
            _ => {}
        }
    }
}
