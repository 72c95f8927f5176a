//! The hostile server over HTTP, as far as it complies with HTTP.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::framed::{Act, Acts, Framing};
use super::script::{ClientMessage, PAGE, Part, Piece};
use super::{ANY, Behavior, Hostile, http_sse};

/// The fatal alert of a TLS server when a client does not start with a handshake.
const TLS_ALERT: &[u8] = b"\x15\x03\x01\x00\x02\x02\x46";

/// What a server that misbehaves on any request answers, if that is not a message.
const LIST: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

/// A response before it is written.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The body.
    pub body: Acts,
}

impl Answer {
    fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Acts::new(Framing::Body, []) }
    }

    fn of(content_type: &'static str, framing: Framing, pieces: Vec<Piece>) -> Self {
        let headers = vec![("Content-Type", content_type)];
        Self { status: 200, headers, body: Acts::new(framing, pieces) }
    }

    fn text(content_type: &'static str, text: &str) -> Self {
        let piece = Piece::Message(vec![Part::Bytes(text.into())]);
        Self::of(content_type, Framing::Body, vec![piece])
    }
}

impl Hostile {
    /// The response to a request with this method and body; an event stream if `streams`.
    #[must_use]
    pub fn answer(&self, method: &str, body: &[u8], streams: bool) -> Answer {
        let message = match ClientMessage::read(body) {
            _ if self.on == ANY => ClientMessage::read(LIST),
            _ if method != "POST" => return Answer::empty(405),
            message => message,
        };
        let Some(message) = message else { return Answer::empty(400) };
        if message.id.is_none() {
            return Answer::empty(202);
        }
        let is_affected = self.on == ANY || message.method == self.on;
        let behavior = if is_affected { self.behavior } else { Behavior::Well };
        let pieces = message.answered(behavior);
        let streams = streams
            || matches!(
                behavior,
                Behavior::StreamEndsEarly
                    | Behavior::StreamNeverEnds
                    | Behavior::EndlessComments
                    | Behavior::UnknownFields
                    | Behavior::Flood
                    | Behavior::EndlessFlood
            );
        let mut answer = match behavior {
            Behavior::Html => Answer::text("text/html", PAGE),
            Behavior::Plain | Behavior::Status500 => Answer::text("text/plain", "I am busy"),
            Behavior::WrongContentType => Answer::of("text/plain", Framing::Body, pieces),
            Behavior::NoContentType => Answer {
                headers: Vec::new(),
                ..Answer::of("application/json", Framing::Body, pieces)
            },
            Behavior::RedirectLoop => Answer {
                status: 307,
                headers: vec![("Location", "/mcp")],
                body: Acts::new(Framing::Body, []),
            },
            Behavior::EndlessComments => {
                let comments = Part::Repeat(b": still here\n".to_vec(), super::script::ENDLESS);
                let comments = Piece::Message(vec![comments]);
                Answer::of("text/event-stream", Framing::Body, vec![comments])
            }
            Behavior::UnknownFields => Answer::text(
                "text/event-stream",
                &format!("date: today\nDATA: x\ndata: {}\n\n", message.reply()),
            ),
            _ if streams => Answer::of("text/event-stream", Framing::Events, pieces),
            _ => Answer::of("application/json", Framing::Body, pieces),
        };
        match behavior {
            Behavior::Status500 => answer.status = 500,
            Behavior::Accepted => answer.status = 202,
            _ => {}
        }
        answer
    }
}

/// Serves clients forever; `requests` counts those for the method.
///
/// # Errors
///
/// When the port cannot be listened on.
pub async fn serve(
    hostile: Arc<Hostile>,
    listener: TcpListener,
    streams: bool,
    requests: Arc<AtomicUsize>,
) -> io::Result<()> {
    loop {
        let (socket, _) = listener.accept().await?;
        let (hostile, requests) = (hostile.clone(), requests.clone());
        // Clients may disconnect at any time.
        tokio::spawn(async move { connection(&hostile, socket, streams, &requests).await });
    }
}

