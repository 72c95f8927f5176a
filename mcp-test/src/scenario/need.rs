//! What a scenario needs the peer to offer, and what the peer was seen to offer.
//!
//! What follows from an unmet need is the profile's business, not decided here.

use std::fmt;

use crate::json::Value;
use crate::spec::{Capability, Revision};

/// Something that the peer must offer for a scenario to say anything about it.
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
    /// Why the inventory does not meet the need at that revision; `None` if it does, or if that is not known.
    ///
    /// A list that the peer could not give leaves the question open: then the scenario runs, and finds out.
    #[must_use]
    pub fn unmet(&self, inventory: &Inventory, revision: Revision) -> Option<String> {
        match self {
            // What cannot be declared yet may be there all the same.
            Self::Capability(capability) if !capability.revisions().contains(revision) => None,
            Self::Capability(capability) => {
                let declared = inventory.capabilities.as_ref()?;
                (!capability.declared_in(declared))
                    .then(|| format!("the server does not declare {self}"))
            }
            Self::Tool(name) => missing(inventory.tools.as_deref()?, name, self),
            Self::Resource(uri) => missing(inventory.resources.as_deref()?, uri, self),
            Self::Prompt(name) => missing(inventory.prompts.as_deref()?, name, self),
        }
    }
}

fn missing(listed: &[String], wanted: &str, need: &Need) -> Option<String> {
    if listed.iter().any(|name| name == wanted) {
        return None;
    }
    let offered = match listed.len() {
        0 => "it lists none".to_owned(),
        1..=5 => format!(
            "it lists {}",
            listed.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ),
        more => format!("it lists {more} others"),
    };
    Some(format!("the server does not offer {need}; {offered}"))
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

/// What a peer was seen to offer before the run; `None` where that could not be learnt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inventory {
    /// The capabilities object that it declares.
    pub capabilities: Option<Value>,
    /// The names of its tools.
    pub tools: Option<Vec<String>>,
    /// The URIs of its resources.
    pub resources: Option<Vec<String>>,
    /// The names of its prompts.
    pub prompts: Option<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Inventory {
        Inventory {
            capabilities: Some(serde_json::json!({"tools": {}}).into()),
            tools: Some(vec!["add".to_owned(), "sub".to_owned()]),
            resources: Some(Vec::new()),
            prompts: None,
        }
    }

    #[test]
    fn a_met_need_and_an_open_question_let_the_scenario_run() {
        let unmet = |need: Need| need.unmet(&server(), Revision::V2024_11_05);
        assert_eq!(unmet(Need::Capability(Capability::Tools)), None);
        assert_eq!(unmet(Need::Capability(Capability::Completions)), None);
        assert_eq!(unmet(Need::Tool("sub")), None);
        assert_eq!(unmet(Need::Prompt("greet")), None);
    }

    #[test]
    fn an_unmet_need_says_what_is_there_instead() {
        let say = |need: Need| need.unmet(&server(), Revision::NEWEST).unwrap_or_default();
        insta::assert_snapshot!(say(Need::Tool("mul")), @"the server does not offer the tool `mul`; it lists `add`, `sub`");
        insta::assert_snapshot!(say(Need::Resource("a:b")), @"the server does not offer the resource `a:b`; it lists none");
        insta::assert_snapshot!(say(Need::Capability(Capability::Prompts)), @"the server does not declare the capability `prompts`");
    }
}
