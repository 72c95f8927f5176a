//! A server with tasks: the conforming reference server for the task scenarios, and variants with one fault.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_test_core::clock;
use mcp_test_core::transport::generated_id::generate_id;
use serde_json::Value;

use super::task_fault::TaskFault;
use crate::scenarios::prelude::*;

/// How many times `tasks/get` reports a task as `working`.
const WORKING_POLLS: usize = 2;

#[derive(Debug)]
struct Task {
    id: String,
    created: String,
    updated: String,
    status: &'static str,
    tool: String,
    polls: usize,
    is_fetched: bool,
    progress_token: Option<Value>,
}

#[derive(Debug, Clone)]
struct Tasks {
    fault: TaskFault,
    tasks: Arc<Mutex<Vec<Task>>>,
    /// Whether some client has declared the extension.
    was_declared: Arc<AtomicBool>,
}

/// A server whose tasks follow the revision in use, with a tool for each level of task support.
pub(super) fn tasks_server() -> Server {
    faulty(TaskFault::None)
}

/// The server with one fault.
pub(super) fn faulty(fault: TaskFault) -> Server {
    let tasks = Tasks { fault, tasks: Arc::default(), was_declared: Arc::default() };
    let with = |answer: fn(&Tasks, &Call) -> Answer| {
        let tasks = tasks.clone();
        move |call: Call| {
            let tasks = tasks.clone();
            async move { answer(&tasks, &call) }
        }
    };
    let result = {
        let tasks = tasks.clone();
        move |call: Call| {
            let tasks = tasks.clone();
            async move {
                notify(&tasks, &call).await;
                tasks.result(&call)
            }
        }
    };
    let server = Server::new(json!({"name": "mcp-test-tasks", "version": "1.0.0"}))
        .capabilities(json!({
            "tools": {},
            "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        }))
        .on("tools/list", |call: Call| async move { tools(call.revision()) })
        .on("tools/call", with(Tasks::call))
        .on("tasks/get", with(Tasks::get))
        .on("tasks/list", with(Tasks::list))
        .on("tasks/cancel", with(Tasks::cancel))
        .on("tasks/update", with(Tasks::update))
        .on("tasks/result", result);
    match fault {
        TaskFault::AcceptsSubscriptions => server.on("subscriptions/listen", accept_subscription),
        _ => server,
    }
}

/// Acknowledges any subscription, and keeps it open.
async fn accept_subscription(call: Call) -> Answer {
    let id = call.id().map(|id| id.to_value().to_serde());
    let params = json!({"notifications": {}, "_meta": { meta::SUBSCRIPTION_ID: id }});
    call.notify("notifications/subscriptions/acknowledged", params).await.ok();
    Answer::never()
}

/// The tool that fails with a JSON-RPC error; only at 2025-11-25.
const BROKEN: &str = "broken";

fn failure() -> Answer {
    Answer::error(error_code::INTERNAL_ERROR, "the disk is full")
}

fn tools(revision: Revision) -> Value {
    let tool = |name: &str, support: Option<&str>| {
        let mut tool = json!({
            "name": name,
            "description": format!("A tool whose support for tasks is {}.", support.unwrap_or("not stated")),
            "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": true},
        });
        if let Some(support) = support {
            tool["execution"] = json!({ "taskSupport": support });
        }
        tool
    };
    let mut tools = vec![
        tool("plain", None),
        tool("either", Some("optional")),
        tool("always", Some("required")),
    ];
    if !revision.has_result_type() {
        tools.push(tool(BROKEN, Some("optional")));
    }
    json!({ "tools": tools })
}

/// What a tool returns.
fn output(tool: &str) -> Value {
    json!({"content": [{"type": "text", "text": format!("{tool} has run")}]})
}

fn invalid(message: &str) -> Answer {
    Answer::error(error_code::INVALID_PARAMS, message)
}

fn text<'a>(call: &'a Call, name: &str) -> &'a str {
    call.param(name).and_then(mcp_test_core::json::Value::as_str).unwrap_or_default()
}

