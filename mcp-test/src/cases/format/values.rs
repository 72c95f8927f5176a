//! The values of `${name}`: inputs, and values captured during a conversation.

use std::collections::BTreeMap;
use std::fmt;

use mcp_test_core::json::Value;
use mcp_test_core::trace::SecretTexts;

use super::case::Case;

/// The names that a case declares, with their values so far.
///
/// `${…}` is only replaced in a case that declares names; elsewhere it is literal text.
///
/// ```
/// use mcp_test::cases::{Values, expand};
/// use mcp_test::json::Value;
///
/// let mut values = Values::default();
/// values.set("n", 3.into());
/// let message = Value::parse(br#"{"n": "${n}", "text": "n is ${n}, not $${n}"}"#)?.value;
/// assert_eq!(expand(&message, &values)?.to_string(), r#"{"n":3,"text":"n is 3, not ${n}"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Values {
    names: BTreeMap<String, Known>,
    secrets: SecretTexts,
}

#[derive(Clone, Default)]
struct Known {
    value: Option<Value>,
    /// Its length as JSON, computed once: a message may use a value many times.
    bytes: usize,
    /// The message from which it is captured.
    captured_from: Option<String>,
    secret: bool,
}

impl Values {
    /// The names declared by a case, with only the defaults of inputs as values.
    ///
    /// In `chain`, a case follows those that it continues (`_continues`).
    #[must_use]
    pub fn of<'a>(chain: impl IntoIterator<Item = &'a Case>) -> Self {
        let mut this = Self::default();
        for case in chain {
            for input in &case.settings.inputs {
                // Secret in one case of the chain is secret in all: they have the value in common.
                this.names.entry(input.name.clone()).or_default().secret |= input.secret;
                if let Some(default) = &input.default {
                    this.set(&input.name, default.clone());
                }
            }
            for message in &case.messages {
                for capture in &message.captures {
                    let known = this.names.entry(capture.name.clone()).or_default();
                    // The first one: until then the name has no value.
                    known.captured_from.get_or_insert_with(|| message.key.clone());
                }
            }
        }
        this
    }

    /// Sets the value of a name.
    pub fn set(&mut self, name: &str, value: Value) {
        let known = self.names.entry(name.to_owned()).or_default();
        known.bytes = value.to_string().len();
        if known.secret {
            hide(&value, &mut self.secrets);
        }
        known.value = Some(value);
    }

    /// Sets the value of a name, and hides it in output.
    pub fn set_secret(&mut self, name: &str, value: Value) {
        // Before the value is set, because `set` only hides the value of a secret name.
        self.names.entry(name.to_owned()).or_default().secret = true;
        self.set(name, value);
    }

    /// The current value of a name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.names.get(name)?.value.as_ref()
    }

    /// Whether no names are declared, so that nothing is replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The names in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// The values as environment variables: `MCP_TEST_INPUT_<NAME>` with the string, or JSON.
    pub(in crate::cases) fn variables(&self) -> impl Iterator<Item = (String, String)> {
        self.names.iter().filter_map(|(name, known)| {
            let value = known.value.as_ref()?;
            let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            Some((variable(name), text))
        })
    }

    /// The texts to hide in output.
    #[must_use]
    pub const fn secrets(&self) -> &SecretTexts {
        &self.secrets
    }

    /// The length of a value as JSON.
    pub(in crate::cases) fn bytes(&self, name: &str) -> usize {
        self.names.get(name).map_or(0, |known| known.bytes)
    }

    /// `Some` if a name is declared, with the message from which it is captured.
    pub(in crate::cases) fn declared(&self, name: &str) -> Option<Option<&str>> {
        self.names.get(name).map(|known| known.captured_from.as_deref())
    }
}

/// The environment variable for an input.
pub(super) fn variable(name: &str) -> String {
    // POSIX shells allow no other characters in the names of variables.
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("MCP_TEST_INPUT_{}", name.chars().map(word).collect::<String>())
}

/// Hides a secret, and each string and number inside it.
fn hide(value: &Value, secrets: &mut SecretTexts) {
    match value {
        Value::String(text) => secrets.add(text),
        Value::Number(number) => secrets.add(number.as_str()),
        // A peer may repeat only a part of it.
        Value::Array(items) => items.iter().for_each(|item| hide(item, secrets)),
        Value::Object(object) => object.iter().for_each(|(_, member)| hide(member, secrets)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Whether a string is a valid name: letters, digits, `_`, `-` and `.`, beginning with a letter or `_`.
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |known: &Known| match (&known.value, known.secret) {
            (None, _) => "no value yet".to_owned(),
            (_, true) => "[secret]".to_owned(),
            (Some(value), false) => self.secrets.short(value, 80),
        };
        f.debug_map().entries(self.names.iter().map(|(name, known)| (name, shown(known)))).finish()
    }
}
