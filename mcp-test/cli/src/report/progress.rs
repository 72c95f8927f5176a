//! A status line on a terminal, rewritten during the run.
//!
//! Only for terminals: the caller checks first whether the stream is one.

use std::io::{self, Write};

use mcp_test_core::clock::Stopwatch;
use mcp_test_core::expect::words;
use mcp_test_core::run::{Level, MaskedEvent, Problems, RunEvent, ScenarioRun};
use mcp_test_core::scenario::Activity;

/// Moves to the start of the line and clears it.
const CLEAR: &str = "\r\x1b[2K";

/// Longer lines would wrap on a narrow terminal, and a wrapped line cannot be cleared.
const WIDTH: usize = 72;

/// Shows the status line.
#[derive(Debug)]
pub struct Progress<W> {
    out: W,
    state: State,
    /// The problems so far: the report comes at the end.
    problems: Problems,
    stopwatch: Stopwatch,
    painted: bool,
}

#[derive(Debug)]
enum State {
    Preflight,
    Running { total: usize, done: usize, running: Vec<(ScenarioRun, Stopwatch)> },
    Over,
}

impl<W: Write> Progress<W> {
    /// Shows the line on `out`.
    #[must_use]
    pub fn new(out: W) -> Self {
        Self {
            out,
            state: State::Preflight,
            problems: Problems::default(),
            stopwatch: Stopwatch::start(),
            painted: false,
        }
    }

    /// Clears the line, so that something else can be written.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written.
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
    /// If `out` cannot be written.
    pub fn paint(&mut self) -> io::Result<()> {
        let Some(line) = self.line() else { return self.clear() };
        self.painted = true;
        write!(self.out, "{CLEAR}{line}")?;
        self.out.flush()
    }

    /// Records `event`; the line changes with the next [`Progress::paint`].
    pub fn event(&mut self, event: &MaskedEvent) {
        match &**event {
            RunEvent::Planned(scenario_runs) => {
                self.state =
                    State::Running { total: scenario_runs.len(), done: 0, running: Vec::new() };
            }
            RunEvent::Started(scenario_run) => {
                if let State::Running { running, .. } = &mut self.state {
                    running.push((scenario_run.clone(), Stopwatch::start()));
                }
            }
            RunEvent::Finished(outcome) => {
                self.problems.add(outcome);
                if let State::Running { done, running, .. } = &mut self.state {
                    *done += 1;
                    running.retain(|(scenario_run, _)| *scenario_run != outcome.scenario_run);
                }
            }
            // Nothing is left to show, and the line must not stay below the summary.
            RunEvent::PreflightFailed { .. } | RunEvent::Ended(_) => self.state = State::Over,
            RunEvent::PreflightDone(_) => {}
        }
    }

    fn line(&self) -> Option<String> {
        let line = match &self.state {
            State::Preflight => {
                format!("detecting the supported revisions{}", elapsed(self.stopwatch))
            }
            State::Running { total, done, running } => {
                let oldest = running
                    .first()
                    .map(|(scenario_run, stopwatch)| {
                        let ScenarioRun { scenario, revision, transport } = scenario_run;
                        let elapsed = elapsed(*stopwatch);
                        let activity = scenario.activity.as_ref().map(Activity::get);
                        let activity = activity.filter(|it| !it.is_empty());
                        let activity = activity.map(|it| format!(": {it}")).unwrap_or_default();
                        format!(" {}{activity} ({revision} {transport}){elapsed}", scenario.id)
                    })
                    .unwrap_or_default();
                let others = match running.len() {
                    0 | 1 => String::new(),
                    more => format!(" and {} more", more - 1),
                };
                let problems = self.problems.sorted();
                let failing = problems.iter().filter(|it| it.level() <= Level::NotRun).count();
                let found = match failing {
                    0 => String::new(),
                    failing => format!(" {},", words::count(failing, "problem")),
                };
                format!("[{done}/{total}]{found}{oldest}{others}")
            }
            State::Over => return None,
        };
        // The ids of cases are the text of a file: one may be longer than the line, or control the terminal.
        let line = words::printable(&line).replace('\t', " ");
        Some(line.chars().take(WIDTH).collect())
    }
}

/// `, 12 s`; nothing within the first second.
fn elapsed(stopwatch: Stopwatch) -> String {
    match stopwatch.elapsed().as_secs() {
        0 => String::new(),
        seconds => format!(", {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_line_shows_finished_and_running_scenario_runs() {
        let mut lines = Vec::new();
        let mut progress = Progress::new(Vec::new());
        let outcome = sample::passed();
        let mut record =
            |progress: &Progress<Vec<u8>>| lines.push(progress.line().unwrap_or_default());
        record(&progress);
        progress.event(&sample::masked(RunEvent::Planned(vec![
            outcome.scenario_run.clone(),
            sample::ping().scenario_run,
        ])));
        progress.event(&sample::masked(RunEvent::Started(outcome.scenario_run.clone())));
        progress.event(&sample::masked(RunEvent::Started(sample::ping().scenario_run)));
        record(&progress);
        progress.event(&sample::masked(RunEvent::Finished(Box::new(outcome))));
        record(&progress);
        insta::assert_snapshot!(lines.join("\n"), @r"
        detecting the supported revisions
        [0/2] tools-list (2025-11-25 stdio) and 1 more
        [1/2] ping (2025-11-25 stdio)
        ");
    }

    #[test]
    fn the_line_shows_what_a_long_scenario_is_doing() {
        let mut scenario_run = sample::ping().scenario_run;
        let mut scenario = (*scenario_run.scenario).clone();
        let activity = Activity::default();
        scenario.activity = Some(activity.clone());
        scenario_run.scenario = scenario.into();
        let mut progress = Progress::new(Vec::new());
        progress.event(&sample::masked(RunEvent::Planned(vec![scenario_run.clone()])));
        progress.event(&sample::masked(RunEvent::Started(scenario_run)));
        let mut lines = vec![progress.line().unwrap_or_default()];
        activity.set("calls `add`");
        lines.push(progress.line().unwrap_or_default());
        insta::assert_snapshot!(lines.join("\n"), @r"
        [0/1] ping (2025-11-25 stdio)
        [0/1] ping: calls `add` (2025-11-25 stdio)
        ");
    }

    #[test]
    fn the_id_of_a_case_does_not_control_the_terminal() {
        let mut scenario_run = sample::ping().scenario_run;
        let mut scenario = (*scenario_run.scenario).clone();
        scenario.id = "a\u{1b}[2J\u{202e}\r\nb\tc".into();
        scenario_run.scenario = scenario.into();
        let mut progress = Progress::new(Vec::new());
        progress.event(&sample::masked(RunEvent::Planned(vec![scenario_run.clone()])));
        progress.event(&sample::masked(RunEvent::Started(scenario_run)));
        insta::assert_snapshot!(progress.line().expect("a line"), @"[0/1] a·[2J···b c (2025-11-25 stdio)");
    }

    #[test]
    fn the_line_is_cleared_once() {
        let mut progress = Progress::new(Vec::new());
        progress.clear().expect("writing to memory succeeds");
        assert!(progress.out.is_empty());
        progress.paint().expect("writing to memory succeeds");
        progress.clear().expect("writing to memory succeeds");
        progress.clear().expect("writing to memory succeeds");
        insta::assert_debug_snapshot!(String::from_utf8_lossy(&progress.out), @r#""\r\u{1b}[2Kdetecting the supported revisions\r\u{1b}[2K""#);
    }
}
