//! The pre-flight: can the target be reached, which revisions does it speak, and what does it offer?
//!
//! Asked once before the run, instead of by every scenario.

mod transport_probe;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use self::transport_probe::TransportProbe;
#[cfg(feature = "http")]
use super::Tested;
use super::connection_pool::ConnectionPool;
use super::event::{CalledByRun, Preflight};
use super::execution::ScenarioRunFacts;
use super::inventory::InventoryRequest;
use super::silence::{LivenessQuestion, stopped_answering};
use super::{Plan, ScenarioRun};
#[cfg(feature = "auth")]
use crate::check::Cause;
use crate::check::Finding;
use crate::client::{ProbeResult, ReplyHistory, ServerFacts};
#[cfg(feature = "http")]
use crate::clock::Deadline;
use crate::expect::words;
use crate::json::Value;
use crate::scenario::{Inventory, Items, Listing, Need, Profile};
use crate::spec::{Era, ItemKind, Revision};
#[cfg(feature = "http")]
use crate::trace::Recorder;
use crate::transport::{PreparedTarget, Target, TransportKind};

/// How much longer than its first answer the target may take for the others, for each of which it may have to start again, and so
/// many times as long as the first, for machines that are busy meanwhile.
const GRACE: Duration = Duration::from_secs(10);
const TIMES_FIRST: u32 = 8;

/// Why the target cannot be tested.
pub(super) struct PreflightFailure {
    pub(super) finding: Finding,
    /// The revision that was tried.
    pub(super) tried: Option<Revision>,
    /// Whether it refused a POST, as servers do that support only the older HTTP+SSE.
    #[cfg_attr(
        not(feature = "http"),
        allow(dead_code, reason = "only HTTP has what to fall back to")
    )]
    refused: bool,
}

impl PreflightFailure {
    /// Whether the target demands credentials that it did not get.
    #[cfg(feature = "auth")]
    pub(super) fn lacks_credentials(&self) -> bool {
        matches!(self.finding.cause.as_deref(), Some(Cause::Status(401 | 403)))
    }
}

impl From<Finding> for PreflightFailure {
    fn from(finding: Finding) -> Self {
        Self { finding, tried: None, refused: false }
    }
}

/// Adds how the program behind the URL exited, if it has, and its last output.
pub(super) fn add_exit_and_stderr(finding: &mut Finding, program: &PreparedTarget) {
    if let Some(exit) = program.exit() {
        finding.add_hint(&format!("the program behind the URL exited on its own, with {exit}"));
    }
    add_stderr(finding, &program.stderr_tail(LINES));
}

/// The facts about the target; for a client there are none before it connects.
#[derive(Default)]
pub(super) struct Survey {
    probed: BTreeMap<TransportKind, ProbeResult>,
    inventories: BTreeMap<(TransportKind, Revision), Inventory>,
    histories: BTreeMap<TransportKind, ReplyHistory>,
    /// How to ask whether the target still answers.
    liveness: BTreeMap<TransportKind, LivenessQuestion>,
    /// Whether the target was asked for every revision.
    complete: bool,
    /// Whether the target answers nobody without credentials, so that nothing is known about it.
    is_closed: bool,
}

/// Asks the target over every transport of the plan.
pub(super) async fn survey(
    plan: &Plan,
    target: &Target,
    pool: &ConnectionPool,
) -> Result<Survey, PreflightFailure> {
    let mut survey = Survey { complete: true, ..Survey::default() };
    let mut timeout = plan.timeout;
    for scenario_run in &plan.scenario_runs {
        if let Entry::Vacant(entry) = survey.probed.entry(scenario_run.transport) {
            let mut probe = TransportProbe::new(plan, (target, pool), scenario_run.transport);
            probe.run().await;
            survey.histories.insert(scenario_run.transport, probe.history());
            survey.complete &= Revision::ALL.iter().all(|one| probe.asked.contains(one));
            timeout = probe.timeout();
            survey
                .liveness
                .extend(probe.question().map(|question| (scenario_run.transport, question)));
            entry.insert(probe.into_result()?);
        }
        let is_skippable =
            plan.profile.at(&scenario_run.scenario, scenario_run.revision) != Profile::Official;
        // Only a profile that skips scenarios has a use for the inventory, which costs a connection.
        if is_skippable && !scenario_run.scenario.needs.is_empty() {
            survey.take_inventory(plan, (target, pool), scenario_run, timeout).await?;
        }
    }
    match survey.nothing_in_common(plan) {
        Some(finding) => Err(finding.into()),
        None => Ok(survey),
    }
}

