//! The report of a message that the client did not send: what is demanded, and the nearest that it did send.

use std::fmt::Write;

use mcp_test_core::check::Finding;
use mcp_test_core::expect::words;
use mcp_test_core::json::Value;
use mcp_test_core::trace::Party;

use super::demanded_message::{DemandedMessage, MissingMessage, result_message};
use super::message_log::{LoggedMessage, MessageLog};
use crate::cases::compare::{Difference, Tolerance, compare};
use crate::cases::serve::incoming::{ExpectedMessage, Incoming};
use crate::cases::{CaseFile, expand};

/// How many differences are shown.
const MAX_DIFFERENCES: usize = 5;
/// How many methods are listed of a client that sent nothing similar.
const MAX_METHODS: usize = 10;

/// The finding that a message of the case is missing.
pub(super) fn missing(
    file: &CaseFile,
    lines: &[DemandedMessage<'_>],
    missing: &MissingMessage,
    log: &MessageLog,
) -> Finding {
    let line @ DemandedMessage { case, message, expected } = &lines[missing.line];
    let at = message.key_span;
    let place = format!("{}:{}:{}", file.path, at.line, at.column);
    let what = format!("`{}` of {:?}", message.key, case.title());
    let headline = match expected {
        Some(_) => format!("the client did not send {what}"),
        None => format!("the client did not answer with {what}"),
    };
    let wanted = missing.values.secrets().short(&message.value, words::SHOWN);
    let finding = Finding::peer(headline).expected(format!("{wanted}, {place}"));
    let Some(expected) = expected else {
        return wrong_answer(finding, lines, missing, log);
    };
    // A message that was sent, but too early, is a more useful report than the most similar one.
    let early = log.incoming(0).find(|(at, logged, incoming)| {
        *at < missing.from && line.fits(logged, incoming, &missing.values)
    });
    if let Some((_, logged, _)) = early {
        let before = lines[..missing.line].iter().rfind(|line| line.expected.is_some());
        let before = before.map(|line| format!("before `{}`", line.message.key));
        let when = before.unwrap_or_else(|| "too early".to_owned());
        return finding.got(format!("the same, {when}")).evidence(logged.seq);
    }
    match nearest(&message.value, expected, log) {
        Some((logged, incoming)) => {
            let shown = missing.values.secrets().short(&logged.message.to_value(), words::SHOWN);
            let differences = expected.differences(incoming, &missing.values);
            finding.got(shown + &listed(&differences)).evidence(logged.seq)
        }
        None => finding.got(methods_sent(log)),
    }
}

/// The finding for a request that the client answered with something else, or not at all.
fn wrong_answer(
    finding: Finding,
    lines: &[DemandedMessage<'_>],
    missing: &MissingMessage,
    log: &MessageLog,
) -> Finding {
    let message = lines[missing.line].message;
    let Some(logged) = missing.instead.and_then(|at| log.messages.get(at)) else {
        return finding.got("no answer");
    };
    let responses = logged.message.params().and_then(|params| params.get("inputResponses"));
    // Where servers do not send requests, the answer is in a repeated request of the client.
    let response = responses.and_then(Value::as_object).and_then(|answers| answers.iter().next());
    let got =
        response.map_or_else(|| logged.message.to_value(), |(_, answer)| result_message(answer));
    let expected = expand(&message.value, &missing.values);
    let tolerance = Tolerance::of(log.revision);
    let secrets = missing.values.secrets();
    let differences = expected
        .map(|expected| compare(&expected, &got, &message.rule, &tolerance, secrets))
        .unwrap_or_default();
    let shown = secrets.short(&got, words::SHOWN);
    finding.got(shown + &listed(&differences)).evidence(logged.seq)
}

/// The nearest request or notification of the same method.
fn nearest<'a>(
    value: &Value,
    expected: &ExpectedMessage,
    log: &'a MessageLog,
) -> Option<(&'a LoggedMessage, &'a Incoming)> {
    let method = value.get("method").and_then(Value::as_str);
    let same = log.incoming(0).filter(|(_, logged, _)| logged.message.method() == method);
    let near = same.map(|(_, logged, incoming)| (expected.nearness(incoming), logged, incoming));
    let (_, logged, incoming) = near.max_by(|(one, ..), (other, ..)| one.total_cmp(other))?;
    Some((logged, incoming))
}

/// The differences, each on a line of its own.
fn listed(differences: &[Difference]) -> String {
    let mut text = String::new();
    for difference in differences.iter().take(MAX_DIFFERENCES) {
        let _ = write!(text, "\n{difference}");
    }
    if let Some(more) = differences.len().checked_sub(MAX_DIFFERENCES).filter(|more| *more > 0) {
        let _ = write!(text, "\nand {}", words::count(more, "more difference"));
    }
    text
}

/// The methods of all messages that the client sent.
fn methods_sent(log: &MessageLog) -> String {
    let mut methods: Vec<&str> = Vec::new();
    let of_client = log.messages.iter().filter(|logged| logged.sender == Party::Client);
    for method in of_client.filter_map(|logged| logged.message.method()) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    let named =
        methods.iter().take(MAX_METHODS).map(|method| format!("`{}`", words::excerpt(method)));
    match methods.len() {
        0 => "nothing".to_owned(),
        all if all > MAX_METHODS => {
            format!("{} other methods, among them {}", all, words::list(named, "and"))
        }
        _ => format!("only {}", words::list(named, "and")),
    }
}
