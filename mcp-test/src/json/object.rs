//! An object that keeps the order of its members, and those that come twice.
//!
//! Lookups are linear: the objects of a protocol are small, and order is worth more.

use std::collections::{HashMap, HashSet};

use super::Value;

/// Above this many members, comparing two objects goes through an index, so that a hostile peer
/// cannot make it quadratic.
const INDEX_ABOVE: usize = 16;

/// Above this many members, duplicates are looked for with a set, for the same reason.
const SET_ABOVE: usize = 32;

/// A JSON object: its members in the order they were written, duplicates included.
#[derive(Clone, Debug, Default)]
pub struct Object {
    members: Vec<(String, Value)>,
}

impl Object {
    /// An object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self { members: Vec::new() }
    }

    /// How many members there are, each duplicate counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The member called `name`; the last one, if there are several.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The member called `name`, to be changed; the last one, if there are several.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.members.iter_mut().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Every member called `name`, in order.
    pub fn get_all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Value> {
        self.members.iter().filter(move |(key, _)| key == name).map(|(_, value)| value)
    }

    /// Whether there is a member called `name`.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Replaces the (last) member called `name` where it stands, or appends it; returns the old value.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (name, value) = (name.into(), value.into());
        match self.get_mut(&name) {
            Some(present) => Some(std::mem::replace(present, value)),
            None => {
                self.members.push((name, value));
                None
            }
        }
    }

    /// Appends a member even if there is one of that name already: a duplicate, written on purpose.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.members.push((name.into(), value.into()));
    }

    /// Takes out every member called `name`, and returns the last one.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let mut removed = None;
        self.members.retain_mut(|(key, value)| {
            let keep = key != name;
            if !keep {
                removed = Some(std::mem::take(value));
            }
            keep
        });
        removed
    }

    /// The members in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator {
        self.members.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The members in order, their values to be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&str, &mut Value)> {
        self.members.iter_mut().map(|(name, value)| (name.as_str(), value))
    }

    /// The names of the members in order, a duplicate each time it comes.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.members.iter().map(|(name, _)| name.as_str())
    }

    /// The members that count, in order: of several with one name, the last.
    #[must_use]
    pub fn effective(&self) -> Effective<'_> {
        Effective { members: &self.members, next: 0, superseded: self.superseded() }
    }

    /// Where the members stand that come again later.
    fn superseded(&self) -> Vec<usize> {
        let names = || self.keys().enumerate();
        if self.len() <= SET_ABOVE {
            let comes_again = |&(at, name): &(usize, &str)| {
                self.members[at + 1..].iter().any(|(later, _)| later == name)
            };
            return names().filter(comes_again).map(|(at, _)| at).collect();
        }
        let mut later = HashSet::with_capacity(self.len());
        let mut superseded: Vec<usize> =
            names().rev().filter(|(_, name)| !later.insert(*name)).map(|(at, _)| at).collect();
        superseded.reverse();
        superseded
    }

    /// A lookup of the members that count: of several with one name, the last.
    pub(super) fn index(&self) -> HashMap<&str, &Value> {
        self.iter().collect()
    }
}

/// What [`Object::effective`] gives.
#[derive(Debug, Clone)]
pub struct Effective<'a> {
    members: &'a [(String, Value)],
    next: usize,
    /// In ascending order.
    superseded: Vec<usize>,
}

impl<'a> Iterator for Effective<'a> {
    type Item = (&'a str, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        while self.superseded.binary_search(&self.next).is_ok() {
            self.next += 1;
        }
        let (name, value) = self.members.get(self.next)?;
        self.next += 1;
        Some((name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let superseded = self.superseded.iter().filter(|at| **at >= self.next).count();
        let left = self.members.len().saturating_sub(self.next + superseded);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Effective<'_> {}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        if self.len().max(other.len()) > INDEX_ABOVE {
            return self.index() == other.index();
        }
        let covers = |one: &Self, two: &Self| one.keys().all(|name| two.contains(name));
        covers(self, other)
            && covers(other, self)
            && self.keys().all(|name| self.get(name) == other.get(name))
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let members = members.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self { members: members.collect() }
    }
}

impl<K: Into<String>, V: Into<Value>> Extend<(K, V)> for Object {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, members: I) {
        self.members.extend(members.into_iter().map(|(name, value)| (name.into(), value.into())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twice() -> Object {
        Object::from_iter([("a", 1), ("b", 2), ("a", 3)])
    }

    #[test]
    fn keeps_duplicates_and_lets_the_last_count() {
        let object = twice();
        assert_eq!(object.len(), 3);
        assert_eq!(object.get("a"), Some(&3.into()));
        assert_eq!(object.get_all("a").collect::<Vec<_>>(), [&Value::from(1), &Value::from(3)]);
        assert_eq!(object.keys().collect::<Vec<_>>(), ["a", "b", "a"]);
    }

    #[test]
    fn of_duplicates_the_last_is_effective_in_objects_of_any_size() {
        let effective = |object: &Object| {
            let members = object.effective();
            assert_eq!(members.len(), members.clone().count());
            members.map(|(name, value)| format!("{name}{value}")).collect::<Vec<_>>().join(" ")
        };
        let mut object = twice();
        assert_eq!(effective(&object), "b2 a3");
        object.extend((0..SET_ABOVE).map(|_| ("c", 4)));
        assert_eq!(effective(&object), "b2 a3 c4");
        assert_eq!(effective(&Object::new()), "");
    }

    #[test]
    fn insert_replaces_in_place_and_push_appends() {
        let mut object = twice();
        assert_eq!(object.insert("b", 9), Some(2.into()));
        assert_eq!(object.insert("c", 4), None);
        object.push("c", 5);
        assert_eq!(Value::Object(object).to_string(), r#"{"a":1,"b":9,"a":3,"c":4,"c":5}"#);
    }

    #[test]
    fn remove_takes_all_of_a_name() {
        let mut object = twice();
        assert_eq!(object.remove("a"), Some(3.into()));
        assert_eq!(object.remove("a"), None);
        assert_eq!(object.len(), 1);
    }

    #[test]
    fn large_objects_compare_like_small_ones() {
        let ascending = (0..40).map(|n| (n.to_string(), n));
        let object = Object::from_iter(ascending.clone());
        assert_eq!(object, Object::from_iter(ascending.clone().rev()));
        assert_ne!(object, Object::from_iter(ascending.take(39)));
        assert_ne!(object, Object::from_iter((0..40).map(|n| (n.to_string(), 0))));
    }
}
