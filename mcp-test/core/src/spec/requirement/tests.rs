//! The committed registry is complete, unambiguous and searchable.

use std::collections::HashSet;

use super::*;
use crate::spec::Revisions;

/// The number of ids collected from the specification; each must keep naming a requirement.
const SOURCE_IDS: usize = 1442;

#[test]
fn every_source_id_names_one_requirement() {
    // Those of mcp-test are not from the specification.
    let ids: Vec<&str> = all()
        .filter(|requirement| requirement.reason().is_none())
        .flat_map(|requirement| {
            [requirement.id].into_iter().chain(requirement.aliases.iter().copied())
        })
        .collect();
    let distinct: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), distinct.len(), "an id or alias is used twice");
    assert_eq!(ids.len(), SOURCE_IDS);
    for id in ids {
        assert!(find(id).is_some(), "{id}");
    }
}

#[test]
fn every_requirement_has_a_revision_and_a_link() {
    for requirement in all() {
        assert!(!requirement.revisions.is_empty(), "{requirement}");
        for revision in requirement.revisions.iter() {
            match requirement.link(revision) {
                Some(link) => assert!(link.starts_with("https://"), "{requirement}"),
                None => assert_eq!(requirement.area(), parse::AREA_OF_MCP_TEST, "{requirement}"),
            }
        }
    }
}

#[test]
fn a_requirement_of_mcp_test_is_cited_with_its_reason() {
    let cited = Requirement::MCP_TEST_SERVER_LEAVES_NO_PROCESS.cite(Revision::V2025_11_25);
    insta::assert_snapshot!(cited, @"
    mcp-test.server-leaves-no-process (MUST) A server over stdio that exits has ended the processes that it started.
      required by mcp-test: The specification says how a server exits, not what becomes of its children; those that it leaves behind hold memory, ports and pipes after every session.
    ");
}

#[test]
fn duplicate_requirements_are_aliases() {
    for (alias, id) in [
        ("versioning.discover-implemented", "discover.implement"),
        ("versioning.discover-not-prerequisite", "discover.not-prerequisite"),
        ("schema.request-meta-required", "base.meta-request-required-fields"),
    ] {
        assert_eq!(find(alias).map(|requirement| requirement.id), Some(id));
    }
    let gated = find("base.sampling-requires-capability").unwrap();
    assert_eq!(gated.id, "sampling.request.requires-capability");
    assert_eq!(gated.revisions, Revisions::all());
    assert_eq!(find("sampling"), None);
}

#[test]
fn a_search_requires_every_word_and_ignores_case() {
    let ids = |filter: &str| search(filter).iter().map(|found| found.id).collect::<Vec<_>>();
    assert_eq!(ids("PING.result-EMPTY"), ["ping.result-empty"]);
    assert_eq!(ids("versioning.discover-implemented"), ["discover.implement"]);
    assert!(ids("ping server 2026-07-28 no-such-word").is_empty());
    assert_eq!(ids("").len(), all().count());
    let narrow = ids("authorization-server must not 2025-06-18");
    assert!(!narrow.is_empty() && narrow.len() < ids("authorization-server").len());
}

#[test]
fn a_link_leads_to_a_revision_that_has_the_requirement() {
    let ping = Requirement::PING_RESULT_EMPTY;
    let newest = "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#behavior-requirements";
    assert_eq!(ping.link(Revision::V2026_07_28).as_deref(), Some(newest));
    let older = newest.replace("2025-11-25", "2025-06-18");
    assert_eq!(ping.link(Revision::V2025_06_18), Some(older));
}
