//! A cell: one scenario at one revision over one carrier.

use std::fmt;

use crate::scenario::Scenario;
use crate::spec::Revision;
use crate::transport::CarrierKind;

/// One scenario at one revision over one carrier: the unit of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// What is played.
    pub scenario: &'static Scenario,
    /// The revision that is spoken.
    pub revision: Revision,
    /// How the messages travel.
    pub carrier: CarrierKind,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}::{}", self.scenario.id, self.revision, self.carrier)
    }
}
