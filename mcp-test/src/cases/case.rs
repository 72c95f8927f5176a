//! A case, the file it stands in, and the files together.

use std::sync::Arc;

use super::{CaseMessage, Direction, Settings};
use crate::json::Value;
use crate::yaml::Span;

/// The cases of some files.
#[derive(Debug, Clone, Default)]
pub struct Cases {
    /// The files, in the order in which they were named.
    pub files: Vec<Arc<CaseFile>>,
}

impl Cases {
    /// Every case with its file, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<CaseFile>, &Arc<Case>)> {
        self.files.iter().flat_map(|file| file.cases.iter().map(move |case| (file, case)))
    }
}

/// A file of cases.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CaseFile {
    /// Its path, as it was named.
    pub path: String,
    /// What stands in it.
    pub text: Arc<str>,
    /// The cases, one for each document that is not empty.
    pub cases: Vec<Arc<Case>>,
}

impl CaseFile {
    /// The cases that are said before one of them is over, that one the last: those that it goes on from, and itself.
    pub(super) fn until(&self, number: usize) -> &[Arc<Case>] {
        let all = self.cases.get(..=number).unwrap_or(&self.cases);
        let first = all.iter().rposition(|case| !case.settings.continues).unwrap_or(0);
        &all[first..]
    }
}

/// One case: a conversation, or a part of one.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Case {
    /// The key in reports, baselines and names of tests, unique among all files that are read together:
    /// `calculator::adds-two-numbers`.
    pub id: String,
    /// What it is called: the value of `case`.
    pub name: Option<String>,
    /// The comments above its first key, a line each, without `#`: prose for those who read it.
    pub comments: Vec<String>,
    /// Which document of the file it is, counted from one.
    pub number: usize,
    /// The messages, in the order in which they are said.
    pub messages: Vec<CaseMessage>,
    /// What the keys with `_` say.
    pub settings: Settings,
    /// Keys with `_` that mean nothing here.
    pub unknown: Vec<(String, Value, Span)>,
    /// Where it begins: at `case`, or else at its first key.
    pub span: Span,
}

impl Case {
    /// What it is called; a case without a name is called by its number.
    #[must_use]
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("case {}", self.number))
    }

    /// The messages of one side.
    pub fn said(&self, direction: Direction) -> impl Iterator<Item = &CaseMessage> {
        self.messages.iter().filter(move |message| message.direction == direction)
    }
}
