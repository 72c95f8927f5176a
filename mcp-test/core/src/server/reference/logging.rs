//! The log level of the reference server.

use serde_json::json;

use super::{Answer, Call, invalid, text};
use crate::spec::log_level::LEVELS;

pub(super) fn set_level(call: &Call) -> Answer {
    match text(call, "level") {
        Ok(level) if LEVELS.contains(&level) => {
            call.set_log_level(level);
            json!({}).into()
        }
        Ok(level) => invalid(format!("unknown log level: {level}")).into(),
        Err(error) => error.into(),
    }
}
