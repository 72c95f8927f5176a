//! Serving one byte stream: a message per line, as over stdio, a duplex pipe or a socket.
//!
//! Everything happens inside of one future: reading, the work in flight, and writing. Dropping it leaves nothing behind.

use std::{io, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf},
    sync::mpsc,
};

use super::{
    Limits,
    fault::{Delivery, Lapse, Part, Then},
    serve::{Actor, Conversation, Outbound, Outbox, Received, ServeError},
    tap::Wire,
};
use crate::{
    clock::{self, Deadline},
    trace::{Damage, Party, What},
    wire::lines::{LineEvent, LineReader},
};

/// How many requests may be in flight before reading stops.
const IN_FLIGHT: usize = 1024;
/// How long requests in flight may still take once the peer has closed its end.
const LAST_REPLIES: Duration = Duration::from_secs(1);
/// How much is read at once.
const CHUNK: usize = 8 * 1024;

/// Serves one conversation until the peer closes its end, or a fault ends it.
///
/// # Errors
///
/// When reading fails, or when a fault ends the server. A peer that has stopped reading is an ordinary end.
pub async fn serve_lines<IO>(
    io: IO,
    actor: &dyn Actor,
    wire: &Wire,
    limits: Limits,
) -> Result<(), ServeError>
where
    IO: AsyncRead + AsyncWrite,
{
    let (reader, writer) = tokio::io::split(io);
    let (outbox, messages) = Outbox::channel();
    let conversation = actor.converse(None);
    conversation.attach(outbox.clone());
    let reading = read(reader, &*conversation, outbox, wire, limits);
    let writing = write(writer, wire, messages);
    tokio::pin!(writing);
    tokio::select! {
        biased;
        ended = &mut writing => return ended,
        ended = reading => ended?,
    }
    writing.await
}

/// Reads until the end, and gives the work in flight its last chance; the outbox closes with it.
async fn read<R>(
    mut reader: ReadHalf<R>,
    conversation: &dyn Conversation,
    outbox: Outbox,
    wire: &Wire,
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
    if wire.lapses(Lapse::IgnoresEof) {
        while in_flight.next().await.is_some() {}
        std::future::pending::<()>().await;
    }
    conversation.close();
    let replies = async { while in_flight.next().await.is_some() {} };
    // What does not answer in time was going to be abandoned with the process anyway.
    clock::within(Deadline::after(LAST_REPLIES), replies).await.ok();
    Ok(())
}

fn received(wire: &Wire, event: &LineEvent) -> Received {
    match event {
        LineEvent::Line(text) | LineEvent::Partial(text) => {
            wire.received(text);
            Received::read(text)
        }
        LineEvent::TooLong { length_seen, head } => {
            let why = format!("the line is too long: {length_seen} bytes");
            wire.record(Party::Client, || What::Noise {
                bytes: head.clone(),
                why: why.clone(),
                damage: Damage::OverLimit,
            });
            Received::Unreadable(why)
        }
    }
}

async fn write<W>(
    mut writer: WriteHalf<W>,
    wire: &Wire,
    mut messages: mpsc::Receiver<Outbound>,
) -> Result<(), ServeError>
where
    W: AsyncWrite,
{
    for banner in wire.banners() {
        if put(&mut writer, wire, &banner).await.is_err() {
            return Ok(());
        }
    }
    let mut late = FuturesUnordered::new();
    loop {
        let (delivery, answers) = tokio::select! {
            biased;
            outbound = messages.recv() => match outbound {
                Some(Outbound::EndConnection) => continue,
                Some(Outbound::Message(emitted)) => {
                    let answers = emitted.answers.clone();
                    (wire.deliver(emitted), answers)
                }
                None => match late.next().await {
                    Some(late) => late,
                    None => break,
                },
            },
            Some(late) = late.next() => late,
        };
        if let Delivery { late: Some(by), .. } = delivery {
            late.push(async move {
                clock::quiet(by).await;
                (Delivery { late: None, ..delivery }, answers)
            });
            continue;
        }
        for part in &delivery.parts {
            if put(&mut writer, wire, part).await.is_err() {
                return Ok(());
            }
        }
        match delivery.then {
            Then::GoOn | Then::Silence | Then::End => {}
            Then::Close => break,
            Then::Exit => {
                return Err(ServeError::Exited { method: answers.unwrap_or_default() });
            }
        }
    }
    writer.shutdown().await.ok();
    Ok(())
}

async fn put<W: AsyncWrite>(writer: &mut WriteHalf<W>, wire: &Wire, part: &Part) -> io::Result<()> {
    wire.sent(part.bytes());
    writer.write_all(&part.line()).await?;
    writer.flush().await
}
