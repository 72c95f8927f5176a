//! What a scenario needs the peer to offer, and what the peer offers.
//!
//! The profile decides what an unmet need means.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::TestedSide;
use crate::client::Fixtures;
use crate::json::Value;
use crate::spec::{Capability, ItemKind, Revision, Sides};

/// Something that the peer must offer for a scenario to test anything.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A capability that the peer declares.
    Capability(Capability),
    /// A tool of this name.
    Tool(&'static str),
    /// A resource of this URI.
    Resource(&'static str),
    /// A resource template with this text.
    ResourceTemplate(&'static str),
    /// A prompt of this name.
    Prompt(&'static str),
    /// At least one item of this kind.
    Any(ItemKind),
    /// At least one tool that the run may call.
    CallableTool,
    /// Tokens for a test of the peer as a protected server.
    Protection,
}

impl Need {
    /// Why the inventory does not meet the need at that revision; `None` if it does, or if the peer was not asked.
    ///
    /// What takes the place of a fixture meets the need instead of it.
    #[must_use]
    pub fn unmet(
        &self,
        inventory: &Inventory,
        fixtures: &Fixtures,
        revision: Revision,
    ) -> Option<String> {
        match self {
            // The revision has no way to declare it, so the peer may still offer it.
            Self::Capability(capability) if !capability.revisions().contains(revision) => None,
            Self::Capability(capability) => {
                // `?`: a peer that was not asked may declare it.
                let declared = inventory.capabilities.as_ref()?;
                (!capability.declared_in(declared))
                    .then(|| format!("the {} does not declare {self}", declarer(*capability)))
            }
            Self::Tool(name)
            | Self::Resource(name)
            | Self::ResourceTemplate(name)
            | Self::Prompt(name) => {
                let kind = self.item_kind()?;
                let need = format!("the {} {}", kind.noun(), fixtures.describe(name));
                inventory.listing(kind).lacks(kind, fixtures.name(name), &need)
            }
            Self::Any(kind) => inventory.listing(*kind).is_without_items(*kind),
            Self::CallableTool => {
                let without = inventory.listing(ItemKind::Tool).is_without_items(ItemKind::Tool);
                without.or_else(|| {
                    let uncalled = inventory.callable_tools == Some(0);
                    uncalled.then(|| UNCALLED.to_owned())
                })
            }
            // Nothing that the peer offers: the plan leaves the scenario out, or the scenario says so itself.
            Self::Protection => None,
        }
    }

    /// The name, if it is an item with a known one: one of the official suite's fixtures.
    #[must_use]
    pub const fn fixture(&self) -> Option<&'static str> {
        match self {
            Self::Tool(name)
            | Self::Resource(name)
            | Self::ResourceTemplate(name)
            | Self::Prompt(name) => Some(name),
            Self::Capability(_) | Self::Any(_) | Self::CallableTool | Self::Protection => None,
        }
    }

    /// Whether it is an item with a known name.
    #[must_use]
    pub const fn is_fixture(&self) -> bool {
        self.fixture().is_some()
    }

    /// The kind of item that is needed, if it is one.
    #[must_use]
    pub fn item_kind(&self) -> Option<ItemKind> {
        match self {
            Self::Capability(_) => None,
            Self::Tool(_) => Some(ItemKind::Tool),
            Self::Resource(_) => Some(ItemKind::Resource),
            Self::ResourceTemplate(_) => Some(ItemKind::ResourceTemplate),
            Self::Prompt(_) => Some(ItemKind::Prompt),
            Self::Any(kind) => Some(*kind),
            Self::CallableTool => Some(ItemKind::Tool),
            Self::Protection => None,
        }
    }

    /// Whether the peer was asked for it, and its answer does not say whether it offers it.
    #[must_use]
    pub fn is_unknown(&self, inventory: &Inventory) -> bool {
        let listing = self.item_kind().map(|kind| inventory.listing(kind));
        matches!(listing, Some(Listing::Failed(_)))
    }
}

/// Why no tool is called.
const UNCALLED: &str =
    "no tool may be called: none is annotated with `readOnlyHint: true`, and --call names none";

/// Who declares it in a scenario that needs it.
fn declarer(capability: Capability) -> TestedSide {
    match capability.sides() {
        Sides::Client => TestedSide::Client,
        // No scenario for clients needs a capability that both sides declare.
        Sides::Server | Sides::Both => TestedSide::Server,
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capability(capability) => write!(f, "the capability `{capability}`"),
            Self::Tool(name) => write!(f, "the tool `{name}`"),
            Self::Resource(uri) => write!(f, "the resource `{uri}`"),
            Self::ResourceTemplate(template) => write!(f, "the resource template `{template}`"),
            Self::Prompt(name) => write!(f, "the prompt `{name}`"),
            Self::Any(kind) => write!(f, "any {}", kind.noun()),
            Self::CallableTool => f.write_str("any tool that may be called"),
            Self::Protection => f.write_str("tokens for a protected server (`--auth`)"),
        }
    }
}

/// What a peer offers, as asked before the run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inventory {
    /// The capabilities object that it declares; `None` if it was not asked.
    pub capabilities: Option<Value>,
    /// How many of its tools the run may call; `None` if it was not asked for them.
    pub callable_tools: Option<usize>,
    listings: BTreeMap<ItemKind, Listing>,
}

