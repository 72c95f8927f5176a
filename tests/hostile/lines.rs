//! The hostile server over a byte stream, a message per line: the standard streams of a program, or a pipe.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use super::framed::{Act, Acts, Framing};
use super::script::Asked;
use super::{Hostile, How};

/// How the server came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The client has left.
    ClientLeft,
    /// It has left by itself.
    Left,
}

/// Serves one client until either leaves.
///
/// # Errors
///
/// When the client cannot be read, or does not read any more.
pub async fn serve<R, W>(hostile: &Hostile, input: R, mut output: W) -> io::Result<Over>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    if hostile.how == How::ExitAtOnce {
        return Ok(Over::Left);
    }
    let mut lines = BufReader::new(input).lines();
    let mut held_back: Option<Asked> = None;
    let mut is_cancelled = false;
    while let Some(line) = lines.next_line().await? {
        let Some(asked) = Asked::read(line.as_bytes()) else { continue };
        if asked.id.is_none() {
            if (asked.method.as_str(), hostile.how)
                == ("notifications/initialized", How::ExitAfterHandshake)
            {
                return Ok(Over::Left);
            }
            is_cancelled |= asked.method == "notifications/cancelled";
            continue;
        }
        let hostile_here = asked.method == hostile.on;
        let how = if hostile_here { hostile.how } else { How::Well };
        if how == How::AnswerAfterCancel {
            held_back = Some(asked);
            continue;
        }
        if !say(&mut output, asked.answered(how)).await? {
            return Ok(Over::Left);
        }
        if let Some(late) = held_back.take_if(|_| is_cancelled) {
            say(&mut output, late.answered(How::Well)).await?;
        }
    }
    Ok(Over::ClientLeft)
}

/// Says these pieces; whether the server goes on.
async fn say<W>(
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
            Act::Leave => return Ok(false),
            Act::Hold => break,
        }
    }
    Ok(true)
}
