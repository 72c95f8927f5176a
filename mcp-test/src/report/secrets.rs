//! Texts that must not be seen in any report.
//!
//! They are taken out of what is told before anybody tells it: a text that was quoted, cut or wrapped would not be
//! found any more, and JSON in which something was replaced would be no JSON.

use std::fmt;

use crate::check::{Check, Finding};
use crate::json::{Object, Pointer, Value};
use crate::run::{Outcome, Preflight, RunEvent, Summary};
use crate::trace::Redactor;
use crate::transport::{Leaving, Left};

const MASK: &str = "[secret]";

/// A shorter text is too likely to be a part of another word; masking it would only garble reports.
const SHORTEST: usize = 4;

/// Values that say nothing; to mask them would only garble reports.
const WORDS: [&str; 6] = ["true", "false", "null", "none", "undefined", "default"];

/// The values that were given in confidence, such as those of `--header`.
///
/// ```
/// use mcp_test::report::Secrets;
///
/// let secrets = Secrets::new(["hunter2".to_owned()]);
/// assert_eq!(secrets.mask("x-key: hunter2"), "x-key: [secret]");
/// assert!(!format!("{secrets:?}").contains("hunter2"));
/// ```
#[derive(Clone, Default)]
pub struct Secrets {
    /// The longest first, so that no part of it is left beside a mask.
    texts: Vec<String>,
    headers: Vec<String>,
}

