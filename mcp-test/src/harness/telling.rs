//! Telling how a cell ended: what is wrong, what was said, and the last words of the server on stderr.
//!
//! What is told here was held back until now: of a test that passes nothing is shown.

use std::fmt::Write;

use super::ending::{Ending, Played, Problem};
use crate::assert::explain;
use crate::clock::in_words;
use crate::expect::words::{panic_text, printable};
use crate::scenario::Differences;
use crate::scenario::UserScenario;
use crate::spec::Revision;
use crate::trace::{self, Style, Trace};

/// How many of the last events are shown where no finding points at some.
const LAST_EVENTS: usize = 40;
/// How many of the last lines on stderr are shown.
pub(super) const STDERR_LINES: usize = 20;

/// Where a cell was played: `2025-11-25 over duplex`.
pub(super) fn place(played: &Played) -> Option<String> {
    played.place.map(|(revision, carrier)| format!("{revision} over {carrier}"))
}

/// Tells what is wrong with a cell; a heading says which one it is.
pub(super) fn failure(scenario: &UserScenario, played: &Played) -> String {
    let mut text = heading(scenario, played);
    let Ending::Failed(problems) = &played.ending else { return text };
    let revision = played.place.map_or(Revision::NEWEST, |(revision, _)| revision);
    let mut panics = played.panics.iter();
    for told in problems {
        let panic = matches!(told, Problem::Panic(_)).then(|| panics.next_back()).flatten();
        text.push('\n');
        text.push_str(problem(told, played, revision, panic).trim_end());
        text.push('\n');
    }
    for panic in panics {
        let _ = write!(text, "\ncode on the same thread {panic}\n");
    }
    if !problems.iter().all(shows_an_exchange) {
        text.push_str(&conversation(&played.trace));
    }
    for remark in &played.remarks {
        let _ = write!(text, "\nbesides, what the specification advises against:\n{remark}\n");
    }
    for ventured in &played.ventured {
        let _ = write!(
            text,
            "\nbesides, what the test itself sent wrong, perhaps on purpose:\n{ventured}\n"
        );
    }
    if let Some(exit) = played.exit {
        let _ = write!(text, "\nthe program behind the URL ended by itself: {exit}\n");
    }
    text.push_str(&stderr(played.trace.stderr_tail(STDERR_LINES)));
    text.push_str(&stderr(played.stderr.iter().cloned()));
    text
}

/// The last lines on stderr, without what would move the cursor or change colours; nothing if there are none.
pub(super) fn stderr(lines: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    for line in lines {
        if text.is_empty() {
            text.push_str("\nthe last lines of the server on stderr:\n");
        }
        let _ = writeln!(text, "  | {}", printable(&line));
    }
    text
}

fn heading(scenario: &UserScenario, played: &Played) -> String {
    let place = place(played).map(|place| format!(" at {place}")).unwrap_or_default();
    let target =
        if played.target.is_empty() { String::new() } else { format!(" of {}", played.target) };
    format!("scenario `{}` failed{place}{target}, {}\n", scenario.name, scenario.location())
}

fn problem(
    problem: &Problem,
    played: &Played,
    revision: Revision,
    panic: Option<&String>,
) -> String {
    match problem {
        Problem::Finding(finding) => explain(finding, &played.trace, revision),
        Problem::Error(chain) => {
            let mut lines = chain.iter();
            let mut text = format!("error: {}", lines.next().map_or("", String::as_str));
            for cause in lines {
                let _ = write!(text, "\n  because: {}", cause.replace('\n', "\n    "));
            }
            text
        }
        Problem::Panic(payload) => match (payload.downcast_ref::<Differences>(), panic) {
            (Some(Differences(differences)), _) => differences.clone(),
            (None, Some(text)) => text.clone(),
            (None, None) => "it panicked; the message stands above".to_owned(),
        },
        Problem::TimedOut(allotted) => format!(
            "the scenario was not over within {}\n  hint: {}",
            in_words(*allotted),
            "#[mcp_scenario(timeout = \"…\")] or MCP_TEST_TIMEOUT give it more time",
        ),
        Problem::Blocked => "the test's thread is blocked: its time is over, and it did not even notice\n  \
             expected code that awaits, so that client and server can take turns on one thread\n  \
             hint: blocking calls (std::thread::sleep, std::sync, a busy loop) belong in `spawn_blocking`"
            .to_owned(),
        Problem::Unplayable(why) => why.clone(),
    }
}

/// Whether what is said of it holds the exchange that it is about.
fn shows_an_exchange(problem: &Problem) -> bool {
    match problem {
        Problem::Finding(finding) => !finding.evidence.is_empty(),
        Problem::Unplayable(_) => true,
        Problem::Panic(payload) => {
            payload.is::<Differences>() || panic_text(&**payload).contains("\nthe exchange:\n")
        }
        Problem::Error(_) | Problem::TimedOut(_) | Problem::Blocked => false,
    }
}

/// The end of the conversation.
fn conversation(trace: &Trace) -> String {
    if trace.events.is_empty() {
        return "\nnothing was said\n".to_owned();
    }
    let hidden = trace.events.len().saturating_sub(LAST_EVENTS);
    let last = Trace { events: trace.events[hidden..].to_vec(), ..*trace };
    let shown = trace::render(&last, &Style::brief());
    let earlier = if hidden == 0 { "" } else { ", the end of it" };
    let mut text = format!("\nwhat was said{earlier}:\n");
    for line in shown.lines() {
        let _ = writeln!(text, "  {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::cells::tests::scenario;
    use super::*;
    use crate::check::Finding;
    use crate::trace::{Party, Reading, Recorder, What};
    use crate::transport::CarrierKind;

    fn played() -> Played {
        let recorder = Recorder::new();
        let wire = recorder.open("duplex");
        let say =
            |party, text: &'static str| recorder.record(wire, party, Reading::message(text.into()));
        say(Party::Client, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        recorder.record(wire, Party::Server, What::Stderr("cannot \"ping\"\u{1b}[2J".to_owned()));
        Played {
            place: Some((Revision::V2025_11_25, CarrierKind::Duplex)),
            target: "in-process server".to_owned(),
            trace: recorder.trace(),
            ..Played::ended(Ending::Passed)
        }
    }

    #[test]
    fn everything_that_is_wrong_is_told() {
        let mut played = played();
        played.add(Problem::Error(vec!["no settings".to_owned(), "the disk\nis gone".to_owned()]));
        played.add(Problem::Finding(Finding::peer("`ping` was not answered").got("nothing")));
        played.remarks.push(Finding::peer("a title is too long").should());
        insta::assert_snapshot!(failure(&scenario(), &played));
    }

    #[test]
    fn panics_that_were_held_back_are_told_the_last_one_as_the_end() {
        let mut played = played();
        played.add(Problem::Panic(Box::new("left == right")));
        played.panics = vec![
            "panicked at server.rs:1:2:\nboom".to_owned(),
            "panicked at a.rs:3:4:\nleft == right".to_owned(),
        ];
        insta::assert_snapshot!(failure(&scenario(), &played));
    }

    #[test]
    fn blocking_and_being_late_are_two_things() {
        let mut late = played();
        late.add(Problem::TimedOut(Duration::from_millis(250)));
        let mut blocked = Played::blocked(Trace::default());
        blocked.target = "in-process server".to_owned();
        insta::assert_snapshot!(format!(
            "{}\n\n{}",
            failure(&scenario(), &late),
            failure(&scenario(), &blocked)
        ));
    }
}
