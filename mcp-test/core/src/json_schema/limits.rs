//! Limits for schemas and for the validation of one value.

use std::time::Duration;

/// Limits for a schema and for the validation of one value.
///
/// The defaults admit every schema that a person would write, and stop hostile ones quickly.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::json_schema::Limits;
///
/// let mut limits = Limits::default();
/// limits.steps = 100_000;
/// assert!(limits.steps < Limits::default().steps);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The length of the schema as JSON text, in bytes.
    pub bytes: usize,
    /// The nesting depth of arrays and objects in the schema.
    pub nesting: usize,
    /// The number of schemas that references, `allOf` and similar keywords may chain for one value.
    pub chain: usize,
    /// The total number of schemas that may be applied to one value.
    pub applications: u64,
    /// The number of schemas with an `$id` of their own.
    pub resources: usize,
    /// The number of different patterns.
    pub patterns: usize,
    /// The length of a pattern, in bytes.
    pub pattern: usize,
    /// The size of a compiled pattern, in bytes; this also bounds its nesting.
    pub pattern_program: usize,
    /// The cost of matching one text against all patterns: bytes of the text times bytes of the compiled patterns.
    pub pattern_work: usize,
    /// The number of backtracking steps of a pattern in one text.
    pub backtracking: usize,
    /// The number of accesses to parts of the value in one validation.
    pub steps: u64,
    /// The processor time of one validation.
    pub time: Duration,
    /// The stack usage of one validation, in bytes.
    pub stack: usize,
}

impl Limits {
    /// Limits for a whole document of definitions, which the user chooses: larger schemas, but no more time.
    #[must_use]
    pub fn document() -> Self {
        Self {
            bytes: 4 << 20,
            chain: 128,
            applications: 100_000,
            steps: 100_000_000,
            ..Self::default()
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 256 << 10,
            nesting: 64,
            chain: 64,
            applications: 10_000,
            resources: 6,
            patterns: 32,
            pattern: 2 << 10,
            pattern_program: 1 << 20,
            pattern_work: 1 << 30,
            backtracking: 100_000,
            steps: 4_000_000,
            time: Duration::from_secs(5),
            stack: 512 << 10,
        }
    }
}
