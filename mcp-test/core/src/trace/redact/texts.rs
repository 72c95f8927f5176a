//! Texts that were given in confidence, and every form in which they may turn up.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use super::SECRET;
use crate::json::Value;

/// What stands where a text was cut off.
const CUT: &str = "…";

/// The bytes of the shortest beginning of a secret that is masked, where the rest is cut off; other texts begin with fewer of them.
const SHORTEST_CUT: usize = 6;

/// The same of a secret in base64 behind something else, where the characters before it also hold bits of the secret.
const SHORTEST_CUT_SHIFTED: usize = 3;

/// What closes a quotation between the beginning of a secret and the ellipsis.
const QUOTES: [u8; 3] = [b'"', b'\'', b'`'];

/// A shorter text is too likely to be a part of another word; masking it would only garble reports.
const SHORTEST: usize = 4;

/// Values that say nothing; to mask them would only garble reports.
const WORDS: [&str; 6] = ["true", "false", "null", "none", "undefined", "default"];

/// How many lines of a value are looked for, which bounds the number of texts.
const MOST_LINES: usize = 1_000;

/// A longer text is not looked for in encoded forms; those of its lines are.
const LONGEST_ENCODED: usize = 8 * 1024;

/// A shorter piece of base64 is likely to be a part of other data.
const SHORTEST_BASE64: usize = 6;

/// Texts that must not be seen, such as the values of `--header` or of a secret input.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::trace::SecretTexts;
///
/// let secrets = SecretTexts::new(["hunter2".to_owned()]);
/// assert_eq!(secrets.mask("x-key: hunter2, in hex 68756e74657232"), "x-key: [secret], in hex [secret]");
/// assert!(!format!("{secrets:?}").contains("hunter2"));
/// ```
#[doc(hidden)]
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretTexts {
    /// By their first byte, so that one pass over a text finds all of them; the longest first. Empty without texts.
    by_first_byte: Vec<Vec<Form>>,
}

/// A form in which a secret may turn up.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Form {
    text: String,
    /// The bytes of the shortest beginning that is masked where the rest is cut off.
    shortest_cut: usize,
}

impl From<String> for Form {
    fn from(text: String) -> Self {
        Self { text, shortest_cut: SHORTEST_CUT }
    }
}