impl Inventory {
    /// The inventory of a peer that declares these capabilities, and was asked nothing else.
    #[must_use]
    pub fn declaring(capabilities: Option<Value>) -> Self {
        Self { capabilities, ..Self::default() }
    }

    /// The same inventory with the answer about one kind of item.
    #[must_use]
    pub fn with(mut self, kind: ItemKind, listing: Listing) -> Self {
        self.listings.insert(kind, listing);
        self
    }

    /// The answer about one kind of item.
    #[must_use]
    pub fn listing(&self, kind: ItemKind) -> &Listing {
        self.listings.get(&kind).unwrap_or(&Listing::Unknown)
    }

    /// Whether a list was refused, or not answered.
    pub(crate) fn has_failed(&self) -> bool {
        self.listings.values().any(|listing| matches!(listing, Listing::Failed(_)))
    }
}

/// The answer of a peer that was asked to list its items of one kind.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Listing {
    /// It was not asked.
    #[default]
    Unknown,
    /// It does not declare the capability, so there was nothing to ask.
    Undeclared(Capability),
    /// The list was refused, or the answer was not a list: what was wrong.
    Failed(String),
    /// The items, as listed.
    Listed(Items),
}

/// The items of a list, in order.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Items {
    /// As listed. Shared, since every scenario run has the inventory.
    pub items: Arc<[Value]>,
    /// Whether the list has more pages, which were not requested.
    pub has_more: bool,
}

impl Items {
    /// The values of the member that identifies the items.
    pub fn keys(&self, kind: ItemKind) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(move |item| item.get(kind.key())?.as_str())
    }
}

impl<V: Into<Value>> FromIterator<V> for Items {
    fn from_iter<T: IntoIterator<Item = V>>(items: T) -> Self {
        Self { items: items.into_iter().map(Into::into).collect(), has_more: false }
    }
}

