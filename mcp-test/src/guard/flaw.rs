//! What the owner of a guard is told about a message that is wrong.

use std::fmt;

use crate::{json::Pointer, spec::Side, wire::Id};

/// A message that is not as its revision wants it, and what the guard did about it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Flaw {
    /// Who wrote the message.
    pub from: Side,
    /// Its method, or the method of the request that it answers, as far as they are known.
    pub method: Option<String>,
    /// Its id, if it has one that can be read.
    pub id: Option<Id>,
    /// Where it is wrong, from the root of the message; a place around it, if the names on the way are not fit to be shown.
    pub pointer: Pointer,
    /// What was expected there, and what kind of thing was found.
    pub reason: String,
    /// The shape that it should have, by its name in the official schema.
    pub shape: Option<String>,
    /// What became of it.
    pub fate: Fate,
}

/// What the guard did with a message that is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fate {
    /// It was kept from the handler, and its author was told with this JSON-RPC error code.
    Answered(i64),
    /// It was kept from the handler; notifications and replies are never answered.
    Dropped,
    /// It went out all the same: what the handler says is only looked at.
    Passed,
}

/// For a log: ``the client's tools/call 7: expected `/params/name` is a string, got nothing (answered with -32602)``. Holds no
/// control characters, whatever the message did.
impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, method, id, pointer, reason, fate, .. } = self;
        let method = method.as_deref().map_or("message".into(), |method| clean(method, NAME));
        write!(f, "the {from}'s {method}")?;
        if let Some(id) = id {
            write!(f, " {}", id.to_value().short(NAME))?;
        }
        write!(f, ": {}", sentence(pointer, reason))?;
        match fate {
            Fate::Answered(code) => write!(f, " (answered with {code})"),
            Fate::Dropped => f.write_str(" (dropped)"),
            Fate::Passed => f.write_str(" (passed on)"),
        }
    }
}

/// How much of a name is shown.
const NAME: usize = 60;
/// How much of a reason is shown.
const SENTENCE: usize = 240;

/// A place and what is wrong there, as one sentence.
pub(super) fn sentence(pointer: &Pointer, reason: &str) -> String {
    match reason.strip_prefix("expected ") {
        _ if pointer.is_root() => reason.to_owned(),
        Some(expected) => format!("expected `{pointer}` is {expected}"),
        None => format!("in `{pointer}` {reason}"),
    }
}

/// A text without anything that a terminal, a log or a person could take for something else, and not longer than this.
pub(super) fn clean(text: &str, most: usize) -> String {
    let mut clean: String =
        text.chars().take(most).map(|char| if is_plain(char) { char } else { '?' }).collect();
    if text.chars().nth(most).is_some() {
        clean.push('…');
    }
    clean
}

/// Whether a character shows as itself: neither a control character nor one that hides or turns what is around it.
fn is_plain(char: char) -> bool {
    let turns = matches!(char,
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    !char.is_control() && !turns
}

/// A place and what is wrong there, as it may be shown: without names on the way that are not plain, or long. What is left
/// out is said.
pub(super) fn shown(pointer: &Pointer, reason: &str) -> (Pointer, String) {
    let place = plain_part(pointer);
    let reason = clean(reason, SENTENCE);
    if place == *pointer {
        (place, reason)
    } else {
        (place, format!("a member is wrong: {reason}"))
    }
}

/// The place, or the nearest one around it to which only plain and short names lead.
fn plain_part(pointer: &Pointer) -> Pointer {
    const STEPS: usize = 16;
    let plain = |name: &String| name.chars().count() <= NAME && name.chars().all(is_plain);
    let steps = pointer.tokens().take(STEPS).take_while(plain);
    steps.fold(Pointer::root(), |place, name| place.member(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flaw_reads_as_a_line_of_a_log() {
        let flaw = Flaw {
            from: Side::Client,
            method: Some("tools/\u{1b}[31mcall".to_owned()),
            id: Some(Id::from("a\nb")),
            pointer: Pointer::root().member("params").member("name"),
            reason: "expected a string, got nothing".to_owned(),
            shape: None,
            fate: Fate::Answered(-32602),
        };
        insta::assert_snapshot!(flaw, @r#"the client's tools/?[31mcall "a\nb": expected `/params/name` is a string, got nothing (answered with -32602)"#);
        let dropped = Flaw { fate: Fate::Dropped, id: None, method: None, ..flaw.clone() };
        insta::assert_snapshot!(dropped, @"the client's message: expected `/params/name` is a string, got nothing (dropped)");
        let passed =
            Flaw { from: Side::Server, pointer: Pointer::root(), fate: Fate::Passed, ..dropped };
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
