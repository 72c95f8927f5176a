//! Anchors such as `tool-add`, which do not depend on the rest of the page.

use std::collections::HashMap;

/// The anchors in use.
#[derive(Debug, Default)]
pub(super) struct Anchors(HashMap<String, usize>);

impl Anchors {
    /// A new anchor for a thing. Only things of one kind with similar names have a number.
    pub(super) fn of(&mut self, kind: &str, name: &str) -> String {
        let anchor = slug(&format!("{kind} {name}"));
        loop {
            let number = self.0.entry(anchor.clone()).or_default();
            *number += 1;
            let own = if *number == 1 { anchor.clone() } else { format!("{anchor}-{number}") };
            // A thing that is itself named `add 2` may have the anchor of the second `add`.
            if *number == 1 || !self.0.contains_key(&own) {
                self.0.entry(own.clone()).or_insert(1);
                return own;
            }
        }
    }
}

/// A name in lower-case letters and digits, with a dash for everything between them.
pub(super) fn slug(name: &str) -> String {
    const LONGEST: usize = 80;
    let mut slug = String::new();
    for c in name.chars() {
        if slug.chars().count() >= LONGEST {
            break;
        }
        if c.is_alphanumeric() {
            slug.extend(c.to_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_unique_and_readable() {
        let mut anchors = Anchors::default();
        let names = ["add", "Add!", "add-2", "add", "测试", "", "<script>", "test://a/{id}"];
        let all: Vec<String> = names.iter().map(|name| anchors.of("tool", name)).collect();
        assert_eq!(
            all,
            [
                "tool-add",
                "tool-add-2",
                "tool-add-2-2",
                "tool-add-3",
                "tool-测试",
                "tool",
                "tool-script",
                "tool-test-a-id"
            ]
        );
    }

    #[test]
    fn a_long_name_has_a_short_anchor() {
        assert!(slug(&"aé ".repeat(1_000)).chars().count() <= 82);
    }
}
