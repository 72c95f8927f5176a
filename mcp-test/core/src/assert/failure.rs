//! How an assertion fails: with a typed payload where a runner reports it, with the full text everywhere else.
//!
//! The runner of a scenario polls it inside [`catch_failures`]. There an assertion unwinds with an [`AssertionFailure`],
//! which bypasses the panic hook: the hook would print `Box<dyn Any>` for it, and the runner reports the failure anyway.
//! Anywhere else (an ordinary `#[test]`, a spawned task or thread, a mock that verifies its calls) nobody knows the type,
//! so an assertion panics with the text that a person has to read.

use std::any::Any;
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::{self, Write};
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, Location, resume_unwind};
use std::pin::pin;

use futures_util::FutureExt;

use crate::check::Finding;
use crate::expect::words;
use crate::spec::Revision;
use crate::trace::{Trace, excerpt_at};

/// What the message of a failure quotes from.
pub(super) struct Scene<'a> {
    pub(super) trace: Cow<'a, Trace>,
    pub(super) revision: Revision,
}

/// Something that is asserted about: it knows the conversation that it is part of.
pub(super) trait Staged {
    fn scene(&self) -> Scene<'_>;
}

thread_local! {
    /// Whether the code that runs on this thread is polled by `catch_failures`.
    static IS_REPORTED: Cell<bool> = const { Cell::new(false) };
}

/// The payload with which an assertion unwinds inside a scenario.
///
/// Code that catches the panics of its own assertions can downcast to it; [`Display`](fmt::Display) is the whole
/// message.
#[derive(Debug)]
pub struct AssertionFailure {
    /// What is wrong.
    pub finding: Finding,
    /// The conversation that the finding is about, up to the assertion.
    pub trace: Trace,
    /// The revision of that conversation.
    pub revision: Revision,
    /// Where the assertion is.
    pub location: &'static Location<'static>,
}

impl fmt::Display for AssertionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&explain(&self.finding, &self.trace, self.revision))
    }
}

/// Polls a future with assertions inside of it reported, or not.
async fn polled_as<F: Future>(is_reported: bool, future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(move |context| {
        // Only while it is polled: in between the thread may run other tasks, which no runner reports.
        let before = IS_REPORTED.replace(is_reported);
        let polled = future.as_mut().poll(context);
        IS_REPORTED.set(before);
        polled
    })
    .await
}

/// Runs code within the body of a scenario that is not the test itself, such as a client under test in this process: its
/// assertions panic with text, which is what is known of its end.
pub(crate) async fn outside_of_the_test<F: Future>(code: F) -> F::Output {
    // A panic is caught inside, so that the flag is restored in any case.
    match polled_as(false, AssertUnwindSafe(code).catch_unwind()).await {
        Ok(output) => output,
        Err(payload) => resume_unwind(payload),
    }
}

/// Runs the body of a scenario whose panics the caller reports.
///
/// Only while `body` itself is polled do assertions unwind with an [`AssertionFailure`]: a task that it spawned on the
/// same thread panics with text, which is what its `JoinError` shows.
pub(crate) async fn catch_failures<F: Future>(body: F) -> Result<F::Output, Box<dyn Any + Send>> {
    // A panic is caught inside, so that the flag is restored in any case.
    polled_as(true, AssertUnwindSafe(body).catch_unwind()).await
}

/// Ends the test with the full report of a finding.
#[track_caller]
pub(super) fn fail(finding: Finding, scene: Scene<'_>) -> ! {
    // Nobody would format the typed payload there.
    if !IS_REPORTED.get() {
        panic!("{}", explain(&finding, &scene.trace, scene.revision));
    }
    resume_unwind(Box::new(AssertionFailure {
        finding,
        trace: scene.trace.into_owned(),
        revision: scene.revision,
        location: Location::caller(),
    }))
}

/// [`fail`], for assertions of other modules.
#[track_caller]
pub(crate) fn fail_with(finding: Finding, trace: Trace, revision: Revision) -> ! {
    fail(finding, Scene { trace: Cow::Owned(trace), revision })
}

/// The full report of a finding: what was expected and what was received, the exchange, the shape and the requirements with
/// their links.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::assert::explain;
/// use mcp_test::check::Finding;
/// use mcp_test::spec::{Requirement, Revision};
/// use mcp_test::trace::Trace;
///
/// let finding = Finding::peer("two tools have one name").requires(Requirement::TOOLS_NAME_UNIQUE);
/// let report = explain(&finding, &Trace::default(), Revision::V2025_11_25);
/// assert!(report.contains("https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names"));
/// ```
#[doc(hidden)]
#[must_use]
pub fn explain(finding: &Finding, trace: &Trace, revision: Revision) -> String {
    explain_next(finding, trace, revision, &mut Vec::new())
}

/// [`explain`], for one of several findings: an exchange that is among those shown before is not shown again.
pub(crate) fn explain_next(
    finding: &Finding,
    trace: &Trace,
    revision: Revision,
    shown: &mut Vec<String>,
) -> String {
    let mut report = finding.to_string();
    if trace.events_at(&finding.evidence).next().is_some() {
        let exchange = excerpt_at(trace, &finding.evidence, finding.place());
        // Several findings of one test are often about the same exchange.
        if shown.contains(&exchange) {
            report.push_str("\n\nthe exchange: the same as above");
        } else {
            report.push_str("\n\nthe exchange:");
            indent(&mut report, &exchange);
            shown.push(exchange);
        }
    }
    if let Some(shape) = &finding.shape {
        let _ = write!(report, "\n\nshape {shape}\n  {}", shape.link);
    }
    for requirement in &finding.requirements {
        let _ = write!(report, "\n\nrequirement {}", requirement.cite(revision));
    }
    // Whoever has changed a text of the finding may have quoted the peer.
    words::inert(&report)
}

fn indent(report: &mut String, text: &str) {
    for line in text.trim_end().lines() {
        let _ = write!(report, "\n  {line}");
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;
    use crate::expect::words::panic_text;

    fn assertion() {
        let scene = Scene { trace: Cow::Owned(Trace::default()), revision: Revision::NEWEST };
        fail(Finding::peer("there is no tool `add`"), scene)
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(future)
    }

    #[test]
    fn an_ordinary_test_gets_the_whole_text() {
        let payload = catch_unwind(assertion).expect_err("it fails");
        assert_eq!(panic_text(&*payload), "there is no tool `add`");
    }

    #[test]
    fn the_runner_gets_the_finding_and_the_line_of_the_assertion() {
        let line = line!() + 1;
        let payload = block_on(catch_failures(async { assertion() })).expect_err("it fails");
        let failure = payload.downcast::<AssertionFailure>().expect("a typed payload");
        assert_eq!(failure.finding.headline, "there is no tool `add`");
        assert_eq!(failure.to_string(), "there is no tool `add`");
        assert!(failure.location.file().ends_with("failure.rs") && failure.location.line() < line);
        assert!(catch_unwind(assertion).expect_err("it fails").is::<String>(), "it is over");
    }

    #[test]
    fn a_task_that_a_scenario_spawned_panics_with_text() {
        let joined = block_on(catch_failures(async {
            tokio::spawn(async { assertion() }).await.expect_err("it fails").to_string()
        }));
        let text = joined.expect("the scenario itself does not panic");
        assert!(text.contains("there is no tool `add`"), "{text}");
    }
}
