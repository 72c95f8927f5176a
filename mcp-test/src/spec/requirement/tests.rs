//! The registry as it is committed: complete, unambiguous, and found by what a reader would type.

use std::collections::HashSet;

use super::*;

/// How many ids were gathered from the specification; each must keep on naming a requirement.
const SOURCE_IDS: usize = 1351;

#[test]
fn every_file_reads() {
    for (name, text) in files::FILES {
        match parse::file(name, text) {
            Ok(read) => assert!(!read.is_empty(), "{name}"),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn every_file_in_the_folder_is_included() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/spec/requirement");
    let there: HashSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".req"))
        .collect();
    let included: HashSet<String> =
        files::FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(included, there);
}

#[test]
fn every_source_id_names_one_requirement() {
    let ids: Vec<&str> = all()
        .iter()
        .flat_map(|requirement| {
            [requirement.id].into_iter().chain(requirement.aliases.iter().copied())
        })
        .collect();
    let distinct: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), distinct.len(), "an id or alias is there twice");
    assert_eq!(ids.len(), SOURCE_IDS);
    for id in ids {
        assert!(find(id).is_some(), "{id}");
    }
}

#[test]
fn every_requirement_is_made_somewhere_and_linked() {
    for requirement in all() {
        assert!(!requirement.revisions.is_empty(), "{requirement}");
        for revision in requirement.revisions.iter() {
            assert!(requirement.link(revision).starts_with("https://"), "{requirement}");
        }
    }
}

#[test]
fn what_says_the_same_under_two_ids_is_one() {
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
fn a_search_needs_every_word_and_no_case() {
    let ids = |filter: &str| search(filter).iter().map(|found| found.id).collect::<Vec<_>>();
    assert_eq!(ids("PING.result-EMPTY"), ["ping.result-empty"]);
    assert_eq!(ids("versioning.discover-implemented"), ["discover.implement"]);
    assert!(ids("ping server 2026-07-28 no-such-word").is_empty());
    assert_eq!(ids("").len(), all().len());
    let narrow = ids("authorization-server must not 2025-06-18");
    assert!(!narrow.is_empty() && narrow.len() < ids("authorization-server").len());
}

#[test]
fn a_link_leads_to_a_revision_that_has_the_requirement() {
    let ping = find("ping.result-empty").unwrap();
    let newest = "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#behavior-requirements";
    assert_eq!(ping.link(Revision::V2026_07_28), newest);
    assert_eq!(ping.link(Revision::V2025_06_18), newest.replace("2025-11-25", "2025-06-18"));
}
