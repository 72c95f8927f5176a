//! `ctx.assert_schema_valid()`: the assertion that the messages so far have the shapes of MCP.
//!
//! Every scenario is validated at its end anyhow; this asserts it earlier, and explicitly.

use super::Ctx;
use crate::assert::fail_with;
use crate::check::{Finding, judge_shapes};
use crate::expect::words;
use crate::trace::{Party, Trace};

impl Ctx {
    /// Asserts that every message of the server so far has the shape that MCP gives it, at the revision of the connection.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.list_tools().await?.assert_ok();
    /// ctx.assert_schema_valid();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the assertion fails, or the server has sent nothing yet; [`try_schema_valid`](Self::try_schema_valid) returns the
    /// finding instead.
    #[track_caller]
    pub fn assert_schema_valid(&self) {
        let trace = self.trace();
        if let Err(finding) = self.schema_valid(&trace) {
            fail_with(finding, trace, self.revision());
        }
    }

    /// Like [`assert_schema_valid`](Self::assert_schema_valid), but does not panic.
    ///
    /// # Errors
    ///
    /// The first finding, if the assertion fails.
    pub fn try_schema_valid(&self) -> Result<(), Finding> {
        self.schema_valid(&self.trace())
    }

    fn schema_valid(&self, trace: &Trace) -> Result<(), Finding> {
        let revisions = self.revisions();
        let schemas = &self.setup.schemas;
        let authority = self.setup.profile.authority(self.scenario.as_ref());
        let judgement = judge_shapes(trace, Party::Server, &revisions, schemas, authority);
        // Nothing passes vacuously.
        if judgement.from_peer == 0 {
            return Err(Finding::test("the server has not sent a message with a shape yet")
                .expected("at least one message of the server before `assert_schema_valid`")
                .got("none"));
        }
        let others = judgement.findings.len().saturating_sub(1);
        match judgement.findings.into_iter().next() {
            None => Ok(()),
            Some(first) if others == 0 => Err(first),
            Some(first) => {
                let more = words::count(others, "more finding");
                let more = format!("the end of the test reports {more}");
                let hints: Vec<String> = first.hint.clone().into_iter().chain([more]).collect();
                Err(first.hint(hints.join("\n")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::check::Blame;
    use crate::scenario::{Profile, Setup};
    use crate::server::reference::everything;
    use crate::spec::Revision;
    use crate::spec::schema::Schemas;
    use crate::transport::{Fault, TransportKind};

    /// The result of the assertion on a server with these faults, after a request for its tools.
    async fn validate(faults: impl IntoIterator<Item = Fault>) -> Result<(), Finding> {
        let (target, timeout) = (everything().faults(faults).target(), Duration::from_secs(10));
        let (transport, revision) = (TransportKind::Duplex, Revision::V2025_11_25);
        let setup = Setup::new(target, transport, revision, Profile::Adaptive, timeout);
        let mut ctx = Ctx::new(Setup { schemas: Schemas::ours(), ..setup }, None);
        let silent = ctx.try_schema_valid().expect_err("nothing was sent");
        assert_eq!(silent.blame, Blame::Test);
        let _ = ctx.request("tools/list", json!({})).await?;
        ctx.try_schema_valid()
    }

    #[tokio::test]
    async fn messages_so_far_are_validated() {
        validate([]).await.expect("the reference server does everything right");
        let faults = [Fault::remove("tools/list", "/tools/0/inputSchema")];
        insta::assert_snapshot!(validate(faults).await.expect_err("a finding"), @"
        the result of `tools/list` does not have the shape that MCP 2025-11-25 gives it
          expected `/result/tools/0/inputSchema` is an object
          got nothing
        ");
    }
}