/// The plan and the survey over HTTP+SSE, for a server that refuses POSTs and has a stream of that kind.
///
/// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility>
#[cfg(feature = "http")]
pub(super) async fn over_older_sse(
    plan: &Plan,
    target: &Target,
    failure: &PreflightFailure,
) -> Option<(Plan, Survey, ConnectionPool)> {
    /// How long the stream may take to open; it needs nothing from the client.
    const OPENING: Duration = Duration::from_secs(5);
    let plan = plan.over_sse(target).filter(|_| failure.refused)?;
    let deadline = Deadline::after(OPENING.min(plan.timeout));
    if !target.supports_sse(&Recorder::new(), deadline).await {
        return None;
    }
    let Tested::Server(target) = &plan.target else { return None };
    let pool = ConnectionPool::new(&plan, target);
    let survey = survey(&plan, target, &pool).await.ok()?;
    Some((plan, survey, pool))
}

/// How long an answer may take: the first one as long as a scenario, since the program may have to be downloaded and
/// compiled; the others by the first, since a question of another era may get no answer.
fn answer_timeout(timeout: Duration, first: Option<Duration>) -> Duration {
    first.map_or(timeout, |took| timeout.min(GRACE + took * TIMES_FIRST))
}

fn list_revisions(revisions: impl IntoIterator<Item = Revision>) -> String {
    revisions.into_iter().map(Revision::as_str).collect::<Vec<_>>().join(", ")
}

/// The revisions of the scenario runs that differ in nothing else.
fn by_scenario(scenario_runs: &[ScenarioRun]) -> BTreeMap<(&str, TransportKind), Vec<Revision>> {
    let mut revisions: BTreeMap<_, Vec<Revision>> = BTreeMap::new();
    for scenario_run in scenario_runs {
        revisions
            .entry((&*scenario_run.scenario.id, scenario_run.transport))
            .or_default()
            .push(scenario_run.revision);
    }
    revisions
}

/// The scenario runs without those of scenarios that show the same at another revision.
fn without_repeats(scenario_runs: &[ScenarioRun], profile: Profile) -> Vec<ScenarioRun> {
    let revisions = by_scenario(scenario_runs);
    let is_run = |scenario_run: &&ScenarioRun| {
        let scenario = &scenario_run.scenario;
        let is_official = profile.at(scenario, scenario_run.revision) == Profile::Official;
        let all = &revisions[&(&*scenario.id, scenario_run.transport)];
        is_official || scenario.repeats.runs_at(scenario_run.revision, all)
    };
    scenario_runs.iter().filter(is_run).cloned().collect()
}

/// How many lines of standard error are shown: the finding is above, and the cause usually in the last of them.
const LINES: usize = 5;

/// Adds the last lines of standard error, on which a target often explains why it cannot be used.
fn add_stderr(finding: &mut Finding, tail: &[String]) {
    if !tail.is_empty() {
        finding.add_hint(&format!("its stderr ends with\n{}", tail.join("\n")));
    }
}

/// The revisions of the plan; unless revisions were selected, also the newest of each era, which show the kind of server.
fn wanted(plan: &Plan) -> Vec<Revision> {
    let is_wanted = |revision: &Revision| {
        (!plan.asked_revisions && [Revision::NEWEST_HANDSHAKE, Revision::NEWEST].contains(revision))
            || plan.scenario_runs.iter().any(|scenario_run| scenario_run.revision == *revision)
    };
    Revision::ALL.into_iter().filter(is_wanted).collect()
}

