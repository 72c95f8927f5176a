//! The turns of a contract, found by what the client says.
//!
//! A contract may have thousands of cases with one method. Those that only fit what is equal are found by a fingerprint; the
//! others, which are few, are looked through.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::edition::At;
use super::heard::{Expected, Heard};
use crate::json::Value;

/// The turns of all methods.
#[derive(Debug, Default)]
pub(super) struct Shelves {
    methods: HashMap<String, Shelf>,
    /// Those that only fit what is equal, by its fingerprint.
    exact: HashMap<u64, Vec<At>>,
}

/// The turns that begin with one method.
#[derive(Debug, Default)]
struct Shelf {
    all: ByName,
    /// Those that may fit something else than what they have.
    by_rule: ByName,
}

/// Turns, by what they are about.
#[derive(Debug, Default)]
struct ByName {
    named: HashMap<String, Vec<At>>,
    /// Those that are not about one thing.
    others: Vec<At>,
}

impl Shelves {
    pub(super) fn put(&mut self, method: &str, at: At, expected: &Expected) {
        let shelf = self.methods.entry(method.to_owned()).or_default();
        shelf.all.put(at, expected.name());
        match expected.only_equal() {
            Some(value) => self.exact.entry(fingerprint(value)).or_default().push(at),
            None => shelf.by_rule.put(at, expected.name()),
        }
    }

    /// Whether a turn begins with this method.
    pub(super) fn has(&self, method: &str) -> bool {
        self.methods.contains_key(method)
    }

    pub(super) fn methods(&self) -> impl Iterator<Item = &str> {
        self.methods.keys().map(String::as_str)
    }

    /// The things that messages of a method are about, in the order of the alphabet.
    pub(super) fn names(&self, method: &str) -> Vec<&str> {
        let shelf = self.methods.get(method);
        let names = shelf.into_iter().flat_map(|shelf| shelf.all.named.keys());
        let mut names: Vec<_> = names.map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// The turns that are about the same.
    pub(super) fn about(&self, heard: &Heard) -> Vec<At> {
        self.methods.get(&heard.method).map_or_else(Vec::new, |shelf| shelf.all.about(heard))
    }

    /// The turns that may fit.
    pub(super) fn fitting(&self, heard: &Heard) -> Vec<At> {
        let by_rule = self.methods.get(&heard.method).map(|shelf| shelf.by_rule.about(heard));
        let mut found = by_rule.unwrap_or_default();
        for value in heard.forms() {
            found.extend(self.exact.get(&fingerprint(value)).into_iter().flatten());
        }
        found
    }
}

impl ByName {
    fn put(&mut self, at: At, name: Option<&str>) {
        match name {
            Some(name) => self.named.entry(name.to_owned()).or_default().push(at),
            None => self.others.push(at),
        }
    }

    fn about(&self, heard: &Heard) -> Vec<At> {
        let named = heard.name.as_ref().and_then(|name| self.named.get(name));
        named.into_iter().flatten().chain(&self.others).copied().collect()
    }
}

/// A number that is the same for values that are equal.
fn fingerprint(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value {
        Value::Null => 0.hash(&mut hasher),
        Value::Bool(value) => (1, value).hash(&mut hasher),
        Value::Number(number) => (2, number).hash(&mut hasher),
        Value::String(text) => (3, text).hash(&mut hasher),
        Value::Array(items) => {
            4.hash(&mut hasher);
            items.iter().for_each(|item| fingerprint(item).hash(&mut hasher));
        }
        Value::Object(object) => {
            let members = object.effective().map(|(name, value)| {
                let mut hasher = DefaultHasher::new();
                (name, fingerprint(value)).hash(&mut hasher);
                hasher.finish()
            });
            // The order of members does not matter.
            (5, members.fold(0, u64::wrapping_add)).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> u64 {
        fingerprint(&Value::parse(text.as_bytes()).expect("JSON").value)
    }

    #[test]
    fn what_is_equal_has_the_same_fingerprint() {
        assert_eq!(of(r#"{"a": 1, "b": [true, null]}"#), of(r#"{"b": [true, null], "a": 1.0}"#));
        assert_eq!(of(r#"{"a": 1, "a": 2}"#), of(r#"{"a": 2}"#));
        let others =
            ["1", "\"1\"", "[1]", "{}", "[]", "null", "false", "[1, 2]", "[2, 1]", r#"{"a": 1}"#];
        let mut prints = others.map(of).to_vec();
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), others.len());
    }
}
