//! What a relay reports: frames of a tag, a length and a payload.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::trace::EndSignal;

/// How long the payload of a frame may be, and how much a relay reads at once.
pub(super) const MAX_PAYLOAD: usize = 16 * 1024;

/// One report of a relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Frame {
    /// Bytes from its standard input.
    Input(Bytes),
    /// Its standard input has ended.
    Eof,
    /// It has written lines such as this to its standard error.
    Stderr(Bytes),
    /// It got a signal that ends it.
    Signal {
        signal: EndSignal,
        /// How long before that its standard input ended, if it did.
        since_eof: Option<Duration>,
    },
    /// It exits. Without this, it was killed.
    Exit,
}

impl Frame {
    const INPUT: u8 = b'i';
    const EOF: u8 = b'e';
    const STDERR: u8 = b'o';
    const SIGNAL: u8 = b's';
    const EXIT: u8 = b'x';

    /// The frame on the wire.
    #[cfg(any(test, feature = "suite"))]
    pub(super) fn encode(&self) -> Vec<u8> {
        let (tag, payload) = match self {
            Self::Input(bytes) => (Self::INPUT, bytes.to_vec()),
            Self::Stderr(bytes) => (Self::STDERR, bytes.to_vec()),
            Self::Eof => (Self::EOF, Vec::new()),
            Self::Signal { signal, since_eof } => {
                let micros = since_eof.map(|it| u64::try_from(it.as_micros()).unwrap_or(u64::MAX));
                let micros = micros.map(u64::to_be_bytes).unwrap_or_default();
                let mut payload = vec![signal.number(), u8::from(since_eof.is_some())];
                payload.extend(micros);
                (Self::SIGNAL, payload)
            }
            Self::Exit => (Self::EXIT, Vec::new()),
        };
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        let head = [tag].into_iter().chain(length.to_be_bytes());
        head.chain(payload).collect()
    }

    /// Reads the next frame; `None` at the end.
    ///
    /// # Errors
    ///
    /// If reading fails, or what comes is not a frame.
    pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Self>> {
        let Ok(tag) = from.read_u8().await else { return Ok(None) };
        let length = from.read_u32().await? as usize;
        if length > MAX_PAYLOAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut payload = vec![0; length];
        from.read_exact(&mut payload).await?;
        let frame = match tag {
            Self::INPUT => Some(Self::Input(payload.into())),
            Self::EOF => Some(Self::Eof),
            Self::STDERR => Some(Self::Stderr(payload.into())),
            Self::SIGNAL => signal(&payload),
            Self::EXIT => Some(Self::Exit),
            _ => None,
        };
        frame.map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

fn signal(payload: &[u8]) -> Option<Frame> {
    let (&[number, ended], micros) = payload.split_first_chunk::<2>()?;
    let micros = u64::from_be_bytes(micros.try_into().ok()?);
    let since_eof = (ended == 1).then(|| Duration::from_micros(micros));
    Some(Frame::Signal { signal: EndSignal::from_number(number)?, since_eof })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_frame_is_read_as_it_was_written() {
        let frames = [
            Frame::Input(Bytes::from_static(b"{}\n")),
            Frame::Eof,
            Frame::Stderr(Bytes::from_static(b"oops\n")),
            Frame::Signal { signal: EndSignal::Terminate, since_eof: None },
            Frame::Signal { signal: EndSignal::Hangup, since_eof: Some(Duration::from_millis(7)) },
            Frame::Exit,
        ];
        let bytes: Vec<u8> = frames.iter().flat_map(Frame::encode).collect();
        let mut from = bytes.as_slice();
        for frame in frames {
            assert_eq!(Frame::read(&mut from).await.expect("a frame"), Some(frame));
        }
        assert_eq!(Frame::read(&mut from).await.expect("the end"), None);
    }

    #[tokio::test]
    async fn what_is_not_a_frame_is_an_error() {
        for bytes in [
            b"i\xff\xff\xff\xff".as_slice(),
            b"?\x00\x00\x00\x00",
            b"i\x00\x00\x00\x05abc",
            b"s\x00\x00\x00\x01\x0f",
        ] {
            let mut from = bytes;
            assert!(Frame::read(&mut from).await.is_err(), "{bytes:?}");
        }
    }
}
