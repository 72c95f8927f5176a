//! Replaces `${name}` in the strings of a message.

use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Pointer, Value};

use super::values::{Values, is_name};

/// The total length of the values inserted into one message: a case may use a large captured value many times.
const MOST: usize = 16 << 20;

/// Why the names in a message cannot be replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpandError {
    /// The name is not declared.
    #[error("`{name}` is not declared: {}", known(.name, .names))]
    Unknown {
        /// Where it is used.
        pointer: Pointer,
        /// The name.
        name: String,
        /// The declared names.
        names: Vec<String>,
    },
    /// The name is declared, but has no value yet.
    #[error(
        "`${{{name}}}` has no value yet: {}",
        .captured_from.as_ref().map_or_else(
            || "it is an input without a value".to_owned(),
            |key| format!("it is captured from `{key}`, which did not contain it so far"),
        )
    )]
    NoValue {
        /// Where it is used.
        pointer: Pointer,
        /// The name.
        name: String,
        /// The message from which it is captured; `None` for an input.
        captured_from: Option<String>,
    },
    /// A `${` that is not followed by a name and `}`.
    #[error("`{text}` is not a `${{name}}`; write `$${{` for a literal `${{`")]
    NoName {
        /// Where it is.
        pointer: Pointer,
        /// Its beginning.
        text: String,
    },
    /// The inserted values are too long.
    #[error("the message with its values is longer than {} MiB", MOST >> 20)]
    TooLong {
        /// Where the limit is exceeded.
        pointer: Pointer,
    },
}

impl ExpandError {
    /// The location in the message.
    #[must_use]
    pub const fn pointer(&self) -> &Pointer {
        match self {
            Self::Unknown { pointer, .. }
            | Self::NoValue { pointer, .. }
            | Self::NoName { pointer, .. }
            | Self::TooLong { pointer } => pointer,
        }
    }
}

fn known(name: &str, names: &[String]) -> String {
    match words::closest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `${{{near}}}`?"),
        None => {
            let names = names.iter().map(|name| format!("`{name}`"));
            format!("`_inputs` and `_capture` declare {}", words::list(names, "and"))
        }
    }
}

/// Replaces every `${name}` in a message.
///
/// A string that is only `${name}` becomes the value with its type; in a longer string a string value is inserted as it is,
/// any other value as JSON. `$${` stands for `${`. Member names are not changed, and without any [`Values`] nothing is.
///
/// # Errors
///
/// [`ExpandError`] for the first name that cannot be replaced.
pub fn expand(value: &Value, values: &Values) -> Result<Value, ExpandError> {
    if values.is_empty() {
        return Ok(value.clone());
    }
    Expansion { values, room: MOST }.value(Pointer::root(), value)
}

struct Expansion<'a> {
    values: &'a Values,
    room: usize,
}

impl<'a> Expansion<'a> {
    fn value(&mut self, at: Pointer, value: &Value) -> Result<Value, ExpandError> {
        match value {
            Value::String(text) => self.text(at, text),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.map(|(index, item)| self.value(at.clone().index(index), item)).collect()
            }
            Value::Object(object) => {
                let mut expanded = Object::new();
                for (name, member) in object.iter() {
                    expanded.push(name, self.value(at.clone().member(name), member)?);
                }
                Ok(expanded.into())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.clone()),
        }
    }

    fn text(&mut self, at: Pointer, text: &str) -> Result<Value, ExpandError> {
        let mut out = String::new();
        // Only the text of the case is split: a value from the peer that contains `${` is not expanded.
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Name(name) => match self.named(&at, name)? {
                    // The name is the whole string, so that the value keeps its type.
                    value if text.len() == name.len() + "${}".len() => return Ok(value.clone()),
                    Value::String(text) => out.push_str(text),
                    other => out.push_str(&other.to_string()),
                },
                Piece::Invalid(rest) => {
                    return Err(ExpandError::NoName { pointer: at, text: beginning(rest) });
                }
            }
        }
        Ok(out.into())
    }

    fn named(&mut self, at: &Pointer, name: &str) -> Result<&'a Value, ExpandError> {
        let pointer = at.clone();
        let Some(value) = self.values.value(name) else {
            let name = name.to_owned();
            return Err(match self.values.declared(&name) {
                Some(captured_from) => {
                    let captured_from = captured_from.map(ToOwned::to_owned);
                    ExpandError::NoValue { pointer, name, captured_from }
                }
                None => {
                    let names = self.values.names().map(ToOwned::to_owned).collect();
                    ExpandError::Unknown { pointer, name, names }
                }
            });
        };
        // The lengths are known, so that the limit applies before anything is copied.
        match self.room.checked_sub(self.values.bytes(name)) {
            Some(room) => self.room = room,
            None => return Err(ExpandError::TooLong { pointer }),
        }
        Ok(value)
    }
}

