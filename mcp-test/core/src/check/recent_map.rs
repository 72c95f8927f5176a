//! A map in bounded memory, for what a judge remembers of each request, exchange or token.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// How many entries are kept.
pub(super) const REMEMBERED: usize = 10_000;

/// The entries that were added or used last.
#[derive(Debug)]
pub(super) struct RecentMap<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// Each use of an entry with its time; only the last one of an entry counts.
    uses: VecDeque<(u64, K)>,
    now: u64,
    most: usize,
    has_forgotten: bool,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    used: u64,
}

impl<K, V> Default for RecentMap<K, V> {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            uses: VecDeque::new(),
            now: 0,
            most: REMEMBERED,
            has_forgotten: false,
        }
    }
}

impl<K: Hash + Eq + Clone, V> RecentMap<K, V> {
    /// A map of at most so many entries.
    pub(super) fn with_most(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Whether an entry was removed to make room, so that a missing one may have existed.
    pub(super) fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }

    pub(super) fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.entries.get(key).map(|entry| &entry.value)
    }

    pub(super) fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.entries.get_mut(key).map(|entry| &mut entry.value)
    }

    pub(super) fn contains_key<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.entries.contains_key(key)
    }

    /// Adds an entry, or replaces its value, which is returned.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let used = self.note_use(&key);
        let before = self.entries.insert(key, Entry { value, used });
        self.forget_oldest();
        before.map(|entry| entry.value)
    }

    /// The value of an entry, which is added if there is none. It counts as used.
    pub(super) fn entry(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        let used = self.note_use(&key);
        let is_new = !self.entries.contains_key(&key);
        if is_new && self.entries.len() >= self.most {
            self.forget_one();
        }
        let entry = self.entries.entry(key).or_insert_with(|| Entry { value: V::default(), used });
        entry.used = used;
        &mut entry.value
    }

    pub(super) fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.entries.remove(key).map(|entry| entry.value)
    }

    /// Removes the entries whose key does not hold, which are not forgotten ones.
    pub(super) fn retain(&mut self, holds: impl Fn(&K) -> bool) {
        self.entries.retain(|key, _| holds(key));
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.values().map(|entry| &entry.value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, entry)| (key, &entry.value))
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn note_use(&mut self, key: &K) -> u64 {
        // Most of the uses are of entries that are removed, or used again. Before this use is added, whose entry is not updated yet.
        if self.uses.len() >= self.most.saturating_mul(2) {
            let Self { entries, uses, .. } = self;
            uses.retain(|(used, key)| entries.get(key).is_some_and(|entry| entry.used == *used));
        }
        self.now += 1;
        self.uses.push_back((self.now, key.clone()));
        self.now
    }

    fn forget_oldest(&mut self) {
        while self.entries.len() > self.most {
            self.forget_one();
        }
    }

    fn forget_one(&mut self) {
        while let Some((used, key)) = self.uses.pop_front() {
            if self.entries.get(&key).is_some_and(|entry| entry.used == used) {
                self.entries.remove(&key);
                self.has_forgotten = true;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_that_was_not_used_for_longest_is_forgotten() {
        let mut map = RecentMap::with_most(2);
        map.insert("a", 1);
        map.insert("b", 2);
        *map.entry("a") += 10;
        assert!(!map.has_forgotten());
        *map.entry("c") += 3;
        assert_eq!((map.get("a"), map.get("b"), map.get("c")), (Some(&11), None, Some(&3)));
        assert!(map.has_forgotten());
        assert_eq!(map.insert("a", 4), Some(11));
    }

    #[test]
    fn each_entry_is_forgotten_in_its_turn() {
        let mut map = RecentMap::with_most(10);
        for number in 0..100_000 {
            if number % 2 == 0 {
                map.insert(number, ());
            } else {
                map.entry(number);
            }
            assert!(map.entries.len() <= 10 && map.uses.len() <= 20, "{number}");
        }
        let mut kept: Vec<_> = map.iter().map(|(number, ())| *number).collect();
        kept.sort_unstable();
        assert_eq!(kept, (99_990..100_000).collect::<Vec<_>>());
    }

    #[test]
    fn removed_entries_are_not_forgotten_ones_and_take_no_memory() {
        let mut map = RecentMap::with_most(10);
        for number in 0..1000 {
            map.insert(number, ());
            map.remove(&number);
            map.entry(-1);
        }
        assert!(!map.has_forgotten() && map.entries.len() == 1 && map.uses.len() <= 20);
    }
}
