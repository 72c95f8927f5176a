//! Everything that is wrong in a trace, and what that may be.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::shapes::ShapeJudgement;
use super::tool_judgement::ToolJudgement;
use super::{Finding, client_conversation, client_headers, content, conversation, envelope};
use super::{notices, server_requests};
use crate::spec::{Requirement, Side};

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
