//! Objects keep the order of their members, and duplicates.
//!
//! Lookups are linear, because the objects of a protocol are small.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Object, Value};

/// Above this many members, objects are compared through an index, because a hostile peer could make the linear lookups
/// quadratic.
const INDEX_ABOVE: usize = 16;

/// Above this many members, duplicates are found with a set, for the same reason.
const SET_ABOVE: usize = 32;

impl Object {
    /// An object without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of members, including duplicates.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The member `name`; the last one, if there are several.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        // RFC 8259 leaves duplicates open; most readers take the last one.
        self.members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The member `name`, mutably; the last one, if there are several.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let mut members = self.members_mut().iter_mut().rev();
        members.find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// All members `name`, in order.
    pub fn get_all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Value> {
        self.members.iter().filter(move |(key, _)| key == name).map(|(_, value)| value)
    }

    /// Whether there is a member `name`.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Replaces the (last) member `name` in place, or appends it; returns the old value.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (name, value) = (name.into(), value.into());
        match self.get_mut(&name) {
            Some(present) => Some(std::mem::replace(present, value)),
            None => {
                self.members_mut().push((name, value));
                None
            }
        }
    }

    /// Appends a member even if there is one of that name already, to create a duplicate on purpose.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.members_mut().push((name.into(), value.into()));
    }

    /// Removes all members `name`, and returns the last one.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let mut removed = None;
        self.members_mut().retain_mut(|(key, value)| {
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

    /// The members in order, with mutable values.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&str, &mut Value)> {
        self.members_mut().iter_mut().map(|(name, value)| (name.as_str(), value))
    }

    /// The names of the members in order, including duplicates.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.members.iter().map(|(name, _)| name.as_str())
    }

    /// The effective members in order: the last of several with one name.
    #[must_use]
    pub fn effective(&self) -> Effective<'_> {
        Effective { members: &self.members, next: 0, superseded: self.superseded() }
    }

    /// The indices of members that a later one of the same name supersedes.
    fn superseded(&self) -> Vec<usize> {
        let names = || self.keys().enumerate();
        if self.len() <= SET_ABOVE {
            let is_repeated = |&(at, name): &(usize, &str)| {
                self.members[at + 1..].iter().any(|(later, _)| later == name)
            };
            return names().filter(is_repeated).map(|(at, _)| at).collect();
        }
        let mut later = HashSet::with_capacity(self.len());
        let mut superseded: Vec<usize> =
            names().rev().filter(|(_, name)| !later.insert(*name)).map(|(at, _)| at).collect();
        superseded.reverse();
        superseded
    }

    fn members_mut(&mut self) -> &mut Vec<(String, Value)> {
        Arc::make_mut(&mut self.members)
    }

    /// A map of the effective members.
    pub(super) fn index(&self) -> HashMap<&str, &Value> {
        self.iter().collect()
    }
}

/// The iterator of [`Object::effective`].
#[doc(hidden)]
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
        // Sorted, so that skipping stays cheap in an object of many duplicates.
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
        // Both ways of comparing use the last of duplicate members.
        if self.len().max(other.len()) > INDEX_ABOVE {
            return self.index() == other.index();
        }
        // The lengths do not matter, since duplicates count once.
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
        Arc::unwrap_or_clone(self.members).into_iter()
    }
}

impl From<Vec<(String, Value)>> for Object {
    fn from(members: Vec<(String, Value)>) -> Self {
        Self { members: Arc::new(members) }
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let members = members.into_iter().map(|(name, value)| (name.into(), value.into()));
        members.collect::<Vec<_>>().into()
    }
}

impl<K: Into<String>, V: Into<Value>> Extend<(K, V)> for Object {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, members: I) {
        self.members_mut()
            .extend(members.into_iter().map(|(name, value)| (name.into(), value.into())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twice() -> Object {
        Object::from_iter([("a", 1), ("b", 2), ("a", 3)])
    }

    #[test]
    fn keeps_duplicates_and_finds_the_last() {
        let object = twice();
        assert_eq!(object.len(), 3);
        assert_eq!(object.get("a"), Some(&3.into()));
        assert_eq!(object.get_all("a").collect::<Vec<_>>(), [&Value::from(1), &Value::from(3)]);
        assert_eq!(object.keys().collect::<Vec<_>>(), ["a", "b", "a"]);
    }

    #[test]
    fn the_last_duplicate_is_effective_in_objects_of_any_size() {
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
    fn remove_takes_all_duplicates() {
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
