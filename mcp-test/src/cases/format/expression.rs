//! Regular expressions in `_match`.

use regex::{Regex, RegexBuilder};

/// Why an expression is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::cases) enum RegexError {
    /// It is too large.
    #[error("it is larger than {} KiB when compiled", REGEX_BYTES >> 10)]
    TooLarge,
    /// Its syntax is wrong; the message of the regex crate.
    #[error("{0}")]
    Syntax(String),
}

/// The largest size of a compiled expression.
const REGEX_BYTES: usize = 256 << 10;

/// Compiles an expression of `_match` with bounded size. Matching takes time linear in the text.
pub(in crate::cases) fn compile_regex(expression: &str) -> Result<Regex, RegexError> {
    // A contract may be from anyone: `a{1000}{1000}` is short, but huge when compiled.
    let built = RegexBuilder::new(expression)
        .size_limit(REGEX_BYTES)
        .dfa_size_limit(REGEX_BYTES)
        .nest_limit(50)
        .build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => RegexError::TooLarge,
        // The message is a multi-line drawing, whose last line has the reason.
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default();
            RegexError::Syntax(last.strip_prefix("error: ").unwrap_or(last).to_owned())
        }
    })
}