/// Sends the notifications that the fault calls for, and progress if the task is still working and the client asked for it.
async fn notify(tasks: &Tasks, call: &Call) {
    let id = text(call, "taskId");
    let working = tasks
        .lock()
        .iter()
        .find(|it| it.id == id && !it.is_finished())
        .map(|it| it.progress_token.clone());
    if let Some(Some(token)) = working {
        let mut params = json!({"progressToken": token, "progress": 1});
        if tasks.fault != TaskFault::ReportsUnrelated {
            params["_meta"] = json!({ meta::RELATED_TASK: {"taskId": id} });
        }
        let _ = call.notify("notifications/progress", params).await;
    }
    let (status, is_marked) = match tasks.fault {
        TaskFault::NotifiesWithMetadata => ("completed", true),
        TaskFault::NotifiesAfterEnd => ("completed", false),
        _ => return,
    };
    let statuses = if is_marked { vec![status] } else { vec![status, "working"] };
    for status in statuses {
        let now = clock::utc_now();
        let mut params = json!({
            "taskId": id, "status": status, "createdAt": now, "lastUpdatedAt": now, "ttl": null,
        });
        if is_marked {
            params["_meta"] = json!({ meta::RELATED_TASK: {"taskId": id} });
        }
        let _ = call.notify("notifications/tasks/status", params).await;
    }
}

impl Task {
    fn is_finished(&self) -> bool {
        self.status != "working"
    }

    fn end(&mut self, status: &'static str) {
        self.status = status;
        self.updated = clock::utc_now();
    }

    fn to_json(&self) -> Value {
        let mut task = json!({
            "taskId": self.id, "status": self.status, "createdAt": self.created,
            "lastUpdatedAt": self.updated, "ttl": null, "pollInterval": 10,
        });
        if self.status == "failed" {
            task["statusMessage"] = json!("the tool has failed");
        }
        task
    }
}

