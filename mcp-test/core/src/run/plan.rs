//! Plans: the scenario runs to run, by which rules, and how many at a time.
//!
//! A plan lists candidates. The pre-flight asks which revisions the target speaks, so that a run may drop some.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::{
    Baseline, Inapplicable, ScenarioRun, Selection, Shard, SignInStep, Tested, UsageError,
    former_ids,
};
use crate::client::Fixtures;
use crate::expect::words::closest;
use crate::scenario::{
    Need, PROMPT, Prerequisites, Profile, RequirementSet, Scenario, Shared, Suite, TestedSide,
    ToolCalls, Transports,
};
use crate::spec::schema::Schemas;
use crate::spec::{KnownViolations, Revision};
#[cfg(feature = "http")]
use crate::transport::Target;
use crate::transport::{Limits, TransportKind};

/// The scenarios to run against a target, and how.
#[derive(Clone)]
pub struct Plan {
    /// The server or client under test.
    pub target: Tested,
    /// The rules for the verdict.
    pub profile: Profile,
    /// The selected suite.
    pub suite: Option<Suite>,
    /// The selected set of scenarios, not all of which are scored.
    pub requirements: Option<&'static RequirementSet>,
    /// The candidates, in the order of the report.
    pub scenario_runs: Vec<ScenarioRun>,
    /// What was selected and does not apply.
    pub inapplicable: Vec<Inapplicable>,
    /// Whether revisions were selected: then one that the target does not speak is reported, not dropped.
    pub asked_revisions: bool,
    /// Whether each scenario runs at one revision, which depends on the target.
    pub one_revision: bool,
    /// Whether scenarios were selected by name: then the exit of a client counts also in profile `official`.
    pub single: bool,
    /// How many scenario runs are made at the same time.
    pub jobs: NonZeroUsize,
    /// Whether the run ends after the first failure that the baseline does not expect; what runs already is waited for.
    pub fail_fast: bool,
    /// How often a scenario run is run again that fails although the baseline does not expect it.
    pub retries: usize,
    /// The part of the scenario runs to run.
    pub shard: Option<Shard>,
    /// How long a scenario run may take, unless its scenario has a time-out.
    pub timeout: Duration,
    /// How long the reply to a `ping` may take until it counts as late.
    pub prompt: Duration,
    /// The size limits on what the target sends.
    pub limits: Limits,
    /// The tools that scenarios may call although they do not name them.
    pub calls: ToolCalls,
    /// What is requested instead of the fixtures of the official suite.
    pub fixtures: Fixtures,
    /// The schemas that messages are validated against.
    pub schemas: Schemas,
    /// The expected failures.
    pub baseline: Option<Baseline>,
    /// The requirements whose violations are expected.
    pub known: KnownViolations,
    /// Whether the run is regarded as one that shows all of these violations which still occur.
    pub judges_known: bool,
    /// Whether a known violation that no longer occurs fails the run.
    pub known_is_strict: bool,
    /// What the pre-flight does when the target demands authorization.
    pub sign_in: Option<SignInStep>,
    /// What the target needs, if it cannot be reached without.
    pub prerequisites: Option<Prerequisites>,
    /// The scenarios among which the selection was made.
    pub scenarios: Vec<Shared<Scenario>>,
    /// The selection.
    #[cfg_attr(
        not(feature = "http"),
        allow(dead_code, reason = "only HTTP has what to fall back to")
    )]
    selection: Selection,
}

/// How long a scenario run may take by default, as in the official suite.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

