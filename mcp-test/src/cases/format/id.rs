//! Ids of cases, from the names of file and case.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::case::{Case, Cases};

/// The largest number of characters of a name in an id.
const MOST: usize = 80;

/// Assigns unique ids to all cases; the second case with the same id gets `-2`.
pub(super) fn assign(cases: &mut Cases) {
    let mut used = UsedIds::default();
    for file in &mut cases.files {
        // No one else owns what has just been read, so that nothing is copied.
        let file = Arc::make_mut(file);
        let stem = stem(&file.path);
        for case in &mut file.cases {
            let case = Arc::make_mut(case);
            case.id = used.unique(&format!("{stem}::{}", name(case)));
        }
    }
}

#[derive(Default)]
struct UsedIds {
    ids: HashSet<String>,
    // So that many cases with one name do not each try all numbers.
    /// How often each was requested.
    times: HashMap<String, usize>,
}

impl UsedIds {
    fn unique(&mut self, wanted: &str) -> String {
        let times = self.times.entry(wanted.to_owned()).or_default();
        let mut id = wanted.to_owned();
        // A case may itself be named `a-2`, so that the id with a number is taken, too.
        while !self.ids.insert(id.clone()) {
            *times = (*times).max(1) + 1;
            id = format!("{wanted}-{times}");
        }
        id
    }
}

fn stem(path: &str) -> String {
    let stem = Path::new(path).file_stem().map(|stem| stem.to_string_lossy());
    let slug = slug(stem.as_deref().unwrap_or_default());
    if slug.is_empty() { "cases".to_owned() } else { slug }
}

fn name(case: &Case) -> String {
    let slug = case.name.as_deref().map(slug).unwrap_or_default();
    if slug.is_empty() { format!("case-{}", case.number) } else { slug }
}

/// A name as part of an id: lowercase letters and digits, separated by `-`.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for char in text.chars().take(MOST) {
        if char.is_alphanumeric() {
            slug.extend(char.to_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_words_with_hyphens() {
        assert_eq!(slug("Adds two numbers (a + b)!"), "adds-two-numbers-a-b");
        assert_eq!(slug("tools/call: Überraschung №5"), "tools-call-überraschung-5");
        assert_eq!(slug("—"), "");
        assert_eq!(slug(&"x".repeat(500)).len(), MOST);
        assert_eq!(stem("contracts/My Server.v2.yaml"), "my-server-v2");
        assert_eq!(stem(""), "cases");
    }

    #[test]
    fn ids_are_unique() {
        let mut used = UsedIds::default();
        let ids = ["a", "a-2", "a", "a", "a-2"].map(|wanted| used.unique(wanted));
        assert_eq!(ids, ["a", "a-2", "a-3", "a-4", "a-2-2"]);
    }
}
