//! [`Handler`]: a callback of the script for one method.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};

use super::{Answer, Call};
use crate::spec::error_code;

/// Answers the requests or observes the notifications of one method.
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
            // `handle` is called inside the future, so that `catch_unwind` below also catches its panics.
            async move { handle(call).await.into() }.boxed()
        }))
    }

    /// Runs the handler; a panic becomes an internal error.
    pub(super) async fn answer(&self, call: Call) -> Answer {
        let method = call.method().to_owned();
        // A panic must not end the connection, which other requests share.
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
