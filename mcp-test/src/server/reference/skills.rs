//! The skills of the reference server: one whose files are listed with their digests, and one that is generated.

use std::sync::LazyLock;

use serde_json::json;

use crate::server::{Skill, Skills};
use crate::spec::{Capability, Revision};

const RELEASE_NOTES: &str = "---\nname: release-notes\ndescription: Writes the release notes of a version from its changes.\nlicense: MIT\nmetadata:\n  version: \"1.0\"\n---\n\n# Release notes\n\nFill in the template in `templates/` that fits the version.\n";
/// SHA-256 of the text of [`RELEASE_NOTES`], as `sha256sum` prints it; no dependency computes it.
const RELEASE_NOTES_DIGEST: &str =
    "96da7c81da8f5b0febb9997b9e92bf0ef0448925d4210cb8250a8fb8cd6f8edc";

const TEMPLATE: &str = "# Version {version}\n\n- {change}\n";
/// SHA-256 of the text of [`TEMPLATE`].
const TEMPLATE_DIGEST: &str = "f3f1c2ecc07279623f32f37b2a9fad09bb83764e4691bdf8509fb246ec069a8b";

const SUMMARY: &str = "---\nname: daily-summary\ndescription: Summarizes what happened today.\n---\n\n# Daily summary\n\nNothing happened today.\n";

static SKILLS: LazyLock<Skills> = LazyLock::new(|| {
    let release_notes = json!({
        "name": "release-notes",
        "description": "Writes the release notes of a version from its changes.",
        "license": "MIT",
        "metadata": { "version": "1.0" },
    });
    let release_notes = Skill::new("skill://release-notes", release_notes, RELEASE_NOTES)
        .sha256(RELEASE_NOTES_DIGEST)
        .file("templates/minor.md", TEMPLATE)
        .sha256(TEMPLATE_DIGEST);
    let summary =
        json!({ "name": "daily-summary", "description": "Summarizes what happened today." });
    Skills::new([release_notes, Skill::new("skill://reports/daily-summary", summary, SUMMARY)])
});

/// The skills.
pub(crate) fn skills() -> Skills {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digests_belong_to_texts_of_these_lengths() {
        // A text that changes needs another digest: `printf … | sha256sum`.
        assert_eq!([RELEASE_NOTES.len(), TEMPLATE.len()], [215, 32]);
    }
}
