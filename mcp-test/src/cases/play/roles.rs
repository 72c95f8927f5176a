//! What part each message of a conversation plays: which `out` answers which `in`, and the other way round.

use crate::cases::{Case, CaseFile, CaseMessage, Direction};
use crate::json::Value;
use crate::wire::{Id, Message, Notification};

/// What takes a request back.
pub(super) const CANCELLED: &str = "notifications/cancelled";

/// A message of a case, where it stands.
#[derive(Debug, Clone, Copy)]
pub(in crate::cases) struct Line<'a> {
    /// The file.
    pub(in crate::cases) file: &'a CaseFile,
    /// The case.
    pub(in crate::cases) case: &'a Case,
    /// The message.
    pub(in crate::cases) message: &'a CaseMessage,
    /// Whether the case that is played has it, and not one that it goes on from.
    pub(in crate::cases) own: bool,
}

impl Line<'_> {
    /// `contracts/calculator.yaml:12:1`.
    pub(in crate::cases) fn place(&self) -> String {
        let span = self.message.key_span;
        format!("{}:{}:{}", self.file.path, span.line, span.column)
    }
}

/// The part that a message plays. An id is a label: what stands for it on the wire is up to the one who asks.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cases) enum Role {
    /// The client asks.
    Asks {
        /// The method.
        method: String,
        /// The label, if there is one that can be read.
        label: Option<Id>,
        /// Which message of the server answers.
        answered: Option<usize>,
        /// Whether the client takes it back.
        cancelled: bool,
    },
    /// The client says something that is not answered.
    Tells,
    /// The client answers this request of the server, if there is one.
    Answers(Option<usize>),
    /// The client says what is no message.
    Babbles,
    /// The server answers this request of the client, if there is one.
    Replies(Option<usize>),
    /// The server asks.
    IsAsked(String, Id),
    /// The server says something that is not answered.
    Notifies(String),
    /// What the server is to say is no message.
    Nonsense,
}

/// Reads a message as generously as it can be understood: `jsonrpc` may be missing.
pub(in crate::cases) fn understood(value: &Value) -> Option<Message> {
    if let Ok(message) = Message::read(value) {
        return Some(message);
    }
    let mut value = value.clone();
    value.as_object_mut()?.insert("jsonrpc", "2.0");
    Message::read(&value).ok()
}

/// The roles of the messages, in order.
pub(in crate::cases) fn roles(lines: &[Line<'_>]) -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::with_capacity(lines.len());
    let mut is_answered = vec![false; lines.len()];
    for (at, line) in lines.iter().enumerate() {
        let read = understood(&line.message.value);
        let role = match (line.message.direction, read) {
            (Direction::In, Some(Message::Request(request))) => Role::Asks {
                method: request.method,
                label: Some(request.id),
                answered: None,
                cancelled: false,
            },
            (Direction::In, Some(Message::Notification(told))) => {
                take_back(&mut roles, &told);
                Role::Tells
            }
            (Direction::In, Some(reply)) => {
                let asks = |(at, role): &(usize, &Role)| {
                    matches!(role, Role::IsAsked(_, label) if Some(label) == reply.id())
                        && !is_answered[*at]
                };
                let asked = roles.iter().enumerate().rev().find(asks).map(|(asked, _)| asked);
                asked.into_iter().for_each(|asked| is_answered[asked] = true);
                Role::Answers(asked)
            }
            (Direction::In, None) => Role::Babbles,
            (Direction::Out, Some(Message::Request(request))) => {
                Role::IsAsked(request.method, request.id)
            }
            (Direction::Out, Some(Message::Notification(notification))) => {
                Role::Notifies(notification.method)
            }
            (Direction::Out, Some(reply)) => {
                Role::Replies(asked_with(&mut roles, lines, reply.id(), at))
            }
            (Direction::Out, None) => Role::Nonsense,
        };
        roles.push(role);
    }
    roles
}

/// Notes which request a `notifications/cancelled` takes back.
fn take_back(roles: &mut [Role], told: &Notification) {
    let id = told.params.as_ref().and_then(|params| Id::read(params.get("requestId")?));
    let asked = roles.iter_mut().rev().find_map(|role| match role {
        Role::Asks { label, cancelled, .. } if label.is_some() && *label == id => Some(cancelled),
        _ => None,
    });
    if let Some(cancelled) = asked.filter(|_| told.method == CANCELLED) {
        *cancelled = true;
    }
}

/// The id that what is no message has all the same.
pub(super) fn label_of(value: &Value) -> Option<Id> {
    value.get("id").and_then(Id::read).filter(|id| *id != Id::Null)
}

/// The latest unanswered request of the client with this label, which is answered from now on. What has no label answers
/// what is no message as it stands: the server may not be able to read its id.
fn asked_with(roles: &mut [Role], lines: &[Line<'_>], id: Option<&Id>, at: usize) -> Option<usize> {
    let id = id.filter(|id| **id != Id::Null);
    for (asked, role) in roles.iter_mut().enumerate().rev() {
        let is_unreadable = || id.is_none() && lines[asked].message.message.is_none();
        match role {
            Role::Asks { label, answered: answered @ None, .. }
                if is_unreadable() || (id.is_some() && label.as_ref() == id) =>
            {
                *answered = Some(at);
                return Some(asked);
            }
            Role::Babbles
                if id.is_none() || label_of(&lines[asked].message.value).as_ref() == id =>
            {
                let label = label_of(&lines[asked].message.value);
                let (method, answered) = (String::new(), Some(at));
                *role = Role::Asks { method, label, answered, cancelled: false };
                return Some(asked);
            }
            _ => {}
        }
    }
    None
}
