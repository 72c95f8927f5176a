//! The verdict of a suite on a run: its exit code and the statuses of its checks; those of the official suite are recorded.

use std::collections::{BTreeMap, BTreeSet};

use mcp_test::scenario::TestedSide;
use mcp_test_tests::folder::Folder;
use serde::{Deserialize, Serialize};

use super::runs::{RunKey, SharedRun};
use super::serving::use_each;
use crate::official_suite::{checks_file, command_of, path_arg, run_official, statuses};
use crate::peers::Peers;
use crate::program::mcp_test;

/// The recorded verdicts of the official suite, a line of JSON for each run.
pub(super) const RECORDED: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interop/agreement/official.jsonl");

/// The verdict of a suite on a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Verdict {
    /// The exit code.
    #[serde(rename = "exit")]
    pub(super) code: i32,
    /// The most severe status of each check, by its id.
    pub(super) checks: BTreeMap<String, String>,
}

/// The verdicts of a suite, by run.
pub(super) type Verdicts = BTreeMap<RunKey, Verdict>;

#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    run: RunKey,
    #[serde(flatten)]
    verdict: Verdict,
}

/// The recorded verdicts.
pub(super) fn recorded() -> Verdicts {
    let text = std::fs::read_to_string(RECORDED).expect("the recorded verdicts");
    let line = |line| serde_json::from_str::<Line>(line).expect("a line of the recorded verdicts");
    text.lines().map(line).map(|line| (line.run, line.verdict)).collect()
}

/// Writes the verdicts to the file that [`recorded`] reads.
pub(super) fn record(verdicts: Verdicts) {
    let line = |(run, verdict)| serde_json::to_string(&Line { run, verdict }).expect("JSON");
    let text: String = verdicts.into_iter().map(|it| line(it) + "\n").collect();
    std::fs::write(RECORDED, text).expect("the file can be written");
}

/// What the official suite makes of each run.
pub(super) fn official(runs: &[SharedRun], peers: &Peers) -> Verdicts {
    verdicts("official", runs, Some(peers), |tested_side, address, scenario, options| {
        // Not much of a wait where a server falls silent, for which the suite waits until the end; a client has to start first.
        let timeout = if tested_side == TestedSide::Server { "9000" } else { "20000" };
        let options = &[&["--timeout", timeout], options].concat();
        let (code, text) = run_official(peers, tested_side, address, scenario, options);
        // It also exits with 1 if it is used wrongly, or crashes.
        assert!(text.contains("Test Results:"), "{scenario} {options:?}\n{text}");
        code
    })
}

/// What `mcp-test server` or `mcp-test client` makes of each run.
pub(super) fn ours(runs: &[SharedRun], peers: Option<&Peers>) -> Verdicts {
    verdicts("ours", runs, peers, |tested_side, address, scenario, options| {
        let (command, option) = command_of(tested_side);
        // Ours notices silence before, however busy the machine is.
        let target = [command, option, address, "--scenario", scenario, "--timeout", "60000"];
        mcp_test([&target, options].concat()).code
    })
}

/// Runs a suite, which gets the tested side, a URL or a command, a scenario and the options that both suites have, and returns its exit code.
fn verdicts(
    suite: &str,
    runs: &[SharedRun],
    peers: Option<&Peers>,
    execute: impl Fn(TestedSide, &str, &str, &[&str]) -> i32 + Sync,
) -> Verdicts {
    let name = format!("agreement-{suite}-{}", runs.len());
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), &name);
    let number = |run: &SharedRun| runs.iter().position(|it| it.key == run.key).unwrap_or_default();
    use_each(runs, peers, |run, address| {
        let folder = folder.path().join(number(run).to_string());
        let output = path_arg(&folder);
        let mut options = vec!["-o", &output];
        if !run.key.revision.is_empty() {
            options.extend(["--spec-version", &run.key.revision]);
        }
        let code = execute(run.key.peer.tested_side(), address, &run.key.scenario, &options);
        Verdict {
            code,
            // A suite that crashed, or refused the scenario, wrote none.
            checks: checks_file(&folder).map(|_| statuses(&folder)).unwrap_or_default(),
        }
    })
}

/// A check that has one status in the official suite and another in ours, or a different exit code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Disagreement {
    /// The run.
    pub(super) run: RunKey,
    /// The id of the check, or `exit code`.
    pub(super) check: String,
    /// Its status in the official suite; `-` if the check was not made.
    pub(super) official: String,
    /// Its status in ours.
    pub(super) ours: String,
}

/// The checks by which ours reports why a client fails, which the official suite shows only by its exit code.
const OF_EVERY_CLIENT: [&str; 2] = ["client-connected", "client-exit"];

/// What the verdicts on one run disagree about.
pub(super) fn disagreements(run: &RunKey, official: &Verdict, ours: &Verdict) -> Vec<Disagreement> {
    let status = |verdict: &Verdict, id: &str| {
        verdict.checks.get(id).map_or_else(|| "-".to_owned(), String::clone)
    };
    let ids: BTreeSet<&String> = official.checks.keys().chain(ours.checks.keys()).collect();
    let checks = ids.into_iter().filter(|id| !OF_EVERY_CLIENT.contains(&id.as_str()));
    let checks = checks.map(|id| (id.clone(), status(official, id), status(ours, id)));
    let code = ("exit code".to_owned(), official.code.to_string(), ours.code.to_string());
    // The official suite logs the messages of clients as checks.
    let is_logged = |official: &str, ours: &str| {
        run.peer.tested_side() == TestedSide::Client && (official, ours) == ("INFO", "-")
    };
    // Ours also lists checks that were not reached, as skipped.
    let agree = |official: &str, ours: &str| {
        official == ours || (official, ours) == ("-", "SKIPPED") || is_logged(official, ours)
    };
    checks
        .chain([code])
        .filter(|(_, official, ours)| !agree(official, ours))
        .map(|(check, official, ours)| Disagreement { run: run.clone(), check, official, ours })
        .collect()
}
