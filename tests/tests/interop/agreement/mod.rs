//! The official suite and `mcp-test` on the same servers and clients: with the official profile, each check has the same status in
//! both, except where `AGREEMENT.md` gives a reason.
//!
//! A scenario that fails in the official suite never passes in ours.

mod faults;
mod page;
mod reasons;
mod rmcp_server;
mod runs;
mod serving;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::sync::Mutex;

use mcp_test::check::Origin;
use mcp_test::scenario::TestedSide;
use pretty_assertions::assert_eq;

use self::reasons::{NEVER_RAISED, REASONS};
use self::runs::{RunKey, SharedRun, TestedPeer};
use self::verdicts::{Verdicts, disagreements};
use crate::peers::Peers;

/// Runs ours, and compares its verdicts with the recorded ones and with the page.
#[track_caller]
fn replay(tested: &[TestedPeer], peers: Option<&Peers>) {
    // One after the other, since each keeps all processors busy, and both may write the page.
    static REPLAY: Mutex<()> = Mutex::new(());
    let _lock = REPLAY.lock();
    let official = verdicts::recorded();
    let mut runs = runs::on(tested);
    // What is not recorded is reported by a test of its own.
    runs.retain(|run| official.contains_key(&run.key));
    let ours = verdicts::ours(&runs, peers);
    assert_failures_are_shared(&official, &ours);
    page::check(tested, &official, &ours);
}

/// Checks that no run passes in ours that fails in the official suite.
#[track_caller]
fn assert_failures_are_shared(official: &Verdicts, ours: &Verdicts) {
    let passes = ours.iter().filter(|(run, ours)| ours.code == 0 && official[run].code != 0);
    let passes: Vec<&RunKey> = passes.map(|(run, _)| run).collect();
    assert!(passes.is_empty(), "these fail in the official suite only: {passes:#?}");
}

#[test]
fn recorded_verdicts_agree_on_servers_in_this_process() {
    replay(&TestedPeer::OWN_SERVERS, None);
}

#[test]
fn recorded_verdicts_agree_on_our_clients() {
    replay(&TestedPeer::OWN_CLIENTS, None);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn recorded_verdicts_agree_on_installed_servers() {
    replay(&TestedPeer::INSTALLED_SERVERS, Some(&Peers::installed()));
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn recorded_verdicts_agree_on_installed_clients() {
    replay(&TestedPeer::INSTALLED_CLIENTS, Some(&Peers::installed()));
}

/// Ten runs on servers and ten on clients, evenly spread over all peers, scenarios and faults. In write mode, records what is not
/// recorded yet.
#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn ten_recorded_verdicts_hold_in_the_official_suite() {
    const RUNS: usize = 10;
    const RECORDED_AT_ONCE: usize = 40;
    let peers = Peers::installed();
    let runs = runs::on(&TestedPeer::ALL);
    let mut recorded = verdicts::recorded();
    if env::var_os(page::WRITE).is_some() {
        let is_new = |run: &SharedRun| !recorded.contains_key(&run.key);
        let (new, known): (Vec<_>, Vec<_>) = runs.into_iter().partition(is_new);
        let known: BTreeSet<RunKey> = known.into_iter().map(|run| run.key).collect();
        recorded.retain(|run, _| known.contains(run));
        verdicts::record(recorded.clone());
        // By parts, so that what is recorded stays if the official suite crashes on a run.
        for part in new.chunks(RECORDED_AT_ONCE) {
            recorded.extend(verdicts::official(part, &peers));
            verdicts::record(recorded.clone());
        }
        return;
    }
    let (servers, clients): (Vec<_>, Vec<_>) =
        runs.into_iter().partition(|run| run.key.peer.tested_side() == TestedSide::Server);
    let chosen: Vec<SharedRun> = [servers, clients]
        .into_iter()
        .flat_map(|runs| {
            let every = runs.len() / RUNS;
            runs.into_iter().skip(every / 2).step_by(every).take(RUNS)
        })
        .collect();
    let official = verdicts::official(&chosen, &peers);
    recorded.retain(|run, _| official.contains_key(run));
    assert_eq!(recorded, official);
    let ours = verdicts::ours(&chosen, Some(&peers));
    assert_failures_are_shared(&official, &ours);
    for (run, ours) in &ours {
        let found = disagreements(run, &official[run], ours);
        let unexplained = reasons::unexplained(&found);
        assert!(unexplained.is_empty(), "without a reason in reasons.rs: {unexplained:#?}");
    }
}

#[test]
fn every_run_has_a_recorded_verdict() {
    let runs: BTreeSet<RunKey> =
        runs::on(&TestedPeer::ALL).into_iter().map(|run| run.key).collect();
    let recorded: BTreeSet<RunKey> = verdicts::recorded().into_keys().collect();
    let missing: Vec<&RunKey> = runs.difference(&recorded).collect();
    assert!(missing.is_empty(), "`.ci/agreement DIR missing` records {missing:#?}");
    let obsolete: Vec<&RunKey> = recorded.difference(&runs).collect();
    assert!(obsolete.is_empty(), "`.ci/agreement DIR missing` removes {obsolete:#?}");
}

/// Each check of an official scenario fails or warns in a recorded run, or is listed with the reason why it cannot.
#[test]
fn every_official_check_is_raised_by_a_fault_or_listed() {
    let mut raised: BTreeMap<(TestedSide, String), bool> = BTreeMap::new();
    for (run, verdict) in verdicts::recorded() {
        for (check, status) in verdict.checks {
            *raised.entry((run.peer.tested_side(), check)).or_default() |=
                ["FAILURE", "WARNING"].contains(&&*status);
        }
    }
    for tested_side in [TestedSide::Server, TestedSide::Client] {
        for check in runs::scenarios(tested_side).flat_map(|scenario| scenario.checks.iter()) {
            if check.origin == Origin::Official {
                raised.entry((tested_side, check.id.to_string())).or_default();
            }
        }
    }
    let never: BTreeSet<(TestedSide, &str)> = raised
        .iter()
        .filter(|(_, raised)| !*raised)
        .map(|((tested_side, check), _)| (*tested_side, &**check))
        .collect();
    let listed: BTreeSet<(TestedSide, &str)> =
        NEVER_RAISED.iter().map(|(tested_side, check, _)| (*tested_side, *check)).collect();
    let is_raised = |(tested_side, check): &&(TestedSide, &str)| {
        raised.get(&(*tested_side, (*check).to_owned())) == Some(&true)
    };
    let raised_after_all: Vec<_> = listed.iter().filter(is_raised).collect();
    assert!(raised_after_all.is_empty(), "listed as never raised: {raised_after_all:#?}");
    let unlisted: Vec<_> = never.difference(&listed).collect();
    assert!(unlisted.is_empty(), "neither raised nor listed as never raised: {unlisted:#?}");
}

/// A reason that no disagreement in the page has is obsolete.
#[test]
fn every_reason_is_that_of_a_disagreement() {
    let page = page::read();
    let unused: Vec<&str> = REASONS
        .iter()
        .map(|it| it.why)
        .filter(|why| !page.contains(&format!("| {why} |")))
        .collect();
    assert!(unused.is_empty(), "{unused:#?}");
}
