//! Texts that match a pattern, of a given length.
//!
//! The strategies of proptest for regular expressions refuse anchors, and give no text of the least or greatest length; they build
//! all parts of `.{1000000}` in memory. So the parsed expression is walked here, within the wanted length and a number of steps.

use mcp_test_core::json::Value;
use mcp_test_core::json_schema::{Limits, Validator};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// A choice among this many possibilities.
pub(super) type Choose<'a> = dyn FnMut(usize) -> usize + 'a;

/// How many parts of an expression are visited for one text of the greatest length.
const MAX_STEPS: usize = 1 << 18;

/// The characters to try first, since they are the plainest; in turn, so that a text has several kinds of them.
const PLAIN: &str = "a0A1bB-_.";

/// A pattern of a schema.
#[derive(Debug)]
pub(super) struct Pattern {
    /// `None` if it has syntax that is not generated from.
    expression: Option<Hir>,
    /// What decides; `None` if it cannot be compiled alone.
    validator: Option<Validator>,
}

impl Pattern {
    pub(super) fn compile(text: &str, limits: &Limits) -> Self {
        let schema = Value::from(serde_json::json!({ "pattern": text }));
        let parse = |text: &str| ParserBuilder::new().nest_limit(64).build().parse(text).ok();
        // Without what it looks around for, texts may fail to match; they are tried.
        let expression = parse(text).or_else(|| parse(&without_lookaround(text)));
        Self { expression, validator: Validator::compile(&schema, limits).ok() }
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let matches = |validator: &Validator| validator.is_valid(&text.into()) == Ok(true);
        self.validator.as_ref().is_some_and(matches)
    }

    /// The least and the greatest number of characters.
    pub(super) fn lengths(&self) -> (usize, Option<usize>) {
        self.expression.as_ref().map_or((0, None), range_of)
    }

    /// A text of this length, which probably matches.
    pub(super) fn text(&self, length: usize, choose: &mut Choose<'_>) -> Option<String> {
        let mut writer = Writer { text: String::new(), steps: MAX_STEPS, plain: 0, choose };
        writer.write(self.expression.as_ref()?, length)?;
        Some(writer.text)
    }
}

struct Writer<'a, 'c> {
    text: String,
    steps: usize,
    /// The plain character to try next.
    plain: usize,
    choose: &'a mut Choose<'c>,
}