impl Survey {
    /// That of a target that answers nobody without credentials.
    #[cfg(feature = "auth")]
    pub(super) fn closed_target() -> Self {
        Self { is_closed: true, ..Self::default() }
    }

    /// The facts for the report.
    pub(super) fn summary(&self, plan: &Plan) -> Preflight {
        let speaks = self.probed.iter().map(|(transport, probed)| (*transport, probed.revisions()));
        // The newest answer first: a server may name itself differently at older revisions.
        let facts = self.probed.values().flat_map(|probed| probed.facts.iter().rev());
        Preflight {
            speaks: speaks.collect(),
            complete: self.complete,
            server: facts.filter_map(name).next(),
            called: self.called(plan),
            cut_lists: self.cut_lists(),
        }
    }

    /// The lists with more pages than are read, at any revision.
    fn cut_lists(&self) -> Vec<ItemKind> {
        let is_cut = |kind: &ItemKind| {
            let mut listings = self.inventories.values().map(|it| it.listing(*kind));
            listings.any(|it| matches!(it, Listing::Listed(items) if items.has_more))
        };
        ItemKind::ALL.into_iter().filter(is_cut).collect()
    }

    /// The tools that scenarios may call, at any revision.
    fn called(&self, plan: &Plan) -> Option<CalledByRun> {
        let listings = self.inventories.values().map(|it| it.listing(ItemKind::Tool));
        let listed: Vec<&Items> = listings
            .filter_map(|listing| match listing {
                Listing::Listed(items) => Some(items),
                _ => None,
            })
            .collect();
        let names: BTreeSet<&str> = listed.iter().flat_map(|it| it.keys(ItemKind::Tool)).collect();
        let definitions = listed.iter().flat_map(|items| items.items.iter());
        let callable = definitions.filter_map(|tool| Some(plan.calls.callable(tool)?.name));
        // What the user names instead of a fixture is called whatever its annotations, as what `--call` names.
        let scenarios = plan.scenario_runs.iter().map(|scenario_run| &scenario_run.scenario);
        let needs =
            scenarios.flat_map(|scenario| scenario.needs.iter().chain(scenario.optional_needs));
        let own = needs.filter_map(|need| match need {
            Need::Tool(fixture) if plan.fixtures.replaces(fixture) => {
                Some(plan.fixtures.name(fixture))
            }
            _ => None,
        });
        let own = own.filter(|name| names.contains(name)).map(str::to_owned);
        let called: BTreeSet<String> = callable.chain(own).collect();
        let others = names.len().saturating_sub(called.len());
        (!names.is_empty()).then(|| CalledByRun { called: called.into_iter().collect(), others })
    }

    /// The scenario runs of the plan without those whose revision the target does not speak, unless they were selected.
    ///
    /// The newest scenario run of a scenario stays if no other would, so that the report can say why.
    pub(super) fn applicable(&self, plan: &Plan) -> Vec<ScenarioRun> {
        let revisions = by_scenario(&plan.scenario_runs);
        let keeps = |scenario_run: &&ScenarioRun| {
            plan.asked_revisions
                || plan.profile.at(&scenario_run.scenario, scenario_run.revision)
                    == Profile::Official
                || self.speaks(scenario_run.transport, scenario_run.revision)
                || !revisions[&(&*scenario_run.scenario.id, scenario_run.transport)].iter().any(
                    |&revision| {
                        self.speaks(scenario_run.transport, revision)
                            || revision > scenario_run.revision
                    },
                )
        };
        let scenario_runs: Vec<ScenarioRun> =
            plan.scenario_runs.iter().filter(keeps).cloned().collect();
        match plan {
            Plan { one_revision: true, .. } => self.one_revision_each(&scenario_runs),
            Plan { asked_revisions: true, .. } => scenario_runs,
            _ => without_repeats(&scenario_runs, plan.profile),
        }
    }

