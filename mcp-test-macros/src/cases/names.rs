//! The names of the module and the tests of `cases!`, made of a pattern, a file and a case.
//!
//! Only ASCII letters are kept: with others, the compiler would warn in the user's crate.

use std::collections::BTreeSet;

/// The greatest length of a name: enough for a long title.
const LONGEST: usize = 100;

/// The module of a pattern: `contracts` for `contracts/*.yaml`, `contracts_calculator` for `contracts/calculator.yaml`.
pub(super) fn name_for_pattern(pattern: &str) -> String {
    identifier(stem(pattern)).unwrap_or_else(|| "cases".to_owned())
}

/// The module of a file, without the directories that every file of the pattern has.
pub(super) fn name_for_file(path: &str, pattern: &str) -> String {
    let shared = |(one, other): &(&str, &str)| one == other && !super::find::is_wild(other);
    let directories = path.split('/').zip(pattern.split('/')).take_while(shared).count();
    let own: Vec<&str> = path.split('/').skip(directories).collect();
    identifier(stem(&own.join("/"))).unwrap_or_else(|| "file".to_owned())
}

/// The function of a case; `number` is its number in the file, counted from one.
pub(super) fn name_for_case(title: Option<&str>, number: usize) -> String {
    title.and_then(identifier).unwrap_or_else(|| format!("case_{number}"))
}

/// The path without the file extension.
fn stem(path: &str) -> &str {
    let known = [".yaml", ".yml"].into_iter().find_map(|ending| path.strip_suffix(ending));
    known.unwrap_or(path)
}

/// The words of a text in snake case.
fn identifier(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("_").to_ascii_lowercase();
    // All characters are ASCII, so that every length is a character boundary.
    name.truncate(LONGEST);
    if name.is_empty() {
        return None;
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, "case_");
    }
    // A keyword; as a raw identifier it would have `r#` in the name of the test.
    if syn::parse_str::<syn::Ident>(&name).is_err() {
        name.push('_');
    }
    Some(name)
}

/// The names in use.
#[derive(Default)]
pub(super) struct Used(BTreeSet<String>);

impl Used {
    /// Starts with these names.
    pub(super) fn with(names: &[&str]) -> Self {
        Self(names.iter().map(ToString::to_string).collect())
    }

    /// The name, or else the first unused one of `name_2`, `name_3`, ….
    pub(super) fn name(&mut self, name: &str) -> String {
        // `match_` becomes `match_2`: with a number it is no longer a keyword.
        let further = (2..).map(|number| format!("{}_{number}", name.trim_end_matches('_')));
        let mut candidates = std::iter::once(name.to_owned()).chain(further);
        // The iterator is infinite.
        candidates.find(|candidate| self.0.insert(candidate.clone())).unwrap_or_default()
    }
}
