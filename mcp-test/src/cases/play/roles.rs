//! The role of each message in a conversation: which `out` answers which `in`, and the other way round.

use mcp_test_core::json::Value;
use mcp_test_core::trace::{Correlation, Party, Relation};
use mcp_test_core::wire::{Id, Message};

use crate::cases::{Case, CaseFile, CaseMessage, Direction};

/// The notification that cancels a request.
pub(super) const CANCELLED: &str = "notifications/cancelled";

/// A message of a case, with its case and file.
#[derive(Debug, Clone, Copy)]
pub(in crate::cases) struct CaseLine<'a> {
    /// The file.
    pub(in crate::cases) file: &'a CaseFile,
    /// The case.
    pub(in crate::cases) case: &'a Case,
    /// The message.
    pub(in crate::cases) message: &'a CaseMessage,
    /// Whether it belongs to the case that is played, and not to one that this continues.
    pub(in crate::cases) own: bool,
}

impl CaseLine<'_> {
    /// `contracts/calculator.yaml:12:1`.
    pub(in crate::cases) fn place(&self) -> String {
        let span = self.message.key_span;
        format!("{}:{}:{}", self.file.path, span.line, span.column)
    }
}

/// The role of a message. Ids are labels: the real ones are chosen by whoever sends the request.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cases) enum Role {
    /// A request of the client.
    ClientRequest {
        /// The method.
        method: String,
        /// The label, if it can be read.
        label: Option<Id>,
        /// The index of the reply.
        answered: Option<usize>,
        /// Whether the client cancels it.
        cancelled: bool,
    },
    /// A notification of the client.
    ClientNotification,
    /// The client's answer to this request of the server, if there is one.
    ClientReply(Option<usize>),
    /// An `in` that is not a message.
    InvalidInput,
    /// The server's reply to this request of the client, if there is one.
    ServerReply(Option<usize>),
    /// A request of the server.
    ServerRequest(String, Id),
    /// A notification of the server.
    ServerNotification(String),
    /// An `out` that is not a message.
    InvalidOutput,
}

/// The roles of the messages, in order.
pub(in crate::cases) fn roles(lines: &[CaseLine<'_>]) -> Vec<Role> {
    let mut conversation = Correlation::default();
    let mut roles: Vec<Role> = Vec::with_capacity(lines.len());
    while roles.len() < lines.len() {
        let role = next_role(lines, &mut roles, &mut conversation);
        roles.push(role);
    }
    // Only now, because a request may be cancelled at any later line.
    for request in conversation.requests(Party::Client) {
        if let Role::ClientRequest { cancelled, .. } = &mut roles[request.position] {
            *cancelled = request.is_cancelled;
        }
    }
    roles
}

/// The role of the first line that has none in `roles`; a reply also becomes part of the role of its request.
fn next_role<'a>(
    lines: &[CaseLine<'a>],
    roles: &mut [Role],
    conversation: &mut Correlation<usize>,
) -> Role {
    let at = roles.len();
    let direction = lines[at].message.direction;
    let Some(message) = lines[at].message.lenient() else {
        return match direction {
            Direction::In => Role::InvalidInput,
            Direction::Out => Role::InvalidOutput,
        };
    };
    if direction.is_out() && message.is_reply() {
        let latest = message.id().and_then(|id| conversation.unanswered(Party::Client, id));
        // Before the conversation gets the reply: it would settle an older request with the same id.
        if let Some(invalid) = answered_invalid(roles, lines, message.id(), latest) {
            settle(&mut roles[invalid], lines[invalid], at);
            return Role::ServerReply(Some(invalid));
        }
    }
    let settles = match conversation.message(direction.sender(), None, at, message).relation {
        Relation::Reply(reply) => reply.settles,
        Relation::Request { .. } | Relation::Notification => None,
    };
    match (direction, message) {
        (Direction::In, Message::Request(request)) => Role::ClientRequest {
            method: request.method.clone(),
            label: Some(request.id.clone()),
            answered: None,
            cancelled: false,
        },
        (Direction::In, Message::Notification(_)) => Role::ClientNotification,
        (Direction::In, _) => Role::ClientReply(settles),
        (Direction::Out, Message::Request(request)) => {
            Role::ServerRequest(request.method.clone(), request.id.clone())
        }
        (Direction::Out, Message::Notification(notification)) => {
            Role::ServerNotification(notification.method.clone())
        }
        (Direction::Out, _) => {
            // A reply without an id may already have settled a request that lacks `jsonrpc`.
            let request = settles.filter(|request| roles[*request].is_open());
            if let Some(request) = request {
                settle(&mut roles[request], lines[request], at);
            }
            Role::ServerReply(request)
        }
    }
}

impl Role {
    /// Whether it is `initialize`: then the case performs the handshake itself.
    pub(in crate::cases) fn is_initialize(&self) -> bool {
        matches!(self, Self::ClientRequest { method, .. } if method == "initialize")
    }

    /// Whether it is a request that the case neither answers nor cancels: it has to be answered anyway.
    pub(in crate::cases) fn is_unanswered_request(&self) -> bool {
        matches!(self, Self::ClientRequest { answered: None, cancelled: false, .. })
    }

    fn is_open(&self) -> bool {
        matches!(self, Self::ClientRequest { answered: None, .. })
    }
}

/// The id of something that is not a message.
pub(super) fn label_of(value: &Value) -> Option<Id> {
    value.get("id").and_then(Id::read).filter(|id| *id != Id::Null)
}

/// The latest line that is not a message, if a reply may answer it, and `request` does not follow it.
///
/// A reply without an id may answer any of them: the server may have been unable to read its id.
fn answered_invalid(
    roles: &[Role],
    lines: &[CaseLine<'_>],
    id: Option<&Id>,
    request: Option<usize>,
) -> Option<usize> {
    let id = id.filter(|id| **id != Id::Null);
    let is_answered = |at: &usize| match &roles[*at] {
        Role::InvalidInput => id.is_none() || label_of(&lines[*at].message.value).as_ref() == id,
        role => id.is_none() && role.is_open() && lines[*at].message.message.is_none(),
    };
    (request.map_or(0, |request| request + 1)..roles.len()).rev().find(is_answered)
}

/// Records the reply to a line. Something that is not a message counts as a request from then on.
fn settle(role: &mut Role, line: CaseLine<'_>, reply: usize) {
    match role {
        Role::ClientRequest { answered, .. } => *answered = Some(reply),
        invalid => {
            *invalid = Role::ClientRequest {
                method: String::new(),
                label: label_of(&line.message.value),
                answered: Some(reply),
                cancelled: false,
            };
        }
    }
}
