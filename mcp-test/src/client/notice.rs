//! Notifications of the server, and what the common ones say: progress and log messages.

use crate::json::Value;
use crate::spec::meta;
use crate::trace::Seq;
use crate::wire::{Id, Notification};

/// A notification that came from the server.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Notice {
    /// The event that records it.
    pub seq: Seq,
    /// The HTTP exchange on whose response it came, on HTTP carriers.
    pub exchange: Option<u64>,
    /// What it says.
    pub notification: Notification,
}

impl Notice {
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

    /// The `subscriptions/listen` that it belongs to, by its own account.
    #[must_use]
    pub fn subscription(&self) -> Option<Id> {
        Id::read(self.param("_meta")?.get(meta::SUBSCRIPTION_ID)?)
    }

    /// What it says of progress, if it is `notifications/progress`.
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

    /// What it logs, if it is `notifications/message`.
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

/// One `notifications/progress`. What it lacks, or has in another type, reads as nothing.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The event that records it.
    pub seq: Seq,
    /// The token of the request that it is about.
    pub token: Value,
    /// How far it is.
    pub progress: Option<f64>,
    /// How far it will go.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
}

/// One `notifications/message`. What it lacks, or has in another type, reads as nothing.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LogMessage {
    /// The event that records it.
    pub seq: Seq,
    /// How severe it is.
    pub level: String,
    /// Who logs.
    pub logger: Option<String>,
    /// What is logged.
    pub data: Value,
}

/// About how much memory a value takes, counted no further than `limit`.
pub(super) fn weight(value: &Value, limit: usize) -> usize {
    const EACH: usize = 32;
    let mut sum = EACH;
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
    use crate::trace::{Party, Recorder, What};

    fn notice(method: &str, params: serde_json::Value) -> Notice {
        let notification = Notification::new(method, Some(params.into()));
        let recorder = Recorder::new();
        let fence = What::Fence("told".to_owned());
        let seq = recorder.record(recorder.open("duplex"), Party::Harness, fence);
        Notice { seq, exchange: None, notification }
    }

    #[test]
    fn common_notifications_are_read_generously() {
        let params =
            json!({"progressToken": "t", "progress": 0.5, "total": "1", "message": "half"});
        let progress = notice("notifications/progress", params).as_progress().expect("progress");
        assert_eq!((progress.progress, progress.total), (Some(0.5), None));
        assert_eq!((progress.token, progress.message.as_deref()), ("t".into(), Some("half")));
        let log = notice("notifications/message", json!({"level": 5, "data": [1]}));
        let said = log.as_log().expect("a log message");
        assert_eq!((said.level.as_str(), said.data), ("", json!([1]).into()));
        assert_eq!(log.as_progress(), None);
        let told = json!({"_meta": {"io.modelcontextprotocol/subscriptionId": 4}});
        assert_eq!(notice("notifications/tools/list_changed", told).subscription(), Some(4.into()));
    }

    #[test]
    fn the_weight_of_a_value_grows_with_it_up_to_a_limit() {
        let small = weight(&json!({"a": "b"}).into(), 10_000);
        let large = weight(&json!({"a": "b".repeat(500)}).into(), 10_000);
        assert!(small < 200 && large > 500, "{small} {large}");
        assert!(weight(&json!(vec![0; 1_000]).into(), 100) < 1_000);
    }
}
