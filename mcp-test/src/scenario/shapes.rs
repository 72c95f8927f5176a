//! Asserting, in the middle of a scenario, that what was said so far has the shapes that MCP gives it.
//!
//! At its end every scenario is judged so anyhow; this is for those who want to know earlier, or say so.

use super::Ctx;
use crate::assert::explain;
use crate::check::{Finding, judge_shapes};
use crate::expect::words;
use crate::trace::{Party, Trace};

impl Ctx {
    /// Asserts that every message of the server so far has the shape that MCP gives it, at the revision that is spoken.
    ///
    /// ```
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
    /// When it is not so, or the server has said nothing yet; [`try_schema_valid`](Self::try_schema_valid) returns the
    /// finding instead.
    #[track_caller]
    pub fn assert_schema_valid(&self) {
        let trace = self.trace();
        if let Err(finding) = self.schema_valid(&trace) {
            panic!("{}", explain(&finding, &trace, self.revision()));
        }
    }

    /// The twin of [`assert_schema_valid`](Self::assert_schema_valid) that does not panic.
    ///
    /// # Errors
    ///
    /// The first finding, when it is not so.
    pub fn try_schema_valid(&self) -> Result<(), Finding> {
        self.schema_valid(&self.trace())
    }

    fn schema_valid(&self, trace: &Trace) -> Result<(), Finding> {
        let meant = self.meant();
        let schemas = &self.setup.schemas;
        let authority = self.setup.profile.authority(self.scenario);
        let judgement = judge_shapes(trace, Party::Server, &meant, schemas, authority);
        if judgement.said == 0 {
            return Err(Finding::test("the server has said nothing yet that has a shape")
                .expected("at least one message of the server before `assert_schema_valid`")
                .got("none"));
        }
        let others = judgement.findings.len().saturating_sub(1);
        match judgement.findings.into_iter().next() {
            None => Ok(()),
            Some(first) if others == 0 => Err(first),
            Some(first) => {
                let more = words::count(others, "more finding");
                let more = format!("the end of the test tells {more}");
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

    use super::super::{Inventory, Profile, Setup};
    use super::*;
    use crate::check::Blame;
    use crate::clock::Deadline;
    use crate::server::reference::everything;
    use crate::spec::Revision;
    use crate::spec::schema::Schemas;
    use crate::transport::{CarrierKind, Fault, Limits};

    /// What the assertion says of a server with these faults, after it has listed its tools.
    async fn judged(faults: impl IntoIterator<Item = Fault>) -> Result<(), Finding> {
        let mut ctx = Ctx::new(
            Setup {
                target: everything().faults(faults).target(),
                carrier: CarrierKind::Duplex,
                revision: Revision::V2025_11_25,
                profile: Profile::Adaptive,
                limits: Limits::default(),
                timeout: Duration::from_secs(10),
                until: Deadline::never(),
                inventory: Inventory::default(),
                schemas: Schemas::ours(),
            },
            None,
        );
        let silent = ctx.try_schema_valid().expect_err("nothing was said");
        assert_eq!(silent.blame, Blame::Test);
        let _ = ctx.request("tools/list", json!({})).await?;
        ctx.try_schema_valid()
    }

    #[tokio::test]
    async fn what_was_said_so_far_is_judged() {
        judged([]).await.expect("the reference server does everything right");
        let faults = [Fault::remove("tools/list", "/tools/0/inputSchema")];
        insta::assert_snapshot!(judged(faults).await.expect_err("a finding"), @"
        the result of `tools/list` does not have the shape that MCP 2025-11-25 gives it
          expected `/result/tools/0/inputSchema` is an object
          got nothing
        ");
    }
}