impl Task {
    /// The task in the format of the extension, which includes the result of a completed task.
    fn to_extension_json(&self, has_early_result: bool) -> Value {
        let mut task = json!({
            "taskId": self.id, "status": self.status, "createdAt": self.created,
            "lastUpdatedAt": self.updated, "ttlMs": null, "pollIntervalMs": 10,
        });
        if self.status == "completed" || has_early_result {
            task["result"] = output(&self.tool);
        }
        task
    }
}

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, Vec<Task>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the task that the request names, and returns what `answer` returns for it.
    fn with(&self, call: &Call, answer: impl FnOnce(&mut Task) -> Answer) -> Answer {
        // Clients declare the extension in each request. The tasks of 2025-11-25 need no such check here.
        if call.revision().has_result_type()
            && let Err(refusal) = call.require(Capability::TasksExtension)
        {
            return refusal;
        }
        let related = call.params().at("/_meta/io.modelcontextprotocol~1related-task/taskId");
        let related = related.and_then(mcp_test_core::json::Value::as_str);
        let id = match related {
            Some(related) if self.fault == TaskFault::ReadsMetadata => related,
            _ => text(call, "taskId"),
        };
        match self.lock().iter_mut().find(|task| task.id == id) {
            Some(task) => answer(task),
            None => invalid("task not found"),
        }
    }

    fn call(&self, call: &Call) -> Answer {
        let (tool, task) = (text(call, "name"), call.param("task"));
        if call.revision().has_result_type() {
            return self.call_with_extension(call, tool);
        }
        let refused = |why| Answer::error(error_code::METHOD_NOT_FOUND, why);
        match (tool, task) {
            ("either", None) if self.fault == TaskFault::OnlyTasks => {
                refused("this tool is called as a task")
            }
            ("plain" | "either", None) => output(tool).into(),
            (BROKEN, None) => failure(),
            ("plain", Some(_)) => refused("this tool is not called as a task"),
            ("always", None) => refused("this tool is called as a task"),
            ("either" | "always" | BROKEN, Some(task)) => self.create(call, tool, task),
            _ => invalid("there is no tool with this name"),
        }
    }

    /// With the extension, a call becomes a task if the client declared the extension; the member `task` is ignored.
    fn call_with_extension(&self, call: &Call, tool: &str) -> Answer {
        let declared = call.require(Capability::TasksExtension);
        if declared.is_ok() {
            self.was_declared.store(true, Ordering::Relaxed);
        }
        let makes_task = match self.fault {
            TaskFault::TasksForEveryone => true,
            TaskFault::TasksByMember => declared.is_ok() || call.param("task").is_some(),
            TaskFault::RemembersDeclaration => self.was_declared.load(Ordering::Relaxed),
            _ => declared.is_ok(),
        };
        match (tool, declared) {
            ("either" | "always", _) if makes_task => {
                let task = self.add(tool, None);
                let mut handle = task.to_extension_json(false);
                handle["resultType"] = json!("task");
                self.lock().push(task);
                handle.into()
            }
            ("always", Err(refusal)) => refusal,
            ("plain" | "either" | "always", _) => output(tool).into(),
            _ => invalid("there is no tool with this name"),
        }
    }

    fn create(&self, call: &Call, tool: &str, wanted: &mcp_test_core::json::Value) -> Answer {
        if self.fault == TaskFault::RequiresTtl && wanted.get("ttl").is_none() {
            return invalid("`ttl` is missing");
        }
        let mut task =
            self.add(tool, wanted.get("taskId").and_then(mcp_test_core::json::Value::as_str));
        let token =
            call.params().at("/_meta/progressToken").map(mcp_test_core::json::Value::to_serde);
        task.progress_token = token;
        let created = json!({ "task": task.to_json() });
        self.lock().push(task);
        created.into()
    }

    /// Creates a task; the fault decides which id it gets.
    fn add(&self, tool: &str, wanted: Option<&str>) -> Task {
        let id = match (self.fault, wanted) {
            (TaskFault::AdoptsIds, Some(wanted)) => wanted.to_owned(),
            (TaskFault::RepeatsIds, _) => "0123456789abcdef".to_owned(),
            (TaskFault::CountsIds, _) => format!("task-{}", self.lock().len()),
            _ => generate_id(),
        };
        let now = clock::utc_now();
        Task {
            id,
            created: now.clone(),
            updated: now,
            status: "working",
            tool: tool.to_owned(),
            polls: 0,
            is_fetched: false,
            progress_token: None,
        }
    }

    fn get(&self, call: &Call) -> Answer {
        let is_extension = call.revision().has_result_type();
        self.with(call, |task| {
            task.polls += 1;
            if self.fault == TaskFault::CompletesCancelled && task.status == "cancelled" {
                task.end("completed");
            }
            let never_ends = self.fault == TaskFault::MisspellsCancelled;
            if task.polls > WORKING_POLLS && !task.is_finished() && !never_ends {
                task.end(if task.tool == BROKEN { "failed" } else { "completed" });
            }
            if !is_extension {
                return task.to_json().into();
            }
            let is_early = self.fault == TaskFault::HasEarlyResults;
            let mut state = task.to_extension_json(is_early);
            if never_ends && task.is_finished() {
                state["status"] = json!("canceled");
            }
            state.into()
        })
    }

    fn result(&self, call: &Call) -> Answer {
        self.with(call, |task| {
            if task.is_fetched && self.fault == TaskFault::ForgetsResult {
                return invalid("the result was fetched before");
            }
            task.is_fetched = true;
            if task.tool == BROKEN && self.fault != TaskFault::WrapsErrors {
                if !task.is_finished() {
                    task.end("failed");
                }
                return failure();
            }
            let mut result = output(&task.tool);
            if self.fault == TaskFault::CompletesFailed {
                result["isError"] = json!(true);
            }
            // The work of an unfinished task is done now, so that nobody has to wait for it.
            if self.fault == TaskFault::AnswersEarly {
                task.polls = 0;
            } else if !task.is_finished() {
                task.end("completed");
            }
            result["_meta"] = json!({ meta::RELATED_TASK: {"taskId": task.id} });
            result.into()
        })
    }

    fn cancel(&self, call: &Call) -> Answer {
        let is_extension = call.revision().has_result_type();
        self.with(call, |task| match (task.is_finished(), self.fault) {
            (is_finished, fault) if is_extension => {
                if !is_finished || fault == TaskFault::CancelsFinishedOfExtension {
                    task.end("cancelled");
                }
                json!({}).into()
            }
            (true, TaskFault::CancelsFinished) | (false, _) => {
                let before = task.to_json();
                task.end("cancelled");
                if self.fault == TaskFault::CancelsLater {
                    before.into()
                } else {
                    task.to_json().into()
                }
            }
            (true, _) => invalid("the task is finished"),
        })
    }

    fn update(&self, call: &Call) -> Answer {
        self.with(call, |_| match self.fault {
            TaskFault::RefusesUnknownKeys => invalid("the task has not asked for this"),
            _ => json!({}).into(),
        })
    }

    fn list(&self, call: &Call) -> Answer {
        if call.param("cursor").is_some() {
            return invalid("there is no such page");
        }
        let tasks = self.lock();
        let is_listed =
            |task: &&Task| self.fault != TaskFault::ListsUnfinished || !task.is_finished();
        let tasks: Vec<_> = tasks.iter().filter(is_listed).map(Task::to_json).collect();
        json!({ "tasks": tasks }).into()
    }
}
