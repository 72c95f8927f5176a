//! [`Skill`]: a skill that a server offers, by the extension for skills.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::admission::method_not_found;
use super::{Answer, CacheScope, Call, Server, answered_by, invalid, string};
use crate::json::Value;
use crate::skill_file;
use crate::spec::{Capability, Revisions};
use crate::wire::RpcError;

const DIRECTORY: &str = "inode/directory";

/// The file of a skill that describes it.
const SKILL_MD: &str = "SKILL.md";

/// A skill: the files in a directory, one of which is `SKILL.md`.
///
/// Its entry in `skills/list` has the digest of each file, unless the skill is [`dynamic`](Self::dynamic).
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::server::{Server, Skill, Skills};
/// use serde_json::json;
///
/// let frontmatter = json!({"name": "greeting", "description": "Greets."});
/// let text = "---\nname: greeting\ndescription: Greets.\n---\n\nSay hello.\n";
/// let skill = Skill::new("skill://greeting", frontmatter, text).file("tone.md", "Friendly.\n");
/// let skills = Skills::new([skill]);
/// let server = Server::new(json!({"name": "polite", "version": "1.0.0"}))
///     .capabilities(json!({"extensions": {"io.modelcontextprotocol/skills": {"directoryRead": true}}}))
///     .skills(&skills);
/// assert_eq!(skills.read("skill://greeting/tone.md").map(|it| it["text"].clone()), Some("Friendly.\n".into()));
/// # drop(server);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    directory: String,
    frontmatter: Value,
    files: Vec<File>,
    is_dynamic: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct File {
    path: String,
    text: String,
}

impl File {
    /// Its entry among the files of its skill.
    fn entry(&self, uri: &str) -> serde_json::Value {
        let digest = skill_file::digest(self.text.as_bytes());
        json!({ "uri": uri, "digest": digest, "size": self.text.len() })
    }
}

impl Skill {
    /// A skill in this directory, such as `skill://greeting`, with the text of its `SKILL.md`.
    ///
    /// `frontmatter` is the frontmatter of the text as JSON: `name`, `description` and whatever else it has.
    #[must_use]
    pub fn new(
        directory: impl Into<String>,
        frontmatter: impl Into<Value>,
        text: impl Into<String>,
    ) -> Self {
        let (directory, frontmatter) = (directory.into(), frontmatter.into());
        Self { directory, frontmatter, files: Vec::new(), is_dynamic: false }.file(SKILL_MD, text)
    }

    /// Adds a file at a path below the directory.
    #[must_use]
    pub fn file(mut self, path: impl Into<String>, text: impl Into<String>) -> Self {
        self.files.push(File { path: path.into(), text: text.into() });
        self
    }

    /// Says that the content is generated: its entry has no digests, and no list of files.
    #[must_use]
    pub fn dynamic(mut self) -> Self {
        self.is_dynamic = true;
        self
    }

    fn uri(&self, file: &File) -> String {
        format!("{}/{}", self.directory, file.path)
    }

    fn files(&self) -> impl Iterator<Item = (String, &File)> {
        self.files.iter().map(|file| (self.uri(file), file))
    }

    /// The URI of its `SKILL.md`.
    fn skill_md(&self) -> String {
        format!("{}/{SKILL_MD}", self.directory)
    }

    /// Its entry in `skills/list`.
    fn entry(&self) -> serde_json::Value {
        let resources = match self.is_dynamic {
            true => json!("dynamic"),
            false => self.files().map(|(uri, file)| file.entry(&uri)).collect(),
        };
        let frontmatter = self.frontmatter.to_serde();
        json!({ "uri": self.skill_md(), "frontmatter": frontmatter, "resources": resources })
    }

    /// A file as a resource.
    fn resource(&self, uri: &str, file: &File) -> serde_json::Value {
        let mut resource = json!({ "uri": uri, "mimeType": "text/markdown" });
        if file.path == SKILL_MD {
            for member in ["name", "description"] {
                resource[member] =
                    self.frontmatter.get(member).map_or(json!(null), Value::to_serde);
            }
        } else {
            resource["name"] = json!(file.path.rsplit('/').next());
        }
        resource
    }
}

/// The skills of a server; clones share them.
#[derive(Debug, Clone, PartialEq)]
pub struct Skills {
    skills: Arc<[Skill]>,
    revisions: Revisions,
}

impl Default for Skills {
    fn default() -> Self {
        Self::new([])
    }
}

impl Skills {
    /// These skills.
    #[must_use]
    pub fn new(skills: impl IntoIterator<Item = Skill>) -> Self {
        let skills = skills.into_iter().collect();
        Self { skills, revisions: Capability::Extensions.revisions() }
    }

    /// Serves them at these revisions; without it, at those at which a server can declare the extension.
    #[must_use]
    pub fn revisions(mut self, revisions: Revisions) -> Self {
        self.revisions = revisions;
        self
    }

    /// The `SKILL.md` files as resources, for `resources/list`.
    #[must_use]
    pub fn resources(&self) -> Vec<serde_json::Value> {
        let files = self
            .skills
            .iter()
            .flat_map(|skill| skill.files().map(move |(uri, file)| (skill, uri, file)));
        let described = files.filter(|(_, _, file)| file.path == SKILL_MD);
        described.map(|(skill, uri, file)| skill.resource(&uri, file)).collect()
    }

