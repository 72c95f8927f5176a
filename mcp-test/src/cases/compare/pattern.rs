//! The pointers of `_match`, followed step by step through a value.

use std::cell::OnceCell;

use mcp_test_core::json::{Pointer, array_index};
use mcp_test_core::yaml::Span;
use regex::Regex;

use crate::cases::format::expression::RegexError;
use crate::cases::{Matcher, Rule};

/// A pointer with its matcher.
pub(super) struct Pattern<'a> {
    steps: Vec<Step>,
    pub(super) pointer: &'a Pointer,
    pub(super) matcher: &'a Matcher,
    pub(super) span: Span,
    /// The matcher's expression, compiled on first use.
    pub(super) regex: OnceCell<Result<Regex, RegexError>>,
}

enum Step {
    Named(String),
    Every,
}

/// One step into a value.
#[derive(Clone, Copy)]
pub(super) enum Token<'a> {
    Member(&'a str),
    Item(usize),
}

impl Step {
    fn of(token: String) -> Self {
        // A member named `*` cannot be addressed alone: JSON Pointer has no wildcard, and no escape for this one.
        if token == "*" { Self::Every } else { Self::Named(token) }
    }

    fn names(&self, token: Token<'_>) -> bool {
        match (self, token) {
            (Self::Every, _) => false,
            (Self::Named(name), Token::Member(member)) => name == member,
            (Self::Named(name), Token::Item(index)) => array_index(name) == Some(index),
        }
    }
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

    /// Whether it requires a value to exist.
    fn requires_value(&self) -> bool {
        !self.matcher.is_mode() && *self.matcher != Matcher::Ignored
    }
}

/// The patterns whose pointers lead to a location, or through it.
pub(super) struct ActivePatterns<'p, 'a> {
    patterns: &'p [Pattern<'a>],
    depth: usize,
    /// The indices of the patterns, and whether their last step was a name, not `*`.
    active: Vec<(usize, bool)>,
}

impl<'p, 'a> ActivePatterns<'p, 'a> {
    pub(super) fn root(patterns: &'p [Pattern<'a>]) -> Self {
        Self { patterns, depth: 0, active: (0..patterns.len()).map(|at| (at, true)).collect() }
    }

    /// Takes one step. An index in a pointer only names an item of the case, or one past the end of the case's array.
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

    /// The pattern whose matcher applies to this location.
    pub(super) fn deciding(&self) -> Option<&'p Pattern<'a>> {
        self.most_specific(|matcher| !matcher.is_mode())
    }

    /// The mode set at this location.
    pub(super) fn mode(&self) -> Option<&'a Matcher> {
        // `unordered` is not one of them: it applies to one array, not from there on down.
        let is_mode = |matcher: &Matcher| matches!(matcher, Matcher::Exact | Matcher::Contains);
        self.most_specific(is_mode).map(|pattern| pattern.matcher)
    }

    /// Of the patterns that end here, the last one of those with the fewest stars.
    fn most_specific(&self, accepts: impl Fn(&Matcher) -> bool) -> Option<&'p Pattern<'a>> {
        let ends = self.ends().filter(|pattern| accepts(pattern.matcher));
        // `min_by_key` would return the first one.
        ends.reduce(|best, next| if next.stars() <= best.stars() { next } else { best })
    }

    pub(super) fn is_unordered(&self) -> bool {
        self.ends().any(|pattern| *pattern.matcher == Matcher::Unordered)
    }

    /// Whether a pointer names this location, not only with `*`.
    pub(super) fn is_named(&self) -> bool {
        self.active.iter().any(|(at, named)| *named && !self.patterns[*at].matcher.is_mode())
    }

    /// The first pattern that names this location and requires a value.
    pub(super) fn requires_value(&self) -> Option<&'p Pattern<'a>> {
        let named = self.active.iter().filter(|(_, named)| *named);
        named.map(|(at, _)| &self.patterns[*at]).find(|pattern| pattern.requires_value())
    }

    /// The unique next steps by name of patterns that require a value.
    pub(super) fn names(&self) -> impl Iterator<Item = &'p str> + use<'p, 'a> {
        let mut names: Vec<&'p str> = Vec::new();
        for (at, _) in &self.active {
            let pattern = &self.patterns[*at];
            if let Some(Step::Named(name)) = pattern.steps.get(self.depth)
                && pattern.requires_value()
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names.into_iter()
    }

    /// The next steps that are indices.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> + use<'p, 'a> {
        self.names().filter_map(array_index)
    }
}
