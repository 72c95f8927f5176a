//! [`MaskedEvent`]: an event of a run without secrets, the only form in which a reporter gets one.
//!
//! Masking the output would be too late: a text that was quoted, cut or wrapped would not be found any more, and replacements
//! could break a format. Each type is taken apart as a whole, so that a field that is added does not compile until it is decided
//! whether it may contain a secret.

use std::mem;
use std::ops::Deref;
use std::sync::Arc;

use super::{CalledByRun, Outcome, Preflight, Problems, RunEvent, Silence, Summary};
use crate::assert::AssertionFailure;
use crate::check::{Cause, Check, Finding, Shape};
use crate::json::{Object, Pointer, Value};
use crate::process::LeftoverProcess;
use crate::trace::Trace;
use crate::transport::{ClientEnd, ClientRun};

/// Replaces secrets.
pub trait Mask {
    /// Whether nothing is secret, so that nothing has to be looked for.
    fn is_empty(&self) -> bool;

    /// The text without secrets.
    fn text(&self, text: &str) -> String;

    /// The trace without secrets.
    fn trace(&self, trace: Trace) -> Trace;
}

/// An event of a run without secrets in any text that comes from outside.
#[derive(Debug, Clone)]
pub struct MaskedEvent(RunEvent);

impl MaskedEvent {
    /// Masks an event. A summary gets the problems that were collected from masked outcomes: its own have texts that were cut
    /// before anything was masked.
    #[must_use]
    pub fn new(mut event: RunEvent, mask: &dyn Mask, collected: &Problems) -> Self {
        if let RunEvent::Ended(summary) = &mut event {
            summary.problems = collected.clone();
        }
        if !mask.is_empty() {
            Masking(mask).event(&mut event);
        }
        Self(event)
    }
}

impl Deref for MaskedEvent {
    type Target = RunEvent;

    fn deref(&self) -> &RunEvent {
        &self.0
    }
}

/// Masks the parts of an event.
struct Masking<'a>(&'a dyn Mask);