impl Plan {
    /// Plans a selection of these scenarios: one job, 30 seconds per scenario run, no baseline.
    ///
    /// # Errors
    ///
    /// If a scenario, or a transport of the target, does not exist, or nothing at all is selected.
    pub fn build(
        scenarios: impl IntoIterator<Item = impl Into<Shared<Scenario>>>,
        target: impl Into<Tested>,
        profile: Profile,
        selection: &Selection,
    ) -> Result<Self, UsageError> {
        let scenarios: Vec<Shared<Scenario>> = scenarios.into_iter().map(Into::into).collect();
        let target = target.into();
        let tested_side = target.tested_side();
        let transports = transports(&target, &selection.transports)?;
        let mut candidates = Candidates::default();
        let is_chosen = !selection.scenarios.is_empty() || !selection.pages.is_empty();
        for scenario in selected(&scenarios, tested_side, profile, selection)? {
            // Most servers are tested without tokens, which need not be reported.
            if scenario.needs.contains(&Need::Protection) && !target.is_protected() && !is_chosen {
                continue;
            }
            let wanted = match selection.requirements {
                Some(set) => vec![set.revision],
                None => revisions(profile, &scenario, &selection.revisions),
            };
            // What a client speaks is only known afterwards, so that this cannot wait for the pre-flight.
            let is_run = |it: &Revision| scenario.repeats.runs_at(*it, &wanted);
            let wanted = match tested_side {
                TestedSide::Client if selection.revisions.is_empty() => {
                    wanted.iter().copied().filter(is_run).collect()
                }
                // It speaks no revision, and somebody would have to consent at each.
                TestedSide::Authorization if selection.revisions.is_empty() => {
                    wanted.iter().copied().max().into_iter().collect()
                }
                _ => wanted,
            };
            candidates.add(&scenario, &wanted, &transports, (profile, selection));
        }
        let Candidates { scenario_runs, mut inapplicable } = candidates;
        let is_named = !selection.scenarios.is_empty();
        if !is_named {
            // A suite leaves out scenarios of other revisions without a word, as the official one does.
            inapplicable.retain(|it| it.transport.is_some());
        }
        // A named scenario that does not apply is reported, which is not an error.
        if scenario_runs.is_empty() && (!is_named || inapplicable.is_empty()) {
            return Err(UsageError::NothingSelected);
        }
        Ok(Self {
            suite: selection.suite,
            requirements: selection.requirements,
            inapplicable,
            asked_revisions: !selection.revisions.is_empty() || selection.requirements.is_some(),
            one_revision: selection.one_revision && selection.revisions.is_empty(),
            single: is_named,
            selection: selection.clone(),
            ..Self::for_scenario_runs(target, profile, scenario_runs, scenarios)
        })
    }

    /// Plans one scenario run, which must apply.
    pub(super) fn single(
        scenario_run: ScenarioRun,
        target: impl Into<Tested>,
        timeout: Duration,
        known: KnownViolations,
    ) -> Self {
        let scenarios = vec![scenario_run.scenario.clone()];
        let (tested, runs) = (target.into(), vec![scenario_run]);
        let plan = Self::for_scenario_runs(tested, Profile::Adaptive, runs, scenarios);
        // Its revision is settled, so it must not be dropped as one that the target may not speak.
        Self { asked_revisions: true, single: true, timeout, known, ..plan }
    }

    fn for_scenario_runs(
        target: Tested,
        profile: Profile,
        scenario_runs: Vec<ScenarioRun>,
        scenarios: Vec<Shared<Scenario>>,
    ) -> Self {
        Self {
            target,
            profile,
            suite: None,
            requirements: None,
            scenario_runs,
            inapplicable: Vec::new(),
            asked_revisions: false,
            one_revision: false,
            single: false,
            jobs: NonZeroUsize::MIN,
            fail_fast: false,
            retries: 0,
            shard: None,
            timeout: DEFAULT_TIMEOUT,
            prompt: PROMPT,
            limits: Limits::default(),
            calls: ToolCalls::default(),
            fixtures: Fixtures::new(),
            schemas: Schemas::default(),
            baseline: None,
            known: KnownViolations::default(),
            judges_known: false,
            known_is_strict: false,
            sign_in: None,
            prerequisites: None,
            scenarios,
            selection: Selection::default(),
        }
    }

    /// The same plan over HTTP+SSE of 2024-11-05, for a server that supports nothing else.
    ///
    /// `None` if transports were selected, or no selected scenario applies over it.
    #[cfg(feature = "http")]
    pub(super) fn over_sse(&self, target: &Target) -> Option<Self> {
        // Whoever selects transports wants to know that the server does not have them.
        if !self.selection.transports.is_empty() {
            return None;
        }
        let selection =
            Selection { transports: vec![TransportKind::Sse], ..self.selection.clone() };
        let (scenarios, over_sse) =
            (self.scenarios.iter().cloned(), target.clone().also_over_sse());
        let plan = Self::build(scenarios, over_sse, self.profile, &selection).ok()?;
        let Self { target, scenario_runs, inapplicable, .. } = plan;
        let over_sse = Self { target, scenario_runs, inapplicable, selection, ..self.clone() };
        (!over_sse.scenario_runs.is_empty()).then_some(over_sse)
    }

    /// What of the plan can be run on a protected server that accepts no token of ours: what is about its refusals.
    ///
    /// `None` if there is nothing.
    #[cfg(feature = "auth")]
    pub(super) fn without_credentials(&self) -> Option<Self> {
        let is_about_tokens =
            |scenario_run: &&ScenarioRun| scenario_run.scenario.needs.contains(&Need::Protection);
        let scenario_runs: Vec<ScenarioRun> =
            self.scenario_runs.iter().filter(is_about_tokens).cloned().collect();
        // The server does not say which revisions it speaks.
        let one_revision = !self.asked_revisions;
        let is_possible = self.target.is_protected() && !scenario_runs.is_empty();
        is_possible.then(|| Self { scenario_runs, one_revision, ..self.clone() })
    }

