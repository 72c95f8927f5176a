//! A contract made ready to be served: its conversations, found by what the client says.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::face;
use super::heard::{Expected, Heard};
use super::infer::{self, Lists};
use super::line::Line;
use super::miss::{Miss, Nearest};
use super::turn::{Act, Turn, Turns};
use crate::cases::{Case, CaseMessage, Cases, Values, capture};
use crate::json::Value;
use crate::server::Face;
use crate::spec::{Revision, Revisions};

/// The cases as they were read once.
#[derive(Debug)]
pub(super) struct Edition {
    pub(super) cases: Cases,
    pub(super) chains: Vec<Chain>,
    shelves: HashMap<String, Shelf>,
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

/// The turns that begin with one method.
#[derive(Debug, Default)]
struct Shelf {
    named: HashMap<String, Vec<At>>,
    /// Those that are not about one thing.
    others: Vec<At>,
}

impl Edition {
    pub(super) fn new(cases: Cases, inputs: &[(String, Value)], served: Revisions) -> Self {
        let (mut chains, mut notes) = (Vec::new(), Vec::new());
        for lines in conversations(&cases) {
            let found = Turns::of(lines.iter().cloned());
            notes.extend(found.stray.iter().map(|(line, why)| {
                format!("{}: `{}` is not served: {why}", line.place(), line.message().key)
            }));
            chains.push(Chain::new(&lines, found, inputs));
        }
        notes.extend(hooks(&cases));
        let mut shelves: HashMap<String, Shelf> = HashMap::new();
        for (number, chain) in chains.iter().enumerate() {
            for (turn, (said, expected)) in chain.turns.iter().zip(&chain.expected).enumerate() {
                let at = At { chain: number, turn };
                let shelf = shelves.entry(said.heard.method().unwrap_or_default().to_owned());
                let shelf = shelf.or_default();
                match expected.name() {
                    Some(name) => shelf.named.entry(name.to_owned()).or_default().push(at),
                    None => shelf.others.push(at),
                }
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
        self.shelves.contains_key(method)
    }

    /// The methods that the client says in a case.
    pub(super) fn methods(&self) -> impl Iterator<Item = &str> {
        self.shelves.keys().map(String::as_str)
    }

    /// The things that messages of a method are about, in the order of the alphabet.
    pub(super) fn names(&self, method: &str) -> Vec<&str> {
        let shelf = self.shelves.get(method);
        let mut names: Vec<_> =
            shelf.into_iter().flat_map(|shelf| shelf.named.keys()).map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// The turns that may begin with this message, in order.
    pub(super) fn candidates(&self, heard: &Heard) -> Vec<At> {
        let Some(shelf) = self.shelves.get(&heard.method) else { return Vec::new() };
        let named = heard.name.as_ref().and_then(|name| shelf.named.get(name));
        self.at(heard.revision, named.into_iter().flatten().chain(&shelf.others))
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

    fn at<'a>(&self, revision: Revision, turns: impl Iterator<Item = &'a At>) -> Vec<At> {
        let holds = |at: &At| self.chains[at.chain].revisions.contains(revision);
        let mut turns: Vec<_> = turns.copied().filter(holds).collect();
        turns.sort_unstable();
        turns
    }
}

impl Chain {
    fn new(lines: &[Line], found: Turns, inputs: &[(String, Value)]) -> Self {
        let mut cases: Vec<_> = lines.iter().map(|line| &line.case).collect();
        cases.dedup_by(|one, other| Arc::ptr_eq(one, other));
        let mut values = Values::of(cases.iter().map(|case| &***case));
        let has_names = !values.is_empty();
        for (name, value) in inputs {
            if values.names().any(|known| known == name) {
                values.set(name, value.clone());
            }
        }
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
