//! Adds a recording to an existing file, and keeps what people wrote in it, comments included.
//!
//! A case in both is compared: what differs becomes a matcher. A case that has another conversation is an error, because no
//! matcher covers that.

use mcp_test_core::json::{Difference, Pointer, Value};
use mcp_test_core::trace::SecretTexts;
use mcp_test_core::yaml::{self, Document, Kind, Limits, Member, Node, Stream, Style};

use super::differing::{is_notification, relaxed};
use super::draft::Draft;
use super::mismatch::{ConversationMismatch as Mismatch, RecordError};
use super::page::Page;
use super::{Recording, text, walk};
use crate::cases::compare::{Tolerance, compare};
use crate::cases::{Case, CaseMessage, Cases, Direction, Matcher, ReadOptions};

/// A file to which a recording was added.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Updated {
    /// The text.
    pub text: String,
    /// How many cases were added.
    pub added: usize,
    /// How many matchers were added, for places where the recording differs.
    pub matchers: usize,
}

impl Recording {
    /// The text of a file with the recording added: new cases at its end, and matchers where known cases differ.
    ///
    /// ```
    /// use mcp_test::cases::Recording;
    ///
    /// let text = "# Ours.\ncase: ping\nin: {method: ping}\n";
    /// let updated = Recording::new().update("ours.yaml", text).unwrap_or_else(|why| panic!("{why:?}"));
    /// assert_eq!((updated.text.as_str(), updated.added), (text, 0));
    /// ```
    ///
    /// # Errors
    ///
    /// If something would be lost: the text is not a file of cases, or a case in it has another conversation than the recorded
    /// one of its name.
    pub fn update(&self, path: &str, text: &str) -> Result<Updated, Vec<RecordError>> {
        let parse = |text: &str| match Cases::parse(path, text, &ReadOptions::default()) {
            Ok((cases, _)) => Ok(cases),
            Err(error) => Err(vec![RecordError::from(error)]),
        };
        let cases = parse(text)?;
        let mut stream = yaml::read(text, &Limits::default());
        let mut errors = Vec::new();
        let mut new = Vec::new();
        let mut matchers = 0;
        for (draft, differing) in &self.cases {
            let is_it = |case: &&Case| draft.names().any(|name| Some(name) == case.name.as_deref());
            let Some(known) = cases.iter().map(|(_, case)| &**case).find(is_it) else {
                new.push(text::document(&Page::of(draft, differing)));
                continue;
            };
            match new_matchers(known, draft) {
                Ok(places) => matchers += add_matchers(&mut stream, known, places),
                Err(mismatch) => {
                    errors.push(RecordError::Mismatch { case: known.title().to_owned(), mismatch });
                }
            }
        }
        // Only after all cases: each of them that does not match is reported.
        if !errors.is_empty() {
            return Err(errors);
        }
        // Without new matchers the existing text is kept byte for byte.
        let mut text = if matchers > 0 { yaml::write(&stream) } else { text.to_owned() };
        new.iter().for_each(|document| append(&mut text, document));
        // The result must be a valid file of cases again.
        if parse(&text)?.iter().count() != cases.iter().count() + new.len() {
            return Err(vec![RecordError::LosesCases { path: path.to_owned() }]);
        }
        Ok(Updated { text, added: new.len(), matchers })
    }
}

/// Appends a document.
fn append(text: &mut String, document: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if !text.trim().is_empty() {
        text.push_str("---\n");
    }
    text.push_str(document);
}

/// A matcher for a message: the key, the place, and the matcher.
type NewMatcher = (String, Pointer, Matcher);

/// The matchers for the places where a known case differs from the recording.
fn new_matchers(known: &Case, draft: &Draft) -> Result<Vec<NewMatcher>, Mismatch> {
    // Notifications are not always sent, so a case with other ones is still the same conversation.
    let mine = known.messages.iter().filter(|it| !is_notification(it.direction, &it.value));
    let theirs = draft.messages.iter().filter(|it| !is_notification(it.direction, &it.value));
    let (mine, theirs): (Vec<_>, Vec<_>) = (mine.collect(), theirs.collect());
    if mine.len() != theirs.len() {
        return Err(Mismatch::Length { expected: mine.len(), got: theirs.len() });
    }
    let tolerance = draft.revision.map_or_else(Tolerance::none, Tolerance::of);
    let mut places = Vec::new();
    for (mine, theirs) in mine.into_iter().zip(theirs) {
        let method = |value: &Value| value.get("method").cloned();
        let same = mine.direction == theirs.direction
            && method(&mine.value) == method(&theirs.value)
            && mine.value.get("error").is_some() == theirs.value.get("error").is_some();
        if !same {
            return Err(Mismatch::Message { expected: mine.key.clone(), got: theirs.key.clone() });
        }
        // The messages of the client are decided by the author of the case.
        if mine.direction == Direction::Out {
            places.extend(matchers_for_message(mine, &theirs.value, &tolerance));
        }
    }
    Ok(places)
}

