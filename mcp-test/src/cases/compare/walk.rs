//! Both values side by side, from the root down: what decides about each place, and what differs there.

use std::cell::Cell;
use std::collections::HashMap;

use super::super::{Matcher, Mode, Rule};
use super::matcher::{self, Refused};
use super::pattern::{Here, Pattern, Token};
use super::{MOST, Tolerance};
use crate::expect::words;
use crate::json::{DifferenceKind, Object, Pointer, Value};
use crate::yaml::Span;

/// How many pairs of values are looked at to find counterparts, so that no message makes a comparison last.
const PAIRS: u64 = 1_000_000;

/// Above this many members, they are looked up by an index.
const INDEX_ABOVE: usize = 16;

/// A comparison by one rule.
pub(super) struct Walk<'a> {
    patterns: Vec<Pattern<'a>>,
    tolerance: &'a Tolerance,
    /// How many pairs may still be looked at to find counterparts.
    left: Cell<u64>,
    /// Whether that is what is being done: one look at every place is bounded by itself.
    is_searching: Cell<bool>,
}

/// A place that differs, before it is put in words.
pub(super) struct Raw<'v> {
    /// The place in the case.
    pub(super) case: Pointer,
    /// The place in the message that came.
    pub(super) pointer: Pointer,
    pub(super) kind: DifferenceKind,
    pub(super) wanted: Wanted<'v>,
    pub(super) got: Option<&'v Value>,
    /// What it is, to be read after "which"; of what is missing, what there is instead.
    pub(super) which: Option<String>,
    /// Where the matcher stands that asks for it.
    pub(super) asked: Option<Span>,
}

/// What a place should hold.
pub(super) enum Wanted<'v> {
    /// The case's own value.
    Value(&'v Value),
    /// This, to be read after "is".
    Words(String),
    Nothing,
}

/// What becomes of differences.
pub(super) enum Sink<'v> {
    /// Only whether there is one.
    Any(bool),
    All(Vec<Raw<'v>>),
}

impl<'v> Sink<'v> {
    fn put(&mut self, raw: impl FnOnce() -> Raw<'v>) {
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

    /// Whether differences are told, so that it pays to look for the best way to tell them.
    pub(super) const fn tells(&self) -> bool {
        matches!(self, Self::All(_))
    }
}

/// The way to a pair of values, in the case and in the message.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    parent: Option<&'p Place<'p>>,
    case: Option<Token<'p>>,
    got: Option<Token<'p>>,
}

impl<'p> Place<'p> {
    const ROOT: Self = Self { parent: None, case: None, got: None };

    fn member(&'p self, name: &'p str) -> Self {
        let token = Some(Token::Member(name));
        Self { parent: Some(self), case: token, got: token }
    }

