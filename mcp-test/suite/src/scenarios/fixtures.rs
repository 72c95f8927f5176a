//! The fixtures of the official suite that scenarios name, and what a user may name instead.

use mcp_test_core::client::Fixtures;
use mcp_test_core::expect::words;
use mcp_test_core::scenario::Scenario;

use crate::scenarios::prelude::*;

/// A tool, prompt, resource or resource template whose behavior scenarios know.
#[derive(Debug, Clone)]
pub struct Fixture {
    /// What it is.
    pub kind: ItemKind,
    /// Its official name, or URI.
    pub name: &'static str,
    /// The scenarios that use it.
    pub scenarios: Vec<&'static Scenario>,
}

/// Why nothing can take the place of a fixture.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FixtureError {
    /// No scenario uses such a fixture.
    #[error(
        "no fixture is named `{name}`; {}",
        .suggestion.map_or("`mcp-test list --fixtures` lists them".to_owned(), |it| format!("did you mean `{it}`?"))
    )]
    Unknown {
        /// The name.
        name: String,
        /// A similar name.
        suggestion: Option<&'static str>,
    },
    /// The fixture is replaced already.
    #[error("the fixture `{0}` is replaced twice")]
    Twice(String),
    /// The name of what takes its place is empty.
    #[error("expected the name of what takes the place of the fixture `{0}`")]
    Nameless(String),
    /// A resource takes no arguments.
    #[error("the fixture `{0}` is a resource, which takes no arguments")]
    Resource(String),
    /// The arguments are not an object.
    #[error("the arguments for the fixture `{name}` must be a JSON object, not {kind}")]
    NotAnObject {
        /// The fixture.
        name: String,
        /// What they are.
        kind: &'static str,
    },
}

/// Every fixture, by kind and in the order of the scenarios.
#[must_use]
pub fn all() -> Vec<Fixture> {
    let mut all: Vec<Fixture> = Vec::new();
    for scenario in super::all() {
        for need in scenario.needs.iter().chain(scenario.optional_needs) {
            let (Some(kind), Some(name)) = (need.item_kind(), need.fixture()) else { continue };
            match all.iter_mut().find(|it| it.name == name) {
                Some(known) => known.scenarios.push(scenario),
                None => all.push(Fixture { kind, name, scenarios: vec![scenario] }),
            }
        }
    }
    all.sort_by_key(|fixture| fixture.kind);
    all
}

/// The fixture of this name.
///
/// # Errors
///
/// If no scenario uses it; the error names a similar one.
pub fn find(name: &str) -> Result<Fixture, FixtureError> {
    let mut all = all();
    match all.iter().position(|it| it.name == name) {
        Some(index) => Ok(all.swap_remove(index)),
        None => {
            let suggestion = words::closest(name, all.iter().map(|it| it.name));
            let suggestion = all.iter().map(|it| it.name).find(|it| Some(*it) == suggestion);
            Err(FixtureError::Unknown { name: name.to_owned(), suggestion })
        }
    }
}

/// Names what takes the place of a fixture: an item of the same kind, and its arguments or variables if they differ.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::client::Fixtures;
/// use mcp_test_suite::scenarios::fixtures;
///
/// let mut own = Fixtures::new();
/// fixtures::replace(&mut own, "test_simple_text", "my_tool", None)?;
/// let error = fixtures::replace(&mut own, "test_simple_txt", "my_tool", None).unwrap_err();
/// assert!(error.to_string().contains("did you mean `test_simple_text`?"));
/// # Ok::<(), fixtures::FixtureError>(())
/// ```
///
/// # Errors
///
/// If no fixture has this name, it is replaced already, the name is empty, or the arguments are not what it takes.
pub fn replace(
    fixtures: &mut Fixtures,
    fixture: &str,
    name: &str,
    arguments: Option<Value>,
) -> Result<(), FixtureError> {
    let kind = find(fixture)?.kind;
    let owned = || fixture.to_owned();
    if fixtures.replaces(fixture) {
        return Err(FixtureError::Twice(owned()));
    }
    if name.is_empty() {
        return Err(FixtureError::Nameless(owned()));
    }
    let arguments = match arguments {
        None => None,
        Some(_) if kind == ItemKind::Resource => return Err(FixtureError::Resource(owned())),
        Some(Value::Object(arguments)) => Some(arguments),
        Some(other) => {
            return Err(FixtureError::NotAnObject { name: owned(), kind: other.kind() });
        }
    };
    fixtures.replace(fixture, name, arguments);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use mcp_test_core::client::reply::listed_items;
    use mcp_test_core::scenario::{Ctx, Profile, Setup};
    use mcp_test_core::server::reference::everything;
    use mcp_test_core::spec::Revision;
    use mcp_test_core::transport::TransportKind;

    use super::*;

    #[tokio::test]
    async fn the_reference_server_has_every_fixture() {
        let mut offered = BTreeSet::new();
        // Some exist in one era only.
        for revision in [Revision::NEWEST_HANDSHAKE, Revision::NEWEST] {
            let (target, transport) = (everything().target(), TransportKind::Duplex);
            let timeout = Duration::from_secs(20);
            let setup = Setup::new(target, transport, revision, Profile::Adaptive, timeout);
            let mut ctx = Ctx::new(setup, None);
            for kind in ItemKind::ALL {
                let pages = ctx.pages(kind.method()).await.expect("a list");
                let items = listed_items(kind, &pages).expect("items");
                let key = |item: &&Value| Some(item.get(kind.key())?.as_str()?.to_owned());
                offered.extend(items.iter().filter_map(key).map(|name| (kind, name)));
            }
            let _ = ctx.end().await;
        }
        for Fixture { kind, name, .. } in all() {
            assert!(offered.contains(&(kind, name.to_owned())), "{kind:?} {name}");
        }
    }

    #[test]
    fn what_cannot_take_the_place_of_a_fixture_is_refused() {
        let object = || Some(Value::from(serde_json::json!({})));
        let refused = |fixture: &str, name: &str, arguments: Option<Value>| {
            let mut fixtures = Fixtures::new();
            fixtures.replace("test_sampling", "ask", None);
            let refused = replace(&mut fixtures, fixture, name, arguments);
            refused.expect_err("an error").to_string()
        };
        insta::assert_snapshot!(refused("test_simple_txt", "a", None), @"no fixture is named `test_simple_txt`; did you mean `test_simple_text`?");
        insta::assert_snapshot!(refused("add", "a", None), @"no fixture is named `add`; `mcp-test list --fixtures` lists them");
        insta::assert_snapshot!(refused("test_sampling", "a", None), @"the fixture `test_sampling` is replaced twice");
        insta::assert_snapshot!(refused("test_simple_text", "", None), @"expected the name of what takes the place of the fixture `test_simple_text`");
        insta::assert_snapshot!(refused("test://static-text", "db://a", object()), @"the fixture `test://static-text` is a resource, which takes no arguments");
        insta::assert_snapshot!(refused("test_simple_text", "a", Some(Value::from(1))), @"the arguments for the fixture `test_simple_text` must be a JSON object, not a number");
    }
}
