//! Tasks of 2025-11-25: what ends the progress of a task, and whether the client has tasks for the requests of the server.

use super::{ConversationJudge, ReplyOrder};
use crate::check::Finding;
use crate::check::cited::cites;
use crate::check::walk::JudgedEvent;
use crate::json::Value;
use crate::trace::Position;
use crate::wire::Request;

cites! {
    TASKS_AUGMENT_ONLY_DECLARED, TASKS_NO_AUGMENT_WITHOUT_CAPABILITY,
}

impl ConversationJudge {
    /// A result that says of a task that it was created, or that it is finished.
    pub(super) fn state_of_task(
        &mut self,
        event: JudgedEvent<'_>,
        method: &str,
        position: Position,
        result: &Value,
    ) {
        let conversation = self.conversation(event);
        let text = |pointer: &str| result.at(pointer).and_then(Value::as_str);
        match method {
            "tasks/get" | "tasks/cancel" => {
                let is_final =
                    matches!(text("/status"), Some("completed" | "failed" | "cancelled"));
                let Some(id) = text("/taskId").filter(|_| is_final) else { return };
                conversation.tracked.end_task(id, ReplyOrder::of(event));
            }
            _ => {
                conversation.tracked.create_task(position, text("/task/taskId"));
            }
        }
    }

    /// A request of the server that is to run as a task, which the client has to offer for it.
    pub(super) fn augmented(&mut self, event: JudgedEvent<'_>, request: &Request) {
        let is_task = request.params.as_ref().is_some_and(|it| it.get("task").is_some());
        let declared = match request.method.as_str() {
            "elicitation/create" => "/tasks/requests/elicitation/create",
            "sampling/createMessage" => "/tasks/requests/sampling/createMessage",
            _ => return,
        };
        let client = self.conversation(event).client.clone().filter(|_| is_task);
        let Some(client) = client else { return };
        if client.at(declared).is_some() {
            return;
        }
        let finding = Finding::peer(format!("`{}` is to run as a task", request.method))
            .expected(format!("no `task`: the client does not declare `{}`", &declared[1..]))
            .got("a request with `task`");
        let finding = match client.get("tasks") {
            None => finding.also(TASKS_NO_AUGMENT_WITHOUT_CAPABILITY),
            Some(_) => finding,
        };
        self.findings.add(event, finding, TASKS_AUGMENT_ONLY_DECLARED);
    }
}
