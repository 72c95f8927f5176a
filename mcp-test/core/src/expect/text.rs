//! Matchers of strings.

use super::{Matcher, Mismatch, satisfying, words};
use crate::json::Value;

/// Matches strings.
#[must_use]
pub fn string() -> impl Matcher {
    satisfying("a string", Value::is_string)
}

/// Matches strings of at least one character.
#[must_use]
pub fn non_empty_string() -> impl Matcher {
    satisfying("a non-empty string", |got| got.as_str().is_some_and(|text| !text.is_empty()))
}

/// Matches strings that contain `part`.
pub fn text_containing(part: impl Into<String>) -> TextWith {
    TextWith { relation: "containing", part: part.into(), holds: |text, part| text.contains(part) }
}

/// Matches strings that start with `start`.
pub fn text_starting_with(start: impl Into<String>) -> TextWith {
    let holds = |text: &str, start: &str| text.starts_with(start);
    TextWith { relation: "starting with", part: start.into(), holds }
}

/// Matches strings of `least` to `most` allowed characters.
///
/// `alphabet` describes the allowed characters: `letters, digits, "_" and "-"`.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::expect::{Matcher, in_characters};
///
/// let name = in_characters("letters and digits", |char| char.is_ascii_alphanumeric(), 1, 8);
/// assert_eq!(
///     name.check(&"get weather".into()).unwrap_err().to_string(),
///     "expected the value is 1 to 8 characters of letters and digits\n\
///      got \"get weather\", which has \" \" at character 4",
/// );
/// ```
pub fn in_characters(
    alphabet: impl Into<String>,
    allowed: fn(char) -> bool,
    least: usize,
    most: usize,
) -> InCharacters {
    InCharacters { alphabet: alphabet.into(), allowed, least, most }
}

/// A matcher of strings by a part of them, made by [`text_containing`] and [`text_starting_with`].
#[doc(hidden)]
#[must_use]
pub struct TextWith {
    relation: &'static str,
    part: String,
    holds: fn(&str, &str) -> bool,
}

impl Matcher for TextWith {
    fn describe(&self) -> String {
        format!("text {} {}", self.relation, Value::from(self.part.as_str()))
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        match got.as_str() {
            Some(text) if (self.holds)(text, &self.part) => Ok(()),
            // It is a string, so its kind is not what is wrong.
            Some(_) => Err(Mismatch::because(self.describe(), got, None)),
            None => Err(Mismatch::new(self.describe(), got)),
        }
    }
}

/// A matcher of strings by their characters, made by [`in_characters`].
#[doc(hidden)]
#[must_use]
pub struct InCharacters {
    alphabet: String,
    allowed: fn(char) -> bool,
    least: usize,
    most: usize,
}

impl Matcher for InCharacters {
    fn describe(&self) -> String {
        let Self { alphabet, least, most, .. } = self;
        // `usize::MAX` means that there is no upper bound.
        if *most == usize::MAX {
            format!("at least {} of {alphabet}", words::count(*least, "character"))
        } else {
            format!("{least} to {} of {alphabet}", words::count(*most, "character"))
        }
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let Some(text) = got.as_str() else {
            return Err(Mismatch::new(self.describe(), got));
        };
        // Reported before a wrong length, which may be due to it.
        let forbidden = text.chars().enumerate().find(|(_, char)| !(self.allowed)(*char));
        let length = text.chars().count();
        let which = if let Some((index, char)) = forbidden {
            format!("has {} at character {}", Value::from(char.to_string()), index + 1)
        } else if (self.least..=self.most).contains(&length) {
            return Ok(());
        } else {
            format!("has {}", words::count(length, "character"))
        };
        Err(Mismatch::because(self.describe(), got, which))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(matcher: &impl Matcher, got: impl Into<Value>) -> String {
        matcher.check(&got.into()).unwrap_err().to_string()
    }

    #[test]
    fn strings_are_checked() {
        assert!(string().check(&"".into()).is_ok());
        assert_eq!(
            failure(&string(), 1),
            "expected the value is a string\ngot 1, which is a number"
        );
        assert!(non_empty_string().check(&" ".into()).is_ok());
        assert_eq!(
            failure(&non_empty_string(), ""),
            "expected the value is a non-empty string\ngot \"\", which is an empty string"
        );
    }

    #[test]
    fn parts_of_strings_are_checked() {
        assert!(text_containing("b").check(&"abc".into()).is_ok());
        assert!(text_starting_with("ab").check(&"abc".into()).is_ok());
        assert!(text_starting_with("b").check(&"abc".into()).is_err());
        assert_eq!(
            failure(&text_containing("\"x\""), "abc"),
            "expected the value is text containing \"\\\"x\\\"\"\ngot \"abc\""
        );
    }

    #[test]
    fn lengths_count_characters() {
        let two = in_characters("letters", char::is_alphabetic, 2, 2);
        assert!(two.check(&"äß".into()).is_ok());
        assert_eq!(
            failure(&two, "ä"),
            "expected the value is 2 to 2 characters of letters\ngot \"ä\", which has 1 character"
        );
        let any = in_characters("letters", char::is_alphabetic, 1, usize::MAX);
        assert_eq!(any.describe(), "at least 1 character of letters");
        assert!(any.check(&Value::Null).is_err());
    }
}
