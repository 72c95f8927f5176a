//! `#[mcp_scenario]` checks words at compile time, in a crate that cannot depend on `mcp_test`: both accept the same words
//! and make the same suggestions.

use mcp_test::expect::words as run_time;
use mcp_test::spec::{METHODS, Revision, Revisions, requirement};
use mcp_test::transport::TransportKind;

#[path = "../../mcp-test-macros/src/suggest.rs"]
mod suggest;

/// The strings of an array constant in a source file.
fn words<'a>(source: &'a str, constant: &str) -> Vec<&'a str> {
    let (_, after) = source.split_once(&format!("const {constant}:")).expect("the constant");
    let (_, value) = after.split_once("= [").expect("its value");
    let (list, _) = value.split_once("];").expect("its end");
    list.split('"').skip(1).step_by(2).collect()
}

#[test]
fn the_macro_accepts_the_revisions_of_the_specification() {
    let source = include_str!("../../mcp-test-macros/src/validate/revisions.rs");
    assert_eq!(words(source, "REVISIONS"), Revision::ALL.map(Revision::as_str));
}

#[test]
fn the_macro_accepts_every_transport() {
    let source = include_str!("../../mcp-test-macros/src/validate/options.rs");
    let transports = TransportKind::ALL.map(TransportKind::as_str);
    assert_eq!(words(source, "TRANSPORTS"), transports);
}

#[test]
fn the_macro_knows_every_requirement() {
    let all = requirement::all();
    let ids = all.flat_map(|it| [it.id].into_iter().chain(it.aliases.iter().copied()));
    // Into the file go these lines, in this order.
    let expected: Vec<&str> = ids.collect();
    let known = include_str!("../../mcp-test-macros/src/validate/requirement_ids.txt");
    assert_eq!(known.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn every_form_of_revisions_that_compiles_is_parsed_at_run_time() {
    for form in
        ["all", "2025-06-18", "2025-06-18..", "..2025-06-18", "2024-11-05..2025-03-26,2026-07-28"]
    {
        assert!(form.parse::<Revisions>().is_ok(), "{form}");
    }
}

#[test]
fn compile_time_and_run_time_suggest_the_same_word() {
    let mut known: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
    known.extend(Revision::ALL.map(Revision::as_str));
    let misspelled = known.iter().flat_map(|word| {
        let swapped = word.chars().rev().collect();
        let cut = |length: usize| word.chars().take(length).collect::<String>();
        [word.to_uppercase(), swapped, cut(1), cut(word.len() / 2), cut(word.len() - 2)]
    });
    let misspelled: Vec<String> = misspelled.chain([String::new(), "ä".to_owned()]).collect();
    let mut suggested = 0;
    for word in &misspelled {
        let suggestion = suggest::closest(word, &known);
        assert_eq!(suggestion, run_time::closest(word, known.iter().copied()), "{word}");
        suggested += usize::from(suggestion.is_some());
    }
    assert!((1..misspelled.len()).contains(&suggested));
}
