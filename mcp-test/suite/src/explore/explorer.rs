//! [`Explorer`]: the phases of an exploration.

use std::collections::BTreeSet;
use std::iter;
use std::time::Duration;

use mcp_test_core::check::Finding;
use mcp_test_core::clock::{Deadline, Stopwatch};
use mcp_test_core::json::Value;
use mcp_test_core::scenario::{Activity, CallableTool, Ctx};
use proptest::strategy::{BoxedStrategy, Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;

use super::answer::Answer;
use super::at_once;
use super::chain::{Chain, Link, Step};
use super::explorable::Explorable;
use super::explored::{Exploration, Explored};
use super::failure::{Failure, FailureKind};
use super::leak;
use super::operation::Operation;
use super::options::ExploreOptions;
use super::plan::{PlannedCall, planned_calls};
use super::replay::{Called, Conversation, Replay};
use super::shrink::{Purpose, reduce};
use crate::generate::Class;
use crate::known_values::KnownValues;

/// After this many failures that end the connection, a tool is called no more: each costs a start of the server.
const MAX_ENDINGS: usize = 6;

/// How many values of earlier results are tried for one argument.
const CANDIDATES: usize = 8;

/// How many templates are expanded, and how many prompts are got.
const MAX_LINKED: usize = 10;

/// How many values are tried with one of them.
const CALLS_OF_LINKED: usize = 24;

/// How many calls of a tool are made at once.
const AT_ONCE: usize = 16;

/// How often in a row the random arguments of a tool may be ones that it was called with, before it is called no more: its
/// schema allows few.
const MAX_REPEATED: usize = 10;

/// While a call that was not answered is reduced, a reply may take this many times as long as the slowest one so far, so that most
/// of the time does not pass with waiting.
const TIMES_SLOWEST: u32 = 20;

/// How long a reply may take at least, then.
const SHORTEST_WAIT: Duration = Duration::from_millis(250);

/// Calls tools with generated arguments.
pub struct Explorer<'a> {
    ctx: &'a Ctx,
    options: ExploreOptions,
    explorables: Vec<Explorable>,
    explored: Vec<Explored>,
    budgets: Vec<Budget>,
    /// The arguments that a tool is called with first.
    first: Vec<Value>,
    /// What makes the arguments instead of the schemas.
    strategy: Option<BoxedStrategy<Value>>,
    conversation: Option<Conversation>,
    known: KnownValues,
    /// How long the slowest reply took.
    slowest: Duration,
    activity: Activity,
}

/// What is left for a tool.
struct Budget {
    calls: usize,
    time: Duration,
    /// The arguments that it was called with, as text.
    called: BTreeSet<String>,
    /// How often in a row random arguments were among these.
    repeated: usize,
}

impl<'a> Explorer<'a> {
    /// Explores tools; `fixed` returns the arguments that the user has given for one.
    pub fn new(
        ctx: &'a Ctx,
        tools: &[CallableTool],
        fixed: impl Fn(&str) -> Option<Value>,
        options: ExploreOptions,
    ) -> Self {
        let mut explorer = Self {
            ctx,
            options,
            explorables: Vec::new(),
            explored: Vec::new(),
            budgets: Vec::new(),
            first: Vec::new(),
            strategy: None,
            conversation: None,
            known: KnownValues::default(),
            slowest: Duration::ZERO,
            activity: Activity::default(),
        };
        for tool in tools {
            explorer.add(Explorable::tool(tool, fixed(&tool.name)), explorer.options.calls);
        }
        explorer
    }

    fn add(&mut self, explorable: Explorable, calls: usize) {
        let not_generated = explorable.generator().err().map(ToString::to_string);
        self.explored.push(Explored {
            requires_task: explorable.requires_task,
            ..Explored::new(explorable.operation.clone(), not_generated)
        });
        self.budgets.push(Budget {
            calls,
            time: self.options.time,
            called: BTreeSet::new(),
            repeated: 0,
        });
        self.explorables.push(explorable);
    }

    /// Reads also the URIs in results, and those that the listed templates expand to with values of results.
    #[must_use]
    pub fn with_resources(mut self, templates: &[Value]) -> Self {
        let templates = templates.iter().filter_map(Explorable::resources).take(MAX_LINKED);
        for explorable in iter::once(Explorable::any_resource()).chain(templates) {
            self.add(explorable, self.options.calls.min(CALLS_OF_LINKED));
        }
        self
    }

