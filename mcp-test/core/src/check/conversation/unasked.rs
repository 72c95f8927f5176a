//! Notifications that the client has not asked for.

use super::{ConversationJudge, is_of_subscriptions};
use crate::check::Finding;
use crate::check::cited::cites;
use crate::check::walk::JudgedEvent;
use crate::spec::{Capability, Era, meta};
use crate::wire::{Id, Notification};

cites! {
    PROMPTS_LIST_CHANGED_ONLY_ON_LISTEN_STREAM, RESOURCES_LIST_CHANGED_ONLY_ON_LISTEN_STREAM,
    RESOURCES_UPDATED_ONLY_SUBSCRIBED, SUBSCRIPTIONS_CANCEL_ENDS,
    TOOLS_LIST_CHANGED_ONLY_ON_LISTEN_STREAM, TRANSPORT_HTTP_SSE_NOTIFICATIONS_RELATED,
    TRANSPORT_STDIO_SERVER_MESSAGE_KINDS,
}

impl ConversationJudge {
    /// Changes are announced only to a client that has asked for them: from 2026-07-28 on those of lists, before those of resources.
    pub(super) fn was_asked_for(&mut self, event: JudgedEvent<'_>, name: &str) -> bool {
        let is_stateless = event.opened_for.era() == Era::Stateless;
        let elided = self.findings.elided;
        let conversation = self.conversation(event);
        let (was_asked, rule, expected) = match (name, is_stateless) {
            ("notifications/tools/list_changed", true) => (
                conversation.listened.contains_key("toolsListChanged"),
                TOOLS_LIST_CHANGED_ONLY_ON_LISTEN_STREAM,
                "toolsListChanged",
            ),
            ("notifications/prompts/list_changed", true) => (
                conversation.listened.contains_key("promptsListChanged"),
                PROMPTS_LIST_CHANGED_ONLY_ON_LISTEN_STREAM,
                "promptsListChanged",
            ),
            ("notifications/resources/list_changed", true) => (
                conversation.listened.contains_key("resourcesListChanged"),
                RESOURCES_LIST_CHANGED_ONLY_ON_LISTEN_STREAM,
                "resourcesListChanged",
            ),
            ("notifications/resources/updated", false) => {
                // Without the capability nobody can subscribe, which is reported by itself.
                let is_declared = conversation
                    .server
                    .as_ref()
                    .is_some_and(|it| Capability::ResourcesSubscribe.declared_in(it));
                (
                    conversation.has_subscribed || !is_declared,
                    RESOURCES_UPDATED_ONLY_SUBSCRIBED,
                    "resources/subscribe",
                )
            }
            _ => return true,
        };
        if was_asked || elided {
            return true;
        }
        let finding = Finding::peer(format!("`{name}` that the client did not ask for"))
            .expected(format!("it only after a request with `{expected}`"))
            .got("no such request in this connection");
        self.findings.add(event, finding, rule);
        false
    }

    /// From 2026-07-28 on, every notification belongs to a request, and changes to a subscription.
    pub(super) fn unrelated(&mut self, event: JudgedEvent<'_>, notification: &Notification) {
        let name = notification.method.as_str();
        if event.opened_for.era() != Era::Stateless || self.findings.elided {
            return;
        }
        let conversation = self.conversation(event);
        if let Some(exchange) = event.exchange {
            let posted = conversation.posted.get(&exchange).map(|posted| posted.method.clone());
            if let Some(posted) = posted.filter(|posted| posted != "subscriptions/listen")
                && is_of_subscriptions(name)
            {
                let finding = Finding::peer(format!("the response to `{posted}` has `{name}`"))
                    .expected("changes on the response to `subscriptions/listen` only")
                    .got(format!("`{name}` before the reply to `{posted}`"));
                let params = notification.params.as_ref();
                let named = params.and_then(|it| it.get("_meta")?.get(meta::SUBSCRIPTION_ID));
                let named = named.and_then(Id::read);
                let listened = named.and_then(|id| conversation.subscriptions.get(&id));
                // Closing its response cancels a subscription.
                let finding = match listened.is_some_and(|it| conversation.closed.contains_key(it))
                {
                    true => finding.also(SUBSCRIPTIONS_CANCEL_ENDS),
                    false => finding,
                };
                self.findings.add(event, finding, TRANSPORT_HTTP_SSE_NOTIFICATIONS_RELATED);
            }
            return;
        }
        // Progress and log messages have rules of their own, which say more.
        let is_judged = ["notifications/progress", "notifications/message"].contains(&name);
        if conversation.open.is_empty() && !is_judged {
            let finding =
                Finding::peer(format!("the server sent `{name}` while no request was open"))
                    .expected("notifications for a request or a subscription that is open")
                    .got(format!("`{name}`"));
            self.findings.add(event, finding, TRANSPORT_STDIO_SERVER_MESSAGE_KINDS);
        }
    }
}