impl SecretTexts {
    /// Masks these values, their lines, and the credentials in those that start with an authentication scheme; also quoted,
    /// percent-encoded, in base64, and in hexadecimal.
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
        // The same header comes with every request.
        if !self.contains(value) {
            forms(value).into_iter().for_each(|form| self.insert_form(form));
        }
    }

    /// Masks this text however short it is, and in no other form.
    pub(super) fn insert(&mut self, text: String) {
        self.insert_form(text.into());
    }

    fn insert_form(&mut self, form: Form) {
        let Some(first) = form.text.bytes().next() else { return };
        self.by_first_byte.resize_with(256, Vec::new);
        let forms = &mut self.by_first_byte[usize::from(first)];
        if let Err(at) = place(forms, &form.text) {
            forms.insert(at, form);
        }
    }

    /// Masks what others do, too.
    #[doc(hidden)]
    pub fn add_all(&mut self, others: &Self) {
        others.by_first_byte.iter().flatten().for_each(|form| self.insert_form(form.clone()));
    }

    fn contains(&self, text: &str) -> bool {
        let first = text.bytes().next();
        let forms = first.and_then(|first| self.by_first_byte.get(usize::from(first)));
        forms.is_some_and(|forms| place(forms, text).is_ok())
    }

    /// Whether nothing is masked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_first_byte.is_empty()
    }

    /// Every text that is looked for.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.by_first_byte.iter().flatten().map(|form| form.text.as_str())
    }

    /// The text with every secret replaced; secrets that overlap are replaced together.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        let has_cut = text.contains(CUT);
        let mut found: Vec<Range<usize>> = Vec::new();
        for start in 0..text.len() {
            let Some(length) = self.longest_at(&text.as_bytes()[start..], has_cut) else {
                continue;
            };
            let end = start + length;
            match found.last_mut() {
                Some(last) if start < last.end => last.end = last.end.max(end),
                _ => found.push(start..end),
            }
        }
        let mut masked = String::with_capacity(text.len());
        let mut rest = 0;
        for Range { start, end } in found {
            masked.push_str(&text[rest..start]);
            masked.push_str(SECRET);
            rest = end;
        }
        masked.push_str(&text[rest..]);
        masked
    }

    /// The length of the longest secret with which these bytes begin, or of the beginning of one that was cut off there.
    fn longest_at(&self, bytes: &[u8], has_cut: bool) -> Option<usize> {
        let forms = self.by_first_byte.get(usize::from(*bytes.first()?))?;
        let whole = forms.iter().find(|form| bytes.starts_with(form.text.as_bytes()));
        let whole = whole.map(|form| form.text.len());
        // An access token is longer than what a finding quotes of a text.
        let cut = || forms.iter().filter_map(|form| cut_length(bytes, form)).max();
        whole.or_else(|| if has_cut { cut() } else { None })
    }

    /// The value, compact and in at most `most` characters, with every secret replaced.
    ///
    /// Nothing is left of a secret that the end would cut in two.
    #[must_use]
    pub fn short(&self, value: &Value, most: usize) -> String {
        const ROOM: usize = 4096;
        let Some(longest) = self.iter().map(|text| text.chars().count()).max() else {
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

/// How much of a secret these bytes begin with, if it was cut off after that.
fn cut_length(bytes: &[u8], secret: &Form) -> Option<usize> {
    let pairs = bytes.iter().zip(secret.text.as_bytes());
    let length = pairs.take_while(|(byte, own)| byte == own).count();
    let rest = match &bytes[length..] {
        [quote, rest @ ..] if QUOTES.contains(quote) => rest,
        rest => rest,
    };
    (length >= secret.shortest_cut && rest.starts_with(CUT.as_bytes())).then_some(length)
}

/// Where a text stands, or belongs, among those with the same first byte.
fn place(forms: &[Form], text: &str) -> Result<usize, usize> {
    forms.binary_search_by(|known| {
        text.len().cmp(&known.text.len()).then_with(|| known.text.as_str().cmp(text))
    })
}

/// How a value may turn up: as it is, line by line, without its scheme; each of these also quoted and encoded.
fn forms(value: &str) -> Vec<Form> {
    let credentials = value.split_once(' ').map(|(_, credentials)| credentials);
    let plain = [value].into_iter().chain(credentials).chain(value.lines().take(MOST_LINES));
    let plain: BTreeSet<&str> = plain
        .filter(|text| {
            text.len() >= SHORTEST && !WORDS.contains(&text.to_ascii_lowercase().as_str())
        })
        .collect();
    let mut forms = Vec::new();
    for text in plain {
        // As JSON and as Rust write it in a string: the two escape different characters.
        let json = Value::from(text).to_string();
        let mut texts = vec![json[1..json.len() - 1].to_owned(), text.escape_debug().to_string()];
        if text.len() <= LONGEST_ENCODED {
            texts.extend(percent_encoded(text));
            texts.push(text.bytes().map(|byte| format!("{byte:02x}")).collect());
            texts.push(text.bytes().map(|byte| format!("{byte:02X}")).collect());
            forms.extend(base64(text));
        }
        texts.push(text.to_owned());
        forms.extend(texts.into_iter().map(Form::from));
    }
    forms
}

/// Percent-encoded, as common encoders do it: they differ in what they leave as it is.
fn percent_encoded(text: &str) -> impl Iterator<Item = String> {
    // Letters and digits only, RFC 3986, `encodeURIComponent`, and `encodeURI`.
    let kept = ["", "-._~", "-._~!'()*", "-._~!'()*;,/?:@&=+$#"];
    let by = |is_kept: &dyn Fn(u8) -> bool| {
        let upper: String = text
            .bytes()
            .map(|byte| match is_kept(byte) {
                true => char::from(byte).to_string(),
                false => format!("%{byte:02X}"),
            })
            .collect();
        upper
    };
    let mut encoded: Vec<String> = kept
        .iter()
        .map(|kept| by(&|byte| byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte)))
        .collect();
    // Forms of HTML write `+` for a blank.
    let form = by(&|byte| byte.is_ascii_alphanumeric() || b"-._* ".contains(&byte));
    encoded.push(form.replace(' ', "+"));
    // RFC 3986, section 2.3: what need not be encoded may be.
    encoded.push(by(&|_| false));
    encoded.into_iter().flat_map(|upper| [with_lower_digits(&upper), upper])
}

/// A percent-encoded text with its hexadecimal digits in lower case.
fn with_lower_digits(encoded: &str) -> String {
    // A percent sign of the text itself is encoded, so that each one is followed by two digits.
    let mut pieces = encoded.split('%');
    let mut lower = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (digits, rest) = piece.split_at(2);
        lower.push('%');
        lower.push_str(&digits.to_ascii_lowercase());
        lower.push_str(rest);
    }
    lower
}

/// In base64, alone and as a part of a longer text, such as `user:password`.
fn base64(text: &str) -> Vec<Form> {
    let mut encoded = Vec::new();
    for (alone, engine) in [(STANDARD, STANDARD_NO_PAD), (URL_SAFE, URL_SAFE_NO_PAD)] {
        encoded.push(Form::from(alone.encode(text)));
        encoded.push(Form::from(engine.encode(text)));
        // Four characters stand for three bytes, so the position of a text within them decides how it is encoded.
        for (before, start, shortest_cut) in
            [(0, 0, SHORTEST_CUT), (1, 2, SHORTEST_CUT_SHIFTED), (2, 3, SHORTEST_CUT_SHIFTED)]
        {
            let shifted = engine.encode([&[0; 2][..before], text.as_bytes()].concat());
            // The characters at both ends also hold bits of what is around the text.
            let partial = (before + text.len()) % 3;
            let end = shifted.len() - usize::from(partial != 0);
            let text = shifted.get(start..end).map(str::to_owned);
            encoded.extend(text.map(|text| Form { text, shortest_cut }));
        }
    }
    encoded.retain(|form| form.text.len() >= SHORTEST_BASE64);
    encoded
}