/// A piece of a string.
enum Piece<'t> {
    Text(&'t str),
    /// The name in `${name}`.
    Name(&'t str),
    /// The rest of the string, from a `${` that is not followed by a name and `}`.
    Invalid(&'t str),
}

/// Splits a string at placeholders; goes on after the `${` of an invalid one.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let piece;
        (piece, rest) = if let Some(after) = rest.strip_prefix("$${") {
            (Piece::Text("${"), after)
        } else if let Some(after) = rest.strip_prefix("${") {
            match after.split_once('}').filter(|(name, _)| is_name(name)) {
                Some((name, after)) => (Piece::Name(name), after),
                None => (Piece::Invalid(rest), after),
            }
        } else {
            // A `$` at the beginning is only text; the next one may begin a placeholder.
            let begin = rest.chars().next()?.len_utf8();
            let end = rest[begin..].find('$').map_or(rest.len(), |dollar| begin + dollar);
            (Piece::Text(&rest[..end]), &rest[end..])
        };
        Some(piece)
    })
}

fn beginning(text: &str) -> String {
    const SHOWN: usize = 20;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// All names used in a message with their locations, declared or not.
///
/// ```
/// use mcp_test::{cases::names_used, json::Value};
///
/// let message = Value::parse(br#"{"params": {"a": "${x}, $${y}"}}"#)?.value;
/// let used: Vec<_> = names_used(&message).into_iter().map(|(_, name)| name).collect();
/// assert_eq!(used, ["x"]);
/// # Ok::<(), mcp_test::json::ParseError>(())
/// ```
#[must_use]
pub fn names_used(value: &Value) -> Vec<(Pointer, String)> {
    let mut names = Vec::new();
    visit(&Pointer::root(), value, &mut |at, piece| {
        if let Piece::Name(name) = piece {
            names.push((at.clone(), name.to_owned()));
        }
    });
    names
}

/// The first `${` in a message that is not followed by a name and `}`, with its location.
pub(super) fn not_a_placeholder(value: &Value) -> Option<(Pointer, String)> {
    let mut first = None;
    visit(&Pointer::root(), value, &mut |at, piece| {
        if let (None, Piece::Invalid(rest)) = (&first, piece) {
            first = Some((at.clone(), beginning(rest)));
        }
    });
    first
}

/// Visits the pieces of all strings in a value.
fn visit(at: &Pointer, value: &Value, visitor: &mut impl FnMut(&Pointer, Piece<'_>)) {
    match value {
        Value::String(text) => pieces(text).for_each(|piece| visitor(at, piece)),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                visit(&at.clone().index(index), item, visitor);
            }
        }
        Value::Object(object) => {
            for (name, member) in object.iter() {
                visit(&at.clone().member(name), member, visitor);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn values() -> Values {
        let mut values = Values::default();
        values.set("name", "Ada".into());
        values.set("n", 3.into());
        values.set("list", json!([1, "x"]).into());
        values
    }

    fn expanded(value: serde_json::Value) -> String {
        match expand(&value.into(), &values()) {
            Ok(value) => value.to_string(),
            Err(error) => format!("{}: {error}", error.pointer()),
        }
    }

    #[test]
    fn a_string_that_is_only_a_name_becomes_the_value_with_its_type() {
        assert_eq!(expanded(json!(["${n}", "${list}", "${name}"])), r#"[3,[1,"x"],"Ada"]"#);
        assert_eq!(expanded(json!("${name} has ${n} of ${list}")), r#""Ada has 3 of [1,\"x\"]""#);
        assert_eq!(expanded(json!({"${n}": "${n}"})), r#"{"${n}":3}"#);
    }

    #[test]
    fn literal_dollars_are_kept() {
        assert_eq!(expanded(json!("$5 $name $$ $")), r#""$5 $name $$ $""#);
        assert_eq!(expanded(json!("$${n} $$${n}")), r#""${n} $${n}""#);
    }

    #[test]
    fn inserted_values_are_not_expanded_again() {
        let mut values = values();
        values.set("evil", "${name}".into());
        let value = expand(&"<${evil}>".into(), &values).unwrap();
        assert_eq!(value.as_str(), Some("<${name}>"));
    }

    #[test]
    fn without_names_nothing_is_replaced() {
        let value = Value::from("${");
        assert_eq!(expand(&value, &Values::default()), Ok(value));
    }

    #[test]
    fn errors_have_their_location() {
        insta::assert_snapshot!(expanded(json!({"a": ["${nam}"]})), @"/a/0: `nam` is not declared: did you mean `${name}`?");
        insta::assert_snapshot!(expanded(json!({"a": "${session}"})), @"/a: `session` is not declared: `_inputs` and `_capture` declare `list`, `n` and `name`");
        insta::assert_snapshot!(expanded(json!("costs ${ 5 of them, and more}")), @": `${ 5 of them, and mo…` is not a `${name}`; write `$${` for a literal `${`");
        insta::assert_snapshot!(expanded(json!("${")), @": `${` is not a `${name}`; write `$${` for a literal `${`");
    }

    #[test]
    fn the_length_of_inserted_values_is_bounded() {
        let mut values = Values::default();
        values.set("long", "x".repeat(1 << 20).into());
        let error = expand(&"${long}".repeat(20).into(), &values).unwrap_err();
        insta::assert_snapshot!(error, @"the message with its values is longer than 16 MiB");
    }
}
