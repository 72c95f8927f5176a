//! Arguments with which a tool has failed in a test: kept in a file beside the test, and tried first from then on.

use std::io;
use std::path::{Path, PathBuf};

use mcp_test_core::files;
use mcp_test_core::json::Value;

/// The largest file that is read, in bytes.
const LARGEST: usize = 4 << 20;

/// The extension of the file: `tests/mcp.rs` has `tests/mcp.explore-regressions`.
const EXTENSION: &str = "explore-regressions";

const HEADER: &str = "\
# Arguments with which tools have failed. `explore_tool` tries them first. Keep this file under version control, so that everyone
# who runs the tests tries them.
";

/// The file of a test.
#[derive(Debug, Clone)]
pub(super) struct Regressions {
    path: PathBuf,
}

impl Regressions {
    /// Those of a source file, as the compiler names it: relative to the folder in which the compiler was started, which is the
    /// current one or one around it. `None` if the file is not found.
    pub(super) fn of(source: &str) -> Option<Self> {
        let current = std::env::current_dir().ok()?;
        let mut folders = current.ancestors();
        let source = folders.find_map(|folder| Some(folder.join(source)).filter(|it| it.is_file()));
        Some(Self { path: source?.with_extension(EXTENSION) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The arguments for a tool.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has a line that is not a name with a JSON object.
    pub(super) fn read(&self, tool: &str) -> io::Result<Vec<Value>> {
        let mut all = Vec::new();
        for (number, line) in (1..).zip(self.text()?.lines()) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let invalid = || {
                let why = format!(
                    "line {number}: expected the name of a tool as JSON, and its arguments as JSON"
                );
                io::Error::new(io::ErrorKind::InvalidData, why)
            };
            let parsed = Value::parse(line.as_bytes()).map_err(|_| invalid())?.value;
            match parsed.as_array() {
                Some([name, arguments]) if arguments.is_object() => {
                    if name.as_str() == Some(tool) {
                        all.push(arguments.clone());
                    }
                }
                _ => return Err(invalid()),
            }
        }
        Ok(all)
    }

    /// Adds arguments for a tool, unless the file has them.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written.
    pub(super) fn add(&self, tool: &str, arguments: &Value) -> io::Result<()> {
        if self.read(tool)?.contains(arguments) {
            return Ok(());
        }
        let mut text = self.text()?;
        if text.is_empty() {
            HEADER.clone_into(&mut text);
        }
        let line = Value::Array(vec![tool.into(), arguments.clone()].into());
        files::replace(&self.path, text + &format!("{line}\n"))
    }

    fn text(&self) -> io::Result<String> {
        match files::read_text(&self.path, LARGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            read => read,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_kept_once_for_each_tool() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = Regressions { path: folder.path().join("mcp.explore-regressions") };
        let arguments: Value = json!({"text": "a\nb"}).into();
        assert!(kept.read("echo").expect("no file").is_empty());
        kept.add("echo", &arguments).expect("a new file");
        kept.add("echo", &arguments).expect("the same file");
        kept.add("add", &json!({"a": 1}).into()).expect("the same file");
        assert_eq!(kept.read("echo").expect("a file"), [arguments]);
        let text = std::fs::read_to_string(kept.path()).expect("a file");
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(lines, [r#"["echo",{"text":"a\nb"}]"#, r#"["add",{"a":1}]"#]);
    }

    #[test]
    fn a_line_that_is_not_a_call_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = Regressions { path: folder.path().join("mcp.explore-regressions") };
        std::fs::write(kept.path(), "# comment\n[\"echo\", 7]\n").expect("a file");
        let error = kept.read("echo").expect_err("7 is not an object").to_string();
        insta::assert_snapshot!(error, @"line 2: expected the name of a tool as JSON, and its arguments as JSON");
    }

    #[test]
    fn the_file_is_beside_the_source() {
        let kept = Regressions::of(file!()).expect("this file exists");
        assert!(kept.path().ends_with("src/explore/regressions.explore-regressions"));
        assert!(Regressions::of("no/such/file.rs").is_none());
    }
}
