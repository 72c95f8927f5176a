//! Logging towards the client: what it gets to see depends on the level that it has asked for.

use std::sync::PoisonError;

use serde_json::json;

use super::{Call, CallError};
use crate::{
    json::Value,
    spec::{log_level, meta},
};

impl Call {
    /// Logs, as far as the client wants to see messages of this level.
    ///
    /// Where the level is set once ([`Call::set_log_level`]), a client that has set none sees everything; where each
    /// request sets it, one that has set none sees nothing.
    ///
    /// # Errors
    ///
    /// When the client is gone.
    pub async fn log(&self, level: &str, data: impl Into<Value>) -> Result<(), CallError> {
        if !self.is_logged(level) {
            return Ok(());
        }
        let mut params = Value::from(json!({ "level": level }));
        params.set("/data", data.into());
        self.notify("notifications/message", params).await
    }

    /// Logs nothing less grave in this conversation from now on.
    pub fn set_log_level(&self, least: &str) {
        let mut set = self.talk.0.log_level.lock().unwrap_or_else(PoisonError::into_inner);
        *set = Some(least.to_owned());
    }

    fn is_logged(&self, level: &str) -> bool {
        if self.revision().has_log_level_per_request() {
            let asked = self.params().get("_meta").and_then(|fields| fields.get(meta::LOG_LEVEL));
            let asked = asked.and_then(Value::as_str);
            return asked.is_some_and(|least| log_level::reaches(level, least));
        }
        let set = self.talk.0.log_level.lock().unwrap_or_else(PoisonError::into_inner);
        set.as_ref().is_none_or(|least| log_level::reaches(level, least))
    }
}
