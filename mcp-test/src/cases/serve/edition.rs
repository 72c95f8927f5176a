//! A contract made ready to be served: its conversations, found by what the client says.

use std::sync::{Arc, OnceLock};

use super::face;
use super::heard::{Expected, Heard};
use super::infer::{self, Lists};
use super::line::Line;
use super::miss::{Miss, Nearest};
use super::shelves::Shelves;
use super::turn::{Act, Turn, Turns};
use crate::cases::{Case, CaseMessage, Cases, Inputs, Values, capture};
use crate::json::Value;
use crate::server::Face;
use crate::spec::{Revision, Revisions};

/// The cases as they were read once.
#[derive(Debug)]
pub(super) struct Edition {
    pub(super) cases: Cases,
    pub(super) chains: Vec<Chain>,
    pub(super) shelves: Shelves,
    pub(super) face: Arc<Face>,
    /// What is strange about the cases, for those who serve them.
    pub(super) notes: Vec<String>,
    lists: OnceLock<Lists>,
}

/// A conversation: a case, and those that continue it.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) opening: Vec<Act>,
    pub(super) turns: Vec<Turn>,
    expected: Vec<Expected>,
    /// The values that names have in the case itself, for what was not said before.
    pub(super) values: Values,
    pub(super) revisions: Revisions,
}

/// A turn of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct At {
    pub(super) chain: usize,
    pub(super) turn: usize,
}

impl Edition {
    pub(super) fn new(cases: Cases, inputs: &Inputs, served: Revisions) -> Self {
        let (mut chains, mut notes) = (Vec::new(), Vec::new());
        for lines in conversations(&cases) {
            let found = Turns::of(lines.iter().cloned());
            notes.extend(found.stray.iter().map(|(line, why)| {
                format!("{}: `{}` is not served: {why}", line.place(), line.message().key)
            }));
            chains.push(Chain::new(&lines, found, inputs, &mut notes));
        }
        notes.extend(hooks(&cases));
        let mut shelves = Shelves::default();
        for (number, chain) in chains.iter().enumerate() {
            for (turn, (said, expected)) in chain.turns.iter().zip(&chain.expected).enumerate() {
                let method = said.heard.method().unwrap_or_default();
                shelves.put(method, At { chain: number, turn }, expected);
            }
        }
        let face = Arc::new(face::of(&cases, &chains, served));
        Self { cases, chains, shelves, face, notes, lists: OnceLock::new() }
    }

    pub(super) fn turn(&self, at: At) -> &Turn {
        &self.chains[at.chain].turns[at.turn]
    }

    pub(super) fn expected(&self, at: At) -> &Expected {
        &self.chains[at.chain].expected[at.turn]
    }

    /// Whether a case has the client say this.
    pub(super) fn has(&self, method: &str) -> bool {
        self.shelves.has(method)
    }

    /// The turns that may begin with this message, in order.
    pub(super) fn fitting(&self, heard: &Heard) -> Vec<At> {
        self.that_hold(heard.revision, self.shelves.fitting(heard))
    }

    /// The turns that begin with something that is about the same as this message, in order.
    pub(super) fn about(&self, heard: &Heard) -> Vec<At> {
        self.that_hold(heard.revision, self.shelves.about(heard))
    }

    /// What stands in for the lists that no case has.
    pub(super) fn lists(&self) -> &Lists {
        self.lists.get_or_init(|| infer::lists(&self.chains))
    }

    /// Of what no case has, what comes nearest to a message.
    pub(super) fn nearest_miss(
        &self,
        case: &Case,
        message: &CaseMessage,
        misses: &[Arc<Miss>],
    ) -> Option<(Arc<Miss>, Nearest)> {
        let turns = self.chains.iter().flat_map(|chain| {
            chain
                .turns
                .iter()
                .zip(&chain.expected)
                .map(move |(turn, expected)| (chain, turn, expected))
        });
        let (chain, turn, expected) = turns.into_iter().find(|(_, turn, _)| {
            let heard = &turn.heard;
            heard.case.id == case.id && heard.message().key == message.key
        })?;
        let alike = misses.iter().filter(|miss| turn.heard.method() == Some(miss.method()));
        let near = alike.map(|miss| (expected.nearness(miss.heard()), miss));
        let (_, miss) = near.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        let differences = expected.differences(miss.heard(), &chain.values);
        Some((Arc::clone(miss), Nearest::new(&turn.heard, differences)))
    }

    fn that_hold(&self, revision: Revision, mut turns: Vec<At>) -> Vec<At> {
        turns.retain(|at| self.chains[at.chain].revisions.contains(revision));
        turns.sort_unstable();
        turns.dedup();
        turns
    }
}

impl Chain {
    fn new(lines: &[Line], found: Turns, inputs: &Inputs, notes: &mut Vec<String>) -> Self {
        let mut cases: Vec<_> = lines.iter().map(|line| &line.case).collect();
        cases.dedup_by(|one, other| Arc::ptr_eq(one, other));
        let chain = cases.iter().map(|case| &***case);
        let mut values = inputs.values(chain.clone()).unwrap_or_else(|wrong| {
            notes.push(wrong.to_string());
            Values::of(chain)
        });
        let has_names = !values.is_empty();
        for line in lines {
            // A place that is not there in the case itself has no value until it was really said.
            capture(line.message(), line.value(), &mut values).ok();
        }
        let windows = cases.iter().filter_map(|case| case.settings.revisions);
        let revisions = windows.fold(Revisions::all(), Revisions::intersection);
        let Turns { opening, turns, .. } = found;
        let expected =
            turns.iter().map(|turn| Expected::of(turn.heard.message(), has_names)).collect();
        Self { opening, turns, expected, values, revisions }
    }

    /// What the client of this conversation can do, if it begins with the handshake.
    pub(super) fn capabilities(&self) -> Option<&Value> {
        self.expected.first().and_then(Expected::capabilities)
    }
}

/// The messages of each conversation: a case that continues another belongs to it. What is skipped is not served.
fn conversations(cases: &Cases) -> Vec<Vec<Line>> {
    let mut conversations: Vec<Vec<Line>> = Vec::new();
    for file in &cases.files {
        let mut begun = false;
        for case in &file.cases {
            let lines = Line::all(file, case);
            match conversations.last_mut().filter(|_| begun && case.settings.continues) {
                _ if case.settings.skip.is_some() => {}
                Some(before) => before.extend(lines),
                None => {
                    begun = true;
                    conversations.push(lines.collect());
                }
            }
        }
    }
    conversations.retain(|lines| !lines.is_empty());
    conversations
}

/// What is left out when cases are served.
fn hooks(cases: &Cases) -> Option<String> {
    let runs = |(_, case): &(_, &Arc<Case>)| {
        let settings = &case.settings;
        !(settings.before.is_empty() && settings.after.is_empty() && settings.given.is_empty())
    };
    let (file, case) = cases.iter().find(runs)?;
    let line = case.span.line;
    Some(format!(
        "{}:{line}: `_before`, `_after` and `_given` are for servers under test; nothing of it is run here",
        file.path
    ))
}
