//! Compiler errors about mistakes with `#[mcp_scenario]` and `cases!`. Valid uses are the programs in `quiet`, which Cargo
//! builds for this test: trybuild checks its dependencies faster than it builds them.
//!
//! The messages of `rustc` itself change with its version; the files have those of the newest stable one. To update them, run
//! `TRYBUILD=overwrite cargo test -p mcp-test-compile-errors`, and review the difference.

#[test]
fn mistakes_are_reported_at_the_users_tokens() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*.rs");
}
