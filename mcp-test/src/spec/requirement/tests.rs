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
    let included: HashSet<String> = files::FILES
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    assert_eq!(included, there);
}

#[test]
fn every_source_id_names_one_requirement() {
    let ids: Vec<&str> = all()
        .iter()
        .flat_map(|requirement| {
            [requirement.id]
                .into_iter()
                .chain(requirement.aliases.iter().copied())
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
            assert!(
                requirement.link(revision).starts_with("https://"),
                "{requirement}"
            );
        }
    }
}
