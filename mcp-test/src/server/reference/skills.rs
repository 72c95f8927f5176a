//! The skills of the reference server: one whose files are listed with their digests, and one that is generated.

use serde_json::json;

use super::{Answer, Call, invalid, only_page, text};
use crate::server::admission::method_not_found;
use crate::spec::{Capability, Revision};
use crate::wire::RpcError;

/// What the server declares for the extension.
pub(super) fn settings() -> serde_json::Value {
    json!({ "directoryRead": true })
}

const DIRECTORY: &str = "inode/directory";

/// A file of a skill.
struct File {
    uri: &'static str,
    name: &'static str,
    description: &'static str,
    text: &'static str,
}

const RELEASE_NOTES: File = File {
    uri: "skill://release-notes/SKILL.md",
    name: "release-notes",
    description: "Writes the release notes of a version from its changes.",
    text: "---\nname: release-notes\ndescription: Writes the release notes of a version from its changes.\nlicense: MIT\nmetadata:\n  version: \"1.0\"\n---\n\n# Release notes\n\nFill in the template in `templates/` that fits the version.\n",
};
const TEMPLATE: File = File {
    uri: "skill://release-notes/templates/minor.md",
    name: "minor.md",
    description: "The template for a minor version.",
    text: "# Version {version}\n\n- {change}\n",
};
const SUMMARY: File = File {
    uri: "skill://reports/daily-summary/SKILL.md",
    name: "daily-summary",
    description: "Summarizes what happened today.",
    text: "---\nname: daily-summary\ndescription: Summarizes what happened today.\n---\n\n# Daily summary\n\nNothing happened today.\n",
};

/// SHA-256 of the text of [`RELEASE_NOTES`], as `sha256sum` prints it; no dependency computes it.
const RELEASE_NOTES_DIGEST: &str =
    "96da7c81da8f5b0febb9997b9e92bf0ef0448925d4210cb8250a8fb8cd6f8edc";
/// SHA-256 of the text of [`TEMPLATE`].
const TEMPLATE_DIGEST: &str = "f3f1c2ecc07279623f32f37b2a9fad09bb83764e4691bdf8509fb246ec069a8b";

pub(super) fn list(call: &Call) -> Answer {
    exists(call).map_or_else(Answer::from, |()| only_page(call, |_| listing()))
}

/// The result of `skills/list`.
pub(crate) fn listing() -> serde_json::Value {
    cacheable("skills", &json!([release_notes(), summary()]))
}

pub(super) fn get(call: &Call) -> Answer {
    let found = || {
        let uri = text(call, "uri")?;
        let mut skills = [release_notes(), summary()].into_iter();
        let skill = skills.find(|skill| skill["uri"] == uri);
        skill.ok_or_else(|| invalid(format!("no skill has the URI {uri}")))
    };
    exists(call).and_then(|()| found()).map(|skill| cacheable("skill", &skill)).into()
}

pub(super) fn read_directory(call: &Call) -> Answer {
    let children = || {
        let uri = text(call, "uri")?;
        let children = children(uri);
        // A directory is what has files, so that none is empty.
        if children.is_empty() {
            return Err(invalid(format!("{uri} is not a directory")));
        }
        Ok(children)
    };
    match exists(call).and_then(|()| children()) {
        Ok(children) if call.param("cursor").is_none() => json!({ "resources": children }).into(),
        Ok(_) => invalid("a directory has one page, so no cursor is valid").into(),
        Err(error) => error.into(),
    }
}

/// The `SKILL.md` files, for `resources/list`.
pub(super) fn resources(revision: Revision) -> Vec<serde_json::Value> {
    match exists_at(revision) {
        true => vec![resource(&RELEASE_NOTES), resource(&SUMMARY)],
        false => Vec::new(),
    }
}

/// The contents of a file of a skill.
pub(super) fn read(uri: &str, revision: Revision) -> Option<serde_json::Value> {
    let mut files = [RELEASE_NOTES, TEMPLATE, SUMMARY].into_iter();
    let file = files.find(|file| exists_at(revision) && file.uri == uri)?;
    Some(json!({ "uri": uri, "mimeType": "text/markdown", "text": file.text }))
}

/// Whether a server can declare the extension.
fn exists_at(revision: Revision) -> bool {
    Capability::Extensions.revisions().contains(revision)
}

fn exists(call: &Call) -> Result<(), RpcError> {
    if exists_at(call.revision()) { Ok(()) } else { Err(method_not_found(call.method())) }
}

/// The skill whose files never change.
fn release_notes() -> serde_json::Value {
    json!({
        "uri": RELEASE_NOTES.uri,
        "frontmatter": {
            "name": RELEASE_NOTES.name,
            "description": RELEASE_NOTES.description,
            "license": "MIT",
            "metadata": { "version": "1.0" },
        },
        "resources": [
            digested(&RELEASE_NOTES, RELEASE_NOTES_DIGEST),
            digested(&TEMPLATE, TEMPLATE_DIGEST),
        ],
    })
}

/// The skill whose content is generated, as its entry says.
fn summary() -> serde_json::Value {
    json!({
        "uri": SUMMARY.uri,
        "frontmatter": { "name": SUMMARY.name, "description": SUMMARY.description },
        "resources": "dynamic",
    })
}

fn digested(file: &File, digest: &str) -> serde_json::Value {
    json!({ "uri": file.uri, "digest": format!("sha256:{digest}"), "size": file.text.len() })
}

fn resource(file: &File) -> serde_json::Value {
    json!({
        "uri": file.uri,
        "name": file.name,
        "description": file.description,
        "mimeType": "text/markdown",
    })
}

/// The direct children of a directory: its files, and the directories in it.
fn children(directory: &str) -> Vec<serde_json::Value> {
    let mut children = Vec::new();
    for file in [RELEASE_NOTES, TEMPLATE, SUMMARY] {
        // The slashes of the scheme separate no directories.
        let inside = file.uri.strip_prefix(directory).filter(|_| directory.starts_with("skill://"));
        match inside.and_then(|path| path.strip_prefix('/')).map(|path| path.split_once('/')) {
            None => {}
            Some(None) => children.push(resource(&file)),
            Some(Some((name, _))) => {
                let uri = format!("{directory}/{name}");
                children.push(json!({ "uri": uri, "name": name, "mimeType": DIRECTORY }));
            }
        }
    }
    children
}

/// A result with this member that clients may keep for five minutes.
fn cacheable(member: &str, value: &serde_json::Value) -> serde_json::Value {
    json!({ member: value, "ttlMs": 300_000, "cacheScope": "public" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digests_belong_to_texts_of_these_lengths() {
        // A text that changes needs another digest: `printf … | sha256sum`.
        assert_eq!([RELEASE_NOTES.text.len(), TEMPLATE.text.len()], [215, 32]);
    }

    #[test]
    fn a_directory_has_its_direct_children() {
        let uris = |directory| {
            let children = children(directory).into_iter();
            children.map(|child| child["uri"].as_str().map(str::to_owned)).collect::<Vec<_>>()
        };
        let own = [RELEASE_NOTES.uri, "skill://release-notes/templates"];
        assert_eq!(uris("skill://release-notes"), own.map(|uri| Some(uri.to_owned())));
        assert_eq!(uris("skill://reports"), [Some("skill://reports/daily-summary".to_owned())]);
        for other in ["skill:/", "skill:", "skill://release", RELEASE_NOTES.uri, ""] {
            assert!(children(other).is_empty(), "{other}");
        }
    }
}
