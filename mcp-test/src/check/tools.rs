//! What the schemas of tools in a conversation come to.
//!
//! Without the feature `schema` nothing is judged by them.

use super::Finding;
use crate::spec::Revision;
use crate::trace::{Connection, Party, Trace};

/// What the schemas of tools in a conversation come to.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolJudgement {
    /// What is wrong with what the judged party listed, called with or returned.
    pub findings: Vec<Finding>,
    /// How many schemas, arguments and results of the judged party were judged.
    pub judged: usize,
}

/// Everything wrong with the schemas of tools that `who` lists in `trace`, and with what it sends by those listed.
///
/// Of a server these are the schemas, and the structured content that it returns; of a client, the arguments that it
/// calls with. A call is judged by the tool as it was listed before, on the same connection. `revisions` knows for each
/// connection the revision that it was meant to be held in; what was agreed on in it counts more.
///
/// Without the feature `schema` nothing is judged.
#[must_use]
pub fn judge_tools(
    trace: &Trace,
    who: Party,
    revisions: &dyn Fn(Connection) -> Revision,
) -> ToolJudgement {
    #[cfg(feature = "schema")]
    return super::tool_schemas::judge(trace, who, revisions);
    #[cfg(not(feature = "schema"))]
    {
        let _unread = (trace, who, revisions);
        ToolJudgement::default()
    }
}
