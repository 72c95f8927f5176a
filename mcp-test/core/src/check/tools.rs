//! Judges a conversation by the schemas of its tools.
//!
//! Without the feature `schema` nothing is judged by them.

use super::tool_judgement::ToolJudgement;
#[cfg(feature = "schema")]
use super::tool_schemas::{TimeBudget, ToolSchemaJudge};
#[cfg(feature = "schema")]
use super::walk::walk;
use crate::spec::{Requirement, Revision};
use crate::trace::{ConnectionId, Party, Trace};

/// The requirements that `wire-tool-schemas` cites.
#[doc(hidden)]
pub const REQUIREMENTS_OF_TOOLS: &[&Requirement] = &[
    Requirement::BASE_SCHEMA_PREFER_2020_12,
    Requirement::BASE_SCHEMA_VALID,
    Requirement::TOOLS_DEFINITION_INPUT_SCHEMA_VALID,
    Requirement::TOOLS_DEFINITION_OUTPUT_SCHEMA_VALID,
    Requirement::TOOLS_STRUCTURED_CONFORMS_OUTPUT_SCHEMA,
    Requirement::TOOLS_STRUCTURED_PRESENT_WITH_OUTPUT_SCHEMA,
];

/// Everything wrong with the schemas of tools that `who` lists in `trace`, and with what it sends by those listed.
///
/// Of a server these are the schemas, and the structured content that it returns; of a client, the arguments that it
/// calls with. A call is judged by the tool as it was listed before, on the same connection. `revisions` returns for each
/// connection the revision that it was opened for; what was negotiated in it takes precedence.
///
/// Without the feature `schema` nothing is judged.
#[doc(hidden)]
#[must_use]
pub fn judge_tools(
    trace: &Trace,
    who: Party,
    revisions: &dyn Fn(ConnectionId) -> Revision,
) -> ToolJudgement {
    #[cfg(feature = "schema")]
    {
        let mut judge = ToolSchemaJudge::new(who, TimeBudget::default());
        walk(trace, revisions, &mut judge);
        judge.into_judgement()
    }
    #[cfg(not(feature = "schema"))]
    {
        let _unread = (trace, who, revisions);
        ToolJudgement::default()
    }
}
