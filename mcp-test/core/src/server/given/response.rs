//! [`Respond`]: the responses of rules.

use std::future::{Future, ready};
use std::pin::Pin;

use super::SteppedResponse;
use crate::json::Value;
use crate::server::{Answer, Call};
use crate::wire::RpcError;

/// A future answer.
type AnswerFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// What a rule responds with: a result, an [`Answer`], an error, a [`SteppedResponse`], or an async function of the
/// [`Call`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a response of a rule",
    note = "a rule can respond with a JSON value, an `Answer`, an `RpcError`, `steps()…answer(…)`, or `|call: Call| async move {{ … }}`"
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
    fn respond(&self, call: Call) -> AnswerFuture {
        let answer = self(call);
        Box::pin(async move { answer.await.into() })
    }
}

/// Values that are an answer by themselves.
macro_rules! respond_as_is {
    ($($answer:ty),*) => {$(
        impl Respond for $answer {
            fn respond(&self, _: Call) -> AnswerFuture {
                Box::pin(ready(self.clone().into()))
            }
        }
    )*};
}

respond_as_is!(Answer, Value, serde_json::Value, RpcError);

impl Respond for SteppedResponse {
    fn respond(&self, call: Call) -> AnswerFuture {
        let response = self.clone();
        Box::pin(async move { response.run(&call).await })
    }
}
