//! Assertions about a client that has failed, as its test expects.

use std::borrow::Cow;

use super::text::quoted;
use super::{Scene, Staged, plain_assertions};
use crate::check::Finding;
use crate::expect::words;
use crate::spec::Revision;
use crate::trace::Trace;
use crate::transport::{ClientEnd, ClientRun};

/// A client that exited with an error, as
/// [`ServerCtx::run_client_to_failure`](crate::scenario::ServerCtx::run_client_to_failure) expects it.
#[derive(Debug, Clone)]
pub struct FailedClient {
    run: ClientRun,
    trace: Trace,
    revision: Revision,
}

impl FailedClient {
    pub(crate) fn new(run: ClientRun, trace: Trace, revision: Revision) -> Self {
        Self { run, trace, revision }
    }

    /// How it ended, and what it printed.
    #[must_use]
    pub fn run(&self) -> &ClientRun {
        &self.run
    }

    /// Its error: that of the future, or the exit code and what the program wrote to stderr.
    fn error(&self) -> String {
        match &self.run.end {
            ClientEnd::Failed(how) => format!("{how}\n{}", self.run.stderr),
            _ => self.run.stderr.clone(),
        }
    }
}

impl Staged for FailedClient {
    fn scene(&self) -> Scene<'_> {
        Scene { trace: Cow::Borrowed(&self.trace), revision: self.revision }
    }
}

plain_assertions! { [] FailedClient {
    /// Asserts that the error contains this text: the error of the future, or what the program wrote to stderr.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(server: &mut ServerCtx) -> Result<()> {
    /// server.run_client_to_failure().await?.assert_error_contains("out of order");
    /// # Ok(())
    /// # }
    /// ```
    assert_error_contains / try_error_contains (self, part: &str) { check_error(&self, part) }
}}

fn check_error(client: &FailedClient, part: &str) -> Result<(), Finding> {
    let error = client.error();
    if error.contains(part) {
        return Ok(());
    }
    Err(Finding::peer("the client failed with an unexpected error")
        .expected(format!("an error that contains {}", quoted(part)))
        .got(words::excerpt(error.trim()).into_owned()))
}
