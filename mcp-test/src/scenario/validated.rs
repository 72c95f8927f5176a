//! Where the official suite validates messages against the schema, and by what they are judged here.

use super::{Leg, Profile, Scenario};
use crate::spec::schema::Authority;

/// The official scenarios for servers whose messages are not validated there.
const NOT_VALIDATED: [&str; 6] = [
    "dns-rebinding-protection",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-sse-polling",
    "server-stateless",
    "tasks-status-notifications",
];

/// The official scenarios for clients whose messages are validated there.
const VALIDATED_OF_CLIENTS: [&str; 2] = ["json-schema-2020-12-preservation", "tools_call"];

impl Scenario {
    /// Whether the official suite validates the messages of this scenario.
    #[must_use]
    pub fn is_validated_officially(&self) -> bool {
        let is_validated = match self.leg {
            Leg::Server => !NOT_VALIDATED.contains(&self.id),
            Leg::Client => VALIDATED_OF_CLIENTS.contains(&self.id),
        };
        self.official.is_some() && is_validated
    }
}

impl Profile {
    /// Whom to believe about the messages of a scenario where the official schema and the specification's text disagree.
    #[must_use]
    pub fn authority(self, scenario: Option<&Scenario>) -> Authority {
        match (self, scenario) {
            (Self::Official, Some(scenario)) if scenario.is_validated_officially() => {
                Authority::Schema
            }
            _ => Authority::Text,
        }
    }
}
