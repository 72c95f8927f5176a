//! Making calls on a connection, and repeating a chain of them on a new one.

use std::time::Duration;

use mcp_test_core::check::{Cause, Fate, Finding};
use mcp_test_core::client::{Reply, RequestOptions};
use mcp_test_core::scenario::{Connected, Ctx};

use super::answer::{Answer, judge};
use super::chain::{Chain, Step};
use super::explorable::Explorable;
use super::failure::{Failure, FailureKind};
use super::refusal::Refusal;
use super::shrink::Purpose;
use crate::generate::Class;
use crate::known_values::{Readable, readable};

/// How many calls are made on one connection. What came before a failure is tried again call by call.
const MAX_CALLS: usize = 50;

/// A conversation: a connection, and the calls that were made on it.
pub(super) struct Conversation {
    client: Connected,
    pub(super) chain: Chain,
    /// What can be read of the result of each call.
    pub(super) results: Vec<Option<Readable>>,
    /// The last answer, if that is a result with `isError`.
    pub(super) refusal: Option<Refusal>,
}

/// What came of a call.
pub(super) struct Called {
    /// How it was answered; `None` without a reply that can be judged.
    pub(super) answer: Option<Answer>,
    /// What is wrong with that.
    pub(super) failure: Option<Failure>,
}

impl Conversation {
    /// Opens a connection.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached.
    pub(super) async fn begin(ctx: &Ctx) -> Result<Self, Finding> {
        let client = ctx.connect(ctx.options()).await?;
        Ok(Self { client, chain: Chain::default(), results: Vec::new(), refusal: None })
    }

    /// Ends it.
    pub(super) async fn end(self) {
        self.client.end().await;
    }

    /// Makes a call and judges its answer.
    pub(super) async fn call(
        &mut self,
        step: Step,
        class: &Class,
        explorable: &Explorable,
        wait: Duration,
    ) -> Called {
        let (method, params) = (step.operation.method(), step.params());
        let arguments = step.arguments.clone();
        self.chain.steps.push(step);
        let options = RequestOptions::new().deliberate().timeout(wait);
        let reply = self.client.request_with(method, params, options).await;
        let result = reply.as_ref().ok().and_then(Reply::peek);
        self.results.push(result.and_then(readable));
        self.refusal = result.and_then(|it| Refusal::of(it, &arguments));
        match reply {
            Ok(reply) => {
                let (answer, mut failure) = judge(&reply, class, explorable);
                if let Some(failure) = &mut failure {
                    failure.refusal = self.refusal.clone();
                }
                Called { answer: Some(answer), failure }
            }
            Err(finding) => {
                let failure = Failure::new(self.kind_of(&finding), finding);
                Called { answer: None, failure: Some(failure) }
            }
        }
    }

    /// What can be read of the result of a call, without judging it; `None` if it does not succeed.
    pub(super) async fn result_of(&mut self, step: &Step, wait: Duration) -> Option<Readable> {
        let request = RequestOptions::new().deliberate().timeout(wait);
        let method = step.operation.method();
        let reply = self.client.request_with(method, step.params(), request).await.ok()?;
        reply.outcome().ok().and_then(readable)
    }

    /// The answer to a call as a text, without judging it; `None` if there is none.
    pub(super) async fn answer_to(&mut self, step: &Step, wait: Duration) -> Option<String> {
        let request = RequestOptions::new().deliberate().timeout(wait);
        let method = step.operation.method();
        let reply = self.client.request_with(method, step.params(), request).await.ok()?;
        Some(match reply.outcome() {
            Ok(result) => result.to_string(),
            Err(error) => error.to_string(),
        })
    }

    /// What can be read of the results of calls that are made at once.
    ///
    /// # Errors
    ///
    /// If one is not answered.
    pub(super) async fn results_at_once(
        &mut self,
        steps: &[Step],
        wait: Duration,
    ) -> Result<Vec<Option<Readable>>, Failure> {
        let mut pending = Vec::new();
        for step in steps {
            let request = RequestOptions::new().deliberate().timeout(wait);
            let method = step.operation.method();
            pending.push(self.client.start_with(method, step.params(), request).await);
        }
        let mut results = Vec::new();
        let mut pending = pending.into_iter();
        while let Some(next) = pending.next() {
            match self.client.wait(next).await {
                Ok(reply) => results.push(reply.outcome().ok().and_then(readable)),
                Err(finding) => {
                    let failure = Failure::new(self.kind_of(&finding), finding);
                    for other in pending {
                        self.client.cancel(other, None).await;
                    }
                    return Err(failure);
                }
            }
        }
        Ok(results)
    }