    /// An item of the case, and the one of the message that is held against it.
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
    ) -> Vec<Raw<'v>> {
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
        let here = Here::root(&self.patterns);
        let place = &Place::ROOT;
        // A message of another kind differs as a whole; its members one by one would say nothing.
        for (wanted, other) in [("result", "error"), ("error", "result")] {
            let is = |message: &Value, one: &str, not: &str| {
                message.get(one).is_some() && message.get(not).is_none()
            };
            if is(expected, wanted, other) && is(got, other, wanted) {
                return out.put(|| Raw {
                    case: Pointer::root().member(wanted),
                    pointer: Pointer::root().member(other),
                    kind: DifferenceKind::Changed,
                    wanted: Wanted::Words(format!("a reply with `{wanted}`")),
                    got: got.get(other),
                    which: Some(format!("is its `{other}`")),
                    asked: None,
                });
            }
        }
        if let (Some(wanted), Some(said)) = (expected.get("method"), got.get("method")) {
            let here = here.step(Token::Member("method"), true);
            let place = place.member("method");
            let mut method = Sink::Any(false);
            self.at(&place, &here, mode, Some(wanted), Some(said), &mut method);
            if method.is_done() {
                return self.at(&place, &here, mode, Some(wanted), Some(said), out);
            }
        }
        self.at(place, &here, mode, Some(expected), Some(got), out);
    }

    /// Whether so much was compared that no more counterparts are looked for.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Looks at one pair that may be none.
    pub(super) fn search<T>(&self, look: impl FnOnce() -> T) -> T {
        let before = self.is_searching.replace(true);
        let seen = look();
        self.is_searching.set(before);
        seen
    }

    /// One place: the matcher that decides about it, or else what the case has there.
    pub(super) fn at<'v>(
        &self,
        place: &Place<'_>,
        here: &Here<'_, 'a>,
        mode: Mode,
        expected: Option<&'v Value>,
        got: Option<&'v Value>,
        out: &mut Sink<'v>,
    ) {
        if self.is_searching.get() {
            match self.left.get().checked_sub(1) {
                Some(left) => self.left.set(left),
                // What is not looked at any more counts as no counterpart.
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
        if let Some(pattern) = here.decides() {
            return self.decided(place, here, pattern, got, out);
        }
        match (expected, got) {
            (expected, Some(Value::Object(got))) if expected.is_none_or(Value::is_object) => {
                let expected = expected.and_then(Value::as_object);
                self.members(place, here, mode, expected, got, out);
            }
            (expected, Some(Value::Array(got))) if expected.is_none_or(Value::is_array) => {
                let expected = expected.and_then(Value::as_array);
                self.items(place, here, mode, expected, got, out);
            }
            (Some(expected), Some(got)) if expected == got => self.absent(place, here, out),
            (Some(expected), Some(got)) => out.put(|| Raw {
                case: place.in_case(),
                pointer: place.in_message(),
                kind: DifferenceKind::Changed,
                wanted: Wanted::Value(expected),
                got: Some(got),
                which: (expected.kind() != got.kind()).then(|| words::which(got)).flatten(),
                asked: None,
            }),
            (Some(expected), None) => out.put(|| Raw {
                case: place.in_case(),
                pointer: place.in_message(),
                kind: DifferenceKind::Missing,
                wanted: Wanted::Value(expected),
                got: None,
                which: None,
                asked: None,
            }),
            (None, Some(_)) => self.absent(place, here, out),
            (None, None) => {
                if let Some(pattern) = here.demands() {
                    let words = format!("what `_match` asks for at `{}`", pattern.pointer);
                    self.unmet(place, pattern, Wanted::Words(words), None, None, out);
                }
            }
        }
    }

    fn decided<'v>(
        &self,
        place: &Place<'_>,
        here: &Here<'_, 'a>,
        pattern: &Pattern<'a>,
        got: Option<&'v Value>,
        out: &mut Sink<'v>,
    ) {
        if *pattern.matcher == Matcher::Ignored {
            return;
        }
        let refused = match got {
            Some(got) => matcher::check(pattern, got),
            None => Err(Refused(None)),
        };
        match (refused, got) {
            (Err(Refused(which)), _) => {
                let wanted = Wanted::Words(matcher::describe(pattern));
                self.unmet(place, pattern, wanted, got, which, out);
            }
            (Ok(()), Some(Value::Object(got))) => {
                self.members(place, here, Mode::Contains, None, got, out);
            }
            (Ok(()), Some(Value::Array(got))) => {
                self.items(place, here, Mode::Contains, None, got, out);
            }
            (Ok(()), _) => self.absent(place, here, out),
        }
    }

    fn unmet<'v>(
        &self,
        place: &Place<'_>,
        pattern: &Pattern<'a>,
        wanted: Wanted<'v>,
        got: Option<&'v Value>,
        which: Option<String>,
        out: &mut Sink<'v>,
    ) {
        out.put(|| Raw {
            case: place.in_case(),
            pointer: place.in_message(),
            kind: if got.is_some() { DifferenceKind::Changed } else { DifferenceKind::Missing },
            wanted,
            got,
            which,
            asked: Some(pattern.span),
        });
    }

    /// What pointers ask for below a value that has nothing below it.
    fn absent<'v>(&self, place: &Place<'_>, here: &Here<'_, 'a>, out: &mut Sink<'v>) {
        for name in here.names() {
            let here = here.step(Token::Member(name), true);
            self.at(&place.member(name), &here, Mode::Contains, None, None, out);
        }
    }

    fn members<'v>(
        &self,
        place: &Place<'_>,
        here: &Here<'_, 'a>,
        mode: Mode,
        expected: Option<&'v Object>,
        got: &'v Object,
        out: &mut Sink<'v>,
    ) {
        let said = Members::of(got);
        let wanted = expected.map(Members::of);
        let is_envelope = |name: &str| place.is_root() && matches!(name, "jsonrpc" | "id");
        for (name, value) in expected.iter().flat_map(|object| object.effective()) {
            if out.is_done() {
                return;
            }
            let child = place.member(name);
            let said = said.get(name);
            let is_spared =
                || said.is_none() && self.tolerance.spares(&place.in_case(), name, value);
            if !is_envelope(name) && !is_spared() {
                let here = here.step(Token::Member(name), true);
                self.at(&child, &here, mode, Some(value), said, out);
            }
        }
        let is_new = |name: &str| wanted.as_ref().is_none_or(|wanted| wanted.get(name).is_none());
        for (name, value) in got.effective().filter(|(name, _)| is_new(name)) {
            if out.is_done() {
                return;
            }
            if !is_envelope(name) {
                let child = Place { case: None, ..place.member(name) };
                let tolerated = || self.tolerance.allows(&place.in_message(), name, value);
                let here = here.step(Token::Member(name), true);
                self.extra(&child, &here, mode, value, tolerated, out);
            }
        }
        for name in here.names().filter(|name| is_new(name) && said.get(name).is_none()) {
            let here = here.step(Token::Member(name), true);
            self.at(&place.member(name), &here, mode, None, None, out);
        }
    }

    /// A value that the case does not have.
    pub(super) fn extra<'v>(
        &self,
        place: &Place<'_>,
        here: &Here<'_, 'a>,
        mode: Mode,
        got: &'v Value,
        tolerated: impl FnOnce() -> bool,
        out: &mut Sink<'v>,
    ) {
        let is_ignored = here.decides().is_some_and(|it| *it.matcher == Matcher::Ignored)
            || self.tolerance.ignores(|| place.in_message());
        if is_ignored {
            return;
        }
        let is_asked_for = here.is_named() || mode == Mode::Contains;
        if is_asked_for && !here.is_empty() {
            return self.at(place, here, mode, None, Some(got), out);
        }
        if !is_asked_for && !tolerated() {
            out.put(|| Raw {
                case: place.in_case(),
                pointer: place.in_message(),
                kind: DifferenceKind::Extra,
                wanted: Wanted::Nothing,
                got: Some(got),
                which: None,
                asked: None,
            });
        }
    }

    /// Says that an item of the case has no counterpart.
    pub(super) fn unmatched<'v>(
        &self,
        place: &Place<'_>,
        expected: &'v Value,
        instead: String,
        out: &mut Sink<'v>,
    ) {
        out.put(|| Raw {
            case: place.in_case(),
            pointer: place.in_message(),
            kind: DifferenceKind::Missing,
            wanted: Wanted::Value(expected),
            got: None,
            which: Some(instead),
            asked: None,
        });
    }
}

/// The members of an object by name; of several with one name, the last.
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
