//! Texts at the boundaries of their keywords, and beyond them.

use std::sync::Arc;

use mcp_test_core::expect::words;
use proptest::prelude::RngExt as _;
use proptest::test_runner::TestRng;

use super::document::NodeId;
use super::formats::{self, FormatTexts};
use super::leaf::{Leaf, MAX_TEXT};
use super::pattern::Pattern;
use super::shape::Shape;

/// Characters that programs often mishandle, with what they are.
const UNUSUAL: [(&str, &str); 9] = [
    ("😀", "has a character that UTF-16 writes as a surrogate pair"),
    ("e\u{301}", "has a combining character"),
    ("\u{5e9}\u{5dc}\u{5d5}\u{5dd}", "is written from right to left"),
    ("日本語", "has CJK characters"),
    ("a\nb\tc", "has a line break and a tab"),
    ("\u{1}", "has a control character"),
    ("\u{0}", "has the character NUL"),
    ("\"\\/", "has a quote, a backslash and a slash"),
    (" ", "is blank"),
];

/// The length of a text that is long but not at a boundary.
const LONG: usize = 1000;

/// How many random texts are tried for patterns.
const ATTEMPTS: usize = 16;

/// The texts that a shape allows.
pub(super) struct TextRange<'a> {
    patterns: &'a [(Arc<Pattern>, NodeId)],
    least: usize,
    most: usize,
    format: Option<(&'static FormatTexts, NodeId)>,
}

impl<'a> TextRange<'a> {
    pub(super) fn of(shape: &Shape, patterns: &'a [(Arc<Pattern>, NodeId)]) -> Self {
        let least = shape.least("minLength").map_or(0, |(least, _)| least);
        let most = shape.most("maxLength").map_or(usize::MAX, |(most, _)| most);
        let known = |(format, node): &(String, NodeId)| Some((formats::texts_of(format)?, *node));
        let format = shape.formats.iter().find_map(known);
        Self { patterns, least, most, format }
    }

    fn has(&self, text: &str) -> bool {
        let length = text.chars().count();
        (self.least..=self.most).contains(&length)
            && self.patterns.iter().all(|(it, _)| it.matches(text))
    }

    /// A text of this length, by the patterns but not necessarily by the format.
    fn text_of_length(&self, length: usize) -> Option<String> {
        if length > MAX_TEXT + 1 {
            return None;
        }
        if self.patterns.is_empty() {
            return Some("a".repeat(length));
        }
        // A second time with other choices, which helps for patterns that were only partly understood.
        (0..2).find_map(|seed| self.matching(length, seed))
    }

    /// A text of this length that matches the patterns; another seed may give another text.
    fn matching(&self, length: usize, seed: usize) -> Option<String> {
        let (pattern, _) = self.patterns.first()?;
        let mut turn = 0_usize;
        let mut choose = |many: usize| {
            turn += seed;
            turn % many.max(1)
        };
        let text = pattern.text(length, &mut choose)?;
        self.patterns.iter().all(|(it, _)| it.matches(&text)).then_some(text)
    }

    /// The lengths to try for an ordinary text, the best first.
    fn lengths(&self, first: usize) -> impl Iterator<Item = usize> {
        let of_pattern = self.patterns.first().map(|(it, _)| it.lengths());
        let (least, most) = of_pattern.unwrap_or((0, None));
        let least = self.least.max(least);
        let most = self.most.min(most.unwrap_or(usize::MAX)).min(MAX_TEXT);
        let more = (least..=most).take(8);
        std::iter::once(first.max(least)).chain(more).filter(move |length| *length <= most)
    }

    /// Ordinary texts, the best first: the shortest, or one that is not special.
    pub(super) fn simple(&self, is_smallest: bool) -> Vec<String> {
        if let Some((format, _)) = self.format {
            let allowed = format.valid.iter().filter(|text| self.has(text));
            let mut texts: Vec<String> = allowed.map(|text| (*text).to_owned()).collect();
            if is_smallest {
                texts.sort_by_key(String::len);
            }
            if !texts.is_empty() {
                return texts;
            }
        }
        let first = usize::from(!is_smallest);
        self.lengths(first)
            .filter_map(|length| self.text_of_length(length))
            .find(|text| self.has(text))
            .into_iter()
            .collect()
    }

