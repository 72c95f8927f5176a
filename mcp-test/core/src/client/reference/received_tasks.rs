//! Tasks of 2025-11-25 that the reference client runs for its server.
//!
//! The work of a task is done when its request arrives; it ends when the server asks for its result, or for its state again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;

use super::{Answer, Handlers, TaskHabits};
use crate::clock;
use crate::json::{Object, Value};
use crate::spec::{Revision, error_code, meta};
use crate::wire::{Message, Request, RpcError};

/// How many tasks are kept, since a server may start any number of them.
const MOST_TASKS: usize = 100;

/// What a client with tasks declares.
pub(super) fn declared() -> serde_json::Value {
    let requests = json!({ "sampling": { "createMessage": {} } });
    json!({ "list": {}, "cancel": {}, "requests": requests })
}

/// Answers the requests of one method.
type Method = fn(&ReceivedTasks, &Request) -> Answer;

/// The tasks of one client; clones share them.
#[derive(Clone)]
struct ReceivedTasks {
    tasks: Arc<Mutex<Vec<Task>>>,
    /// Answers the requests behind the tasks.
    user: Handlers,
    id: fn(usize) -> String,
}

struct Task {
    id: String,
    created: String,
    updated: String,
    ttl: Value,
    status: &'static str,
    is_seen: bool,
    outcome: Answer,
}

/// Handlers that run generations as tasks, if the server wants that.
pub(super) fn with_tasks(user: Handlers, habits: TaskHabits) -> Handlers {
    let TaskHabits { id, changes, .. } = habits;
    let tasks = ReceivedTasks { tasks: Arc::default(), user: user.clone(), id };
    let answers: [(&str, Method); 6] = [
        ("sampling/createMessage", ReceivedTasks::generate),
        ("elicitation/create", ReceivedTasks::elicit),
        ("tasks/get", ReceivedTasks::get),
        ("tasks/result", ReceivedTasks::result),
        ("tasks/list", ReceivedTasks::list),
        ("tasks/cancel", ReceivedTasks::cancel),
    ];
    answers.into_iter().fold(user, |handlers, (method, answer)| {
        let tasks = tasks.clone();
        handlers.on(method, move |request| changes(request, answer(&tasks, request)))
    })
}

fn param<'a>(request: &'a Request, name: &str) -> Option<&'a Value> {
    request.params.as_ref()?.get(name)
}

fn invalid(message: &str) -> Answer {
    Err(RpcError::new(error_code::INVALID_PARAMS, message))
}

/// Adds the metadata that names the task to a result.
fn related(mut result: Value, task: Value) -> Value {
    let mut related = Object::new();
    related.push(meta::RELATED_TASK, task);
    result.set("/_meta", Value::Object(related));
    result
}

impl ReceivedTasks {
    fn lock(&self) -> MutexGuard<'_, Vec<Task>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answered_by_user(&self, request: &Request) -> Answer {
        match self.user.answer(request, Revision::V2025_11_25) {
            Some(Message::Response(response)) => Ok(response.result),
            Some(Message::Error(reply)) => Err(reply.error),
            _ => Err(RpcError::new(error_code::INTERNAL_ERROR, "the user does not answer")),
        }
    }

    fn generate(&self, request: &Request) -> Answer {
        let outcome = self.answered_by_user(request);
        let Some(wanted) = param(request, "task") else { return outcome };
        let mut tasks = self.lock();
        if tasks.len() >= MOST_TASKS {
            return Err(RpcError::new(error_code::INTERNAL_ERROR, "there are too many tasks"));
        }
        let now = clock::utc_now();
        let task = Task {
            id: (self.id)(tasks.len()),
            created: now.clone(),
            updated: now,
            ttl: wanted.get("ttl").cloned().unwrap_or_default(),
            status: "working",
            is_seen: false,
            outcome,
        };
        let mut created = Value::from(json!({}));
        created.set("/task", task.to_value());
        tasks.push(task);
        Ok(created)
    }

    /// An elicitation does not become a task here, but it may belong to one of the server.
    fn elicit(&self, request: &Request) -> Answer {
        let answer = self.answered_by_user(request)?;
        let task = param(request, "_meta").and_then(|meta| meta.get(meta::RELATED_TASK));
        Ok(match task {
            Some(task) => related(answer, task.clone()),
            None => answer,
        })
    }

    /// Answers a request by the task that its parameter names, whatever its metadata says.
    fn with(&self, request: &Request, answer: impl FnOnce(&mut Task) -> Answer) -> Answer {
        let id = param(request, "taskId").and_then(Value::as_str);
        match self.lock().iter_mut().find(|task| Some(task.id.as_str()) == id) {
            Some(task) => answer(task),
            None => invalid("this task does not exist"),
        }
    }

    fn get(&self, request: &Request) -> Answer {
        self.with(request, |task| {
            if task.is_seen {
                task.finish();
            }
            task.is_seen = true;
            Ok(task.to_value())
        })
    }

    fn result(&self, request: &Request) -> Answer {
        self.with(request, |task| {
            task.finish();
            if task.status == "cancelled" {
                return invalid("the task was cancelled");
            }
            let id = Value::from(json!({ "taskId": task.id }));
            Ok(related(task.outcome.clone()?, id))
        })
    }

    fn list(&self, request: &Request) -> Answer {
        if param(request, "cursor").is_some() {
            return invalid("this page does not exist");
        }
        let mut page = Value::from(json!({}));
        page.set("/tasks", self.lock().iter().map(Task::to_value).collect());
        Ok(page)
    }

    fn cancel(&self, request: &Request) -> Answer {
        self.with(request, |task| {
            if task.status != "working" {
                return invalid("the task has ended");
            }
            task.end("cancelled");
            Ok(task.to_value())
        })
    }
}

impl Task {
    fn finish(&mut self) {
        if self.status == "working" {
            self.end(if self.outcome.is_ok() { "completed" } else { "failed" });
        }
    }

    fn end(&mut self, status: &'static str) {
        self.status = status;
        self.updated = clock::utc_now();
    }

    fn to_value(&self) -> Value {
        let mut task = Value::from(json!({
            "taskId": self.id, "status": self.status, "createdAt": self.created,
            "lastUpdatedAt": self.updated, "pollInterval": 10,
        }));
        task.set("/ttl", self.ttl.clone());
        if let (Err(error), "failed") = (&self.outcome, self.status) {
            task.set("/statusMessage", error.message.as_str().into());
        }
        task
    }
}
