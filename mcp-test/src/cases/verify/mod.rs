//! Cases as scenarios that test a client: the contract is served, and the client has to say what it demands.
//!
//! | file | what |
//! |---|---|
//! | `visit` | what was said while the client was there |
//! | `search` | whether that holds a case |
//! | `told` | what is missing, and the nearest thing that was said |
//!
//! # What a contract demands
//!
//! A file is a scenario, in which the client visits a [`Mock`] of the file once; each case is a check. It passes when the
//! client has said each `in` of the case:
//!
//! - in the order of the case, whatever it says in between; the order of cases is free, and what two cases have in common
//!   is said once for both
//! - a request and a notification as the mock takes them for it: ids, progress tokens, and how a client introduces itself
//!   are its own, and `_match` counts
//! - an answer to a request of the server, when the server has asked; a client that is not asked owes none. Where servers send
//!   no requests (2026-07-28), the answer comes in the `inputResponses` of a request
//! - `${name}` stands for what was captured on the way, or given as input; without a value it stands for anything
//!
//! The handshake is demanded only of a case that has it. A case that goes on from another (`_continues`) demands that, too.
//! A case with `_skip` demands nothing, and neither does one in which the client says nothing.

mod search;
#[cfg(test)]
mod tests;
mod told;
mod visit;

use std::collections::BTreeSet;
use std::sync::Arc;

use self::visit::Visit;
use super::serve::Mock;
use super::{Case, CaseFile, Cases, Direction, InputError, Inputs, Values, scenario};
use crate::check::Finding;
use crate::json::Value;
use crate::scenario::{Body, Carriers, CheckSpec, Judging, Leg, Proofs, Scenario, Stage};
use crate::server::Server;
use crate::server::reference::everything;
use crate::spec::{Era, Revision, Revisions};

/// How a client is held to cases.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct VerifyOptions {
    /// The values of `_inputs`.
    pub inputs: Inputs,
    /// The ids of the cases that are demanded, if not all are; the others are served all the same.
    pub cases: Vec<String>,
    /// Demands only cases with one of these tags, if there are any.
    pub tags: Vec<String>,
    /// Demands no cases with one of these tags.
    pub skip_tags: Vec<String>,
    /// Certain revisions are asked for: then a file is not only served at those that its cases call for.
    pub asked_revisions: bool,
}

impl VerifyOptions {
    /// Gives a name of `_inputs` its value.
    #[must_use]
    pub fn input(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { inputs: self.inputs.value(name, value), ..self }
    }

    fn demands(&self, case: &Case) -> bool {
        let has = |tags: &[String]| tags.iter().any(|tag| case.settings.tags.contains(tag));
        (self.cases.is_empty() || self.cases.contains(&case.id))
            && (self.tags.is_empty() || has(&self.tags))
            && !has(&self.skip_tags)
    }
}

/// The files as scenarios that test a client, each with a check for every case: for
/// [`Plan::build_from`](crate::run::Plan::build_from). A file of which no case is demanded is none.
///
/// The id of a scenario is the name of its file, the id of a check that of its case. A scenario stays in memory until the
/// process ends, and with it the file.
///
/// # Errors
///
/// If an input is given that is not what its case has as default. One that is not given stands for anything.
pub fn client_scenarios(
    cases: &Cases,
    options: &VerifyOptions,
) -> Result<Vec<&'static Scenario>, InputError> {
    let only = cases.iter().any(|(_, case)| case.settings.only);
    let mut ids = BTreeSet::new();
    let mut scenarios: Vec<&'static Scenario> = Vec::new();
    for file in &cases.files {
        let contract = Contract::new(file, options, only)?;
        if let Some(first) = contract.demands.first() {
            let id = unique(stem(&first.case().id), &mut ids);
            scenarios
                .push(Box::leak(Box::new(contract.into_scenario(id, options.asked_revisions))));
        }
    }
    Ok(scenarios)
}

/// The part of a case's id that stands for its file.
fn stem(id: &str) -> &str {
    id.split_once("::").map_or(id, |(stem, _)| stem)
}

fn unique(stem: &str, taken: &mut BTreeSet<String>) -> String {
    let further = (2..).map(|number| format!("{stem}-{number}"));
    let mut candidates = std::iter::once(stem.to_owned()).chain(further);
    // The numbers never end.
    candidates.find(|candidate| taken.insert(candidate.clone())).unwrap_or_default()
}

/// A file, and what it demands.
struct Contract {
    file: Arc<CaseFile>,
    demands: Vec<Demand>,
    inputs: Vec<(String, Value)>,
}

