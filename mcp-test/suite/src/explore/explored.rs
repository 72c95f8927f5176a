//! What was seen of each operation.

use std::collections::{BTreeMap, BTreeSet};

use mcp_test_core::check::Finding;
use mcp_test_core::expect::words;
use mcp_test_core::json::Value;
use mcp_test_core::spec::Requirement;

use super::answer::Answer;
use super::failure::{Failure, FailureKind};
use super::operation::Operation;
use super::plan::PlannedCall;
use super::refusal::Refusal;
use super::shrink::Reduced;
use crate::generate::Class;

/// How many kinds of failures of one operation are reduced.
const FAILURES: usize = 5;

/// How many different results of one operation are kept.
const SUCCESSES: usize = 16;

/// The longest result that is kept, in bytes of JSON.
const LONGEST_RESULT: usize = 64 * 1024;

/// How many different refusals of one operation are kept.
const REFUSALS: usize = 64;

/// The result of an exploration.
#[derive(Debug, Clone, Default)]
pub struct Exploration {
    /// The tools, in the order of the list, then the resources and prompts that values of results were tried with.
    pub operations: Vec<Explored>,
}

impl Exploration {
    /// The finding that nothing was tested: no call has succeeded, and none has shown a failure.
    pub(super) fn untested(&self) -> Option<Finding> {
        let is_tested = |it: &Explored| it.has_succeeded() || !it.failures.is_empty();
        if self.operations.iter().any(is_tested) {
            return None;
        }
        let tried = self.operations.iter().map(|it| format!("`{}`: {}", it.operation, it.tried()));
        let finding = Finding::environment("nothing was tested: no call has succeeded")
            .got(tried.collect::<Vec<_>>().join("\n"))
            .hint(HOW_TO_SUCCEED);
        Some(finding)
    }
}

/// What was seen of one operation.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explored {
    /// The operation.
    pub operation: Operation,
    /// How often it was called, without the calls that reduce a failure.
    pub calls: usize,
    /// How many of these calls had arguments that its schema does not allow.
    pub invalid: usize,
    /// How often each keyword of its schema was exercised.
    pub keywords: BTreeMap<String, usize>,
    /// How often it answered in each way.
    pub answers: BTreeMap<Answer, usize>,
    /// Whether it was called no more because its time was over.
    pub is_out_of_time: bool,
    /// Why no arguments could be generated.
    pub not_generated: Option<String>,
    /// Whether it refuses each call that is not run as a task, as it has to.
    pub(super) requires_task: bool,
    /// What is wrong, each reduced.
    pub failures: Vec<Reduced>,
    /// The locations in its arguments, and the keywords there, that it accepts violations of.
    pub accepted: BTreeSet<(String, String)>,
    /// The kinds of failures, each with whether the arguments were valid.
    pub(super) kinds: BTreeSet<(FailureKind, bool)>,
    /// Why valid arguments were refused.
    pub(super) refusals: Vec<Refusal>,
    /// How many failures have ended the connection.
    pub(super) endings: usize,
    /// Arguments with the results that they have led to, each different from the others.
    pub(super) successes: Vec<(Value, Value)>,
}

/// How to get a result from a tool that refuses what is generated.
const HOW_TO_SUCCEED: &str = "`examples` in the schema of the tool, or --call NAME=JSON, give arguments that succeed; the server may also lack credentials";

impl Explored {
    /// The requirement that some call of a tool succeeds.
    pub(super) const SUCCEEDS: &Requirement = Requirement::MCP_TEST_EXPLORED_TOOL_SUCCEEDS;

    /// What was not called yet.
    pub(super) fn new(operation: Operation, not_generated: Option<String>) -> Self {
        Self {
            operation,
            calls: 0,
            invalid: 0,
            keywords: BTreeMap::new(),
            answers: BTreeMap::new(),
            is_out_of_time: false,
            not_generated,
            requires_task: false,
            failures: Vec::new(),
            accepted: BTreeSet::new(),
            kinds: BTreeSet::new(),
            refusals: Vec::new(),
            endings: 0,
            successes: Vec::new(),
        }
    }

    /// Counts a call.
    pub(super) fn add_call(&mut self, call: &PlannedCall) {
        self.calls += 1;
        self.invalid += usize::from(call.class.is_invalid());
        for keyword in &call.keywords {
            *self.keywords.entry(keyword.clone()).or_default() += 1;
        }
    }

