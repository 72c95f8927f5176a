//! The table `[fixtures]`, which stands for `--fixture`.

use mcp_test_core::json::{Object, Value};
use toml::de::{DeTable, DeValue};

use super::toml_value::{integer, kind};

/// The name of the table.
pub(super) const TABLE: &str = "fixtures";

/// The option for which it stands.
pub(super) const OPTION: &str = "fixture";

/// The value of `--fixture` for a key of the table and its value: a name, or a table with a name and arguments.
pub(super) fn value(fixture: &str, value: &DeValue<'_>) -> Result<String, String> {
    let table = match value {
        DeValue::String(name) => return Ok(format!("{fixture}={name}")),
        DeValue::Table(table) => table,
        other => return Err(format!("expected a name or a table, got {}", kind(other))),
    };
    let member = |name: &str| table.iter().find(|(key, _)| key.get_ref() == name);
    let unknown = table.keys().find(|key| !matches!(key.get_ref().as_ref(), "name" | "arguments"));
    if let Some(unknown) = unknown {
        return Err(format!("expected `name` and `arguments`, got `{}`", unknown.get_ref()));
    }
    let Some((_, name)) = member("name") else {
        return Err("expected a member `name`".to_owned());
    };
    let DeValue::String(name) = name.get_ref() else {
        return Err(format!("`name`: expected a string, got {}", kind(name.get_ref())));
    };
    match member("arguments").map(|(_, arguments)| arguments.get_ref()) {
        None => Ok(format!("{fixture}={name}")),
        Some(DeValue::Table(arguments)) => {
            Ok(format!("{fixture}={name}={}", Value::Object(object(arguments))))
        }
        Some(other) => Err(format!("`arguments`: expected a table, got {}", kind(other))),
    }
}

fn object(table: &DeTable<'_>) -> Object {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref()))).collect()
}

/// The JSON of a TOML value; a date is a string.
fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Integer(number) => number_or_text(&integer(number.as_str(), number.radix())),
        DeValue::Float(number) => number_or_text(number.as_str()),
        DeValue::Datetime(date) => Value::from(date.to_string()),
        DeValue::Array(values) => values.iter().map(|value| json(value.get_ref())).collect(),
        DeValue::Table(table) => Value::Object(object(table)),
    }
}

/// A number of TOML; what JSON cannot express, such as `inf`, is a string.
fn number_or_text(text: &str) -> Value {
    match Value::parse(text.trim_start_matches('+').as_bytes()) {
        Ok(parsed) => parsed.value,
        Err(_) => Value::from(text),
    }
}
