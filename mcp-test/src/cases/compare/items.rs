//! Items of arrays: which item of the message is held against which one of the case.

use std::collections::{HashMap, VecDeque};

use super::super::{Matcher, Mode};
use super::nearness;
use super::pattern::{Here, Token};
use super::walk::{Place, Sink, Walk};
use crate::expect::words;
use crate::json::Value;

/// How many items are looked at for one that is nearly right.
const CANDIDATES: usize = 64;
/// How much alike two items have to be, to be told as one that is nearly right.
const ALIKE: f64 = 0.5;

/// Two arrays, and the way to them.
struct Arrays<'w, 'p, 'a, 'v> {
    walk: &'w Walk<'a>,
    place: &'w Place<'p>,
    here: &'w Here<'p, 'a>,
    mode: Mode,
    expected: &'v [Value],
    got: &'v [Value],
}

impl<'a> Walk<'a> {
    pub(super) fn items<'v>(
        &self,
        place: &Place<'_>,
        here: &Here<'_, 'a>,
        mode: Mode,
        expected: Option<&'v [Value]>,
        got: &'v [Value],
        out: &mut Sink<'v>,
    ) {
        let expected = expected.unwrap_or_default();
        let arrays = Arrays { walk: self, place, here, mode, expected, got };
        match (mode, here.is_unordered()) {
            (_, true) => arrays.told(&arrays.in_any_order(), "", out),
            (Mode::Contains, false) => {
                let text = "the same, but not in this order";
                arrays.told(&arrays.in_order(out.tells()), text, out);
            }
            (Mode::Exact, false) => arrays.one_by_one(out),
        }
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

    /// Whether nothing has to be there for an item of the case.
    fn is_ignored(&self, case: usize) -> bool {
        let here = self.here.step(Token::Item(case), true);
        here.decides().is_some_and(|pattern| *pattern.matcher == Matcher::Ignored)
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

    /// Item by item, between what is the same at the beginnings and ends: one item too many is one difference.
    fn one_by_one(&self, out: &mut Sink<'v>) {
        let (wanted, said) = (self.expected.len(), self.got.len());
        let shorter = wanted.min(said);
        // Where pointers name items past the case's end, every item keeps its number.
        let is_fixed = wanted == said || self.here.numbers().any(|number| number >= wanted);
        let (mut start, mut end) = (0, 0);
        if !is_fixed {
            start = (0..shorter).take_while(|&at| self.is_pair(at, at)).count();
            end = (0..shorter - start)
                .take_while(|&back| self.is_pair(wanted - 1 - back, said - 1 - back))
                .count();
        }
        for at in start..(wanted - end).max(said - end) {
            if out.is_done() {
                return;
            }
            match (at < wanted - end, at < said - end) {
                (true, true) => self.pair(at, at, out),
                (true, false) => self.missing(at, Some(at), out),
                (false, _) => self.extra(at, out),
            }
        }
    }

    /// For each item of the case the first that matches it after the one before; for `all` of them, or until one has none.
    fn in_order(&self, all: bool) -> Vec<Option<usize>> {
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

    /// For each item of the case one that matches it, so that as many as possible have one.
    fn in_any_order(&self) -> Vec<Option<usize>> {
        let mut known = HashMap::new();
        let mut is_pair = |case: usize, got: usize| {
            *known.entry((case, got)).or_insert_with(|| self.is_pair(case, got))
        };
        let mut of_case = vec![None; self.expected.len()];
        let mut of_got = vec![None; self.got.len()];
        for first in (0..self.expected.len()).filter(|case| !self.is_ignored(*case)) {
            // Breadth first through the items of the case that could do with another counterpart.
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

    /// Tells what has no counterpart: against what is nearly right, or as missing.
    fn told(&self, counterparts: &[Option<usize>], elsewhere: &str, out: &mut Sink<'v>) {
        let mut is_used = vec![false; self.got.len()];
        counterparts.iter().flatten().for_each(|&got| is_used[got] = true);
        let alone = counterparts.iter().enumerate().filter(|(_, it)| it.is_none());
        for (case, _) in alone.filter(|(case, _)| !self.is_ignored(*case)) {
            if out.is_done() {
                return;
            }
            if !out.tells() {
                return self.missing(case, None, out);
            }
            let candidates = if self.walk.is_spent() { 0 } else { CANDIDATES };
            let unused = || (0..self.got.len()).filter(|&got| !is_used[got]).take(candidates);
            if let Some(got) = unused().find(|&got| self.is_pair(case, got)) {
                is_used[got] = true;
                let place = self.place.items(Some(case), None);
                self.walk.unmatched(&place, &self.expected[case], elsewhere.to_owned(), out);
                continue;
            }
            let near = |got: usize| (got, nearness(&self.expected[case], &self.got[got]));
            let nearest = unused().map(near).max_by(|(_, a), (_, b)| a.total_cmp(b));
            match nearest.filter(|(_, near)| *near >= ALIKE) {
                Some((got, _)) => {
                    is_used[got] = true;
                    self.pair(case, got, out);
                }
                None if self.here.step(Token::Item(case), true).decides().is_some() => {
                    self.missing(case, None, out);
                }
                None => {
                    let items = words::count(self.got.len(), "item");
                    let place = self.place.items(Some(case), None);
                    let instead = match self.walk.is_spent() {
                        true => format!("{items}, too many to look for it among them"),
                        false => format!("nothing like it among {items}"),
                    };
                    self.walk.unmatched(&place, &self.expected[case], instead, out);
                }
            }
        }
        for (got, is_used) in is_used.into_iter().enumerate() {
            if out.is_done() {
                return;
            }
            match is_used {
                false => self.extra(got, out),
                // It has its counterpart, and is named by its number all the same.
                true if self.here.numbers().any(|it| it == got && it >= self.expected.len()) => {
                    let here = self.here.step(Token::Item(got), true);
                    let place = self.place.items(None, Some(got));
                    let got = self.got.get(got);
                    self.walk.at(&place, &here, Mode::Contains, None, got, out);
                }
                true => {}
            }
        }
    }
}
