//! Everything that is wrong in a trace, found in one walk.

use super::Finding;
use super::envelope::EnvelopeJudge;
use super::shapes::{ShapeJudge, ShapeJudgement};
use super::tool_judgement::ToolJudgement;
#[cfg(feature = "schema")]
use super::tool_schemas::{TimeBudget, ToolSchemaJudge};
use super::walk::walk;
use crate::clock::Deadline;
use crate::spec::Revision;
use crate::spec::schema::{Authority, Schemas};
use crate::trace::{ConnectionId, Party, Trace};

/// What [`judge_envelopes`](super::judge_envelopes), [`judge_shapes`](super::judge_shapes) and
/// [`judge_tools`](super::judge_tools) find.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// What is wrong with the envelopes.
    pub envelopes: Vec<Finding>,
    /// What is wrong with the shapes.
    pub shapes: ShapeJudgement,
    /// What is wrong with the schemas of tools.
    pub tools: ToolJudgement,
}

/// Everything wrong with what `who` sent in `trace`.
///
/// `revisions` returns for each connection the revision that it was opened for. By the schemas of tools, which are the peer's
/// own, only as much is judged as `ends` leaves time for; what is left out is a finding that blames nobody.
#[must_use]
pub fn judge_trace(
    trace: &Trace,
    who: Party,
    revisions: &dyn Fn(ConnectionId) -> Revision,
    (schemas, authority): (&Schemas, Authority),
    ends: Deadline,
) -> Judgement {
    let mut envelopes = EnvelopeJudge::new(trace, who, revisions);
    let mut shapes = ShapeJudge::new(trace, who, revisions, schemas, authority);
    #[cfg(feature = "schema")]
    let tools = {
        let mut tools = ToolSchemaJudge::new(trace, who, revisions, TimeBudget::until(ends));
        walk(trace, &mut [&mut envelopes, &mut shapes, &mut tools]);
        tools.into_judgement()
    };
    #[cfg(not(feature = "schema"))]
    let tools = {
        // Only the schemas of tools can take long.
        let _ = ends;
        walk(trace, &mut [&mut envelopes, &mut shapes]);
        ToolJudgement::default()
    };
    Judgement { envelopes: envelopes.into_findings(), shapes: shapes.into_judgement(), tools }
}
