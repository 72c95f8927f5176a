//! Compares arrays: which item of the message is compared with which item of the case.

use std::collections::{HashMap, VecDeque};

use mcp_test_core::expect::words;
use mcp_test_core::json::Value;

use super::pattern::{ActivePatterns, Token};
use super::similarity::similarity;
use super::walk::{Location, Sink, Walk};
use crate::cases::{Matcher, Mode};

/// The largest number of items considered as nearly matching.
// Bounds the time: each item without a counterpart is compared with all of them.
const CANDIDATES: usize = 64;
/// The least similarity of a nearly matching item.
// The differences from a less similar item would explain nothing.
const ALIKE: f64 = 0.5;

/// Two arrays and their location.
struct Arrays<'w, 'p, 'a, 'v> {
    walk: &'w Walk<'a>,
    place: &'w Location<'p>,
    here: &'w ActivePatterns<'p, 'a>,
    mode: Mode,
    expected: &'v [Value],
    got: &'v [Value],
}

impl<'a> Walk<'a> {
    pub(super) fn items<'v>(
        &self,
        place: &Location<'_>,
        here: &ActivePatterns<'_, 'a>,
        mode: Mode,
        expected: Option<&'v [Value]>,
        got: &'v [Value],
        out: &mut Sink<'v>,
    ) {
        let expected = expected.unwrap_or_default();
        let arrays = Arrays { walk: self, place, here, mode, expected, got };
        match (mode, here.is_unordered()) {
            (_, true) => arrays.report_unmatched(&arrays.in_any_order(), "", out),
            (Mode::Contains, false) => {
                let text = "the same in a different order";
                arrays.report_unmatched(&arrays.in_order(out.collects()), text, out);
            }
            (Mode::Exact, false) => arrays.one_by_one(out),
        }
        // Nothing above visits an item past the end of both arrays, but a matcher may require it.
        for index in here.numbers().filter(|index| *index >= expected.len().max(got.len())) {
            let here = here.step(Token::Item(index), true);
            self.at(&place.items(Some(index), Some(index)), &here, mode, None, None, out);
        }
    }
}

