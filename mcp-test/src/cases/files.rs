//! From paths, patterns and directories to files.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::ReadError;
use crate::yaml::Limits;

/// The files that some paths name, each once, in the order in which they are named; those of a pattern or a directory in
/// the order of their names.
///
/// # Errors
///
/// If nothing is there for one of the paths, or it cannot be looked at.
pub(crate) fn named<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<PathBuf>, ReadError> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in paths {
        for file in of_path(path.as_ref())? {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    if files.is_empty() { Err(ReadError::NoPath) } else { Ok(files) }
}

fn of_path(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let found = match path.to_str() {
        _ if path.is_dir() => of_directory(path)?,
        // A name with a bracket in it may be just that.
        Some(pattern) if !path.exists() && pattern.contains(['*', '?', '[']) => {
            of_pattern(pattern)?
        }
        _ => vec![path.to_owned()],
    };
    if found.is_empty() {
        return Err(ReadError::Nothing(path.display().to_string()));
    }
    Ok(found)
}

fn of_directory(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let unreadable = |source| ReadError::Io { path: path.to_owned(), source };
    let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let paths = entries.map_err(unreadable)?.into_iter().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter(|path| is_yaml(path) && !path.is_dir()).collect();
    files.sort();
    Ok(files)
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

fn of_pattern(pattern: &str) -> Result<Vec<PathBuf>, ReadError> {
    let found = glob::glob(pattern).map_err(|error| ReadError::Pattern {
        pattern: pattern.to_owned(),
        problem: error.msg.to_owned(),
    })?;
    let mut files = Vec::new();
    for path in found {
        let path = path.map_err(|error| {
            let path = error.path().to_owned();
            ReadError::Io { path, source: error.into() }
        })?;
        if !path.is_dir() {
            files.push(path);
        }
    }
    Ok(files)
}

/// The bytes of a file; of one that is too large to be read, as many as show that.
pub(crate) fn bytes(path: &Path, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limits.bytes).unwrap_or(u64::MAX).saturating_add(1);
    let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(bytes),
        Err(source) => Err(ReadError::Io { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the files that are found below a directory with some files in it.
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
        match named(&paths) {
            Ok(files) => Ok(files.iter().map(|file| shown(file.display().to_string())).collect()),
            Err(error) => Err(shown(error.to_string())),
        }
    }

    #[test]
    fn a_directory_is_its_yaml() {
        let files = found(&[""]).expect("files");
        assert_eq!(files, ["[x].yaml", "a.yml", "b.yaml"]);
    }

    #[test]
    fn a_pattern_is_what_it_matches_and_each_file_comes_once() {
        assert_eq!(found(&["*.yaml", "b.yaml"]).expect("files"), ["[x].yaml", "b.yaml"]);
        assert_eq!(found(&["**/*.yaml"]).expect("files").len(), 3);
        assert_eq!(found(&["b.yaml", "[x].yaml"]).expect("files"), ["b.yaml", "[x].yaml"]);
        assert_eq!(found(&["*re/c.yaml"]).expect("files"), ["more/c.yaml"]);
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        assert_eq!(found(&["*.json"]).expect_err("nothing"), "no file matches `*.json`");
        assert_eq!(found(&[]).expect_err("nothing"), "no file of cases is named");
        assert!(found(&["a***"]).expect_err("no pattern").starts_with("`a***` is no pattern"));
        let directory = tempfile::tempdir().expect("a directory");
        let empty = named(&[directory.path()]).expect_err("nothing").to_string();
        assert!(empty.ends_with("has no `*.yaml` or `*.yml` in it"), "{empty}");
        let absent = bytes(&directory.path().join("x.yaml"), &Limits::default());
        assert!(absent.expect_err("absent").to_string().starts_with("cannot read "));
    }
}
