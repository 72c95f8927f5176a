//! Which cells a scenario asks for: what can be said without asking the server, so that listing tests is cheap and the
//! same every time.
//!
//! What the attribute leaves open stays open here: "the newest revision both speak" and "the first carrier of the target"
//! are found out when the cell is played. A cell is named after what the attribute declares, no more.

use std::fmt;

use super::Unplayable;
use crate::scenario::UserScenario;
use crate::spec::{Revision, Revisions};
use crate::transport::CarrierKind;

/// Which revision a cell asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// The newest one that both sides speak.
    Newest,
    /// One that was named by itself: the server has to speak it.
    Named(Revision),
    /// One out of a range: the server may not speak it.
    Ranged(Revision),
}

/// A cell as far as it is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) revision: Asked,
    /// The carrier; without one, the first of the target.
    pub(super) carrier: Option<CarrierKind>,
}

impl Cell {
    /// What the attribute declares of it, joined by `between`; empty if that is nothing.
    pub(super) fn label(&self, between: &str) -> String {
        let revision = match self.revision {
            Asked::Newest => None,
            Asked::Named(revision) | Asked::Ranged(revision) => Some(revision.as_str()),
        };
        let parts: Vec<&str> =
            revision.into_iter().chain(self.carrier.map(CarrierKind::as_str)).collect();
        parts.join(between)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label("::"))
    }
}

/// The cells of a scenario, revision by revision. `carriers` are those of its target, asked for only under `matrix`.
pub(super) fn declared(
    scenario: &UserScenario,
    carriers: impl FnOnce() -> Result<Vec<CarrierKind>, Unplayable>,
) -> Result<Vec<Cell>, Unplayable> {
    let revisions = match scenario.revisions {
        Some(text) => revisions(text)?,
        None if scenario.matrix => Revision::ALL.into_iter().map(Asked::Ranged).collect(),
        None => vec![Asked::Newest],
    };
    let carriers: Vec<Option<CarrierKind>> = if !scenario.transports.is_empty() {
        let named = scenario.transports.iter().map(|word| word.parse().map(Some));
        named.collect::<Result<_, _>>().map_err(|problem| wrong("transports", &problem))?
    } else if scenario.matrix {
        carriers()?.into_iter().map(Some).collect()
    } else {
        vec![None]
    };
    let cell = |revision| carriers.iter().map(move |&carrier| Cell { revision, carrier });
    Ok(revisions.into_iter().flat_map(cell).collect())
}

/// The revisions of an option, oldest first.
fn revisions(text: &str) -> Result<Vec<Asked>, Unplayable> {
    let mut named = Revisions::none();
    let mut ranged = Revisions::none();
    for part in text.split(',') {
        let read: Revisions = part.parse().map_err(|problem| wrong("revisions", &problem))?;
        match part.parse::<Revision>() {
            Ok(_) => named = named.union(read),
            Err(_) => ranged = ranged.union(read),
        }
    }
    let ask = |revision| match named.contains(revision) {
        true => Asked::Named(revision),
        false => Asked::Ranged(revision),
    };
    Ok(named.union(ranged).iter().map(ask).collect())
}

fn wrong(option: &'static str, problem: &dyn fmt::Display) -> Unplayable {
    Unplayable::Option { option, problem: problem.to_string() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A scenario that does nothing.
    pub(in crate::harness) const fn scenario() -> UserScenario {
        UserScenario {
            name: "works",
            module_path: "calculator",
            file: "tests/calculator.rs",
            line: 12,
            column: 10,
            manifest_dir: "",
            package: "calculator",
            target: None,
            revisions: None,
            transports: &[],
            matrix: false,
            allow_skip: false,
            ignored: None,
            timeout: None,
            golden: None,
            run: |_| Box::pin(async { Ok(()) }),
        }
    }

    fn labels(scenario: &UserScenario) -> Vec<String> {
        let carriers = || Ok(vec![CarrierKind::Duplex, CarrierKind::Router]);
        let cells = declared(scenario, carriers).expect("right options");
        cells.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn by_default_there_is_one_cell_and_nothing_is_said_of_it() {
        let unasked = || panic!("the target is not asked");
        let cells = declared(&scenario(), unasked).expect("right options");
        assert_eq!(cells, [Cell { revision: Asked::Newest, carrier: None }]);
        assert_eq!(cells[0].to_string(), "");
    }

    #[test]
    fn cells_are_named_after_what_is_declared() {
        let revisions = UserScenario { revisions: Some("2025-06-18..2025-11-25"), ..scenario() };
        assert_eq!(labels(&revisions), ["2025-06-18", "2025-11-25"]);
        let transports = UserScenario { transports: &["http", "duplex"], ..scenario() };
        assert_eq!(labels(&transports), ["http", "duplex"]);
        let both = UserScenario { transports: &["http"], ..revisions };
        assert_eq!(labels(&both), ["2025-06-18::http", "2025-11-25::http"]);
    }

    #[test]
    fn a_matrix_has_every_revision_over_every_carrier_within_the_options() {
        let matrix = UserScenario { matrix: true, ..scenario() };
        assert_eq!(labels(&matrix).len(), 2 * Revision::ALL.len());
        let narrowed = UserScenario {
            matrix: true,
            revisions: Some("2025-11-25.."),
            transports: &["router"],
            ..scenario()
        };
        assert_eq!(labels(&narrowed), ["2025-11-25::router", "2026-07-28::router"]);
    }

    #[test]
    fn only_a_revision_named_by_itself_has_to_be_spoken() {
        let asked = revisions("2025-03-26,2025-06-18..2025-11-25").expect("right");
        let expected = [
            Asked::Named(Revision::V2025_03_26),
            Asked::Ranged(Revision::V2025_06_18),
            Asked::Ranged(Revision::V2025_11_25),
        ];
        assert_eq!(asked, expected);
        assert!(revisions("all").expect("right").iter().all(|it| matches!(it, Asked::Ranged(_))));
    }

    #[test]
    fn a_wrong_word_is_told_with_its_option() {
        let wrong = UserScenario { transports: &["http2"], ..scenario() };
        let error = declared(&wrong, || Ok(Vec::new())).expect_err("a wrong word");
        insta::assert_snapshot!(error, @"transports of `#[mcp_scenario]`: `http2` is no transport: expected one of duplex, stdio, http, router, sse");
    }
}