    /// Texts that differ from one another.
    pub(super) fn distinct(&self) -> impl Iterator<Item = String> {
        let lengths = self.lengths(1).map(|length| self.text_of_length(length)).collect::<Vec<_>>();
        let lengths_of_patterns = self.lengths(1).collect::<Vec<_>>();
        let varied = (2..64).flat_map(move |seed| {
            lengths_of_patterns
                .clone()
                .into_iter()
                .filter_map(move |length| self.matching(length, seed))
        });
        let counted = (0..).map_while(|number: usize| {
            let digits = number.to_string();
            let zeros = "0".repeat(self.least.min(MAX_TEXT).saturating_sub(digits.len()));
            (number <= LONG).then_some(zeros + &digits)
        });
        let formatted = self.format.map_or(&[][..], |(format, _)| format.valid);
        let formatted = formatted.iter().map(|text| (*text).to_owned());
        let is_free = self.format.is_none();
        let free =
            lengths.into_iter().flatten().chain(varied).chain(counted).filter(move |_| is_free);
        formatted.chain(free).filter(|text| self.has(text))
    }

    /// A random text.
    pub(super) fn random(&self, rng: &mut TestRng) -> Option<String> {
        if let Some((format, _)) = self.format {
            let random = formats::random_text(format.name, rng).filter(|text| self.has(text));
            let index = rng.random_range(0..format.valid.len().max(1));
            let listed = || {
                format.valid.get(index).filter(|text| self.has(text)).map(|text| (*text).to_owned())
            };
            return random.or_else(listed).or_else(|| self.simple(false).into_iter().next());
        }
        let lengths = self.lengths(0).next()?;
        let more = [3, 12, 60][rng.random_range(0..3)];
        let length = lengths + rng.random_range(0..=self.most.saturating_sub(lengths).min(more));
        let Some((pattern, _)) = self.patterns.first() else {
            return Some((0..length).map(|_| random_char(rng)).collect());
        };
        let most = pattern.lengths().1.unwrap_or(usize::MAX);
        let mut random = || {
            let length = rng.random_range(lengths..=length.min(most).max(lengths));
            pattern.text(length, &mut |many| rng.random_range(0..many.max(1)))
        };
        let found = (0..ATTEMPTS).find_map(|_| random().filter(|text| self.has(text)));
        found.or_else(|| self.simple(false).into_iter().next())
    }
}

/// Mostly a letter, sometimes any character.
fn random_char(rng: &mut TestRng) -> char {
    match rng.random_range(0..12) {
        0 => rng.random_range(' '..='~'),
        1 => rng.random_range('\u{a0}'..='\u{2fff}'),
        2 => ['😀', '\u{301}', '\u{5d0}', '\n', '\u{0}', '"', '\\', '\u{feff}']
            [rng.random_range(0..8)],
        3 => rng.random_range('0'..='9'),
        _ => rng.random_range('a'..='z'),
    }
}

