//! What a scenario needs the peer to offer, and what the peer offers.
//!
//! The profile decides what an unmet need means.

use std::fmt;

use super::Leg;
use crate::json::Value;
use crate::spec::{Capability, Revision, Sides};

/// Something that the peer must offer for a scenario to test anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A capability that the peer declares.
    Capability(Capability),
    /// A tool of this name.
    Tool(&'static str),
    /// A resource of this URI.
    Resource(&'static str),
    /// A prompt of this name.
    Prompt(&'static str),
}

impl Need {
    /// Why the inventory does not meet the need at that revision; `None` if it does, or if the peer was not asked.
    #[must_use]
    pub fn unmet(&self, inventory: &Inventory, revision: Revision) -> Option<String> {
        match self {
            // The revision has no way to declare it, so the peer may still offer it.
            Self::Capability(capability) if !capability.revisions().contains(revision) => None,
            Self::Capability(capability) => {
                // `?`: a peer that was not asked may declare it.
                let declared = inventory.capabilities.as_ref()?;
                (!capability.declared_in(declared))
                    .then(|| format!("the {} does not declare {self}", declarer(*capability)))
            }
            Self::Tool(name) => inventory.tools.lacks(name, self),
            Self::Resource(uri) => inventory.resources.lacks(uri, self),
            Self::Prompt(name) => inventory.prompts.lacks(name, self),
        }
    }
}

impl Need {
    /// Whether the peer was asked for it, and its answer does not say whether it offers it.
    #[must_use]
    pub fn is_unknown(&self, inventory: &Inventory) -> bool {
        let listing = match self {
            Self::Capability(_) => return false,
            Self::Tool(_) => &inventory.tools,
            Self::Resource(_) => &inventory.resources,
            Self::Prompt(_) => &inventory.prompts,
        };
        matches!(listing, Listing::Failed(_))
    }
}

/// Who declares it in a scenario that needs it.
fn declarer(capability: Capability) -> Leg {
    match capability.sides() {
        Sides::Client => Leg::Client,
        // No scenario for clients needs a capability that both sides declare.
        Sides::Server | Sides::Both => Leg::Server,
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capability(capability) => write!(f, "the capability `{capability}`"),
            Self::Tool(name) => write!(f, "the tool `{name}`"),
            Self::Resource(uri) => write!(f, "the resource `{uri}`"),
            Self::Prompt(name) => write!(f, "the prompt `{name}`"),
        }
    }
}

/// What a peer offers, as asked before the run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inventory {
    /// The capabilities object that it declares; `None` if it was not asked.
    pub capabilities: Option<Value>,
    /// The names of its tools.
    pub tools: Listing,
    /// The URIs of its resources.
    pub resources: Listing,
    /// The names of its prompts.
    pub prompts: Listing,
}

impl Inventory {
    /// Whether a list was refused, or not answered.
    pub(crate) fn has_failed(&self) -> bool {
        [&self.tools, &self.resources, &self.prompts]
            .into_iter()
            .any(|listing| matches!(listing, Listing::Failed(_)))
    }
}

/// The answer of a peer that was asked to list its tools, resources or prompts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Listing {
    /// It was not asked.
    #[default]
    Unknown,
    /// It does not declare the capability, so there was nothing to ask.
    Undeclared(Capability),
    /// The list was refused, or the answer was not a list: what was wrong.
    Failed(String),
    /// The names or URIs.
    Listed(Vec<String>),
}

impl Listing {
    /// Why `wanted` is not offered; `None` if it is, or if the peer was not asked.
    fn lacks(&self, wanted: &str, need: &Need) -> Option<String> {
        let reason = match self {
            Self::Unknown => return None,
            Self::Listed(listed) if listed.iter().any(|name| name == wanted) => return None,
            Self::Undeclared(capability) => {
                format!("it does not declare the capability `{capability}`")
            }
            Self::Failed(why) => {
                return Some(format!("not known whether the server offers {need}: {why}"));
            }
            Self::Listed(listed) => match listed.len() {
                0 => "it lists none".to_owned(),
                1..=5 => format!(
                    "it lists {}",
                    listed.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                ),
                // A longer list would hide what is missing.
                more => format!("it lists {more} others"),
            },
        };
        Some(format!("the server does not offer {need}; {reason}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Inventory {
        Inventory {
            capabilities: Some(serde_json::json!({"tools": {}}).into()),
            tools: Listing::Listed(vec!["add".to_owned(), "sub".to_owned()]),
            resources: Listing::Listed(Vec::new()),
            prompts: Listing::Unknown,
        }
    }

    #[test]
    fn a_need_that_is_met_or_not_known_lets_the_scenario_run() {
        let unmet = |need: Need| need.unmet(&server(), Revision::V2024_11_05);
        assert_eq!(unmet(Need::Capability(Capability::Tools)), None);
        assert_eq!(unmet(Need::Capability(Capability::Completions)), None);
        assert_eq!(unmet(Need::Tool("sub")), None);
        assert_eq!(unmet(Need::Prompt("greet")), None);
    }

    #[test]
    fn an_unmet_need_names_what_is_offered_instead() {
        let reason = |need: Need| need.unmet(&server(), Revision::NEWEST).unwrap_or_default();
        insta::assert_snapshot!(reason(Need::Tool("mul")), @"the server does not offer the tool `mul`; it lists `add`, `sub`");
        insta::assert_snapshot!(reason(Need::Resource("a:b")), @"the server does not offer the resource `a:b`; it lists none");
        insta::assert_snapshot!(reason(Need::Capability(Capability::Prompts)), @"the server does not declare the capability `prompts`");
        insta::assert_snapshot!(reason(Need::Capability(Capability::Sampling)), @"the client does not declare the capability `sampling`");
    }

    #[test]
    fn a_list_that_was_refused_or_not_requested_meets_no_need() {
        let refused = Listing::Failed("`tools/list` was answered with error -32603".to_owned());
        let inventory = Inventory {
            tools: refused,
            prompts: Listing::Undeclared(Capability::Prompts),
            ..server()
        };
        let reason = |need: Need| need.unmet(&inventory, Revision::NEWEST).unwrap_or_default();
        insta::assert_snapshot!(reason(Need::Tool("add")), @"not known whether the server offers the tool `add`: `tools/list` was answered with error -32603");
        insta::assert_snapshot!(reason(Need::Prompt("greet")), @"the server does not offer the prompt `greet`; it does not declare the capability `prompts`");
    }
}