    /// Keeps the arguments and the result of a call, if none has had this result.
    pub(super) fn add_success(&mut self, arguments: &Value, result: Value) {
        let is_new = self.successes.iter().all(|(_, known)| *known != result);
        let is_short = || result.to_string().len() <= LONGEST_RESULT;
        if self.successes.len() < SUCCESSES && is_new && is_short() {
            self.successes.push((arguments.clone(), result));
        }
    }

    /// Keeps why valid arguments are refused.
    pub(super) fn add_refusal(&mut self, class: &Class, refusal: Option<&Refusal>) {
        let Some(refusal) = refusal.filter(|_| class.is_valid()) else { return };
        if self.refusals.len() < REFUSALS && !self.refusals.iter().any(|it| it.is_like(refusal)) {
            self.refusals.push(refusal.clone());
        }
    }

    /// Whether any call has succeeded.
    fn has_succeeded(&self) -> bool {
        self.answers.contains_key(&Answer::Success)
    }

    /// The finding that no call of a tool has succeeded, unless a failure explains it.
    pub(super) fn never_succeeded(&self) -> Option<Finding> {
        let is_tool = matches!(self.operation, Operation::Tool(_));
        let is_explained = self.requires_task || !self.failures.is_empty();
        if !is_tool || self.calls == 0 || self.has_succeeded() || is_explained {
            return None;
        }
        let finding = Finding::peer(format!("no call of `{}` has succeeded", self.operation))
            .expected("a result for some arguments that the schema allows")
            .got(self.tried())
            .hint(HOW_TO_SUCCEED)
            .requires(Self::SUCCEEDS);
        Some(finding.should())
    }

    /// The finding that an exploration of this tool alone has tested nothing: no call has succeeded, and none has failed.
    pub(super) fn untested(&self) -> Option<Finding> {
        if self.has_succeeded() || !self.failures.is_empty() {
            return None;
        }
        let nothing =
            || {
                let headline =
                    format!("nothing was tested: no call of `{}` has succeeded", self.operation);
                let finding = Finding::test(headline).got(self.tried());
                match self.requires_task {
                    true => finding
                        .hint("the tool runs only as a task, and an exploration makes no tasks"),
                    false => finding
                        .hint("allow more calls with `.calls(…)`, or more time with `.time(…)`"),
                }
            };
        Some(self.never_succeeded().unwrap_or_else(nothing))
    }

    /// What was tried, and how it was refused first.
    fn tried(&self) -> String {
        if let Some(why) = &self.not_generated {
            return format!("no arguments can be generated: {}", words::excerpt(why));
        }
        let calls = words::count(self.calls, "call");
        match self.refusals.first() {
            Some(it) => format!("{calls}, refused with {:?}", words::excerpt(&it.text)),
            None => calls,
        }
    }

    /// Whether a failure is a refusal that is about something else than the invalid argument, as far as is known: valid ones are
    /// refused in the same way, or none has been accepted.
    pub(super) fn is_about_something_else(&self, failure: &Failure) -> bool {
        let is_like =
            |known: &Refusal| failure.refusal.as_ref().is_some_and(|it| it.is_like(known));
        let is_known = || self.refusals.iter().any(is_like);
        failure.kind == FailureKind::RefusalWithoutName && (!self.has_succeeded() || is_known())
    }

    /// Removes the failures that later calls with valid arguments have shown to be about something else.
    pub(super) fn drop_other_refusals(&mut self) {
        let failures = std::mem::take(&mut self.failures);
        let is_real = |it: &Reduced| !self.is_about_something_else(&it.failure);
        self.failures = failures.into_iter().filter(is_real).collect();
    }

    /// Counts a failure; whether it is of a kind that has not been seen, and is to be reduced.
    pub(super) fn add_failure(&mut self, kind: &FailureKind, class: &Class) -> bool {
        if let (FailureKind::InvalidAccepted, Class::Invalid { keyword, instance }) = (kind, class)
        {
            self.accepted.insert((instance.as_str().to_owned(), keyword.clone()));
        }
        self.failures.len() < FAILURES && self.kinds.insert((kind.clone(), class.is_valid()))
    }
}
