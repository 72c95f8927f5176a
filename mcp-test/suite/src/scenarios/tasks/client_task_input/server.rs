//! The server of `client-task-input`: what its tasks ask for, by what the client has answered.

use mcp_test_core::clock::Stopwatch;
use serde_json::Value as Json;

use super::{ASKING, INTERVAL, MOST_UNANSWERED, ROOTS, UNDECLARED};
use crate::scenarios::prelude::*;
use crate::scenarios::tasks::task_requests::{Shared, output, server_with_tasks, task, tools};

const TTL: Duration = Duration::from_secs(600);
/// How long a task waits for an answer before it ends without it.
const REPLY_TIME: Duration = Duration::from_secs(2);

/// What the first task does next.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Phase {
    /// It asks for two things.
    #[default]
    First,
    /// It has been answered, and does not show it yet.
    Stale,
    /// It asks for another thing.
    Further,
    /// It has all answers, and is at work for this many more states.
    Working(usize),
    Ended,
}

/// What the server has done so far.
#[derive(Debug, Default)]
struct Progress {
    calls: usize,
    /// What the client declares of what a task may ask for.
    kinds: Vec<Capability>,
    phase: Phase,
    /// Since the task has asked for what it waits for.
    waiting: Option<Stopwatch>,
    /// The requests for the state of the second task.
    polls: usize,
    is_cancelled: bool,
    polls_after_cancel: usize,
}

pub(super) fn serve(test: &ClientTest) -> Server {
    let progress = Shared::<Progress>::default();
    server_with_tasks(test)
        .on("tools/list", |_: Call| async { tools(["import", "visit"]) })
        .on("tools/call", progress.answering(Progress::call))
        .on("tasks/get", progress.answering(Progress::state))
        .on("tasks/update", progress.answering(Progress::update))
        .on("tasks/cancel", progress.answering(Progress::cancel))
}

fn state_of(id: &str, status: &str) -> Json {
    task(id, status, INTERVAL, TTL)
}

fn completed(id: &str) -> Json {
    let mut state = state_of(id, "completed");
    state["result"] = output();
    state
}

/// A request of a task.
fn request(kind: Capability) -> Json {
    match kind {
        Capability::Roots => json!({ "method": ROOTS, "params": {} }),
        Capability::Elicitation => {
            let properties = json!({ "name": { "type": "string" } });
            let schema = json!({ "type": "object", "properties": properties });
            let params = json!({ "message": "What is the name?", "requestedSchema": schema });
            json!({ "method": "elicitation/create", "params": params })
        }
        _ => {
            let content = json!({ "type": "text", "text": "Reply with one word." });
            let messages = json!([{ "role": "user", "content": content }]);
            let params = json!({ "messages": messages, "maxTokens": 16 });
            json!({ "method": "sampling/createMessage", "params": params })
        }
    }
}

/// A request in a mode that the client does not declare.
fn visit() -> Json {
    let params = json!({
        "mode": "url", "message": "Please visit this page", "url": "https://example.com/",
        "elicitationId": "visit",
    });
    json!({ "method": "elicitation/create", "params": params })
}

impl Progress {
    fn call(&mut self, call: &Call) -> Answer {
        let declared = call.client_capabilities();
        if call.require(Capability::TasksExtension).is_err() {
            return output().into();
        }
        let elicits = Capability::Elicitation.declared_in(declared);
        let visits = Capability::ElicitationUrl.declared_in(declared);
        let fills_in = elicits && (!visits || Capability::ElicitationForm.declared_in(declared));
        self.calls += 1;
        let id = match self.calls {
            1 => ASKING,
            2 if elicits && !visits => UNDECLARED,
            _ => return output().into(),
        };
        if id == ASKING {
            let kinds = [Capability::Roots, Capability::Elicitation, Capability::Sampling];
            let is_served = |kind: &Capability| match kind {
                Capability::Elicitation => fills_in,
                kind => kind.declared_in(declared),
            };
            self.kinds = kinds.into_iter().filter(is_served).collect();
        }
        let mut handle = state_of(id, "working");
        handle["resultType"] = json!("task");
        handle.into()
    }

    fn state(&mut self, call: &Call) -> Answer {
        match call.param("taskId").and_then(Value::as_str) {
            Some(ASKING) => self.asking().into(),
            Some(UNDECLARED) => self.undeclared().into(),
            _ => Answer::error(error_code::INVALID_PARAMS, "this task does not exist"),
        }
    }

    fn asking(&mut self) -> Json {
        let waited = self.waiting.as_ref().map(Stopwatch::elapsed).unwrap_or_default();
        if self.kinds.is_empty() || waited > REPLY_TIME {
            self.phase = Phase::Ended;
        }
        match self.phase {
            Phase::First => self.asks(&["first", "second"]),
            Phase::Stale => {
                self.phase = Phase::Further;
                self.waiting = None;
                self.asks(&["first", "second"])
            }
            Phase::Further => self.asks(&["first", "third"]),
            Phase::Working(left) => {
                self.phase = left.checked_sub(1).map_or(Phase::Ended, Phase::Working);
                state_of(ASKING, "working")
            }
            Phase::Ended => completed(ASKING),
        }
    }

    fn asks(&mut self, keys: &[&str]) -> Json {
        self.waiting.get_or_insert_with(Stopwatch::start);
        let mut state = state_of(ASKING, "input_required");
        for key in keys {
            // What needs no person comes first and last.
            let index = usize::from(*key == "second");
            state["inputRequests"][*key] = request(self.kinds[index % self.kinds.len()]);
        }
        state
    }

    fn undeclared(&mut self) -> Json {
        self.polls += 1;
        self.polls_after_cancel += usize::from(self.is_cancelled);
        match (self.is_cancelled, self.polls_after_cancel) {
            (true, 1) => state_of(UNDECLARED, "working"),
            (true, _) => completed(UNDECLARED),
            (false, _) if self.polls > MOST_UNANSWERED => completed(UNDECLARED),
            (false, _) => {
                let mut state = state_of(UNDECLARED, "input_required");
                state["inputRequests"] = json!({ "visit": visit() });
                state
            }
        }
    }

    /// A server ignores keys that it does not wait for.
    fn update(&mut self, call: &Call) -> Answer {
        let has = |key: &str| call.input_response(key).is_some();
        let of_asking = call.param("taskId").and_then(Value::as_str) == Some(ASKING);
        match self.phase {
            Phase::First if of_asking && (has("first") || has("second")) => {
                self.phase = Phase::Stale;
            }
            Phase::Further if of_asking && has("third") => {
                self.phase = Phase::Working(1);
                self.waiting = None;
            }
            _ => {}
        }
        json!({}).into()
    }

    fn cancel(&mut self, call: &Call) -> Answer {
        match call.param("taskId").and_then(Value::as_str) {
            Some(UNDECLARED) => self.is_cancelled = true,
            _ => self.phase = Phase::Ended,
        }
        json!({}).into()
    }
}