/// A case that is demanded.
struct Demand {
    /// The id of its case.
    id: &'static str,
    /// The case, and before it those that it goes on from.
    chain: Vec<Arc<Case>>,
    /// What is known when it begins.
    values: Values,
    /// Where it holds.
    window: Revisions,
}

impl Demand {
    fn case(&self) -> &Case {
        &self.chain[self.chain.len() - 1]
    }

    /// Why nothing is demanded, if so.
    fn skipped(&self) -> Option<String> {
        let skip = self.chain.iter().find_map(|case| case.settings.skip.clone());
        let silent = self.case().said(Direction::In).next().is_none();
        skip.or_else(|| silent.then(|| "the client has nothing to say in it".to_owned()))
    }

    /// Whether the client has said what it demands.
    fn held(&self, file: &CaseFile, visit: &Visit) -> Result<(), Finding> {
        search::Search::new(file, &self.chain, visit).run(self.values.clone())
    }

    /// The revision at which it is served, unless some are asked for.
    fn preferred(&self) -> Option<Revision> {
        let newest = |era| self.window.iter().rfind(|it| it.era() == era);
        newest(Era::Handshake).or_else(|| newest(Era::Stateless))
    }
}

impl Contract {
    fn new(file: &Arc<CaseFile>, options: &VerifyOptions, only: bool) -> Result<Self, InputError> {
        let mut contract = Self { file: Arc::clone(file), demands: Vec::new(), inputs: Vec::new() };
        for (number, case) in file.cases.iter().enumerate() {
            let known = options.inputs.values([&**case])?;
            let given = case.settings.inputs.iter().filter_map(|input| {
                known.value(&input.name).map(|value| (input.name.clone(), value.clone()))
            });
            contract.inputs.extend(given);
            if !options.demands(case) || (only && !case.settings.only) {
                continue;
            }
            let chain = file.until(number).to_vec();
            contract.demands.push(Demand {
                id: leak(case.id.clone()),
                values: options.inputs.values(chain.iter().map(Arc::as_ref))?,
                chain,
                window: scenario::window(file, number, options.asked_revisions),
            });
        }
        Ok(contract)
    }

    /// Where the file is served.
    fn revisions(&self, asked: bool) -> Revisions {
        let windows = self.demands.iter().map(|demand| match demand.preferred() {
            Some(preferred) if !asked => Revisions::only(preferred),
            _ => demand.window,
        });
        windows.reduce(Revisions::union).unwrap_or(Revisions::none())
    }

    fn into_scenario(self, id: String, asked: bool) -> Scenario {
        let revisions = self.revisions(asked);
        let checks = self.demands.iter().map(|demand| {
            let (case, file) = (demand.case(), &self.file);
            let place = format!("{}:{}:{}", file.path, case.span.line, case.span.column);
            let what = leak(format!("The client says what the case demands ({place})"));
            CheckSpec::own(demand.id, leak(case.title()), what).within(demand.window)
        });
        let checks = Vec::leak(checks.collect());
        let path = self.file.path.clone();
        let contract = Arc::new(self);
        let judged = Arc::clone(&contract);
        Scenario {
            id: leak(id),
            title: leak(format!("The client says what {path} demands")),
            doc: "",
            leg: Leg::Client,
            revisions,
            official: None,
            carriers: Carriers::Any,
            needs: &[],
            disturbs: None,
            timeout: None,
            opens: false,
            verbatim: true,
            checks,
            proofs: || Proofs { peer: || everything().into(), proofs: Vec::new() },
            file: leak(path),
            body: Body::client(
                move |stage| contract.serve(stage),
                move |judging| {
                    judged.judge(judging);
                    Ok(())
                },
            ),
        }
    }

    /// The server of the file; of its era, so that a client which knows both does not choose the other one.
    fn serve(&self, stage: &Stage) -> Server {
        let era = Revisions::all().iter().filter(|revision| revision.era() == stage.era());
        let era = era.map(Revisions::only).reduce(Revisions::union).unwrap_or(Revisions::all());
        let mock = Mock::new(Cases { files: vec![Arc::clone(&self.file)] }).revisions(era);
        let given = |mock: Mock, (name, value): &(String, Value)| mock.input(name, value.clone());
        self.inputs.iter().fold(mock, given).server()
    }

    fn judge(&self, judging: &mut Judging) {
        let revision = judging.revision();
        let visit = Visit::of(&judging.trace(), judging.agreed().unwrap_or(revision));
        for demand in self.demands.iter().filter(|demand| demand.window.contains(revision)) {
            match demand.skipped() {
                Some(reason) => drop(judging.check(demand.id).skip(reason)),
                None => drop(judging.check(demand.id).judge(demand.held(&self.file, &visit))),
            }
        }
    }
}

/// For the life of the process, as that of the scenario.
fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
