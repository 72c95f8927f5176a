//! Masks secrets in events before they reach a reporter.
//!
//! Masking the output would be too late: a text that was quoted, cut or wrapped would not be found any more, and
//! replacements could break JSON.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use mcp_test_core::check::{Cause, Check, Finding};
use mcp_test_core::json::{Object, Pointer, Value};
use mcp_test_core::run::{Outcome, Preflight, RunEvent, Summary};
use mcp_test_core::trace::{Redactor, SecretTexts, Trace};
use mcp_test_core::transport::{ClientEnd, ClientRun};

/// The secret values of a run, such as those of `--header`.
///
/// ```
/// use mcp_test_cli::report::Secrets;
///
/// let secrets = Secrets::new(["hunter2".to_owned()]);
/// assert_eq!(secrets.mask("x-key: hunter2"), "x-key: [secret]");
/// assert!(!format!("{secrets:?}").contains("hunter2"));
/// ```
#[derive(Clone, Default)]
pub struct Secrets {
    texts: SecretTexts,
    headers: Vec<String>,
    learned: LearnedSecrets,
}

/// Secrets that become known during a run, such as access tokens; clones share them.
///
/// ```
/// use mcp_test_cli::report::{LearnedSecrets, Secrets};
///
/// let learned = LearnedSecrets::default();
/// let secrets = Secrets::default().learning(learned.clone());
/// learned.learn("hunter2");
/// assert_eq!(secrets.mask("x-key: hunter2"), "x-key: [secret]");
/// ```
#[derive(Clone, Default)]
pub struct LearnedSecrets(Arc<RwLock<SecretTexts>>);

impl LearnedSecrets {
    /// Masks this value from now on.
    pub fn learn(&self, secret: &str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).add(secret);
    }

    fn add_to(&self, texts: &mut SecretTexts) {
        let learned = self.0.read().unwrap_or_else(PoisonError::into_inner);
        texts.add_all(&learned);
    }

    fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

impl fmt::Debug for LearnedSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LearnedSecrets")
    }
}

