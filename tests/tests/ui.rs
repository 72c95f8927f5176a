//! What the compiler says to someone who makes a mistake with `#[mcp_scenario]` or `cases!`, and that it says nothing to others.
//!
//! The messages of `rustc` itself change with its version; the files hold those of the newest stable one. After a change
//! of wording: `TRYBUILD=overwrite cargo test -p mcp-test-tests --test ui`, and read the difference.

#[test]
fn mistakes_are_told_at_the_users_word() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*.rs");
    cases.pass("ui/pass/*.rs");
}