    /// Gets also the listed prompts, with values of results.
    #[must_use]
    pub fn with_prompts(mut self, prompts: &[Value]) -> Self {
        for explorable in prompts.iter().filter_map(Explorable::prompt).take(MAX_LINKED) {
            self.add(explorable, self.options.calls.min(CALLS_OF_LINKED));
        }
        self
    }

    /// Reports what it calls.
    #[must_use]
    pub fn with_activity(self, activity: Activity) -> Self {
        Self { activity, ..self }
    }

    /// Calls each tool with these arguments first.
    #[must_use]
    pub fn with_first(self, first: Vec<Value>) -> Self {
        Self { first, ..self }
    }

    /// Takes valid arguments from a strategy instead of the schemas.
    #[must_use]
    pub fn with_strategy(self, strategy: BoxedStrategy<Value>) -> Self {
        Self { strategy: Some(strategy), ..self }
    }

    /// Calls all tools.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached any more.
    pub async fn explore(mut self) -> Result<Exploration, Finding> {
        self.call_as_planned().await?;
        self.call_at_random().await?;
        for index in 0..self.explorables.len() {
            self.call_at_once(index).await;
        }
        self.look_for_leaks().await;
        if let Some(conversation) = self.conversation.take() {
            conversation.end().await;
        }
        let mut operations = self.explored;
        operations.retain(|it| it.calls > 0 || matches!(it.operation, Operation::Tool(_)));
        for explored in &mut operations {
            explored.drop_other_refusals();
        }
        Ok(Exploration { operations })
    }

    fn may_call(&self, index: usize) -> bool {
        let budget = &self.budgets[index];
        budget.calls > 0
            && !budget.time.is_zero()
            && budget.repeated < MAX_REPEATED
            && self.explored[index].endings < MAX_ENDINGS
    }

    /// Calls each tool with what its schema states, and with each keyword at its boundaries and violated.
    async fn call_as_planned(&mut self) -> Result<(), Finding> {
        // The other half is for random arguments.
        let most = self.options.calls.div_ceil(2);
        for index in 0..self.explorables.len() {
            let explorable = &self.explorables[index];
            let first = self.first.iter().map(|it| PlannedCall::with(explorable, it));
            let planned = match self.strategy {
                Some(_) => Vec::new(),
                None => planned_calls(explorable),
            };
            let calls: Vec<_> = first.chain(planned).take(most).collect();
            for call in calls {
                if !self.may_call(index) {
                    break;
                }
                let step = self.step(index, call.arguments.clone());
                self.attempt(index, step, &call).await?;
            }
        }
        Ok(())
    }

    /// Calls the tools in turn with random arguments, some of which come from earlier results.
    async fn call_at_random(&mut self) -> Result<(), Finding> {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&self.options.seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let strategies: Vec<_> =
            (0..self.explorables.len()).map(|it| self.strategy_of(it)).collect();
        loop {
            let mut has_called = false;
            for (index, strategy) in strategies.iter().enumerate() {
                if !self.may_call(index) {
                    continue;
                }
                let tree = strategy.as_ref().map(|strategy| strategy.new_tree(&mut runner));
                let step = match tree {
                    Some(Ok(tree)) => Some(self.linked(index, tree.current(), &mut runner)),
                    None if !self.explorables[index].is_tool() => {
                        let step = self.linked(index, json!({}).into(), &mut runner);
                        self.explorables[index].has_required(&step.arguments).then_some(step)
                    }
                    Some(Err(_)) | None => {
                        self.budgets[index].calls = 0;
                        None
                    }
                };
                let Some(step) = step else { continue };
                has_called = true;
                let is_known = self.budgets[index].called.contains(&step.arguments.to_string());
                let repeated = &mut self.budgets[index].repeated;
                // What is linked may lead to something else on another connection; nothing else is sent to resources and prompts.
                let is_repeated = is_known && (step.links.is_empty() || strategy.is_none());
                *repeated = if is_repeated { *repeated + 1 } else { 0 };
                let arguments = step.arguments.clone();
                let call = PlannedCall { arguments, class: Class::Valid, keywords: Vec::new() };
                self.attempt(index, step, &call).await?;
            }
            if !has_called {
                return Ok(());
            }
        }
    }

    /// A step without values of results.
    fn step(&self, index: usize, arguments: Value) -> Step {
        Step::new(self.explorables[index].operation.clone(), arguments)
    }