impl Writer<'_, '_> {
    /// Writes a text of this length; the parser bounds the recursion.
    fn write(&mut self, expression: &Hir, length: usize) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        match expression.kind() {
            HirKind::Empty | HirKind::Look(_) => (length == 0).then_some(()),
            HirKind::Literal(literal) => {
                let text = str::from_utf8(&literal.0).ok()?;
                self.text.push_str(text);
                (text.chars().count() == length).then_some(())
            }
            HirKind::Class(class) => {
                let char = self.char_of(class)?;
                self.text.push(char);
                (length == 1).then_some(())
            }
            HirKind::Capture(capture) => self.write(&capture.sub, length),
            HirKind::Concat(parts) => self.concat(&parts.iter().collect::<Vec<_>>(), length),
            HirKind::Alternation(branches) => {
                let fitting: Vec<&Hir> = branches.iter().filter(|it| fits(it, length)).collect();
                let first = (self.choose)(fitting.len().max(1));
                (0..fitting.len()).find_map(|index| {
                    let branch = *fitting.get((first + index) % fitting.len())?;
                    self.attempt(|this| this.write(branch, length))
                })
            }
            HirKind::Repetition(repetition) => self.repetition(repetition, length),
        }
    }

    fn attempt(&mut self, write: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let before = self.text.len();
        let written = write(self);
        if written.is_none() {
            self.text.truncate(before);
        }
        written
    }

    fn concat(&mut self, parts: &[&Hir], length: usize) -> Option<()> {
        let Some((first, rest)) = parts.split_first() else {
            return (length == 0).then_some(());
        };
        let ranges = rest.iter().map(|part| range_of(part));
        let (least, most) =
            ranges.fold((0, Some(0)), |(least, most): (usize, Option<usize>), part| {
                (least.saturating_add(part.0), most.zip(part.1).map(|(a, b)| a.saturating_add(b)))
            });
        let (own_least, own_most) = range_of(first);
        let from = own_least.max(most.map_or(0, |most| length.saturating_sub(most)));
        let to = own_most.unwrap_or(usize::MAX).min(length.checked_sub(least)?);
        let possible = to.checked_sub(from)?.saturating_add(1);
        let start = (self.choose)(possible);
        // The lengths between the ends are not always possible, as in `(ab)*`.
        (0..possible.min(4)).find_map(|more| {
            let own = from + (start + more) % possible;
            self.attempt(|this| {
                this.write(first, own)?;
                this.concat(rest, length - own)
            })
        })
    }

    fn repetition(&mut self, repetition: &Repetition, length: usize) -> Option<()> {
        let sub = &*repetition.sub;
        let (least, most) = range_of(sub);
        let needed = match most {
            Some(0) => 0,
            Some(most) => length.div_ceil(most),
            None => usize::from(length > 0),
        };
        let fewest = needed.max(repetition.min as usize);
        // As many as fit, for an item that has a length.
        let possible = length.checked_div(least).unwrap_or(fewest);
        let possible = possible.min(repetition.max.map_or(usize::MAX, |most| most as usize));
        let more = possible.checked_sub(fewest)?;
        let count = fewest + (self.choose)(more.min(8).saturating_add(1));
        if count > self.steps {
            return None;
        }
        let (mut left, mut items) = (length, count);
        while items > 0 {
            let rest_least = least.saturating_mul(items - 1);
            // The last item takes all that is left.
            let rest_most =
                if items == 1 { Some(0) } else { most.map(|most| most.saturating_mul(items - 1)) };
            let from = least.max(rest_most.map_or(0, |most| left.saturating_sub(most)));
            let to = most.unwrap_or(usize::MAX).min(left.checked_sub(rest_least)?);
            let own = from + (self.choose)(to.checked_sub(from)?.saturating_add(1));
            self.write(sub, own)?;
            left -= own;
            items -= 1;
        }
        (left == 0).then_some(())
    }

    fn char_of(&mut self, class: &Class) -> Option<char> {
        let Class::Unicode(class) = class else {
            let range = match class {
                Class::Bytes(class) => class.ranges().first()?,
                Class::Unicode(_) => return None,
            };
            return Some(char::from(range.start())).filter(char::is_ascii);
        };
        let has =
            |char: char| class.ranges().iter().any(|it| (it.start()..=it.end()).contains(&char));
        // Mostly from a few plain characters: other ones may not match the dialect of the pattern, such as `\d`.
        if (self.choose)(8) < 7 {
            let plain =
                PLAIN.chars().cycle().skip(self.plain).take(PLAIN.len()).find(|char| has(*char));
            self.plain = (self.plain + 1 + (self.choose)(PLAIN.len())) % PLAIN.len();
            if let Some(plain) = plain {
                return Some(plain);
            }
        }
        let printable = (' '..='~').filter(|char| has(*char)).collect::<Vec<_>>();
        if !printable.is_empty() {
            return printable.get((self.choose)(printable.len())).copied();
        }
        let range = class.ranges().get((self.choose)(class.ranges().len()))?;
        let size = (u32::from(range.end()) - u32::from(range.start())) as usize + 1;
        let offset = u32::try_from((self.choose)(size)).ok()?;
        // The surrogates in the middle of a range are not characters.
        char::from_u32(u32::from(range.start()) + offset).or(Some(range.start()))
    }
}