impl Secrets {
    /// Masks these values, their lines, and the credentials in those that start with an authentication scheme.
    ///
    /// Words such as `true`, and what is shorter than four characters, are not masked.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut texts: Vec<String> = values.into_iter().flat_map(|value| forms(&value)).collect();
        texts.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        texts.dedup();
        Self { texts, headers: Vec::new() }
    }

    /// Masks the value of this header too, whatever it is, where headers are shown.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>) -> Self {
        self.headers.push(name.into());
        self
    }

    /// The text with every secret replaced.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        self.texts.iter().fold(text.to_owned(), |text, secret| {
            if text.contains(secret.as_str()) { text.replace(secret.as_str(), MASK) } else { text }
        })
    }

    /// The event as it may be told: without secrets in anything that comes from outside.
    #[must_use]
    pub fn mask_event(&self, mut event: RunEvent) -> RunEvent {
        if self.texts.is_empty() && self.headers.is_empty() {
            return event;
        }
        match &mut event {
            RunEvent::PreflightDone(Preflight { server, .. }) => self.replace(server.as_mut()),
            RunEvent::PreflightFailed { finding, .. } => self.finding(finding),
            RunEvent::Finished(outcome) => self.outcome(outcome),
            RunEvent::Ended(Summary { target, not_run, .. }) => {
                self.replace([target]);
                not_run.iter_mut().for_each(|finding| self.finding(finding));
            }
            RunEvent::Planned(_) | RunEvent::Started(_) => {}
        }
        event
    }

    fn replace<'a>(&self, texts: impl IntoIterator<Item = &'a mut String>) {
        for text in texts {
            *text = self.mask(text);
        }
    }

    fn finding(&self, finding: &mut Finding) {
        let Finding { headline, expected, got, hint, .. } = finding;
        self.replace([headline]);
        self.replace([expected, got, hint].into_iter().flatten());
        if let Some(shape) = &mut finding.shape {
            // The names of members are the peer's own words.
            let tokens: Vec<String> = shape.pointer.tokens().collect();
            let masked = tokens.iter().map(|token| self.mask(token));
            shape.pointer = masked.fold(Pointer::root(), |place, token| place.member(&token));
        }
    }

    fn outcome(&self, outcome: &mut Outcome) {
        for check in &mut outcome.checks {
            let Check { message, finding, details, .. } = check;
            self.replace(message);
            finding.iter_mut().for_each(|finding| self.finding(finding));
            details.iter_mut().for_each(|details| *details = self.value(details));
        }
        self.replace(&mut outcome.stderr_tail);
        if let Some(Left { command, stdout, stderr, leaving, .. }) = &mut outcome.left {
            self.replace([stdout, stderr]);
            self.replace(command);
            if let Leaving::Failed(how) | Leaving::NotStarted(how) = leaving {
                self.replace([how]);
            }
        }
        let texts = self.texts.iter().fold(Redactor::secrets(), Redactor::secret);
        let mut redactor =
            self.headers.iter().fold(texts, |redactor, name| redactor.secret_header(name));
        outcome.trace = redactor.trace(std::mem::take(&mut outcome.trace));
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.mask(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(object) => {
                let mut masked = Object::new();
                for (name, member) in object.iter() {
                    masked.push(self.mask(name), self.value(member));
                }
                masked.into()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

/// How a value may turn up: as it is, line by line, without its scheme, and quoted.
fn forms(value: &str) -> Vec<String> {
    let credentials = value.split_once(' ').map(|(_, credentials)| credentials);
    let plain = [value].into_iter().chain(credentials).chain(value.lines());
    let plain = plain.filter(|text| {
        text.len() >= SHORTEST && !WORDS.contains(&text.to_ascii_lowercase().as_str())
    });
    let quoted = |text: &str| {
        let json = Value::from(text).to_string();
        [json[1..json.len() - 1].to_owned(), text.escape_debug().to_string()]
    };
    plain.flat_map(|text| [text.to_owned()].into_iter().chain(quoted(text))).collect()
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.texts.len())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::{Json, sample};
    use super::*;
    use crate::trace::{Party, Reading, Recorder};

    #[test]
    fn a_token_is_masked_with_and_without_its_scheme() {
        let secrets = Secrets::new(["Bearer abcdef".to_owned(), "no".to_owned()]);
        assert_eq!(secrets.mask("Bearer abcdef"), "[secret]");
        assert_eq!(secrets.mask("token abcdef, not now"), "token [secret], not now");
    }

    #[test]
    fn a_value_is_masked_where_it_is_quoted_and_line_by_line() {
        let secrets = Secrets::new([r#"ab"c\d"#.to_owned(), "first\nsecond".to_owned()]);
        assert_eq!(secrets.mask(r#"{"a":"ab\"c\\d"}, ab"c\d"#), r#"{"a":"[secret]"}, [secret]"#);
        assert_eq!(secrets.mask("a first, then a second"), "a [secret], then a [secret]");
    }

    #[test]
    fn a_word_that_says_nothing_is_left() {
        let secrets = Secrets::new(["true".to_owned(), "Bearer true".to_owned(), "17".to_owned()]);
        assert_eq!(secrets.mask("true 17"), "true 17");
    }

    /// Whatever the secret is, what is told stays JSON, and holds it nowhere.
    #[test]
    fn no_report_holds_a_secret_however_it_was_quoted_or_wrapped() {
        for secret in [
            r#"pass"wo\rd"#,
            "a secret of many words that will have to be wrapped ".trim(),
            "FAILURE",
        ] {
            let mut outcome = sample::failed();
            let recorder = Recorder::new();
            let wire = recorder.open("http");
            let said = Value::from(serde_json::json!({
                "jsonrpc": "2.0", "method": "echo",
                "params": {"pad": "some words that go before, to get near the end of the line", "echo": secret},
            }));
            let said = Bytes::from(said.to_string());
            let seq = recorder.record(wire, Party::Server, Reading::message(said));
            outcome.trace = recorder.trace();
            outcome.stderr_tail = vec![format!("got {secret}")];
            let finding = Finding::peer(format!("it says {secret:?}")).got(secret).evidence(seq);
            let check = &mut outcome.checks[1];
            check.message = Some(finding.to_string());
            check.finding = Some(finding);
            check.details = Some(Value::from(serde_json::json!({"seen": [secret, 2]})));
            let secrets = Secrets::new([secret.to_owned()]);
            let mut out = Vec::new();
            let mut json = Json::new(&mut out, sample::about());
            for event in sample::events(vec![outcome.cell], vec![outcome]) {
                json.event(&secrets.mask_event(event)).expect("memory does not refuse");
            }
            let document = Value::parse(&out).expect("JSON").value;
            let check = document.at("/cells/0/checks/1").expect("the failing check");
            assert_eq!(check.at("/status").and_then(Value::as_str), Some("FAILURE"));
            assert_eq!(
                check.at("/details").map(ToString::to_string).as_deref(),
                Some(r#"{"seen":["[secret]",2]}"#)
            );
            let exchange = check.at("/exchange").and_then(Value::as_str).expect("an exchange");
            assert!(exchange.contains("[secret]"), "{exchange}");
            let text = check.pretty().replace(r#""status": "FAILURE""#, "");
            for form in forms(secret) {
                assert!(!text.contains(&form), "{form} in {text}");
            }
            assert!(!text.contains("many"), "{text}");
        }
    }
}
