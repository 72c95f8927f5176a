//! `MCP_TEST_RECORD`: the conversation of each run of a scenario as a trace and, with the feature `cases`, as MCP Cases.

use std::fs;
use std::path::Path;

use mcp_test_core::files;
use mcp_test_core::run::Outcome;
use mcp_test_core::scenario::{RunOfTest, UserScenario};
use mcp_test_core::trace::{Redactor, file};

/// Records a run in a directory, relative to its package; the error is the report.
pub(super) fn record(
    folder: &Path,
    scenario: &UserScenario,
    run: &RunOfTest,
    outcome: &Outcome,
) -> Result<(), String> {
    if outcome.trace.events.is_empty() {
        return Ok(());
    }
    let folder = Path::new(run.manifest_dir).join(folder);
    let failed = |what: String| format!("MCP_TEST_RECORD: {what}");
    fs::create_dir_all(&folder)
        .map_err(|error| failed(format!("cannot create {}: {error}", folder.display())))?;
    let trace = run.without_secrets(outcome.trace.clone());
    let path = |extension: &str| folder.join(format!("{}.{extension}", stem(scenario, run)));

    #[cfg(feature = "cases")]
    {
        let mut recording = crate::cases::Recording::new();
        recording.add(&run.name, &trace);
        let saved = recording.save(&path("yaml"));
        saved.map_err(|error| failed(format!("{error}\n  hint: remove it to record it again")))?;
    }
    let path = path("jsonl");
    files::replace(&path, file::write(&trace, &Redactor::secrets()))
        .map_err(|error| failed(format!("cannot write {}: {error}", path.display())))
}

/// The name of a file, which no other run of the package has: `calculator-adds-at-2025-11-25-over-duplex`.
fn stem(scenario: &UserScenario, run: &RunOfTest) -> String {
    // The module path begins with the name of the test binary.
    let name = format!("{}::{}", scenario.site.module_path, run.name);
    let keep = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
    name.replace("::", "-").chars().map(keep).collect()
}
