//! What a finding is traced back to.

use std::fmt;

use crate::spec::Requirement;

/// What a finding is traced back to: findings with equal causes are one problem, in whichever scenario, at whichever
/// revision and over whichever transport they show.
///
/// Most findings need none: their requirement and what they say identify the problem. It is set where one mistake of the peer
/// is described in several ways.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Cause {
    /// A requirement is broken by one mistake, whichever message shows it.
    Requirement(&'static Requirement),
    /// A requirement is broken for this method, tool or the like; another one is another problem.
    RequirementFor(&'static Requirement, String),
    /// A request has no result.
    Request {
        /// The method.
        method: String,
        /// What became of the request may depend on it: the name or URI in its params, or what is special about the request.
        subject: Option<String>,
        /// What became of it.
        fate: Fate,
    },
    /// Requests are refused with this HTTP status, whatever they ask for.
    Status(u16),
    /// A message exceeds a limit of mcp-test.
    OverLimit,
    /// Nothing listens at the URL, or not any more.
    Unreachable,
}

/// What became of a request that has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Fate {
    /// It was answered with an error.
    Refused,
    /// It got no reply in time.
    Unanswered,
    /// The connection ended before its reply.
    Dropped,
    /// It was given up although the server reported progress on it.
    GivenUp,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requirement(id) => f.write_str(id.id),
            Self::RequirementFor(id, name) => write!(f, "{id} {name}"),
            Self::Request { method, subject, fate } => {
                let subject = subject.as_deref().map(|subject| format!(" {subject}"));
                let fate = match fate {
                    Fate::Refused => "refused",
                    Fate::Unanswered => "unanswered",
                    Fate::Dropped => "dropped",
                    Fate::GivenUp => "given up",
                };
                write!(f, "{method}{} {fate}", subject.unwrap_or_default())
            }
            Self::Status(status) => write!(f, "status {status}"),
            Self::OverLimit => f.write_str("over limit"),
            Self::Unreachable => f.write_str("unreachable"),
        }
    }
}

impl Cause {
    /// The request `method` has no result, whatever its params.
    #[must_use]
    pub fn request(method: impl Into<String>, fate: Fate) -> Self {
        Self::Request { method: method.into(), subject: None, fate }
    }

    /// A requirement for every message is broken, by its id.
    ///
    /// A rule that has several requirements, for replies of several kinds or for some revisions, has one cause.
    #[doc(hidden)]
    pub fn for_requirement(requirement: &'static Requirement) -> Self {
        const SAME: [(&Requirement, &Requirement); 3] = [
            (Requirement::JSONRPC_ERROR_ID_ECHO, Requirement::JSONRPC_RESULT_ID_ECHO),
            (
                Requirement::TRANSPORT_STDIO_EXIT_ON_EOF_IMPLIED,
                Requirement::TRANSPORT_STDIO_EXIT_ON_EOF,
            ),
            (
                Requirement::TRANSPORT_STDIO_SERVER_NO_REQUESTS,
                Requirement::TRANSPORT_HTTP_SERVER_NO_REQUESTS,
            ),
        ];
        let same = SAME.iter().find(|(other, _)| *other == requirement);
        Self::Requirement(same.map_or(requirement, |(_, first)| first))
    }

    /// The cause of a finding about a reply without an id: a server may forget it in errors only.
    pub(crate) fn missing_id(is_error: bool) -> Self {
        match is_error {
            true => Self::Requirement(Requirement::JSONRPC_ERROR_ID_ECHO),
            false => Self::for_requirement(Requirement::JSONRPC_RESULT_ID_ECHO),
        }
    }
}