/// The matchers for the places where a message of a known case differs.
fn matchers_for_message(
    known: &CaseMessage,
    got: &Value,
    tolerance: &Tolerance,
) -> Vec<NewMatcher> {
    let mut rule = known.rule.clone();
    // The value of a `${name}` is only known when the case is played.
    for (place, value) in walk::values(&known.value) {
        if value.as_str().is_some_and(|text| text.contains("${")) {
            rule.matchers.push((place, Matcher::Ignored, known.span));
        }
    }
    let differences = compare(&known.value, got, &rule, tolerance, &SecretTexts::default());
    let places = differences.into_iter().map(|difference| {
        let at = |value: &Value| value.at(difference.pointer.as_str()).cloned();
        let difference = Difference {
            expected: at(&known.value),
            got: at(got),
            kind: difference.kind,
            pointer: difference.pointer,
        };
        let (place, matcher) = relaxed(&known.value, got, &difference);
        (known.key.clone(), place, matcher)
    });
    let mut places: Vec<NewMatcher> = places.collect();
    places.dedup_by(|one, two| one.1 == two.1);
    places
}

/// Adds matchers to the document of a case; returns how many.
fn add_matchers(stream: &mut Stream, known: &Case, matchers: Vec<NewMatcher>) -> usize {
    let document = stream.documents.get_mut(known.number.saturating_sub(1));
    let Some(Ok(document)) = document else { return 0 };
    let count = matchers.len();
    matchers.into_iter().for_each(|matcher| add_matcher(document, matcher));
    count
}

/// Adds a matcher to `_match` of a document.
fn add_matcher(document: &mut Document, (key, place, matcher): NewMatcher) {
    let rules = member(&mut document.root, "_match");
    let Some(rule) = rules.and_then(|rules| member(rules, &key)) else { return };
    if let Kind::String(mode) = &rule.kind {
        // The mode of the whole message, such as `contains`, still applies.
        let mode = Node::new(Kind::String(mode.clone()), Style::Plain);
        let key = Node::new(Kind::String("mode".to_owned()), Style::Plain);
        rule.kind = Kind::Mapping(vec![Member { key, value: mode }]);
        rule.style = Style::Flow;
    }
    // Through its text, so that a matcher is written in the same way as in a new case.
    let text = text::matcher_text(&matcher);
    let written = yaml::read(&text, &Limits::default());
    let value = written.documents.into_iter().flatten().next().map(|document| document.root);
    let Some(value) = value else { return };
    if let Kind::Mapping(members) = &mut rule.kind {
        // A new matcher replaces the one that was too narrow.
        members.retain(|member| member.key.as_str() != Some(place.as_str()));
        let key = Node::new(Kind::String(place.as_str().to_owned()), key_style(place.as_str()));
        members.push(Member { key, value });
    }
}

/// The value of a member, which is added if it does not exist.
fn member<'a>(mapping: &'a mut Node, name: &str) -> Option<&'a mut Node> {
    let style = if mapping.style == Style::Flow { Style::Flow } else { Style::Block };
    let Kind::Mapping(members) = &mut mapping.kind else { return None };
    let place = members.iter().position(|it| it.key.as_str() == Some(name));
    let place = place.unwrap_or_else(|| {
        let key = Node::new(Kind::String(name.to_owned()), Style::Plain);
        let value = Node::new(Kind::Mapping(Vec::new()), style);
        members.push(Member { key, value });
        members.len() - 1
    });
    members.get_mut(place).map(|member| &mut member.value)
}

/// Plain where the place cannot be read as anything else.
fn key_style(place: &str) -> Style {
    let plain = |it: char| it.is_ascii_alphanumeric() || "/_-.*".contains(it);
    if place.chars().all(plain) { Style::Plain } else { Style::Single }
}