    /// What makes random arguments of a tool.
    fn strategy_of(&self, index: usize) -> Option<BoxedStrategy<Value>> {
        if let Some(strategy) = &self.strategy {
            return Some(strategy.clone());
        }
        Some(self.explorables[index].generator().ok()??.strategy())
    }

    /// A call with random arguments, of which those are replaced that an earlier result has values for.
    fn linked(&self, index: usize, arguments: Value, runner: &mut TestRunner) -> Step {
        use proptest::prelude::Rng as _;
        let explorable = &self.explorables[index];
        let mut step = self.step(index, arguments);
        for argument in explorable.arguments.iter().filter(|_| self.strategy.is_none()) {
            let mut candidates = self.known.candidates(&argument.name);
            candidates.truncate(CANDIDATES);
            // As often as not, so that values of both origins are tried.
            let draw = runner.rng().next_u32() as usize;
            if candidates.is_empty() || (!argument.is_required && draw.is_multiple_of(2)) {
                continue;
            }
            let (value, source) = candidates.swap_remove((draw / 2) % candidates.len());
            let link = Link::new(&argument.name, source);
            let mut linked = step.arguments.clone();
            if linked.set(link.argument.as_str(), value.clone()) && explorable.allows(&linked) {
                step.arguments = linked;
                step.links.push(link);
            }
        }
        step
    }

    /// Makes a call, and reduces what is wrong with its answer.
    async fn attempt(
        &mut self,
        index: usize,
        step: Step,
        call: &PlannedCall,
    ) -> Result<(), Finding> {
        let stopwatch = Stopwatch::start();
        let mut conversation = self.conversation().await?;
        let sent = Stopwatch::start();
        let place = conversation.chain.steps.len();
        let explorable = &self.explorables[index];
        self.activity.set(format!(
            "{}, call {}",
            explorable.operation,
            self.explored[index].calls + 1
        ));
        let Called { answer, failure } =
            conversation.call(step, &call.class, explorable, self.options.reply).await;
        let explored = &mut self.explored[index];
        explored.add_call(call);
        explored.add_refusal(&call.class, conversation.refusal.as_ref());
        let failure = failure.filter(|failure| !explored.is_about_something_else(failure));
        if let Some(answer) = answer {
            self.slowest = self.slowest.max(sent.elapsed());
            *explored.answers.entry(answer).or_default() += 1;
            let result = conversation.results.last().cloned().flatten();
            // What a result says for invalid arguments leads nowhere.
            let is_used = answer == Answer::Success && call.class.is_valid();
            if let Some(result) = result.filter(|_| is_used) {
                self.known.add(explorable.tool_name(), place, &result);
                explored.add_success(&call.arguments, result.value);
            }
        }
        match failure {
            None => self.conversation = Some(conversation),
            Some(failure) => {
                let chain = conversation.chain.clone();
                if conversation.is_usable_after(&failure.kind) {
                    self.conversation = Some(conversation);
                } else {
                    explored.endings += 1;
                    conversation.end().await;
                }
                self.take_failure(index, (chain, call.class.clone(), failure)).await;
            }
        }
        let budget = &mut self.budgets[index];
        budget.calls = budget.calls.saturating_sub(1);
        budget.time = budget.time.saturating_sub(stopwatch.elapsed());
        self.explored[index].is_out_of_time = budget.calls > 0 && budget.time.is_zero();
        budget.called.insert(call.arguments.to_string());
        Ok(())
    }

    /// The conversation that goes on, or a new one.
    async fn conversation(&mut self) -> Result<Conversation, Finding> {
        match self.conversation.take() {
            Some(conversation) if !conversation.is_full() => Ok(conversation),
            old => {
                if let Some(old) = old {
                    old.end().await;
                }
                // What an earlier server has made may be gone with it.
                self.known.clear();
                Conversation::begin(self.ctx).await
            }
        }
    }

