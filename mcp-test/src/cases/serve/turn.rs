//! Turns: what the client says, and what the server does then.
//!
//! Ids, progress tokens and subscription ids are labels: they say which reply, which news belongs to which request.

use super::line::{Kind, Line};
use crate::json::Value;
use crate::spec::meta;
use crate::wire::Id;

/// Something that the server does.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// It tells something.
    Tell(Line),
    /// It asks the client; the case says what the client answers, or that it does not.
    Ask { question: Line, answer: Option<Line> },
    /// It replies to what it heard.
    Reply(Line),
}

/// What the client says, and what the server does then.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) heard: Line,
    pub(super) acts: Vec<Act>,
    /// Whether the case has the client cancel the request.
    pub(super) is_cancelled: bool,
}

/// The turns of a conversation.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// What the server does before it has heard anything.
    pub(super) opening: Vec<Act>,
    pub(super) turns: Vec<Turn>,
    /// Messages that belong to nothing, with what is strange about them.
    pub(super) stray: Vec<(Line, &'static str)>,
}

impl Turn {
    /// The reply, if the case has one.
    pub(super) fn reply(&self) -> Option<&Line> {
        self.acts.iter().find_map(|act| match act {
            Act::Reply(reply) => Some(reply),
            Act::Tell(_) | Act::Ask { .. } => None,
        })
    }

    /// Whether the request is answered with a result.
    pub(super) fn succeeds(&self) -> bool {
        self.reply().is_some_and(|reply| reply.value().get("result").is_some())
    }
}

impl Turns {
    /// Finds the turns in messages that are said one after the other.
    pub(super) fn of(lines: impl IntoIterator<Item = Line>) -> Self {
        let mut turns = Self::default();
        for line in lines {
            if line.is_heard() { turns.hear(line) } else { turns.say(line) }
        }
        turns
    }

    fn hear(&mut self, line: Line) {
        match line.kind() {
            Kind::Request | Kind::Notification => {
                if line.method() == Some("notifications/cancelled")
                    && let Some(label) = line.param("requestId").and_then(Id::read)
                    && let Some(turn) = self.labelled(&label)
                {
                    turn.is_cancelled = true;
                }
                self.turns.push(Turn { heard: line, acts: Vec::new(), is_cancelled: false });
            }
            Kind::Reply => {
                let label = line.label();
                let acts = self.turns.iter_mut().rev().flat_map(|turn| turn.acts.iter_mut().rev());
                let open = acts.chain(self.opening.iter_mut().rev()).find_map(|act| match act {
                    Act::Ask { question, answer: answer @ None } if question.label() == label => {
                        Some(answer)
                    }
                    _ => None,
                });
                match open {
                    Some(answer) => *answer = Some(line),
                    None => self.stray.push((line, "it answers no request of the server")),
                }
            }
            Kind::Other => self.stray.push((line, "it is no message of JSON-RPC")),
        }
    }

    fn say(&mut self, line: Line) {
        match line.kind() {
            Kind::Reply => match line.label().and_then(|label| self.labelled(&label)) {
                Some(turn) => turn.acts.push(Act::Reply(line)),
                None => self.stray.push((line, "it answers no request of the client")),
            },
            Kind::Request => {
                self.place(&line).push(Act::Ask { question: line, answer: None });
            }
            Kind::Notification => self.place(&line).push(Act::Tell(line)),
            Kind::Other => self.stray.push((line, "it is no message of JSON-RPC")),
        }
    }

    /// The last request of this label that is not answered yet.
    fn labelled(&mut self, label: &Id) -> Option<&mut Turn> {
        let mut turns = self.turns.iter_mut().rev();
        turns.find(|turn| turn.is_open() && turn.heard.label().as_ref() == Some(label))
    }

    /// Where a request or a notification of the server belongs: to the request that it names, or else to the last that is
    /// not answered yet, or else after everything that was said.
    fn place(&mut self, line: &Line) -> &mut Vec<Act> {
        let named = self.turns.iter().rposition(|turn| is_about(line, &turn.heard));
        let open = || self.turns.iter().rposition(Turn::is_open);
        let last = || self.turns.len().checked_sub(1);
        match named.or_else(open).or_else(last) {
            Some(number) => &mut self.turns[number].acts,
            None => &mut self.opening,
        }
    }
}

impl Turn {
    fn is_open(&self) -> bool {
        self.heard.kind() == Kind::Request && !self.is_cancelled && self.reply().is_none()
    }
}

/// Whether a notification names a request: by the token of its progress, or as its subscription.
fn is_about(line: &Line, request: &Line) -> bool {
    let token = line.param(meta::PROGRESS_TOKEN);
    if token.is_some() {
        return token == request.progress_token();
    }
    let subscription = line.param("_meta").and_then(|meta| meta.get(meta::SUBSCRIPTION_ID));
    subscription.is_some() && subscription == request.value().get("id").filter(not_null)
}

fn not_null(value: &&Value) -> bool {
    !value.is_null()
}
