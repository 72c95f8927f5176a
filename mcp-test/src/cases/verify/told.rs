//! What a client did not say, in words: what is demanded, and the nearest thing that it said.

use std::fmt::Write;

use super::search::{Line, Stuck, fits, result};
use super::visit::{Said, Visit};
use crate::cases::compare::{Difference, Tolerance, compare};
use crate::cases::serve::heard::{Expected, Heard};
use crate::cases::{CaseFile, expand};
use crate::check::Finding;
use crate::expect::words;
use crate::json::Value;
use crate::trace::Party;

/// How many differences are told.
const DIFFERENCES: usize = 5;
/// How many methods are named of a client that said something else altogether.
const METHODS: usize = 10;

/// The finding that a message of the case is missing.
pub(super) fn missing(
    file: &CaseFile,
    lines: &[Line<'_>],
    stuck: &Stuck,
    visit: &Visit,
) -> Finding {
    let Line { case, message, expected } = &lines[stuck.line];
    let at = message.key_span;
    let place = format!("{}:{}:{}", file.path, at.line, at.column);
    let what = format!("`{}` of {:?}", message.key, case.title());
    let headline = match expected {
        Some(_) => format!("the client did not say {what}"),
        None => format!("the client did not answer as {what} has it"),
    };
    let wanted = stuck.values.secrets().short(&message.value, words::SHOWN);
    let finding = Finding::peer(headline).expected(format!("{wanted}, {place}"));
    let Some(expected) = expected else {
        return unanswered(finding, lines, stuck, visit);
    };
    let mut heard = visit.heard(0);
    let early = heard.find(|(at, said, heard)| {
        *at < stuck.from && fits(message, expected, said, heard, &stuck.values)
    });
    if let Some((_, said, _)) = early {
        let before = lines[..stuck.line].iter().rfind(|line| line.expected.is_some());
        let before = before.map(|line| format!("before `{}`", line.message.key));
        let when = before.unwrap_or_else(|| "too early".to_owned());
        return finding.got(format!("the same, {when}")).evidence(said.seq);
    }
    match nearest(&message.value, expected, visit) {
        Some((said, heard)) => {
            let shown = stuck.values.secrets().short(&said.message.to_value(), words::SHOWN);
            let differences = expected.differences(heard, &stuck.values);
            finding.got(shown + &in_words(&differences)).evidence(said.seq)
        }
        None => finding.got(said_at_all(visit)),
    }
}

/// The client was asked, and answered something else or nothing.
fn unanswered(finding: Finding, lines: &[Line<'_>], stuck: &Stuck, visit: &Visit) -> Finding {
    let message = lines[stuck.line].message;
    let Some(said) = stuck.instead.and_then(|at| visit.said.get(at)) else {
        return finding.got("no answer");
    };
    let brought = said.message.params().and_then(|params| params.get("inputResponses"));
    let brought = brought.and_then(Value::as_object).and_then(|answers| answers.iter().next());
    let got = brought.map_or_else(|| said.message.to_value(), |(_, answer)| result(answer));
    let expected = expand(&message.value, &stuck.values);
    let tolerance = Tolerance::of(visit.revision);
    let secrets = stuck.values.secrets();
    let differences = expected
        .map(|expected| compare(&expected, &got, &message.rule, &tolerance, secrets))
        .unwrap_or_default();
    let shown = secrets.short(&got, words::SHOWN);
    finding.got(shown + &in_words(&differences)).evidence(said.seq)
}

/// The request or notification of the same method that comes nearest.
fn nearest<'a>(
    value: &Value,
    expected: &Expected,
    visit: &'a Visit,
) -> Option<(&'a Said, &'a Heard)> {
    let method = value.get("method").and_then(Value::as_str);
    let same = visit.heard(0).filter(|(_, said, _)| said.message.method() == method);
    let near = same.map(|(_, said, heard)| (expected.nearness(heard), said, heard));
    let (_, said, heard) = near.max_by(|(one, ..), (other, ..)| one.total_cmp(other))?;
    Some((said, heard))
}

/// Differences at the end of a sentence.
fn in_words(differences: &[Difference]) -> String {
    let mut text = String::new();
    for difference in differences.iter().take(DIFFERENCES) {
        let _ = write!(text, "\n{difference}");
    }
    if let Some(more) = differences.len().checked_sub(DIFFERENCES).filter(|more| *more > 0) {
        let _ = write!(text, "\nand {}", words::count(more, "more difference"));
    }
    text
}

/// What the client said at all, by the methods.
fn said_at_all(visit: &Visit) -> String {
    let mut methods: Vec<&str> = Vec::new();
    let of_client = visit.said.iter().filter(|said| said.by == Party::Client);
    for method in of_client.filter_map(|said| said.message.method()) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    let named = methods.iter().take(METHODS).map(|method| format!("`{}`", words::begun(method)));
    match methods.len() {
        0 => "nothing".to_owned(),
        all if all > METHODS => {
            format!("{} other methods, among them {}", all, words::list(named, "and"))
        }
        _ => format!("only {}", words::list(named, "and")),
    }
}
