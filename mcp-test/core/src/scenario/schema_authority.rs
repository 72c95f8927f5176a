//! Which scenarios the official suite validates against the schema, and what messages are validated against here.

use super::{Declared, Profile, TestedSide};
use crate::spec::schema::Authority;

/// The official scenarios for servers whose messages the official suite does not validate.
///
/// Their raw requests do not pass the recorder of the official suite.
const NOT_VALIDATED: [&str; 6] = [
    "dns-rebinding-protection",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-sse-polling",
    "server-stateless",
    "tasks-status-notifications",
];

/// The official scenarios for clients whose messages the official suite validates; most of its mock servers do not record them.
const VALIDATED_OF_CLIENTS: [&str; 2] = ["json-schema-2020-12-preservation", "tools_call"];

impl Declared {
    /// Whether the official suite validates the messages of this scenario against the schema.
    #[must_use]
    pub(super) fn is_validated_officially(&self) -> bool {
        let is_validated = match self.tested_side {
            TestedSide::Server => !NOT_VALIDATED.contains(&&*self.id),
            TestedSide::Client => VALIDATED_OF_CLIENTS.contains(&&*self.id),
            // They exchange no messages of MCP.
            TestedSide::Authorization => false,
        };
        self.official.is_some() && is_validated
    }
}

impl Profile {
    /// What decides about the messages of a scenario where the official schema and the text of the specification differ.
    #[must_use]
    pub fn authority(self, scenario: Option<&Declared>) -> Authority {
        match (self, scenario) {
            (Self::Official, Some(scenario)) if scenario.is_validated_officially() => {
                Authority::Schema
            }
            _ => Authority::Text,
        }
    }
}
