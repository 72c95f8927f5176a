//! Invariants of every built-in scenario.

use std::collections::HashSet;

use mcp_test_core::check::{Origin, SCHEMA_VALID, Status, TOOL_SCHEMAS, WELL_FORMED};
use mcp_test_core::scenario::{CLIENT_CONNECTED, CLIENT_EXIT, Profile};
use mcp_test_core::spec::Revision;
use mcp_test_core::spec::schema::Authority;

use crate::scenarios::*;

#[test]
fn ids_are_unique() {
    let mut seen = HashSet::new();
    for scenario in all() {
        assert!(seen.insert((scenario.tested_side, &*scenario.id)), "{} occurs twice", scenario.id);
        let mut checks = HashSet::new();
        for check in scenario.checks.iter() {
            assert!(checks.insert(&*check.id), "{}: {} occurs twice", scenario.id, check.id);
        }
    }
    assert!(!seen.is_empty());
}

#[test]
fn the_order_of_reports_names_each_official_scenario_and_no_other() {
    for side in TestedSide::ALL {
        let official: HashSet<_> = all()
            .filter(|it| it.tested_side == side && it.official.is_some())
            .map(|it| &*it.id)
            .collect();
        let ordered: HashSet<_> = official_order::official(side).iter().copied().collect();
        assert_eq!(ordered, official, "{side}");
        assert_eq!(ordered.len(), official_order::official(side).len(), "{side}: one occurs twice");
    }
}

#[test]
fn every_check_cites_requirements_of_its_revisions() {
    for scenario in all() {
        for check in scenario.checks.iter() {
            assert!(!check.requirements.is_empty(), "{}:{} cites nothing", scenario.id, check.id);
            for requirement in check.requirements {
                let revisions = scenario
                    .revisions
                    .iter()
                    .filter(|&revision| check.revisions.contains(revision));
                let common =
                    revisions.filter(|&revision| requirement.revisions.contains(revision)).count();
                assert!(
                    common > 0,
                    "{}:{} cites {requirement}, which applies at none of its revisions",
                    scenario.id,
                    check.id
                );
            }
        }
    }
}

#[test]
fn every_check_is_proven_able_to_fail_and_to_warn() {
    for scenario in all() {
        let proofs = (scenario.proofs.expect("a built-in scenario has proofs"))().proofs;
        for check in scenario.checks.iter() {
            for (possible, status) in
                [(check.fails, Status::Failure), (check.warns, Status::Warning)]
            {
                let proven =
                    proofs.iter().any(|proof| proof.check == check.id && proof.status == status);
                assert_eq!(
                    proven, possible,
                    "{}:{} {status}: proven / possible",
                    scenario.id, check.id
                );
            }
        }
        for proof in &proofs {
            assert!(
                [WELL_FORMED, SCHEMA_VALID, TOOL_SCHEMAS, CLIENT_EXIT, CLIENT_CONNECTED]
                    .contains(&proof.check)
                    || scenario.check(proof.check).is_some(),
                "{}: a proof names the unknown check `{}`",
                scenario.id,
                proof.check
            );
        }
    }
}

#[test]
fn official_scenarios_exist_at_least_where_the_official_suite_runs_them() {
    for scenario in all() {
        let Some(official) = scenario.official else {
            continue;
        };
        for revision in Revision::ALL {
            assert!(
                !official.revisions.contains(revision) || scenario.revisions.contains(revision),
                "{} at {revision}",
                scenario.id
            );
        }
        assert!(
            scenario.checks.iter().any(|check| check.origin == Origin::Official && check.always),
            "{} has no official check that is always reported",
            scenario.id
        );
    }
}

#[test]
fn a_scenario_is_found_by_its_id_and_described() {
    let ping = find(TestedSide::Server, "ping").expect("ping");
    assert!(ping.doc.starts_with(" The server answers `ping`"), "{:?}", ping.doc);
    assert!(ping.file.ends_with("ping.rs"));
    assert!(find(TestedSide::Client, "ping").is_none());
}

#[test]
fn only_the_official_profile_validates_against_the_plain_schema_and_only_in_official_scenarios() {
    let authority = |profile: Profile, id| {
        profile.authority(find(TestedSide::Server, id).map(Scenario::declared).as_ref())
    };
    assert_eq!(authority(Profile::Official, "tools-list"), Authority::Schema);
    assert_eq!(authority(Profile::Official, "server-stateless"), Authority::Text);
    assert_eq!(authority(Profile::Strict, "tools-list"), Authority::Text);
    assert_eq!(Profile::Official.authority(None), Authority::Text);
}
