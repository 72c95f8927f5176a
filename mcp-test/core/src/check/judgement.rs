//! Everything that is wrong in a trace, found in one walk, and what that may be.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::client_conversation::{self, ClientConversationJudge};
use super::client_headers::{self, ClientHeaderJudge};
use super::conversation::{self, ConversationJudge};
use super::envelope::{self, EnvelopeJudge};
use super::notices::{self, NoticeJudge};
use super::server_requests::{self, ServerRequestJudge};
use super::shapes::{ShapeJudge, ShapeJudgement};
use super::tool_judgement::ToolJudgement;
#[cfg(feature = "schema")]
use super::tool_schemas::{TimeBudget, ToolSchemaJudge};
use super::walk::{EventJudge, walk};
use super::{Finding, content};
use crate::clock::Deadline;
use crate::json::Value;
use crate::spec::schema::{Authority, Schemas};
use crate::spec::{Requirement, Revision, Side};
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

/// The requirements that the findings of [`Judgement::envelopes`] about what this side sent may cite, by id.
#[doc(hidden)]
pub fn requirements_of_envelopes(side: Side) -> &'static [&'static Requirement] {
    static OF_CLIENTS: LazyLock<Vec<&Requirement>> = LazyLock::new(|| {
        union(&[
            envelope::CITED_BY_FILES,
            client_conversation::CITED_BY_FILES,
            &[client_headers::CITED],
        ])
    });
    static OF_SERVERS: LazyLock<Vec<&Requirement>> = LazyLock::new(|| {
        union(&[
            envelope::CITED_BY_FILES,
            conversation::CITED_BY_FILES,
            server_requests::CITED_BY_FILES,
            &[content::CITED, notices::CITED],
        ])
    });
    match side {
        Side::Client => &OF_CLIENTS,
        Side::Server => &OF_SERVERS,
    }
}

/// What these lists of files list, each once.
fn union(files: &[&[&[&'static Requirement]]]) -> Vec<&'static Requirement> {
    let cited: BTreeSet<_> = files.concat().concat().into_iter().collect();
    cited.into_iter().collect()
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
