//! Rust types in assertions: deserializing text, and the names of types in messages.

use std::any::type_name;

use serde::de::DeserializeOwned;

use crate::check::Finding;
use crate::expect::words;

/// Deserializes a text that is JSON; `finding` is completed if it is not, or if it does not have that type.
pub(super) fn parse_json<T: DeserializeOwned>(text: &str, finding: Finding) -> Result<T, Finding> {
    serde_json::from_str(text).map_err(|error| {
        let expected = format!("a text that deserializes to `{}`", short_name::<T>());
        finding.expected(expected).got(format!("{}: {error}", words::got(Some(&text.into()))))
    })
}

/// The name of a type without module paths, also in its type arguments.
pub(super) fn short_name<T>() -> String {
    let mut name = String::new();
    for c in type_name::<T>().chars() {
        name.push(c);
        // Cuts a path off as soon as it ends, so that `Vec<a::B>` keeps what precedes the path: `Vec<B>`. A type
        // within an async function has a path like `tests::adds::{{closure}}::Sum`.
        if name.ends_with("::") {
            let path = name.trim_end_matches(|c: char| c.is_alphanumeric() || "_:{}#".contains(c));
            name.truncate(path.len());
        }
    }
    name
}