    /// The contents of a file, for `resources/read`.
    #[must_use]
    pub fn read(&self, uri: &str) -> Option<serde_json::Value> {
        let mut files = self.skills.iter().flat_map(Skill::files);
        let (uri, file) = files.find(|(known, _)| known == uri)?;
        Some(json!({ "uri": uri, "mimeType": "text/markdown", "text": file.text }))
    }

    /// The result of `skills/list`.
    #[doc(hidden)]
    pub fn listing(&self) -> Value {
        cached(json!({ "skills": self.skills.iter().map(Skill::entry).collect::<Vec<_>>() }))
    }

    /// Whether they are served at the revision of the call.
    fn exists(&self, call: &Call) -> Result<(), RpcError> {
        let exists = self.revisions.contains(call.revision());
        if exists { Ok(()) } else { Err(method_not_found(call.method())) }
    }

    fn list(&self, call: &Call) -> Answer {
        match self.exists(call).and_then(|()| no_cursor(call)) {
            Ok(()) => self.listing().into(),
            Err(error) => error.into(),
        }
    }

    fn get(&self, call: &Call) -> Answer {
        let found = || {
            let uri = string(call.params(), "uri")?;
            let skill = self.skills.iter().find(|skill| skill.skill_md() == uri);
            skill.ok_or_else(|| invalid(format!("no skill has the URI {uri}")))
        };
        match self.exists(call).and_then(|()| found()) {
            Ok(skill) => cached(json!({ "skill": skill.entry() })).into(),
            Err(error) => error.into(),
        }
    }

    fn read_directory(&self, call: &Call) -> Answer {
        let children = || {
            let uri = string(call.params(), "uri")?;
            let children = self.children(uri);
            // A directory is what has files, so that none is empty.
            if children.is_empty() {
                return Err(invalid(format!("{uri} is not a directory")));
            }
            no_cursor(call)?;
            Ok(json!({ "resources": children }))
        };
        self.exists(call).and_then(|()| children()).into()
    }

    /// The direct children of a directory: its files, and the directories in it.
    fn children(&self, directory: &str) -> Vec<serde_json::Value> {
        // The slashes of the scheme separate no directories.
        if !directory.contains("://") {
            return Vec::new();
        }
        let mut children = Vec::new();
        for skill in self.skills.iter() {
            for (uri, file) in skill.files() {
                let inside = uri.strip_prefix(directory).and_then(|path| path.strip_prefix('/'));
                let child = match inside.map(|path| path.split_once('/')) {
                    None => continue,
                    Some(None) => skill.resource(&uri, file),
                    Some(Some((name, _))) => {
                        json!({ "uri": format!("{directory}/{name}"), "name": name, "mimeType": DIRECTORY })
                    }
                };
                if !children.contains(&child) {
                    children.push(child);
                }
            }
        }
        children
    }
}

impl Server {
    /// Answers `skills/list`, `skills/get` and `resources/directory/read` for these skills, at [their
    /// revisions](Skills::revisions).
    ///
    /// The handlers for `resources/list` and `resources/read` can take the files from [`Skills::resources`] and
    /// [`Skills::read`].
    #[must_use]
    pub fn skills(self, skills: &Skills) -> Self {
        self.on("skills/list", answered_by(skills, Skills::list))
            .on("skills/get", answered_by(skills, Skills::get))
            .on("resources/directory/read", answered_by(skills, Skills::read_directory))
    }
}

/// The list has one page, so the server has issued no cursor.
fn no_cursor(call: &Call) -> Result<(), RpcError> {
    let cursor = call.param("cursor");
    cursor.map_or(Ok(()), |cursor| Err(invalid(format!("invalid cursor: {cursor}"))))
}

/// A result that clients may keep for five minutes.
fn cached(result: serde_json::Value) -> Value {
    let mut result = Value::from(result);
    CacheScope::Public.set_hints(&mut result, Duration::from_secs(300));
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::reference::skills::skills;

    #[test]
    fn a_directory_has_its_direct_children() {
        let skills = skills();
        let uris = |directory| {
            let children = skills.children(directory).into_iter();
            children.map(|child| child["uri"].as_str().map(str::to_owned)).collect::<Vec<_>>()
        };
        let own = ["skill://release-notes/SKILL.md", "skill://release-notes/templates"];
        assert_eq!(uris("skill://release-notes"), own.map(|uri| Some(uri.to_owned())));
        assert_eq!(uris("skill://reports"), [Some("skill://reports/daily-summary".to_owned())]);
        let others = ["skill:/", "skill:", "skill://release", "skill://release-notes/SKILL.md", ""];
        for other in others {
            assert!(uris(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn a_directory_is_listed_once_whatever_is_in_it() {
        let skill =
            Skill::new("skill://a", json!({"name": "a"}), "").file("b/1.md", "").file("b/2.md", "");
        let names =
            Skills::new([skill]).children("skill://a").into_iter().map(|it| it["name"].clone());
        assert_eq!(names.collect::<Vec<_>>(), ["a", "b"]);
    }
}
