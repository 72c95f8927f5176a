//! Turns the messages of the server into bytes, piece by piece, so that huge ones need not be in memory.

use std::collections::VecDeque;

use super::script::{Part, Piece};

/// What separates messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// A newline after each.
    Lines,
    /// Each is the data of a server-sent event.
    Events,
    /// Nothing: the message is a body.
    Body,
}

impl Framing {
    const fn around(self) -> (&'static [u8], &'static [u8]) {
        match self {
            Self::Lines => (b"", b"\n"),
            Self::Events => (b"data: ", b"\n\n"),
            Self::Body => (b"", b""),
        }
    }

    fn one(self, message: &[u8]) -> Vec<u8> {
        let (before, after) = self.around();
        [before, message, after].concat()
    }
}

/// What to do next on the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Write these bytes, and flush.
    Write(Vec<u8>),
    /// End the server's side of the connection.
    End,
    /// Send nothing more.
    Wait,
}

/// The acts that send these pieces.
#[derive(Debug)]
pub struct Acts {
    framing: Framing,
    pieces: VecDeque<Piece>,
    next: VecDeque<Act>,
    again: Option<Again>,
    /// What is left of the current message, and what ends it.
    parts: VecDeque<Part>,
    end: Option<Vec<u8>>,
}

/// Bytes that are still to be written several times.
#[derive(Debug)]
struct Again {
    batch: Vec<u8>,
    once: usize,
    left: u64,
}

impl Again {
    /// Batches the bytes: a write of a few bytes costs as much as one of many.
    fn new(once: &[u8], times: u64) -> Self {
        const BATCH: usize = 64 * 1024;
        let many = (BATCH / once.len().max(1)).max(1).min(usize::try_from(times).unwrap_or(BATCH));
        Self { batch: once.repeat(many), once: once.len(), left: times }
    }

    fn next(&mut self) -> Option<Vec<u8>> {
        let whole = (self.batch.len() / self.once.max(1)) as u64;
        let now = whole.min(self.left);
        self.left -= now;
        let bytes = usize::try_from(now).unwrap_or(0) * self.once;
        (now > 0).then(|| self.batch[..bytes].to_vec())
    }
}

impl Acts {
    /// The acts that say these pieces in this framing.
    pub fn new(framing: Framing, pieces: impl IntoIterator<Item = Piece>) -> Self {
        Self {
            framing,
            pieces: pieces.into_iter().collect(),
            next: VecDeque::new(),
            again: None,
            parts: VecDeque::new(),
            end: None,
        }
    }

    fn begin(&mut self, piece: Piece) {
        let (before, after) = self.framing.around();
        match piece {
            Piece::Message(parts) => {
                self.next.push_back(Act::Write(before.to_vec()));
                self.parts = parts.into();
                self.end = Some(after.to_vec());
            }
            Piece::Messages(message, times) => {
                self.again = Some(Again::new(&self.framing.one(&message), times));
            }
            Piece::Begun(bytes) => self.next.push_back(Act::Write([before, &bytes].concat())),
            Piece::End => self.next.push_back(Act::End),
            Piece::Wait => self.next.push_back(Act::Wait),
        }
    }

    fn part(&mut self, part: Part) {
        match part {
            Part::Bytes(bytes) => self.next.push_back(Act::Write(bytes)),
            Part::Repeat(bytes, times) => self.again = Some(Again::new(&bytes, times)),
            Part::Trickle(bytes) => {
                self.next.extend(bytes.into_iter().map(|byte| Act::Write(vec![byte])));
            }
        }
    }
}

impl Iterator for Acts {
    type Item = Act;

    fn next(&mut self) -> Option<Act> {
        loop {
            match self.next.pop_front() {
                Some(Act::Write(bytes)) if bytes.is_empty() => continue,
                Some(act) => return Some(act),
                None => {}
            }
            if let Some(bytes) = self.again.as_mut().and_then(Again::next) {
                return Some(Act::Write(bytes));
            }
            self.again = None;
            if let Some(part) = self.parts.pop_front() {
                self.part(part);
            } else if let Some(end) = self.end.take() {
                self.next.push_back(Act::Write(end));
            } else {
                let piece = self.pieces.pop_front()?;
                self.begin(piece);
            }
        }
    }
}
