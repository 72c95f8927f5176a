//! Prints values as text: compact, over several lines, or truncated for a message.

use std::fmt::{self, Write};

use super::escape::{escape, is_deceptive, plain_prefix};
use super::{Object, Value};

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        compact(self, f)
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        compact_object(self, f)
    }
}

impl Value {
    /// The value on several lines, indented by two spaces.
    #[must_use]
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        indented(self, 0, &mut out);
        out
    }

    /// The value on as few lines as fit into about `width` characters each, indented by two spaces.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::json::Value;
    ///
    /// let value = Value::from(serde_json::json!({"a": [1, 2], "b": "a text"}));
    /// assert_eq!(value.pretty_within(80), r#"{"a": [1, 2], "b": "a text"}"#);
    /// assert_eq!(value.pretty_within(16), "{\n  \"a\": [1, 2],\n  \"b\": \"a text\"\n}");
    /// ```
    #[must_use]
    pub fn pretty_within(&self, width: usize) -> String {
        let mut lines = vec![String::new()];
        wrapped(self, 0, width, &mut lines);
        lines.join("\n")
    }

    /// The value on one line, with a space after each comma and colon.
    #[must_use]
    #[doc(hidden)]
    pub fn inline(&self) -> String {
        match self {
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(Self::inline).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(object) => {
                let members = object
                    .iter()
                    .map(|(name, member)| format!("{}: {}", Value::from(name), member.inline()));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            scalar => scalar.to_string(),
        }
    }

    /// How many bytes its compact text has, without writing it.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::json::Value;
    ///
    /// let value = Value::from(serde_json::json!(["a", {"b": 1}]));
    /// assert_eq!(value.text_length(), value.to_string().len());
    /// ```
    #[must_use]
    #[doc(hidden)]
    pub fn text_length(&self) -> usize {
        let mut counted = Counted(0);
        // Counting cannot fail.
        compact(self, &mut counted).ok();
        counted.0
    }

    /// The value in at most `max_chars` characters, compact, truncated with `…` if necessary.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::json::Value;
    ///
    /// let value = Value::from(serde_json::json!(["a", "long", "list"]));
    /// assert_eq!(value.short(12), r#"["a","long"…"#);
    /// ```
    #[must_use]
    pub fn short(&self, max_chars: usize) -> String {
        let mut text = Truncated { out: String::new(), remaining: max_chars };
        if compact(self, &mut text).is_err() {
            // The limit counts the ellipsis as well.
            text.out.pop();
            text.out.push('…');
        }
        text.out
    }
}

/// Counts bytes.
struct Counted(usize);

impl Write for Counted {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// Collects characters up to a limit, then stops the writer with an error.
struct Truncated {
    out: String,
    remaining: usize,
}

impl Write for Truncated {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for char in text.chars() {
            self.remaining = self.remaining.checked_sub(1).ok_or(fmt::Error)?;
            self.out.push(char);
        }
        Ok(())
    }
}

fn compact(value: &Value, out: &mut impl Write) -> fmt::Result {
    match value {
        Value::Array(items) => {
            out.write_char('[')?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.write_char(',')?;
                }
                compact(item, out)?;
            }
            out.write_char(']')
        }
        Value::Object(object) => compact_object(object, out),
        Value::String(text) => quoted(text, out),
        Value::Number(number) => out.write_str(number.as_str()),
        Value::Bool(boolean) => write!(out, "{boolean}"),
        Value::Null => out.write_str("null"),
    }
}

fn compact_object(object: &Object, out: &mut impl Write) -> fmt::Result {
    out.write_char('{')?;
    for (index, (name, value)) in object.iter().enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        quoted(name, out)?;
        out.write_char(':')?;
        compact(value, out)?;
    }
    out.write_char('}')
}

