//! What is to be judged, read as it comes: a value, or a conversation line by line.
//!
//! At most one value, or one line, is held at a time. What is larger than a carrier would accept is not read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bytes::Bytes;

use crate::json::{ParseError, Value};
use crate::trace::file;
use crate::transport::Limits;
use crate::wire::{LineEvent, LineReader};

/// How much is read at a time.
const PIECE: usize = 64 * 1024;
/// About what a line takes that is held, besides its text.
const HELD: usize = 128;

/// What an input turned out to be.
pub(super) enum Input {
    /// One JSON value, on one line or on several.
    Value(Bytes),
    /// Lines, each a message or a value of its own.
    Conversation(Lines),
    /// A trace of mcp-test; its first line, which names the format, is still to come.
    Trace(Lines),
    /// Nothing that is JSON, neither as a whole nor by lines: why not.
    NotJson(ParseError),
    /// Nothing at all.
    Empty,
}

/// A line that is not blank.
#[derive(Debug)]
pub(super) struct Line {
    /// Its number, from 1.
    pub(super) number: usize,
    /// Its text; `None` if it is longer than [`most`].
    pub(super) text: Option<Bytes>,
}

/// How long a line, or a value on several lines, may be.
pub(super) fn most() -> usize {
    Limits::default().line
}

/// The lines of an input.
pub(super) struct Lines {
    source: Box<dyn Read>,
    /// `None` once the source has come to its end.
    reader: Option<LineReader>,
    ready: VecDeque<Line>,
    number: usize,
}

/// Opens a file, or standard input for `-`.
pub(super) fn open(path: &Path) -> io::Result<Lines> {
    let source: Box<dyn Read> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(path)?),
    };
    Ok(Lines::new(source))
}

impl Lines {
    fn new(source: Box<dyn Read>) -> Self {
        let reader = Some(LineReader::new(most()));
        Self { source, reader, ready: VecDeque::new(), number: 0 }
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        while self.ready.is_empty() && self.reader.is_some() {
            self.read_on()?;
        }
        Ok(self.ready.pop_front())
    }

