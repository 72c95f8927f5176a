//! `#[mcp_scenario]` checks words while compiling, in a crate that can't ask `mcp_test` for them: both know the same ones.

use mcp_test::spec::{Revision, Revisions};
use mcp_test::transport::CarrierKind;

/// The strings of an array constant in a source file.
fn words<'a>(source: &'a str, constant: &str) -> Vec<&'a str> {
    let (_, after) = source.split_once(&format!("const {constant}:")).expect("the constant");
    let (_, value) = after.split_once("= [").expect("its value");
    let (list, _) = value.split_once("];").expect("its end");
    list.split('"').skip(1).step_by(2).collect()
}

#[test]
fn the_revisions_are_those_of_the_specification() {
    let source = include_str!("../../mcp-test-macros/src/validate/revisions.rs");
    assert_eq!(words(source, "REVISIONS"), Revision::ALL.map(Revision::as_str));
}

#[test]
fn the_transports_are_the_carriers() {
    let source = include_str!("../../mcp-test-macros/src/validate/options.rs");
    let carriers = CarrierKind::ALL.map(CarrierKind::as_str);
    assert_eq!(words(source, "TRANSPORTS"), carriers);
}

#[test]
fn every_form_of_revisions_that_compiles_is_read_at_run_time() {
    for form in
        ["all", "2025-06-18", "2025-06-18..", "..2025-06-18", "2024-11-05..2025-03-26,2026-07-28"]
    {
        assert!(form.parse::<Revisions>().is_ok(), "{form}");
    }
}
