//! The guard before handlers that only listen, or say what a test wants: every refusal under snapshot, and what must not be
//! changed, lost or held back.

mod fairness;
#[cfg(feature = "http")]
mod http;
mod io;
mod outgoing;
mod refusals;
mod revisions;
mod schemas;
#[cfg(feature = "http")]
mod table;

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, split};

use super::{Guard, InvalidMessage};

/// More than any of these tests writes.
const ROOM: usize = 1 << 20;

/// Sends a text to a handler that only listens; returns what the handler has read and what the peer has been answered.
async fn through(guard: &Guard, text: impl AsRef<[u8]>) -> (String, String) {
    let (mut peer, inner) = tokio::io::duplex(ROOM);
    peer.write_all(text.as_ref()).await.unwrap();
    peer.shutdown().await.unwrap();
    let mut io = guard.io(inner);
    let (mut handled, mut answered) = (String::new(), String::new());
    io.read_to_string(&mut handled).await.unwrap();
    drop(io);
    peer.read_to_string(&mut answered).await.unwrap();
    (handled, answered)
}

/// What the peer is answered when nothing may reach the handler.
async fn answered(guard: &Guard, text: impl AsRef<[u8]>) -> String {
    let (handled, answered) = through(guard, text).await;
    assert_eq!(handled, "");
    answered
}

/// A handler that says this text after it has read everything, and what its peer has read.
async fn says(guard: &Guard, first: &str, text: &str) -> String {
    let (peer, inner) = tokio::io::duplex(ROOM);
    let (mut from_guard, mut to_guard) = split(peer);
    let mut io = guard.io(inner);
    to_guard.write_all(first.as_bytes()).await.unwrap();
    let mut read = vec![0; first.len()];
    io.read_exact(&mut read).await.unwrap();
    io.write_all(text.as_bytes()).await.unwrap();
    io.shutdown().await.unwrap();
    let mut heard = String::new();
    from_guard.read_to_string(&mut heard).await.unwrap();
    heard
}

/// A callback for invalid messages, and what it was called with.
#[derive(Clone, Default)]
struct Reported(Arc<Mutex<Vec<String>>>);

impl Reported {
    fn callback(&self) -> impl Fn(&InvalidMessage) + Send + Sync + 'static {
        let reported = Arc::clone(&self.0);
        move |message| reported.lock().unwrap().push(message.to_string())
    }

    fn lines(&self) -> String {
        self.0.lock().unwrap().join("\n")
    }
}