    /// Runs up to `jobs` scenario runs at the same time.
    #[must_use]
    pub fn jobs(mut self, jobs: NonZeroUsize) -> Self {
        self.jobs = jobs;
        self
    }

    /// Ends the run after the first failure that the baseline does not expect.
    #[must_use]
    pub fn fail_fast(mut self, fail_fast: bool) -> Self {
        self.fail_fast = fail_fast;
        self
    }

    /// Runs a scenario run that fails up to this many times again; one that fails and then does not is flaky, which is a failure.
    #[must_use]
    pub fn retries(mut self, retries: usize) -> Self {
        self.retries = retries;
        self
    }

    /// Runs only a part of the scenario runs.
    #[must_use]
    pub fn shard(mut self, shard: Option<Shard>) -> Self {
        self.shard = shard;
        self
    }

    /// Sets how long a scenario run may take, unless its scenario has a time-out; [`Duration::MAX`] overrides also those.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long a scenario run of this scenario may take.
    pub(super) fn timeout_of(&self, scenario: &Scenario) -> Duration {
        scenario.timeout.filter(|_| self.timeout < Duration::MAX).unwrap_or(self.timeout)
    }

    /// Sets the size limits on what the target sends.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the tools that scenarios may call although they do not name them.
    #[must_use]
    pub fn calls(mut self, calls: ToolCalls) -> Self {
        self.calls = calls;
        self
    }

    /// Sets what is requested instead of the fixtures of the official suite.
    #[must_use]
    pub fn fixtures(mut self, fixtures: Fixtures) -> Self {
        self.fixtures = fixtures;
        self
    }

    /// Sets the schemas that messages are validated against.
    #[must_use]
    pub fn schemas(mut self, schemas: Schemas) -> Self {
        self.schemas = schemas;
        self
    }

    /// Sets what the pre-flight starts if it cannot reach the target.
    #[must_use]
    pub fn prerequisites(mut self, prerequisites: Option<Prerequisites>) -> Self {
        self.prerequisites = prerequisites;
        self
    }

    /// Sets what the pre-flight does when the target demands authorization.
    #[must_use]
    pub fn sign_in(mut self, sign_in: Option<SignInStep>) -> Self {
        self.sign_in = sign_in;
        self
    }

    /// Sets the requirements whose violations are expected; they have no effect in profile `official`, which knows only baselines.
    #[must_use]
    pub fn known(mut self, known: KnownViolations) -> Self {
        self.known = known;
        self
    }

    /// Reports known violations that no longer occur, and fails the run for them if `strict`; only for a plan that leaves nothing out.
    #[must_use]
    pub fn judge_known(mut self, strict: bool) -> Self {
        (self.judges_known, self.known_is_strict) = (true, strict);
        self
    }

    /// Sets the expected failures.
    #[must_use]
    pub fn baseline(mut self, baseline: Baseline) -> Self {
        self.baseline = Some(baseline);
        self
    }
}

/// The scenario runs of a selection, and what of it does not apply.
#[derive(Default)]
struct Candidates {
    scenario_runs: Vec<ScenarioRun>,
    inapplicable: Vec<Inapplicable>,
}

impl Candidates {
    /// Adds a scenario at the wanted revisions, over those of the transports over which it applies.
    fn add(
        &mut self,
        scenario: &Shared<Scenario>,
        wanted: &[Revision],
        transports: &[TransportKind],
        (profile, selection): (Profile, &Selection),
    ) {
        let over: Vec<TransportKind> =
            transports.iter().copied().filter(|it| scenario.transports.contains(*it)).collect();
        if over.is_empty() {
            // Once, not for each revision: the transport is the reason at all of them.
            let asked = wanted.last().zip(transports.first());
            self.inapplicable.extend(asked.map(|(&revision, &transport)| Inapplicable {
                scenario: scenario.clone(),
                revision,
                transport: Some(transport),
            }));
            return;
        }
        let described = wanted.iter().any(|&revision| {
            let at = |transport: &TransportKind| transport.exists_at(revision);
            scenario.revisions.contains(revision) && over.iter().any(at)
        });
        // Officially an extension belongs to no revision, so that asking for one excludes it.
        let is_off_timeline = profile == Profile::Official
            && !selection.revisions.is_empty()
            && scenario.official.is_some_and(|official| official.is_extension());
        // A scenario of a single revision is tried there, even if that revision does not have the transport.
        let is_forced = selection.force || selection.requirements.is_some();
        let tries_all = !selection.revisions.is_empty() || (selection.one_revision && !described);
        // A client gets a URL also where its scenario serves HTTP+SSE there.
        let is_named = scenario.tested_side == TestedSide::Client
            && matches!(scenario.transports, Transports::Only(_));
        for &revision in wanted {
            let scenario = scenario.clone();
            if (scenario.revisions.contains(revision) && !is_off_timeline) || is_forced {
                let exists = |it: &&TransportKind| tries_all || is_named || it.exists_at(revision);
                self.scenario_runs.extend(over.iter().filter(exists).map(|&transport| {
                    ScenarioRun { scenario: scenario.clone(), revision, transport }
                }));
            } else {
                self.inapplicable.push(Inapplicable { scenario, revision, transport: None });
            }
        }
    }
}

