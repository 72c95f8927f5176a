//! A file while it is read: its text, and the complaints about it.

use std::sync::Arc;

use super::{Complaint, Level, Lint, lint};
use crate::expect::words;
use crate::yaml::{Kind, Member, Node, Span};

/// How many complaints are told of one file; a file that has more of them is no file of cases.
const MOST: usize = 100;

/// A file while it is read.
pub(super) struct Reading<'a> {
    pub(super) file: &'a str,
    pub(super) text: Arc<str>,
    /// Whether what should be has to be.
    pub(super) strict: bool,
    complaints: Vec<Complaint>,
    /// How many complaints were left out, and the first of their places.
    left_out: usize,
}

impl<'a> Reading<'a> {
    pub(super) fn new(file: &'a str, text: Arc<str>, strict: bool) -> Self {
        Self { file, text, strict, complaints: Vec::new(), left_out: 0 }
    }

    /// A complaint, yet to be [told](Self::tell).
    pub(super) fn complaint(
        &self,
        lint: &Lint,
        span: Span,
        message: impl Into<String>,
    ) -> Complaint {
        Complaint::new(lint, (self.file, &self.text), span, message)
    }

    pub(super) fn tell(&mut self, complaint: Complaint) {
        if !self.leaves_out() {
            self.complaints.push(complaint);
        }
    }

    /// Whether one more complaint is only counted; then it need not be made.
    pub(super) fn leaves_out(&mut self) -> bool {
        let is_full = self.complaints.len() >= MOST;
        self.left_out += usize::from(is_full);
        is_full
    }

    /// Says that a value does not fit its key: `what` is the key, `expected` follows "has to be".
    pub(super) fn wrong(&mut self, what: &str, expected: &str, node: &Node) {
        let complaint = self.unfit(what, expected, node);
        self.tell(complaint);
    }

    pub(super) fn unfit(&self, what: &str, expected: &str, node: &Node) -> Complaint {
        let message = format!("`{what}` has to be {expected}");
        let complaint = self.complaint(&lint::WRONG_VALUE, node.span, message);
        let complaint = complaint.label(format!("this is {}", node.kind.name()));
        match &node.kind {
            Kind::Null => complaint.label("nothing stands here"),
            Kind::List(items) if items.is_empty() => complaint.label("this list is empty"),
            Kind::Mapping(members) if members.is_empty() => {
                complaint.label("this mapping is empty")
            }
            _ => complaint,
        }
    }

    /// The text of a node that is one, and is not blank.
    pub(super) fn text<'n>(&mut self, what: &str, node: &'n Node) -> Option<&'n str> {
        match node.as_str() {
            Some(text) if !text.trim().is_empty() => Some(text),
            Some(_) => {
                let complaint = self.unfit(what, "a text", node).label("this text is empty");
                self.tell(complaint);
                None
            }
            None => {
                self.wrong(what, "a text", node);
                None
            }
        }
    }

    /// The truth value of a node that is one.
    pub(super) fn flag(&mut self, what: &str, node: &Node) -> Option<bool> {
        if let Kind::Bool(flag) = node.kind {
            return Some(flag);
        }
        let help = match node.as_str().map(str::to_lowercase).as_deref() {
            Some("yes" | "on") => Some("YAML 1.2 has `true` for that".to_owned()),
            Some("no" | "off") => Some("YAML 1.2 has `false` for that".to_owned()),
            _ => None,
        };
        let complaint = self.unfit(what, "`true` or `false`", node).help(help);
        self.tell(complaint);
        None
    }

    /// The members of a mapping whose keys are known; complains of the others.
    pub(super) fn members<'n>(
        &mut self,
        what: &str,
        members: &'n [Member],
        known: &[&'static str],
    ) -> Vec<(&'static str, &'n Node)> {
        let mut found: Vec<(&'static str, &Node)> = Vec::new();
        for Member { key, value } in members {
            let name = key.name();
            match known.iter().find(|known| **known == name) {
                // That a key is there twice was told.
                Some(known) if found.iter().any(|(before, _)| before == known) => {}
                Some(known) => found.push((known, value)),
                None => {
                    let complaint = self
                        .complaint(
                            &lint::WRONG_VALUE,
                            key.span,
                            format!("`{what}` has no `{name}`"),
                        )
                        .label(format!("known are {}", quoted(known)))
                        .help(did_you_mean(&name, known.iter().copied()));
                    self.tell(complaint);
                }
            }
        }
        found
    }

    /// Whether something keeps the file from being used.
    pub(super) fn is_refused(&self) -> bool {
        self.left_out > 0 || self.complaints.iter().any(|it| it.level == Level::Error)
    }

    /// What was told.
    pub(super) fn finish(mut self) -> Vec<Complaint> {
        if self.left_out > 0 {
            let more = words::count(self.left_out, "more complaint");
            let last = self.complaints.last().map(|last| last.span).unwrap_or_default();
            let message = format!("{more} of this file {} not told", are(self.left_out));
            let complaint = self.complaint(&lint::MORE, last, message);
            self.complaints.push(complaint);
        }
        self.complaints
    }
}

fn are(number: usize) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

/// Names in a row: `` `a`, `b` and `c` ``.
pub(super) fn quoted<T: AsRef<str>>(names: &[T]) -> String {
    words::list(names.iter().map(|name| format!("`{}`", name.as_ref())), "and")
}

/// How long a name may be, and how many there may be, so that one that is near is looked for.
const LOOKED_AT: (usize, usize) = (200, 1000);

/// The question whether another name was meant.
pub(super) fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(name, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// The name that was probably meant, if it can be found in reasonable time.
pub(super) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let (long, many) = LOOKED_AT;
    if name.len() > long {
        return None;
    }
    let candidates = candidates.into_iter().filter(|candidate| candidate.len() <= long);
    words::closest(name, candidates.take(many))
}
