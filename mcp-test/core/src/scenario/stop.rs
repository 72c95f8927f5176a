//! Why the body of a scenario ended before its last line.

use std::error::Error;

use crate::check::Finding;

/// The error with which a scenario ends early.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The error with which a scenario skips itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("skipped: {reason}")]
pub struct Skip {
    /// Why.
    pub reason: String,
}

/// Why the body of a scenario ended early.
#[doc(hidden)]
#[derive(Debug)]
pub enum Stop {
    /// On a finding, which is reported as what it is.
    Finding(Finding),
    /// The scenario skipped itself.
    Skipped(Skip),
    /// On any other error, which only a user's function can return.
    Error(BoxError),
}

impl From<Finding> for Stop {
    fn from(finding: Finding) -> Self {
        Self::Finding(finding)
    }
}

impl From<BoxError> for Stop {
    /// Recovers the type of an error that was boxed, so that `?` in a user's function loses nothing.
    fn from(error: BoxError) -> Self {
        // `downcast` consumes the error, and returns it if it has another type.
        let error = match error.downcast::<Finding>() {
            Ok(finding) => return Self::Finding(*finding),
            Err(error) => error,
        };
        match error.downcast::<Skip>() {
            Ok(skip) => Self::Skipped(*skip),
            Err(error) => Self::Error(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxed_findings_and_skips_keep_their_type() {
        let stop = |error: BoxError| Stop::from(error);
        assert!(
            matches!(stop(Finding::peer("silence").into()), Stop::Finding(it) if it.headline == "silence")
        );
        let skip = Skip { reason: "no tools".to_owned() };
        assert!(matches!(stop(skip.clone().into()), Stop::Skipped(it) if it == skip));
        assert!(matches!(stop("why".into()), Stop::Error(_)));
    }
}
