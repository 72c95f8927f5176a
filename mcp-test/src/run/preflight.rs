//! Before the run: is there anything, does it speak MCP, which revisions, and what does it offer?
//!
//! Said once, instead of by every scenario.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

#[cfg(feature = "http")]
use super::Tested;
use super::event::Preflight;
use super::play::Known;
use super::{Cell, Plan};
use crate::check::{Blame, Finding};
use crate::client::{ServerFacts, Spoken, probe};
use crate::clock::{Deadline, Stopwatch};
use crate::json::Value;
use crate::scenario::{Ctx, Inventory, Need, Profile, Setup};
use crate::spec::{Capability, Era, Revision};
use crate::trace::{Recorder, What};
use crate::transport::{CarrierKind, Prepared, Target};

/// How much longer than its first answer the target may take for any other one.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why the target cannot be tested.
pub(super) struct Unfit {
    pub(super) finding: Finding,
    /// The revision in which it was spoken to.
    pub(super) tried: Option<Revision>,
    /// Whether it refused a POST as servers do that speak only the older HTTP+SSE.
    #[cfg_attr(
        not(feature = "http"),
        allow(dead_code, reason = "only HTTP has what to fall back to")
    )]
    refused: bool,
}

impl From<Finding> for Unfit {
    fn from(finding: Finding) -> Self {
        Self { finding, tried: None, refused: false }
    }
}

impl Unfit {
    /// Adds how the program behind the URL ended, if it has, and what it said last.
    pub(super) fn with_last_words_of(mut self, program: &Prepared) -> Self {
        if let Some(exit) = program.exit() {
            let how = format!("the program behind the URL has ended by itself, with {exit}");
            self.finding = with_hint(self.finding, &how);
        }
        self.finding = with_last_words(self.finding, &program.stderr_tail(LINES));
        self
    }
}

/// What was learnt about the target; of a client there is nothing to learn before it comes.
#[derive(Default)]
pub(super) struct Survey {
    spoken: BTreeMap<CarrierKind, Spoken>,
    inventories: BTreeMap<(CarrierKind, Revision), Inventory>,
    /// Whether the target was asked for every revision.
    complete: bool,
}

/// Asks the target over every carrier of the plan.
pub(super) async fn survey(plan: &Plan, target: &Target) -> Result<Survey, Unfit> {
    let spoken = BTreeMap::new();
    let mut survey = Survey { spoken, inventories: BTreeMap::new(), complete: true };
    let mut patience = plan.timeout;
    for cell in &plan.cells {
        if let Entry::Vacant(unasked) = survey.spoken.entry(cell.carrier) {
            let mut asking = Asking::over(plan, target, cell.carrier);
            asking.all().await;
            survey.complete &= Revision::ALL.iter().all(|one| asking.asked.contains(one));
            patience = asking.patience();
            unasked.insert(asking.answer()?);
        }
        let by_needs = plan.profile.at(cell.scenario, cell.revision) != Profile::Official;
        if by_needs && !cell.scenario.needs.is_empty() {
            survey.take_stock(plan, target, *cell, patience).await;
        }
    }
    match survey.nothing_in_common(plan) {
        Some(finding) => Err(finding.into()),
        None => Ok(survey),
    }
}

/// The plan and what was learnt over HTTP+SSE, for a server that refuses POSTs and has a stream of that kind.
///
/// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility>
#[cfg(feature = "http")]
pub(super) async fn fall_back(
    plan: &Plan,
    target: &Target,
    unfit: &Unfit,
) -> Option<(Plan, Survey)> {
    /// Such a stream begins at once.
    const BEGINNING: Duration = Duration::from_secs(5);
    let plan = plan.over_sse(target).filter(|_| unfit.refused)?;
    let deadline = Deadline::after(BEGINNING.min(plan.timeout));
    if !target.speaks_sse(&Recorder::new(), deadline).await {
        return None;
    }
    let Tested::Server(target) = &plan.target else { return None };
    let survey = survey(&plan, target).await.ok()?;
    Some((plan, survey))
}

/// Asking the target over one carrier which revisions it speaks.
struct Asking<'a> {
    plan: &'a Plan,
    target: &'a Target,
    carrier: CarrierKind,
    recorder: Recorder,
    asked: BTreeSet<Revision>,
    spoken: Spoken,
    /// How long the first answer took.
    first: Option<Duration>,
}

impl<'a> Asking<'a> {
    fn over(plan: &'a Plan, target: &'a Target, carrier: CarrierKind) -> Self {
        Self {
            plan,
            target,
            carrier,
            recorder: Recorder::new(),
            asked: BTreeSet::new(),
            spoken: Spoken { facts: Vec::new(), refusals: Vec::new() },
            first: None,
        }
    }