async fn connection(
    hostile: &Hostile,
    socket: TcpStream,
    streams: bool,
    count: &AtomicUsize,
) -> io::Result<()> {
    socket.set_nodelay(true)?;
    if hostile.behavior == Behavior::AcceptsOnly {
        count.fetch_add(1, Ordering::Relaxed);
        return pending().await;
    }
    let mut socket = BufReader::new(socket);
    let Request { method, body, .. } = match request(&mut socket).await {
        Ok(Some(request)) => request,
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
        nothing => return nothing.map(drop),
    };
    let is_affected = hostile.on == ANY
        || ClientMessage::read(&body).is_some_and(|message| message.method == hostile.on);
    if !is_affected {
        return respond(&mut socket, hostile.answer(&method, &body, streams), Behavior::Well).await;
    }
    count.fetch_add(1, Ordering::Relaxed);
    match hostile.behavior {
        Behavior::Never => pending().await,
        Behavior::Hangup => Ok(()),
        // Closing a socket without lingering resets the connection.
        Behavior::Reset => socket.get_ref().set_zero_linger(),
        Behavior::Tls => socket.write_all(TLS_ALERT).await,
        Behavior::NoHttp => socket.write_all(b"220 mail.example ESMTP\r\n").await,
        Behavior::SlowHead => {
            socket.write_all(b"HTTP/1.1 200 OK\r\nX-More: and").await?;
            pending().await
        }
        Behavior::EndlessHead => {
            socket.write_all(b"HTTP/1.1 200 OK\r\n").await?;
            loop {
                socket.write_all(b"X-More: and more\r\n").await?;
            }
        }
        behavior => respond(&mut socket, hostile.answer(&method, &body, streams), behavior).await,
    }
}

/// The parts of an HTTP request that the server reads.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// Reads a request; `None` at the end of the connection.
pub(super) async fn request(socket: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if socket.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut length = 0;
    loop {
        line.clear();
        socket.read_line(&mut line).await?;
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await?;
    Ok(Some(Request { method, path, body }))
}

async fn respond(
    socket: &mut BufReader<TcpStream>,
    answer: Answer,
    behavior: Behavior,
) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {} As Requested\r\nConnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let chunked = behavior != Behavior::ShortBody;
    if behavior == Behavior::TwoLengths {
        head.push_str("Content-Length: 100000\r\n");
    }
    head.push_str(if chunked { "Transfer-Encoding: chunked" } else { "Content-Length: 100000" });
    head.push_str("\r\n\r\n");
    socket.write_all(head.as_bytes()).await?;
    for act in answer.body {
        match act {
            Act::Write(bytes) if chunked => {
                let length = match behavior {
                    Behavior::WrongChunks => "many\r\n".to_owned(),
                    _ => format!("{:x}\r\n", bytes.len()),
                };
                socket.write_all(&[length.as_bytes(), &bytes, b"\r\n"].concat()).await?;
            }
            Act::Write(bytes) => socket.write_all(&bytes).await?,
            Act::End if behavior == Behavior::StreamEndsEarly => break,
            Act::End => return Ok(()),
            Act::Wait => return pending().await,
        }
    }
    if chunked {
        socket.write_all(b"0\r\n\r\n").await?;
    }
    Ok(())
}

/// A hostile server that runs until this is dropped.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
    _runtime: tokio::runtime::Runtime,
}

impl Running {
    /// Starts it on a free port.
    ///
    /// # Panics
    ///
    /// If it cannot be started.
    #[must_use]
    pub fn start(hostile: Hostile, streams: bool) -> Self {
        let requests = Arc::new(AtomicUsize::new(0));
        let count = requests.clone();
        Self::new(requests, move |listener| serve(Arc::new(hostile), listener, streams, count))
    }

    /// Starts it on a free port with the HTTP+SSE of 2024-11-05; requests are not counted.
    ///
    /// # Panics
    ///
    /// Like [`Running::start`].
    #[must_use]
    pub fn with_sse(hostile: Hostile) -> Self {
        Self::new(Arc::default(), move |listener| http_sse::serve(Arc::new(hostile), listener))
    }

    fn new<F>(requests: Arc<AtomicUsize>, serve: impl FnOnce(TcpListener) -> F) -> Self
    where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(serve(listener));
        Self { address, requests, _runtime: runtime }
    }

    /// The URL at which it listens.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// How many requests for the method it has received.
    #[must_use]
    pub fn request_count(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}
