//! Numbers at the boundaries of their keywords, and beyond them.

use std::cmp::Ordering;

use mcp_test_core::json::{Number, Value};
use proptest::prelude::RngExt as _;
use proptest::test_runner::TestRng;

use super::decimal::Decimal;
use super::document::NodeId;
use super::formats;
use super::leaf::Leaf;
use super::shape::{Kinds, Shape};

/// The largest integer that a double holds exactly together with its neighbours, 2^53 - 1.
pub(super) const MAX_SAFE: i128 = (1 << 53) - 1;

/// The numbers that a shape allows.
#[derive(Debug)]
pub(super) struct NumberRange {
    least: Option<NumberBound>,
    most: Option<NumberBound>,
    /// Each number is a multiple of this.
    step: Option<Decimal>,
    /// No number is allowed.
    is_empty: bool,
}

/// The bound that is closest.
#[derive(Debug, Clone, Copy)]
struct NumberBound {
    /// As written.
    at: Decimal,
    is_exclusive: bool,
    /// The first allowed number.
    inside: Decimal,
    keyword: &'static str,
    node: NodeId,
}

impl NumberRange {
    pub(super) fn of(shape: &Shape) -> Self {
        let whole = !shape.kinds.has(Kinds::FRACTION);
        let divisors = shape.limits.iter().filter(|limit| limit.keyword == "multipleOf");
        let divisors = divisors
            .filter_map(|limit| Decimal::of(&limit.number))
            .chain(whole.then_some(Decimal::ONE));
        let step = divisors.reduce(|one, other| one.common_multiple(other).unwrap_or(one));
        let step = step.filter(|step| step.compare(Decimal::ZERO) != Ordering::Equal);
        let mut this = Self { least: None, most: None, step, is_empty: false };
        for limit in &shape.limits {
            let Some(at) = Decimal::of(&limit.number) else { continue };
            match limit.keyword {
                "minimum" => this.raise(at, false, (limit.keyword, limit.node)),
                "exclusiveMinimum" => this.raise(at, true, (limit.keyword, limit.node)),
                "maximum" => this.lower(at, false, (limit.keyword, limit.node)),
                "exclusiveMaximum" => this.lower(at, true, (limit.keyword, limit.node)),
                _ => {}
            }
        }
        for (format, node) in &shape.formats {
            if let Some((least, most)) = formats::integer_range(format) {
                this.raise(Decimal::whole(least), false, ("format", *node));
                this.lower(Decimal::whole(most), false, ("format", *node));
            }
        }
        if let (Some(least), Some(most)) = (this.least, this.most) {
            this.narrow_open_ends(least, most);
        }
        this
    }

