//! The hostile client as a program: it attacks a server at a URL, or one that it starts, after a correct handshake.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

/// What the client does: its name, what it does in a sentence, and how.
pub struct Attack {
    /// The name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Where it is possible.
    pub over: Over,
    how: How,
}

/// Over which transports an attack is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Over all of them.
    Any,
    /// Over HTTP.
    Http,
}

enum How {
    /// It ends without having connected.
    Exits,
    /// It never connects, and does not end.
    Holds,
    /// It sends this in the place of a message, so often.
    Sends(fn() -> Vec<u8>, usize),
    /// It writes this over its connection instead of a request of HTTP, so often; then it waits for the end of the connection.
    Writes(fn() -> Vec<u8>, usize),
    /// It opens so many connections, and writes this to each.
    Connections(usize, &'static str),
    /// It exits with this code after the handshake.
    Code(i32),
    /// It kills itself after the handshake.
    Kills,
    /// It writes to its standard output or error forever.
    Prints(fn() -> Box<dyn Write>),
    /// It leaves a process behind.
    Leaves,
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hostile","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
const CANCELLED: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4711}}"#;

/// More than any server waits for.
const ENDLESS: usize = usize::MAX;
const MIB: usize = 1024 * 1024;

fn nested() -> Vec<u8> {
    let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
    format!(r#"{{"jsonrpc":"2.0","id":2,"method":"ping","params":{open}{close}}}"#).into()
}

fn huge(text: &str, times: usize) -> Vec<u8> {
    let text = text.repeat(times);
    format!(r#"{{"jsonrpc":"2.0","id":2,"method":"ping","params":{{"_meta":{{"a":{text}}}}}}}"#)
        .into()
}

/// All attacks.
pub const ATTACKS: [Attack; 29] = {
    use How::*;
    use Over::*;
    const fn attack(name: &'static str, about: &'static str, over: Over, how: How) -> Attack {
        Attack { name, about, over, how }
    }
    [
        attack("exits", "It exits without having connected.", Any, Exits),
        attack("holds", "It neither connects nor exits.", Any, Holds),
        attack("exit-code-7", "It exits with code 7 after the handshake.", Any, Code(7)),
        attack("killed", "It kills itself after the handshake.", Any, Kills),
        attack(
            "endless-stdout",
            "It writes to its standard output forever.",
            Any,
            Prints(|| Box::new(io::stdout())),
        ),
        attack(
            "endless-stderr",
            "It writes to its standard error forever.",
            Any,
            Prints(|| Box::new(io::stderr())),
        ),
        attack("leaves-process", "It leaves a process behind.", Any, Leaves),
        attack("word", "It sends a word.", Any, Sends(|| b"hello".to_vec(), 1)),
        attack("truncated-json", "It truncates its request.", Any, Sends(|| PING[..20].into(), 1)),
        attack(
            "invalid-utf8",
            "It sends a byte that is not valid UTF-8.",
            Any,
            Sends(|| b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"\xff\"}".to_vec(), 1),
        ),
        attack(
            "nul",
            "It starts its request with a NUL byte.",
            Any,
            Sends(|| format!("\0{PING}").into(), 1),
        ),
        attack("deep", "Its request is nested ten thousand levels deep.", Any, Sends(nested, 1)),
        attack(
            "old-json-rpc",
            "It asks as JSON-RPC 1.0.",
            Any,
            Sends(|| PING.replace("2.0", "1.0").into(), 1),
        ),
        attack(
            "null-id",
            "Its request has the id null.",
            Any,
            Sends(|| PING.replace(":2,", ":null,").into(), 1),
        ),
        attack("same-id", "Its requests have one id.", Any, Sends(|| PING.into(), 3)),
        attack(
            "batch",
            "It sends a batch of ten thousand requests, at a revision without batches.",
            Any,
            Sends(|| format!("[{}]", vec![PING; 10_000].join(",")).into(), 1),
        ),
        attack(
            "zeros",
            "Its request has four million zeros.",
            Any,
            Sends(|| huge(&format!("[{}0]", "0,".repeat(4_000_000)), 1), 1),
        ),
        attack(
            "huge",
            "Its request has 100 MB.",
            Any,
            Sends(|| huge(&format!("\"{}\"", "a".repeat(100 * MIB)), 1), 1),
        ),
        attack(
            "flood",
            "It sends five thousand notifications.",
            Any,
            Sends(|| CANCELLED.into(), 5000),
        ),
        attack(
            "no-http",
            "It does not speak HTTP.",
            Http,
            Writes(|| b"EHLO mail.example\r\n\r\n".to_vec(), 1),
        ),
        attack(
            "tls",
            "It greets as a client of TLS.",
            Http,
            Writes(|| b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".repeat(40), 1),
        ),
        attack(
            "endless-head",
            "It sends headers forever.",
            Http,
            Writes(|| b"POST /mcp HTTP/1.1\r\nX-More: and more\r\n".to_vec(), ENDLESS),
        ),
        attack(
            "no-length",
            "Its request has neither a length nor chunks.",
            Http,
            Writes(
                || {
                    format!("POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\r\n{PING}").into()
                },
                1,
            ),
        ),
        attack(
            "short-body",
            "Its request ends before its length.",
            Http,
            Writes(
                || {
                    format!("POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{PING}").into()
                },
                1,
            ),
        ),
        attack(
            "wrong-chunks",
            "Its request has chunks without a size.",
            Http,
            Writes(
                || {
                    format!("POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\n{PING}\r\n0\r\n\r\n").into()
                },
                1,
            ),
        ),
        attack(
            "two-lengths",
            "Its request has two lengths.",
            Http,
            Writes(
                || {
                    format!("POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 40\r\n\r\n{PING}").into()
                },
                1,
            ),
        ),
        attack(
            "put",
            "It sends a PUT.",
            Http,
            Writes(
                || {
                    format!("PUT /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{PING}", PING.len()).into()
                },
                1,
            ),
        ),
        attack(
            "idle-connections",
            "It opens two hundred connections, and sends nothing.",
            Http,
            Connections(200, ""),
        ),
        attack(
            "half-heads",
            "It opens two hundred connections, and sends half of a request over each.",
            Http,
            Connections(200, "POST /mcp HTTP/1.1\r\nHost: a\r\nX-More: and"),
        ),
    ]
};

/// The server as the client reaches it.
enum Server {
    Url { address: String, path: String, session: Option<String> },
    Started { child: Child, output: BufReader<ChildStdout> },
}

impl Server {
    fn at(target: &[&str]) -> io::Result<Self> {
        if let [url] = target
            && let Some(rest) = url.strip_prefix("http://")
        {
            let (address, path) = rest.split_once('/').unwrap_or((rest, ""));
            let (address, path) = (address.to_owned(), format!("/{path}"));
            return Ok(Self::Url { address, path, session: None });
        }
        let mut command = Command::new(target[0]);
        command.args(&target[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("it is piped"))?;
        Ok(Self::Started { child, output: BufReader::new(output) })
    }

    /// Sends a text in the place of a message, and reads what comes back if `answered`.
    fn send(&mut self, text: &[u8], answered: bool) -> io::Result<()> {
        match self {
            Self::Started { child, output } => {
                let input = child.stdin.as_mut().ok_or_else(|| io::Error::other("it is piped"))?;
                input.write_all(text)?;
                input.write_all(b"\n")?;
                input.flush()?;
                if answered {
                    output.read_line(&mut String::new())?;
                }
                Ok(())
            }
            Self::Url { address, path, session } => {
                let session_line = session.as_ref().map(|id| format!("Mcp-Session-Id: {id}\r\n"));
                let head = format!(
                    "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
                     Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n{}Content-Length: {}\r\n\r\n",
                    session_line.unwrap_or_default(),
                    text.len()
                );
                let mut socket = TcpStream::connect(address.as_str())?;
                socket.write_all(head.as_bytes())?;
                // A server that refuses a body need not read it.
                let _ = socket.write_all(text);
                let mut answer = Vec::new();
                let _ = socket.read_to_end(&mut answer);
                let answer = String::from_utf8_lossy(&answer).to_ascii_lowercase();
                let named = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id:"));
                *session = session.take().or(named.map(|id| id.trim().to_owned()));
                Ok(())
            }
        }
    }

    fn shake_hands(&mut self) -> io::Result<()> {
        self.send(INITIALIZE.as_bytes(), true)?;
        self.send(INITIALIZED.as_bytes(), false)
    }

    /// Closes the input of a server that was started, and waits for its end.
    fn end(self) -> io::Result<()> {
        if let Self::Started { mut child, .. } = self {
            drop(child.stdin.take());
            child.wait()?;
        }
        Ok(())
    }

    /// Another connection to a server at a URL.
    fn connect(&self) -> io::Result<TcpStream> {
        match self {
            Self::Url { address, .. } => TcpStream::connect(address.as_str()),
            Self::Started { .. } => Err(io::Error::other("only over HTTP")),
        }
    }
}

/// Runs an attack on the server at a URL, or on the one that a command starts; returns the exit code.
///
/// # Errors
///
/// If the attack does not exist, or the server cannot be reached.
pub fn run(name: &str, target: &[&str]) -> io::Result<i32> {
    let attack = ATTACKS.iter().find(|attack| attack.name == name);
    let attack = attack.ok_or_else(|| io::Error::other(format!("unknown attack `{name}`")))?;
    match attack.how {
        How::Exits => return Ok(0),
        How::Holds => hold(),
        _ => {}
    }
    let mut server = Server::at(target)?;
    server.shake_hands()?;
    match attack.how {
        How::Exits | How::Holds => {}
        How::Sends(text, times) => {
            let text = text();
            for _ in 0..times {
                // The server may have ended the connection.
                if server.send(&text, false).is_err() {
                    break;
                }
            }
        }
        How::Writes(text, times) => {
            let text = text();
            let mut socket = server.connect()?;
            let mut reading = socket.try_clone()?;
            let read = thread::spawn(move || reading.read_to_end(&mut Vec::new()));
            for _ in 0..times {
                if socket.write_all(&text).is_err() {
                    break;
                }
            }
            // What was cut off ends here.
            let _ = socket.shutdown(std::net::Shutdown::Write);
            let _ = read.join();
        }
        How::Connections(count, text) => {
            let open = || {
                let mut socket = server.connect()?;
                socket.write_all(text.as_bytes())?;
                Ok::<_, io::Error>(socket)
            };
            let _open: Vec<io::Result<TcpStream>> = (0..count).map(|_| open()).collect();
        }
        How::Code(code) => return Ok(code),
        How::Kills => {
            let pid = std::process::id().to_string();
            Command::new("kill").args(["-KILL", &pid]).status()?;
        }
        How::Prints(stream) => {
            let mut stream = stream();
            loop {
                stream.write_all(b"I am still writing this line, and I will not end.\n")?;
            }
        }
        How::Leaves => {
            let program = std::env::current_exe()?;
            Command::new(program).arg("hold").stdin(Stdio::null()).spawn()?;
        }
    }
    server.end()?;
    Ok(0)
}

fn hold() -> ! {
    loop {
        thread::park();
    }
}