/// Valid texts at boundaries.
pub(super) fn coverage(shape: &Shape, patterns: &[(Arc<Pattern>, NodeId)]) -> Vec<Leaf> {
    let range = TextRange::of(shape, patterns);
    let mut leaves = Vec::new();
    if let Some((format, node)) = range.format {
        let valid = format.valid.iter().filter(|text| range.has(text));
        let name = format.name;
        leaves.extend(valid.map(|text| {
            Leaf::stated(*text, ("format", node), format!("has the format {name}: {text:?}"))
        }));
    }
    for (pattern, node) in patterns {
        let (least, most) = pattern.lengths();
        let ends = [("shortest", Some(least.max(range.least))), ("longest", most)];
        for (word, length) in ends {
            let text = length
                .filter(|length| *length <= LONG)
                .and_then(|length| range.text_of_length(length));
            leaves.extend(text.filter(|text| range.has(text)).map(|text| {
                let predicate = format!(
                    "matches the pattern with the {word} text, {:?}",
                    words::excerpt(&text)
                );
                Leaf::stated(text, ("pattern", *node), predicate)
            }));
        }
    }
    for (keyword, word, limit) in [
        ("minLength", "least", shape.least("minLength")),
        ("maxLength", "greatest", shape.most("maxLength")),
    ] {
        let Some((length, node)) = limit.filter(|(length, _)| *length <= MAX_TEXT) else {
            continue;
        };
        let text =
            range.text_of_length(length).filter(|text| range.has(text) && range.format.is_none());
        let predicate = format!("has the {word} length, {length}");
        leaves.extend(text.map(|text| Leaf::stated(text, (keyword, node), predicate)));
    }
    if range.format.is_some() {
        return leaves;
    }
    if range.has("") {
        leaves.push(Leaf::open("", shape, "is empty"));
    }
    for (text, predicate) in UNUSUAL {
        let length = text.chars().count();
        let padded =
            format!("{text}{}", "a".repeat(range.least.min(MAX_TEXT).saturating_sub(length)));
        // A text of only this character, where more of them are required.
        let repeated =
            text.chars().cycle().take(range.least.min(MAX_TEXT).max(length)).collect::<String>();
        let fitting = [repeated, padded].into_iter().find(|text| range.has(text));
        leaves.extend(fitting.map(|text| Leaf::open(text, shape, predicate)));
    }
    if let Some(text) = range.text_of_length(LONG).filter(|text| range.has(text)) {
        leaves.push(Leaf::open(text, shape, format!("is long, with {LONG} characters")));
    }
    leaves
}

/// Texts that violate one keyword; for a format, those that do not have the format.
pub(super) fn violations(shape: &Shape, patterns: &[(Arc<Pattern>, NodeId)]) -> Vec<Leaf> {
    let range = TextRange::of(shape, patterns);
    let mut leaves = Vec::new();
    if let Some((least, node)) = shape.least("minLength").filter(|(least, _)| *least > 0) {
        let text =
            range.text_of_length(least - 1).or_else(|| Some("a".repeat(least.min(MAX_TEXT) - 1)));
        let predicate =
            format!("is shorter than allowed, {}", words::count(least - 1, "character"));
        leaves.extend(text.map(|text| Leaf::stated(text, ("minLength", node), predicate)));
    }
    if let Some((most, node)) = shape.most("maxLength").filter(|(most, _)| *most <= MAX_TEXT) {
        let text = range.text_of_length(most + 1);
        let predicate = format!("is longer than allowed, {}", words::count(most + 1, "character"));
        leaves.extend(text.map(|text| Leaf::stated(text, ("maxLength", node), predicate)));
    }
    for (pattern, node) in patterns {
        let plain = ["", "a", "0", "-", " ", "A", "!", "é", "😀"].into_iter().flat_map(|text| {
            let length = text.chars().count();
            let least = range.least.min(MAX_TEXT).max(length);
            [text.to_owned(), text.chars().cycle().take(least).collect::<String>()]
        });
        let others = |text: &str| {
            patterns.iter().all(|(it, _)| Arc::ptr_eq(it, pattern) || it.matches(text))
        };
        let allowed = |text: &String| (range.least..=range.most).contains(&text.chars().count());
        let mut wrong =
            plain.filter(|text| allowed(text) && others(text) && !pattern.matches(text));
        leaves.extend(wrong.next().map(|text| {
            let predicate = format!("does not match the pattern: {:?}", words::excerpt(&text));
            Leaf::stated(text, ("pattern", *node), predicate)
        }));
    }
    if let Some((format, node)) = range.format {
        let invalid = format.invalid.iter().filter(|text| range.has(text));
        leaves.extend(invalid.map(|text| {
            let predicate = format!("does not have the format {}: {text:?}", format.name);
            Leaf::stated(*text, ("format", node), predicate)
        }));
    }
    leaves
}
