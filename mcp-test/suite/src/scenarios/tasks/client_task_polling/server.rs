//! The server of `client-task-polling`: what it answers, by what it has done so far.

use mcp_test_core::clock::Stopwatch;
use serde_json::Value as Json;

use super::{EXPIRED, FIRST_INTERVAL, FIRST_TTL, OF_PROMPT, POLLED, RAISED_INTERVAL};
use crate::scenarios::prelude::*;
use crate::scenarios::tasks::task_requests::{Shared, output, server_with_tasks, task, tools};

/// The time to live that a later state names.
const LONG_TTL: Duration = Duration::from_secs(600);

/// How many requests for its state the first task takes at least.
const LEAST_POLLS: usize = 5;
/// How many it takes at most: a client that does not wait must not fill the trace.
const MOST_POLLS: usize = 60;

/// What the server has done so far.
#[derive(Debug, Default)]
struct Progress {
    calls: usize,
    /// Since the first task was made.
    working: Option<Stopwatch>,
    polls: usize,
    expired_polls: usize,
}

pub(super) fn serve(test: &ClientTest) -> Server {
    let progress = Shared::<Progress>::default();
    server_with_tasks(test)
        .capabilities(json!({
            "tools": {}, "prompts": {}, "extensions": { "io.modelcontextprotocol/tasks": {} },
        }))
        // One for each kind of result; which tool is called does not matter.
        .on("tools/list", |_: Call| async { tools(["import", "add", "export"]) })
        .on("tools/call", progress.answering(Progress::call))
        .on("tasks/get", progress.answering(Progress::state))
        .on("tasks/update", |_: Call| async { json!({}) })
        .on("tasks/cancel", |_: Call| async { json!({}) })
        .on("prompts/list", |_: Call| async { json!({ "prompts": [{ "name": "greeting" }] }) })
        .on("prompts/get", |call: Call| async move {
            // A client of both eras may have begun with a handshake.
            match call.revision().era() {
                Era::Stateless => handle(OF_PROMPT, FIRST_TTL),
                Era::Handshake => json!({ "messages": [] }),
            }
        })
}

fn handle(id: &str, ttl: Duration) -> Json {
    let mut handle = task(id, "working", FIRST_INTERVAL, ttl);
    handle["resultType"] = json!("task");
    handle
}

impl Progress {
    fn call(&mut self, call: &Call) -> Answer {
        if call.require(Capability::TasksExtension).is_err() {
            return output().into();
        }
        self.calls += 1;
        match self.calls {
            1 => {
                self.working = Some(Stopwatch::start());
                handle(POLLED, FIRST_TTL).into()
            }
            3 => handle(EXPIRED, FIRST_TTL).into(),
            _ => output().into(),
        }
    }

    fn state(&mut self, call: &Call) -> Answer {
        match call.param("taskId").and_then(Value::as_str) {
            Some(POLLED) => self.polled(),
            Some(EXPIRED) => {
                self.expired_polls += 1;
                match self.expired_polls {
                    1 => task(EXPIRED, "working", FIRST_INTERVAL, FIRST_TTL).into(),
                    _ => Answer::error(error_code::INVALID_PARAMS, "the task has expired"),
                }
            }
            _ => Answer::error(error_code::INVALID_PARAMS, "this task does not exist"),
        }
    }

    fn polled(&mut self) -> Answer {
        self.polls += 1;
        let elapsed = self.working.as_ref().map(Stopwatch::elapsed).unwrap_or_default();
        let is_over = self.polls >= LEAST_POLLS && elapsed >= FIRST_TTL;
        match self.polls {
            1 => task(POLLED, "working", FIRST_INTERVAL, FIRST_TTL).into(),
            2 => Answer::error(error_code::INTERNAL_ERROR, "too many requests, try again later"),
            polls if is_over || polls >= MOST_POLLS => {
                let mut ended = task(POLLED, "completed", RAISED_INTERVAL, LONG_TTL);
                ended["result"] = output();
                ended.into()
            }
            _ => task(POLLED, "working", RAISED_INTERVAL, LONG_TTL).into(),
        }
    }
}
