//! Serves one byte stream with a message per line: stdio, a duplex pipe or a socket.
//!
//! Everything happens in one future: reading, the work in progress, and writing. Dropping it leaves nothing behind.

use std::io;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::mpsc;

use super::Limits;
use super::actor::{Actor, Conversation, InboundText, Outbox, OutboxItem, ServeError};
use super::fault::{Delivery, DeliveryPart, FollowUp, Misbehavior};
use super::interceptor::InterceptedConnection;
use super::line_client::is_message;
use crate::clock::{self, Deadline};
use crate::trace::{EventKind, Party, UnparsableKind};
use crate::wire::{LineEvent, LineReader};

/// How many requests may be in progress before reading stops.
const IN_FLIGHT: usize = 1024;
/// How long requests in progress may take once the peer has closed its end.
const LAST_REPLIES: Duration = Duration::from_secs(1);
/// How many bytes are read at once.
const CHUNK: usize = 8 * 1024;

/// Serves one conversation until the peer closes its end, or a fault ends it.
///
/// # Errors
///
/// If reading fails, or a fault ends the server. A peer that stops reading is an ordinary end.
pub(crate) async fn serve_lines<IO>(
    io: IO,
    actor: &dyn Actor,
    wire: &InterceptedConnection,
    limits: Limits,
) -> Result<(), ServeError>
where
    IO: AsyncRead + AsyncWrite,
{
    let (reader, writer) = tokio::io::split(io);
    let (outbox, messages) = Outbox::channel();
    let conversation = actor.new_conversation(None);
    conversation.attach(outbox.clone());
    let reading = read(reader, &*conversation, outbox, wire, limits);
    let writing = write(writer, wire, messages);
    tokio::pin!(writing);
    tokio::select! {
        // Writing first: it ends early only if a fault or the peer ends the connection, and then nothing more counts.
        biased;
        ended = &mut writing => return ended,
        ended = reading => ended?,
    }
    writing.await
}

/// Reads until the end, then waits a limited time for the work in progress; the outbox closes with it.
async fn read<R>(
    mut reader: ReadHalf<R>,
    conversation: &dyn Conversation,
    outbox: Outbox,
    wire: &InterceptedConnection,
    limits: Limits,
) -> Result<(), ServeError>
where
    R: AsyncRead,
{
    let mut lines = LineReader::new(limits.line);
    let mut in_flight = FuturesUnordered::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = tokio::select! {
            biased;
            Some(()) = in_flight.next() => continue,
            // A client with too many open requests is not read, which blocks it instead of filling our memory.
            read = reader.read(&mut chunk), if in_flight.len() < IN_FLIGHT => read?,
        };
        if read == 0 {
            break;
        }
        for event in lines.push(&chunk[..read]) {
            in_flight.push(conversation.receive(received(wire, &event), outbox.clone()));
        }
    }
    if let Some(event) = lines.finish() {
        in_flight.push(conversation.receive(received(wire, &event), outbox.clone()));
    }
    if wire.misbehaves(Misbehavior::IgnoresEof) {
        while in_flight.next().await.is_some() {}
        std::future::pending::<()>().await;
    }
    // Wakes the work that waits for the client, which can no longer reply, so that it ends in time.
    conversation.close();
    let replies = async { while in_flight.next().await.is_some() {} };
    // The shutdown of stdio leaves no more time: a client that closed our input sends SIGTERM next.
    clock::within(Deadline::after(LAST_REPLIES), replies).await.ok();
    Ok(())
}

fn received(wire: &InterceptedConnection, event: &LineEvent) -> InboundText {
    match event {
        // Served nevertheless: that the newline is missing is for a judge of the trace.
        LineEvent::Partial(text) if is_message(text) => {
            wire.record(Party::Client, || EventKind::Unparsable {
                bytes: text.clone(),
                why: "no newline follows".to_owned(),
                kind: UnparsableKind::Unended,
            });
            InboundText::parse(text.clone())
        }
        LineEvent::Line(text) | LineEvent::Partial(text) => {
            wire.received(text);
            InboundText::parse(text.clone())
        }
        LineEvent::TooLong { length_seen, head } => {
            let why = format!("the line is too long: {length_seen} bytes");
            wire.record(Party::Client, || EventKind::Unparsable {
                bytes: head.clone(),
                why: why.clone(),
                kind: UnparsableKind::OverLimit,
            });
            InboundText::Unreadable(why)
        }
    }
}

async fn write<W>(
    mut writer: WriteHalf<W>,
    wire: &InterceptedConnection,
    mut messages: mpsc::Receiver<OutboxItem>,
) -> Result<(), ServeError>
where
    W: AsyncWrite,
{
    for banner in wire.banners() {
        // A client that no longer reads is an ordinary end, here and below.
        if put(&mut writer, wire, &banner).await.is_err() {
            return Ok(());
        }
    }
    let mut delayed = FuturesUnordered::new();
    while let Some((delivery, answers)) = next_delivery(&mut messages, &mut delayed, wire).await {
        // Set aside, so that later messages can pass it.
        if let Delivery { delay: Some(by), .. } = delivery {
            delayed.push(async move {
                clock::quiet(by).await;
                (Delivery { delay: None, ..delivery }, answers)
            });
            continue;
        }
        for part in &delivery.parts {
            if put(&mut writer, wire, part).await.is_err() {
                return Ok(());
            }
        }
        match delivery.then {
            // Lines have no stream per request that could end or stay open; the client only misses the reply.
            FollowUp::Continue | FollowUp::Silence | FollowUp::EndStream => {}
            FollowUp::CloseConnection => break,
            FollowUp::Exit => {
                return Err(ServeError::Exited { method: answers.unwrap_or_default() });
            }
        }
    }
    writer.shutdown().await.ok();
    Ok(())
}

/// The next delivery with the method that it answers: a new message, or a delayed one that is due; `None` at the end.
async fn next_delivery<D>(
    messages: &mut mpsc::Receiver<OutboxItem>,
    delayed: &mut FuturesUnordered<D>,
    wire: &InterceptedConnection,
) -> Option<(Delivery, Option<String>)>
where
    D: Future<Output = (Delivery, Option<String>)>,
{
    loop {
        tokio::select! {
            // New messages first: a delayed one is there to be passed by them.
            biased;
            outbound = messages.recv() => match outbound {
                // A client cannot resume lines: ending the connection would end the conversation.
                Some(OutboxItem::EndConnection) => {}
                Some(OutboxItem::Message(emitted)) => {
                    let answers = emitted.answers.clone();
                    return Some((wire.deliver(emitted), answers));
                }
                // The outbox is closed, but delayed messages are still to be sent.
                None => return delayed.next().await,
            },
            Some(delivery) = delayed.next() => return Some(delivery),
        }
    }
}

async fn put<W: AsyncWrite>(
    writer: &mut WriteHalf<W>,
    wire: &InterceptedConnection,
    part: &DeliveryPart,
) -> io::Result<()> {
    // Recorded before it is written, so that no reaction of the client precedes it in the trace.
    wire.sent(part);
    writer.write_all(&part.line()).await?;
    writer.flush().await
}
