//! Texts that were given in confidence, and every form in which they may turn up.

use std::fmt;

use super::SECRET;
use crate::json::Value;

/// A shorter text is too likely to be a part of another word; masking it would only garble reports.
const SHORTEST: usize = 4;

/// Values that say nothing; to mask them would only garble reports.
const WORDS: [&str; 6] = ["true", "false", "null", "none", "undefined", "default"];

/// Texts that must not be seen, such as the values of `--header` or of a secret input.
///
/// ```
/// use mcp_test::trace::SecretTexts;
///
/// let secrets = SecretTexts::new(["hunter2".to_owned()]);
/// assert_eq!(secrets.mask("x-key: hunter2"), "x-key: [secret]");
/// assert!(!format!("{secrets:?}").contains("hunter2"));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretTexts {
    /// The longest first, so that no part of it is left beside a mask.
    texts: Vec<String>,
}

impl SecretTexts {
    /// Masks these values, their lines, and the credentials in those that start with an authentication scheme.
    ///
    /// Words such as `true`, and what is shorter than four characters, are not masked.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut this = Self::default();
        values.into_iter().for_each(|value| this.add(&value));
        this
    }

    /// Masks this value too, as [`new`](Self::new) does.
    pub fn add(&mut self, value: &str) {
        self.texts.extend(forms(value));
        self.texts.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        self.texts.dedup();
    }

    /// Whether nothing is masked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Every text that is looked for, the longest first.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    /// The text with every secret replaced.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        without(text, &self.texts)
    }

    /// The value, compact and in at most `most` characters, with every secret replaced.
    ///
    /// Nothing is left of a secret that the end would cut in two.
    #[must_use]
    pub fn short(&self, value: &Value, most: usize) -> String {
        const ROOM: usize = 4096;
        let Some(longest) = self.texts.first().map(|text| text.chars().count()) else {
            return value.short(most);
        };
        // Cut far behind what is shown, so that a secret which begins within it is complete when it is masked.
        let whole = most.max(ROOM) + longest;
        let text = value.short(whole);
        let is_cut = text.chars().count() == whole && text.ends_with('…');
        let masked = self.mask(&text);
        let shown = masked.chars().count();
        // The last `longest` characters may be the beginning of a secret that the cut has left incomplete.
        let safe = if is_cut { shown.saturating_sub(longest) } else { shown };
        if !is_cut && shown <= most {
            return masked;
        }
        let mut cut: String = masked.chars().take(most.saturating_sub(1).min(safe)).collect();
        cut.push('…');
        cut
    }
}

/// A text with these secrets replaced, in this order.
pub(super) fn without(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| {
        // Most texts hold no secret, and `replace` would copy them each time.
        if text.contains(secret.as_str()) { text.replace(secret.as_str(), SECRET) } else { text }
    })
}

/// How a value may turn up: as it is, line by line, without its scheme, and quoted.
fn forms(value: &str) -> Vec<String> {
    let credentials = value.split_once(' ').map(|(_, credentials)| credentials);
    let plain = [value].into_iter().chain(credentials).chain(value.lines());
    let plain = plain.filter(|text| {
        text.len() >= SHORTEST && !WORDS.contains(&text.to_ascii_lowercase().as_str())
    });
    // As JSON and as Rust write it in a string: the two escape different characters.
    let quoted = |text: &str| {
        let json = Value::from(text).to_string();
        [json[1..json.len() - 1].to_owned(), text.escape_debug().to_string()]
    };
    plain.flat_map(|text| [text.to_owned()].into_iter().chain(quoted(text))).collect()
}

impl fmt::Debug for SecretTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretTexts({})", self.texts.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_masked_with_and_without_its_scheme() {
        let secrets = SecretTexts::new(["Bearer abcdef".to_owned(), "no".to_owned()]);
        assert_eq!(secrets.mask("Bearer abcdef"), "[secret]");
        assert_eq!(secrets.mask("token abcdef, not now"), "token [secret], not now");
    }

    #[test]
    fn a_value_is_masked_where_it_is_quoted_and_line_by_line() {
        let secrets = SecretTexts::new([r#"ab"c\d"#.to_owned(), "first\nsecond".to_owned()]);
        assert_eq!(secrets.mask(r#"{"a":"ab\"c\\d"}, ab"c\d"#), r#"{"a":"[secret]"}, [secret]"#);
        assert_eq!(secrets.mask("a first, then a second"), "a [secret], then a [secret]");
    }

    #[test]
    fn a_word_that_says_nothing_is_left() {
        let secrets =
            SecretTexts::new(["true".to_owned(), "Bearer true".to_owned(), "17".to_owned()]);
        assert_eq!(secrets.mask("true 17"), "true 17");
    }

    #[test]
    fn no_part_of_a_secret_is_left_where_a_value_is_cut() {
        let secret = "0123456789".repeat(20);
        let secrets = SecretTexts::new([secret.clone()]);
        for pad in 0..300 {
            let value = Value::from(format!("{}{secret}", "x".repeat(pad)));
            let shown = secrets.short(&value, 120);
            assert!(!shown.contains("012"), "{shown}");
            assert!(shown.chars().count() <= 120, "{shown}");
        }
        let many = Value::from(secret.repeat(400));
        assert!(!secrets.short(&many, 120).contains("012"));
        assert_eq!(secrets.short(&Value::from("short"), 120), r#""short""#);
    }
}