    /// Reduces a failure, unless the tool is known to fail in this way.
    async fn take_failure(&mut self, index: usize, found: (Chain, Class, Failure)) {
        if !self.explored[index].add_failure(&found.2.kind, &found.1) {
            return;
        }
        self.activity.set(format!("reducing a failure of {}", self.explorables[index].operation));
        let class = found.1.clone();
        let deadline = Deadline::after(self.budgets[index].time);
        let (ctx, explorables) = (self.ctx, &self.explorables);
        let waits = self.waits(&found.2.kind);
        // What is smaller by the schema may be something that the strategy never makes.
        let has_strategy = self.strategy.is_some();
        let smaller = |chain: &Chain, at: usize| {
            let Some(step) = chain.steps.get(at) else { return Vec::new() };
            let is_last = at + 1 == chain.steps.len();
            let class = if is_last { &class } else { &Class::Valid };
            let of_step = explorables.iter().find(|it| it.operation == step.operation);
            let of_step = of_step.filter(|_| !has_strategy);
            let mut smaller =
                of_step.map(|it| it.smaller(&step.arguments, class)).unwrap_or_default();
            smaller.retain(|candidate| step.keeps_links(candidate));
            smaller
        };
        let mut replay = Replay::new(ctx, explorables, &class);
        let again = async |chain: &Chain, purpose| replay.run(chain, waits(purpose), purpose).await;
        let reduced = reduce(found, smaller, deadline, again).await;
        replay.end().await;
        self.explored[index].failures.push(reduced);
    }

    /// How long a reply may take while a failure of this kind is reduced and confirmed.
    fn waits(&self, kind: &FailureKind) -> impl Fn(Purpose) -> Duration + use<> {
        let full = self.options.reply;
        let short = (self.slowest * TIMES_SLOWEST).max(SHORTEST_WAIT).min(full);
        let is_silence = *kind == FailureKind::NoReply;
        move |purpose| if is_silence && purpose == Purpose::Reduce { short } else { full }
    }

    /// Makes several calls of a tool at once, and compares each result with that of the call alone.
    async fn call_at_once(&mut self, index: usize) {
        let explored = &self.explored[index];
        let is_tool = self.explorables[index].is_tool();
        if !is_tool || explored.successes.len() < 2 || explored.endings >= MAX_ENDINGS {
            return;
        }
        let step = |(arguments, _): &(Value, Value)| self.step(index, arguments.clone());
        self.activity.set(format!("{}, calls at once", explored.operation));
        let steps = explored.successes.iter().cycle().take(AT_ONCE).map(step).collect();
        let chain = Chain { steps };
        let (ctx, tool, reply) = (self.ctx, &self.explorables[index], self.options.reply);
        let Some(failure) = at_once::replay(ctx, &chain, tool, reply).await else { return };
        let deadline = Deadline::after(self.budgets[index].time);
        let waits = self.waits(&failure.kind);
        let again =
            async |chain: &Chain, purpose| at_once::replay(ctx, chain, tool, waits(purpose)).await;
        let found = (chain, Class::Valid, failure);
        let smaller = |chain: &Chain, at: usize| {
            let arguments = chain.steps.get(at).map(|step| &step.arguments);
            arguments.map(|it| tool.smaller(it, &Class::Valid)).unwrap_or_default()
        };
        let reduced = reduce(found, smaller, deadline, again).await;
        self.explored[index].failures.push(reduced);
    }

    /// Makes calls with canaries, and looks for these in the answers to others.
    async fn look_for_leaks(&mut self) {
        let succeeded = |index: &usize| {
            let is_tool = self.explorables[*index].is_tool();
            is_tool && self.explored[*index].endings < MAX_ENDINGS
        };
        let arguments = |index: usize| self.explored[index].successes.first().map(|(it, _)| it);
        let indices: Vec<usize> = (0..self.explorables.len()).filter(succeeded).collect();
        let marked = indices.iter().filter(|index| self.explorables[**index].is_read_only);
        let marked = marked.filter_map(|index| {
            let tool = &self.explorables[*index];
            let arguments = leak::with_canary(tool, arguments(*index)?, *index)?;
            Some(self.step(*index, arguments))
        });
        let marked: Vec<Step> = marked.collect();
        let others = indices
            .iter()
            .filter_map(|index| Some((*index, self.step(*index, arguments(*index)?.clone()))));
        let (of, others): (Vec<usize>, Vec<Step>) = others.unzip();
        if marked.is_empty() {
            return;
        }
        self.activity.set("looking for data of other calls".to_owned());
        let (ctx, reply) = (self.ctx, self.options.reply);
        let Some((by, index)) = leak::find(ctx, &marked, &others, reply).await else { return };
        let chain = Chain { steps: vec![marked[by].clone(), others[index].clone()] };
        let failure = leak::failure(&marked[by], &others[index]);
        let deadline = Deadline::after(self.budgets[of[index]].time);
        let again = async |chain: &Chain, _| leak::replay(ctx, chain, reply).await;
        let found = (chain, Class::Valid, failure);
        let reduced = reduce(found, |_, _| Vec::new(), deadline, again).await;
        self.explored[of[index]].failures.push(reduced);
    }
}
