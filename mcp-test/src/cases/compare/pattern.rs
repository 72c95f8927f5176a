//! The pointers of `_match`, followed step by step on the way down.

use std::cell::OnceCell;

use regex::Regex;

use super::super::{Matcher, Rule};
use crate::json::Pointer;
use crate::yaml::Span;

/// A pointer with what is asked there.
pub(super) struct Pattern<'a> {
    steps: Vec<Step>,
    pub(super) pointer: &'a Pointer,
    pub(super) matcher: &'a Matcher,
    pub(super) span: Span,
    /// The matcher's expression, once somebody needed it.
    pub(super) regex: OnceCell<Result<Regex, String>>,
}

enum Step {
    Named(String),
    Every,
}

/// One step on the way down, as it is taken in a value.
#[derive(Clone, Copy)]
pub(super) enum Token<'a> {
    Member(&'a str),
    Item(usize),
}

impl Step {
    fn names(&self, token: Token<'_>) -> bool {
        match (self, token) {
            (Self::Every, _) => false,
            (Self::Named(name), Token::Member(member)) => name == member,
            (Self::Named(name), Token::Item(index)) => item(name) == Some(index),
        }
    }
}

/// A step as the number of an item.
fn item(name: &str) -> Option<usize> {
    name.parse().ok().filter(|index: &usize| index.to_string() == name)
}

impl<'a> Pattern<'a> {
    pub(super) fn all(rule: &'a Rule) -> Vec<Self> {
        let patterns = rule.matchers.iter().map(|(pointer, matcher, span)| Self {
            steps: pointer.tokens().map(Step::of).collect(),
            pointer,
            matcher,
            span: *span,
            regex: OnceCell::new(),
        });
        patterns.collect()
    }

    fn stars(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Every)).count()
    }

    /// Whether it says how a value of the case is compared, not what is to be there.
    fn is_mode(&self) -> bool {
        matches!(self.matcher, Matcher::Exact | Matcher::Contains | Matcher::Unordered)
    }

    /// Whether something has to be there for it.
    fn demands(&self) -> bool {
        !self.is_mode() && *self.matcher != Matcher::Ignored
    }
}

impl Step {
    fn of(token: String) -> Self {
        if token == "*" { Self::Every } else { Self::Named(token) }
    }
}

/// The patterns that lead to a place, or through it.
pub(super) struct Here<'p, 'a> {
    patterns: &'p [Pattern<'a>],
    depth: usize,
    /// Which patterns, and whether their last step so far named the place.
    active: Vec<(usize, bool)>,
}

impl<'p, 'a> Here<'p, 'a> {
    pub(super) fn root(patterns: &'p [Pattern<'a>]) -> Self {
        Self { patterns, depth: 0, active: (0..patterns.len()).map(|at| (at, true)).collect() }
    }

    /// One step down. An item that is not the case's own is named by no pointer, unless it lies past the case's end.
    pub(super) fn step(&self, token: Token<'_>, is_named: bool) -> Self {
        let mut active = Vec::new();
        for &(at, _) in &self.active {
            match self.patterns[at].steps.get(self.depth) {
                Some(Step::Every) => active.push((at, false)),
                Some(step) if is_named && step.names(token) => active.push((at, true)),
                _ => {}
            }
        }
        Self { patterns: self.patterns, depth: self.depth + 1, active }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    fn ends(&self) -> impl Iterator<Item = &'p Pattern<'a>> {
        let ending = self.active.iter().map(|(at, _)| &self.patterns[*at]);
        ending.filter(|pattern| pattern.steps.len() == self.depth)
    }

    /// The matcher that decides about this place alone.
    pub(super) fn decides(&self) -> Option<&'p Pattern<'a>> {
        let deciding = self.ends().filter(|pattern| !pattern.is_mode());
        // The last of those with the fewest stars.
        deciding.reduce(|best, next| if next.stars() <= best.stars() { next } else { best })
    }

    /// The mode that is asked for from here on down.
    pub(super) fn mode(&self) -> Option<&'a Matcher> {
        let modes =
            self.ends().filter(|it| matches!(it.matcher, Matcher::Exact | Matcher::Contains));
        let best =
            modes.reduce(|best, next| if next.stars() <= best.stars() { next } else { best });
        best.map(|pattern| pattern.matcher)
    }

    pub(super) fn is_unordered(&self) -> bool {
        self.ends().any(|pattern| *pattern.matcher == Matcher::Unordered)
    }

    /// Whether the way to this place was named by a pointer, not only by a `*`.
    pub(super) fn is_named(&self) -> bool {
        self.active.iter().any(|(at, named)| *named && !self.patterns[*at].is_mode())
    }

    /// Whether a pointer that names this place needs something to be there; the first that does.
    pub(super) fn demands(&self) -> Option<&'p Pattern<'a>> {
        let named = self.active.iter().filter(|(_, named)| *named);
        named.map(|(at, _)| &self.patterns[*at]).find(|pattern| pattern.demands())
    }

    /// The next steps by name of pointers that need something to be there, each once.
    pub(super) fn names(&self) -> impl Iterator<Item = &'p str> + use<'p, 'a> {
        let mut names: Vec<&'p str> = Vec::new();
        for (at, _) in &self.active {
            let pattern = &self.patterns[*at];
            if let Some(Step::Named(name)) = pattern.steps.get(self.depth)
                && pattern.demands()
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names.into_iter()
    }

    /// The next steps by number.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> + use<'p, 'a> {
        self.names().filter_map(item)
    }
}