/// The least and the greatest number of characters, as far as it is known without a walk.
fn range_of(expression: &Hir) -> (usize, Option<usize>) {
    match expression.kind() {
        // In characters, while the properties have bytes.
        HirKind::Class(_) => (1, Some(1)),
        HirKind::Literal(literal) => {
            let length = str::from_utf8(&literal.0).map_or(0, |text| text.chars().count());
            (length, Some(length))
        }
        HirKind::Repetition(repetition) => {
            let (least, most) = range_of(&repetition.sub);
            let most = match (most, repetition.max) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (most, max) => most.zip(max).map(|(most, max)| most.saturating_mul(max as usize)),
            };
            (least.saturating_mul(repetition.min as usize), most)
        }
        HirKind::Capture(capture) => range_of(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(range_of).fold((0, Some(0)), |all, part| {
            (
                usize::saturating_add(all.0, part.0),
                all.1.zip(part.1).map(|(a, b): (usize, usize)| a.saturating_add(b)),
            )
        }),
        HirKind::Alternation(branches) => {
            let least = branches.iter().map(|it| range_of(it).0).min().unwrap_or(0);
            let most = branches
                .iter()
                .map(|it| range_of(it).1)
                .reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b)));
            (least, most.unwrap_or(Some(0)))
        }
        HirKind::Empty | HirKind::Look(_) => (0, Some(0)),
    }
}

fn fits(expression: &Hir, length: usize) -> bool {
    let (least, most) = range_of(expression);
    least <= length && most.is_none_or(|most| length <= most)
}

/// A pattern without its lookarounds, `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)`.
fn without_lookaround(pattern: &str) -> String {
    let mut kept = String::new();
    // How deep inside a lookaround this is; 0 is outside.
    let mut inside = 0_usize;
    let mut in_class = false;
    let mut rest = pattern;
    while let Some(char) = rest.chars().next() {
        let mut taken = char.len_utf8();
        let begins = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|open| rest.starts_with(open));
        match char {
            '\\' => taken += rest[1..].chars().next().map_or(0, char::len_utf8),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class && (inside > 0 || begins) => inside += 1,
            _ => {}
        }
        let is_outside = inside == 0;
        if char == ')' && !in_class {
            inside = inside.saturating_sub(1);
        }
        if is_outside {
            kept.push_str(&rest[..taken]);
        }
        rest = &rest[taken..];
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pattern: &str, lengths: &[usize]) -> String {
        let pattern = Pattern::compile(pattern, &Limits::default());
        let text = |length: &usize| match pattern.text(*length, &mut |_| 0) {
            Some(text) if pattern.matches(&text) && text.chars().count() == *length => text,
            Some(text) => format!("wrong: {text}"),
            None => "none".to_owned(),
        };
        lengths.iter().map(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn texts_have_the_wanted_length() {
        insta::assert_snapshot!(texts("^[a-z][a-z0-9-]*$", &[0, 1, 2, 6]), @"none a a0 a011b-");
        insta::assert_snapshot!(texts(r"^\d{3}-\d{4}$", &[7, 8]), @"none 001-1000");
        insta::assert_snapshot!(texts("^(ab)*c?$", &[2, 3, 4]), @"ab abc abab");
        insta::assert_snapshot!(texts("^(?=.*[A-Z])(?=.*[0-9]).{8,}$", &[8, 12]), @"a0A1bB-_ a0A1bB-_.a0A");
        insta::assert_snapshot!(texts("^(foo|ba[rz]|ü{2})$", &[2, 3, 4]), @"üü foo none");
        insta::assert_snapshot!(texts(r"^#/[^)(?=]+\)$", &[5]), @"#/a0)");
        insta::assert_snapshot!(texts("^(a+)+$", &[1, 9]), @"a aaaaaaaaa");
    }

    #[test]
    fn the_effort_is_bounded() {
        for pattern in ["^(((a{60000}){60000}){60000})$", "^((a*)*)*$", "^(a{0,1000}){1000}$"] {
            let pattern = Pattern::compile(pattern, &Limits::default());
            let text = pattern.text(60_000, &mut |_| 0);
            assert!(text.is_none_or(|text| text.len() == 60_000));
        }
    }
}
