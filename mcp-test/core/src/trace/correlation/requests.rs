//! The table of open requests.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

/// How many requests a table holds. Beyond that the oldest is forgotten, and its reply answers nothing.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// In all.
    #[doc(hidden)]
    pub requests: usize,
    /// Under one key.
    #[doc(hidden)]
    pub per_key: usize,
}

impl Limits {
    /// Where the caller removes what is too much.
    pub(super) const NONE: Self = Self { requests: usize::MAX, per_key: usize::MAX };
}

/// Requests that have no reply yet, by what a reply names them by, and in the order in which they were sent.
#[doc(hidden)]
#[derive(Debug)]
pub struct OpenRequests<K, T> {
    by_key: HashMap<K, VecDeque<(u64, T)>>,
    order: BTreeMap<u64, K>,
    next: u64,
    limits: Limits,
}

impl<K: Hash + Eq + Clone, T> OpenRequests<K, T> {
    /// An empty table.
    #[doc(hidden)]
    pub fn new(limits: Limits) -> Self {
        Self { by_key: HashMap::new(), order: BTreeMap::new(), next: 0, limits }
    }

    /// Adds a request.
    #[doc(hidden)]
    pub fn insert(&mut self, key: K, request: T) {
        let same = self.by_key.entry(key.clone()).or_default();
        if same.len() >= self.limits.per_key
            && let Some((oldest, _)) = same.pop_front()
        {
            // `pop_front` removes it from its key only; a stale number in `order` would later evict a newer request.
            self.order.remove(&oldest);
        }
        same.push_back((self.next, request));
        self.order.insert(self.next, key);
        self.next += 1;
        // `order` is sorted by number, so its first entry is the oldest request under any key.
        if self.order.len() > self.limits.requests
            && let Some((_, key)) = self.order.pop_first()
        {
            // Within a key the oldest comes first as well.
            self.pop(&key, 0);
        }
    }

    /// The requests under a key, oldest first.
    #[doc(hidden)]
    pub fn get<Q>(&self, key: &Q) -> impl Iterator<Item = &T>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.by_key.get(key).into_iter().flatten().map(|(_, request)| request)
    }

    /// Removes a request under a key: the oldest one for `nth` zero.
    #[doc(hidden)]
    pub fn remove<Q>(&mut self, key: &Q, nth: usize) -> Option<T>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let (number, request) = self.pop(key, nth)?;
        self.order.remove(&number);
        Some(request)
    }

    fn pop<Q>(&mut self, key: &Q, nth: usize) -> Option<(u64, T)>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let same = self.by_key.get_mut(key)?;
        let found = same.remove(nth);
        // Empty queues are removed: a peer may use a new id for each request, and the map would grow without bound.
        if same.is_empty() {
            self.by_key.remove(key);
        }
        found
    }

    /// The keys of the open requests, oldest first.
    pub(super) fn keys(&self) -> impl Iterator<Item = &K> {
        self.order.values()
    }
}

/// Whether a request takes no more memory than one should: a peer may send ids and methods of any length.
#[doc(hidden)]
pub fn is_rememberable(id: &crate::wire::Id, method: &str, bytes: usize) -> bool {
    id.bytes() <= bytes && method.len() <= bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Number;
    use crate::wire::Id;

    fn table(requests: usize, per_key: usize) -> OpenRequests<i64, &'static str> {
        OpenRequests::new(Limits { requests, per_key })
    }

    fn len(table: &OpenRequests<i64, &'static str>) -> (usize, usize) {
        (table.by_key.len(), table.order.len())
    }

    #[test]
    fn the_oldest_request_is_forgotten_first() {
        let mut table = table(3, 1);
        (0..4).for_each(|id| table.insert(id, "ping"));
        assert_eq!(len(&table), (3, 3));
        assert_eq!(table.get(&0).count(), 0);
        assert_eq!(table.keys().copied().collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn an_id_that_is_used_again_names_the_newer_request() {
        let mut table = table(3, 1);
        (0..3).for_each(|id| table.insert(id, "ping"));
        table.insert(0, "tools/list");
        assert_eq!(len(&table), (3, 3));
        table.insert(3, "ping");
        assert_eq!(table.get(&1).count(), 0, "it is the oldest now");
        assert_eq!(table.remove(&0, 0), Some("tools/list"));
    }

    #[test]
    fn requests_with_one_key_are_kept_in_their_order() {
        let mut table = table(10, 3);
        ["a", "b", "c", "d"].into_iter().for_each(|name| table.insert(7, name));
        assert_eq!(table.get(&7).copied().collect::<Vec<_>>(), ["b", "c", "d"]);
        assert_eq!(table.remove(&7, 1), Some("c"));
        assert_eq!(table.remove(&7, 0), Some("b"));
        assert_eq!(table.remove(&7, 0), Some("d"));
        assert_eq!((table.remove(&7, 0), len(&table)), (None, (0, 0)));
    }

    #[test]
    fn answered_requests_take_no_memory() {
        let mut table = table(10, 1);
        // A new id each time, and then the same one again and again.
        for id in (0..100).chain(std::iter::repeat_n(-1, 100)) {
            table.insert(id, "ping");
            assert!(table.remove(&id, 0).is_some());
        }
        assert_eq!(len(&table), (0, 0));
    }

    #[test]
    fn a_request_with_a_huge_id_or_method_is_not_rememberable() {
        let number = Number::parse(&"9".repeat(2000)).expect("a number");
        for id in [Id::from("x".repeat(2000)), Id::from(number)] {
            assert!(!is_rememberable(&id, "ping", 1024));
        }
        assert!(!is_rememberable(&Id::from(1), &"x".repeat(2000), 1024));
        assert!(is_rememberable(&Id::from(1), "ping", 1024));
    }
}
