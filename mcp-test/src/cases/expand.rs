//! `${name}` in the texts of a message.

use super::Values;
use super::values::is_name;
use crate::expect::words;
use crate::json::{Pointer, Value};

/// How much all the values that are put into one message may be as text together.
///
/// What a peer said once may be asked for many times.
const MOST: usize = 16 << 20;

/// Why a message cannot be said as the case has it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpandError {
    /// Nothing of this name is declared.
    #[error("there is no value called `{name}`: {}", known(.name, .names))]
    Unknown {
        /// Where it is used.
        pointer: Pointer,
        /// The name.
        name: String,
        /// The names that there are.
        names: Vec<String>,
    },
    /// The name is declared, but has no value yet.
    #[error(
        "`${{{name}}}` has no value yet: {}",
        .captured_from.as_ref().map_or_else(
            || "it is an input that was not given".to_owned(),
            |key| format!("it is captured from `{key}`, which did not say it so far"),
        )
    )]
    NoValue {
        /// Where it is used.
        pointer: Pointer,
        /// The name.
        name: String,
        /// The message that gives it its value; an input has none.
        captured_from: Option<String>,
    },
    /// A `${` that no name and no `}` follow.
    #[error("`{text}` is no `${{name}}`; write `$${{` for a `${{` that means nothing")]
    NoName {
        /// Where it stands.
        pointer: Pointer,
        /// Its beginning.
        text: String,
    },
    /// The values that are put in are too long.
    #[error("with the values put in, the message is longer than {} MiB", MOST >> 20)]
    TooLong {
        /// The value that is too much.
        pointer: Pointer,
    },
}

impl ExpandError {
    /// Where in the message.
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

/// The message with every `${name}` replaced.
///
/// A text that is nothing but `${name}` becomes the value with its type; inside a longer text a value is written as it is,
/// and if it is no text itself, as JSON. `$${` stands for `${`. Names of members are left as they are. Without any
/// [`Values`] the whole message is.
///
/// # Errors
/// [`ExpandError`], at the first place that cannot be replaced.
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
                let mut expanded = crate::json::Object::new();
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
        let mut rest = text;
        while let Some(dollar) = rest.find('$') {
            out.push_str(&rest[..dollar]);
            let from = &rest[dollar..];
            if let Some(after) = from.strip_prefix("$${") {
                out.push_str("${");
                rest = after;
            } else if let Some(after) = from.strip_prefix("${") {
                let Some((name, after)) = after.split_once('}').filter(|(name, _)| is_name(name))
                else {
                    return Err(ExpandError::NoName { pointer: at, text: beginning(from) });
                };
                let value = self.named(&at, name)?;
                if text.len() == name.len() + "${}".len() {
                    return Ok(value.clone());
                }
                match value {
                    Value::String(text) => out.push_str(text),
                    other => out.push_str(&other.to_string()),
                }
                rest = after;
            } else {
                out.push('$');
                rest = &from[1..];
            }
        }
        out.push_str(rest);
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
        match self.room.checked_sub(self.values.bytes(name)) {
            Some(room) => self.room = room,
            None => return Err(ExpandError::TooLong { pointer }),
        }
        Ok(value)
    }
}

fn beginning(text: &str) -> String {
    const SHOWN: usize = 20;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The names that are used in a message, each with its place, whatever is declared.
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
    collect(&Pointer::root(), value, &mut names);
    names
}

fn collect(at: &Pointer, value: &Value, names: &mut Vec<(Pointer, String)>) {
    match value {
        Value::String(text) => {
            let mut rest = text.as_str();
            while let Some(dollar) = rest.find('$') {
                let from = &rest[dollar..];
                rest = match (from.strip_prefix("$${"), from.strip_prefix("${")) {
                    (Some(after), _) => after,
                    (None, Some(after)) => {
                        if let Some((name, _)) = after.split_once('}').filter(|it| is_name(it.0)) {
                            names.push((at.clone(), name.to_owned()));
                        }
                        after
                    }
                    (None, None) => &from[1..],
                };
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(&at.clone().index(index), item, names);
            }
        }
        Value::Object(object) => {
            for (name, member) in object.iter() {
                collect(&at.clone().member(name), member, names);
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
    fn a_text_that_is_only_a_name_takes_the_type_and_others_take_the_text() {
        assert_eq!(expanded(json!(["${n}", "${list}", "${name}"])), r#"[3,[1,"x"],"Ada"]"#);
        assert_eq!(expanded(json!("${name} has ${n} of ${list}")), r#""Ada has 3 of [1,\"x\"]""#);
        assert_eq!(expanded(json!({"${n}": "${n}"})), r#"{"${n}":3}"#);
    }

    #[test]
    fn dollars_that_mean_nothing_are_left() {
        assert_eq!(expanded(json!("$5 $name $$ $")), r#""$5 $name $$ $""#);
        assert_eq!(expanded(json!("$${n} $$${n}")), r#""${n} $${n}""#);
    }

    #[test]
    fn what_is_replaced_is_not_looked_through_again() {
        let mut values = values();
        values.set("evil", "${name}".into());
        let value = expand(&"<${evil}>".into(), &values).unwrap();
        assert_eq!(value.as_str(), Some("<${name}>"));
    }

    #[test]
    fn without_names_everything_stands_as_it_is() {
        let value = Value::from("${");
        assert_eq!(expand(&value, &Values::default()), Ok(value));
    }

    #[test]
    fn what_cannot_be_replaced_is_told_with_its_place() {
        insta::assert_snapshot!(expanded(json!({"a": ["${nam}"]})), @"/a/0: there is no value called `nam`: did you mean `${name}`?");
        insta::assert_snapshot!(expanded(json!({"a": "${session}"})), @"/a: there is no value called `session`: `_inputs` and `_capture` declare `list`, `n` and `name`");
        insta::assert_snapshot!(expanded(json!("costs ${ 5 of them, and more}")), @": `${ 5 of them, and mo…` is no `${name}`; write `$${` for a `${` that means nothing");
        insta::assert_snapshot!(expanded(json!("${")), @": `${` is no `${name}`; write `$${` for a `${` that means nothing");
    }

    #[test]
    fn a_value_that_is_asked_for_too_often_is_refused() {
        let mut values = Values::default();
        values.set("long", "x".repeat(1 << 20).into());
        let error = expand(&"${long}".repeat(20).into(), &values).unwrap_err();
        insta::assert_snapshot!(error, @"with the values put in, the message is longer than 16 MiB");
    }
}
