//! Turns: a message of the client, and the actions of the server after it.
//!
//! Ids, progress tokens and subscription ids in a case are labels: they say which reply or notification belongs to which request.

use mcp_test_core::spec::meta;
use mcp_test_core::wire::Id;

use super::message_ref::{Kind, MessageRef};

/// Why a message that is not JSON-RPC is not served.
const NOT_JSON_RPC: &str = "it is not a JSON-RPC message";

/// Something that the server does.
#[derive(Debug, Clone)]
pub(super) enum Action {
    /// It sends a notification.
    Notify(MessageRef),
    /// It sends a request; the case has the client's answer, or none.
    Ask { request: MessageRef, answer: Option<MessageRef> },
    /// It replies to the client's request.
    Reply(MessageRef),
}

/// A message of the client, and the actions of the server after it.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) incoming: MessageRef,
    pub(super) actions: Vec<Action>,
    /// Whether the client cancels the request in the case.
    pub(super) is_cancelled: bool,
}

/// The turns of a conversation.
#[derive(Debug, Default)]
pub(super) struct ParsedTurns {
    /// What the server does before the client sends anything.
    pub(super) opening: Vec<Action>,
    pub(super) turns: Vec<Turn>,
    /// Messages that belong to no turn, and why.
    pub(super) stray: Vec<(MessageRef, &'static str)>,
}

impl Turn {
    /// The reply, if the case has one.
    pub(super) fn reply(&self) -> Option<&MessageRef> {
        self.actions.iter().find_map(|action| match action {
            Action::Reply(reply) => Some(reply),
            Action::Notify(_) | Action::Ask { .. } => None,
        })
    }

    /// Whether the reply is a result.
    pub(super) fn succeeds(&self) -> bool {
        self.reply().is_some_and(|reply| reply.value().get("result").is_some())
    }

    /// Whether it is a request that still waits for its reply.
    fn is_open(&self) -> bool {
        self.incoming.kind() == Kind::Request && !self.is_cancelled && self.reply().is_none()
    }
}

impl ParsedTurns {
    /// Divides consecutive messages into turns.
    pub(super) fn new(lines: impl IntoIterator<Item = MessageRef>) -> Self {
        let mut turns = Self::default();
        for line in lines {
            if line.is_incoming() { turns.receive(line) } else { turns.send(line) }
        }
        turns
    }

    fn receive(&mut self, line: MessageRef) {
        match line.kind() {
            Kind::Request | Kind::Notification => {
                if line.method() == Some("notifications/cancelled")
                    && let Some(label) = line.param("requestId").and_then(Id::read)
                    && let Some(turn) = self.open_turn(&label)
                {
                    turn.is_cancelled = true;
                }
                self.turns.push(Turn { incoming: line, actions: Vec::new(), is_cancelled: false });
            }
            Kind::Reply => {
                let label = line.label();
                let actions =
                    self.turns.iter_mut().rev().flat_map(|turn| turn.actions.iter_mut().rev());
                // The latest open request with this label: labels may be used again.
                let open =
                    actions.chain(self.opening.iter_mut().rev()).find_map(|action| match action {
                        Action::Ask { request, answer: answer @ None }
                            if request.label() == label =>
                        {
                            Some(answer)
                        }
                        _ => None,
                    });
                match open {
                    Some(answer) => *answer = Some(line),
                    None => self.stray.push((line, "it answers no request of the server")),
                }
            }
            Kind::Other => self.stray.push((line, NOT_JSON_RPC)),
        }
    }

    fn send(&mut self, line: MessageRef) {
        match line.kind() {
            Kind::Reply => match line.label().and_then(|label| self.open_turn(&label)) {
                Some(turn) => turn.actions.push(Action::Reply(line)),
                None => self.stray.push((line, "it answers no request of the client")),
            },
            Kind::Request => {
                self.actions_for(&line).push(Action::Ask { request: line, answer: None });
            }
            Kind::Notification => self.actions_for(&line).push(Action::Notify(line)),
            Kind::Other => self.stray.push((line, NOT_JSON_RPC)),
        }
    }

    /// The last unanswered request with this label.
    fn open_turn(&mut self, label: &Id) -> Option<&mut Turn> {
        let mut turns = self.turns.iter_mut().rev();
        turns.find(|turn| turn.is_open() && turn.incoming.label().as_ref() == Some(label))
    }

    /// The actions that a request or notification of the server belongs to: those of the request that it names, else of the
    /// last unanswered one, else of the last turn.
    fn actions_for(&mut self, line: &MessageRef) -> &mut Vec<Action> {
        // A progress token or a subscription id names the request; other messages cannot name any.
        let named = self.turns.iter().rposition(|turn| belongs_to(line, &turn.incoming));
        let open = || self.turns.iter().rposition(Turn::is_open);
        let last = || self.turns.len().checked_sub(1);
        match named.or_else(open).or_else(last) {
            Some(number) => &mut self.turns[number].actions,
            None => &mut self.opening,
        }
    }
}

/// Whether a notification names a request: by its progress token, or as its subscription.
fn belongs_to(line: &MessageRef, request: &MessageRef) -> bool {
    let token = line.param(meta::PROGRESS_TOKEN);
    if token.is_some() {
        return token == request.progress_token();
    }
    // An id MUST NOT be null (basic, Requests), so null does not name a request.
    let subscription = line.param("_meta").and_then(|meta| meta.get(meta::SUBSCRIPTION_ID));
    subscription.is_some() && subscription == request.value().get("id").filter(|id| !id.is_null())
}
