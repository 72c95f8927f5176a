//! A scenario run: one scenario at one revision over one transport.

use std::fmt;

use crate::scenario::{Scenario, Shared};
use crate::spec::Revision;
use crate::transport::TransportKind;

/// One scenario at one revision over one transport: the unit of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioRun {
    /// The scenario.
    pub scenario: Shared<Scenario>,
    /// The revision of the messages.
    pub revision: Revision,
    /// The transport of the messages.
    pub transport: TransportKind,
}

impl fmt::Display for ScenarioRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}::{}", self.scenario.id, self.revision, self.transport)
    }
}
