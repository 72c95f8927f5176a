//! What arrives in place of a valid reply, and the finding about it.
//!
//! Which request it was meant for is decided in `correlate.rs` and `unmatched.rs`.

use super::State;
use crate::check::{Cause, Finding};
use crate::expect::words;
use crate::spec::{Requirement, Revision};
use crate::trace::Seq;
use crate::wire::Id;

/// What arrived in place of a valid reply.
#[derive(Debug)]
pub(super) enum BadReply {
    /// A reply under an id that no open request has, and the exchange that it came in, if that carried the request.
    WrongId { id: Option<Id>, is_error: bool, exchange: Option<u64> },
    /// Text that is not a message, and the requirement that it breaks.
    NotAMessage { shown: String, breaks: Option<&'static Requirement>, revision: Revision },
}

impl State {
    /// Settles a request with a finding about its bad reply.
    pub(super) fn fail(&mut self, index: usize, seq: Seq, reply: BadReply) {
        let open = &self.open[index];
        let response = format!("a response with id {}", open.id);
        let finding = match reply {
            // An exchange shows which request it answers.
            BadReply::WrongId { id: Some(id), exchange: None, .. }
                if self.method_answered(&id).is_some() =>
            {
                let method = words::method(self.method_answered(&id).unwrap_or_default());
                let requirement = Requirement::JSONRPC_SINGLE_RESPONSE;
                let awaited = words::method(&open.method);
                Finding::peer(format!("{method} was answered twice"))
                    .expected("one response to each request")
                    .got(format!("another response with id {id}, before the reply to {awaited}"))
                    .requires(requirement)
                    .caused_by(Cause::for_requirement(requirement))
            }
            BadReply::WrongId { id, is_error, .. } => {
                let (got, requirement) = self.wrong_id(id.as_ref(), &open.id, is_error);
                let is_missing = is_error && matches!(id, None | Some(Id::Null));
                let (headline, cause) = match is_missing {
                    true => {
                        let headline = format!(
                            "the error that answers {} has no id",
                            words::method(&open.method)
                        );
                        (headline, Cause::missing_id(is_error))
                    }
                    false => {
                        let headline = format!(
                            "the reply to {} has the wrong id",
                            words::method(&open.method)
                        );
                        (headline, Cause::for_requirement(requirement))
                    }
                };
                Finding::peer(headline)
                    .expected(response)
                    .got(got)
                    .requires(requirement)
                    .caused_by(cause)
            }
            BadReply::NotAMessage { shown, breaks: Some(requirement), revision } => {
                let headline =
                    format!("the reply to {} is not an MCP message", words::method(&open.method));
                let expected = format!("a JSON-RPC response with id {} of MCP {revision}", open.id);
                Finding::peer(headline)
                    .expected(expected)
                    .got(shown)
                    .requires(requirement)
                    .caused_by(Cause::for_requirement(requirement))
            }
            // Nobody knows whether the reply is valid.
            BadReply::NotAMessage { shown, breaks: None, .. } => {
                let headline = format!(
                    "the reply to {} exceeds what mcp-test reads",
                    words::method(&open.method)
                );
                Finding::environment(headline)
                    .expected(format!("{response}, within the limits of mcp-test"))
                    .got(shown)
                    .hint("this limit is set by mcp-test, not by MCP")
                    .caused_by(Cause::OverLimit)
            }
        };
        let finding = finding.evidence(open.sent.seq).evidence(seq);
        self.misanswered.push((open.id.clone(), open.method.clone()));
        self.open[index].settled = Some(Err(finding));
    }

    /// The method of an earlier request with this id whose reply has come.
    fn method_answered(&self, id: &Id) -> Option<&str> {
        let (_, method) = self.answered.iter().find(|(answered, _)| answered == id)?;
        Some(method)
    }

    /// What is wrong with an id, and the requirement that it breaks.
    pub(super) fn wrong_id(
        &self,
        got: Option<&Id>,
        expected: &Id,
        is_error: bool,
    ) -> (String, &'static Requirement) {
        // Errors have a requirement of their own, since some of them may lack the id.
        let echo = if is_error {
            Requirement::JSONRPC_ERROR_ID_ECHO
        } else {
            Requirement::JSONRPC_RESULT_ID_ECHO
        };
        match got {
            None => ("no id".to_owned(), echo),
            Some(Id::Null) => ("id null".to_owned(), echo),
            Some(id) if id.is_retyped(expected) => {
                (format!("id {id}, of another JSON type"), Requirement::JSONRPC_ID_TYPE_PRESERVED)
            }
            Some(id) if self.method_answered(id).is_some() => (
                format!("id {id}, which was answered already"),
                Requirement::JSONRPC_SINGLE_RESPONSE,
            ),
            Some(id) => (format!("id {id}, which no request has"), echo),
        }
    }
}