    /// Asks for the revisions that are wanted; if none is spoken, for those by which any server is recognized.
    async fn all(&mut self) {
        self.each(wanted(self.plan)).await;
        if self.spoken.facts.is_empty() {
            self.each(vec![Revision::NEWEST_HANDSHAKE, Revision::NEWEST]).await;
        }
        self.spoken.facts.sort_by_key(|facts| facts.revision);
    }

    async fn each(&mut self, mut revisions: Vec<Revision>) {
        // The newest handshake revision is what most servers speak: it tells first whether there is one at all.
        revisions.sort_by_key(|revision| (revision.era() == Era::Stateless, Reverse(*revision)));
        for revision in revisions {
            if self.is_hopeless() || self.is_settled() {
                return;
            }
            if self.asked.insert(revision) {
                self.one(revision).await;
            }
        }
    }

    async fn one(&mut self, revision: Revision) {
        let stopwatch = Stopwatch::start();
        let (target, patience) = (self.target, self.patience());
        match probe(target, self.carrier, &self.recorder, &[revision], patience).await {
            Ok(spoken) => {
                for facts in spoken.facts {
                    if self.spoken.facts(facts.revision).is_none() {
                        self.spoken.facts.push(facts);
                    }
                }
                self.spoken.refusals.extend(spoken.refusals);
            }
            Err(finding) => self.spoken.refusals.push((revision, finding)),
        }
        if self.first.is_none() && self.recorder.trace().exchanged() {
            self.first = Some(stopwatch.elapsed());
        }
    }

    /// Whether to ask on is a waste of time: there is nothing that could answer, or it did not answer a handshake. Of a
    /// question of the other era it may have understood nothing.
    fn is_hopeless(&self) -> bool {
        let silent = self.first.is_none();
        self.spoken.refusals.iter().any(|(revision, finding)| {
            silent && (revision.era() == Era::Handshake || finding.blame == Blame::Environment)
        })
    }

    /// Whether it is known already which one revision of each scenario is played. Since the newer ones are asked for first, it
    /// is the first one of the handshake era that is spoken.
    fn is_settled(&self) -> bool {
        let is_choice = |revision: &Revision| {
            revision.era() == Era::Handshake && self.spoken.facts(*revision).is_some()
        };
        self.plan.one_revision
            && by_scenario(&self.plan.cells)
                .iter()
                .filter(|((_, carrier), _)| *carrier == self.carrier)
                .all(|(_, revisions)| revisions.iter().any(is_choice))
    }

    fn patience(&self) -> Duration {
        patience(self.plan.timeout, self.first)
    }

    fn answer(self) -> Result<Spoken, Unfit> {
        if !self.spoken.facts.is_empty() {
            return Ok(self.spoken);
        }
        let (tried, finding) = self.spoken.refusals.into_iter().next().map_or_else(
            || (None, Finding::harness("the server was not asked for any revision")),
            |(revision, finding)| (Some(revision), finding),
        );
        Err(Unfit {
            finding: with_last_words(finding, &self.recorder.trace().stderr_tail(LINES)),
            tried,
            refused: self.recorder.trace().events.iter().any(|event| {
                let What::HttpResponse { status, .. } = event.what else { return false };
                (400..500).contains(&status) && ![401, 403].contains(&status)
            }),
        })
    }
}

/// How long an answer may take: the first one as long as a scenario, for a program may have to be fetched and compiled;
/// the others not much longer than the first, for a question of another era may get no answer.
fn patience(timeout: Duration, first: Option<Duration>) -> Duration {
    first.map_or(timeout, |took| timeout.min(PATIENCE + took))
}

fn words(revisions: impl IntoIterator<Item = Revision>) -> String {
    revisions.into_iter().map(Revision::as_str).collect::<Vec<_>>().join(", ")
}

/// The revisions of the cells that differ in nothing else.
fn by_scenario(cells: &[Cell]) -> BTreeMap<(&'static str, CarrierKind), Vec<Revision>> {
    let mut revisions: BTreeMap<_, Vec<Revision>> = BTreeMap::new();
    for cell in cells {
        revisions.entry((cell.scenario.id, cell.carrier)).or_default().push(cell.revision);
    }
    revisions
}

/// How many lines of standard error are shown.
const LINES: usize = 5;

