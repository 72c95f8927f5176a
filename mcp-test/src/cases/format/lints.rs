//! The names, levels and descriptions of all diagnostics.

use std::fmt;

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Information: nothing is wrong.
    Note,
    /// The file can be used, but may not mean what its author intended.
    Warning,
    /// The file cannot be used.
    Error,
}

impl Level {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A kind of diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lint {
    /// The name that diagnostics have: `unknown-key`.
    pub name: &'static str,
    /// The level; reading strictly can raise it.
    pub level: Level,
    /// What it reports, in one sentence.
    pub about: &'static str,
}

/// Declares the constants, and the list of them.
macro_rules! lints {
    ($($(#[doc = $about:literal])+ $constant:ident = $name:literal $level:ident;)+) => {
        $(
            $(#[doc = $about])+
            pub(in crate::cases) const $constant: Lint =
                Lint { name: $name, level: Level::$level, about: concat!($($about),+) };
        )+
        /// All kinds of diagnostics: first those of reading, up to `more`, then those of [`lint`](crate::cases::lint()).
        pub const LINTS: &[Lint] = &[$($constant),+];
    };
}

lints! {
    /// The bytes of the file are not UTF-8.
    ENCODING = "encoding" Error;
    /// The file is not YAML.
    SYNTAX = "syntax" Error;
    /// The file is too large, nested too deeply, or expands too much through aliases.
    LIMIT = "limit" Error;
    /// A construct of YAML that JSON does not have: a key that is not a string, a tag, an infinite number, a merge key.
    NOT_JSON = "not-json" Error;
    /// A key occurs twice in a mapping.
    DUPLICATE_KEY = "duplicate-key" Error;
    /// The file contains no case.
    NO_CASE = "no-case" Error;
    /// A document is not a mapping, and therefore not a case.
    NOT_A_CASE = "not-a-case" Error;
    /// A key at the root is not `case` and does not begin with `in`, `out` or `_`.
    UNKNOWN_KEY = "unknown-key" Error;
    /// A value is not valid for its key.
    WRONG_VALUE = "wrong-value" Error;
    /// A message is not a mapping.
    NOT_A_MESSAGE = "not-a-message" Error;
    /// `_match` or `_capture` names a message that the case does not have.
    UNKNOWN_MESSAGE = "unknown-message" Error;
    /// A `${name}` has no value, or not yet.
    UNKNOWN_VALUE = "unknown-value" Error;
    /// A `_capture` points to a value that the message does not have.
    EMPTY_CAPTURE = "empty-capture" Error;
    /// A case has `_continues`, but no case precedes it.
    NOTHING_TO_CONTINUE = "nothing-to-continue" Error;
    /// A message is not JSON-RPC 2.0; an error when reading strictly.
    NOT_JSON_RPC = "not-json-rpc" Warning;
    /// A carriage return without a line feed ends a line in YAML, but not in most tools.
    LINE_BREAK = "line-break" Warning;
    /// A key with `_` is not known; it is kept and ignored.
    UNKNOWN_EXTENSION = "unknown-extension" Note;
    /// A file has more diagnostics than are shown.
    MORE = "more" Note;
    /// A case has no name, so that reports identify it by number.
    UNNAMED = "unnamed" Warning;
    /// Two cases in a file have the same name.
    SAME_NAME = "same-name" Warning;
    /// A file has messages in JSON style, which are in braces, and in YAML style, which are written by indentation.
    MIXED_STYLES = "mixed-styles" Warning;
    /// All messages of a file are in YAML style; JSON style is preferred.
    YAML_STYLE = "yaml-style" Warning;
    /// A case has no messages.
    EMPTY_CASE = "empty-case" Warning;
    /// A case expects nothing from the server, so it passes whatever the server does.
    NOTHING_EXPECTED = "nothing-expected" Warning;
    /// A case has `_skip`.
    SKIPPED = "skipped" Note;
    /// A case has `_only`, so that cases without it do not run.
    ONLY = "only" Warning;
    /// A reply has no request.
    REPLY_WITHOUT_REQUEST = "reply-without-request" Warning;
    /// A request has no reply.
    UNANSWERED = "unanswered" Warning;
    /// A request has a second reply.
    SECOND_REPLY = "second-reply" Warning;
    /// Two requests of one side have the same id.
    SAME_ID = "same-id" Warning;
    /// A method is not part of MCP, and the case expects no error for it; a notification only if its name resembles one of
    /// MCP.
    UNKNOWN_METHOD = "unknown-method" Warning;
    /// A method is never sent by this side.
    WRONG_SIDE = "wrong-side" Warning;
    /// A method exists in none of the case's revisions.
    OTHER_REVISION = "other-revision" Warning;
    /// A message is valid in none of the case's revisions.
    SHAPE = "shape" Warning;
    /// A handshake negotiates a revision that `_revision` excludes.
    OTHER_HANDSHAKE = "other-handshake" Warning;
    /// A message needs a capability that the handshake of the file does not declare.
    UNDECLARED_CAPABILITY = "undeclared-capability" Warning;
    /// A captured value is never used.
    UNUSED_CAPTURE = "unused-capture" Warning;
    /// An input is never used.
    UNUSED_INPUT = "unused-input" Warning;
    /// A `${name}` is literal text, because the case has neither `_inputs` nor `_capture`.
    LITERAL_PLACEHOLDER = "literal-placeholder" Warning;
    /// A value in the case does not satisfy its own matcher.
    CONTRADICTION = "contradiction" Warning;
    /// A matcher points to a value that the message cannot have.
    UNREACHABLE_MATCHER = "unreachable-matcher" Warning;
    /// The file contains what looks like a secret.
    SECRET = "secret" Warning;
    /// A value from the server changes with each run, but is compared exactly.
    VOLATILE = "volatile" Note;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::LINTS;

    #[test]
    fn names_are_unique_and_descriptions_are_sentences() {
        let names: HashSet<_> = LINTS.iter().map(|lint| lint.name).collect();
        assert_eq!(names.len(), LINTS.len());
        assert!(LINTS.iter().all(|lint| lint.about.trim().ends_with('.')));
    }
}
