//! Reads the input as a stream: a value, or a conversation line by line.
//!
//! At most one value, or one line, is held at a time. What is larger than a transport would accept is not read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bytes::Bytes;
use mcp_test_core::files;
use mcp_test_core::json::{Document, ParseError, Value};
use mcp_test_core::trace::file;
use mcp_test_core::transport::Limits;
use mcp_test_core::wire::{LineEvent, LineReader};

/// How many bytes are read at a time.
const CHUNK: usize = 64 * 1024;
/// The approximate memory of a line in bytes, in addition to its text.
const LINE_OVERHEAD: usize = 128;

/// What an input turned out to be.
pub(super) enum Input {
    /// One JSON value, on one line or on several.
    Value(Bytes),
    /// Lines, each with a message or a value.
    Conversation(Lines),
    /// A trace of mcp-test; its first line, which names the format, is still to come.
    Trace(Lines),
    /// Neither JSON as a whole nor by lines, with the first error.
    NotJson(ParseError),
    /// Only blank lines, or none.
    Empty,
}

/// A line that is not blank.
#[derive(Debug)]
pub(super) struct Line {
    /// Its number, from 1.
    pub(super) number: usize,
    /// Its text; `None` if it is longer than [`max_length`].
    pub(super) text: Option<Bytes>,
}

/// How many bytes a line, or a value on several lines, may have: as many as a message over stdio.
fn max_length() -> usize {
    Limits::default().line
}

/// How many bytes an input may have in all, since a device or a pipe may have no end.
const MOST: usize = 256 * 1024 * 1024;

/// The lines of an input.
pub(super) struct Lines {
    source: Box<dyn Read>,
    /// `None` at the end of the source.
    reader: Option<LineReader>,
    /// The lines of what was first read as one value; they come before those that are ready.
    replayed: Replayed,
    ready: VecDeque<Line>,
    number: usize,
    /// How many bytes a line, or a value, may have.
    max_length: usize,
    /// How many more bytes are read.
    left: usize,
}

/// The lines of a text that was read as a whole, from the first line of the input on.
#[derive(Default)]
struct Replayed {
    rest: Bytes,
    /// How many lines came before the rest.
    number: usize,
}

impl Replayed {
    fn of(text: Bytes) -> Self {
        Self { rest: text, number: 0 }
    }
}

impl Iterator for Replayed {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        while !self.rest.is_empty() {
            let end = self.rest.iter().position(|byte| *byte == b'\n');
            let text = self.rest.split_to(end.unwrap_or(self.rest.len()));
            let _newline = self.rest.split_to(end.map_or(0, |_| 1));
            self.number += 1;
            if !text.trim_ascii().is_empty() {
                return Some(Line { number: self.number, text: Some(text) });
            }
        }
        None
    }
}

/// Opens a file, or standard input for `-`.
pub(super) fn open(path: &Path) -> io::Result<Lines> {
    let source: Box<dyn Read> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(path)?),
    };
    Ok(Lines::new(source, max_length()))
}

impl Lines {
    fn new(source: Box<dyn Read>, max_length: usize) -> Self {
        let (reader, replayed) = (Some(LineReader::new(max_length)), Replayed::default());
        Self { source, reader, replayed, ready: VecDeque::new(), number: 0, max_length, left: MOST }
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        if let Some(line) = self.replayed.next() {
            return Ok(Some(line));
        }
        while self.ready.is_empty() && self.reader.is_some() {
            self.read_chunk()?;
        }
        Ok(self.ready.pop_front())
    }

