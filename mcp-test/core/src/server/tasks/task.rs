//! One task: its state is settled whenever it is needed, so that a cancelled one has nothing left that could go on.

use std::fmt;
use std::time::Duration;

use serde_json::json;

use crate::clock::{self, Deadline};
use crate::json::{Object, Value};
use crate::server::InputRequest;
use crate::transport::generated_id::generate_id;
use crate::wire::RpcError;

/// How long a task is promised to be kept, in milliseconds: an hour.
const TTL: u64 = 3_600_000;

#[derive(Debug)]
pub(super) struct Task {
    pub(super) id: String,
    created: String,
    updated: String,
    state: State,
}

/// What a task does.
#[derive(Debug)]
pub struct TaskWork(State);

#[derive(Debug)]
enum State {
    /// It ends when the time has come.
    Until(Deadline, TaskEnd),
    /// It waits for the client.
    Asking {
        /// The requests without a response, by key.
        open: Object,
        /// The responses so far, by key.
        responses: Object,
        end: Conclusion,
    },
    /// It has ended.
    Ended(TaskEnd),
}

/// What all responses of a client lead to.
struct Conclusion(Box<dyn FnOnce(Object) -> TaskEnd + Send>);

impl fmt::Debug for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Conclusion")
    }
}

/// How a task ends.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskEnd(End);

#[derive(Debug, Clone, PartialEq)]
enum End {
    Completed(Value),
    Failed(RpcError),
    Cancelled,
}

impl TaskEnd {
    /// With the result of the request, which may be the failure of a tool.
    #[must_use]
    pub fn completed(result: impl Into<Value>) -> Self {
        Self(End::Completed(result.into()))
    }

    /// With the error of the request.
    #[must_use]
    pub fn failed(code: i64, message: impl Into<String>) -> Self {
        Self(End::Failed(RpcError::new(code, message)))
    }

    /// With the result of a tool that is one text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::completed(json!({ "content": [{ "type": "text", "text": text }] }))
    }
}

impl TaskWork {
    /// Ends after this time.
    #[must_use]
    pub fn until(time: Duration, end: TaskEnd) -> Self {
        Self(State::Until(Deadline::after(time), end))
    }

    /// Waits for the responses to these requests; `end` gets all of them, by key.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::server::{InputRequest, TaskEnd, TaskWork};
    ///
    /// let work = TaskWork::asking(&[InputRequest::roots("roots")], |responses| {
    ///     TaskEnd::text(&format!("{} response", responses.len()))
    /// });
    /// # drop(work);
    /// ```
    #[must_use]
    pub fn asking(
        requests: &[InputRequest],
        end: impl FnOnce(Object) -> TaskEnd + Send + 'static,
    ) -> Self {
        let open = requests.iter().map(InputRequest::member).collect();
        let end = Conclusion(Box::new(end));
        Self(State::Asking { open, responses: Object::new(), end })
    }
}

impl Task {
    pub(super) fn new(work: TaskWork) -> Self {
        let now = clock::utc_now();
        Self { id: generate_id(), created: now.clone(), updated: now, state: work.0 }
    }

    /// Ends the task if its time has come.
    pub(super) fn settle(&mut self) {
        if let State::Until(deadline, end) = &self.state
            && deadline.has_passed()
        {
            self.end(end.clone());
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        matches!(self.state, State::Ended(_))
    }

    pub(super) fn cancel(&mut self) {
        // A finished task keeps its state.
        if !self.is_finished() {
            self.end(TaskEnd(End::Cancelled));
        }
    }

    /// Takes the responses to open requests; others mean nothing.
    pub(super) fn update(&mut self, given: &Object) {
        let State::Asking { open, responses, end } = &mut self.state else { return };
        for (key, response) in given.effective() {
            if open.remove(key).is_some() {
                responses.insert(key, response.clone());
                self.updated = clock::utc_now();
            }
        }
        if open.is_empty() {
            let unused = Conclusion(Box::new(|_| TaskEnd(End::Cancelled)));
            let (end, responses) = (std::mem::replace(end, unused), std::mem::take(responses));
            self.end((end.0)(responses));
        }
    }

    /// What every state of the task has.
    pub(super) fn handle(&self, poll_interval: u64) -> Value {
        let status = match &self.state {
            State::Until(..) => "working",
            State::Asking { .. } => "input_required",
            State::Ended(TaskEnd(End::Completed(_))) => "completed",
            State::Ended(TaskEnd(End::Failed(_))) => "failed",
            State::Ended(TaskEnd(End::Cancelled)) => "cancelled",
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
        match &self.state {
            State::Until(..) | State::Ended(TaskEnd(End::Cancelled)) => {}
            State::Asking { open, .. } => {
                state.set("/inputRequests", Value::Object(open.clone()));
            }
            State::Ended(TaskEnd(End::Completed(result))) => {
                state.set("/result", result.clone());
            }
            State::Ended(TaskEnd(End::Failed(error))) => {
                state.set("/statusMessage", error.message.as_str().into());
                state.set("/error", error.to_value());
            }
        }
        state
    }

    fn end(&mut self, end: TaskEnd) {
        self.state = State::Ended(end);
        self.updated = clock::utc_now();
    }
}