impl Listing {
    /// Why `wanted` is not offered; `None` if it is, or if the peer was not asked.
    fn lacks(&self, kind: ItemKind, wanted: &str, need: &str) -> Option<String> {
        let reason = match self {
            Self::Unknown => return None,
            Self::Listed(listed) if listed.keys(kind).any(|name| name == wanted) => return None,
            Self::Undeclared(capability) => {
                format!("it does not declare the capability `{capability}`")
            }
            Self::Failed(why) => {
                return Some(format!("not known whether the server offers {need}: {why}"));
            }
            Self::Listed(listed) => match listed.items.len() {
                0 => "it lists none".to_owned(),
                1..=5 => format!(
                    "it lists {}",
                    listed
                        .keys(kind)
                        .map(|name| format!("`{name}`"))
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
                // A longer list would hide what is missing.
                more => format!("it lists {more} others"),
            },
        };
        Some(format!("the server does not offer {need}; {reason}"))
    }

    /// Why there is no item at all; `None` if there is one, or if the peer was not asked.
    fn is_without_items(&self, kind: ItemKind) -> Option<String> {
        let noun = kind.noun();
        match self {
            Self::Unknown => None,
            Self::Listed(listed) if !listed.items.is_empty() => None,
            Self::Undeclared(capability) => {
                Some(format!("the server does not declare the capability `{capability}`"))
            }
            Self::Failed(why) => {
                Some(format!("not known whether the server offers any {noun}: {why}"))
            }
            Self::Listed(_) => Some(format!("the server lists no {noun}s")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn server() -> Inventory {
        let tools = ["add", "sub"].map(|name| json!({ "name": name }));
        let capabilities = Some(json!({"tools": {}}).into());
        Inventory::declaring(capabilities)
            .with(ItemKind::Tool, Listing::Listed(tools.into_iter().collect()))
            .with(ItemKind::Resource, Listing::Listed(Items::default()))
    }

    #[test]
    fn a_need_that_is_met_or_not_known_lets_the_scenario_run() {
        let none = Fixtures::new();
        let unmet = |need: Need| need.unmet(&server(), &none, Revision::V2024_11_05);
        assert_eq!(unmet(Need::Capability(Capability::Tools)), None);
        assert_eq!(unmet(Need::Capability(Capability::Completions)), None);
        assert_eq!(unmet(Need::Tool("sub")), None);
        assert_eq!(unmet(Need::Prompt("greet")), None);
        assert_eq!(unmet(Need::Any(ItemKind::Tool)), None);
        assert_eq!(unmet(Need::Any(ItemKind::Prompt)), None);
        assert_eq!(unmet(Need::CallableTool), None);
    }

    #[test]
    fn an_unmet_need_names_what_is_offered_instead() {
        let mut fixtures = Fixtures::new();
        fixtures.replace("test_simple_text", "my_tool", None);
        let unmet = |need: Need, inventory: &Inventory| {
            need.unmet(inventory, &fixtures, Revision::NEWEST).unwrap_or_default()
        };
        let reason = |need: Need| unmet(need, &server());
        insta::assert_snapshot!(reason(Need::Tool("mul")), @"the server does not offer the tool `mul`; it lists `add`, `sub`");
        insta::assert_snapshot!(reason(Need::Tool("test_simple_text")), @"the server does not offer the tool `my_tool` (for the fixture `test_simple_text`); it lists `add`, `sub`");
        insta::assert_snapshot!(reason(Need::Resource("a:b")), @"the server does not offer the resource `a:b`; it lists none");
        let uncalled = Inventory { callable_tools: Some(0), ..server() };
        let called = unmet(Need::CallableTool, &uncalled);
        insta::assert_snapshot!(called, @"no tool may be called: none is annotated with `readOnlyHint: true`, and --call names none");
        insta::assert_snapshot!(reason(Need::Any(ItemKind::Resource)), @"the server lists no resources");
        insta::assert_snapshot!(reason(Need::Capability(Capability::Prompts)), @"the server does not declare the capability `prompts`");
        insta::assert_snapshot!(reason(Need::Capability(Capability::Sampling)), @"the client does not declare the capability `sampling`");
    }

    #[test]
    fn a_list_that_was_refused_or_not_requested_meets_no_need() {
        let refused = Listing::Failed("`tools/list` was answered with error -32603".to_owned());
        let inventory = server()
            .with(ItemKind::Tool, refused)
            .with(ItemKind::Prompt, Listing::Undeclared(Capability::Prompts));
        let reason = |need: Need| {
            need.unmet(&inventory, &Fixtures::new(), Revision::NEWEST).unwrap_or_default()
        };
        insta::assert_snapshot!(reason(Need::Tool("add")), @"not known whether the server offers the tool `add`: `tools/list` was answered with error -32603");
        insta::assert_snapshot!(reason(Need::Prompt("greet")), @"the server does not offer the prompt `greet`; it does not declare the capability `prompts`");
    }
}