fn quoted(text: &str, out: &mut impl Write) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    loop {
        // Most texts are plain, and some are megabytes long.
        let (plain, others) = rest.split_at(plain_prefix(rest.as_bytes()));
        out.write_str(plain)?;
        let Some(char) = others.chars().next() else { break };
        rest = &others[char.len_utf8()..];
        match char {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            '\u{8}' => out.write_str("\\b")?,
            '\u{c}' => out.write_str("\\f")?,
            // Most of these are legal unescaped in JSON, but people see the text as well.
            deceptive if is_deceptive(deceptive) => escape(deceptive, out)?,
            plain => out.write_char(plain)?,
        }
    }
    out.write_char('"')
}

/// Writes the value on several lines; writing to a `String` cannot fail.
fn indented(value: &Value, depth: usize, out: &mut String) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                line(out, depth + 1);
                indented(item, depth + 1, out);
            }
            line(out, depth);
            out.push(']');
        }
        Value::Object(object) if !object.is_empty() => {
            out.push('{');
            for (index, (name, member)) in object.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                line(out, depth + 1);
                let _ = quoted(name, out);
                out.push_str(": ");
                indented(member, depth + 1, out);
            }
            line(out, depth);
            out.push('}');
        }
        flat => {
            let _ = compact(flat, out);
        }
    }
}

fn wrapped(value: &Value, depth: usize, width: usize, lines: &mut Vec<String>) {
    let line = value.inline();
    // The value continues the last line, after its margin and its name.
    let used = lines.last().map_or(0, |line| line.chars().count());
    let is_composite = matches!(value, Value::Array(_) | Value::Object(_));
    // `<` leaves space for a comma.
    if !is_composite || used + line.chars().count() < width {
        push(lines, &line);
        return;
    }
    let margin = "  ".repeat(depth + 1);
    let close = match value {
        Value::Array(items) => {
            push(lines, "[");
            for (index, item) in items.iter().enumerate() {
                lines.push(margin.clone());
                wrapped(item, depth + 1, width, lines);
                push(lines, if index + 1 < items.len() { "," } else { "" });
            }
            "]"
        }
        Value::Object(object) => {
            push(lines, "{");
            for (index, (name, member)) in object.iter().enumerate() {
                lines.push(format!("{margin}{}: ", Value::from(name)));
                wrapped(member, depth + 1, width, lines);
                push(lines, if index + 1 < object.len() { "," } else { "" });
            }
            "}"
        }
        // Unreachable: scalars are written above.
        _ => "",
    };
    lines.push(format!("{}{close}", "  ".repeat(depth)));
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keeps_spelling_order_and_duplicates() {
        let text = r#"{"b":1.50,"a":[1E2,{}],"b":null}"#;
        assert_eq!(Value::parse(text.as_bytes()).unwrap().value.to_string(), text);
    }

    #[test]
    fn escapes_what_must_be_and_what_garbles_a_terminal() {
        let value = Value::from("\"\\\n\u{1b}\u{9b}é\u{1}");
        assert_eq!(value.to_string(), r#""\"\\\n\u001b\u009bé\u0001""#);
    }

    #[test]
    fn escapes_what_deceives_without_loss() {
        let value = Value::from("a\u{202e}\u{2066}\u{200f}\u{200b}\u{2028}\u{feff}\u{e0041}😀");
        let text = value.to_string();
        assert_eq!(text, r#""a\u202e\u2066\u200f\u200b\u2028\ufeff\udb40\udc41😀""#);
        assert_eq!(Value::parse(text.as_bytes()).expect("JSON").value, value);
    }

    #[test]
    fn pretty_indents_by_two() {
        let value = Value::parse(br#"{"a":[1,{"b":[]}],"c":{}}"#).unwrap().value;
        insta::assert_snapshot!(value.pretty(), @r#"
        {
          "a": [
            1,
            {
              "b": []
            }
          ],
          "c": {}
        }
        "#);
    }

    #[test]
    fn short_cuts_at_characters() {
        let value = Value::from(json!(["äöü"]));
        assert_eq!(value.short(7), r#"["äöü"]"#);
        assert_eq!(value.short(6), r#"["äöü…"#);
        assert_eq!(value.short(0), "…");
    }
}
