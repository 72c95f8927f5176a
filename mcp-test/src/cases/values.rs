//! The values that `${name}` stands for: inputs from outside, and what was captured on the way.

use std::collections::BTreeMap;
use std::fmt;

use super::{Case, Inputs};
use crate::json::Value;
use crate::trace::SecretTexts;

/// What is known while a case is played: the names that it declares, and the values they have got so far.
///
/// Only a case that declares names has `${…}` replaced; elsewhere texts are taken as they stand.
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
    /// How long it is as JSON.
    bytes: usize,
    /// Which message of the case gives it its value.
    captured_from: Option<String>,
    secret: bool,
}

impl Values {
    /// The names that a case declares, which have no values yet but for the defaults of inputs.
    ///
    /// A case that goes on where others ended (`_continues`) comes after them.
    #[must_use]
    pub fn of<'a>(chain: impl IntoIterator<Item = &'a Case>) -> Self {
        let mut this = Self::default();
        for case in chain {
            for input in &case.settings.inputs {
                this.names.entry(input.name.clone()).or_default().secret |= input.secret;
                if let Some(default) = &input.default {
                    this.set(&input.name, default.clone());
                }
            }
            for message in &case.messages {
                for capture in &message.captures {
                    let known = this.names.entry(capture.name.clone()).or_default();
                    known.captured_from.get_or_insert_with(|| message.key.clone());
                }
            }
        }
        this
    }

    /// Gives a name a value, in place of any that it had.
    pub fn set(&mut self, name: &str, value: Value) {
        let known = self.names.entry(name.to_owned()).or_default();
        known.bytes = value.to_string().len();
        if known.secret {
            hide(&value, &mut self.secrets);
        }
        known.value = Some(value);
    }

    /// Gives a name a value that must not be shown.
    pub fn set_secret(&mut self, name: &str, value: Value) {
        self.names.entry(name.to_owned()).or_default().secret = true;
        self.set(name, value);
    }

    /// The value of a name, if it has one by now.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.names.get(name)?.value.as_ref()
    }

    /// Whether there are no names, so that nothing is replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The names, in the order of the alphabet.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// What has a value, as variables of an environment: `MCP_TEST_INPUT_<NAME>`, and a text or else JSON.
    pub(super) fn variables(&self) -> impl Iterator<Item = (String, String)> {
        self.names.iter().filter_map(|(name, known)| {
            let value = known.value.as_ref()?;
            let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            Some((Inputs::variable(name), text))
        })
    }

    /// What must not be shown.
    #[must_use]
    pub const fn secrets(&self) -> &SecretTexts {
        &self.secrets
    }

    /// How long the value of a name is as JSON.
    pub(super) fn bytes(&self, name: &str) -> usize {
        self.names.get(name).map_or(0, |known| known.bytes)
    }

    /// Whether a name is declared, and if so, which message captures it.
    pub(super) fn declared(&self, name: &str) -> Option<Option<&str>> {
        self.names.get(name).map(|known| known.captured_from.as_deref())
    }
}

/// What a secret may look like when somebody says it again.
fn hide(value: &Value, secrets: &mut SecretTexts) {
    match value {
        Value::String(text) => secrets.add(text),
        Value::Number(number) => secrets.add(number.as_str()),
        Value::Array(items) => items.iter().for_each(|item| hide(item, secrets)),
        Value::Object(object) => object.iter().for_each(|(_, member)| hide(member, secrets)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Whether a text may be the name of a value: letters, digits, `_`, `-` and `.`, beginning with a letter or `_`.
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |known: &Known| match (&known.value, known.secret) {
            (None, _) => "nothing yet".to_owned(),
            (_, true) => "[secret]".to_owned(),
            (Some(value), false) => self.secrets.short(value, 80),
        };
        f.debug_map().entries(self.names.iter().map(|(name, known)| (name, shown(known)))).finish()
    }
}
