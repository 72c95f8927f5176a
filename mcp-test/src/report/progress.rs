//! One line on a terminal that says how far the run is, rewritten as it goes on.
//!
//! Only for terminals: whoever makes a [`Progress`] asks first whether there is one.

use std::io::{self, Write};

use crate::run::{Cell, RunEvent};

/// Back to the start of the line, and clear it.
const CLEAR: &str = "\r\x1b[2K";

/// Longer lines wrap on a narrow terminal, and a wrapped line cannot be taken back.
const WIDTH: usize = 72;

/// Keeps the status line.
#[derive(Debug)]
pub struct Progress<W> {
    out: W,
    state: State,
    painted: bool,
}

#[derive(Debug)]
enum State {
    Preflight,
    Playing { total: usize, done: usize, running: Vec<Cell> },
    Over,
}

impl<W: Write> Progress<W> {
    /// Keeps the line on `out`.
    #[must_use]
    pub fn new(out: W) -> Self {
        Self { out, state: State::Preflight, painted: false }
    }

    /// Takes the line away, so that something else can be written.
    ///
    /// # Errors
    ///
    /// If `out` refuses.
    pub fn clear(&mut self) -> io::Result<()> {
        if self.painted {
            self.painted = false;
            self.out.write_all(CLEAR.as_bytes())?;
            self.out.flush()?;
        }
        Ok(())
    }

    /// Writes the line.
    ///
    /// # Errors
    ///
    /// If `out` refuses.
    pub fn paint(&mut self) -> io::Result<()> {
        let Some(line) = self.line() else { return self.clear() };
        self.painted = true;
        write!(self.out, "{CLEAR}{line}")?;
        self.out.flush()
    }

    /// Takes in `event`; the line changes with the next [`Progress::paint`].
    pub fn event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Planned(cells) => {
                self.state = State::Playing { total: cells.len(), done: 0, running: Vec::new() };
            }
            RunEvent::Started(cell) => {
                if let State::Playing { running, .. } = &mut self.state {
                    running.push(*cell);
                }
            }
            RunEvent::Finished(outcome) => {
                if let State::Playing { done, running, .. } = &mut self.state {
                    *done += 1;
                    running.retain(|cell| *cell != outcome.cell);
                }
            }
            RunEvent::PreflightFailed { .. } | RunEvent::Ended(_) => self.state = State::Over,
            RunEvent::PreflightDone(_) => {}
        }
    }

    fn line(&self) -> Option<String> {
        let line = match &self.state {
            State::Preflight => "asking the server what it speaks".to_owned(),
            State::Playing { total, done, running } => {
                let oldest = running
                    .first()
                    .map(|cell| {
                        format!(" {} ({} {})", cell.scenario.id, cell.revision, cell.carrier)
                    })
                    .unwrap_or_default();
                let others = match running.len() {
                    0 | 1 => String::new(),
                    more => format!(" and {} more", more - 1),
                };
                format!("[{done}/{total}]{oldest}{others}")
            }
            State::Over => return None,
        };
        Some(line.chars().take(WIDTH).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn the_line_says_how_far_the_run_is() {
        let mut lines = Vec::new();
        let mut progress = Progress::new(Vec::new());
        let outcome = sample::passed();
        let mut note =
            |progress: &Progress<Vec<u8>>| lines.push(progress.line().unwrap_or_default());
        note(&progress);
        progress.event(&RunEvent::Planned(vec![outcome.cell, sample::ping().cell]));
        progress.event(&RunEvent::Started(outcome.cell));
        progress.event(&RunEvent::Started(sample::ping().cell));
        note(&progress);
        progress.event(&RunEvent::Finished(Box::new(outcome)));
        note(&progress);
        insta::assert_snapshot!(lines.join("\n"), @r"
        asking the server what it speaks
        [0/2] tools-list (2025-11-25 stdio) and 1 more
        [1/2] ping (2025-11-25 stdio)
        ");
    }

    #[test]
    fn the_line_is_taken_away_once() {
        let mut progress = Progress::new(Vec::new());
        progress.clear().expect("memory does not refuse");
        assert!(progress.out.is_empty());
        progress.paint().expect("memory does not refuse");
        progress.clear().expect("memory does not refuse");
        progress.clear().expect("memory does not refuse");
        insta::assert_debug_snapshot!(String::from_utf8_lossy(&progress.out), @r#""\r\u{1b}[2Kasking the server what it speaks\r\u{1b}[2K""#);
    }
}
