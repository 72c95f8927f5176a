//! What is to be judged, read as it comes: a value, or a conversation line by line.
//!
//! At most one value, or one line, is held at a time. What is larger than a carrier would accept is not read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bytes::Bytes;

use crate::json::{Document, ParseError, Value};
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
    /// What was read and comes again, before the lines that are ready.
    again: Again,
    ready: VecDeque<Line>,
    number: usize,
    /// How long a line, or a value, may be.
    most: usize,
}

/// The lines of a text that was read as a whole, from the first line of the input on.
#[derive(Default)]
struct Again {
    rest: Bytes,
    /// How many lines came before the rest.
    number: usize,
}

impl Again {
    fn of(whole: Bytes) -> Self {
        Self { rest: whole, number: 0 }
    }
}

impl Iterator for Again {
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
    Ok(Lines::new(source, most()))
}

impl Lines {
    fn new(source: Box<dyn Read>, most: usize) -> Self {
        let (reader, again) = (Some(LineReader::new(most)), Again::default());
        Self { source, reader, again, ready: VecDeque::new(), number: 0, most }
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        if let Some(line) = self.again.next() {
            return Ok(Some(line));
        }
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
            if is_json || held > self.most {
                return Ok(self.conversation(lines));
            }
        }
        Ok(Input::NotJson(error))
    }

    /// Reads the value that has begun in the first line to its end, if it is one.
    fn whole(mut self, first: Line) -> io::Result<Input> {
        let (mut whole, mut number, mut next) = (Vec::new(), 1, Some(first));
        while let Some(line) = next {
            // The lines stand where they stand in the input, so that an error names the right one.
            let before = line.number - number;
            let fits = |text: &&Bytes| before + text.len() <= self.most - whole.len();
            let Some(text) = line.text.as_ref().filter(fits) else {
                self.again = Again::of(whole.into());
                self.ready.push_front(line);
                return Ok(Input::Conversation(self));
            };
            whole.resize(whole.len() + before, b'\n');
            whole.extend_from_slice(text);
            number = line.number;
            next = self.next()?;
        }
        let whole = Bytes::from(whole);
        let Err(error) = Document::parse(whole.clone()) else { return Ok(Input::Value(whole)) };
        if !Again::of(whole.clone()).any(|line| line.is_by_itself()) {
            return Ok(Input::NotJson(error));
        }
        self.again = Again::of(whole);
        Ok(Input::Conversation(self))
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
        let object = self.text.as_ref().filter(|text| text.trim_ascii_start().starts_with(b"{"));
        let value = object.and_then(|text| Value::parse(text).ok());
        value.is_some_and(|it| it.value.as_object().is_some_and(|members| !members.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(text: &'static str) -> String {
        sorted_within(text, most())
    }

    /// What an input is, in a word, with the numbers of its lines.
    fn sorted_within(text: &'static str, most: usize) -> String {
        let lines = Lines::new(Box::new(text.as_bytes()), most);
        let mut lines = match lines.sort().expect("it is read") {
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
    fn what_began_as_a_value_is_read_by_its_lines_again() {
        let text = &b"{\n\n \r\n{\"id\":1}\r\n]"[..];
        let sorted = Lines::new(Box::new(text), most()).sort().expect("it is read");
        let Input::Conversation(mut lines) = sorted else { panic!("no conversation") };
        let mut told = Vec::new();
        while let Some(Line { number, text }) = lines.next().expect("it is read") {
            told.push((number, text.expect("it is not too long")));
        }
        assert_eq!(told, [(1, "{".into()), (4, "{\"id\":1}\r".into()), (5, "]".into())]);
    }

    #[test]
    fn a_value_that_is_too_long_is_read_by_its_lines_and_blank_ones_count() {
        assert_eq!(sorted_within("[\n1,\n22\n]\n", 10), "value of 9 bytes");
        assert_eq!(sorted_within("[\n1,\n22\n]\n", 8), "lines 1 2 3 4");
        assert_eq!(sorted_within("[\n\n\n\n\n\n\n\n\n]\n2\n", 8), "lines 1 10 11");
        assert_eq!(sorted_within("[\n1,\n\"too long\"\n]", 8), "lines 1 2 3 4");
    }

    #[test]
    fn what_is_too_long_is_left_out_and_the_rest_read() {
        let long = format!("\"{}\"\n{{}}\n", "x".repeat(most()));
        let mut lines = Lines::new(Box::new(io::Cursor::new(long)), most());
        let first = lines.next().expect("it is read").expect("a line");
        assert_eq!((first.number, first.text), (1, None));
        let second = lines.next().expect("it is read").expect("a line");
        assert_eq!((second.number, second.text.as_deref()), (2, Some(&b"{}"[..])));
        assert!(lines.next().expect("it is read").is_none());
    }
}
