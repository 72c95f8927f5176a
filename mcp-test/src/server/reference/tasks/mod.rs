//! The tasks extension of the reference server: its tasks, and the requests for them.

mod task;
mod tools;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use self::task::Task;
pub(super) use self::task::{Ending, Work};
use super::{Answer, Call, invalid, text};
use crate::json::{Object, Value};
use crate::spec::Capability;
use crate::wire::RpcError;

pub(super) use self::tools::{call, list};

/// How many tasks are kept. Clients start tasks and may never ask for them again, so that the store needs a bound.
const MOST_TASKS: usize = 1000;

/// The tasks of a server; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Tasks {
    tasks: Arc<Mutex<Vec<Task>>>,
    /// How long a second of a tool takes, so that proofs do not have to wait for whole ones.
    second: Duration,
}

impl Tasks {
    pub(super) fn new(second: Duration) -> Self {
        Self { tasks: Arc::default(), second }
    }

    /// Starts a task, and answers with it in place of a result.
    fn start(&self, work: Work) -> Answer {
        let task = Task::new(work);
        let mut handle = task.handle(self.poll_interval());
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

    /// `tasks/get`.
    pub(super) fn get(&self, call: &Call) -> Answer {
        self.with(call, |task| Ok(task.state(self.poll_interval())))
    }

    /// `tasks/update`.
    pub(super) fn update(&self, call: &Call) -> Answer {
        self.with(call, |task| {
            let Some(Value::Object(responses)) = call.param("inputResponses") else {
                return Err(invalid("`inputResponses` must be an object"));
            };
            task.update(responses);
            Ok(acknowledgement())
        })
    }

    /// `tasks/cancel`.
    pub(super) fn cancel(&self, call: &Call) -> Answer {
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
        let id = match text(call, "taskId") {
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

    /// The interval at which clients should ask for a task, in milliseconds.
    fn poll_interval(&self) -> u64 {
        let interval = u64::try_from(self.second.as_millis() / 10).unwrap_or(u64::MAX);
        interval.max(1)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Task>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of `tasks/update` and `tasks/cancel`.
fn acknowledgement() -> Value {
    Value::Object(Object::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Deadline;

    #[test]
    fn the_oldest_finished_task_makes_room_for_another() {
        let tasks = Tasks::new(Duration::from_secs(1));
        let id = |number: usize| tasks.lock()[number].id.clone();
        let working = || Work::Until(Deadline::never(), Ending::text("done"));
        let _first = tasks.start(working());
        let _second = tasks.start(Work::Ended(Ending::Cancelled));
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
