//! How often the tests of verdicts that could depend on timing repeat their run.

/// `MCP_TEST_TESTS_REPEATS`, else 10.
pub(crate) fn repeats() -> usize {
    let given = std::env::var("MCP_TEST_TESTS_REPEATS").ok();
    given.map_or(10, |given| given.parse().expect("MCP_TEST_TESTS_REPEATS is a number"))
}
