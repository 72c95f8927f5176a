//! What will be run: which cells, by whose rules, how many at a time.
//!
//! A plan lists candidates; which revisions the target speaks is learnt in the pre-flight, so a run may drop some.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::{Baseline, Cell, Tested, UsageError};
use crate::expect::words::closest;
use crate::scenario::{Leg, Profile, Scenario, Suite, Surroundings};
use crate::scenarios;
use crate::spec::schema::Schemas;
use crate::spec::{Revision, Revisions};
#[cfg(feature = "http")]
use crate::transport::Target;
use crate::transport::{CarrierKind, Limits};

/// Which scenarios are wanted, where. Empty lists mean "by the rules of the profile".
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Scenario ids; they win over `suite`.
    pub scenarios: Vec<String>,
    /// A suite.
    pub suite: Option<Suite>,
    /// Revisions. One that is named is tried over every carrier, also where it does not describe it.
    pub revisions: Vec<Revision>,
    /// Carriers, out of those of the target.
    pub carriers: Vec<CarrierKind>,
    /// Runs a scenario that was named although it does not exist at the revision.
    pub force: bool,
    /// Of the revisions at which a scenario exists, one is enough, unless some are named: the newest of the handshake era
    /// that the target speaks, or else the newest that it speaks.
    pub one_revision: bool,
}

/// A scenario that was asked for where it has nothing to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inapplicable {
    /// The scenario.
    pub scenario: &'static Scenario,
    /// The revision that was asked for.
    pub revision: Revision,
    /// The carrier of the target that does not have what the scenario is about; `None` if it is the revision that has
    /// not.
    pub carrier: Option<CarrierKind>,
}

impl Inapplicable {
    /// Where the scenario exists, officially if the official suite knows it.
    #[must_use]
    pub fn window(&self) -> Revisions {
        self.scenario.official.map_or(self.scenario.revisions, |official| official.revisions)
    }
}

/// What will be run against a target, and how.
#[derive(Clone)]
#[non_exhaustive]
pub struct Plan {
    /// What is tested.
    pub target: Tested,
    /// By whose rules.
    pub profile: Profile,
    /// The suite that was asked for.
    pub suite: Option<Suite>,
    /// The candidates, in the order in which outcomes come.
    pub cells: Vec<Cell>,
    /// What was asked for and cannot be.
    pub inapplicable: Vec<Inapplicable>,
    /// Whether the revisions were asked for: then one that the target does not speak is reported, not dropped.
    pub asked_revisions: bool,
    /// Whether the target decides which one of the revisions of a scenario is played.
    pub one_revision: bool,
    /// Whether a scenario was asked for by name: then it counts how a client leaves it, also officially.
    pub single: bool,
    /// How many cells are played at the same time.
    pub jobs: NonZeroUsize,
    /// How long one cell may take, if its scenario does not say that itself.
    pub timeout: Duration,
    /// The limits of size on what the target sends.
    pub limits: Limits,
    /// What the shapes of messages are judged by.
    pub schemas: Schemas,
    /// The failures that are expected.
    pub baseline: Option<Baseline>,
    /// What has to be around the target, where it cannot be reached without.
    pub surroundings: Option<Surroundings>,
    /// The scenarios that there were to choose from.
    pub scenarios: Vec<&'static Scenario>,
    /// What it was built from.
    #[cfg_attr(
        not(feature = "http"),
        allow(dead_code, reason = "only HTTP has what to fall back to")
    )]
    selection: Selection,
}

/// How long one cell may take, as officially.
const TIMEOUT: Duration = Duration::from_secs(30);

impl Plan {
    /// The plan that follows from a selection of the built-in scenarios: one job, 30 seconds per cell, no baseline.
    ///
    /// # Errors
    ///
    /// If a scenario, or a carrier of the target, does not exist, or nothing at all is selected.
    pub fn build(
        target: impl Into<Tested>,
        profile: Profile,
        selection: &Selection,
    ) -> Result<Self, UsageError> {
        Self::build_from(scenarios::all(), target, profile, selection)
    }

    /// The plan that follows from a selection of these scenarios, as [`Plan::build`] makes it of the built-in ones.
    ///
    /// # Errors
    ///
    /// As for [`Plan::build`].
    pub fn build_from(
        scenarios: impl IntoIterator<Item = &'static Scenario>,
        target: impl Into<Tested>,
        profile: Profile,
        selection: &Selection,
    ) -> Result<Self, UsageError> {
        let scenarios: Vec<&'static Scenario> = scenarios.into_iter().collect();
        let target = target.into();
        let leg = target.leg();
        let carriers = carriers(&target, &selection.carriers)?;
        let mut cells = Vec::new();
        let mut inapplicable = Vec::new();
        for scenario in chosen(&scenarios, leg, profile, selection)? {
            let wanted = revisions(profile, scenario, &selection.revisions);
            let over: Vec<CarrierKind> =
                carriers.iter().copied().filter(|it| scenario.carriers.contains(*it)).collect();
            if over.is_empty() {
                let asked = wanted.last().zip(carriers.first());
                inapplicable.extend(asked.map(|(&revision, &carrier)| Inapplicable {
                    scenario,
                    revision,
                    carrier: Some(carrier),
                }));
                continue;
            }
            let one = selection.one_revision;
            let described = wanted.iter().any(|&revision| {
                let at = |carrier: &CarrierKind| carrier.exists_at(revision);
                scenario.revisions.contains(revision) && over.iter().any(at)
            });
            for revision in wanted {
                if scenario.revisions.contains(revision) || selection.force {
                    // What holds at one revision only is tried there, even if the transport is not of that revision.
                    let asked = !selection.revisions.is_empty() || (one && !described);
                    let exists = |carrier: &&CarrierKind| asked || carrier.exists_at(revision);
                    cells.extend(over.iter().filter(exists).map(|&carrier| Cell {
                        scenario,
                        revision,
                        carrier,
                    }));
                } else {
                    inapplicable.push(Inapplicable { scenario, revision, carrier: None });
                }
            }
        }
        let is_named = !selection.scenarios.is_empty();
        if !is_named {
            inapplicable.retain(|it| it.carrier.is_some());
        }
        if cells.is_empty() && (!is_named || inapplicable.is_empty()) {
            return Err(UsageError::NothingSelected);
        }
        Ok(Self {
            target,
            profile,
            suite: selection.suite,
            cells,
            inapplicable,
            asked_revisions: !selection.revisions.is_empty(),
            one_revision: selection.one_revision && selection.revisions.is_empty(),
            single: !selection.scenarios.is_empty(),
            jobs: NonZeroUsize::MIN,
            timeout: TIMEOUT,
            limits: Limits::default(),
            schemas: Schemas::default(),
            baseline: None,
            surroundings: None,
            scenarios,
            selection: selection.clone(),
        })
    }

