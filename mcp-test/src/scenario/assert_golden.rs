//! `ctx.assert_golden()`: the assertion that the conversation is that of the snapshot.

use super::{Ctx, Golden};
use crate::assert::golden;

impl Ctx {
    /// Sets the golden snapshot of the scenario.
    pub(crate) fn set_golden(&mut self, golden: Option<Golden>) {
        self.golden = golden;
    }

    /// Compares the conversation so far with the snapshot of the scenario.
    ///
    /// The snapshot lists who sent what, in order. What differs from run to run (sessions, ids, ports, times, tokens) is
    /// replaced by `[brackets]`. Review it with `cargo insta review`.
    ///
    /// ```ignore
    /// #[mcp_scenario]
    /// async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
    ///     ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
    ///     ctx.assert_golden();
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If the conversation differs from the snapshot, or there is no snapshot yet; on the second call in a scenario, which
    /// has one snapshot; and outside of an `#[mcp_scenario]` with the feature `golden`.
    #[track_caller]
    pub fn assert_golden(&mut self) {
        // Taken: a second comparison would need a second name.
        let Some(Golden { name, compare, shows_differences }) = self.golden.take() else {
            panic!(
                "no snapshot to compare with: `assert_golden` works once in each `#[mcp_scenario]`, \
                 with the feature `golden` of mcp-test"
            );
        };
        let text = golden(&self.trace());
        #[cfg(feature = "golden")]
        super::golden::differences::compare_with(&name, &text, compare, shows_differences);
        #[cfg(not(feature = "golden"))]
        {
            let _ = shows_differences;
            compare(&name, &text);
        }
    }
}
