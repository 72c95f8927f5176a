//! The hostile server over the HTTP+SSE of 2024-11-05: one event stream for all that it says, and POSTs to the place that
//! the first event names.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::framed::{Act, Acts, Framing};
use super::http::{Request, request};
use super::script::Asked;
use super::{Hostile, How};

/// The streams that are open, by the number that their endpoint has.
type Streams = Arc<Mutex<HashMap<usize, UnboundedSender<Act>>>>;

const STREAM: &[u8] = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Serves clients that come to this port, for ever.
///
/// # Errors
///
/// When the port cannot be listened on.
pub async fn serve(hostile: Arc<Hostile>, listener: TcpListener) -> io::Result<()> {
    let streams = Streams::default();
    loop {
        let (socket, _) = listener.accept().await?;
        let (hostile, streams) = (hostile.clone(), streams.clone());
        // That a client leaves in the middle is its own business.
        tokio::spawn(async move { connection(&hostile, socket, &streams).await });
    }
}

async fn connection(hostile: &Hostile, socket: TcpStream, streams: &Streams) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut socket = BufReader::new(socket);
    let Some(asked) = request(&mut socket).await? else { return Ok(()) };
    if asked.method == "GET" {
        let (says, said) = unbounded_channel();
        let number = {
            let mut open = streams.lock().unwrap_or_else(PoisonError::into_inner);
            let number = open.len();
            open.insert(number, says);
            number
        };
        return stream(&mut socket, number, said, hostile.how).await;
    }
    let status = post(hostile, &asked, streams);
    let answer =
        format!("HTTP/1.1 {status} As Told\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    socket.write_all(answer.as_bytes()).await
}

/// Says on the stream what there is to say to a message; the status of the POST that brought it.
fn post(hostile: &Hostile, request: &Request, streams: &Streams) -> u16 {
    let number = request.path.rsplit('=').next().and_then(|number| number.parse().ok());
    let Some(asked) = Asked::read(&request.body) else { return 400 };
    if asked.id.is_none() {
        return 202;
    }
    let how = if asked.method == hostile.on { hostile.how } else { How::Well };
    if how == How::Status500 {
        return 500;
    }
    let open = streams.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(stream) = number.and_then(|number: usize| open.get(&number)) else { return 404 };
    for act in Acts::new(Framing::Events, asked.answered(how)) {
        // A client that has left does not hear it.
        let _ = stream.send(act);
    }
    202
}

async fn stream(
    socket: &mut BufReader<TcpStream>,
    number: usize,
    mut said: UnboundedReceiver<Act>,
    how: How,
) -> io::Result<()> {
    socket.write_all(STREAM).await?;
    let endpoint = format!("event: endpoint\ndata: /messages?stream={number}\n\n");
    chunk(socket, endpoint.as_bytes()).await?;
    while let Some(act) = said.recv().await {
        match act {
            Act::Write(bytes) => chunk(socket, &bytes).await?,
            Act::Leave if how == How::StreamEndsEarly => break,
            Act::Leave => return Ok(()),
            Act::Hold => {}
        }
    }
    socket.write_all(b"0\r\n\r\n").await
}

async fn chunk(socket: &mut BufReader<TcpStream>, bytes: &[u8]) -> io::Result<()> {
    let length = format!("{:x}\r\n", bytes.len());
    socket.write_all(&[length.as_bytes(), bytes, b"\r\n"].concat()).await
}
