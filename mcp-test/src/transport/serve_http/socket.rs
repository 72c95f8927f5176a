//! Sockets that corrupt chunked bodies, which no HTTP library would write.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Where the head of a response ends.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// What replaces the first digit of the first chunk size.
const NO_DIGIT: &[u8] = b"z";

/// A listener whose connections can corrupt a response.
pub(super) struct Sockets(pub(super) TcpListener);

/// One connection.
pub(super) struct Socket {
    stream: TcpStream,
    corruption: ChunkCorruption,
    /// Whether the next byte is the first of a body that must be corrupted.
    at_body: bool,
}

/// Whether the body of a connection's next response must be corrupted; clones share the flag.
#[derive(Debug, Clone, Default)]
pub(super) struct ChunkCorruption(Arc<AtomicBool>);

impl ChunkCorruption {
    /// Corrupts the chunks of the response that is written next.
    pub(super) fn next_response(&self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Listener for Sockets {
    type Io = Socket;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.0).await;
        (Socket { stream, corruption: ChunkCorruption::default(), at_body: false }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, Sockets>> for ChunkCorruption {
    fn connect_info(stream: IncomingStream<'_, Sockets>) -> Self {
        stream.io().corruption.clone()
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
        if self.at_body && !bytes.is_empty() {
            // One byte replaces one byte, so the returned count is also right for the caller.
            let written = Pin::new(&mut self.stream).poll_write(cx, NO_DIGIT);
            self.at_body = !matches!(written, Poll::Ready(Ok(1)));
            return written;
        }
        let end = || bytes.windows(END_OF_HEAD.len()).position(|window| window == END_OF_HEAD);
        let Some(end) = self.corruption.0.load(Ordering::Acquire).then(end).flatten() else {
            return Pin::new(&mut self.stream).poll_write(cx, bytes);
        };
        // Only the head, so that the next write starts with the first digit of the chunk size.
        let head = &bytes[..end + END_OF_HEAD.len()];
        // The flag stays set after a partial write: the next call gets the rest of the head.
        let written = Pin::new(&mut self.stream).poll_write(cx, head);
        if matches!(written, Poll::Ready(Ok(count)) if count == head.len()) {
            self.corruption.0.store(false, Ordering::Release);
            self.at_body = true;
        }
        written
    }

    // Vectored writes are not overridden, so they too pass through `poll_write`.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[test]
    fn only_the_marked_response_is_corrupted() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let written = runtime.block_on(async {
            let mut sockets = Sockets(TcpListener::bind("127.0.0.1:0").await.unwrap());
            let address = sockets.local_addr().unwrap();
            let (client, (mut socket, _)) =
                tokio::join!(TcpStream::connect(address), sockets.accept());
            let response = b"HTTP/1.1 200 OK\r\n\r\n4\r\nbody\r\n0\r\n\r\n";
            socket.write_all(response).await.unwrap();
            socket.corruption.next_response();
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
}
