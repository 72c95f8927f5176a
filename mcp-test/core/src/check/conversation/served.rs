//! Results of requests that need a capability which the server has not declared.

use super::{ConversationJudge, rule_of_capability};
use crate::check::Finding;
use crate::check::cited::{Cited, cites};
use crate::check::walk::JudgedEvent;
use crate::json::Value;
use crate::spec::{Capability, Era, Revision, Side, method};
use crate::trace::Position;

cites! {
    COMPLETION_CAPABILITY_DECLARE, PROMPTS_CAPABILITY_DECLARE,
    PROMPTS_CAPABILITY_DECLARE_IN_DISCOVER, RESOURCES_CAPABILITY_DECLARE,
    TASKS_CANCEL_REQUIRES_CAPABILITY, TASKS_LIST_REQUIRES_CAPABILITY, TOOLS_CAPABILITY_DECLARE,
}

impl ConversationJudge {
    /// Reports a result that the server returns without declaring the capability for it. A request that was sent deliberately is
    /// judged by the scenario that sent it.
    pub(super) fn served(
        &mut self,
        event: JudgedEvent<'_>,
        position: Position,
        name: &str,
        result: &Value,
    ) {
        let revision = event.opened_for;
        let conversation = self.conversation(event);
        let is_handshake = conversation.client.is_some() || revision.era() == Era::Handshake;
        let (server, is_deliberate) =
            (conversation.server.clone(), conversation.deliberate.contains_key(&position));
        let discovered = self.discovered.clone().filter(|_| !is_handshake);
        let Some(declared) = &server.or(discovered) else { return };
        if is_deliberate || !offers(name, result) {
            return;
        }
        let Some(known) = method(name).filter(|it| it.sent_by(Side::Client, revision)) else {
            return;
        };
        let needed = known.capability(revision);
        let Some(capability) = needed.filter(|it| !it.declared_in(declared)) else { return };
        let finding =
            Finding::peer(format!("the server serves `{name}` without the capability for it"))
                .expected(format!("`{capability}` in the capabilities that the server declares"))
                .got("a result");
        let finding = match capability {
            Capability::TasksCancel => finding.also(TASKS_CANCEL_REQUIRES_CAPABILITY),
            Capability::TasksList => finding.also(TASKS_LIST_REQUIRES_CAPABILITY),
            _ => finding,
        };
        let rule = rule_of_offer(capability, revision);
        self.findings.add(
            event,
            finding,
            rule.unwrap_or_else(|| rule_of_capability(known, revision)),
        );
    }
}

/// Whether a result contains something: a server without tools may list none.
fn offers(name: &str, result: &Value) -> bool {
    let list = match name {
        "completion/complete" => "/completion/values",
        "prompts/list" => "/prompts",
        "resources/list" => "/resources",
        "resources/templates/list" => "/resourceTemplates",
        "tools/list" => "/tools",
        _ => return result.get("isError") != Some(&Value::Bool(true)),
    };
    result.at(list).and_then(Value::as_array).is_some_and(|items| !items.is_empty())
}

fn rule_of_offer(capability: Capability, revision: Revision) -> Option<Cited> {
    Some(match capability {
        Capability::Completions => COMPLETION_CAPABILITY_DECLARE,
        Capability::Prompts => Cited::first_at(
            revision,
            [PROMPTS_CAPABILITY_DECLARE_IN_DISCOVER, PROMPTS_CAPABILITY_DECLARE],
        ),
        Capability::Resources => RESOURCES_CAPABILITY_DECLARE,
        Capability::Tools => TOOLS_CAPABILITY_DECLARE,
        _ => return None,
    })
}
