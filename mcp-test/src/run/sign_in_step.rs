//! What a run does when its target demands authorization.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::check::Finding;

/// What a run does when its target demands authorization, before it gives up.
#[derive(Clone)]
pub struct SignInStep(Arc<dyn Fn() -> BoxFuture<'static, Result<bool, Finding>> + Send + Sync>);

impl SignInStep {
    /// A step that returns whether the target may admit the next request; a finding says why nobody could sign in.
    pub fn new(
        sign_in: impl Fn() -> BoxFuture<'static, Result<bool, Finding>> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(sign_in))
    }

    /// Does it.
    pub(super) async fn sign_in(&self) -> Result<bool, Finding> {
        (self.0)().await
    }
}