    /// The same plan over the HTTP+SSE of 2024-11-05, for a server that turned out to speak nothing else.
    ///
    /// `None` if the carriers were asked for, or nothing that was selected exists over it.
    #[cfg(feature = "http")]
    pub(super) fn over_sse(&self, target: &Target) -> Option<Self> {
        if !self.selection.carriers.is_empty() {
            return None;
        }
        let selection = Selection { carriers: vec![CarrierKind::Sse], ..self.selection.clone() };
        let (scenarios, over_sse) =
            (self.scenarios.iter().copied(), target.clone().also_over_sse());
        let plan = Self::build_from(scenarios, over_sse, self.profile, &selection).ok()?;
        let (jobs, timeout, limits) = (self.jobs, self.timeout, self.limits);
        let (schemas, baseline) = (self.schemas.clone(), self.baseline.clone());
        let over_sse = Self { jobs, timeout, limits, schemas, baseline, ..plan };
        (!over_sse.cells.is_empty()).then_some(over_sse)
    }

    /// Plays up to `jobs` cells at the same time.
    #[must_use]
    pub fn jobs(mut self, jobs: NonZeroUsize) -> Self {
        self.jobs = jobs;
        self
    }

    /// Sets how long one cell may take whose scenario does not say that itself; [`Duration::MAX`] stands above what any says.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long one cell of a scenario may take.
    pub(super) fn timeout_of(&self, scenario: &Scenario) -> Duration {
        scenario.timeout.filter(|_| self.timeout < Duration::MAX).unwrap_or(self.timeout)
    }

    /// Sets the limits of size on what the target sends.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets what the shapes of messages are judged by.
    #[must_use]
    pub fn schemas(mut self, schemas: Schemas) -> Self {
        self.schemas = schemas;
        self
    }

    /// Sets what the pre-flight brings up around a target that it cannot reach.
    #[must_use]
    pub fn surroundings(mut self, surroundings: Option<Surroundings>) -> Self {
        self.surroundings = surroundings;
        self
    }

    /// Sets the failures that are expected.
    #[must_use]
    pub fn baseline(mut self, baseline: Baseline) -> Self {
        self.baseline = Some(baseline);
        self
    }
}

/// The scenarios of a leg that are selected, in official order.
fn chosen(
    scenarios: &[&'static Scenario],
    leg: Leg,
    profile: Profile,
    selection: &Selection,
) -> Result<Vec<&'static Scenario>, UsageError> {
    let known = || scenarios.iter().copied().filter(move |scenario| scenario.leg == leg);
    if let Some(suite) = selection.suite.filter(|suite| !Suite::of(leg).contains(suite)) {
        return Err(UsageError::NoSuchSuite { suite, leg });
    }
    for id in &selection.scenarios {
        if !known().any(|scenario| scenario.id == id) {
            if scenarios.iter().any(|scenario| scenario.id == id) {
                return Err(UsageError::OfOtherSide { id: id.clone(), leg });
            }
            let suggestion = closest(id, known().map(|scenario| scenario.id)).map(str::to_owned);
            return Err(UsageError::UnknownScenario { id: id.clone(), suggestion });
        }
    }
    let suite = selection.suite.unwrap_or(match profile {
        Profile::Official => Suite::Active,
        Profile::Adaptive | Profile::Strict => Suite::All,
    });
    Ok(known()
        .filter(|scenario| {
            if selection.scenarios.is_empty() {
                suite.selects(scenario)
            } else {
                selection.scenarios.iter().any(|id| id == scenario.id)
            }
        })
        .collect())
}

/// The revisions at which a scenario is wanted, whether or not it exists there.
fn revisions(profile: Profile, scenario: &Scenario, asked: &[Revision]) -> Vec<Revision> {
    if !asked.is_empty() {
        let mut asked = asked.to_vec();
        asked.sort_unstable();
        asked.dedup();
        return asked;
    }
    match (profile, scenario.official) {
        (Profile::Official, Some(official)) => vec![official.default_revision()],
        _ => scenario.revisions.iter().collect(),
    }
}

fn carriers(target: &Tested, asked: &[CarrierKind]) -> Result<Vec<CarrierKind>, UsageError> {
    let has = target.carriers();
    if let Some(&carrier) = asked.iter().find(|carrier| !has.contains(carrier)) {
        return Err(UsageError::NoSuchCarrier { carrier, has });
    }
    Ok(if asked.is_empty() { has } else { has.into_iter().filter(|c| asked.contains(c)).collect() })
}
