//! Log messages to the client, filtered by the level that it requested.

use std::sync::PoisonError;

use serde_json::json;

use super::{Call, CallError};
use crate::json::Value;
use crate::spec::{log_level, meta};

impl Call {
    /// Sends a log message, if the client wants messages of this level.
    ///
    /// Where the level applies to the conversation ([`Call::set_log_level`]), a client that set none gets everything; where
    /// each request carries it, a request without one gets nothing.
    ///
    /// # Errors
    ///
    /// When the client has disconnected.
    pub async fn log(&self, level: &str, data: impl Into<Value>) -> Result<(), CallError> {
        if !self.is_logged(level) {
            return Ok(());
        }
        let mut params = Value::from(json!({ "level": level }));
        params.set("/data", data.into());
        self.notify("notifications/message", params).await
    }

    /// Sets the minimum level of log messages for the rest of the conversation.
    pub fn set_log_level(&self, least: &str) {
        let mut set = self.conversation.0.log_level.lock().unwrap_or_else(PoisonError::into_inner);
        *set = Some(least.to_owned());
    }

    fn is_logged(&self, level: &str) -> bool {
        if self.revision().has_log_level_per_request() {
            let asked = self.params().get("_meta").and_then(|fields| fields.get(meta::LOG_LEVEL));
            let asked = asked.and_then(Value::as_str);
            // 2026-07-28: without a `logLevel` in the request, the server must not send log messages.
            return asked.is_some_and(|least| log_level::reaches(level, least));
        }
        // Before 2026-07-28 the level is a state of the conversation; without one the server decides what it sends.
        let set = self.conversation.0.log_level.lock().unwrap_or_else(PoisonError::into_inner);
        set.as_ref().is_none_or(|least| log_level::reaches(level, least))
    }
}
