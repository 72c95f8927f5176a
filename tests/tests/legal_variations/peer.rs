//! [`Peer`]: applies variations to what one connection carries, whichever side varies.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_test_core::clock::{self, Stopwatch};
use mcp_test_core::json::{Document, Value};
use mcp_test_core::spec::meta;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};

use super::paging::AskedPages;
use super::rewrite::in_schemas;
use super::variation::{Change, Variation};
use super::wire::WireRecord;

pub(crate) type Set = Arc<[&'static Variation]>;

/// What is known of one connection, or of one exchange over HTTP, of a peer with variations.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) set: Set,
    pub(crate) record: WireRecord,
    pages: Arc<Mutex<AskedPages>>,
    /// Whether the last request was of the revisions without a handshake.
    is_stateless: Arc<AtomicBool>,
    /// The ids of the requests that the other side has cancelled.
    cancelled: Arc<Mutex<BTreeSet<String>>>,
}

impl Peer {
    pub(crate) fn new(set: &Set, record: WireRecord) -> Self {
        let (set, pages, is_stateless) = (Arc::clone(set), Arc::default(), Arc::default());
        Self { set, record, pages, is_stateless, cancelled: Arc::default() }
    }

    fn changes(&self) -> impl DoubleEndedIterator<Item = Change> + '_ {
        self.set.iter().map(|variation| variation.change)
    }

    /// The texts of what the varied side sends in place of one message.
    pub(crate) fn sent(&self, text: &[u8]) -> Vec<String> {
        let Ok(document) = Value::parse(text) else {
            return vec![String::from_utf8_lossy(text).into_owned()];
        };
        let mut value = document.value;
        let mut messages = Vec::new();
        if is_stateless(&value) {
            self.is_stateless.store(true, Ordering::Relaxed);
        }
        for change in self.changes() {
            match change {
                Change::Message(change) | Change::Both { sent: change, .. } => change(&mut value),
                Change::Schemas(change) => in_schemas(&mut value, change),
                Change::Pages(paging) => {
                    paging.sent(&mut value, &mut self.pages.lock().expect("no panic"));
                }
                Change::Before(message) if !self.is_stateless.load(Ordering::Relaxed) => {
                    messages.extend(message(&value));
                }
                _ => {}
            }
        }
        messages.push(value);
        let text = |message: &Value| {
            self.changes().fold(message.to_string(), |text, change| match change {
                Change::Text(change) => change(&text),
                _ => text,
            })
        };
        messages.iter().map(text).collect()
    }

    /// What the varied side receives in place of a message.
    pub(crate) fn received(&self, text: &[u8]) -> Vec<u8> {
        let Ok(document) = Value::parse(text) else { return text.to_vec() };
        let mut value = document.value;
        let before = value.clone();
        if value.get("method").is_some() {
            self.is_stateless.store(is_stateless(&value), Ordering::Relaxed);
        }
        if value.get("method").and_then(Value::as_str) == Some("notifications/cancelled") {
            let id = value.at("/params/requestId").map(Value::to_string);
            self.cancelled.lock().expect("no panic").extend(id);
        }
        // What was changed last is undone first.
        for change in self.changes().rev() {
            match change {
                Change::Both { received, .. } => received(&mut value),
                Change::Pages(paging) => {
                    paging.received(&mut value, &mut self.pages.lock().expect("no panic"));
                }
                _ => {}
            }
        }
        // As it is otherwise, since another notation of the same value may be what a test is about.
        if value == before { text.to_vec() } else { value.to_string().into_bytes() }
    }

    /// Whether a message is a reply to a request that was cancelled before: a peer that replies late must not send it any more.
    fn is_cancelled(&self, text: &[u8]) -> bool {
        let cancelled = self.cancelled.lock().expect("no panic");
        !cancelled.is_empty()
            && Value::parse(text).is_ok_and(|Document { value, .. }| {
                let id = value.get("id").map(Value::to_string);
                value.get("method").is_none() && id.is_some_and(|id| cancelled.contains(&id))
            })
    }

    /// The pieces in which a line is written.
    fn line(&self, text: &str) -> Vec<Vec<u8>> {
        let form = self.changes().find_map(|change| match change {
            Change::Line(form) => Some(form),
            _ => None,
        });
        form.map_or_else(|| vec![format!("{text}\n").into_bytes()], |form| form(text))
    }

    fn pauses(&self) -> (Duration, Duration) {
        let pauses = self.changes().find_map(|change| match change {
            Change::Pauses { start, exit } => Some((start, exit)),
            _ => None,
        });
        pauses.unwrap_or_default()
    }

    /// Relays lines between a plain peer and the other side, as the varied peer sends and receives them.
    pub(crate) async fn relay(self, plain: DuplexStream, other: DuplexStream) {
        let stopwatch = Stopwatch::start();
        let (start, exit) = self.pauses();
        clock::quiet(start).await;
        let (from_other, to_other) = tokio::io::split(other);
        let (from_plain, to_plain) = tokio::io::split(plain);
        tokio::join!(self.incoming(from_other, to_plain), async {
            // Its output stays open, as that of a process does until it exits.
            let mut to_other = to_other;
            self.outgoing(from_plain, &mut to_other, stopwatch).await;
            let ended = Stopwatch::start();
            clock::quiet(exit).await;
            let after = ended.elapsed().as_millis();
            self.record.add(format!("closed {after} ms after its last line").as_bytes());
        });
    }

    async fn incoming(&self, from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) {
        let mut lines = BufReader::new(from).split(b'\n');
        while let Ok(Some(line)) = lines.next_segment().await {
            let line = [&self.received(&line)[..], b"\n"].concat();
            if to.write_all(&line).await.is_err() {
                break;
            }
        }
        // The plain peer may have ended already.
        drop(to.shutdown().await);
    }

    async fn outgoing(
        &self,
        from: impl AsyncRead + Unpin,
        to: &mut (impl AsyncWrite + Unpin),
        stopwatch: Stopwatch,
    ) {
        let mut lines = BufReader::new(from).split(b'\n');
        let mut last = Duration::ZERO;
        while let Ok(Some(line)) = lines.next_segment().await {
            let now = stopwatch.elapsed();
            let pause = (now - std::mem::replace(&mut last, now)).as_millis();
            if pause > 0 {
                self.record.add(format!("a pause of {pause} ms").as_bytes());
            }
            if self.is_cancelled(&line) {
                continue;
            }
            for piece in self.sent(&line).iter().flat_map(|text| self.line(text)) {
                self.record.add(&piece);
                if to.write_all(&piece).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Whether a message is a request of a client without a handshake.
fn is_stateless(message: &Value) -> bool {
    message.at("/params/_meta").is_some_and(|it| it.get(meta::PROTOCOL_VERSION).is_some())
}