    fn read_chunk(&mut self) -> io::Result<()> {
        let mut chunk = [0; CHUNK];
        let read = loop {
            // Unlike `read_exact` and its like, `read` itself does not try again after a signal.
            match self.source.read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.left = self.left.checked_sub(read).ok_or_else(|| files::too_large(MOST))?;
        let events = match (read, &mut self.reader) {
            // The last line may have no line break.
            (0, reader) => reader.take().and_then(LineReader::finish).into_iter().collect(),
            (read, Some(reader)) => reader.push(&chunk[..read]),
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

    /// Determines what the input is, from as few of its lines as possible.
    pub(super) fn classify(mut self) -> io::Result<Input> {
        let Some(first) = self.next()? else { return Ok(Input::Empty) };
        let Some(text) = first.text.clone() else {
            return Ok(self.into_conversation([first]));
        };
        if file::Reader::is_head(&text) {
            self.ready.push_front(first);
            return Ok(Input::Trace(self));
        }
        match Value::parse(&text) {
            Ok(_) => match self.next()? {
                None => Ok(Input::Value(text)),
                Some(second) => Ok(self.into_conversation([first, second])),
            },
            // Only its end is missing: the value may continue on the next line.
            Err(error) if error.offset >= text.trim_ascii_end().len() => self.read_value(first),
            Err(error) => self.skip_noise(first, error),
        }
    }

    /// Looks for a line that is JSON after one that is not, such as the first line of a log.
    fn skip_noise(mut self, first: Line, error: ParseError) -> io::Result<Input> {
        // The parser has seen only this line and counts from it.
        let error = ParseError { line: error.line + first.number - 1, ..error };
        let (mut lines, mut held) = (vec![first], 0);
        while let Some(line) = self.next()? {
            // A short line counts as well, so that a long log of them is not held without bound.
            held += LINE_OVERHEAD + line.text.as_ref().map_or(0, Bytes::len);
            let is_json = line.text.as_ref().is_some_and(|text| Value::parse(text).is_ok());
            lines.push(line);
            if is_json || held > self.max_length {
                return Ok(self.into_conversation(lines));
            }
        }
        Ok(Input::NotJson(error))
    }

    /// Reads the input as the value that begins in the first line; as a conversation if it is too long or not a value.
    fn read_value(mut self, first: Line) -> io::Result<Input> {
        let (mut text, mut number, mut next) = (Vec::new(), 1, Some(first));
        while let Some(line) = next {
            // Blank lines were skipped; an error in the value should have the line number of the input.
            let blank = line.number - number;
            let fits = |part: &&Bytes| blank + part.len() <= self.max_length - text.len();
            let Some(part) = line.text.as_ref().filter(fits) else {
                self.replayed = Replayed::of(text.into());
                self.ready.push_front(line);
                return Ok(Input::Conversation(self));
            };
            text.resize(text.len() + blank, b'\n');
            text.extend_from_slice(part);
            number = line.number;
            next = self.next()?;
        }
        let text = Bytes::from(text);
        let Err(error) = Document::parse(text.clone()) else { return Ok(Input::Value(text)) };
        // Without a message on a line of its own, this is a value with an error rather than a conversation.
        if !Replayed::of(text.clone()).any(|line| line.is_complete_value()) {
            return Ok(Input::NotJson(error));
        }
        self.replayed = Replayed::of(text);
        Ok(Input::Conversation(self))
    }

    /// A conversation that begins with these lines.
    fn into_conversation(mut self, lines: impl IntoIterator<Item = Line>) -> Input {
        self.ready = lines.into_iter().chain(self.ready).collect();
        Input::Conversation(self)
    }
}

impl Line {
    /// Whether the line is a value of its own, rather than a part of a value on several lines.
    fn is_complete_value(&self) -> bool {
        let object = self.text.as_ref().filter(|text| text.trim_ascii_start().starts_with(b"{"));
        let value = object.and_then(|text| Value::parse(text).ok());
        // A scalar or `{}` may be alone on a line of a value that spans several lines.
        value.is_some_and(|it| it.value.as_object().is_some_and(|members| !members.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classified(text: &'static str) -> String {
        classified_within(text, max_length())
    }

    /// What an input is, in a word, with the numbers of its lines.
    fn classified_within(text: &'static str, max_length: usize) -> String {
        let lines = Lines::new(Box::new(text.as_bytes()), max_length);
        let mut lines = match lines.classify().expect("it is read") {
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
    fn a_value_may_be_on_one_line_or_on_several() {
        assert_eq!(classified("{\"a\":1}"), "value of 7 bytes");
        assert_eq!(classified("\n {\"a\":1} \n\n"), "value of 9 bytes");
        assert_eq!(classified("{\n  \"a\": {}\n}\n"), "value of 13 bytes");
        assert_eq!(classified("{\n  \"a\": [\n    {\"id\": 1}\n]}\n"), "value of 27 bytes");
        assert_eq!(classified(""), "empty");
        assert_eq!(classified(" \n\r\n"), "empty");
    }

    #[test]
    fn several_values_are_a_conversation_whatever_is_between_them() {
        assert_eq!(classified("{}\n\n{}\n"), "lines 1 3");
        assert_eq!(classified("listening\n{\"id\":1}"), "lines 1 2");
        assert_eq!(classified("{\n\n{\"id\":1}\n"), "lines 1 3");
        assert_eq!(classified("xyz\nJSON\n"), "line 1, column 1: expected a value, found `x`");
        assert_eq!(classified("{\"mcp-test-trace\":1}\n{}\n"), "lines 1 2");
    }

    #[test]
    fn an_invalid_value_is_reported_with_its_line() {
        assert_eq!(
            classified("\n{\n\n  \"a\": xyz\n}"),
            "line 4, column 8: expected a value, found `x`"
        );
    }

    #[test]
    fn what_began_as_a_value_is_read_by_its_lines_again() {
        let text = &b"{\n\n \r\n{\"id\":1}\r\n]"[..];
        let classified = Lines::new(Box::new(text), max_length()).classify().expect("it is read");
        let Input::Conversation(mut lines) = classified else { panic!("not a conversation") };
        let mut reported = Vec::new();
        while let Some(Line { number, text }) = lines.next().expect("it is read") {
            reported.push((number, text.expect("it is not too long")));
        }
        assert_eq!(reported, [(1, "{".into()), (4, "{\"id\":1}\r".into()), (5, "]".into())]);
    }

    #[test]
    fn a_value_that_is_too_long_is_read_by_its_lines_and_blank_ones_count() {
        assert_eq!(classified_within("[\n1,\n22\n]\n", 10), "value of 9 bytes");
        assert_eq!(classified_within("[\n1,\n22\n]\n", 8), "lines 1 2 3 4");
        assert_eq!(classified_within("[\n\n\n\n\n\n\n\n\n]\n2\n", 8), "lines 1 10 11");
        assert_eq!(classified_within("[\n1,\n\"too long\"\n]", 8), "lines 1 2 3 4");
    }

    #[test]
    fn what_is_too_long_is_left_out_and_the_rest_read() {
        let long = format!("\"{}\"\n{{}}\n", "x".repeat(max_length()));
        let mut lines = Lines::new(Box::new(io::Cursor::new(long)), max_length());
        let first = lines.next().expect("it is read").expect("a line");
        assert_eq!((first.number, first.text), (1, None));
        let second = lines.next().expect("it is read").expect("a line");
        assert_eq!((second.number, second.text.as_deref()), (2, Some(&b"{}"[..])));
        assert!(lines.next().expect("it is read").is_none());
    }
}
