//! The times in the claims of a token.

use std::time::Duration;

use super::JoseError;
use crate::clock;
use crate::json::Value;

/// Checks that a token with these claims is valid now: `exp` is not past, `nbf` and `iat` are not in the future.
///
/// `exp` must be present: without it a token is valid for ever. `leeway` is how far two clocks may differ.
///
/// # Errors
///
/// If `exp` is missing, a time is not a number of seconds, or the token is expired or not valid yet.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::jose::{JoseError, check_times};
/// use serde_json::json;
/// use std::time::Duration;
///
/// let expired = check_times(&json!({"exp": 1_000}).into(), Duration::from_secs(10));
/// assert!(matches!(expired, Err(JoseError::Expired(_))));
/// ```
pub fn check_times(claims: &Value, leeway: Duration) -> Result<(), JoseError> {
    check_times_at(claims, leeway, clock::unix_time())
}

/// [`check_times`] at a time since 1970.
pub(super) fn check_times_at(
    claims: &Value,
    leeway: Duration,
    now: Duration,
) -> Result<(), JoseError> {
    let expiry = time(claims, "exp")?.ok_or(JoseError::Time("exp"))?;
    // RFC 7519, section 4.1.4: the current time must be before the expiry.
    let end = expiry.saturating_add(leeway);
    if now >= end {
        return Err(JoseError::Expired((now - end).as_secs()));
    }
    for name in ["nbf", "iat"] {
        if let Some(begin) = time(claims, name)?.map(|time| time.saturating_sub(leeway))
            && now < begin
        {
            return Err(JoseError::NotYetValid((begin - now).as_secs()));
        }
    }
    Ok(())
}

/// A time, which may have a fraction (RFC 7519, section 2).
fn time(claims: &Value, name: &'static str) -> Result<Option<Duration>, JoseError> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    let seconds = value.as_f64().ok_or(JoseError::Time(name))?;
    Duration::try_from_secs_f64(seconds).map(Some).map_err(|_| JoseError::Time(name))
}
