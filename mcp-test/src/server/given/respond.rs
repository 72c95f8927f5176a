//! Responses: what a rule can respond with.

use std::{
    future::{Future, ready},
    pin::Pin,
};

use super::Course;
use crate::{
    json::Value,
    server::{Answer, Call},
    wire::RpcError,
};

/// An answer on its way.
type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// What a rule responds with: a result, an [`Answer`], an error, a [`Course`] of steps, or an async function of the
/// [`Call`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that a rule can respond with",
    note = "it can respond with a JSON value, an `Answer`, an `RpcError`, `steps()…answer(…)`, or `|call: Call| async move {{ … }}`"
)]
pub trait Respond: Send + Sync + 'static {
    /// Answers a call.
    fn respond(&self, call: Call) -> Pin<Box<dyn Future<Output = Answer> + Send>>;
}

impl<F, Fut, A> Respond for F
where
    F: Fn(Call) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = A> + Send + 'static,
    A: Into<Answer>,
{
    fn respond(&self, call: Call) -> Answering {
        let answer = self(call);
        Box::pin(async move { answer.await.into() })
    }
}

fn at_once(answer: impl Into<Answer>) -> Answering {
    Box::pin(ready(answer.into()))
}

impl Respond for Answer {
    fn respond(&self, _: Call) -> Answering {
        at_once(self.clone())
    }
}

impl Respond for Value {
    fn respond(&self, _: Call) -> Answering {
        at_once(self.clone())
    }
}

impl Respond for serde_json::Value {
    fn respond(&self, _: Call) -> Answering {
        at_once(self.clone())
    }
}

impl Respond for RpcError {
    fn respond(&self, _: Call) -> Answering {
        at_once(self.clone())
    }
}

impl Respond for Course {
    fn respond(&self, call: Call) -> Answering {
        let course = self.clone();
        Box::pin(async move { course.play(&call).await })
    }
}
