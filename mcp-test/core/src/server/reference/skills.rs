//! The skills of the reference server: one whose files are listed with their digests, and one that is generated.

use std::sync::LazyLock;

use serde_json::json;

use crate::server::{Skill, Skills};
use crate::spec::{Capability, Revision};

const RELEASE_NOTES: &str = "---\nname: release-notes\ndescription: Writes the release notes of a version from its changes.\nlicense: MIT\nmetadata:\n  version: \"1.0\"\n---\n\n# Release notes\n\nFill in the template in `templates/` that fits the version.\n";

const TEMPLATE: &str = "# Version {version}\n\n- {change}\n";

const SUMMARY: &str = "---\nname: daily-summary\ndescription: Summarizes what happened today.\n---\n\n# Daily summary\n\nNothing happened today.\n";

static SKILLS: LazyLock<Skills> = LazyLock::new(|| {
    let release_notes = json!({
        "name": "release-notes",
        "description": "Writes the release notes of a version from its changes.",
        "license": "MIT",
        "metadata": { "version": "1.0" },
    });
    let release_notes = Skill::new("skill://release-notes", release_notes, RELEASE_NOTES)
        .file("templates/minor.md", TEMPLATE);
    let summary =
        json!({ "name": "daily-summary", "description": "Summarizes what happened today." });
    let summary = Skill::new("skill://reports/daily-summary", summary, SUMMARY).dynamic();
    Skills::new([release_notes, summary])
});

/// The skills.
pub fn skills() -> Skills {
    SKILLS.clone()
}

/// The skills, where a server can declare the extension; otherwise none.
pub(super) fn at(revision: Revision) -> Skills {
    match Capability::Extensions.revisions().contains(revision) {
        true => skills(),
        false => Skills::default(),
    }
}

/// What the server declares for the extension.
pub(super) fn settings() -> serde_json::Value {
    json!({ "directoryRead": true })
}
