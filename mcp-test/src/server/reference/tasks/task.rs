//! One task.
//!
//! Nothing runs in the background: the state of a task follows from the time and from the responses of its client, and is
//! settled whenever it is needed. A cancelled task has therefore nothing left that could go on.

use serde_json::json;

use crate::clock::{self, Deadline};
use crate::json::{Object, Value};
use crate::transport::generated_id::generate_id;
use crate::wire::RpcError;

/// How long a task is promised to be kept, in milliseconds: an hour.
const TTL: u64 = 3_600_000;

#[derive(Debug)]
pub(super) struct Task {
    pub(super) id: String,
    created: String,
    updated: String,
    work: Work,
}

/// What a task does.
#[derive(Debug)]
pub(in crate::server::reference) enum Work {
    /// It ends when the time has come.
    Until(Deadline, Ending),
    /// It waits for the client, and ends with a text about all responses.
    Asking {
        /// The requests without a response, by key.
        open: Object,
        /// The responses so far, by key.
        responses: Object,
        /// What the text begins with.
        about: String,
    },
    /// It has ended.
    Ended(Ending),
}

/// How a task ends.
#[derive(Debug)]
pub(in crate::server::reference) enum Ending {
    /// With a result, which may be the failure of a tool.
    Completed(Value),
    /// With the error of its request.
    Failed(RpcError),
    /// By the client.
    Cancelled,
}

impl Ending {
    /// A result of one text.
    pub(super) fn text(text: &str) -> Self {
        Self::Completed(json!({ "content": [{ "type": "text", "text": text }] }).into())
    }
}

impl Task {
    pub(super) fn new(work: Work) -> Self {
        let now = clock::utc_now();
        Self { id: generate_id(), created: now.clone(), updated: now, work }
    }

    /// Ends the task if its time has come.
    pub(super) fn settle(&mut self) {
        if let Work::Until(deadline, ending) = &mut self.work
            && deadline.has_passed()
        {
            let ending = std::mem::replace(ending, Ending::Cancelled);
            self.end(ending);
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        matches!(self.work, Work::Ended(_))
    }

    pub(super) fn cancel(&mut self) {
        // A finished task keeps its state.
        if !self.is_finished() {
            self.end(Ending::Cancelled);
        }
    }

    /// Takes the responses to open requests; others mean nothing.
    pub(super) fn update(&mut self, responses: &Object) {
        let Work::Asking { open, responses: all, about } = &mut self.work else { return };
        for (key, response) in responses.effective() {
            if open.remove(key).is_some() {
                all.insert(key, response.clone());
                self.updated = clock::utc_now();
            }
        }
        if open.is_empty() {
            let text = format!("{about}: {}", Value::Object(std::mem::take(all)));
            self.end(Ending::text(&text));
        }
    }

    /// What every state of the task has.
    pub(super) fn handle(&self, poll_interval: u64) -> Value {
        let status = match &self.work {
            Work::Until(..) => "working",
            Work::Asking { .. } => "input_required",
            Work::Ended(Ending::Completed(_)) => "completed",
            Work::Ended(Ending::Failed(_)) => "failed",
            Work::Ended(Ending::Cancelled) => "cancelled",
        };
        json!({
            "taskId": self.id, "status": status, "createdAt": self.created,
            "lastUpdatedAt": self.updated, "ttlMs": TTL, "pollIntervalMs": poll_interval,
        })
        .into()
    }

    /// The whole state.
    pub(super) fn state(&self, poll_interval: u64) -> Value {
        let mut state = self.handle(poll_interval);
        match &self.work {
            Work::Until(..) | Work::Ended(Ending::Cancelled) => {}
            Work::Asking { open, .. } => {
                state.set("/inputRequests", Value::Object(open.clone()));
            }
            Work::Ended(Ending::Completed(result)) => {
                state.set("/result", result.clone());
            }
            Work::Ended(Ending::Failed(error)) => {
                state.set("/statusMessage", error.message.as_str().into());
                state.set("/error", error.to_value());
            }
        }
        state
    }

    fn end(&mut self, ending: Ending) {
        self.work = Work::Ended(ending);
        self.updated = clock::utc_now();
    }
}
