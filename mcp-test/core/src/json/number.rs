//! A number that keeps its source text and compares by exact value.
//!
//! There is no arithmetic, and only the conversions that say so round.

use std::fmt;
use std::hash::{Hash, Hasher};

/// A JSON number: its source text, compared by exact value.
///
/// `1`, `1.0` and `10e-1` are equal and hash alike; `9007199254740993` and `9007199254740992` are
/// not equal, although they are the same double. Numbers whose exponent does not fit into 64 bits
/// are equal only if their texts are.
#[derive(Clone)]
pub struct Number {
    text: Text,
}

/// The longest text that is kept without an allocation. A longer one would make every value larger.
const SHORT: usize = 14;

/// The text of a number; short ones, which are nearly all, without an allocation.
#[derive(Clone)]
enum Text {
    Short { len: u8, bytes: [u8; SHORT] },
    // Boxed twice, since a pointer to a `str` would make every value larger.
    Long(Box<Box<str>>),
}

/// The exact value in a canonical form.
#[derive(PartialEq, Eq, Hash)]
enum Exact<'a> {
    /// `digits * 10^exponent`; the digits have no zeros at either end, and zero has no digits.
    Decimal { negative: bool, digits: String, exponent: i64 },
    /// The source text, if the exponent does not fit into an `i64`.
    Text(&'a str),
}

impl Number {
    /// Parses a JSON number; `None` if `text` is anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        // `scan` accepts a number at the start, so the length shows whether anything follows.
        (scan(text.as_bytes()) == Ok(text.len())).then(|| Self::from_valid(text))
    }

    /// The shortest number that reads back as `double`; `None` for infinities and NaN.
    #[must_use]
    pub fn from_f64(double: f64) -> Option<Self> {
        serde_json::Number::from_f64(double).map(|number| Self::from_valid(&number.to_string()))
    }

    /// Creates a number from text that is known to follow the grammar.
    pub(super) fn from_valid(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        let text = match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(short), Ok(len)) => {
                short.copy_from_slice(text.as_bytes());
                Text::Short { len, bytes }
            }
            _ => Text::Long(Box::new(text.into())),
        };
        Self { text }
    }

    /// The source text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.text {
            // A number has ASCII characters only.
            Text::Short { len, bytes } => {
                str::from_utf8(&bytes[..usize::from(*len)]).unwrap_or_default()
            }
            Text::Long(text) => text,
        }
    }

    /// Whether the number is mathematically an integer, such as `1.0` or `10e-1`.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        if !self.as_str().contains(['.', 'e', 'E']) {
            return true;
        }
        match self.exact() {
            Exact::Decimal { exponent, .. } => exponent >= 0,
            // An exponent beyond 64 bits exceeds the number of digits, so its sign alone decides.
            Exact::Text(text) => !text.contains("e-") && !text.contains("E-"),
        }
    }

    /// The number as an `i64`, if it is whole and in range.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        // The exact form allocates, and is needed only for a fraction or an exponent.
        self.as_str().parse().ok().or_else(|| i64::try_from(self.as_i128()?).ok())
    }

    /// The number as a `u64`, if it is whole and in range.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_str().parse().ok().or_else(|| u64::try_from(self.as_i128()?).ok())
    }

    /// The nearest `f64`; `None` when the number is beyond the range of doubles.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_str().parse().ok().filter(|double: &f64| double.is_finite())
    }

    fn as_i128(&self) -> Option<i128> {
        let Exact::Decimal { negative, mut digits, exponent } = self.exact() else {
            return None;
        };
        if digits.is_empty() {
            return Some(0);
        }
        // 2^64 has 20 digits, so more zeros exceed the range of `i64` and `u64`.
        let zeros = usize::try_from(exponent).ok().filter(|zeros| *zeros <= 20)?;
        digits.extend(std::iter::repeat_n('0', zeros));
        let magnitude: i128 = digits.parse().ok()?;
        Some(if negative { -magnitude } else { magnitude })
    }

    fn exact(&self) -> Exact<'_> {
        let (negative, unsigned) = match self.as_str().strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, self.as_str()),
        };
        let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0');
        if digits.is_empty() {
            // -0 and 0e5 are zero.
            return Exact::Decimal { negative: false, digits: String::new(), exponent: 0 };
        }
        // Each zero that is dropped at the end raises the exponent by one, each digit of the fraction lowers it.
        let dropped = all.len() - all.trim_end_matches('0').len();
        let shift = i64::try_from(dropped).ok().zip(i64::try_from(fraction.len()).ok());
        let exponent = power
            .parse::<i64>()
            .ok()
            .zip(shift)
            .and_then(|(power, (dropped, fraction))| power.checked_add(dropped - fraction));
        match exponent {
            Some(exponent) => Exact::Decimal { negative, digits: digits.to_owned(), exponent },
            None => Exact::Text(self.as_str()),
        }
    }
}

