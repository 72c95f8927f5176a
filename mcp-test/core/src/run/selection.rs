//! Which scenarios are selected, at which revisions and over which transports; and what of that does not apply.

use crate::scenario::{RequirementSet, Scenario, Shared, Suite};
use crate::spec::{Revision, Revisions};
use crate::transport::TransportKind;

/// The selected scenarios, revisions and transports. The profile decides for empty lists.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Scenario ids, which override `suite`.
    pub scenarios: Vec<String>,
    /// A suite.
    pub suite: Option<Suite>,
    /// A frozen set of scenarios, which are run at its revision whether or not they exist there.
    pub requirements: Option<&'static RequirementSet>,
    /// Pages of the specification, as [`Scenario::pages`] names them.
    pub pages: Vec<String>,
    /// Revisions. They are tried over every transport, even one that the revision does not have.
    pub revisions: Vec<Revision>,
    /// Transports of the target.
    pub transports: Vec<TransportKind>,
    /// Runs scenarios also at revisions at which they do not exist.
    pub force: bool,
    /// Runs each scenario at one revision, unless `revisions` names some: the newest of the handshake era that the target speaks,
    /// or else the newest that it speaks.
    pub one_revision: bool,
}

/// A selected scenario that does not apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inapplicable {
    /// The scenario.
    pub scenario: Shared<Scenario>,
    /// The selected revision.
    pub revision: Revision,
    /// The transport of the target over which it does not apply; `None` if the revision is the reason.
    pub transport: Option<TransportKind>,
}

impl Inapplicable {
    /// The revisions at which the scenario exists; for an official scenario, those of the official suite.
    #[must_use]
    pub fn window(&self) -> Revisions {
        self.scenario.official.map_or(self.scenario.revisions, |official| official.revisions)
    }
}
