//! Exact arithmetic with the numbers of a schema: bounds, and multiples such as those of 0.01.

use std::cmp::Ordering;

use mcp_test_core::json::Number;

/// A decimal fraction: `digits / 10^scale`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decimal {
    digits: i128,
    scale: u32,
}

/// The most digits after the decimal point, and the largest exponent. What exceeds it is not calculated with.
const MAX_SCALE: u32 = 18;

impl Decimal {
    pub(super) const ZERO: Self = Self::whole(0);
    pub(super) const ONE: Self = Self::whole(1);
    /// A half.
    pub(super) const HALF: Self = Self { digits: 5, scale: 1 };

    pub(super) const fn whole(digits: i128) -> Self {
        Self { digits, scale: 0 }
    }

    /// The exact value; `None` if it has too many digits.
    pub(super) fn of(number: &Number) -> Option<Self> {
        let text = number.as_str();
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let power: i32 = power.parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(power)?;
        let this = match u32::try_from(scale) {
            Ok(scale) if scale <= MAX_SCALE => Self { digits, scale },
            Ok(_) => return None,
            Err(_) => {
                let factor = 10_i128.checked_pow(scale.unsigned_abs().min(40))?;
                Self::whole(digits.checked_mul(factor)?)
            }
        };
        Some(this)
    }

    pub(super) fn to_number(self) -> Number {
        let (sign, digits) =
            (if self.digits < 0 { "-" } else { "" }, self.digits.unsigned_abs().to_string());
        let scale = self.scale as usize;
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = padded.split_at(padded.len() - scale);
        let fraction = fraction.trim_end_matches('0');
        let text = match fraction {
            "" => format!("{sign}{whole}"),
            _ => format!("{sign}{whole}.{fraction}"),
        };
        Number::parse(&text).unwrap_or_else(|| 0.into())
    }

    /// Both as digits of one scale.
    fn aligned(self, other: Self) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let at = |it: Self| it.digits.checked_mul(10_i128.checked_pow(scale - it.scale)?);
        Some((at(self)?, at(other)?, scale))
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let (left, right, scale) = self.aligned(other)?;
        Some(Self { digits: left.checked_add(right)?, scale })
    }

    pub(super) fn minus(self, other: Self) -> Option<Self> {
        self.plus(Self { digits: other.digits.checked_neg()?, ..other })
    }

    /// Half of it, exactly.
    pub(super) fn half(self) -> Option<Self> {
        (self.scale < MAX_SCALE + 4)
            .then_some(Self { digits: self.digits.checked_mul(5)?, scale: self.scale + 1 })
    }

    /// The largest multiple of `step` that is not above it.
    pub(super) fn floor_to(self, step: Self) -> Option<Self> {
        let (left, right, scale) = self.aligned(step)?;
        let down = left.checked_rem_euclid(right)?;
        Some(Self { digits: left.checked_sub(down)?, scale })
    }

    /// The smallest multiple of `step` that is not below it.
    pub(super) fn ceil_to(self, step: Self) -> Option<Self> {
        let down = self.floor_to(step)?;
        if down.compare(self) == Ordering::Equal { Some(down) } else { down.plus(step) }
    }

    pub(super) fn is_multiple_of(self, step: Self) -> bool {
        let rest = self.aligned(step).and_then(|(left, right, _)| left.checked_rem(right));
        rest == Some(0)
    }

    /// The least number that is a multiple of both.
    pub(super) fn common_multiple(self, other: Self) -> Option<Self> {
        let (left, right, scale) = self.aligned(other)?;
        let (mut greater, mut rest) = (left, right);
        while rest != 0 {
            (greater, rest) = (rest, greater.checked_rem(rest)?);
        }
        Some(Self { digits: left.checked_div(greater)?.checked_mul(right)?.checked_abs()?, scale })
    }

    pub(super) fn compare(self, other: Self) -> Ordering {
        match self.aligned(other) {
            Some((left, right, _)) => left.cmp(&right),
            // Only far apart numbers cannot be aligned.
            None => self.digits.signum().cmp(&other.digits.signum()),
        }
    }

    /// How many steps of this size fit into it, as a whole number.
    pub(super) fn steps_of(self, step: Self) -> Option<i128> {
        let (left, right, _) = self.aligned(step)?;
        left.checked_div(right)
    }

    /// This many times as much.
    pub(super) fn times(self, factor: i128) -> Option<Self> {
        Some(Self { digits: self.digits.checked_mul(factor)?, scale: self.scale })
    }

    /// The step to the next number with one more digit after the decimal point.
    pub(super) fn finest_step(self) -> Self {
        Self { digits: 1, scale: (self.scale + 1).min(MAX_SCALE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::of(&Number::parse(text).expect("a number")).expect("in range")
    }

    #[test]
    fn numbers_survive() {
        for (text, printed) in
            [("0", "0"), ("-1.50", "-1.5"), ("1e3", "1000"), ("25e-3", "0.025"), ("-0.0", "0")]
        {
            assert_eq!(decimal(text).to_number().as_str(), printed);
        }
        assert!(Decimal::of(&Number::parse("1e308").expect("a number")).is_none());
        assert!(Decimal::of(&Number::parse("1e-99").expect("a number")).is_none());
    }

    #[test]
    fn multiples_are_exact() {
        let cent = decimal("0.01");
        assert_eq!(decimal("0.295").floor_to(cent).expect("in range").to_number().as_str(), "0.29");
        assert_eq!(decimal("0.295").ceil_to(cent).expect("in range").to_number().as_str(), "0.3");
        assert_eq!(
            decimal("-7").floor_to(decimal("5")).expect("in range").to_number().as_str(),
            "-10"
        );
        assert!(decimal("0.29").is_multiple_of(cent) && !decimal("0.295").is_multiple_of(cent));
        let both = decimal("6").common_multiple(decimal("4")).expect("in range");
        assert_eq!(both.to_number().as_str(), "12");
        assert!(decimal("1").common_multiple(Decimal::ZERO).is_none_or(|it| it.digits == 0));
    }
}
