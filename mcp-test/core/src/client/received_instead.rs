//! What a wait that failed says about what came instead, and about what the server has declared.

use std::ops::Range;

use super::Client;
use super::notification::ReceivedNotification;
use super::server_messages::ServerMessages;
use super::subscribe::ACKNOWLEDGED;
use crate::expect::words;
use crate::json::Value;
use crate::spec::{self, Era, MethodKind, Side};
use crate::trace::Seq;

/// How many methods, and how many events, the report of a failed wait names.
const REPORTED: usize = 5;

/// Requests and notifications that arrived in place of what was awaited.
#[derive(Debug)]
pub(super) struct ReceivedInstead {
    /// Each method with its number.
    pub(super) text: String,
    /// The latest events.
    pub(super) seqs: Vec<Seq>,
}

impl ServerMessages {
    /// What is among the messages with these numbers, in the order of arrival; `awaited` is the notification that was not.
    pub(super) fn received_among(
        &self,
        numbers: Range<usize>,
        awaited: Option<&str>,
    ) -> Option<ReceivedInstead> {
        let total = numbers.len();
        if total == 0 {
            return None;
        }
        let notification = |received: &ReceivedNotification| {
            let name = words::name(received.method());
            let differs = match awaited == Some(received.method()) {
                true if self.is_taken(received.seq) => " that an earlier wait returned",
                // It differs from what the wait was for, such as the notification of another subscription.
                true => " that does not match",
                false => "",
            };
            (received.seq, format!("`{name}`{differs}"))
        };
        let request =
            |(seq, method): (Seq, &str)| (seq, format!("the request `{}`", words::name(method)));
        let notifications = self.notifications().iter().map(notification);
        let requests = self.request_methods().map(request);
        let mut received: Vec<(Seq, String)> = notifications.chain(requests).collect();
        received.sort_by_key(|(seq, _)| *seq);
        // Of a flood only a part is kept, the latest notifications.
        let later = self.count().saturating_sub(numbers.end);
        let end = received.len().saturating_sub(later);
        let received = &received[end.saturating_sub(total)..end];

        let mut counted: Vec<(&str, usize)> = Vec::new();
        for (_, label) in received {
            match counted.iter_mut().find(|(counted, _)| counted == label) {
                Some((_, count)) => *count += 1,
                None => counted.push((label, 1)),
            }
        }
        let named = &counted[..counted.len().min(REPORTED)];
        let more = total - named.iter().map(|(_, count)| count).sum::<usize>();
        let texts = named.iter().map(|(label, count)| match count {
            1 => (*label).to_owned(),
            count => format!("{label} ({} times)", words::grouped(*count)),
        });
        let more = (more > 0).then(|| format!("{} more messages", words::grouped(more)));
        let text = words::list(texts.chain(more), "and");
        let seqs = received.iter().rev().take(REPORTED).map(|(seq, _)| *seq).collect();
        Some(ReceivedInstead { text, seqs })
    }
}

/// The member of the filter of a subscription that asks for this notification.
fn filter_member(method: &str) -> Option<&'static str> {
    match method {
        "notifications/tools/list_changed" => Some("toolsListChanged"),
        "notifications/prompts/list_changed" => Some("promptsListChanged"),
        "notifications/resources/list_changed" => Some("resourcesListChanged"),
        "notifications/resources/updated" => Some("resourceSubscriptions"),
        _ => None,
    }
}

impl Client {
    /// Why the server may not send or serve `method`, or that it declared to; `None` if nothing has to be declared.
    pub(super) fn declaration_hint(&self, method: &str) -> Option<String> {
        let known = spec::method(method)?;
        let revision = self.facts.revision;
        let is_notification = known.kind == MethodKind::Notification;
        let capability = known.capability(revision);
        if let Some(member) = filter_member(method)
            && revision.era() == Era::Stateless
        {
            if !self.state.has_subscription() {
                return Some(format!(
                    "at {revision} a server sends it to subscribers only, and the test has no subscription: `ctx.subscribe(…)`"
                ));
            }
            if !self.is_acknowledged(member) {
                let declares = capability.map(|it| format!(", and does the server declare `{it}`"));
                return Some(format!(
                    "the server acknowledged no subscription with `{member}`: does the test subscribe to it{}?",
                    declares.unwrap_or_default()
                ));
            }
        }
        let capability = capability?;
        // Before the handshake nothing is known.
        self.facts.declared_in.as_ref()?;
        if !capability.sides().contains(Side::Server) {
            return None;
        }
        match (self.facts.declares(capability), is_notification) {
            (true, true) if self.transport().is_http() && !self.state.is_listening() => {
                Some(self.no_stream())
            }
            (true, true) => Some(format!("the server declares `{capability}`")),
            (true, false) => None,
            (false, true) => Some(format!(
                "the server does not declare `{capability}`, so it need not send `{method}`"
            )),
            (false, false) => Some(format!(
                "the server does not declare `{capability}`, so it need not serve `{method}`"
            )),
        }
    }

    /// Whether the server has acknowledged a subscription whose filter has this member.
    fn is_acknowledged(&self, member: &str) -> bool {
        let received = self.state.received().notifications().iter();
        let mut acknowledged = received.filter(|received| received.method() == ACKNOWLEDGED);
        acknowledged.any(|received| {
            let filter = received.param("notifications");
            let value = filter.and_then(|filter| filter.get(member));
            value.is_some_and(|value| *value != Value::Bool(false))
        })
    }

    /// Why unsolicited messages of a server of the handshake era may not arrive over Streamable HTTP.
    fn no_stream(&self) -> String {
        let (revision, transport) = (self.facts.revision, self.transport());
        match revision.has_get_stream() {
            true => format!(
                "at {revision} over {transport} unsolicited messages of the server come on the stream of a GET, \
                 and the test has not opened it: `ctx.subscribe(…)`"
            ),
            false => format!(
                "at {revision} over {transport} there is no stream for unsolicited messages of the server"
            ),
        }
    }
}
