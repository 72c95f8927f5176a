//! `assert_golden()`: the assertion that the conversation is that of the snapshot.

use super::{Ctx, Golden, GoldenOptions};
use crate::assert::fail_with;
use crate::check::Finding;
use crate::spec::Revision;
use crate::trace::{Style, Trace, render};
use crate::transport::TransportKind;

impl Ctx {
    /// Sets how the golden snapshots of the scenario are compared.
    #[doc(hidden)]
    pub fn set_golden(&mut self, golden: Option<Golden>) {
        self.golden = golden;
    }

    /// Compares the conversation so far with the snapshot of the scenario.
    ///
    /// The snapshot names the revision and the transport, and lists who sent what, in order. What differs from run to run
    /// (sessions, ids, ports, times, tokens) is replaced by `[brackets]`. What only the era of the revision adds to each message
    /// is left out, and the handshake has no line numbers: when the server begins to speak another revision, its own lines
    /// stay as they are. Review a snapshot with `cargo insta review`.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::prelude::*;
    ///
    /// async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
    ///     ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
    ///     ctx.assert_golden();
    ///     Ok(())
    /// }
    /// ```
    ///
    /// The settings of insta apply, such as filters for what differs from run to run and that only you know, or another folder:
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::prelude::*;
    ///
    /// async fn shows_its_build(ctx: &mut Ctx) -> Result<()> {
    ///     ctx.call_tool("version", json!({})).await?.assert_ok();
    /// # #[cfg(feature = "golden")] {
    ///     let mut settings = mcp_test::insta::Settings::clone_current();
    ///     settings.add_filter(r"build \d+", "build [number]");
    ///     settings.set_snapshot_path("goldens");
    ///     settings.bind(|| ctx.assert_golden());
    /// # }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If the conversation differs from the snapshot, or there is no snapshot yet; on a second call in a scenario, since each
    /// of its snapshots needs a name of its own; and outside of an `#[mcp_scenario]` with the feature `golden`.
    #[track_caller]
    pub fn assert_golden(&mut self) {
        self.assert_golden_with(GoldenOptions::new());
    }

    /// Compares the conversation so far with another snapshot of the scenario, of this name.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::prelude::*;
    ///
    /// async fn adds_a_note(ctx: &mut Ctx) -> Result<()> {
    ///     ctx.list_resources().await?.assert_len(0);
    ///     ctx.assert_golden();
    ///     ctx.call_tool("add_note", json!({"text": "milk"})).await?.assert_ok();
    ///     ctx.assert_golden_of("after the change");
    ///     Ok(())
    /// }
    /// ```
    ///
    /// The names of its snapshots are `adds_a_note` and `adds_a_note-after-the-change`.
    ///
    /// # Panics
    ///
    /// As [`Ctx::assert_golden`], and if the scenario has used the name.
    #[track_caller]
    pub fn assert_golden_of(&mut self, name: impl Into<String>) {
        self.assert_golden_with(GoldenOptions::new().named(name));
    }

    /// Compares the conversation so far with a snapshot, with options of its own.
    ///
    /// # Panics
    ///
    /// As [`Ctx::assert_golden_of`].
    #[track_caller]
    pub fn assert_golden_with(&mut self, options: GoldenOptions) {
        let (trace, place) = (self.trace(), (self.revision(), self.transport()));
        Golden::assert(self.golden.as_mut(), options, trace, place);
    }
}

impl Golden {
    /// Compares a conversation with a snapshot; `None` is a scenario that has no snapshots.
    #[track_caller]
    pub(super) fn assert(
        golden: Option<&mut Self>,
        options: GoldenOptions,
        trace: Trace,
        (revision, transport): (Revision, TransportKind),
    ) {
        let GoldenOptions { name, in_full } = options;
        let Some(golden) = golden else {
            let finding = Finding::test("there is no snapshot to compare with").hint(
                "golden snapshots work in an `#[mcp_scenario]`, with the feature `golden` of mcp-test",
            );
            fail_with(finding, trace, revision)
        };
        let name = match golden.name(&name) {
            Ok(name) => name,
            Err(finding) => fail_with(finding, trace, revision),
        };
        let style = Style { additions: in_full, ..Style::golden() };
        let text = format!("MCP {revision} over {transport}\n{}", render(&trace, &style));
        #[cfg(feature = "golden")]
        super::golden::differences::compare_with(
            &name,
            &text,
            golden.compare,
            golden.shows_differences,
        );
        // Without the feature there is nothing to compare with, and `golden` is `None`.
        #[cfg(not(feature = "golden"))]
        (golden.compare)(&name, &text);
    }
}
