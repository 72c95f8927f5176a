//! Compares two values from the root down.

use std::cell::Cell;
use std::collections::HashMap;

use mcp_test_core::expect::words;
use mcp_test_core::json::{DifferenceKind, Object, Pointer, Value};
use mcp_test_core::yaml::Span;

use super::matcher::{self, Mismatch};
use super::pattern::{ActivePatterns, Pattern, Token};
use super::tolerance::Tolerance;
use crate::cases::{Matcher, Mode, Rule};

/// The largest number of differences that [`compare`](super::compare()) returns.
pub const MOST: usize = 100;

/// The largest number of pairs compared to find counterparts of items: bounds the time for any message.
// Two arrays of 1,000 scalars in any order need no more.
const PAIRS: u64 = 1_000_000;

/// Objects with more members are indexed.
// `Object::get` is linear: without an index, comparing two large objects would be quadratic.
const INDEX_ABOVE: usize = 16;

/// A comparison with one rule.
pub(super) struct Walk<'a> {
    patterns: Vec<Pattern<'a>>,
    tolerance: &'a Tolerance,
    // In cells, because counterparts are searched inside iterators that share the walk.
    /// How many pairs may still be compared to find counterparts.
    left: Cell<u64>,
    /// Whether counterparts are being searched; other comparisons visit each value once and need no limit.
    is_searching: Cell<bool>,
}

/// A difference before it is described.
pub(super) struct RawDifference<'v> {
    /// The location in the case.
    pub(super) case: Pointer,
    /// The location in the message.
    pub(super) pointer: Pointer,
    pub(super) kind: DifferenceKind,
    pub(super) wanted: Expectation<'v>,
    pub(super) got: Option<&'v Value>,
    /// An explanation, to follow "which"; for a missing value, what exists instead.
    pub(super) which: Option<String>,
    /// The range of the matcher that applies.
    pub(super) matcher_span: Option<Span>,
}

impl<'v> RawDifference<'v> {
    fn new(location: &Location<'_>, wanted: Expectation<'v>, got: Option<&'v Value>) -> Self {
        let kind = match (&wanted, got) {
            (Expectation::Nothing, _) => DifferenceKind::Extra,
            (_, Some(_)) => DifferenceKind::Changed,
            (_, None) => DifferenceKind::Missing,
        };
        let (case, pointer) = (location.in_case(), location.in_message());
        Self { case, pointer, kind, wanted, got, which: None, matcher_span: None }
    }
}

/// What is expected at a location.
pub(super) enum Expectation<'v> {
    /// The value of the case.
    Value(&'v Value),
    /// A description, to follow "is".
    Words(String),
    Nothing,
}

/// Collects differences.
pub(super) enum Sink<'v> {
    /// Only whether one exists.
    Any(bool),
    All(Vec<RawDifference<'v>>),
}

impl<'v> Sink<'v> {
    // A closure, because most comparisons only ask whether anything differs, and a pointer costs an allocation per step.
    fn push(&mut self, raw: impl FnOnce() -> RawDifference<'v>) {
        match self {
            Self::Any(found) => *found = true,
            Self::All(all) if all.len() < MOST => all.push(raw()),
            Self::All(_) => {}
        }
    }

    pub(super) fn is_done(&self) -> bool {
        match self {
            Self::Any(found) => *found,
            Self::All(all) => all.len() >= MOST,
        }
    }

    /// Whether differences are described, so that a search for the best description is worthwhile.
    pub(super) const fn collects(&self) -> bool {
        matches!(self, Self::All(_))
    }
}

/// The location of a pair of values, in the case and in the message.
// Linked to its parent instead of a `Pointer`: text is only made of the few locations that need it.
#[derive(Clone, Copy)]
pub(super) struct Location<'p> {
    parent: Option<&'p Location<'p>>,
    case: Option<Token<'p>>,
    got: Option<Token<'p>>,
}

impl<'p> Location<'p> {
    const ROOT: Self = Self { parent: None, case: None, got: None };

    fn member(&'p self, name: &'p str) -> Self {
        let token = Some(Token::Member(name));
        Self { parent: Some(self), case: token, got: token }
    }

    /// An item of the case and the item of the message compared with it.
    pub(super) fn items(&'p self, case: Option<usize>, got: Option<usize>) -> Self {
        Self { parent: Some(self), case: case.map(Token::Item), got: got.map(Token::Item) }
    }

    fn pointer(&self, token: impl Fn(&Self) -> Option<Token<'p>> + Copy) -> Pointer {
        let before = self.parent.map_or_else(Pointer::root, |parent| parent.pointer(token));
        match token(self) {
            Some(Token::Member(name)) => before.member(name),
            Some(Token::Item(index)) => before.index(index),
            None => before,
        }
    }

    fn in_case(&self) -> Pointer {
        self.pointer(|place| place.case)
    }

    fn in_message(&self) -> Pointer {
        self.pointer(|place| place.got)
    }

