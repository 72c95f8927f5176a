//! The ids of cases: the name of the file, and the name of the case.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::{Case, Cases};

/// How many characters of a name an id has.
const MOST: usize = 80;

/// Gives every case its id; of cases that would have the same, the second gets a `-2`.
pub(super) fn number(cases: &mut Cases) {
    let mut taken = Taken::default();
    for file in &mut cases.files {
        let file = Arc::make_mut(file);
        let stem = stem(&file.path);
        for case in &mut file.cases {
            let case = Arc::make_mut(case);
            case.id = taken.unique(&format!("{stem}::{}", name(case)));
        }
    }
}

#[derive(Default)]
struct Taken {
    ids: HashSet<String>,
    /// How often each was asked for.
    times: HashMap<String, usize>,
}

impl Taken {
    fn unique(&mut self, wanted: &str) -> String {
        let times = self.times.entry(wanted.to_owned()).or_default();
        let mut id = wanted.to_owned();
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

/// A text as part of an id: letters and digits in lower case, with `-` between them.
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
    fn a_name_becomes_words_with_hyphens() {
        assert_eq!(slug("Adds two numbers (a + b)!"), "adds-two-numbers-a-b");
        assert_eq!(slug("tools/call: Überraschung №5"), "tools-call-überraschung-5");
        assert_eq!(slug("—"), "");
        assert_eq!(slug(&"x".repeat(500)).len(), MOST);
        assert_eq!(stem("contracts/My Server.v2.yaml"), "my-server-v2");
        assert_eq!(stem(""), "cases");
    }

    #[test]
    fn every_id_is_there_once() {
        let mut taken = Taken::default();
        let ids = ["a", "a-2", "a", "a", "a-2"].map(|wanted| taken.unique(wanted));
        assert_eq!(ids, ["a", "a-2", "a-3", "a-4", "a-2-2"]);
    }
}