    fn raise(&mut self, at: Decimal, is_exclusive: bool, (keyword, node): (&'static str, NodeId)) {
        let inside = match self.step {
            Some(step) => at.ceil_to(step).and_then(|it| {
                if is_exclusive && it.compare(at) == Ordering::Equal {
                    it.plus(step)
                } else {
                    Some(it)
                }
            }),
            None if is_exclusive => at.plus(at.finest_step()),
            None => Some(at),
        };
        let Some(inside) = inside else { return };
        if self.least.is_none_or(|least| least.inside.compare(inside) == Ordering::Less) {
            self.least = Some(NumberBound { at, is_exclusive, inside, keyword, node });
        }
    }

    fn lower(&mut self, at: Decimal, is_exclusive: bool, (keyword, node): (&'static str, NodeId)) {
        let inside = match self.step {
            Some(step) => at.floor_to(step).and_then(|it| {
                if is_exclusive && it.compare(at) == Ordering::Equal {
                    it.minus(step)
                } else {
                    Some(it)
                }
            }),
            None if is_exclusive => at.minus(at.finest_step()),
            None => Some(at),
        };
        let Some(inside) = inside else { return };
        if self.most.is_none_or(|most| most.inside.compare(inside) == Ordering::Greater) {
            self.most = Some(NumberBound { at, is_exclusive, inside, keyword, node });
        }
    }

    /// Where there is hardly a number between two exclusive bounds, takes the one in the middle.
    fn narrow_open_ends(&mut self, least: NumberBound, most: NumberBound) {
        if least.inside.compare(most.inside) != Ordering::Greater {
            return;
        }
        let is_open = self.step.is_none() && least.at.compare(most.at) == Ordering::Less;
        match least.at.plus(most.at).and_then(Decimal::half).filter(|_| is_open) {
            Some(middle) => {
                self.least = Some(NumberBound { inside: middle, ..least });
                self.most = Some(NumberBound { inside: middle, ..most });
            }
            None => self.is_empty = true,
        }
    }

    fn has(&self, number: Decimal) -> bool {
        let from = self.least.is_none_or(|it| it.inside.compare(number) != Ordering::Greater);
        let to = self.most.is_none_or(|it| it.inside.compare(number) != Ordering::Less);
        from && to && !self.is_empty && self.step.is_none_or(|step| number.is_multiple_of(step))
    }

    /// The allowed number that is closest to zero.
    pub(super) fn simplest(&self) -> Option<Number> {
        let bounds = [self.least, self.most].into_iter().flatten().map(|bound| bound.inside);
        let simplest = std::iter::once(Decimal::ZERO).chain(bounds).find(|it| self.has(*it));
        simplest.map(Decimal::to_number)
    }

    /// A number that is not special: 1 if it is allowed.
    pub(super) fn typical(&self) -> Option<Number> {
        let step = self.step.filter(|step| self.has(*step));
        let one = [Some(Decimal::ONE), step].into_iter().flatten().find(|it| self.has(*it));
        one.map(Decimal::to_number).or_else(|| self.simplest())
    }

    /// Numbers that differ from one another, the first ones of the range.
    pub(super) fn distinct(&self) -> impl Iterator<Item = Number> {
        let step = self.step.unwrap_or(Decimal::ONE);
        let (first, down) = match (self.least, self.most) {
            (Some(least), _) => (Some(least.inside), false),
            (None, Some(most)) => (Some(most.inside), true),
            (None, None) => (Some(Decimal::ZERO), false),
        };
        let next = move |at: &Decimal| if down { at.minus(step) } else { at.plus(step) };
        std::iter::successors(first, next).take_while(|it| self.has(*it)).map(Decimal::to_number)
    }

    /// A random number: near zero, anywhere in the range, or of any size.
    pub(super) fn random(&self, rng: &mut TestRng) -> Option<Number> {
        let step = self.step.unwrap_or(Decimal::HALF);
        let near = |rng: &mut TestRng| {
            let bits = rng.random_range(3..62);
            i128::from(rng.random_range(-(1_i64 << bits)..=(1_i64 << bits)))
        };
        let steps = match (self.least, self.most) {
            (Some(least), Some(most)) => {
                let range = most.inside.minus(least.inside)?.steps_of(step)?;
                let most_steps = range.clamp(0, i128::from(i64::MAX));
                rng.random_range(0..=most_steps)
            }
            _ => near(rng),
        };
        let from = match (self.least, self.most) {
            (Some(least), _) => least.inside,
            (None, Some(most)) => most.inside,
            (None, None) => Decimal::ZERO,
        };
        let sign = if self.least.is_some() {
            steps.abs()
        } else if self.most.is_some() {
            -steps.abs()
        } else {
            steps
        };
        let number = from.plus(step.times(sign)?)?;
        // A double holds no half of a number of this size, so that what a tool makes of it would be another one.
        let is_half = self.step.is_none() && !number.is_multiple_of(Decimal::ONE);
        let is_large = number.compare(Decimal::whole(MAX_SAFE)) == Ordering::Greater
            || number.compare(Decimal::whole(-MAX_SAFE)) == Ordering::Less;
        let number = if is_half && is_large { number.minus(Decimal::HALF)? } else { number };
        if self.has(number) { Some(number.to_number()) } else { self.simplest() }
    }
}

/// Valid numbers at boundaries.
pub(super) fn coverage(shape: &Shape) -> Vec<Leaf> {
    let range = NumberRange::of(shape);
    let mut leaves = Vec::new();
    for (bound, word) in [(range.least, "least"), (range.most, "greatest")] {
        if let Some(bound) = bound.filter(|bound| range.has(bound.inside)) {
            let number = bound.inside.to_number();
            let predicate = format!("is the {word} number that is allowed, {number}");
            leaves.push(Leaf::stated(number, (bound.keyword, bound.node), predicate));
        }
    }
    for limit in shape.limits.iter().filter(|limit| limit.keyword == "multipleOf") {
        let multiples = Decimal::of(&limit.number)
            .into_iter()
            .flat_map(|it| [it.times(1), it.times(3), it.times(-1)]);
        if let Some(multiple) = multiples.flatten().find(|it| range.has(*it)) {
            let predicate = format!("is {}, a multiple of {}", multiple.to_number(), limit.number);
            leaves.push(Leaf::stated(multiple.to_number(), ("multipleOf", limit.node), predicate));
        }
    }
    let small = [
        (Decimal::ZERO, "is 0"),
        (Decimal::ONE, "is 1"),
        (Decimal::whole(-1), "is -1"),
        (Decimal::HALF, "is 0.5"),
    ];
    let small = small.into_iter().filter(|(number, _)| range.has(*number));
    leaves
        .extend(small.map(|(number, predicate)| Leaf::open(number.to_number(), shape, predicate)));
    let large = [
        (MAX_SAFE, "is 2^53 - 1"),
        (MAX_SAFE + 2, "is 2^53 + 1, which is not a double"),
        (-MAX_SAFE, "is -(2^53 - 1)"),
        (i64::MAX.into(), "is the largest integer of 64 bits"),
        (i64::MIN.into(), "is the smallest integer of 64 bits"),
    ];
    let large = large.into_iter().filter(|(number, _)| range.has(Decimal::whole(*number)));
    leaves.extend(large.map(|(number, predicate)| {
        Leaf::open(Decimal::whole(number).to_number(), shape, predicate)
    }));
    if shape.kinds.has(Kinds::FRACTION) && range.step.is_none() {
        let is_single = shape.formats.iter().any(|(format, _)| format == "float");
        let (text, predicate) = if is_single { ("1e38", "is 1e38") } else { ("1e308", "is 1e308") };
        let huge = [(range.most, text.to_owned()), (range.least, format!("-{text}"))];
        for (_, text) in huge.into_iter().filter(|(bound, _)| bound.is_none()) {
            let sign = if text.starts_with('-') {
                predicate.replace("is ", "is -")
            } else {
                predicate.to_owned()
            };
            leaves.extend(Number::parse(&text).map(|number| Leaf::open(number, shape, sign)));
        }
        if range.has(Decimal::ZERO) && range.has(Decimal::HALF) {
            leaves.extend(Number::parse("1e-7").map(|number| Leaf::open(number, shape, "is 1e-7")));
        }
    }
    leaves
}

/// Numbers that violate one keyword; for a format, those that do not have the format.
pub(super) fn violations(shape: &Shape) -> Vec<Leaf> {
    let range = NumberRange::of(shape);
    let step = range.step.unwrap_or(Decimal::ONE);
    let mut leaves = Vec::new();
    for (bound, is_least) in [(range.least, true), (range.most, false)] {
        let Some(bound) = bound else { continue };
        // An exclusive bound is itself the closest number that is not allowed, if it is of the right type.
        let itself = Some(bound.at).filter(|at| {
            bound.is_exclusive && range.step.is_none_or(|step| at.is_multiple_of(step))
        });
        let beyond = || if is_least { bound.inside.minus(step) } else { bound.inside.plus(step) };
        let outside = itself.or_else(beyond);
        let word = if is_least { "less" } else { "more" };
        leaves.extend(outside.map(|number| {
            let number = number.to_number();
            let predicate = format!("is {number}, {word} than allowed");
            Leaf::stated(number, (bound.keyword, bound.node), predicate)
        }));
    }
    for limit in shape.limits.iter().filter(|limit| limit.keyword == "multipleOf") {
        let from = range.typical().as_ref().and_then(Decimal::of);
        let whole = !shape.kinds.has(Kinds::FRACTION);
        let more = if whole {
            Some(Decimal::ONE)
        } else {
            Decimal::of(&limit.number).and_then(Decimal::half)
        };
        let near = from.zip(more).map(|(from, more)| [from.plus(more), from.minus(more)]);
        for number in near.into_iter().flatten().flatten() {
            let number = number.to_number();
            let predicate = format!("is {number}, not a multiple of {}", limit.number);
            leaves.push(Leaf::stated(number, ("multipleOf", limit.node), predicate));
        }
    }
    leaves
}

/// Whether a value is an integer that a double may not hold exactly.
pub(super) fn is_unsafe_integer(value: &Value) -> bool {
    let unsafe_number = |number: &Number| {
        let digits = Decimal::of(number);
        let bounds = [Decimal::whole(MAX_SAFE), Decimal::whole(-MAX_SAFE)];
        number.is_integer()
            && digits.is_none_or(|it| {
                it.compare(bounds[0]) == Ordering::Greater
                    || it.compare(bounds[1]) == Ordering::Less
            })
    };
    value.as_number().is_some_and(unsafe_number)
}
