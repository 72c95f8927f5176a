//! Cases, and the files that contain them.

use std::sync::Arc;

use mcp_test_core::json::Value;
use mcp_test_core::yaml::Span;

use super::extension::Settings;
use super::message::{CaseMessage, Direction};

/// The cases of one or more files.
#[derive(Debug, Clone, Default)]
pub struct Cases {
    /// The files, in the order given.
    pub files: Vec<Arc<CaseFile>>,
}

impl Cases {
    /// Iterates over all cases with their files, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<CaseFile>, &Arc<Case>)> {
        self.files.iter().flat_map(|file| file.cases.iter().map(move |case| (file, case)))
    }

    /// The cases with one of these tags, and those that they [continue](Settings::continues).
    #[doc(hidden)]
    #[must_use]
    pub fn tagged(&self, tags: &[String]) -> Self {
        let files = self.files.iter().map(|file| file.tagged(tags));
        Self { files: files.filter(|file| !file.cases.is_empty()).map(Arc::new).collect() }
    }
}

/// A file of cases.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CaseFile {
    /// Its path, as given.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
    /// Its cases, one per document that is not empty.
    pub cases: Vec<Arc<Case>>,
}

impl CaseFile {
    /// The conversation up to a case: the cases it [continues](Settings::continues), then itself.
    pub(in crate::cases) fn conversation_until(&self, number: usize) -> &[Arc<Case>] {
        let all = self.cases.get(..=number).unwrap_or(&self.cases);
        let first = all.iter().rposition(|case| !case.settings.continues).unwrap_or(0);
        &all[first..]
    }

    fn tagged(&self, tags: &[String]) -> Self {
        let mut kept = 0..0;
        let mut cases = Vec::new();
        for (number, case) in self.cases.iter().enumerate() {
            if tags.iter().any(|tag| case.settings.tags.contains(tag)) {
                // Not twice, if an earlier case of the conversation has the tag, too.
                let first = number + 1 - self.conversation_until(number).len();
                kept = kept.end.max(first)..number + 1;
                cases.extend_from_slice(&self.cases[kept.clone()]);
            }
        }
        Self { path: self.path.clone(), text: Arc::clone(&self.text), cases }
    }
}

/// One case: a conversation, or a part of one.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Case {
    /// The id in reports, baselines and test names, unique among all files read together: `calculator::adds-two-numbers`.
    pub id: String,
    /// Its name: the value of `case`.
    pub name: Option<String>,
    /// The comments above its first key, one line each, without `#`.
    pub comments: Vec<String>,
    /// The number of its document in the file, counted from one.
    pub number: usize,
    /// The messages, in order.
    pub messages: Vec<CaseMessage>,
    /// The settings from keys with `_`; cases without any share them.
    pub settings: Arc<Settings>,
    /// Unknown keys with `_`, with their values.
    pub unknown: Vec<(String, Value, Span)>,
    /// The range of `case`, or else of its first key.
    pub span: Span,
}

impl Case {
    /// Its name, or its number if it has none.
    #[must_use]
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("case {}", self.number))
    }

    /// The messages that one side sends.
    pub fn sent(&self, direction: Direction) -> impl Iterator<Item = &CaseMessage> {
        self.messages.iter().filter(move |message| message.direction == direction)
    }
}