    /// Whether enough calls were made on it.
    pub(super) fn is_full(&self) -> bool {
        self.chain.steps.len() >= MAX_CALLS
    }

    /// What a call without a reply shows.
    fn kind_of(&self, finding: &Finding) -> FailureKind {
        if self.client.is_closed() {
            FailureKind::Closed
        } else if is_unanswered(finding) {
            FailureKind::NoReply
        } else {
            FailureKind::InvalidReply
        }
    }

    /// Whether further calls can be made on it, after this failure.
    pub(super) fn is_usable_after(&self, failure: &FailureKind) -> bool {
        !failure.is_without_reply() && !self.client.is_closed()
    }
}

/// Whether a call got no reply at all.
fn is_unanswered(finding: &Finding) -> bool {
    matches!(finding.cause.as_deref(), Some(Cause::Request { fate: Fate::Unanswered, .. }))
}

/// Repeats chains of calls.
pub(super) struct Replay<'a> {
    ctx: &'a Ctx,
    explorables: &'a [Explorable],
    /// The class of the arguments of the last call.
    class: &'a Class,
    /// The connection of the last replay, if another may go on with it.
    open: Option<Conversation>,
}

impl<'a> Replay<'a> {
    pub(super) fn new(ctx: &'a Ctx, explorables: &'a [Explorable], class: &'a Class) -> Self {
        Self { ctx, explorables, class, open: None }
    }

    /// Repeats a chain; what is wrong with the last answer, if anything.
    ///
    /// `None` also if the chain cannot be repeated: an earlier call fails, or does not result in a value that is needed. While a
    /// single call is reduced, one connection serves for many, since a server may be slow to start; every other chain gets a new
    /// one.
    pub(super) async fn run(
        &mut self,
        chain: &Chain,
        wait: Duration,
        purpose: Purpose,
    ) -> Option<Failure> {
        let is_single = chain.steps.len() == 1 && purpose == Purpose::Reduce;
        let open = match self.open.take() {
            Some(open) if is_single => open,
            other => {
                if let Some(other) = other {
                    other.end().await;
                }
                Conversation::begin(self.ctx).await.ok()?
            }
        };
        let (conversation, failure) = self.calls(open, chain, wait).await;
        let is_usable =
            failure.as_ref().is_none_or(|failure| conversation.is_usable_after(&failure.kind));
        if is_single && is_usable && !conversation.is_full() {
            self.open = Some(conversation);
        } else {
            conversation.end().await;
        }
        failure
    }

    pub(super) async fn end(self) {
        if let Some(open) = self.open {
            open.end().await;
        }
    }

    async fn calls(
        &self,
        mut conversation: Conversation,
        chain: &Chain,
        wait: Duration,
    ) -> (Conversation, Option<Failure>) {
        let first = conversation.results.len();
        let mut last = None;
        for (index, step) in chain.steps.iter().enumerate() {
            let results = &conversation.results[first..];
            let result_of = |step: usize| results.get(step)?.as_ref().map(|it| &it.value);
            let arguments = chain.arguments(index, result_of);
            let of_step = self.explorables.iter().find(|it| it.operation == step.operation);
            let (Some(arguments), Some(explorable)) = (arguments, of_step) else { break };
            let is_last = index + 1 == chain.steps.len();
            // The earlier calls only have to be answered.
            let class = if is_last { self.class } else { &Class::Valid };
            let step = Step { arguments, ..step.clone() };
            match conversation.call(step, class, explorable, wait).await.failure {
                Some(failure) if is_last => last = Some(failure),
                Some(failure) if !conversation.is_usable_after(&failure.kind) => break,
                _ => {}
            }
        }
        (conversation, last)
    }
}
