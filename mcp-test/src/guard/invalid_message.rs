//! An invalid message, as it is reported to the owner of a guard.

use std::fmt;

use mcp_test_core::json::{Pointer, is_deceptive};
use mcp_test_core::spec::Side;
use mcp_test_core::wire::Id;

/// A message that is not valid at its revision, and what the guard did with it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InvalidMessage {
    /// Who wrote the message.
    pub from: Side,
    /// Its method, or the method of the request that it answers, as far as they are known.
    pub method: Option<String>,
    /// Its id, if it has one that can be read.
    pub id: Option<Id>,
    /// Where it is wrong, from the root of the message; an enclosing location, if the names on the way are not fit to
    /// be shown.
    pub pointer: Pointer,
    /// What was expected there, and what kind of value was found.
    pub reason: String,
    /// The shape that it should have, by its name in the official schema.
    pub shape: Option<String>,
    /// What the guard did with it.
    pub disposition: Disposition,
}

/// What the guard did with an invalid message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disposition {
    /// It was kept from the handler, and answered with this JSON-RPC error code.
    Answered(i64),
    /// It was kept from the handler; notifications and replies are never answered.
    Dropped,
    /// It was sent nevertheless: what the handler sends is never held back.
    Passed,
}

/// For a log: ``the client's tools/call 7: expected `/params/name` is a string, got nothing (answered with -32602)``. Holds no
/// control characters, whatever the message did.
impl fmt::Display for InvalidMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, method, id, pointer, reason, disposition, .. } = self;
        let method = method.as_deref().map_or("message".into(), |method| clean(method, NAME));
        write!(f, "the {from}'s {method}")?;
        if let Some(id) = id {
            write!(f, " {}", id.to_value().short(NAME))?;
        }
        write!(f, ": {}", sentence(pointer, reason))?;
        match disposition {
            Disposition::Answered(code) => write!(f, " (answered with {code})"),
            Disposition::Dropped => f.write_str(" (dropped)"),
            Disposition::Passed => f.write_str(" (passed on)"),
        }
    }
}

/// How much of a name is shown.
const NAME: usize = 60;
/// How much of a reason is shown.
const SENTENCE: usize = 240;

/// A location and what is wrong there, as one sentence.
pub(super) fn sentence(pointer: &Pointer, reason: &str) -> String {
    match reason.strip_prefix("expected ") {
        _ if pointer.is_root() => reason.to_owned(),
        Some(expected) => format!("expected `{pointer}` is {expected}"),
        None => format!("in `{pointer}` {reason}"),
    }
}

/// A text without characters that could mislead a terminal, a log or a reader, and not longer than this.
pub(super) fn clean(text: &str, most: usize) -> String {
    let mut clean: String =
        text.chars().take(most).map(|char| if is_deceptive(char) { '?' } else { char }).collect();
    if text.chars().nth(most).is_some() {
        clean.push('…');
    }
    clean
}

/// A location and what is wrong there, as it may be shown: without names on the way that are not plain, or long. The
/// reason mentions that something was left out.
pub(super) fn shown(pointer: &Pointer, reason: &str) -> (Pointer, String) {
    let place = plain_part(pointer);
    let reason = clean(reason, SENTENCE);
    if place == *pointer {
        (place, reason)
    } else {
        (place, format!("a member is wrong: {reason}"))
    }
}

/// The location, or the nearest enclosing one to which only plain and short names lead.
fn plain_part(pointer: &Pointer) -> Pointer {
    const STEPS: usize = 16;
    let plain = |name: &String| name.chars().count() <= NAME && !name.contains(is_deceptive);
    let steps = pointer.tokens().take(STEPS).take_while(plain);
    steps.fold(Pointer::root(), |place, name| place.member(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flaw_reads_as_a_line_of_a_log() {
        let invalid = InvalidMessage {
            from: Side::Client,
            method: Some("tools/\u{1b}[31mcall".to_owned()),
            id: Some(Id::from("a\nb")),
            pointer: Pointer::root().member("params").member("name"),
            reason: "expected a string, got nothing".to_owned(),
            shape: None,
            disposition: Disposition::Answered(-32602),
        };
        insta::assert_snapshot!(invalid, @r#"the client's tools/?[31mcall "a\nb": expected `/params/name` is a string, got nothing (answered with -32602)"#);
        let dropped = InvalidMessage {
            disposition: Disposition::Dropped,
            id: None,
            method: None,
            ..invalid.clone()
        };
        insta::assert_snapshot!(dropped, @"the client's message: expected `/params/name` is a string, got nothing (dropped)");
        let passed = InvalidMessage {
            from: Side::Server,
            pointer: Pointer::root(),
            disposition: Disposition::Passed,
            ..dropped
        };
        insta::assert_snapshot!(passed, @"the server's message: expected a string, got nothing (passed on)");
    }

    #[test]
    fn names_of_the_peer_are_shown_only_if_they_are_plain() {
        let params = Pointer::root().member("params");
        let arguments = params.clone().member("a/b");
        for bad in ["\n", "x\u{202e}y", "\u{85}", &"n".repeat(NAME + 1)] {
            assert_eq!(
                plain_part(&arguments.clone().member(bad).member("c")),
                arguments,
                "{bad:?}"
            );
        }
        assert_eq!(plain_part(&arguments), arguments);
        let deep = (0..100).fold(params.clone(), Pointer::index);
        assert_eq!(plain_part(&deep).tokens().count(), 16);
    }

    #[test]
    fn what_is_cleaned_has_no_controls_and_an_end() {
        assert_eq!(clean("a\u{0}b\u{7f}\u{9b}ü\u{feff}", 10), "a?b??ü?");
        assert_eq!(clean("äöü", 2), "äö…");
        assert_eq!(clean("äö", 2), "äö");
    }
}
