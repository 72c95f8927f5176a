//! Finds and reads the files that paths, patterns and directories name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mcp_test_core::files;
use mcp_test_core::yaml::Limits;

use super::error::ReadError;

/// Expands paths, patterns and directories to files: each once, in the order given, those of a pattern or directory sorted.
///
/// # Errors
///
/// If a pattern or directory has no files, or cannot be read.
pub fn expand_paths<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<PathBuf>, ReadError> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in paths {
        for file in files_at(path.as_ref())? {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    if files.is_empty() { Err(ReadError::NoPath) } else { Ok(files) }
}

fn files_at(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let found = match path.to_str() {
        // Not those of directories below: a pattern such as `contracts/**/*.yaml` names them.
        _ if path.is_dir() => files_in_directory(path)?,
        // An existing file may have brackets in its name.
        Some(pattern) if !path.exists() && pattern.contains(['*', '?', '[']) => {
            files_matching(pattern)?
        }
        _ => vec![path.to_owned()],
    };
    if found.is_empty() {
        return Err(ReadError::NoFiles(path.display().to_string()));
    }
    Ok(found)
}

fn files_in_directory(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let unreadable = |source| ReadError::Io { path: path.to_owned(), source };
    let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let paths = entries.map_err(unreadable)?.into_iter().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter(|path| is_yaml(path) && !path.is_dir()).collect();
    // The order in a directory depends on the file system; ids and reports must not.
    files.sort();
    Ok(files)
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

fn files_matching(pattern: &str) -> Result<Vec<PathBuf>, ReadError> {
    let found = glob::glob(pattern).map_err(|error| ReadError::Pattern {
        pattern: pattern.to_owned(),
        problem: error.msg.to_owned(),
    })?;
    let unreadable = |error: glob::GlobError| {
        let path = error.path().to_owned();
        ReadError::Io { path, source: error.into() }
    };
    // A pattern such as `**` also matches directories.
    let files = found.filter(|path| !path.as_ref().is_ok_and(|path| path.is_dir()));
    files.map(|path| path.map_err(unreadable)).collect()
}

/// Reads a file; stops one byte beyond the limit, so that the YAML reader reports the size.
pub fn read_bounded(path: &Path, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let bytes = files::read_start(path, limits.bytes);
    bytes.map_err(|source| ReadError::Io { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expands paths in a directory with some files.
    fn found(paths: &[&str]) -> Result<Vec<String>, String> {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path();
        fs::create_dir(root.join("more")).expect("a directory");
        for file in ["b.yaml", "a.yml", "notes.md", "more/c.yaml", "[x].yaml"] {
            fs::write(root.join(file), "").expect("a file");
        }
        let paths: Vec<PathBuf> = paths.iter().map(|path| root.join(path)).collect();
        let within = format!("{}/", root.display());
        let shown = |text: String| text.replace('\\', "/").replace(&within, "");
        match expand_paths(&paths) {
            Ok(files) => Ok(files.iter().map(|file| shown(file.display().to_string())).collect()),
            Err(error) => Err(shown(error.to_string())),
        }
    }

    #[test]
    fn a_directory_expands_to_its_yaml_files() {
        let files = found(&[""]).expect("files");
        assert_eq!(files, ["[x].yaml", "a.yml", "b.yaml"]);
    }

    #[test]
    fn patterns_expand_to_matches_and_files_are_unique() {
        assert_eq!(found(&["*.yaml", "b.yaml"]).expect("files"), ["[x].yaml", "b.yaml"]);
        assert_eq!(found(&["**/*.yaml"]).expect("files").len(), 3);
        assert_eq!(found(&["b.yaml", "[x].yaml"]).expect("files"), ["b.yaml", "[x].yaml"]);
        assert_eq!(found(&["*re/c.yaml"]).expect("files"), ["more/c.yaml"]);
    }

    #[test]
    fn missing_files_are_errors() {
        assert_eq!(found(&["*.json"]).expect_err("nothing"), "no file matches `*.json`");
        assert_eq!(found(&[]).expect_err("nothing"), "no file of cases is given");
        assert!(
            found(&["a***"]).expect_err("no pattern").starts_with("`a***` is not a valid glob")
        );
        let directory = tempfile::tempdir().expect("a directory");
        let empty = expand_paths(&[directory.path()]).expect_err("nothing").to_string();
        assert!(empty.ends_with("contains no `*.yaml` or `*.yml`"), "{empty}");
        let absent = read_bounded(&directory.path().join("x.yaml"), &Limits::default());
        assert!(absent.expect_err("absent").to_string().starts_with("cannot read "));
    }
}
