//! A gate: something that waits until a test says go.

use std::sync::Arc;

use tokio::sync::watch;

/// What a response waits for; copies are the same gate.
///
/// With it a test decides in which order things happen, where a delay would only make it likely.
///
/// ```
/// use mcp_test::server::{Gate, given, method, steps};
/// use serde_json::json;
///
/// let gate = Gate::new();
/// let rule = given(method("tools/call")).respond_with(steps().until(&gate).answer(json!({"content": []})));
/// # drop(rule);
/// // … later:
/// gate.open();
/// ```
#[derive(Debug, Clone)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Gate {
    /// A gate that is shut.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Opens it, for good.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    /// Waits until it is open.
    pub async fn opened(&self) {
        // The sender lives as long as this gate does.
        self.0.subscribe().wait_for(|open| *open).await.ok();
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}