/// A target that cannot be tested at all often says why on its standard error.
fn with_last_words(finding: Finding, tail: &[String]) -> Finding {
    if tail.is_empty() {
        return finding;
    }
    with_hint(finding, &format!("its stderr ends with\n{}", tail.join("\n")))
}

fn with_hint(finding: Finding, more: &str) -> Finding {
    match finding.hint.clone() {
        Some(hint) => finding.hint(format!("{hint}\n{more}")),
        None => finding.hint(more),
    }
}

/// The revisions of the plan; unless they were asked for, also the newest of each era, which tell what the server is.
fn wanted(plan: &Plan) -> Vec<Revision> {
    let is_wanted = |revision: &Revision| {
        (!plan.asked_revisions && [Revision::NEWEST_HANDSHAKE, Revision::NEWEST].contains(revision))
            || plan.cells.iter().any(|cell| cell.revision == *revision)
    };
    Revision::ALL.into_iter().filter(is_wanted).collect()
}

impl Survey {
    /// What the run is told.
    pub(super) fn summary(&self) -> Preflight {
        let speaks = self.spoken.iter().map(|(carrier, spoken)| (*carrier, spoken.revisions()));
        let facts = self.spoken.values().flat_map(|spoken| spoken.facts.iter().rev());
        Preflight {
            speaks: speaks.collect(),
            complete: self.complete,
            server: facts.filter_map(name).next(),
        }
    }

    /// Leaves out the cells whose revision the target does not speak, unless they were asked for.
    ///
    /// Of a scenario for which nothing would be left, the newest cell stays, so that the report can say why.
    pub(super) fn narrow(&self, plan: &Plan) -> Vec<Cell> {
        let revisions = by_scenario(&plan.cells);
        let keeps = |cell: &&Cell| {
            plan.asked_revisions
                || plan.profile.at(cell.scenario, cell.revision) == Profile::Official
                || self.speaks(cell)
                || !revisions[&(cell.scenario.id, cell.carrier)].iter().any(|&revision| {
                    self.speaks(&Cell { revision, ..**cell }) || revision > cell.revision
                })
        };
        let cells: Vec<Cell> = plan.cells.iter().filter(keeps).copied().collect();
        if plan.one_revision { self.one_each(&cells) } else { cells }
    }

    /// Of the cells that differ in nothing but the revision, the one whose revision is chosen.
    fn one_each(&self, cells: &[Cell]) -> Vec<Cell> {
        let revisions = by_scenario(cells);
        let is_chosen = |cell: &&Cell| {
            let rank = |revision: Revision| {
                let is_spoken = self.facts(cell.carrier, revision).is_some();
                (is_spoken, revision.era() == Era::Handshake, revision)
            };
            let others = &revisions[&(cell.scenario.id, cell.carrier)];
            others.iter().all(|&other| rank(other) <= rank(cell.revision))
        };
        cells.iter().filter(is_chosen).copied().collect()
    }

    /// What is known for one cell.
    pub(super) fn known(&self, cell: Cell) -> Known {
        let inventory =
            self.inventories.get(&(cell.carrier, cell.revision)).cloned().unwrap_or_default();
        let unspoken = (!self.speaks(&cell)).then(|| {
            let (revision, carrier) = (cell.revision, cell.carrier);
            let spoken = self.spoken.get(&carrier).map(Spoken::revisions).unwrap_or_default();
            format!(
                "the server does not speak {revision} over {carrier}; it speaks {}",
                self.words(spoken)
            )
        });
        Known { inventory, unspoken }
    }

    /// Revisions that are spoken; there may be others if not all were asked for.
    fn words(&self, spoken: Vec<Revision>) -> String {
        format!("{}{}", if self.complete { "" } else { "at least " }, words(spoken))
    }

    /// Whether there is something to hear in the revision of `cell`: it is spoken, or was answered in a way that breaks
    /// the protocol.
    fn speaks(&self, cell: &Cell) -> bool {
        self.facts(cell.carrier, cell.revision).is_some() || self.botched(cell)
    }

    /// Whether the handshake of this revision failed otherwise than by a refusal in good order, and is the newest one
    /// that did: the scenarios then say what is wrong.
    ///
    /// In the stateless era that cannot be told: a server which does not know it may answer in many ways.
    fn botched(&self, cell: &Cell) -> bool {
        let refusals =
            self.spoken.get(&cell.carrier).into_iter().flat_map(|spoken| &spoken.refusals);
        let newest = refusals
            .filter(|(revision, _)| revision.era() == Era::Handshake)
            .filter(|(_, finding)| !finding.requirements.is_empty())
            .map(|(revision, _)| *revision)
            .max();
        newest == Some(cell.revision)
    }

