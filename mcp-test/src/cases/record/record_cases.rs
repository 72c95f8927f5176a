//! `ctx.record_cases(…)`: the conversation of a test as a case.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use mcp_test_core::Result;
use mcp_test_core::check::Finding;
use mcp_test_core::scenario::{Ctx, RunOfTest, ServerCtx};
use mcp_test_core::trace::Trace;

use super::Recording;
use crate::cases::{Cases, ReadOptions};

/// Held while a file is changed: tests that run at the same time may record to one file.
static FILES: Mutex<()> = Mutex::new(());

/// Adds [`record_cases`](RecordExt::record_cases) to [`Ctx`] and [`ServerCtx`].
#[doc(hidden)]
pub trait RecordExt {
    /// Adds the conversation so far to a file of [MCP Cases](crate::cases::format), under the name of the test; the path is relative to
    /// the package. The file is created with its folder.
    ///
    /// A case of that name stays as it is: remove it to record it again. If the test runs at several revisions or over several
    /// transports, each run has its own case. Secrets are left out, and what differs from run to run becomes a matcher.
    ///
    /// ```no_run
    /// use mcp_test::prelude::*;
    ///
    /// async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
    ///     ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
    ///     ctx.record_cases("tests/contracts/calculator.yaml")
    /// }
    /// ```
    ///
    /// With the environment variable `MCP_TEST_RECORD`, all tests are recorded, see
    /// [the guide](crate::guide::contracts#recording-tests).
    ///
    /// # Errors
    ///
    /// If the file has something else than cases, or cannot be written.
    fn record_cases(&mut self, path: impl AsRef<Path>) -> Result<()>;
}

impl RecordExt for Ctx {
    fn record_cases(&mut self, path: impl AsRef<Path>) -> Result<()> {
        record(self.run_of_test(), path.as_ref(), &self.trace())
    }
}

impl RecordExt for ServerCtx {
    fn record_cases(&mut self, path: impl AsRef<Path>) -> Result<()> {
        record(self.run_of_test(), path.as_ref(), &self.trace())
    }
}

fn record(run: Option<&RunOfTest>, path: &Path, trace: &Trace) -> Result<()> {
    let Some(run) = run else {
        return Err(Finding::test("`record_cases` works in an `#[mcp_scenario]`").into());
    };
    let path = Path::new(run.manifest_dir).join(path);
    let _guard = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if is_recorded(&path, &run.name) {
        return Ok(());
    }
    let mut recording = Recording::new();
    recording.add(&run.name, &run.without_secrets(trace.clone()));
    // Where it cannot be created, the file cannot either, which is reported.
    let _ = path.parent().map(fs::create_dir_all);
    let saved = recording.save(&path);
    saved.map_err(|error| Finding::test(format!("`record_cases`: {error}")))?;
    Ok(())
}

/// Whether a file has a case of this name, or of a conversation of a run of this name.
fn is_recorded(path: &Path, name: &str) -> bool {
    // What is wrong with the file is reported when it is to be written.
    let Ok((cases, _)) = Cases::read(&[path.to_owned()], &ReadOptions::default()) else {
        return false;
    };
    let first = format!("{name}, conversation 1");
    cases.iter().any(|(_, case)| case.name.as_deref().is_some_and(|it| it == name || it == first))
}
