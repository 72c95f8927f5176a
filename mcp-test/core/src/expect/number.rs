//! Matchers of numbers.

use super::{Matcher, satisfying};
use crate::json::Value;

/// Matches numbers.
#[must_use]
pub fn number() -> impl Matcher {
    satisfying("a number", Value::is_number)
}

/// Matches integers in any notation, such as `1` and `1.0`.
#[must_use]
pub fn integer() -> impl Matcher {
    satisfying("an integer", Value::is_integer)
}

/// Matches numbers from `least` to `most`, inclusive.
#[must_use]
pub fn number_between(least: f64, most: f64) -> impl Matcher {
    satisfying(format!("a number from {least} to {most}"), move |got| {
        got.as_f64().is_some_and(|number| (least..=most).contains(&number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_ranges_of_numbers_are_checked() {
        let half = Value::from(1.5);
        assert!(number().check(&half).is_ok());
        assert!(number().check(&"1".into()).is_err());
        assert!(integer().check(&Value::parse(b"1.0").unwrap().value).is_ok());
        assert!(integer().check(&half).is_err());
        assert!(number_between(0.0, 1.5).check(&half).is_ok());
        assert_eq!(
            number_between(0.0, 1.0).check(&half).unwrap_err().to_string(),
            "expected the value is a number from 0 to 1\ngot 1.5, which is a number"
        );
    }
}
