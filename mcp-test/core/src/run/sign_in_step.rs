//! What a run does when its target demands authorization.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::check::Finding;
#[cfg(feature = "auth")]
use crate::trace::Recorder;
#[cfg(feature = "auth")]
use crate::transport::{Limits, Target};

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

/// Has the tokens for tests of a protected server learn what that demands.
#[cfg(feature = "auth")]
pub(super) async fn learn_demands(target: &Target, limits: Limits) {
    let transport = target.transports().into_iter().find(|it| it.is_http());
    let Some((tokens, transport)) = target.test_tokens().zip(transport) else { return };
    // What cannot be opened is reported by what comes next.
    let opened = target.open(transport, &Recorder::new(), limits).await.ok();
    if let Some((connection, url)) = opened.zip(target.http_url(transport)) {
        tokens.prepare(&url, &connection).await;
    }
}