    /// One of the scenario runs that differ only in the revision: see [`Selection::one_revision`](super::Selection::one_revision).
    fn one_revision_each(&self, scenario_runs: &[ScenarioRun]) -> Vec<ScenarioRun> {
        let revisions = by_scenario(scenario_runs);
        let is_chosen = |scenario_run: &&ScenarioRun| {
            let rank = |revision: Revision| {
                // If none is spoken, the newest of the handshake era is run, and reports why.
                let is_spoken = self.facts(scenario_run.transport, revision).is_some();
                (is_spoken, revision.era() == Era::Handshake, revision)
            };
            let others = &revisions[&(&*scenario_run.scenario.id, scenario_run.transport)];
            others.iter().all(|&other| rank(other) <= rank(scenario_run.revision))
        };
        scenario_runs.iter().filter(is_chosen).cloned().collect()
    }

    /// The facts for one scenario run.
    pub(super) fn facts_for(&self, scenario_run: &ScenarioRun) -> ScenarioRunFacts<'static> {
        let inventory = self
            .inventories
            .get(&(scenario_run.transport, scenario_run.revision))
            .cloned()
            .unwrap_or_default();
        let (revision, transport) = (scenario_run.revision, scenario_run.transport);
        let spoken = self.probed.get(&transport).map(ProbeResult::revisions).unwrap_or_default();
        let unsupported = (!self.speaks(transport, revision)).then(|| {
            format!(
                "the server does not speak {revision} over {transport}; it speaks {}",
                self.list(spoken.clone())
            )
        });
        let liveness = self.liveness.get(&transport).copied();
        let history = self.histories.get(&transport).cloned().unwrap_or_default();
        // Whether it serves what it does not declare is for a scenario.
        let (discovered, pool) = (None, None);
        ScenarioRunFacts { inventory, discovered, history, spoken, unsupported, liveness, pool }
    }

    /// Supported revisions, as text; the target may speak others if it was not asked for all.
    fn list(&self, spoken: Vec<Revision>) -> String {
        format!("{}{}", if self.complete { "" } else { "at least " }, list_revisions(spoken))
    }

    /// Whether a scenario can test anything at a revision: the target speaks it, or broke the protocol in its answer.
    fn speaks(&self, transport: TransportKind, revision: Revision) -> bool {
        self.is_closed
            || self.facts(transport, revision).is_some()
            || self.has_broken_handshake(transport, revision)
    }

    /// Whether the handshake at this revision failed by something other than a proper refusal, and no newer one did: then the
    /// scenarios report what is wrong.
    ///
    /// The stateless era does not count, since an older server may answer its requests in any way.
    fn has_broken_handshake(&self, transport: TransportKind, revision: Revision) -> bool {
        let refusals = self.probed.get(&transport).into_iter().flat_map(|probed| &probed.refusals);
        let newest = refusals
            .filter(|(revision, _)| revision.era() == Era::Handshake)
            // A proper refusal breaks no requirement.
            .filter(|(_, finding)| !finding.requirements.is_empty())
            .map(|(revision, _)| *revision)
            .max();
        newest == Some(revision)
    }

    /// Why nothing can be run: the target speaks none of the selected revisions.
    fn nothing_in_common(&self, plan: &Plan) -> Option<Finding> {
        let is_run = |scenario_run: &ScenarioRun| {
            self.speaks(scenario_run.transport, scenario_run.revision)
                || plan.profile.at(&scenario_run.scenario, scenario_run.revision)
                    == Profile::Official
        };
        if !plan.asked_revisions || plan.scenario_runs.iter().any(is_run) {
            return None;
        }
        let selected: BTreeSet<Revision> =
            plan.scenario_runs.iter().map(|scenario_run| scenario_run.revision).collect();
        let spoken = self.probed.iter().map(|(transport, probed)| {
            format!("{} over {transport}", self.list(probed.revisions()))
        });
        let finding = Finding::test("the server speaks none of the selected revisions");
        Some(finding.expected(list_revisions(selected)).got(spoken.collect::<Vec<_>>().join("; ")))
    }

    fn facts(&self, transport: TransportKind, revision: Revision) -> Option<&ServerFacts> {
        self.probed.get(&transport)?.facts(revision)
    }

    /// Asks what the target offers at the revision of `scenario_run`: once per transport and revision.
    ///
    /// What was not answered is not asked again in the same era: that would only take time.
    async fn take_inventory(
        &mut self,
        plan: &Plan,
        (target, pool): (&Target, &ConnectionPool),
        scenario_run: &ScenarioRun,
        timeout: Duration,
    ) -> Result<(), PreflightFailure> {
        let key = (scenario_run.transport, scenario_run.revision);
        let Some(facts) = self.facts(scenario_run.transport, scenario_run.revision) else {
            return Ok(());
        };
        if self.inventories.contains_key(&key) {
            return Ok(());
        }
        let capabilities = facts.capabilities.clone();
        let is_same_era = |(transport, revision): &(TransportKind, Revision)| {
            *transport == scenario_run.transport && revision.era() == scenario_run.revision.era()
        };
        let mut siblings = self.inventories.iter().filter(|(key, _)| is_same_era(key));
        let sibling = siblings.find(|(_, it)| it.has_failed()).map(|(_, it)| it.clone());
        let mut inventory = match sibling {
            Some(inventory) => inventory,
            None => {
                let question = self.liveness.get(&scenario_run.transport).copied();
                let request =
                    InventoryRequest { plan, target, pool, scenario_run, question, timeout };
                request.send(&capabilities).await.map_err(|finding| {
                    let failure = PreflightFailure::from(stopped_answering(finding));
                    PreflightFailure { tried: Some(scenario_run.revision), ..failure }
                })?
            }
        };
        inventory.capabilities = Some(capabilities);
        self.inventories.insert(key, inventory);
        Ok(())
    }
}

