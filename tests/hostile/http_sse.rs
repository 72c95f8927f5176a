//! The hostile server over the HTTP+SSE of 2024-11-05: one event stream for its messages, and POSTs to the endpoint that
//! the first event names.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::framed::{Act, Acts, Framing};
use super::http::{Request, request};
use super::script::ClientMessage;
use super::{Behavior, Hostile};

/// The open streams by the number in their endpoint.
type Streams = Arc<Mutex<HashMap<usize, UnboundedSender<Acts>>>>;

const STREAM: &[u8] = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Serves clients forever.
///
/// # Errors
///
/// When the port cannot be listened on.
pub async fn serve(hostile: Arc<Hostile>, listener: TcpListener) -> io::Result<()> {
    let streams = Streams::default();
    loop {
        let (socket, _) = listener.accept().await?;
        let (hostile, streams) = (hostile.clone(), streams.clone());
        // Clients may disconnect at any time.
        tokio::spawn(async move { connection(&hostile, socket, &streams).await });
    }
}

async fn connection(hostile: &Hostile, socket: TcpStream, streams: &Streams) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut socket = BufReader::new(socket);
    let Some(request) = request(&mut socket).await? else { return Ok(()) };
    if request.method == "GET" {
        let (sender, acts) = unbounded_channel();
        let number = {
            let mut open = streams.lock().unwrap_or_else(PoisonError::into_inner);
            let number = open.len();
            open.insert(number, sender);
            number
        };
        return stream(&mut socket, number, acts, hostile.behavior).await;
    }
    let status = post(hostile, &request, streams);
    let answer =
        format!("HTTP/1.1 {status} As Requested\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    socket.write_all(answer.as_bytes()).await
}

/// Answers a message on its stream; returns the status of its POST.
fn post(hostile: &Hostile, request: &Request, streams: &Streams) -> u16 {
    let number = request.path.rsplit('=').next().and_then(|number| number.parse().ok());
    let Some(message) = ClientMessage::read(&request.body) else { return 400 };
    if message.id.is_none() {
        return 202;
    }
    let behavior = if message.method == hostile.on { hostile.behavior } else { Behavior::Well };
    if behavior == Behavior::Status500 {
        return 500;
    }
    let open = streams.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(stream) = number.and_then(|number: usize| open.get(&number)) else { return 404 };
    // It fails if the client has disconnected.
    let _ = stream.send(Acts::new(Framing::Events, message.answered(behavior)));
    202
}

async fn stream(
    socket: &mut BufReader<TcpStream>,
    number: usize,
    mut messages: UnboundedReceiver<Acts>,
    behavior: Behavior,
) -> io::Result<()> {
    socket.write_all(STREAM).await?;
    let endpoint = format!("event: endpoint\ndata: /messages?stream={number}\n\n");
    chunk(socket, endpoint.as_bytes()).await?;
    while let Some(acts) = messages.recv().await {
        for act in acts {
            match act {
                Act::Write(bytes) => chunk(socket, &bytes).await?,
                Act::End if behavior == Behavior::StreamEndsEarly => {
                    return socket.write_all(b"0\r\n\r\n").await;
                }
                Act::End => return Ok(()),
                Act::Wait => {}
            }
        }
    }
    socket.write_all(b"0\r\n\r\n").await
}

async fn chunk(socket: &mut BufReader<TcpStream>, bytes: &[u8]) -> io::Result<()> {
    let length = format!("{:x}\r\n", bytes.len());
    socket.write_all(&[length.as_bytes(), bytes, b"\r\n"].concat()).await
}
