//! The result of judging a conversation by the schemas of its tools.

use std::collections::BTreeSet;

use super::Finding;
use crate::spec::Requirement;

/// The result of judging a conversation by the schemas of its tools.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolJudgement {
    /// What is wrong with what the judged party listed, called with or returned.
    pub findings: Vec<Finding>,
    /// How many schemas, arguments and results of the judged party were judged.
    pub judged: usize,
    /// The requirements that they were judged by.
    pub tested: BTreeSet<&'static Requirement>,
}
