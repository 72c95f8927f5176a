//! Cases as scenarios that test a client: the contract is served, and the client has to send what it demands.
//!
//! | file | what |
//! |---|---|
//! | `message_log` | the messages that were exchanged |
//! | `demanded_message` `search` | whether these include those of a case |
//! | `missing_report` | what is missing, and the nearest that the client sent |
//!
//! # What a contract demands
//!
//! A file is a scenario, in which the client connects once to a [`Mock`] of the file; each case is a check. It passes when
//! the client has sent each `in` of the case:
//!
//! - in the order of the case, whatever it sends in between; the order of cases is free, and a message that two cases have in
//!   common counts for both. Over HTTP, where each message travels on a stream of its own, those between two messages of the server may
//!   have any order
//! - requests and notifications as the mock matches them: ids, progress tokens and the client's identity are ignored, and
//!   `_match` applies
//! - an answer to a request of the server, once the server has sent that; a client that gets no such request need not answer. Where servers
//!   do not send requests (2026-07-28), the answer is in the `inputResponses` of a request
//! - `${name}` is the value that was captured before, or given as input; without a value it matches anything
//!
//! The handshake is demanded only by a case that has it. A case that continues another (`_continues`) demands that one, too.
//! A case with `_skip` demands nothing, and neither does one in which the client sends nothing.

mod demanded_message;
mod message_log;
mod missing_report;
mod search;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use mcp_test_core::check::Finding;
use mcp_test_core::json::Value;
use mcp_test_core::scenario::{
    Body, CheckSpec, ClientTest, Judging, Kind, Scenario, Shared, TestedSide,
};
use mcp_test_core::server::Server;
use mcp_test_core::spec::{Era, Revision, Revisions};

use self::message_log::MessageLog;
use self::search::Search;
use super::serve::Mock;
use super::{Case, CaseFile, Cases, Direction, InputError, Inputs, Values, scenario};

/// How the cases for a client are selected and filled in.
#[derive(Debug, Clone, Default)]
pub struct VerifyOptions {
    /// The values of `_inputs`.
    pub inputs: Inputs,
    /// The ids of the demanded cases, if not all are; the others are still served.
    pub cases: Vec<String>,
    /// Demands only cases with one of these tags, if there are any.
    pub tags: Vec<String>,
    /// Demands no cases with one of these tags.
    pub skip_tags: Vec<String>,
    /// Whether the user chose revisions: if not, a file is served at the revisions that its cases prefer.
    pub asked_revisions: bool,
}

impl VerifyOptions {
    /// Sets the value of an input (`_inputs`).
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
/// [`Plan::build`](mcp_test_core::run::Plan::build). A file without a demanded case is omitted.
///
/// The id of a scenario is the name of its file, the id of a check that of its case. A scenario stays in memory until the
/// process ends, and with it the file.
///
/// # Errors
///
/// If an input has another type than its default in a case. One without a value matches anything.
pub fn client_scenarios(
    cases: &Cases,
    options: &VerifyOptions,
) -> Result<Vec<Shared<Scenario>>, InputError> {
    let only = cases.iter().any(|(_, case)| case.settings.only);
    let mut ids = BTreeSet::new();
    let mut scenarios = Vec::new();
    for file in &cases.files {
        let contract = Contract::new(file, options, only)?;
        if let Some(first) = contract.demands.first() {
            let id = unique(stem(&first.case().id), &mut ids);
            scenarios.push(contract.into_scenario(id, options.asked_revisions).into());
        }
    }
    Ok(scenarios)
}

/// The part of a case's id that names its file.
fn stem(id: &str) -> &str {
    id.split_once("::").map_or(id, |(stem, _)| stem)
}

fn unique(stem: &str, taken: &mut BTreeSet<String>) -> String {
    let further = (2..).map(|number| format!("{stem}-{number}"));
    let mut candidates = std::iter::once(stem.to_owned()).chain(further);
    // The iterator is infinite, so one is always found.
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
    /// The case, after those that it continues.
    chain: Vec<Arc<Case>>,
    /// The values of names at its beginning.
    values: Values,
    /// The revisions at which it applies.
    window: Revisions,
}

impl Demand {
    fn case(&self) -> &Case {
        &self.chain[self.chain.len() - 1]
    }

