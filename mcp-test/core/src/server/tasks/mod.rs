//! [`Tasks`]: the tasks of a server, by the extension for tasks, and the requests for them.

mod task;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use self::task::Task;
pub use self::task::{TaskEnd, TaskWork};
use super::{Answer, Call, Server, answered_by, invalid, string};
use crate::json::{Object, Value};
use crate::spec::Capability;
use crate::wire::RpcError;

/// How many tasks are kept. Clients start tasks and may never ask for them again, so that the store needs a bound.
const MOST_TASKS: usize = 1000;

/// The tasks of a server; clones share them.
///
/// Nothing runs in the background: the state of a task follows from the time, and from the responses of its client. The 1,000
/// newest tasks are kept.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use std::time::Duration;
///
/// use mcp_test::server::{Answer, Call, Server, TaskEnd, TaskWork, Tasks};
/// use mcp_test::spec::Capability;
/// use serde_json::json;
///
/// let tasks = Tasks::new();
/// let started = tasks.clone();
/// let server = Server::new(json!({"name": "importer", "version": "1.0.0"}))
///     .capabilities(json!({"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}))
///     .tasks(&tasks)
///     .on("tools/call", move |call: Call| {
///         let result = json!({"content": [{"type": "text", "text": "imported"}]});
///         // Only clients that declare the extension understand a task.
///         let answer = match call.require(Capability::TasksExtension) {
///             Ok(()) => started.start(TaskWork::until(Duration::from_secs(2), TaskEnd::completed(result))),
///             Err(_) => Answer::from(result),
///         };
///         async move { answer }
///     });
/// # drop(server);
/// ```
#[derive(Debug, Clone)]
pub struct Tasks {
    tasks: Arc<Mutex<Vec<Task>>>,
    poll_interval: Duration,
}

impl Default for Tasks {
    fn default() -> Self {
        Self { tasks: Arc::default(), poll_interval: Duration::from_millis(100) }
    }
}

impl Tasks {
    /// No tasks yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the interval at which clients should ask for a task; 100 ms by default.
    #[must_use]
    pub fn poll_interval(self, interval: Duration) -> Self {
        Self { poll_interval: interval, ..self }
    }

    /// Starts a task, and answers with it in place of the result of a request.
    #[must_use]
    pub fn start(&self, work: TaskWork) -> Answer {
        let task = Task::new(work);
        let mut handle = task.handle(self.poll_milliseconds());
        handle.set("/resultType", "task".into());
        let mut tasks = self.lock();
        if tasks.len() >= MOST_TASKS {
            tasks.iter_mut().for_each(Task::settle);
            // If none is finished, the oldest one has to go.
            let oldest = tasks.iter().position(Task::is_finished).unwrap_or(0);
            tasks.remove(oldest);
        }
        tasks.push(task);
        handle.into()
    }

    fn get(&self, call: &Call) -> Answer {
        self.with(call, |task| Ok(task.state(self.poll_milliseconds())))
    }

    fn update(&self, call: &Call) -> Answer {
        self.with(call, |task| {
            let Some(Value::Object(responses)) = call.param("inputResponses") else {
                return Err(invalid("`inputResponses` must be an object"));
            };
            task.update(responses);
            Ok(acknowledgement())
        })
    }

    fn cancel(&self, call: &Call) -> Answer {
        self.with(call, |task| {
            task.cancel();
            Ok(acknowledgement())
        })
    }

    /// Answers a request for a task.
    fn with(
        &self,
        call: &Call,
        answer: impl FnOnce(&mut Task) -> Result<Value, RpcError>,
    ) -> Answer {
        // Before the task is looked up: other clients must not learn which tasks exist.
        if let Err(refusal) = call.require(Capability::TasksExtension) {
            return refusal;
        }
        let id = match string(call.params(), "taskId") {
            Ok(id) => id,
            Err(error) => return error.into(),
        };
        match self.lock().iter_mut().find(|task| task.id == id) {
            Some(task) => {
                task.settle();
                answer(task).into()
            }
            None => invalid("unknown task").into(),
        }
    }

    fn poll_milliseconds(&self) -> u64 {
        u64::try_from(self.poll_interval.as_millis()).unwrap_or(u64::MAX).max(1)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Task>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Server {
    /// Answers `tasks/get`, `tasks/update` and `tasks/cancel` for these tasks, which handlers start with [`Tasks::start`].
    #[must_use]
    pub fn tasks(self, tasks: &Tasks) -> Self {
        self.on("tasks/get", answered_by(tasks, Tasks::get))
            .on("tasks/update", answered_by(tasks, Tasks::update))
            .on("tasks/cancel", answered_by(tasks, Tasks::cancel))
    }
}

/// The result of `tasks/update` and `tasks/cancel`.
fn acknowledgement() -> Value {
    Value::Object(Object::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_finished_task_makes_room_for_another() {
        let tasks = Tasks::new();
        let id = |number: usize| tasks.lock()[number].id.clone();
        let working = || TaskWork::until(Duration::MAX, TaskEnd::text("done"));
        let _first = tasks.start(working());
        let _second = tasks.start(TaskWork::until(Duration::ZERO, TaskEnd::text("done")));
        while tasks.lock().len() < MOST_TASKS {
            let _other = tasks.start(working());
        }
        let (first, third) = (id(0), id(2));
        let _another = tasks.start(working());
        assert_eq!((id(0), id(1)), (first, third.clone()));
        // None is finished now.
        let _another = tasks.start(working());
        assert_eq!(id(0), third);
        assert_eq!(tasks.lock().len(), MOST_TASKS);
    }
}