impl Masking<'_> {
    fn event(&self, event: &mut RunEvent) {
        match event {
            RunEvent::PreflightDone(preflight) => self.preflight(preflight),
            RunEvent::PreflightFailed { finding, tried: _ } => self.finding(finding),
            // A scenario is ours, or in a file of the user.
            RunEvent::Planned(_) | RunEvent::Started(_) => {}
            RunEvent::Finished(outcome) => self.outcome(outcome),
            RunEvent::Ended(summary) => self.summary(summary),
        }
    }

    fn texts<'t>(&self, texts: impl IntoIterator<Item = &'t mut String>) {
        for text in texts {
            *text = self.0.text(text);
        }
    }

    fn preflight(&self, preflight: &mut Preflight) {
        let Preflight { speaks: _, complete: _, server, called, cut_lists: _ } = preflight;
        self.texts(server);
        if let Some(CalledByRun { called, others: _ }) = called {
            self.texts(called);
        }
    }

    fn summary(&self, summary: &mut Summary) {
        let Summary {
            target,
            not_run,
            // Collected from masked outcomes.
            problems: _,
            profile: _,
            suite: _,
            requirements: _,
            lines: _,
            counts: _,
            advisory: _,
            results: _,
            coverage: _,
            known: _,
            baseline: _,
            client_speaks: _,
            exit: _,
            shard: _,
            not_started: _,
            program_starts: _,
            program_restarts: _,
            interrupted: _,
        } = summary;
        self.texts([target]);
        not_run.iter_mut().for_each(|finding| self.finding(finding));
    }

    fn outcome(&self, outcome: &mut Outcome) {
        let Outcome {
            checks,
            trace,
            stderr_tail,
            exited,
            client_run,
            silence,
            assertion,
            other_attempts,
            scenario_run: _,
            profile: _,
            spoken: _,
            unmet: _,
            unscored: _,
            started: _,
            elapsed: _,
            verdict: _,
            attempt: _,
        } = outcome;
        checks.iter_mut().for_each(|check| self.check(check));
        *trace = self.0.trace(mem::take(trace));
        self.texts(stderr_tail);
        self.texts(exited);
        client_run.iter_mut().for_each(|run| self.client_run(run));
        if let Some(silence) = silence {
            let Silence { mut finding, scenario_run } = (**silence).clone();
            self.finding(&mut finding);
            *silence = Arc::new(Silence { finding, scenario_run });
        }
        if let Some(failure) = assertion {
            let AssertionFailure { finding, trace, revision, location } = &**failure;
            let (mut finding, trace) = (finding.clone(), self.0.trace(trace.clone()));
            self.finding(&mut finding);
            let (revision, location) = (*revision, *location);
            *failure = Arc::new(AssertionFailure { finding, trace, revision, location });
        }
        other_attempts.iter_mut().for_each(|attempt| self.outcome(attempt));
    }

    fn check(&self, check: &mut Check) {
        let Check {
            message,
            finding,
            others,
            details,
            known_false,
            // Those of the declaration.
            id: _,
            name: _,
            description: _,
            status: _,
            requirements: _,
            tested: _,
            origin: _,
            binding: _,
            known: _,
            untestable: _,
            timestamp: _,
            spec_references: _,
        } = check;
        self.texts(message.iter_mut().chain(known_false));
        finding.iter_mut().chain(others).for_each(|finding| self.finding(finding));
        details.iter_mut().for_each(|details| *details = self.value(details));
    }

    fn client_run(&self, run: &mut ClientRun) {
        let ClientRun { end, command, stdout, stderr, leftovers, exit: _ } = run;
        self.texts([stdout, stderr].into_iter().chain(command));
        match end {
            ClientEnd::Failed(how) | ClientEnd::NotStarted(how) => self.texts([how]),
            ClientEnd::Succeeded | ClientEnd::TimedOut | ClientEnd::Unobserved => {}
        }
        for LeftoverProcess { command, pid: _ } in leftovers {
            self.texts([command]);
        }
    }

    fn finding(&self, finding: &mut Finding) {
        let Finding {
            headline,
            expected,
            got,
            hint,
            pointer,
            awaited,
            excerpt,
            shape,
            cause,
            blame: _,
            severity: _,
            demand: _,
            sdk: _,
            requirements: _,
            evidence: _,
            in_any_state: _,
            shown_by_exit: _,
            in_shortened_time: _,
            in_cut_time: _,
        } = finding;
        self.texts([headline]);
        self.texts([expected, got, hint, excerpt].into_iter().flatten());
        pointer.iter_mut().for_each(|pointer| self.pointer(pointer));
        if let Some(awaited) = awaited {
            *awaited = self.0.text(awaited).into();
        }
        if let Some(Shape { pointer, name: _, revision: _, link: _, allowed: _ }) =
            shape.as_deref_mut()
        {
            self.pointer(pointer);
        }
        // It is what a problem is known by in a file.
        match cause.as_deref_mut() {
            Some(Cause::RequirementFor(_, name)) => self.texts([name]),
            Some(Cause::Request { method, subject, fate: _ }) => {
                self.texts([method].into_iter().chain(subject));
            }
            Some(
                Cause::Requirement(_) | Cause::Status(_) | Cause::OverLimit | Cause::Unreachable,
            )
            | None => {}
        }
    }

    /// The names of members come from the peer.
    fn pointer(&self, pointer: &mut Pointer) {
        let masked = pointer.tokens().map(|token| self.0.text(&token));
        *pointer = masked.fold(Pointer::root(), |pointer, token| pointer.member(&token));
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.0.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(object) => {
                let mut masked = Object::new();
                // A peer may echo a secret as a name as well.
                for (name, member) in object.iter() {
                    masked.push(self.0.text(name), self.value(member));
                }
                masked.into()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}
