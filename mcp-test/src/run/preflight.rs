//! Before the run: is there anything, does it speak MCP, which revisions, and what does it offer?
//!
//! Said once, instead of by every scenario.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::event::Preflight;
use super::play::Known;
use super::{Cell, Plan};
use crate::check::Finding;
use crate::client::{ServerFacts, Spoken, probe};
use crate::json::Value;
use crate::scenario::{Ctx, Inventory, Need, Profile, Setup};
use crate::spec::{Capability, Era, Revision};
use crate::trace::Recorder;
use crate::transport::CarrierKind;

/// How long the target may take to answer before anything else is asked.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was learnt about the target.
pub(super) struct Survey {
    spoken: BTreeMap<CarrierKind, Spoken>,
    inventories: BTreeMap<(CarrierKind, Revision), Inventory>,
}

/// Asks the target over every carrier of the plan.
pub(super) async fn survey(plan: &Plan) -> Result<Survey, Finding> {
    let mut survey = Survey { spoken: BTreeMap::new(), inventories: BTreeMap::new() };
    let patience = PATIENCE.min(plan.timeout);
    let wanted = wanted(plan);
    for cell in &plan.cells {
        if let Entry::Vacant(unasked) = survey.spoken.entry(cell.carrier) {
            let recorder = Recorder::new();
            let probing = probe(&plan.target, cell.carrier, &recorder, &wanted, patience);
            let spoken = probing.await.map_err(|finding| with_last_words(finding, &recorder))?;
            unasked.insert(spoken);
        }
        let by_needs = plan.profile.at(cell.scenario, cell.revision) != Profile::Official;
        if by_needs && !cell.scenario.needs.is_empty() {
            survey.take_stock(plan, *cell, patience).await;
        }
    }
    survey.nothing_in_common(plan).map_or(Ok(survey), Err)
}

fn words(revisions: impl IntoIterator<Item = Revision>) -> String {
    revisions.into_iter().map(Revision::as_str).collect::<Vec<_>>().join(", ")
}

/// A target that cannot be tested at all often says why on its standard error.
fn with_last_words(finding: Finding, recorder: &Recorder) -> Finding {
    const LINES: usize = 5;
    let tail = recorder.trace().stderr_tail(LINES);
    if tail.is_empty() {
        return finding;
    }
    let words = format!("its stderr ends with\n{}", tail.join("\n"));
    match finding.hint.clone() {
        Some(hint) => finding.hint(format!("{hint}\n{words}")),
        None => finding.hint(words),
    }
}

/// The revisions of the plan, and the newest of each era, so that any server at all is recognized as one.
fn wanted(plan: &Plan) -> Vec<Revision> {
    let is_wanted = |revision: &Revision| {
        [Revision::NEWEST_HANDSHAKE, Revision::NEWEST].contains(revision)
            || plan.cells.iter().any(|cell| cell.revision == *revision)
    };
    Revision::ALL.into_iter().filter(is_wanted).collect()
}

impl Survey {
    /// What the run is told.
    pub(super) fn summary(&self) -> Preflight {
        let speaks = self.spoken.iter().map(|(carrier, spoken)| (*carrier, spoken.revisions()));
        let facts = self.spoken.values().flat_map(|spoken| spoken.facts.iter().rev());
        Preflight { speaks: speaks.collect(), server: facts.filter_map(name).next() }
    }

    /// Leaves out the cells whose revision the target does not speak, unless they were asked for.
    ///
    /// Of a scenario for which nothing would be left, the newest cell stays, so that the report can say why.
    pub(super) fn narrow(&self, plan: &Plan) -> Vec<Cell> {
        let speaks = |cell: &&Cell| self.speaks(cell);
        let keeps = |cell: &&Cell| {
            plan.asked_revisions
                || plan.profile.at(cell.scenario, cell.revision) == Profile::Official
                || speaks(cell)
                || !plan.cells.iter().any(|other| {
                    (other.scenario, other.carrier) == (cell.scenario, cell.carrier)
                        && (speaks(&other) || other.revision > cell.revision)
                })
        };
        plan.cells.iter().filter(keeps).copied().collect()
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
                words(spoken)
            )
        });
        Known { inventory, unspoken }
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
            .map(|(carrier, spoken)| format!("{} over {carrier}", words(spoken.revisions())));
        let finding = Finding::test("the server speaks none of the revisions that were asked for");
        Some(finding.expected(words(asked)).got(spoken.collect::<Vec<_>>().join("; ")))
    }

    fn facts(&self, carrier: CarrierKind, revision: Revision) -> Option<&ServerFacts> {
        self.spoken.get(&carrier)?.facts(revision)
    }

    /// Learns what the target offers in the revision of `cell`: once per carrier and era, since the offer hangs on
    /// nothing else.
    async fn take_stock(&mut self, plan: &Plan, cell: Cell, patience: Duration) {
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
            None => list(plan, cell, &capabilities, patience).await,
        };
        inventory.capabilities = Some(capabilities);
        self.inventories.insert(key, inventory);
    }
}

/// The names of what the target offers. What it cannot list stays unknown: a scenario will find out why.
async fn list(plan: &Plan, cell: Cell, capabilities: &Value, patience: Duration) -> Inventory {
    let setup = Setup {
        target: plan.target.clone(),
        carrier: cell.carrier,
        revision: cell.revision,
        profile: Profile::Adaptive,
        limits: plan.limits,
        timeout: patience,
        inventory: Inventory::default(),
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