impl fmt::Debug for SecretTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretTexts({})", self.iter().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::words;

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
    fn a_value_is_masked_however_it_is_encoded() {
        let secret = "s3cr3t/k?y ~é>>";
        let secrets = SecretTexts::new([secret.to_owned()]);
        for encoded in [
            "s3cr3t%2Fk%3Fy%20~%C3%A9%3E%3E",
            "s3cr3t%2fk%3fy%20~%c3%a9%3e%3e",
            "s3cr3t%2Fk%3Fy+%7E%C3%A9%3E%3E",
            "s3cr3t/k?y%20~%C3%A9%3E%3E",
            "s3cr3t%2Fk%3Fy%20%7E%C3%A9%3E%3E",
            "7333637233742f6b3f79207ec3a93e3e",
            "7333637233742F6B3F79207EC3A93E3E",
            "czNjcjN0L2s/eSB+w6k+Pg==",
            "czNjcjN0L2s_eSB-w6k-Pg",
        ] {
            let masked = secrets.mask(&format!("<{encoded}>"));
            assert!(masked.starts_with("<[secret]") && masked.len() <= 12, "{encoded}: {masked}");
        }
    }

    /// Nothing is left but the characters at both ends, which hold a few bits of the secret only.
    #[test]
    fn a_value_is_masked_inside_of_base64() {
        let secrets = SecretTexts::new(["hunter22".to_owned()]);
        for before in ["", "a", "me", "me:"] {
            for after in ["", "!", "!!", "!!!"] {
                let encoded = STANDARD.encode(format!("{before}hunter22{after}"));
                let masked = secrets.mask(&encoded);
                let around = masked.replace(SECRET, "");
                let most = (before.len() + after.len()) * 4 / 3 + 4;
                assert!(masked.contains(SECRET) && around.len() <= most, "{encoded}: {masked}");
            }
        }
    }

    #[test]
    fn the_beginning_of_a_secret_is_masked_where_a_text_was_cut() {
        let token = format!("eyJhbGciOi{}", "a1b2c3".repeat(60));
        let secrets = SecretTexts::new([token.clone()]);
        for shown in [160, 40, SHORTEST_CUT] {
            assert_eq!(secrets.mask(&format!("`{}… +9`", &token[..shown])), "`[secret]… +9`");
        }
        assert_eq!(secrets.mask("eyJhbGciOi and eyJh…"), "eyJhbGciOi and eyJh…");
    }

    /// However a text is cut and wherever the secret is in it.
    #[test]
    fn no_run_of_a_secret_is_left_where_a_text_is_cut() {
        const SECRET_TEXT: &str = "q7Zk-2vB.x9_Lm4/Rt8+Wp3s";
        let secrets = SecretTexts::new([SECRET_TEXT.to_owned()]);
        let encoded = [
            SECRET_TEXT.to_owned(),
            STANDARD.encode(SECRET_TEXT),
            STANDARD.encode(format!("m{SECRET_TEXT}")),
            STANDARD.encode(format!("me{SECRET_TEXT}")),
            URL_SAFE_NO_PAD.encode(SECRET_TEXT),
            SECRET_TEXT.bytes().map(|byte| format!("{byte:02x}")).collect(),
            percent_encoded_wholly(SECRET_TEXT),
        ];
        for form in &encoded {
            let runs: Vec<&str> =
                (0..=form.len() - 6).filter_map(|start| form.get(start..start + 6)).collect();
            for pad in 0..260 {
                let text = format!("{}{form} {}", "x ".repeat(pad / 2), "y ".repeat(300));
                let value = Value::from(&*text);
                let mut shown = vec![
                    words::quoted(text.as_bytes()),
                    words::excerpt(&text).into_owned(),
                    words::name(&text),
                    words::into_inert(text.replace(' ', "-")),
                ];
                shown.extend([40, 80, 160].map(|most| words::cut(&text, most).into_owned()));
                shown.extend([40, 80, 120, 200].map(|most| value.short(most)));
                for shown in shown {
                    let masked = secrets.mask(&shown);
                    let left = runs.iter().find(|run| masked.contains(**run));
                    assert_eq!(left, None, "{masked}");
                }
            }
        }
    }

    fn percent_encoded_wholly(text: &str) -> String {
        text.bytes().map(|byte| format!("%{byte:02X}")).collect()
    }

    #[test]
    fn secrets_that_overlap_are_masked_together() {
        let secrets = SecretTexts::new(["abcdef".to_owned(), "defghi".to_owned()]);
        assert_eq!(secrets.mask("xabcdefghix abcdef"), "x[secret]x [secret]");
        assert_eq!(
            SecretTexts::new(["secret".to_owned()]).mask("secretsecret"),
            "[secret][secret]"
        );
    }

    #[test]
    fn the_number_of_texts_is_bounded() {
        let lines = (0..100_000).map(|line| format!("line {line}\n")).collect::<String>();
        let secrets = SecretTexts::new([lines]);
        assert!(secrets.iter().count() < 50 * MOST_LINES, "{}", secrets.iter().count());
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
