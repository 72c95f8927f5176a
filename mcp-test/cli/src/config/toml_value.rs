//! Values of TOML as they are written on the command line.

use toml::de::DeValue;

/// A value as it is written on the command line.
pub(super) fn scalar(value: &DeValue<'_>) -> Result<String, String> {
    match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => Ok(integer(number.as_str(), number.radix())),
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        // A revision without quotes is a date of TOML.
        DeValue::Datetime(date) => Ok(date.to_string()),
        other => Err(format!("expected a string or a number, got {}", kind(other))),
    }
}

/// What a value is, for messages.
pub(super) const fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "`true` or `false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// A number in decimal.
pub(super) fn integer(digits: &str, radix: u32) -> String {
    match i128::from_str_radix(digits, radix) {
        Ok(number) => number.to_string(),
        // Too large for any option, whose own error says what it expects.
        Err(_) => digits.to_owned(),
    }
}
