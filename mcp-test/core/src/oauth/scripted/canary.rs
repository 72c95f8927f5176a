//! A server that no client should talk to: it writes down what reaches it, over whatever scheme, and has nothing.

use std::net::{Ipv4Addr, TcpStream as ConnectedStream};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::{JoinHandle, JoinSet};

use super::free_port::listen;
use super::stray_request::is_tls;
use super::{RequestKind, SharedFacts, StrayRequest};
use crate::check::Finding;
use crate::clock::{self, Deadline};

/// How many bytes of a request are read.
const LARGEST: usize = 64 * 1024;
/// How long a request may take.
const TIME: Duration = Duration::from_secs(2);
/// How many connections are read at once; further ones wait.
const MOST_CONNECTIONS: usize = 16;
const NOT_FOUND: &[u8] =
    b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// A server on a port of its own; dropping it stops it.
#[derive(Debug)]
pub struct Canary {
    port: u16,
    task: JoinHandle<()>,
}

impl Canary {
    /// Starts one on a free port of this machine. The runtime of the caller serves it.
    ///
    /// # Errors
    ///
    /// A finding about the environment, if no port can be bound.
    #[doc(hidden)]
    pub fn start(facts: &SharedFacts) -> Result<Self, Finding> {
        let (listener, address) = listen()?;
        let facts = facts.clone();
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            // It ends when it is aborted, or when no connection can be accepted any more.
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(receive(stream, facts.clone()));
                while connections.try_join_next().is_some() {}
                if connections.len() >= MOST_CONNECTIONS {
                    connections.join_next().await;
                }
            }
        });
        Ok(Self { port: address.port(), task })
    }

    /// Its origin on loopback, as everyone writes it.
    #[doc(hidden)]
    pub fn origin(&self) -> String {
        format!("http://{}:{}", Ipv4Addr::LOCALHOST, self.port)
    }

    /// Its host and port by the address 0.0.0.0, which is reserved and not loopback, but leads to this machine on most systems.
    ///
    /// # Errors
    ///
    /// A finding about the environment, if that address leads nowhere, as on Windows.
    #[doc(hidden)]
    pub fn reserved_authority(&self) -> Result<String, Finding> {
        let address = (Ipv4Addr::UNSPECIFIED, self.port).into();
        // Nothing is sent, so that this connection is not written down.
        ConnectedStream::connect_timeout(&address, TIME).map_err(|error| {
            let what = "the address 0.0.0.0 does not lead to this machine";
            Finding::environment(what).got(error.to_string())
        })?;
        Ok(address.to_string())
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn receive(mut stream: TcpStream, facts: SharedFacts) {
    let mut received = Vec::new();
    let reading = async {
        let mut buffer = [0; 4096];
        while received.len() < LARGEST && !is_complete(&received) {
            match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => break,
                Ok(length) => received.extend_from_slice(&buffer[..length]),
            }
        }
    };
    clock::within(Deadline::after(TIME), reading).await.ok();
    // A connection on which nothing was sent asks for nothing: clients open some ahead of need.
    if received.is_empty() {
        return;
    }
    facts.received.add(RequestKind::Stray(StrayRequest::read(&received, &facts.tokens)));
    if !is_tls(&received) {
        stream.write_all(NOT_FOUND).await.ok();
    }
}

/// Whether nothing more needs to be read of a request.
fn is_complete(received: &[u8]) -> bool {
    if is_tls(received) {
        return true;
    }
    const END: &[u8] = b"\r\n\r\n";
    let Some(end) = received.windows(END.len()).position(|part| part == END) else { return false };
    let (head, body) = received.split_at(end + END.len());
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let header = |name: &str| {
        let mut headers = head.lines().filter_map(|line| line.split_once(':'));
        headers.find(|(own, _)| own.trim() == name).map(|(_, value)| value.trim())
    };
    match (header("content-length"), header("transfer-encoding")) {
        (_, Some(_)) => body.ends_with(b"0\r\n\r\n"),
        (Some(length), None) => length.parse().is_ok_and(|length: usize| body.len() >= length),
        (None, None) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_to_its_end() {
        for complete in [
            "GET /a HTTP/1.1\r\nHost: x\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            "\u{16}",
        ] {
            assert!(is_complete(complete.as_bytes()), "{complete:?}");
        }
        for partial in [
            "",
            "GET /a HTTP/1.1\r\nHost: x\r\n",
            "POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\na",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
        ] {
            assert!(!is_complete(partial.as_bytes()), "{partial:?}");
        }
    }
}
