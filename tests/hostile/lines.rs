//! The hostile server over a byte stream with a message per line: the standard streams of a program, or a pipe.

use std::io::{self, Write};

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use super::framed::{Act, Acts, Framing};
use super::script::ClientMessage;
use super::{Behavior, Hostile};

/// Why the server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client disconnected.
    ClientLeft,
    /// It exited on its own.
    Exited,
}

/// Serves one client until either side ends.
///
/// # Errors
///
/// If reading or writing fails.
pub async fn serve<R, W>(hostile: &Hostile, input: R, mut output: W) -> io::Result<Ended>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    if hostile.behavior == Behavior::ExitAtOnce {
        return Ok(Ended::Exited);
    }
    let mut lines = BufReader::new(input).lines();
    let mut held_back: Option<ClientMessage> = None;
    let mut is_cancelled = false;
    while let Some(line) = lines.next_line().await? {
        let Some(message) = ClientMessage::read(line.as_bytes()) else { continue };
        if message.id.is_none() {
            if (message.method.as_str(), hostile.behavior)
                == ("notifications/initialized", Behavior::ExitAfterHandshake)
            {
                return Ok(Ended::Exited);
            }
            is_cancelled |= message.method == "notifications/cancelled";
            continue;
        }
        let hostile_here = message.method == hostile.on;
        let behavior = if hostile_here { hostile.behavior } else { Behavior::Well };
        if behavior == Behavior::AnswerAfterCancel {
            held_back = Some(message);
            continue;
        }
        write_stderr(behavior)?;
        if !send(&mut output, message.answered(behavior)).await? {
            return Ok(Ended::Exited);
        }
        if let Some(late) = held_back.take_if(|_| is_cancelled) {
            send(&mut output, late.answered(Behavior::Well)).await?;
        }
    }
    Ok(Ended::ClientLeft)
}

/// Writes what belongs on standard error.
fn write_stderr(behavior: Behavior) -> io::Result<()> {
    match behavior {
        Behavior::LongStderr => io::stderr().write_all(&[b'e'; 1_000_000]),
        Behavior::EndlessStderr => loop {
            io::stderr().write_all(&[b'e'; 4000])?;
            io::stderr().write_all(b"\n")?;
        },
        _ => Ok(()),
    }
}

/// Sends these pieces; `false` if the server ends.
async fn send<W>(
    output: &mut W,
    pieces: impl IntoIterator<Item = super::script::Piece>,
) -> io::Result<bool>
where
    W: AsyncWrite + Unpin,
{
    for act in Acts::new(Framing::Lines, pieces) {
        match act {
            Act::Write(bytes) => {
                output.write_all(&bytes).await?;
                output.flush().await?;
            }
            Act::End => return Ok(false),
            Act::Wait => break,
        }
    }
    Ok(true)
}