    /// Why nothing can be played: none of the revisions that were asked for is spoken.
    fn nothing_in_common(&self, plan: &Plan) -> Option<Finding> {
        let tried = |cell: &Cell| {
            self.speaks(cell) || plan.profile.at(cell.scenario, cell.revision) == Profile::Official
        };
        if !plan.asked_revisions || plan.cells.iter().any(tried) {
            return None;
        }
        let asked: BTreeSet<Revision> = plan.cells.iter().map(|cell| cell.revision).collect();
        let spoken = self
            .spoken
            .iter()
            .map(|(carrier, spoken)| format!("{} over {carrier}", self.words(spoken.revisions())));
        let finding = Finding::test("the server speaks none of the revisions that were asked for");
        Some(finding.expected(words(asked)).got(spoken.collect::<Vec<_>>().join("; ")))
    }

    fn facts(&self, carrier: CarrierKind, revision: Revision) -> Option<&ServerFacts> {
        self.spoken.get(&carrier)?.facts(revision)
    }

    /// Learns what the target offers in the revision of `cell`: once per carrier and era, since the offer hangs on
    /// nothing else.
    async fn take_stock(&mut self, plan: &Plan, target: &Target, cell: Cell, patience: Duration) {
        let key = (cell.carrier, cell.revision);
        let Some(facts) = self.facts(cell.carrier, cell.revision) else {
            return;
        };
        if self.inventories.contains_key(&key) {
            return;
        }
        let capabilities = facts.capabilities.clone();
        let same_era = |(carrier, revision): &(CarrierKind, Revision)| {
            *carrier == cell.carrier && revision.era() == cell.revision.era()
        };
        let sibling =
            self.inventories.iter().find(|(key, _)| same_era(key)).map(|(_, it)| it.clone());
        let mut inventory = match sibling {
            Some(inventory) => inventory,
            None => list((plan, target), cell, &capabilities, patience).await,
        };
        inventory.capabilities = Some(capabilities);
        self.inventories.insert(key, inventory);
    }
}

/// The names of what the target offers. What it cannot list stays unknown: a scenario will find out why.
async fn list(
    (plan, target): (&Plan, &Target),
    cell: Cell,
    capabilities: &Value,
    patience: Duration,
) -> Inventory {
    let setup = Setup {
        target: target.clone(),
        carrier: cell.carrier,
        revision: cell.revision,
        profile: Profile::Adaptive,
        limits: plan.limits,
        timeout: patience,
        until: Deadline::never(),
        inventory: Inventory::default(),
        schemas: plan.schemas.clone(),
    };
    let mut ctx = Ctx::new(setup, None);
    let wants =
        |need: fn(&Need) -> bool| plan.cells.iter().flat_map(|cell| cell.scenario.needs).any(need);
    let mut inventory = Inventory::default();
    if wants(|need| matches!(need, Need::Tool(_))) && Capability::Tools.declared_in(capabilities) {
        inventory.tools = ctx.list_tools().await.ok().and_then(|list| owned(list.keys()));
    }
    if wants(|need| matches!(need, Need::Resource(_)))
        && Capability::Resources.declared_in(capabilities)
    {
        inventory.resources = ctx.list_resources().await.ok().and_then(|list| owned(list.keys()));
    }
    if wants(|need| matches!(need, Need::Prompt(_)))
        && Capability::Prompts.declared_in(capabilities)
    {
        inventory.prompts = ctx.list_prompts().await.ok().and_then(|list| owned(list.keys()));
    }
    let _ = ctx.end().await;
    inventory
}

fn owned(keys: Result<Vec<&str>, Finding>) -> Option<Vec<String>> {
    Some(keys.ok()?.into_iter().map(str::to_owned).collect())
}

fn name(facts: &ServerFacts) -> Option<String> {
    let name = facts.info.get("name")?.as_str()?;
    Some(match facts.info.get("version").and_then(Value::as_str) {
        Some(version) if !version.is_empty() => format!("{name} {version}"),
        _ => name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_may_take_as_long_as_a_scenario_and_the_others_not_much_longer_than_it() {
        let seconds = Duration::from_secs;
        assert_eq!(patience(seconds(30), None), seconds(30));
        assert_eq!(patience(seconds(60), None), seconds(60));
        assert_eq!(patience(seconds(30), Some(seconds(1))), seconds(11));
        assert_eq!(patience(seconds(60), Some(seconds(11))), seconds(21));
        assert_eq!(patience(seconds(2), Some(seconds(1))), seconds(2));
    }
}
