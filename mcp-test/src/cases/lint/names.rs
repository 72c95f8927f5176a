//! The names of all complaints, what they weigh, and what they are about.

use crate::cases::Level;

/// A sort of complaint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lint {
    /// The name, which complaints carry: `unknown-key`.
    pub name: &'static str,
    /// How much it weighs, unless the reading is strict.
    pub level: Level,
    /// What it is about, in a sentence.
    pub about: &'static str,
}

/// Declares each, and the list of all.
macro_rules! lints {
    ($($(#[doc = $about:literal])+ $constant:ident = $name:literal $level:ident;)+) => {
        $(
            $(#[doc = $about])+
            pub(in crate::cases) const $constant: Lint =
                Lint { name: $name, level: Level::$level, about: concat!($($about),+) };
        )+
        /// Every sort of complaint: what keeps a file from being read, then what a reviewer would ask about.
        pub const LINTS: &[Lint] = &[$($constant),+];
    };
}

lints! {
    /// The bytes of the file are not UTF-8.
    ENCODING = "encoding" Error;
    /// The file is no YAML.
    SYNTAX = "syntax" Error;
    /// The file is larger, deeper, or copies more of itself by aliases than is read.
    LIMIT = "limit" Error;
    /// Something that YAML has and JSON has not: keys that are no texts, tags, infinite numbers, merge keys.
    NOT_JSON = "not-json" Error;
    /// A mapping has a key twice.
    DUPLICATE_KEY = "duplicate-key" Error;
    /// There is no case in the file.
    NO_CASE = "no-case" Error;
    /// A document that is no mapping, and so no case.
    NOT_A_CASE = "not-a-case" Error;
    /// A key at the root that is neither `case`, nor begins with `in`, `out` or `_`.
    UNKNOWN_KEY = "unknown-key" Error;
    /// A value that does not fit its key.
    WRONG_VALUE = "wrong-value" Error;
    /// Something other than a mapping in the place of a message.
    NOT_A_MESSAGE = "not-a-message" Error;
    /// A `_match` or `_capture` for a message that the case does not have.
    UNKNOWN_MESSAGE = "unknown-message" Error;
    /// A `${name}` that nothing gives a value, or not yet.
    UNKNOWN_VALUE = "unknown-value" Error;
    /// A `_capture` of a place where the message has nothing.
    EMPTY_CAPTURE = "empty-capture" Error;
    /// A `_continues` without a case to go on from.
    NOTHING_TO_CONTINUE = "nothing-to-continue" Error;
    /// A message that is not JSON-RPC 2.0; an error if the reading is strict.
    NOT_JSON_RPC = "not-json-rpc" Warning;
    /// A lone carriage return, which YAML takes for the end of a line and most tools do not.
    LINE_BREAK = "line-break" Warning;
    /// A key with `_` that means nothing here; it is kept and ignored.
    UNKNOWN_EXTENSION = "unknown-extension" Note;
    /// More complaints of a file than are told.
    MORE = "more" Note;
    /// A case without `case`: reports can call it by its number only.
    UNNAMED = "unnamed" Warning;
    /// Two cases of a file with the same name.
    SAME_NAME = "same-name" Warning;
    /// A case in which nothing is said.
    EMPTY_CASE = "empty-case" Warning;
    /// A case in which the server says nothing: it holds whatever the server does.
    NOTHING_EXPECTED = "nothing-expected" Warning;
    /// A case with `_skip`.
    SKIPPED = "skipped" Note;
    /// A case with `_only`, which keeps others from running.
    ONLY = "only" Warning;
    /// A reply to a request that nobody made.
    REPLY_WITHOUT_REQUEST = "reply-without-request" Warning;
    /// A request without its reply.
    UNANSWERED = "unanswered" Warning;
    /// A second reply to a request.
    SECOND_REPLY = "second-reply" Warning;
    /// Two requests of one side with the same id.
    SAME_ID = "same-id" Warning;
    /// A method that MCP does not have, and the case expects no error for it; of notifications only one that looks like one
    /// of MCP.
    UNKNOWN_METHOD = "unknown-method" Warning;
    /// A method of MCP that this side never sends.
    WRONG_SIDE = "wrong-side" Warning;
    /// A method that none of the revisions has at which the case holds.
    OTHER_REVISION = "other-revision" Warning;
    /// A message whose shape none of the revisions allows at which the case holds.
    SHAPE = "shape" Warning;
    /// A handshake that agrees on a revision which `_revision` leaves out.
    OTHER_HANDSHAKE = "other-handshake" Warning;
    /// A value that is captured, and never used.
    UNUSED_CAPTURE = "unused-capture" Warning;
    /// An input that is never used.
    UNUSED_INPUT = "unused-input" Warning;
    /// A `${name}` in a case that has neither `_inputs` nor `_capture`: it is taken as it stands.
    LITERAL_PLACEHOLDER = "literal-placeholder" Warning;
    /// A value that does not satisfy the matcher for its own place.
    CONTRADICTION = "contradiction" Warning;
    /// A matcher for places that the message does not have and cannot have.
    UNREACHABLE_MATCHER = "unreachable-matcher" Warning;
    /// Something that looks like a secret, and stands in the file as it is.
    SECRET = "secret" Warning;
    /// A value of the server that will be another one the next time, and has to come as it is.
    VOLATILE = "volatile" Note;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::LINTS;

    #[test]
    fn every_name_is_there_once_and_every_sentence_ends() {
        let names: HashSet<_> = LINTS.iter().map(|lint| lint.name).collect();
        assert_eq!(names.len(), LINTS.len());
        assert!(LINTS.iter().all(|lint| lint.about.trim().ends_with('.')));
    }
}