impl Secrets {
    /// Masks these values, in every form that [`SecretTexts`] looks for.
    ///
    /// Words such as `true`, and what is shorter than four characters, are not masked.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        Self { texts: SecretTexts::new(values), ..Self::default() }
    }

    /// Masks these values, too.
    #[must_use]
    pub fn and(mut self, values: impl IntoIterator<Item = String>) -> Self {
        values.into_iter().for_each(|value| self.texts.add(&value));
        self
    }

    /// Masks every value of this header, too.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>) -> Self {
        self.headers.push(name.into());
        self
    }

    /// Masks what is learned later, too.
    #[must_use]
    pub fn learning(mut self, learned: LearnedSecrets) -> Self {
        self.learned = learned;
        self
    }

    /// The same with those that were learned so far; one lookup finds all, also those that are parts of one another.
    fn known(&self) -> Option<Self> {
        if self.learned.is_empty() {
            return None;
        }
        let mut known = Self { learned: LearnedSecrets::default(), ..self.clone() };
        self.learned.add_to(&mut known.texts);
        Some(known)
    }

    /// The text with every secret replaced.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        match self.known() {
            Some(known) => known.texts.mask(text),
            None => self.texts.mask(text),
        }
    }

    /// The event without secrets in any text that comes from outside.
    #[must_use]
    pub fn mask_event(&self, event: RunEvent) -> RunEvent {
        match self.known() {
            Some(known) => known.mask_known(event),
            None => self.mask_known(event),
        }
    }

    fn mask_known(&self, mut event: RunEvent) -> RunEvent {
        // Most runs have no secrets; masking a long trace takes time.
        if self.texts.is_empty() && self.headers.is_empty() {
            return event;
        }
        match &mut event {
            RunEvent::PreflightDone(Preflight { server, called, .. }) => {
                self.replace(server.as_mut());
                called.iter_mut().for_each(|tools| self.replace(&mut tools.called));
            }
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
        let Finding { headline, expected, got, hint, excerpt, pointer, shape, cause, .. } = finding;
        self.replace([headline]);
        self.replace([expected, got, hint, excerpt].into_iter().flatten());
        let of_shape = shape.iter_mut().map(|shape| &mut shape.pointer);
        for pointer in pointer.iter_mut().map(|pointer| &mut **pointer).chain(of_shape) {
            // The names of members come from the peer.
            let tokens: Vec<String> = pointer.tokens().collect();
            let masked = tokens.iter().map(|token| self.mask(token));
            *pointer = masked.fold(Pointer::root(), |pointer, token| pointer.member(&token));
        }
        // It is what a problem is known by in a file.
        match cause.as_deref_mut() {
            Some(Cause::RequirementFor(_, name)) => self.replace([name]),
            Some(Cause::Request { method, subject, .. }) => {
                self.replace([method].into_iter().chain(subject));
            }
            _ => {}
        }
    }

    fn outcome(&self, outcome: &mut Outcome) {
        outcome.other_attempts.iter_mut().for_each(|attempt| self.outcome(attempt));
        for check in &mut outcome.checks {
            let Check { message, finding, others, details, .. } = check;
            self.replace(message);
            finding.iter_mut().chain(others).for_each(|finding| self.finding(finding));
            details.iter_mut().for_each(|details| *details = self.value(details));
        }
        self.replace(&mut outcome.stderr_tail);
        if let Some(ClientRun { command, stdout, stderr, end, .. }) = &mut outcome.client_run {
            self.replace([stdout, stderr]);
            self.replace(command);
            if let ClientEnd::Failed(how) | ClientEnd::NotStarted(how) = end {
                self.replace([how]);
            }
        }
        outcome.trace = self.mask_trace(std::mem::take(&mut outcome.trace));
    }

    /// The trace without secrets.
    #[must_use]
    pub fn mask_trace(&self, trace: Trace) -> Trace {
        if let Some(known) = self.known() {
            return known.mask_trace(trace);
        }
        let redactor = Redactor::secrets().secret_texts(self.texts.clone());
        let headers = self.headers.iter();
        headers.fold(redactor, |redactor, name| redactor.secret_header(name)).trace(trace)
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.mask(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(object) => {
                let mut masked = Object::new();
                // A peer may echo a secret as a name as well.
                for (name, member) in object.iter() {
                    masked.push(self.mask(name), self.value(member));
                }
                masked.into()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only their number: a log with debug output must not reveal them.
        write!(f, "Secrets({})", self.texts.iter().count())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use mcp_test_core::check::{Fate, Shape};
    use mcp_test_core::spec::Revision;
    use mcp_test_core::trace::{EventKind, Party, Recorder};

    use super::*;
    use crate::report::{Json, sample};

    #[test]
    fn no_part_of_a_finding_contains_a_secret() {
        const SECRET: &str = "hunter22secret";
        let secrets = Secrets::new([SECRET.to_owned()]);
        let request = Cause::Request {
            method: SECRET.to_owned(),
            subject: Some(SECRET.to_owned()),
            fate: Fate::Refused,
        };
        for cause in [request, Cause::RequirementFor("tools.name", SECRET.to_owned())] {
            let mut finding = Finding::peer(SECRET).expected(SECRET).got(SECRET).hint(SECRET);
            finding = finding.excerpt(SECRET).caused_by(cause);
            finding.pointer = Some(Box::new(Pointer::root().member(SECRET)));
            let place = Pointer::root().member(SECRET);
            finding.shape = Some(Box::new(Shape::new("Tool", Revision::NEWEST, place, "")));
            secrets.finding(&mut finding);
            let all = format!("{finding:?}");
            assert!(!all.contains(SECRET), "{all}");
        }
    }

    /// The report remains JSON and contains no form of the secret.
    #[test]
    fn no_report_contains_a_secret_however_it_is_quoted_or_wrapped() {
        for secret in [
            r#"pass"wo\rd"#,
            "a secret of many words that will have to be wrapped ".trim(),
            "FAILURE",
        ] {
            let mut outcome = sample::failed();
            let recorder = Recorder::new();
            let wire = recorder.open("http");
            let message = Value::from(serde_json::json!({
                "jsonrpc": "2.0", "method": "echo",
                "params": {"pad": "some words that go before, to get near the end of the line", "echo": secret},
            }));
            let message = Bytes::from(message.to_string());
            let seq = recorder.record(wire, Party::Server, EventKind::message(message));
            outcome.trace = recorder.trace();
            outcome.stderr_tail = vec![format!("got {secret}")];
            let finding =
                Finding::peer(format!("it contains {secret:?}")).got(secret).evidence(seq);
            let check = &mut outcome.checks[1];
            check.message = Some(finding.to_string());
            check.finding = Some(finding);
            check.details = Some(Value::from(serde_json::json!({"seen": [secret, 2]})));
            let secrets = Secrets::new([secret.to_owned()]);
            let mut out = Vec::new();
            let mut json = Json::new(&mut out, sample::info());
            for event in sample::events(vec![outcome.cell.clone()], vec![outcome]) {
                json.event(&secrets.mask_event(event)).expect("writing to memory succeeds");
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
            for form in secrets.texts.iter() {
                assert!(!text.contains(form), "{form} in {text}");
            }
            assert!(!text.contains("many"), "{text}");
        }
    }
}
