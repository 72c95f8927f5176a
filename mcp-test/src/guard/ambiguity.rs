//! What two JSON parsers may read differently, so that the handler would act on another message than the one that was judged.

use std::collections::HashMap;

use mcp_test_core::json::{Document, Note, NoteKind, Object, Pointer, Value};

/// The members of JSON-RPC, which some parsers also find in another case.
const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// A place of a message that two parsers may read differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ambiguity {
    pub(super) pointer: Pointer,
    /// What is wrong there, as in "expected …, got …".
    pub(super) reason: &'static str,
}

/// The first ambiguity of a message.
pub(super) fn find(message: &Value, notes: &[Note]) -> Option<Ambiguity> {
    notes.iter().find_map(find_in_note).or_else(|| message.as_object().and_then(find_in_members))
}

/// The first ambiguity of each message of a batch, by its index; `None` if there are more than can be told apart.
pub(super) fn find_in_items(items: &[Value], notes: &[Note]) -> Option<HashMap<usize, Ambiguity>> {
    let mut found = HashMap::new();
    for Ambiguity { pointer, reason } in notes.iter().filter_map(find_in_note) {
        let mut tokens = pointer.tokens();
        let index = tokens.next().and_then(|index| index.parse().ok())?;
        let pointer = tokens.fold(Pointer::root(), |place, name| place.member(&name));
        found.entry(index).or_insert(Ambiguity { pointer, reason });
    }
    // Notes are bounded: of a batch with that many, further items may be ambiguous.
    if !found.is_empty() && notes.len() >= Document::NOTE_LIMIT {
        return None;
    }
    for (index, item) in items.iter().enumerate() {
        if let Some(ambiguity) = item.as_object().and_then(find_in_members) {
            found.entry(index).or_insert(ambiguity);
        }
    }
    Some(found)
}

fn find_in_note(note: &Note) -> Option<Ambiguity> {
    let reason = match note.kind {
        // RFC 8259, section 4: some parsers take the first, some the last, and some refuse the text.
        NoteKind::DuplicateMember { .. } => {
            "expected the only member of that name, got a second one"
        }
        // RFC 8259, section 8.2: some parsers replace it, some leave it out, and some refuse the text.
        NoteKind::LoneSurrogate { .. } => "expected Unicode text, got half of a surrogate pair",
        // Of these, parsers differ in the precision only.
        NoteKind::UnsafeInteger { .. } | NoteKind::NumberOutOfRange { .. } => return None,
    };
    Some(Ambiguity { pointer: note.pointer.clone(), reason })
}

/// A member of JSON-RPC that is spelled in another case, which some parsers read all the same.
fn find_in_members(message: &Object) -> Option<Ambiguity> {
    let is_respelled = |name: &&str| {
        // By way of upper case, to which Unicode also maps letters such as the long s.
        !MEMBERS.contains(name) && MEMBERS.contains(&&*name.to_uppercase().to_lowercase())
    };
    let name = message.keys().find(is_respelled)?;
    let reason = "expected absent, got a member that differs from one of JSON-RPC in case only";
    Some(Ambiguity { pointer: Pointer::root().member(name), reason })
}