impl<'v> Arrays<'_, '_, '_, 'v> {
    fn pair(&self, case: usize, got: usize, out: &mut Sink<'v>) {
        let here = self.here.step(Token::Item(case), true);
        let place = self.place.items(Some(case), Some(got));
        let (expected, got) = (self.expected.get(case), self.got.get(got));
        self.walk.at(&place, &here, self.mode, expected, got, out);
    }

    fn is_pair(&self, case: usize, got: usize) -> bool {
        let mut sink = Sink::Any(false);
        self.walk.search(|| self.pair(case, got, &mut sink));
        !sink.is_done()
    }

    /// Whether an item of the case is ignored.
    fn is_ignored(&self, case: usize) -> bool {
        let here = self.here.step(Token::Item(case), true);
        here.deciding().is_some_and(|pattern| *pattern.matcher == Matcher::Ignored)
    }

    fn missing(&self, case: usize, got: Option<usize>, out: &mut Sink<'v>) {
        let here = self.here.step(Token::Item(case), true);
        let place = self.place.items(Some(case), got);
        self.walk.at(&place, &here, self.mode, self.expected.get(case), None, out);
    }

    fn extra(&self, got: usize, out: &mut Sink<'v>) {
        let here = self.here.step(Token::Item(got), got >= self.expected.len());
        let place = self.place.items(None, Some(got));
        self.walk.extra(&place, &here, self.mode, &self.got[got], || false, out);
    }

    /// Compares item by item between common items at the beginning and end, so that one extra item is one difference.
    fn one_by_one(&self, out: &mut Sink<'v>) {
        let (wanted, actual) = (self.expected.len(), self.got.len());
        let shorter = wanted.min(actual);
        // If pointers name items past the end of the case's array, indices must not shift.
        let is_fixed = wanted == actual || self.here.numbers().any(|number| number >= wanted);
        // Items of arrays with the same length are paired by index anyway.
        let (mut start, mut end) = (0, 0);
        if !is_fixed {
            start = (0..shorter).take_while(|&at| self.is_pair(at, at)).count();
            end = (0..shorter - start)
                .take_while(|&back| self.is_pair(wanted - 1 - back, actual - 1 - back))
                .count();
        }
        for at in start..(wanted - end).max(actual - end) {
            if out.is_done() {
                return;
            }
            match (at < wanted - end, at < actual - end) {
                (true, true) => self.pair(at, at, out),
                (true, false) => self.missing(at, Some(at), out),
                (false, _) => self.extra(at, out),
            }
        }
    }

    /// For each item of the case the first match after the previous one; stops at an item without a match unless `all`.
    fn in_order(&self, all: bool) -> Vec<Option<usize>> {
        // The first match is always right: it leaves the most items to those that follow.
        let mut counterparts = vec![None; self.expected.len()];
        let mut from = 0;
        let counterparts_of = counterparts.iter_mut().enumerate();
        for (case, counterpart) in counterparts_of.filter(|(case, _)| !self.is_ignored(*case)) {
            *counterpart = (from..self.got.len())
                .take_while(|_| !self.walk.is_spent())
                .find(|&got| self.is_pair(case, got));
            match *counterpart {
                Some(found) => from = found + 1,
                None if all => {}
                None => break,
            }
        }
        counterparts
    }

    /// A maximum matching of the case's items with the message's items, by augmenting paths.
    fn in_any_order(&self) -> Vec<Option<usize>> {
        // A greedy choice is not enough, since an item may satisfy the matchers of several items of the case.
        // Augmenting paths visit a pair again, so the result of each comparison is kept.
        let mut known = HashMap::new();
        let mut is_pair = |case: usize, got: usize| {
            *known.entry((case, got)).or_insert_with(|| self.is_pair(case, got))
        };
        let mut of_case = vec![None; self.expected.len()];
        let mut of_got = vec![None; self.got.len()];
        for first in (0..self.expected.len()).filter(|case| !self.is_ignored(*case)) {
            // Breadth-first search through matched items of the case that could be matched with another item.
            let mut reached_from = vec![None; self.got.len()];
            let mut queue = VecDeque::from([first]);
            let free = 'search: loop {
                let Some(case) = queue.pop_front() else { break None };
                for got in (0..self.got.len()).take_while(|_| !self.walk.is_spent()) {
                    if reached_from[got].is_some() || !is_pair(case, got) {
                        continue;
                    }
                    reached_from[got] = Some(case);
                    match of_got[got] {
                        None => break 'search Some(got),
                        Some(owner) => queue.push_back(owner),
                    }
                }
            };
            let mut next = free;
            while let Some((got, case)) = next.and_then(|got| Some((got, reached_from[got]?))) {
                of_got[got] = Some(case);
                next = of_case[case].replace(got);
            }
        }
        of_case
    }

    /// Reports items of both sides without a counterpart.
    fn report_unmatched(
        &self,
        counterparts: &[Option<usize>],
        elsewhere: &str,
        out: &mut Sink<'v>,
    ) {
        let mut is_used = vec![false; self.got.len()];
        counterparts.iter().flatten().for_each(|&got| is_used[got] = true);
        let unmatched = counterparts.iter().enumerate().filter(|(_, got)| got.is_none());
        for (case, _) in unmatched.filter(|(case, _)| !self.is_ignored(*case)) {
            if out.is_done() {
                return;
            }
            // The first difference decides; a search for the best description would be wasted.
            if !out.collects() {
                return self.missing(case, None, out);
            }
            if let Some(got) = self.report_missing(case, &is_used, elsewhere, out) {
                is_used[got] = true;
            }
        }
        self.report_unused(&is_used, out);
    }

    /// Reports an item of the case without a counterpart: as differences from a similar item, or as missing.
    ///
    /// Returns the item of the message that the report is about, so that it is not reported as unexpected, too.
    fn report_missing(
        &self,
        case: usize,
        is_used: &[bool],
        elsewhere: &str,
        out: &mut Sink<'v>,
    ) -> Option<usize> {
        let place = self.place.items(Some(case), None);
        let expected = &self.expected[case];
        let candidates = if self.walk.is_spent() { 0 } else { CANDIDATES };
        let unused = || (0..self.got.len()).filter(|&got| !is_used[got]).take(candidates);
        // With `contains`, the order left it without a counterpart: a matching item exists, but too early.
        if let Some(got) = unused().find(|&got| self.is_pair(case, got)) {
            self.walk.unmatched(&place, expected, elsewhere.to_owned(), out);
            return Some(got);
        }
        let similarity_of = |got: usize| (got, similarity(expected, &self.got[got]));
        let nearest = unused().map(similarity_of).max_by(|(_, a), (_, b)| a.total_cmp(b));
        if let Some((got, _)) = nearest.filter(|(_, similarity)| *similarity >= ALIKE) {
            self.pair(case, got, out);
            return Some(got);
        }
        // The matcher says better what is missing than the value of the case, which it replaces.
        if self.here.step(Token::Item(case), true).deciding().is_some() {
            self.missing(case, None, out);
            return None;
        }
        let items = words::count(self.got.len(), "item");
        let instead = match self.walk.is_spent() {
            true => format!("{items}, too many to compare"),
            false => format!("nothing similar among {items}"),
        };
        self.walk.unmatched(&place, expected, instead, out);
        None
    }

    /// Reports items of the message that no item of the case accounts for.
    fn report_unused(&self, is_used: &[bool], out: &mut Sink<'v>) {
        for (got, is_used) in is_used.iter().enumerate() {
            if out.is_done() {
                return;
            }
            if !is_used {
                self.extra(got, out);
            // It has a counterpart, but a pointer past the end of the case's array names its index, too.
            } else if self.here.numbers().any(|it| it == got && it >= self.expected.len()) {
                let here = self.here.step(Token::Item(got), true);
                let place = self.place.items(None, Some(got));
                self.walk.at(&place, &here, Mode::Contains, None, self.got.get(got), out);
            }
        }
    }
}