    /// Why nothing is demanded; `None` if something is.
    fn skipped(&self) -> Option<String> {
        let skip = self.chain.iter().find_map(|case| case.settings.skip.clone());
        let silent = self.case().sent(Direction::In).next().is_none();
        skip.or_else(|| silent.then(|| "the client sends nothing in it".to_owned()))
    }

    /// Fails if the client did not send what the case demands.
    fn judge(&self, file: &CaseFile, log: &MessageLog) -> Result<(), Finding> {
        match Search::new(&self.chain, log).run(self.values.clone()) {
            None => Ok(()),
            Some((lines, missing)) => Err(missing_report::missing(file, &lines, &missing, log)),
        }
    }

    /// The revision at which it is served, unless the user chose some.
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
            // Also of cases that are not demanded: the mock serves the whole file.
            let given = case.settings.inputs.iter().filter_map(|input| {
                known.value(&input.name).map(|value| (input.name.clone(), value.clone()))
            });
            contract.inputs.extend(given);
            if !options.demands(case) || (only && !case.settings.only) {
                continue;
            }
            let chain = file.conversation_until(number).to_vec();
            contract.demands.push(Demand {
                values: options.inputs.values(chain.iter().map(Arc::as_ref))?,
                chain,
                window: scenario::window(file, number, options.asked_revisions),
            });
        }
        Ok(contract)
    }

    /// The revisions at which the file is served.
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
            let what = format!("The client sends what the case demands ({place})");
            let mut check = CheckSpec::dynamic(case.id.clone(), case.title(), what);
            check.revisions = demand.window;
            check
        });
        let checks: Vec<CheckSpec> = checks.collect();
        // Shared by the two halves of the scenario: serving the client, and judging it afterwards.
        let path = self.file.path.clone();
        let contract = Arc::new(self);
        let judged = Arc::clone(&contract);
        let body = Body::client(
            move |test| contract.serve(test),
            move |judging| {
                judged.judge(judging);
                Ok(())
            },
        );
        Scenario {
            title: format!("The client sends what {path} demands").into(),
            revisions,
            checks: checks.into(),
            file: path.into(),
            ..Scenario::dynamic(Kind::Case, TestedSide::Client, id, body)
        }
    }

    /// The server of the file. It speaks the revisions that its cases negotiate, or else only that of the run: a client that supports
    /// others would choose for itself.
    fn serve(&self, test: &ClientTest) -> Server {
        let messages = self.file.cases.iter().flat_map(|case| &case.messages);
        let mut replies = messages.filter(|message| message.direction.is_out());
        let negotiates = replies.any(|reply| reply.value.at("/result/protocolVersion").is_some());
        let served = match negotiates {
            true => Revisions::all().iter().filter(|it| it.era() == test.era()).collect(),
            false => Revisions::only(test.revision),
        };
        let mock = Mock::new(Cases { files: vec![Arc::clone(&self.file)] }).revisions(served);
        let given = |mock: Mock, (name, value): &(String, Value)| mock.input(name, value.clone());
        self.inputs.iter().fold(mock, given).server()
    }

    fn judge(&self, judging: &mut Judging) {
        let revision = judging.revision();
        // The client may have negotiated another revision than the one that was offered.
        let log = MessageLog::new(&judging.trace(), judging.negotiated().unwrap_or(revision));
        for demand in self.demands.iter().filter(|demand| demand.window.contains(revision)) {
            match demand.skipped() {
                // Reported nevertheless, so that a skipped case is not mistaken for one that passed.
                Some(reason) => drop(judging.check(&demand.case().id).skip(reason)),
                None => {
                    drop(judging.check(&demand.case().id).judge(demand.judge(&self.file, &log)));
                }
            }
        }
    }
}
