//! The secrets of a run, and what they are replaced by before a reporter gets an event.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use mcp_test_core::run::{Mask, MaskedEvent, Problems, RunEvent};
use mcp_test_core::trace::{Redactor, SecretTexts, Trace};

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

    /// The event without secrets in any text that comes from outside; a summary gets the problems of the outcomes before it.
    #[must_use]
    pub fn mask_event(&self, event: RunEvent, collected: &Problems) -> MaskedEvent {
        match self.known() {
            Some(known) => MaskedEvent::new(event, &known, collected),
            None => MaskedEvent::new(event, self, collected),
        }
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
}

impl Mask for Secrets {
    fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.headers.is_empty() && self.learned.is_empty()
    }

    fn text(&self, text: &str) -> String {
        self.mask(text)
    }

    fn trace(&self, trace: Trace) -> Trace {
        self.mask_trace(trace)
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
    use mcp_test_core::check::{Cause, Fate, Finding, Shape};
    use mcp_test_core::json::{Pointer, Value};
    use mcp_test_core::spec::Requirement;
    use mcp_test_core::spec::Revision;
    use mcp_test_core::trace::{EventKind, Party, Recorder};

    use super::*;
    use crate::report::{Json, Reporter, sample};

    #[test]
    fn no_part_of_a_finding_contains_a_secret() {
        const SECRET: &str = "hunter22secret";
        let secrets = Secrets::new([SECRET.to_owned()]);
        let request = Cause::Request {
            method: SECRET.to_owned(),
            subject: Some(SECRET.to_owned()),
            fate: Fate::Refused,
        };
        for cause in
            [request, Cause::RequirementFor(Requirement::TOOLS_NAME_UNIQUE, SECRET.to_owned())]
        {
            let mut finding = Finding::peer(SECRET).expected(SECRET).got(SECRET).hint(SECRET);
            finding = finding.excerpt(SECRET).caused_by(cause);
            finding.pointer = Some(Box::new(Pointer::root().member(SECRET)));
            let place = Pointer::root().member(SECRET);
            finding.shape = Some(Box::new(Shape::new("Tool", Revision::NEWEST, place, "")));
            let event = RunEvent::PreflightFailed { finding, tried: None };
            let all = format!("{:?}", secrets.mask_event(event, &Problems::default()));
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
            for event in sample::events(vec![outcome.scenario_run.clone()], vec![outcome]) {
                json.event(&secrets.mask_event(event, &Problems::default()))
                    .expect("writing to memory succeeds");
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
