//! The ids of requests that are not remembered any more.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::wire::Id;

/// How many ids are kept that are not whole numbers: each costs its text.
const OTHERS: usize = 10_000;

/// How many ranges of numbers are kept. Clients count, so that one is the rule.
const RANGES: usize = 10_000;

/// A set of ids in bounded memory: whole numbers as ranges, and the latest of the others.
#[derive(Debug, Default)]
pub(crate) struct KnownIds {
    /// The first and the last number of each range, which do not touch.
    ranges: BTreeMap<i64, i64>,
    others: HashSet<Arc<Id>>,
    /// The order of the others.
    order: VecDeque<Arc<Id>>,
    is_incomplete: bool,
}

impl KnownIds {
    /// Adds an id.
    pub(crate) fn insert(&mut self, id: &Id) {
        match whole(id) {
            Some(number) => self.insert_number(number),
            None if !self.others.contains(id) => {
                let id = Arc::new(id.clone());
                self.others.insert(Arc::clone(&id));
                self.order.push_back(id);
                if self.order.len() > OTHERS
                    && let Some(oldest) = self.order.pop_front()
                {
                    self.others.remove(&oldest);
                    self.is_incomplete = true;
                }
            }
            None => {}
        }
    }

    /// Whether this id was certainly added.
    pub(crate) fn contains(&self, id: &Id) -> bool {
        match whole(id) {
            Some(number) => self.range_of(number).is_some(),
            None => self.others.contains(id),
        }
    }

    /// Whether this id may have been added.
    pub(crate) fn may_contain(&self, id: &Id) -> bool {
        self.is_incomplete || self.contains(id)
    }

    /// The range that has a number.
    fn range_of(&self, number: i64) -> Option<(i64, i64)> {
        let (&first, &last) = self.ranges.range(..=number).next_back()?;
        (number <= last).then_some((first, last))
    }

    fn insert_number(&mut self, number: i64) {
        if self.range_of(number).is_some() {
            return;
        }
        let before = number.checked_sub(1).and_then(|before| self.range_of(before));
        let after = number.checked_add(1).filter(|after| self.ranges.contains_key(after));
        let first = before.map_or(number, |(first, _)| first);
        let last = after.and_then(|after| self.ranges.remove(&after)).unwrap_or(number);
        self.ranges.insert(first, last);
        if self.ranges.len() > RANGES {
            // The lowest ones: numbers that count up come back least likely.
            self.ranges.pop_first();
            self.is_incomplete = true;
        }
    }
}

/// The whole number that an id is; `None` if it is none, or is larger than that.
fn whole(id: &Id) -> Option<i64> {
    match id {
        Id::Number(number) => number.as_i64(),
        Id::String(_) | Id::Null => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids<T: Into<Id>>(ids: impl IntoIterator<Item = T>) -> KnownIds {
        let mut known = KnownIds::default();
        ids.into_iter().for_each(|id| known.insert(&id.into()));
        known
    }

    #[test]
    fn numbers_that_touch_are_one_range() {
        let known = ids([5_i64, 1, 2, 4, 9, 3, i64::MAX, i64::MIN, 3]);
        let ranges: Vec<_> = known.ranges.iter().map(|(first, last)| (*first, *last)).collect();
        assert_eq!(ranges, [(i64::MIN, i64::MIN), (1, 5), (9, 9), (i64::MAX, i64::MAX)]);
        for number in [1_i64, 5, 9, i64::MAX, i64::MIN] {
            assert!(known.contains(&number.into()), "{number}");
        }
        for number in [0_i64, 6, 8, 10] {
            assert!(!known.may_contain(&number.into()), "{number}");
        }
        assert!(!known.contains(&"1".into()), "an id of another type");
    }

    #[test]
    fn a_million_numbers_that_count_up_are_one_range() {
        assert_eq!(ids(0..1_000_000_i64).ranges.len(), 1);
    }

    #[test]
    fn of_other_ids_and_of_ranges_the_latest_are_kept_and_the_rest_may_be_known() {
        let texts = ids((0..=OTHERS).map(|number| number.to_string()));
        assert_eq!((texts.others.len(), texts.order.len()), (OTHERS, OTHERS));
        assert!(!texts.contains(&"0".into()));
        assert!(texts.may_contain(&"0".into()));
        assert!(texts.contains(&OTHERS.to_string().into()));
        let apart = ids((0..=RANGES as i64).map(|number| number * 2));
        assert_eq!(apart.ranges.len(), RANGES);
        assert!(apart.may_contain(&0.into()) && !apart.contains(&0.into()));
    }
}
