//! What is known about the target before a scenario run is run, and whether the scenario applies to it.

use crate::client::{Fixtures, ReplyHistory};
use crate::json::Value;
use crate::run::ScenarioRun;
use crate::run::connection_pool::ConnectionPool;
use crate::run::silence::LivenessQuestion;
use crate::scenario::{Inventory, Need};
use crate::spec::Revision;

/// The results of the pre-flight for one scenario run.
#[derive(Clone, Default)]
pub struct ScenarioRunFacts<'a> {
    /// What the peer offers.
    #[doc(hidden)]
    pub inventory: Inventory,
    /// What it declares in the stateless era.
    #[doc(hidden)]
    pub discovered: Option<Value>,
    /// What is known about its replies.
    #[doc(hidden)]
    pub history: ReplyHistory,
    /// The revisions that the peer has spoken over the transport.
    #[doc(hidden)]
    pub spoken: Vec<Revision>,
    /// That the peer does not speak the revision, and what it speaks.
    #[doc(hidden)]
    pub unsupported: Option<String>,
    /// How to ask the peer after a silence whether it still answers; `None` if nothing depends on it.
    #[doc(hidden)]
    pub liveness: Option<LivenessQuestion>,
    /// The connections of the run; `None` for a run of one scenario run.
    #[doc(hidden)]
    pub pool: Option<&'a ConnectionPool>,
}

impl ScenarioRunFacts<'_> {
    /// Why the scenario does not apply to the peer.
    pub(in crate::run) fn unmet(
        &self,
        scenario_run: &ScenarioRun,
        fixtures: &Fixtures,
    ) -> Option<Unmet> {
        if let Some(reason) = self.unsupported.clone().filter(|_| !scenario_run.scenario.opens) {
            return Some(Unmet { reason, need: None });
        }
        scenario_run.scenario.needs.iter().find_map(|need| {
            let reason = need.unmet(&self.inventory, fixtures, scenario_run.revision)?;
            // After a list that was refused, the need may be met.
            let need = Some(*need).filter(|need| !need.is_unknown(&self.inventory));
            Some(Unmet { reason, need })
        })
    }
}

/// Why a scenario does not apply to a peer.
pub(in crate::run) struct Unmet {
    pub(in crate::run) reason: String,
    /// What the peer does not offer, if that is the reason.
    pub(in crate::run) need: Option<Need>,
}
