//! Sockets that corrupt chunked bodies and write a response twice, as no HTTP library would.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Where the head of a response ends.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// What replaces the first digit of the first chunk size.
const NO_DIGIT: &[u8] = b"z";

/// How the head of a response begins.
const STATUS_LINE: &[u8] = b"HTTP/1.1 ";

/// A listener whose connections can corrupt a response.
pub(super) struct Sockets {
    pub(super) listener: TcpListener,
    /// Whether the names of headers are written in upper case.
    pub(super) upper_case: bool,
}

/// One connection.
pub(super) struct Socket {
    stream: TcpStream,
    faults: SocketFaults,
    /// Whether the next byte is the first of a body that must be corrupted.
    at_body: bool,
    /// What was written of a response that must be repeated.
    written: Vec<u8>,
    upper_case: bool,
}

/// What must be wrong with the next response of a connection; clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct SocketFaults {
    corrupts_chunks: Arc<AtomicBool>,
    repeats: Arc<AtomicBool>,
}

impl SocketFaults {
    /// Corrupts the chunks of the response that is written next.
    pub(super) fn corrupt_next_chunks(&self) {
        self.corrupts_chunks.store(true, Ordering::Release);
    }

    /// Repeats the response that is written next once it is flushed, which hyper does at the end of a body that is not a stream.
    pub(super) fn repeat_next_response(&self) {
        self.repeats.store(true, Ordering::Release);
    }
}

impl Listener for Sockets {
    type Io = Socket;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let (faults, upper_case) = (SocketFaults::default(), self.upper_case);
        (Socket { stream, faults, at_body: false, written: Vec::new(), upper_case }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

impl Connected<IncomingStream<'_, Sockets>> for SocketFaults {
    fn connect_info(stream: IncomingStream<'_, Sockets>) -> Self {
        stream.io().faults.clone()
    }
}

impl Socket {
    /// Whether everything is written as it is.
    fn changes_nothing(&self) -> bool {
        let faults = [&self.faults.corrupts_chunks, &self.faults.repeats];
        let is_faulty = faults.into_iter().any(|fault| fault.load(Ordering::Acquire));
        !(self.upper_case || self.at_body || is_faulty)
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let in_upper_case;
        // hyper begins each head with a write of its own, and every name keeps its length.
        let bytes = if self.upper_case && bytes.starts_with(STATUS_LINE) {
            in_upper_case = with_upper_case_names(bytes);
            in_upper_case.as_slice()
        } else {
            bytes
        };
        if self.at_body && !bytes.is_empty() {
            // One byte replaces one byte, so the returned count is also right for the caller.
            let written = Pin::new(&mut self.stream).poll_write(cx, NO_DIGIT);
            self.at_body = !matches!(written, Poll::Ready(Ok(1)));
            return written;
        }
        let end = || bytes.windows(END_OF_HEAD.len()).position(|window| window == END_OF_HEAD);
        let corrupts_chunks = self.faults.corrupts_chunks.load(Ordering::Acquire);
        let Some(end) = corrupts_chunks.then(end).flatten() else {
            let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
            if let Poll::Ready(Ok(count)) = written
                && self.faults.repeats.load(Ordering::Acquire)
            {
                self.written.extend_from_slice(&bytes[..count]);
            }
            return written;
        };
        // Only the head, so that the next write starts with the first digit of the chunk size.
        let head = &bytes[..end + END_OF_HEAD.len()];
        // The flag stays set after a partial write: the next call gets the rest of the head.
        let written = Pin::new(&mut self.stream).poll_write(cx, head);
        if matches!(written, Poll::Ready(Ok(count)) if count == head.len()) {
            self.faults.corrupts_chunks.store(false, Ordering::Release);
            self.at_body = true;
        }
        written
    }

    /// hyper copies bodies for a connection without vectored writes, and the copies would not be in the memory budget.
    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.changes_nothing() {
            return Pin::new(&mut self.stream).poll_write_vectored(cx, buffers);
        }
        let first = buffers.iter().find(|buffer| !buffer.is_empty());
        self.poll_write(cx, first.map_or(&[], |buffer| buffer))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Socket { stream, faults, written, .. } = &mut *self;
        while !written.is_empty() {
            faults.repeats.store(false, Ordering::Release);
            let count = ready!(Pin::new(&mut *stream).poll_write(cx, written))?;
            written.drain(..count);
        }
        Pin::new(stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The same head, with the names of its headers in upper case, and what follows it.
fn with_upper_case_names(head: &[u8]) -> Vec<u8> {
    let mut head = head.to_vec();
    let end = head.windows(END_OF_HEAD.len()).position(|window| window == END_OF_HEAD);
    let end = end.unwrap_or(head.len());
    let mut in_name = false;
    for byte in &mut head[..end] {
        match byte {
            b'\n' => in_name = true,
            b':' => in_name = false,
            _ if in_name => byte.make_ascii_uppercase(),
            _ => {}
        }
    }
    head
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    async fn sockets(upper_case: bool) -> Sockets {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Sockets { listener, upper_case }
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(future)
    }

    #[test]
    fn the_names_of_headers_are_in_upper_case_where_that_is_wanted() {
        let written = block_on(async {
            let mut sockets = sockets(true).await;
            let address = sockets.local_addr().unwrap();
            let (client, (mut socket, _)) =
                tokio::join!(TcpStream::connect(address), sockets.accept());
            let response = b"HTTP/1.1 200 OK\r\nContent-Type: a/b: c\r\n\r\nx: y\r\n";
            socket.write_all(response).await.unwrap();
            drop(socket);
            let mut written = String::new();
            client.unwrap().read_to_string(&mut written).await.unwrap();
            written
        });
        assert_eq!(written, "HTTP/1.1 200 OK\r\nCONTENT-TYPE: a/b: c\r\n\r\nx: y\r\n");
    }

    #[test]
    fn only_the_marked_response_is_corrupted() {
        let written = block_on(async {
            let mut sockets = sockets(false).await;
            let address = sockets.local_addr().unwrap();
            let (client, (mut socket, _)) =
                tokio::join!(TcpStream::connect(address), sockets.accept());
            let response = b"HTTP/1.1 200 OK\r\n\r\n4\r\nbody\r\n0\r\n\r\n";
            socket.write_all(response).await.unwrap();
            socket.faults.corrupt_next_chunks();
            socket.write_all(response).await.unwrap();
            socket.write_all(response).await.unwrap();
            drop(socket);
            let mut written = String::new();
            client.unwrap().read_to_string(&mut written).await.unwrap();
            written
        });
        let bodies: Vec<_> = written.split("HTTP/1.1 200 OK\r\n\r\n").skip(1).collect();
        let [right, wrong] = ["4\r\nbody\r\n0\r\n\r\n", "z\r\nbody\r\n0\r\n\r\n"];
        assert_eq!(bodies, [right, wrong, right]);
    }

    #[test]
    fn only_the_marked_response_is_repeated() {
        let written = block_on(async {
            let mut sockets = sockets(false).await;
            let address = sockets.local_addr().unwrap();
            let (client, (mut socket, _)) =
                tokio::join!(TcpStream::connect(address), sockets.accept());
            for repeats in [false, true, false] {
                if repeats {
                    socket.faults.repeat_next_response();
                }
                socket.write_all(b"head ").await.unwrap();
                socket.write_all(b"body\n").await.unwrap();
                socket.flush().await.unwrap();
            }
            drop(socket);
            let mut written = String::new();
            client.unwrap().read_to_string(&mut written).await.unwrap();
            written
        });
        assert_eq!(written, "head body\n".repeat(4));
    }
}
