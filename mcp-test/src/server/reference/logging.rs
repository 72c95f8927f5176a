//! The log level of the reference server, which accepts one and never logs.

use serde_json::json;

use super::{Answer, Call, invalid, text};

const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

pub(super) fn set_level(call: &Call) -> Answer {
    match text(call, "level") {
        Ok(level) if LEVELS.contains(&level) => json!({}).into(),
        Ok(level) => invalid(format!("unknown log level: {level}")).into(),
        Err(error) => error.into(),
    }
}