/// The selected scenarios of a tested side, in official order.
fn selected(
    scenarios: &[Shared<Scenario>],
    tested_side: TestedSide,
    profile: Profile,
    selection: &Selection,
) -> Result<Vec<Shared<Scenario>>, UsageError> {
    let known = || scenarios.iter().filter(move |scenario| scenario.tested_side == tested_side);
    if let Some(suite) = selection.suite.filter(|suite| !Suite::of(tested_side).contains(suite)) {
        return Err(UsageError::NoSuchSuite { suite, tested_side });
    }
    // Before anything is left out: a typo must not go unnoticed because other ids exist.
    for id in &selection.scenarios {
        if !known().any(|scenario| scenario.id == *id) {
            if let Some(other) = scenarios.iter().find(|scenario| scenario.id == *id) {
                return Err(UsageError::OfOtherSide {
                    id: id.clone(),
                    tested_side,
                    tests: other.tested_side,
                });
            }
            if let Some(now) = former_ids::now_called(id) {
                return Err(UsageError::Renamed { id: id.clone(), now });
            }
            let suggestion = closest(id, known().map(|scenario| &*scenario.id)).map(str::to_owned);
            return Err(UsageError::UnknownScenario { id: id.clone(), suggestion });
        }
    }
    for page in &selection.pages {
        if !known().any(|scenario| scenario.pages().any(|known| known == page)) {
            return Err(UsageError::unknown_page(page, known().flat_map(|it| it.pages())));
        }
    }
    if let Some(set) = selection.requirements {
        let ids = set.unscored().filter(|(of, ..)| *of == tested_side).map(|(_, _, id)| id);
        let ids: Vec<&'static str> = set.scored(tested_side).iter().copied().chain(ids).collect();
        let find = |id: &&'static str| known().find(|it| it.id == **id).cloned();
        let missing: Vec<_> = ids.iter().copied().filter(|id| find(id).is_none()).collect();
        if !missing.is_empty() {
            let revision = set.revision;
            return Err(UsageError::IncompleteSet {
                revision,
                tested_side,
                missing,
                of: ids.len(),
            });
        }
        // The unscored ones last, as in the official suite.
        return Ok(ids.iter().filter_map(find).collect());
    }
    let is_of_pages = |scenario: &Scenario| {
        let pages = &selection.pages;
        pages.is_empty() || scenario.pages().any(|page| pages.iter().any(|wanted| wanted == page))
    };
    let suite = selection.suite.unwrap_or(match profile {
        Profile::Official if tested_side != TestedSide::Authorization => Suite::Active,
        _ => Suite::All,
    });
    Ok(known()
        .filter(|scenario| {
            if selection.scenarios.is_empty() {
                // Who replaces the official command gets its scenarios, and no others.
                suite.selects(scenario)
                    && is_of_pages(scenario)
                    && (profile != Profile::Official || scenario.official.is_some())
            } else {
                selection.scenarios.iter().any(|id| *id == scenario.id)
            }
        })
        .cloned()
        .collect())
}

/// The selected revisions of a scenario, whether or not it exists there.
fn revisions(profile: Profile, scenario: &Scenario, asked: &[Revision]) -> Vec<Revision> {
    if !asked.is_empty() {
        // Each once, oldest first, as without a selection.
        let mut asked = asked.to_vec();
        asked.sort_unstable();
        asked.dedup();
        return asked;
    }
    match (profile, scenario.official) {
        // Without `--spec-version` the official suite runs each scenario once.
        (Profile::Official, Some(official)) => {
            vec![official.default_revision(scenario.tested_side)]
        }
        _ => scenario.revisions.iter().collect(),
    }
}

fn transports(target: &Tested, asked: &[TransportKind]) -> Result<Vec<TransportKind>, UsageError> {
    let has = target.transports();
    if let Some(&transport) = asked.iter().find(|transport| !has.contains(transport)) {
        return Err(UsageError::NoSuchTransport { transport, has });
    }
    // In the order of the target, whose first transport is the preferred one.
    Ok(if asked.is_empty() { has } else { has.into_iter().filter(|c| asked.contains(c)).collect() })
}
