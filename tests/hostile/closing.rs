//! A correct server that closes each connection after one response, without `Connection: close`.
//!
//! HTTP allows it at any time (RFC 9112, section 9.5). Some connections are closed at once, others when the next request
//! has arrived, in part or as a whole. It passes every request on to another server, on a connection of its own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

/// A request or response before the end of its head would otherwise fill the memory.
const LONGEST_HEAD: usize = 64 * 1024;

/// The server; it ends when this is dropped.
#[derive(Debug)]
pub struct ClosingServer {
    address: SocketAddr,
    counts: Arc<Counts>,
    _runtime: Runtime,
}

/// What has arrived on connections that were then closed without a response.
#[derive(Debug, Default)]
struct Counts {
    requests: AtomicUsize,
    tool_calls: AtomicUsize,
}

/// When a connection is closed after its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Close {
    /// At once.
    AtOnce,
    /// When the next request has been read.
    AfterNextRequest,
    /// When the first bytes of the next request have arrived: what is unread resets the connection.
    OnNextBytes,
}

impl ClosingServer {
    /// Starts it on a free port, in front of the server at `upstream`.
    ///
    /// # Panics
    ///
    /// If it cannot be started.
    #[must_use]
    pub fn start(upstream: SocketAddr) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let counts = Arc::<Counts>::default();
        let counted = counts.clone();
        runtime.spawn(async move {
            let ways = [Close::AtOnce, Close::AfterNextRequest, Close::OnNextBytes];
            for close in ways.into_iter().cycle() {
                let Ok((client, _)) = listener.accept().await else { return };
                let counts = counted.clone();
                // Clients may disconnect at any time.
                tokio::spawn(async move { connection(client, upstream, close, &counts).await });
            }
        });
        Self { address, counts, _runtime: runtime }
    }

    /// The URL of the MCP endpoint.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// How many requests arrived on a connection that was then closed.
    #[must_use]
    pub fn unanswered_requests(&self) -> usize {
        self.counts.requests.load(Ordering::Relaxed)
    }

    /// How many of them called a tool.
    #[must_use]
    pub fn unanswered_tool_calls(&self) -> usize {
        self.counts.tool_calls.load(Ordering::Relaxed)
    }
}

async fn connection(
    mut client: TcpStream,
    upstream: SocketAddr,
    close: Close,
    counts: &Counts,
) -> io::Result<()> {
    client.set_nodelay(true)?;
    let Some((head, body)) = request(&mut client).await? else { return Ok(()) };
    let mut server = TcpStream::connect(upstream).await?;
    // The end of the response is then the end of the connection, whatever its framing.
    let head = with_line(&without_connection(&head), "Connection: close");
    server.write_all(head.as_bytes()).await?;
    server.write_all(&body).await?;
    let Some((head, begun)) = head_of(&mut server).await? else { return Ok(()) };
    client.write_all(without_connection(&head).as_bytes()).await?;
    client.write_all(&begun).await?;
    let mut early = [0; 1];
    let (mut reading, mut writing) = client.split();
    tokio::select! {
        copied = tokio::io::copy(&mut server, &mut writing) => copied?,
        // The client gave the stream up, so the server behind must see that too.
        _ = reading.peek(&mut early) => return Ok(()),
    };
    if close == Close::AtOnce || client.peek(&mut early).await? == 0 {
        return Ok(());
    }
    // A request is small enough to arrive in one piece, so that its beginning shows whether it calls a tool.
    let mut next = vec![0; LONGEST_HEAD];
    let length = client.peek(&mut next).await?;
    counts.requests.fetch_add(1, Ordering::Relaxed);
    let calls_tool = next[..length].windows(12).any(|bytes| bytes == b"\"tools/call\"");
    counts.tool_calls.fetch_add(usize::from(calls_tool), Ordering::Relaxed);
    if close == Close::AfterNextRequest {
        request(&mut client).await?;
    }
    Ok(())
}

/// Reads a request; `None` at the end of the connection.
async fn request(client: &mut TcpStream) -> io::Result<Option<(String, Vec<u8>)>> {
    let Some((head, mut body)) = head_of(client).await? else { return Ok(None) };
    let lengths = head.lines().filter_map(|line| line.split_once(':'));
    let length = lengths
        .filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .find_map(|(_, value)| value.trim().parse().ok());
    let begun = body.len();
    // More than announced would be the next request, which clients do not send before the response.
    body.resize(length.unwrap_or(0).max(begun), 0);
    client.read_exact(&mut body[begun..]).await?;
    Ok(Some((head, body)))
}

/// Reads a head; returns it with the beginning of the body, or `None` at the end of the connection.
async fn head_of(stream: &mut TcpStream) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
            let body = bytes.split_off(end + 4);
            return Ok(Some((String::from_utf8_lossy(&bytes).into_owned(), body)));
        }
        if bytes.len() > LONGEST_HEAD || stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
}

/// A head without the headers that say whether its connection is closed.
fn without_connection(head: &str) -> String {
    let other = |line: &&str| !line.to_ascii_lowercase().starts_with("connection:");
    head.split_inclusive("\r\n").filter(other).collect()
}

/// A head with a further line.
fn with_line(head: &str, line: &str) -> String {
    format!("{}{line}\r\n\r\n", head.trim_end_matches("\r\n").to_owned() + "\r\n")
}
