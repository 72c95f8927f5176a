//! Notifications received from the server, with typed views of progress and log messages.

use crate::json::Value;
use crate::spec::meta;
use crate::trace::Seq;
use crate::wire::{Id, Notification};

/// A notification received from the server.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReceivedNotification {
    /// The event that records it.
    pub seq: Seq,
    /// The HTTP exchange whose response carried it, on HTTP transports.
    pub exchange: Option<u64>,
    /// The message.
    pub notification: Notification,
}

impl ReceivedNotification {
    /// The method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.notification.method
    }

    /// One parameter.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&Value> {
        self.notification.params.as_ref()?.get(name)
    }

    /// The id in its `_meta` of the `subscriptions/listen` that it belongs to.
    #[must_use]
    pub fn subscription(&self) -> Option<Id> {
        // In `_meta`, because the parameters belong to the kind of notification.
        Id::read(self.param("_meta")?.get(meta::SUBSCRIPTION_ID)?)
    }

    /// The reported progress, if this is `notifications/progress`.
    #[must_use]
    pub fn as_progress(&self) -> Option<Progress> {
        if self.method() != "notifications/progress" {
            return None;
        }
        let number = |name: &str| self.param(name).and_then(Value::as_f64);
        Some(Progress {
            seq: self.seq,
            token: self.param("progressToken").cloned().unwrap_or_default(),
            progress: number("progress"),
            total: number("total"),
            message: self.text("message"),
        })
    }

    /// The log message, if this is `notifications/message`.
    #[must_use]
    pub fn as_log(&self) -> Option<LogMessage> {
        if self.method() != "notifications/message" {
            return None;
        }
        Some(LogMessage {
            seq: self.seq,
            level: self.text("level").unwrap_or_default(),
            logger: self.text("logger"),
            data: self.param("data").cloned().unwrap_or_default(),
        })
    }

    fn text(&self, name: &str) -> Option<String> {
        Some(self.param(name)?.as_str()?.to_owned())
    }
}

/// One `notifications/progress`. A member that is missing or has the wrong type is `None` or `null`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The event that records it.
    pub seq: Seq,
    /// The token of the request.
    pub token: Value,
    /// The progress made so far.
    pub progress: Option<f64>,
    /// The progress at completion.
    pub total: Option<f64>,
    /// The current step.
    pub message: Option<String>,
}

/// One `notifications/message`. A member that is missing or has the wrong type is `None`, `null` or empty.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LogMessage {
    /// The event that records it.
    pub seq: Seq,
    /// The severity.
    pub level: String,
    /// The name of the logger.
    pub logger: Option<String>,
    /// The logged data.
    pub data: Value,
}

/// The approximate memory use of a value in bytes; stops counting beyond `limit`.
pub(super) fn approximate_size(value: &Value, limit: usize) -> usize {
    /// The size of a `Value` without what it points to, rounded up.
    const EACH: usize = 32;
    let mut sum = EACH;
    // A stack instead of recursion, so that the limit ends the walk at once.
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        sum += EACH;
        match value {
            Value::String(text) => sum += text.len(),
            Value::Number(number) => sum += number.as_str().len(),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                sum += members.keys().map(str::len).sum::<usize>();
                open.extend(members.iter().map(|(_, value)| value));
            }
            Value::Null | Value::Bool(_) => {}
        }
        if sum > limit {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::trace::{EventKind, Party, Recorder};

    fn received(method: &str, params: serde_json::Value) -> ReceivedNotification {
        let notification = Notification::new(method, Some(params.into()));
        let recorder = Recorder::new();
        let fence = EventKind::Fence("notification".to_owned());
        let seq = recorder.record(recorder.open("duplex"), Party::Harness, fence);
        ReceivedNotification { seq, exchange: None, notification }
    }

    #[test]
    fn common_notifications_tolerate_missing_and_mistyped_members() {
        let params =
            json!({"progressToken": "t", "progress": 0.5, "total": "1", "message": "half"});
        let progress = received("notifications/progress", params).as_progress().expect("progress");
        assert_eq!((progress.progress, progress.total), (Some(0.5), None));
        assert_eq!((progress.token, progress.message.as_deref()), ("t".into(), Some("half")));
        let log = received("notifications/message", json!({"level": 5, "data": [1]}));
        let message = log.as_log().expect("a log message");
        assert_eq!((message.level.as_str(), message.data), ("", json!([1]).into()));
        assert_eq!(log.as_progress(), None);
        let tagged = json!({"_meta": {"io.modelcontextprotocol/subscriptionId": 4}});
        assert_eq!(
            received("notifications/tools/list_changed", tagged).subscription(),
            Some(4.into())
        );
    }

    #[test]
    fn approximate_size_grows_with_the_value_up_to_the_limit() {
        let small = approximate_size(&json!({"a": "b"}).into(), 10_000);
        let large = approximate_size(&json!({"a": "b".repeat(500)}).into(), 10_000);
        assert!(small < 200 && large > 500, "{small} {large}");
        assert!(approximate_size(&json!(vec![0; 1_000]).into(), 100) < 1_000);
    }
}