fn name(facts: &ServerFacts) -> Option<String> {
    let name = facts.info.get("name")?.as_str()?;
    let name = match facts.info.get("version").and_then(Value::as_str) {
        Some(version) if !version.is_empty() => format!("{name} {version}"),
        _ => name.to_owned(),
    };
    Some(words::printable(&words::excerpt(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Body, Kind, Repeats, Scenario, Shared, TestedSide};

    #[test]
    fn the_first_answer_sets_the_timeout_of_the_others() {
        let seconds = Duration::from_secs;
        assert_eq!(answer_timeout(seconds(30), None), seconds(30));
        assert_eq!(answer_timeout(seconds(60), None), seconds(60));
        assert_eq!(answer_timeout(seconds(30), Some(seconds(1))), seconds(18));
        assert_eq!(answer_timeout(seconds(60), Some(seconds(11))), seconds(60));
        assert_eq!(answer_timeout(seconds(2), Some(seconds(1))), seconds(2));
    }

    #[test]
    fn what_shows_the_same_is_run_at_the_newest_revision_of_each_era() {
        let scenario_runs = |id: &'static str, repeats| -> Vec<ScenarioRun> {
            let body = Body::Server(Shared::Static(&|_| Box::pin(async { Ok(()) })));
            let scenario = Scenario::dynamic(Kind::BuiltIn, TestedSide::Server, id, body);
            let scenario = Shared::from(Scenario { repeats, ..scenario });
            let scenario_run = |revision| {
                let transport = TransportKind::Stdio;
                ScenarioRun { scenario: scenario.clone(), revision, transport }
            };
            Revision::ALL.into_iter().map(scenario_run).collect()
        };
        let (each, once) = (Repeats::EachRevision, Repeats::OncePerEra);
        let all = [
            scenario_runs("ping", each),
            scenario_runs("large", once),
            scenario_runs("meta", each),
        ]
        .concat();
        let is_large = |scenario_run: &&ScenarioRun| scenario_run.scenario.id == "large";
        let run = without_repeats(&all, Profile::Adaptive);
        let at: Vec<Revision> =
            run.iter().filter(is_large).map(|scenario_run| scenario_run.revision).collect();
        assert_eq!(at, [Revision::NEWEST_HANDSHAKE, Revision::NEWEST]);
        let others = |scenario_runs: &[ScenarioRun]| {
            scenario_runs.iter().filter(|scenario_run| !is_large(scenario_run)).count()
        };
        assert_eq!(others(&run), others(&all));
    }
}
