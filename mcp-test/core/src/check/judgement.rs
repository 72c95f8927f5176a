//! Everything that is wrong in a trace, found in one walk.

use super::Finding;
use super::client_conversation::ClientConversationJudge;
use super::client_headers::ClientHeaderJudge;
use super::conversation::ConversationJudge;
use super::envelope::EnvelopeJudge;
use super::notices::NoticeJudge;
use super::server_requests::ServerRequestJudge;
use super::shapes::{ShapeJudge, ShapeJudgement};
use super::tool_judgement::ToolJudgement;
#[cfg(feature = "schema")]
use super::tool_schemas::{TimeBudget, ToolSchemaJudge};
use super::walk::{EventJudge, walk};
use crate::clock::Deadline;
use crate::json::Value;
use crate::spec::Revision;
use crate::spec::schema::{Authority, Schemas};
use crate::trace::{ConnectionId, Party, Trace};

/// What [`judge_envelopes`](super::judge_envelopes), [`judge_shapes`](super::judge_shapes) and
/// [`judge_tools`](super::judge_tools) find.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// What is wrong with the envelopes, and with how messages follow each other.
    pub envelopes: Vec<Finding>,
    /// What is wrong with the shapes.
    pub shapes: ShapeJudgement,
    /// What is wrong with the schemas of tools.
    pub tools: ToolJudgement,
}

/// Everything wrong with what `who` sent in `trace`.
///
/// `revisions` returns for each connection the revision that it was opened for; `discovered` is what the server declared when it
/// was asked with `server/discover` before, since in the stateless era no conversation has to begin with that. By the schemas of tools, which are the peer's
/// own, only as much is judged as `ends` leaves time for; what is left out is a finding that blames nobody.
#[doc(hidden)]
#[must_use]
pub fn judge_trace(
    trace: &Trace,
    who: Party,
    revisions: &dyn Fn(ConnectionId) -> Revision,
    (schemas, authority): (&Schemas, Authority),
    discovered: Option<&Value>,
    ends: Deadline,
) -> Judgement {
    let mut envelopes = EnvelopeJudge::new(trace, who, revisions);
    let mut conversation = (who == Party::Server)
        .then(|| ConversationJudge::new(trace, revisions).knowing(discovered));
    let mut notices = (who == Party::Server).then(|| NoticeJudge::new(trace, revisions));
    let mut asked = (who == Party::Server).then(|| ServerRequestJudge::new(trace, revisions));
    let mut of_client =
        (who == Party::Client).then(|| ClientConversationJudge::new(trace, revisions));
    let mut headers = (who == Party::Client).then(|| ClientHeaderJudge::new(trace, revisions));
    let mut shapes = ShapeJudge::new(trace, who, revisions, schemas, authority);
    let mut judges: Vec<&mut dyn EventJudge<'_>> = vec![&mut envelopes, &mut shapes];
    judges.extend(conversation.as_mut().map(|judge| judge as &mut dyn EventJudge<'_>));
    judges.extend(notices.as_mut().map(|judge| judge as &mut dyn EventJudge<'_>));
    judges.extend(of_client.as_mut().map(|judge| judge as &mut dyn EventJudge<'_>));
    judges.extend(headers.as_mut().map(|judge| judge as &mut dyn EventJudge<'_>));
    judges.extend(asked.as_mut().map(|judge| judge as &mut dyn EventJudge<'_>));
    #[cfg(feature = "schema")]
    let tools = {
        let mut tools = ToolSchemaJudge::new(trace, who, revisions, TimeBudget::until(ends));
        judges.push(&mut tools);
        walk(trace, &mut judges);
        tools.into_judgement()
    };
    #[cfg(not(feature = "schema"))]
    let tools = {
        // Only the schemas of tools can take long.
        let _ = ends;
        walk(trace, &mut judges);
        ToolJudgement::default()
    };
    let mut envelopes = envelopes.into_findings();
    envelopes.extend(conversation.into_iter().flat_map(ConversationJudge::into_findings));
    envelopes.extend(notices.into_iter().flat_map(NoticeJudge::into_findings));
    envelopes.extend(asked.into_iter().flat_map(ServerRequestJudge::into_findings));
    envelopes.extend(of_client.into_iter().flat_map(ClientConversationJudge::into_findings));
    envelopes.extend(headers.into_iter().flat_map(ClientHeaderJudge::into_findings));
    Judgement { envelopes, shapes: shapes.into_judgement(), tools }
}
