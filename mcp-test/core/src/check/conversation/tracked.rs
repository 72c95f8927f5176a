//! The requests of a client that asked for progress.

use super::ReplyOrder;
use crate::check::of_both_sides::token_text;
use crate::check::recent_map::RecentMap;
use crate::json::Value;
use crate::trace::Position;

/// A request that asked for progress.
pub(super) struct Tracked {
    pub(super) token: Value,
    pub(super) position: Position,
    /// Its HTTP exchange.
    pub(super) exchange: Option<u64>,
    /// The last progress that was reported.
    pub(super) progress: Option<f64>,
    /// Its reply has come, in this exchange.
    pub(super) replied: Option<Option<u64>>,
    /// Its progress goes on after the reply, which only says that a task was created.
    pub(super) is_task: bool,
    /// The id of that task.
    pub(super) task: Option<String>,
    /// The reply that has said that the task is finished.
    pub(super) ended: Option<ReplyOrder>,
}

/// Those that were sent last.
#[derive(Default)]
pub(super) struct TrackedRequests {
    requests: RecentMap<Position, Tracked>,
    /// The requests by the text of their token, which a number and a string may share; the latest last.
    by_text: RecentMap<String, Vec<Position>>,
    /// The requests that have created a task, by its id.
    tasks: RecentMap<String, Vec<Position>>,
    has_forgotten: bool,
}

/// How many requests with one token, or of one task, are remembered.
const ALIKE: usize = 100;

impl TrackedRequests {
    pub(super) fn add(&mut self, tracked: Tracked) {
        let is_full = push(self.by_text.entry(token_text(&tracked.token)), tracked.position);
        self.has_forgotten |= is_full;
        self.requests.insert(tracked.position, tracked);
    }

    /// Whether a request may have been sent that is not remembered any more.
    pub(super) fn has_forgotten(&self) -> bool {
        self.has_forgotten || self.requests.has_forgotten() || self.by_text.has_forgotten()
    }

    /// The request at a position.
    pub(super) fn at(&mut self, position: Position) -> Option<&mut Tracked> {
        self.requests.get_mut(&position)
    }

    /// Notes the task that a request has created.
    pub(super) fn create_task(&mut self, position: Position, task: Option<&str>) {
        let Some(created) = self.requests.get_mut(&position).filter(|it| it.is_task) else {
            return;
        };
        created.task = task.map(str::to_owned);
        if let Some(task) = task {
            let is_full = push(self.tasks.entry(task.to_owned()), position);
            self.has_forgotten |= is_full;
        }
    }

    /// Notes the reply that says that a task is finished.
    pub(super) fn end_task(&mut self, task: &str, reply: ReplyOrder) {
        for position in self.tasks.get(task).into_iter().flatten() {
            let tracked = self.requests.get_mut(position);
            if let Some(tracked) = tracked.filter(|it| it.task.as_deref() == Some(task)) {
                tracked.ended.get_or_insert(reply);
            }
        }
    }

    /// Whether a request has created this task.
    pub(super) fn has_task(&self, task: &str) -> bool {
        let mut positions = self.tasks.get(task).into_iter().flatten();
        positions.any(|position| {
            let tracked = self.requests.get(position);
            tracked.is_some_and(|it| it.task.as_deref() == Some(task))
        })
    }

    /// The requests with this token.
    pub(super) fn with_token(&self, token: &Value) -> impl Iterator<Item = &Tracked> {
        self.like(token).filter(move |it| it.token == *token)
    }

    /// The latest request with this token.
    pub(super) fn latest_with_token(&mut self, token: &Value) -> Option<&mut Tracked> {
        let position = self.with_token(token).next()?.position;
        self.requests.get_mut(&position)
    }

    /// The tokens with the same text, whatever their types; the latest first, since those report progress.
    pub(super) fn tokens_like(&self, token: &Value) -> impl Iterator<Item = &Value> + Clone {
        self.like(token).map(|it| &it.token)
    }

    /// The requests whose token has the same text, the latest first.
    fn like(&self, token: &Value) -> impl Iterator<Item = &Tracked> + Clone {
        let positions = self.by_text.get(&token_text(token)).into_iter().flatten();
        positions.rev().filter_map(|position| self.requests.get(position))
    }
}

/// Adds a position; returns whether the oldest one was removed for it.
fn push(positions: &mut Vec<Position>, position: Position) -> bool {
    let is_full = positions.len() >= ALIKE;
    if is_full {
        positions.remove(0);
    }
    positions.push(position);
    is_full
}
