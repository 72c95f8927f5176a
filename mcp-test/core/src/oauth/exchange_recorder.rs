//! Records what a server receives and sends, or a client sends and receives, without tokens, codes, verifiers and secrets.
//!
//! They are taken out before anything is recorded, since a recorder may be shared, and its trace may be written anywhere.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::json::Value;
use crate::trace::{
    ConnectionId, EventKind, Party, Recorder, Redactor, SecretTexts, Seq, secrets_in_url,
};

/// How many secrets are remembered at least; twice as many at most.
const SECRETS: usize = 250;
/// A shorter text may be a part of anything.
const SHORTEST_SECRET: usize = 6;
/// A longer text is not one that the server has issued, and would take too much memory.
const LONGEST_SECRET: usize = 8 * 1024;

/// The recorder of one server.
pub(crate) struct ExchangeRecorder {
    recorder: Recorder,
    connection: ConnectionId,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    exchanges: u64,
    /// The secrets seen so far, which may turn up again where no name announces them: the newest ones, and those before them.
    newest: SecretTexts,
    before: SecretTexts,
    newest_count: usize,
}

/// One request and its response.
pub(crate) struct RecordedExchange<'a> {
    server: &'a ExchangeRecorder,
    number: u64,
    /// The event of the request.
    seq: Seq,
}

impl ExchangeRecorder {
    pub(crate) fn new(recorder: Recorder) -> Self {
        let connection = recorder.open("http (authorization server)");
        Self { recorder, connection, state: Mutex::default() }
    }

    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Remembers a secret that nobody has sent yet.
    pub(crate) fn learn(&self, secret: &str) {
        self.lock().learn(secret);
    }

    /// Records the head of a request.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &HeaderMap,
    ) -> RecordedExchange<'_> {
        let number = {
            let mut state = self.lock();
            state.exchanges += 1;
            secrets_in_url(path).iter().for_each(|secret| state.learn(secret));
            let credentials = headers.get_all(header::AUTHORIZATION).iter();
            for value in credentials.filter_map(|value| value.to_str().ok()) {
                state.learn(value.split_once(' ').map_or(value, |(_, credentials)| credentials));
            }
            state.exchanges
        };
        let path = self.lock().mask(&Redactor::secrets().path(path));
        let headers = self.headers(headers.iter());
        let kind = EventKind::HttpRequest { method: method.to_owned(), path, headers };
        let seq = self.recorder.record_in(self.connection, Some(number), Party::Client, kind);
        RecordedExchange { server: self, number, seq }
    }

    /// Records a text that has URLs.
    pub(crate) fn note(&self, party: Party, text: &str) -> Seq {
        let mut state = self.lock();
        secrets_in_url(text).iter().for_each(|secret| state.learn(secret));
        let text = state.mask(&Redactor::secrets().urls(text));
        drop(state);
        self.recorder.record(self.connection, party, EventKind::Note(text))
    }

    /// A value without the secrets in it, and without those seen so far.
    pub(crate) fn shown(&self, value: &Value) -> Value {
        let text = self.lock().mask(&Redactor::secrets().value(value).to_string());
        Value::parse(text.as_bytes()).map_or(Value::Null, |document| document.value)
    }

    fn headers<'h>(
        &self,
        headers: impl Iterator<Item = (&'h HeaderName, &'h HeaderValue)>,
    ) -> Vec<(String, String)> {
        let mut state = self.lock();
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let mut redacted = |name: &HeaderName, value: &HeaderValue| {
            let value = text(value);
            // The target of a redirect has the code in its query.
            if name == header::LOCATION {
                secrets_in_url(&value).iter().for_each(|secret| state.learn(secret));
            }
            state.mask(&Redactor::secrets().header(name.as_str(), &value))
        };
        headers.map(|(name, value)| (name.to_string(), redacted(name, value))).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecordedExchange<'_> {
    /// The event of the request.
    pub(crate) fn seq(&self) -> Seq {
        self.seq
    }

    /// Records the body of a request: a form, or JSON.
    pub(crate) fn received(&self, body: &Bytes) {
        match Value::parse(body) {
            Ok(document) => self.json(Party::Client, &document.value),
            // As a query, because that is what a form looks like.
            Err(_) => {
                let form = format!("?{}", String::from_utf8_lossy(body));
                let mut state = self.server.lock();
                secrets_in_url(&form).iter().for_each(|secret| state.learn(secret));
                let form = state.mask(&Redactor::secrets().path(&form));
                drop(state);
                self.body(Party::Client, form.strip_prefix('?').unwrap_or(&form));
            }
        }
    }

    /// Records a response.
    pub(crate) fn sent(
        &self,
        status: StatusCode,
        headers: &[(HeaderName, HeaderValue)],
        body: Option<&Value>,
    ) -> Seq {
        let headers = self.server.headers(headers.iter().map(|(name, value)| (name, value)));
        let status = status.as_u16();
        let seq = self.record(Party::Server, EventKind::HttpResponse { status, headers });
        if let Some(body) = body {
            self.json(Party::Server, body);
        }
        seq
    }

    fn json(&self, party: Party, value: &Value) {
        let redacted = Redactor::secrets().value(value);
        let mut state = self.server.lock();
        learn_members(&mut state, value, &redacted);
        let text = state.mask(&redacted.to_string());
        drop(state);
        self.body(party, &text);
    }

    /// A body as a remark: it is not a message of MCP, and must not be judged as one.
    fn body(&self, party: Party, text: &str) {
        if !text.is_empty() {
            self.record(party, EventKind::Note(text.to_owned()));
        }
    }

    fn record(&self, party: Party, kind: EventKind) -> Seq {
        let server = self.server;
        server.recorder.record_in(server.connection, Some(self.number), party, kind)
    }
}

/// Learns the texts that redaction has replaced.
fn learn_members(state: &mut State, value: &Value, redacted: &Value) {
    let Value::Object(members) = value else { return };
    for (name, member) in members.iter() {
        match (member.as_str(), redacted.get(name)) {
            (Some(text), Some(shown)) if shown.as_str() != Some(text) => state.learn(text),
            _ => {}
        }
    }
}

impl State {
    fn learn(&mut self, secret: &str) {
        if !(SHORTEST_SECRET..=LONGEST_SECRET).contains(&secret.len()) {
            return;
        }
        if self.newest_count == SECRETS {
            self.before = std::mem::take(&mut self.newest);
            self.newest_count = 0;
        }
        self.newest.add(secret);
        self.newest_count += 1;
    }

    fn mask(&self, text: &str) -> String {
        self.before.mask(&self.newest.mask(text))
    }
}
