//! What the module and the tests of `cases!` are called: the words of a pattern, of a file and of a case, as Rust has them.
//!
//! Only the letters of ASCII stay: of others the compiler would warn in the user's crate.

use std::collections::BTreeSet;

/// How long a name may become: one whole title and a bit, not a paragraph.
const LONGEST: usize = 100;

/// The module of a pattern: `contracts` for `contracts/*.yaml`, `contracts_calculator` for `contracts/calculator.yaml`.
pub(super) fn of_pattern(pattern: &str) -> String {
    identifier(stem(pattern)).unwrap_or_else(|| "cases".to_owned())
}

/// The module of a file, without the directories that every file of the pattern has.
pub(super) fn of_file(path: &str, pattern: &str) -> String {
    let shared = |(one, other): &(&str, &str)| one == other && !super::find::is_wild(other);
    let directories = path.split('/').zip(pattern.split('/')).take_while(shared).count();
    let own: Vec<&str> = path.split('/').skip(directories).collect();
    identifier(stem(&own.join("/"))).unwrap_or_else(|| "file".to_owned())
}

/// The function of a case; `number` is which one of the file it is, counted from one.
pub(super) fn of_case(title: Option<&str>, number: usize) -> String {
    title.and_then(identifier).unwrap_or_else(|| format!("case_{number}"))
}

/// The path without the ending of the file.
fn stem(path: &str) -> &str {
    let known = [".yaml", ".yml"].into_iter().find_map(|ending| path.strip_suffix(ending));
    known.unwrap_or(path)
}

/// The words of a text, each after the other with a line below between them.
fn identifier(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("_").to_ascii_lowercase();
    name.truncate(LONGEST);
    if name.is_empty() {
        return None;
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, "case_");
    }
    // A raw name would show its `r#` in the name of the test.
    if syn::parse_str::<syn::Ident>(&name).is_err() {
        name.push('_');
    }
    Some(name)
}

/// The names that are taken already.
#[derive(Default)]
pub(super) struct Used(BTreeSet<String>);

impl Used {
    /// These are taken.
    pub(super) fn with(names: &[&str]) -> Self {
        Self(names.iter().map(ToString::to_string).collect())
    }

    /// The name, or else the first of `name_2`, `name_3` … that is free.
    pub(super) fn name(&mut self, name: &str) -> String {
        let further = (2..).map(|number| format!("{}_{number}", name.trim_end_matches('_')));
        let mut candidates = std::iter::once(name.to_owned()).chain(further);
        // The numbers never end.
        candidates.find(|candidate| self.0.insert(candidate.clone())).unwrap_or_default()
    }
}
