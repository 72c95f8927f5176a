//! How much a schema, and judging one value by it, may take.

use std::time::Duration;

/// How much a schema, and judging one value by it, may take.
///
/// The defaults leave room for every schema that a person would write, and end each hostile one quickly.
///
/// ```
/// use mcp_test::json_schema::Limits;
///
/// let mut limits = Limits::default();
/// limits.steps = 100_000;
/// assert!(limits.steps < Limits::default().steps);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long the schema may be as JSON text, in bytes.
    pub bytes: usize,
    /// How deep arrays and objects may nest in the schema.
    pub nesting: usize,
    /// How many schemas may be passed through, by references and by `allOf` and its like, before one of them looks
    /// inside the value.
    pub chain: usize,
    /// How often schemas may be applied to one and the same value in all.
    pub applications: u64,
    /// How many schemas in it may have an `$id` of their own.
    pub resources: usize,
    /// How many different patterns there may be.
    pub patterns: usize,
    /// How long a pattern may be, in bytes.
    pub pattern: usize,
    /// How large a pattern may become when it is compiled, in bytes; it may not nest much, either.
    pub pattern_program: usize,
    /// How much one text may take to be held against all patterns: bytes of the text times bytes of the programs.
    pub pattern_work: usize,
    /// How often a pattern that needs it may go back in one text.
    pub backtracking: usize,
    /// How many looks at the parts of a value one judgement may take.
    pub steps: u64,
    /// How long one judgement may take.
    pub time: Duration,
    /// How much stack one judgement may take, in bytes.
    pub stack: usize,
}

impl Limits {
    /// For a whole document of definitions that somebody has chosen to judge by: larger, and no more patient.
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
