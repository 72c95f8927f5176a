//! An entry of `skills/list`.

use crate::scenarios::prelude::*;
use crate::scenarios::skills::skills_server::{Pages, name_in, text};

/// An entry of `skills/list`.
pub(super) struct Entry<'a> {
    /// Its number in the whole list, from 1.
    number: usize,
    pub(super) value: &'a Value,
    pub(super) page: &'a Reply,
}

impl<'a> Entry<'a> {
    pub(super) fn all(list: &'a Pages) -> Vec<Self> {
        let entry = |(number, (page, value))| Self { number, value, page };
        (1..).zip(list.items("skills")).map(entry).collect()
    }

    pub(super) fn uri(&self) -> Option<&'a str> {
        text(self.value, "uri").filter(|uri| !uri.is_empty())
    }

    /// The name in its URI.
    pub(super) fn name_in_uri(&self) -> Option<&'a str> {
        name_in(self.uri()?)
    }

    pub(super) fn frontmatter(&self) -> Option<&'a Value> {
        self.value.get("frontmatter")
    }

    /// Whether it lists its files.
    pub(super) fn has_files(&self) -> bool {
        self.value.get("resources").is_some_and(Value::is_array)
    }

    /// The entry as a [`Part`], for checks to examine.
    pub(super) fn part(&self) -> Part<'a> {
        Part::new(format!("entry {} of `skills/list`", self.number), self.value, self.evidence())
    }

    pub(super) fn evidence(&self) -> Option<Seq> {
        self.page.evidence().last().copied()
    }
}
