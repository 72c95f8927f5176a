//! Why a text does not name a fault.

/// Why a text does not name a fault.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultError {
    /// The first word is not in `FAULT_KINDS`.
    #[error("unknown fault `{word}`{}", suggest(.suggestion))]
    Unknown {
        /// The word.
        word: String,
        /// A known word that is similar to it.
        suggestion: Option<&'static str>,
    },
    /// An argument is missing or empty.
    #[error("`{given}` has no {argument}; expected `{form}`")]
    Missing {
        /// The whole text.
        given: String,
        /// The argument, as the form names it.
        argument: &'static str,
        /// The form.
        form: &'static str,
    },
    /// An argument is not what it should be.
    #[error("`{given}`: {argument} `{got}` {reason}")]
    Invalid {
        /// The whole text.
        given: String,
        /// The argument, as the form names it.
        argument: &'static str,
        /// The value of the argument.
        got: String,
        /// What is wrong with it, as the end of a sentence about it.
        reason: String,
    },
    /// Something follows the last argument.
    #[error("unexpected `{rest}` at the end of `{given}`; expected `{form}`")]
    Trailing {
        /// The whole text.
        given: String,
        /// What follows the last argument.
        rest: String,
        /// The form.
        form: &'static str,
    },
}

fn suggest(suggestion: &Option<&'static str>) -> String {
    match suggestion {
        Some(word) => format!("; did you mean `{word}`?"),
        None => "; `mcp-test list --faults` lists all".to_owned(),
    }
}
