//! [`Gate`]: holds a response back until the test opens it.

use std::sync::Arc;

use tokio::sync::watch;

/// Holds a response back until it is opened; clones share the gate.
///
/// It fixes the order of events, which a delay would only make likely.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
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
    /// Creates a closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Opens the gate permanently.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    /// Waits until the gate is open.
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