/// The length of the JSON number at the start of `text`; otherwise the offset of the error and what is expected there.
pub(super) fn scan(text: &[u8]) -> Result<usize, (usize, &'static str)> {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = usize::from(text.first() == Some(&b'-'));
    match digits(end) {
        0 => return Err((end, "a digit")),
        many if many > 1 && text[end] == b'0' => {
            return Err((end + 1, "no digit after a leading zero"));
        }
        many => end += many,
    }
    if text.get(end) == Some(&b'.') {
        end += 1;
        match digits(end) {
            0 => return Err((end, "a digit after the decimal point")),
            many => end += many,
        }
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        end += 1;
        end += usize::from(matches!(text.get(end), Some(b'+' | b'-')));
        match digits(end) {
            0 => return Err((end, "a digit in the exponent")),
            many => end += many,
        }
    }
    Ok(end)
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        // Equal texts are equal numbers, without allocating their exact forms.
        self.as_str() == other.as_str() || self.exact() == other.exact()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.exact().hash(state);
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn accepts_the_grammar_and_nothing_else() {
        for good in ["0", "-0", "10", "1.50", "1e5", "1E+5", "-1.0e-05"] {
            assert_eq!(number(good).to_string(), good);
        }
        for bad in ["", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", "1 ", "NaN", "١"] {
            assert_eq!(Number::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn equal_by_exact_value() {
        for (left, right) in [
            ("1", "1.0"),
            ("1", "1e0"),
            ("100", "1E2"),
            ("0.10", "1e-1"),
            ("-0", "0.0e99999999999999999999"),
            ("1200e-2", "12"),
        ] {
            assert_eq!(number(left), number(right));
            assert_eq!(HashSet::from([number(left), number(right)]).len(), 1, "{left} {right}");
        }
        for (left, right) in [
            ("1", "-1"),
            ("9007199254740993", "9007199254740992"),
            ("0.1", "0.10000000000000000001"),
            ("1e99999999999999999999", "1e99999999999999999998"),
        ] {
            assert_ne!(number(left), number(right));
        }
    }

    #[test]
    fn integers_are_recognized_in_any_notation() {
        for whole in ["1", "-1.0", "1.5e1", "0e-5", "1e400", "1e99999999999999999999"] {
            assert!(number(whole).is_integer(), "{whole}");
        }
        for broken in ["1.5", "1e-1", "15e-2", "1e-99999999999999999999"] {
            assert!(!number(broken).is_integer(), "{broken}");
        }
    }

    #[test]
    fn converts_within_range_only() {
        assert_eq!(number("1.0").as_i64(), Some(1));
        assert_eq!(number("-9.223372036854775808e18").as_i64(), Some(i64::MIN));
        assert_eq!(number("9223372036854775808").as_i64(), None);
        assert_eq!(number("18446744073709551615").as_u64(), Some(u64::MAX));
        assert_eq!(number("18446744073709551616").as_u64(), None);
        assert_eq!(number("-1").as_u64(), None);
        assert_eq!(number("-0").as_u64(), Some(0));
        assert_eq!(number("1.5").as_i64(), None);
        assert_eq!(number("1.5").as_f64(), Some(1.5));
        assert_eq!(number("1e400").as_f64(), None);
        assert_eq!(number("1e9223372036854775807").as_i64(), None);
    }
}