    fn read_on(&mut self) -> io::Result<()> {
        let mut piece = [0; PIECE];
        let read = loop {
            match self.source.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        let events = match (read, &mut self.reader) {
            (0, reader) => reader.take().and_then(LineReader::finish).into_iter().collect(),
            (read, Some(reader)) => reader.push(&piece[..read]),
            (_, None) => Vec::new(),
        };
        for event in events {
            self.number += 1;
            let text = match event {
                LineEvent::Line(text) | LineEvent::Partial(text) => Some(text),
                LineEvent::TooLong { .. } => None,
            };
            if !text.as_ref().is_some_and(|text| text.trim_ascii().is_empty()) {
                self.ready.push_back(Line { number: self.number, text });
            }
        }
        Ok(())
    }

    /// Finds out what the input is.
    pub(super) fn sort(mut self) -> io::Result<Input> {
        let Some(first) = self.next()? else { return Ok(Input::Empty) };
        let Some(text) = first.text.clone() else {
            return Ok(self.conversation([first]));
        };
        if file::Reader::is_head(&text) {
            self.ready.push_front(first);
            return Ok(Input::Trace(self));
        }
        match Value::parse(&text) {
            Ok(_) => match self.next()? {
                None => Ok(Input::Value(text)),
                Some(second) => Ok(self.conversation([first, second])),
            },
            // A value may go on in the next line where nothing but its end is missing.
            Err(error) if error.offset >= text.trim_ascii_end().len() => self.whole(first),
            Err(error) => self.noisy(first, error),
        }
    }

    /// Looks for a line that is JSON, after one that is not.
    fn noisy(mut self, first: Line, error: ParseError) -> io::Result<Input> {
        let error = ParseError { line: error.line + first.number - 1, ..error };
        let (mut lines, mut held) = (vec![first], 0);
        while let Some(line) = self.next()? {
            held += HELD + line.text.as_ref().map_or(0, Bytes::len);
            let is_json = line.text.as_ref().is_some_and(|text| Value::parse(text).is_ok());
            lines.push(line);
            if is_json || held > most() {
                return Ok(self.conversation(lines));
            }
        }
        Ok(Input::NotJson(error))
    }

    /// Reads the value that has begun in the first line to its end, if it is one.
    fn whole(mut self, first: Line) -> io::Result<Input> {
        let mut whole = Vec::new();
        let (mut lines, mut next) = (Vec::new(), Some(first));
        while let Some(line) = next {
            // The lines stand where they stand in the input, so that an error names the right one.
            let before = lines.last().map_or(1, |last: &Line| last.number);
            whole.resize(whole.len() + (line.number - before), b'\n');
            let text = line.text.clone().filter(|text| whole.len() + text.len() <= most());
            lines.push(line);
            let Some(text) = text else { return Ok(self.conversation(lines)) };
            whole.extend_from_slice(&text);
            next = self.next()?;
        }
        match Value::parse(&whole) {
            Ok(_) => Ok(Input::Value(whole.into())),
            Err(_) if lines.iter().any(Line::is_by_itself) => Ok(self.conversation(lines)),
            Err(error) => Ok(Input::NotJson(error)),
        }
    }

    /// A conversation that begins with these lines.
    fn conversation(mut self, lines: impl IntoIterator<Item = Line>) -> Input {
        let mut ready: VecDeque<Line> = lines.into_iter().collect();
        ready.append(&mut self.ready);
        self.ready = ready;
        Input::Conversation(self)
    }
}

impl Line {
    /// Whether it is a value that stands on a line of its own because each does, not just because it is short.
    fn is_by_itself(&self) -> bool {
        let value = self.text.as_ref().and_then(|text| Value::parse(text).ok());
        value.is_some_and(|it| it.value.as_object().is_some_and(|members| !members.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an input is, in a word, with the numbers of its lines.
    fn sorted(text: &'static str) -> String {
        let mut lines = match Lines::new(Box::new(text.as_bytes())).sort().expect("it is read") {
            Input::Value(whole) => return format!("value of {} bytes", whole.len()),
            Input::NotJson(error) => return error.to_string(),
            Input::Empty => return "empty".to_owned(),
            Input::Trace(lines) | Input::Conversation(lines) => lines,
        };
        let mut numbers = Vec::new();
        while let Some(line) = lines.next().expect("it is read") {
            numbers.push(line.number.to_string());
        }
        format!("lines {}", numbers.join(" "))
    }

    #[test]
    fn a_value_may_stand_on_one_line_or_on_several() {
        assert_eq!(sorted("{\"a\":1}"), "value of 7 bytes");
        assert_eq!(sorted("\n {\"a\":1} \n\n"), "value of 9 bytes");
        assert_eq!(sorted("{\n  \"a\": {}\n}\n"), "value of 13 bytes");
        assert_eq!(sorted("{\n  \"a\": [\n    {\"id\": 1}\n]}\n"), "value of 27 bytes");
        assert_eq!(sorted(""), "empty");
        assert_eq!(sorted(" \n\r\n"), "empty");
    }

    #[test]
    fn several_values_are_a_conversation_whatever_stands_between_them() {
        assert_eq!(sorted("{}\n\n{}\n"), "lines 1 3");
        assert_eq!(sorted("listening\n{\"id\":1}"), "lines 1 2");
        assert_eq!(sorted("{\n\n{\"id\":1}\n"), "lines 1 3");
        assert_eq!(sorted("xyz\nJSON\n"), "line 1, column 1: expected a value, found `x`");
        assert_eq!(sorted("{\"mcp-test-trace\":1}\n{}\n"), "lines 1 2");
    }

    #[test]
    fn a_broken_value_is_told_with_the_line_of_the_input() {
        assert_eq!(
            sorted("\n{\n\n  \"a\": xyz\n}"),
            "line 4, column 8: expected a value, found `x`"
        );
    }

    #[test]
    fn what_is_too_long_is_left_out_and_the_rest_read() {
        let long = format!("\"{}\"\n{{}}\n", "x".repeat(most()));
        let mut lines = Lines::new(Box::new(io::Cursor::new(long)));
        let first = lines.next().expect("it is read").expect("a line");
        assert_eq!((first.number, first.text), (1, None));
        let second = lines.next().expect("it is read").expect("a line");
        assert_eq!((second.number, second.text.as_deref()), (2, Some(&b"{}"[..])));
        assert!(lines.next().expect("it is read").is_none());
    }
}
