//! What the fault of a proof changes besides the check that it proves: a snapshot for each scenario.
//!
//! It is reviewed, not claimed: one fault may break, or keep from being made, many checks of a scenario.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use mcp_test_core::check::Status;
use mcp_test_core::scenario::{Proof, Scenario};
use mcp_test_suite::scenarios;

use crate::runs::proofs;

/// The other checks that changed, with their new status; `None` if one is no longer made.
pub(crate) type OtherChanges = BTreeMap<String, Option<Status>>;

/// Compares what the proofs of a scenario changed with its snapshot.
///
/// # Panics
///
/// Panics if they differ.
pub(crate) fn compare(scenario: &Scenario, changes: &[(&Proof, OtherChanges)]) {
    if !has_snapshot(scenario) {
        return;
    }
    let mut text = String::new();
    for (proof, changes) in changes {
        // Writing to a String does not fail.
        let _ = writeln!(text, "{}", heading(proof));
        for (check, status) in changes {
            let status = status.map_or("not made".to_owned(), |status| status.to_string());
            let _ = writeln!(text, "{INDENT}{check} {status}");
        }
    }
    let settings = || {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings
    };
    settings().bind(|| insta::assert_snapshot!(snapshot_name(scenario), text));
}

/// The other checks that the proofs of a scenario change by its snapshot, by their headings.
pub(crate) fn recorded(scenario: &Scenario) -> HashMap<String, Vec<String>> {
    if !has_snapshot(scenario) {
        return HashMap::new();
    }
    let path = folder().join(snapshot_name(scenario)).with_extension("snap");
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut recorded: HashMap<String, Vec<String>> = HashMap::new();
    let mut proof = None;
    for line in text.lines() {
        match (line.strip_prefix(INDENT), proof.as_ref()) {
            (Some(change), Some(proof)) => {
                let check = change.split(' ').next().unwrap_or_default();
                recorded.entry(String::clone(proof)).or_default().push(check.to_owned());
            }
            _ => proof = Some(line.to_owned()),
        }
    }
    recorded
}

/// The line of a snapshot that stands for a proof.
pub(crate) fn heading(proof: &Proof) -> String {
    format!("{} {} by {}{}", proof.check, proof.status, proof.fault, proof.conditions())
}

/// A snapshot of a scenario that no longer exists would be reviewed for nothing.
pub(crate) fn each_snapshot_belongs_to_a_scenario() {
    let files = fs::read_dir(folder()).expect("the folder of the snapshots");
    let found: BTreeSet<String> = files
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".snap"))
        .collect();
    let expected = scenarios::all()
        .filter(|scenario| has_snapshot(scenario))
        .map(|scenario| format!("{}.snap", snapshot_name(scenario)));
    assert_eq!(found, expected.collect());
}

const INDENT: &str = "    ";

/// All but the few scenarios that only inform.
fn has_snapshot(scenario: &Scenario) -> bool {
    !proofs(scenario).proofs.is_empty()
}

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "proofs", "snapshots"].iter().collect()
}

fn snapshot_name(scenario: &Scenario) -> String {
    format!("{}__{}", scenario.tested_side, scenario.id.replace('/', "__"))
}