    const fn is_root(&self) -> bool {
        self.parent.is_none()
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(rule: &'a Rule, tolerance: &'a Tolerance) -> Self {
        Self {
            patterns: Pattern::all(rule),
            tolerance,
            left: Cell::new(PAIRS),
            is_searching: Cell::new(false),
        }
    }

    pub(super) fn differences<'v>(
        &self,
        expected: &'v Value,
        got: &'v Value,
        mode: Mode,
    ) -> Vec<RawDifference<'v>> {
        let mut sink = Sink::All(Vec::new());
        self.message(mode, expected, got, &mut sink);
        match sink {
            Sink::All(all) => all,
            Sink::Any(_) => Vec::new(),
        }
    }

    pub(super) fn matches(&self, expected: &Value, got: &Value, mode: Mode) -> bool {
        let mut sink = Sink::Any(false);
        self.message(mode, expected, got, &mut sink);
        !sink.is_done()
    }

    fn message<'v>(&self, mode: Mode, expected: &'v Value, got: &'v Value, out: &mut Sink<'v>) {
        let here = ActivePatterns::root(&self.patterns);
        let place = &Location::ROOT;
        // JSON-RPC 2.0 (section 5): a response has either `result` or `error`.
        // A reply of the other kind is one difference; comparing its members would only add noise.
        for (wanted, other) in [("result", "error"), ("error", "result")] {
            let has_only = |message: &Value, one: &str, not: &str| {
                message.get(one).is_some() && message.get(not).is_none()
            };
            if has_only(expected, wanted, other) && has_only(got, other, wanted) {
                return out.push(|| RawDifference {
                    case: Pointer::root().member(wanted),
                    pointer: Pointer::root().member(other),
                    kind: DifferenceKind::Changed,
                    wanted: Expectation::Words(format!("a reply with `{wanted}`")),
                    got: got.get(other),
                    which: Some(format!("is its `{other}`")),
                    matcher_span: None,
                });
            }
        }
        if let (Some(wanted), Some(actual)) = (expected.get("method"), got.get("method")) {
            let here = here.step(Token::Member("method"), true);
            let place = place.member("method");
            // A message with another method is another message: its other differences would only add noise.
            let mut method = Sink::Any(false);
            self.at(&place, &here, mode, Some(wanted), Some(actual), &mut method);
            if method.is_done() {
                return self.at(&place, &here, mode, Some(wanted), Some(actual), out);
            }
        }
        self.at(place, &here, mode, Some(expected), Some(got), out);
    }

    /// Whether the limit of pairs is reached.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Runs a comparison that counts towards the limit of pairs.
    pub(super) fn search(&self, compare: impl FnOnce()) {
        // Searches nest, because items may contain arrays.
        let before = self.is_searching.replace(true);
        compare();
        self.is_searching.set(before);
    }

    /// Compares one location: by its matcher, or else with the value of the case.
    pub(super) fn at<'v>(
        &self,
        place: &Location<'_>,
        here: &ActivePatterns<'_, 'a>,
        mode: Mode,
        expected: Option<&'v Value>,
        got: Option<&'v Value>,
        out: &mut Sink<'v>,
    ) {
        if self.is_searching.get() {
            match self.left.get().checked_sub(1) {
                Some(left) => self.left.set(left),
                // Beyond the limit nothing is a counterpart. Only searches get here, and their sink is `Any`.
                None => *out = Sink::Any(true),
            }
        }
        if out.is_done() || self.tolerance.ignores(|| place.in_case()) {
            return;
        }
        let mode = match here.mode() {
            Some(Matcher::Contains) => Mode::Contains,
            Some(_) => Mode::Exact,
            None => mode,
        };
        match here.deciding() {
            Some(pattern) => self.apply_matcher(place, here, pattern, got, out),
            None => self.values(place, here, mode, expected, got, out),
        }
    }

    /// Compares the values at a location that has no matcher of its own.
    fn values<'v>(
        &self,
        place: &Location<'_>,
        here: &ActivePatterns<'_, 'a>,
        mode: Mode,
        expected: Option<&'v Value>,
        got: Option<&'v Value>,
        out: &mut Sink<'v>,
    ) {
        match (expected, got) {
            (None | Some(Value::Object(_)), Some(Value::Object(got))) => {
                self.members(place, here, mode, expected.and_then(Value::as_object), got, out);
            }
            (None | Some(Value::Array(_)), Some(Value::Array(got))) => {
                self.items(place, here, mode, expected.and_then(Value::as_array), got, out);
            }
            // Scalars have no parts, but a pointer below this one may require some.
            (None, Some(_)) => self.require_parts(place, here, out),
            (Some(expected), Some(got)) if expected == got => self.require_parts(place, here, out),
            (Some(expected), got) => out.push(|| RawDifference {
                // The kind explains a difference only if it is another one.
                which: got.filter(|got| got.kind() != expected.kind()).and_then(words::which),
                ..RawDifference::new(place, Expectation::Value(expected), got)
            }),
            (None, None) => {
                if let Some(pattern) = here.requires_value() {
                    let at = pattern.pointer;
                    let words = || format!("the value that `_match` requires at `{at}`");
                    out.push(|| RawDifference {
                        matcher_span: Some(pattern.span),
                        ..RawDifference::new(place, Expectation::Words(words()), None)
                    });
                }
            }
        }
    }

    /// Checks a value against the matcher that applies, instead of the value of the case.
    fn apply_matcher<'v>(
        &self,
        place: &Location<'_>,
        here: &ActivePatterns<'_, 'a>,
        pattern: &Pattern<'a>,
        got: Option<&'v Value>,
        out: &mut Sink<'v>,
    ) {
        if *pattern.matcher == Matcher::Ignored {
            return;
        }
        let checked = got.map_or(Err(Mismatch(None)), |got| matcher::check(pattern, got));
        match (checked, got) {
            (Err(Mismatch(which)), _) => out.push(|| RawDifference {
                which,
                matcher_span: Some(pattern.span),
                ..RawDifference::new(place, Expectation::Words(matcher::describe(pattern)), got)
            }),
            // The matcher accepts the whole value; only the matchers of its parts are left to check.
            (Ok(()), Some(Value::Object(got))) => {
                self.members(place, here, Mode::Contains, None, got, out);
            }
            (Ok(()), Some(Value::Array(got))) => {
                self.items(place, here, Mode::Contains, None, got, out);
            }
            (Ok(()), _) => self.require_parts(place, here, out),
        }
    }

    /// Reports the parts that pointers require of a value that has none.
    fn require_parts<'v>(
        &self,
        place: &Location<'_>,
        here: &ActivePatterns<'_, 'a>,
        out: &mut Sink<'v>,
    ) {
        for name in here.names() {
            let here = here.step(Token::Member(name), true);
            self.at(&place.member(name), &here, Mode::Contains, None, None, out);
        }
    }

    fn members<'v>(
        &self,
        place: &Location<'_>,
        here: &ActivePatterns<'_, 'a>,
        mode: Mode,
        expected: Option<&'v Object>,
        got: &'v Object,
        out: &mut Sink<'v>,
    ) {
        let actual = Members::of(got);
        let wanted = expected.map(Members::of);
        // Ids are labels in a case, and a case may omit `jsonrpc`.
        let is_envelope = |name: &str| place.is_root() && matches!(name, "jsonrpc" | "id");
        for (name, value) in expected.iter().flat_map(|object| object.effective()) {
            if out.is_done() {
                return;
            }
            let child = place.member(name);
            let actual = actual.get(name);
            let is_tolerated =
                || actual.is_none() && self.tolerance.allows_missing(&place.in_case(), name, value);
            if !is_envelope(name) && !is_tolerated() {
                let here = here.step(Token::Member(name), true);
                self.at(&child, &here, mode, Some(value), actual, out);
            }
        }
        let is_new = |name: &str| wanted.as_ref().is_none_or(|wanted| wanted.get(name).is_none());
        for (name, value) in got.effective().filter(|(name, _)| is_new(name)) {
            if out.is_done() {
                return;
            }
            if !is_envelope(name) {
                // The case has no such member, so that its own location there is that of the object.
                let child = Location { case: None, ..place.member(name) };
                let tolerated = || self.tolerance.allows_extra(&place.in_message(), name, value);
                let here = here.step(Token::Member(name), true);
                self.extra(&child, &here, mode, value, tolerated, out);
            }
        }
        // Neither side has these, so that nothing above has visited them.
        for name in here.names().filter(|name| is_new(name) && actual.get(name).is_none()) {
            let here = here.step(Token::Member(name), true);
            self.at(&place.member(name), &here, mode, None, None, out);
        }
    }

    /// Handles a value that the case does not have.
    pub(super) fn extra<'v>(
        &self,
        place: &Location<'_>,
        here: &ActivePatterns<'_, 'a>,
        mode: Mode,
        got: &'v Value,
        tolerated: impl FnOnce() -> bool,
        out: &mut Sink<'v>,
    ) {
        let is_ignored = here.deciding().is_some_and(|it| *it.matcher == Matcher::Ignored)
            || self.tolerance.ignores(|| place.in_message());
        if is_ignored {
            return;
        }
        let is_allowed = here.is_named() || mode == Mode::Contains;
        if is_allowed && !here.is_empty() {
            return self.at(place, here, mode, None, Some(got), out);
        }
        if !is_allowed && !tolerated() {
            out.push(|| RawDifference::new(place, Expectation::Nothing, Some(got)));
        }
    }

    /// Reports an item of the case without a counterpart.
    pub(super) fn unmatched<'v>(
        &self,
        place: &Location<'_>,
        expected: &'v Value,
        instead: String,
        out: &mut Sink<'v>,
    ) {
        out.push(|| RawDifference {
            which: Some(instead),
            ..RawDifference::new(place, Expectation::Value(expected), None)
        });
    }
}

/// The members of an object by name; of duplicates, the last.
struct Members<'v> {
    object: &'v Object,
    index: Option<HashMap<&'v str, &'v Value>>,
}

impl<'v> Members<'v> {
    fn of(object: &'v Object) -> Self {
        let index = (object.len() > INDEX_ABOVE).then(|| object.iter().collect());
        Self { object, index }
    }

    fn get(&self, name: &str) -> Option<&'v Value> {
        match &self.index {
            Some(index) => index.get(name).copied(),
            None => self.object.get(name),
        }
    }
}
