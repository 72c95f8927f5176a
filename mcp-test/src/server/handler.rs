//! Handlers: what a script does for a method.

use std::{fmt, future::Future, panic::AssertUnwindSafe, sync::Arc};

use futures_util::future::{BoxFuture, FutureExt};

use super::{Answer, Call};
use crate::spec::error_code;

/// What answers the requests, or watches the notifications, of one method.
#[derive(Clone)]
pub(super) struct Handler(Arc<dyn Fn(Call) -> BoxFuture<'static, Answer> + Send + Sync>);

impl Handler {
    pub(super) fn new<F, Fut, A>(handle: F) -> Self
    where
        F: Fn(Call) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = A> + Send + 'static,
        A: Into<Answer>,
    {
        let handle = Arc::new(handle);
        Self(Arc::new(move |call| {
            let handle = Arc::clone(&handle);
            async move { handle(call).await.into() }.boxed()
        }))
    }

    /// The answer; that of a handler which panics is an internal error.
    pub(super) async fn answer(&self, call: Call) -> Answer {
        let method = call.method().to_owned();
        let answer = AssertUnwindSafe((self.0)(call)).catch_unwind().await;
        answer.unwrap_or_else(|_| {
            Answer::error(error_code::INTERNAL_ERROR, format!("the handler of `{method}` panicked"))
        })
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}
