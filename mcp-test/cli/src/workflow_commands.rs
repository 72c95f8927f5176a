//! Keeps what a peer sent from being a command of the CI system that reads the output.
//!
//! The runner of GitHub Actions looks for commands in every line of a log: `::name::` at its start, after blanks, and the older
//! `##[name]` anywhere. Azure Pipelines reads `##vso[name]` and `##[name]`, TeamCity `##teamcity[name]`. A peer could otherwise set
//! variables and hide text. The commands that `--report github` prints are written past this module.

use std::borrow::Cow;
use std::io::{self, Write};

use super::variable;

/// The output without commands, if a CI system reads it.
pub(super) fn disarmed(out: Box<dyn Write>) -> Box<dyn Write> {
    if reads_commands() { Box::new(Disarmed::new(out, text)) } else { out }
}

/// A JSON document without commands, if a CI system reads it.
pub(super) fn disarmed_json(out: Box<dyn Write>) -> Box<dyn Write> {
    if reads_commands() { Box::new(Disarmed::new(out, json)) } else { out }
}

/// The lines without commands, if a CI system reads them.
pub(super) fn disarm(lines: &str) -> Cow<'_, str> {
    if !reads_commands() {
        return lines.into();
    }
    lines.split_inclusive(is_line_end).map(text).collect::<String>().into()
}

/// JSON without commands, if a CI system reads it.
pub(super) fn disarm_json(document: &str) -> Cow<'_, str> {
    if reads_commands() { json(document).into() } else { document.into() }
}

/// Whether GitHub Actions, Azure Pipelines or TeamCity reads the output.
fn reads_commands() -> bool {
    let is_true =
        |name: &str| variable(name).is_some_and(|value| value.eq_ignore_ascii_case("true"));
    is_true("GITHUB_ACTIONS") || is_true("TF_BUILD") || variable("TEAMCITY_VERSION").is_some()
}

/// One line of text without commands.
fn text(line: &str) -> String {
    let line = with_marks_replaced(line, "## ");
    // The colours, of which nothing may be left on the way to the log, come before the text.
    let plain = anstream::adapter::strip_str(&line).to_string();
    match plain.trim_start().starts_with("::") {
        true => line.replacen("::", ": :", 1),
        false => line,
    }
}

/// JSON without commands: the same document, since these characters only occur in strings.
fn json(document: &str) -> String {
    with_marks_replaced(document, r"\u0023#")
}

/// The text with the `##` of each command that has it, such as `##[name]` or `##vso[name]`, replaced.
fn with_marks_replaced(text: &str, replacement: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut copied = 0;
    for (bracket, _) in text.match_indices('[') {
        let before = text[..bracket].trim_end_matches(|c: char| c.is_ascii_alphabetic());
        if before.ends_with("##") {
            replaced.push_str(&text[copied..before.len() - 2]);
            replaced.push_str(replacement);
            copied = before.len();
        }
    }
    replaced + &text[copied..]
}

/// The runner's lines also end with a carriage return.
fn is_line_end(c: char) -> bool {
    c == '\n' || c == '\r'
}

/// Changes each line on its way to `out`.
struct Disarmed<W> {
    out: W,
    change: fn(&str) -> String,
    /// The last line, until it is complete.
    line: Vec<u8>,
}

impl<W: Write> Disarmed<W> {
    fn new(out: W, change: fn(&str) -> String) -> Self {
        Self { out, change, line: Vec::new() }
    }

    fn write_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.out.write_all((self.change)(&String::from_utf8_lossy(&line)).as_bytes())
    }
}

impl<W: Write> Write for Disarmed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| is_line_end(char::from(*byte))) {
            self.line.extend_from_slice(part);
            if part.last().is_some_and(|byte| is_line_end(char::from(*byte))) {
                self.write_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.line.is_empty() {
            self.write_line()?;
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[&str]) -> String {
        let mut out = Vec::new();
        let mut disarmed = Disarmed::new(&mut out, text);
        for part in parts {
            disarmed.write_all(part.as_bytes()).expect("writing to memory succeeds");
        }
        disarmed.flush().expect("writing to memory succeeds");
        String::from_utf8(out).expect("a text")
    }

    #[test]
    fn a_line_of_a_peer_is_not_a_command() {
        assert_eq!(
            written(&["a\n  ::set-out", "put name=x::y\n"]),
            "a\n  : :set-output name=x::y\n"
        );
        assert_eq!(written(&["\u{1b}[31m ::error::x\u{1b}[0m"]), "\u{1b}[31m : :error::x\u{1b}[0m");
        assert_eq!(written(&["got ##[add-mask]a\r::b::\n"]), "got ## [add-mask]a\r: :b::\n");
        assert_eq!(
            written(&["é ##vso[task.complete]a ##teamcity[blockOpened] ###[b]##[c]"]),
            "é ## vso[task.complete]a ## teamcity[blockOpened] ### [b]## [c]"
        );
    }

    #[test]
    fn other_lines_are_unchanged() {
        let lines = "calculator::adds: 1 passed\n\n| ::error::x\n✗ # [x] ##a b[c] ## [d] #e[f]";
        assert_eq!(written(&[lines]), lines);
    }

    #[test]
    fn json_keeps_its_meaning() {
        let document = r###"{"a":"##[error]","b":["##vso[c]"]}"###;
        let changed = json(document);
        assert!(!changed.contains("##"), "{changed}");
        let parse =
            |text: &str| mcp_test_core::json::Value::parse(text.as_bytes()).expect("JSON").value;
        assert_eq!(parse(&changed), parse(document));
    }
}
