//! Reads cases again when their files change.
//!
//! Directories are watched instead of files: an editor may replace a file by a new one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_test::cases::{Cases, Mock, ReadError, ReadOptions};
use notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};

use super::args::Files;
use super::read;
use crate::output;

/// How long no change may follow another before the files are read: a file may be written in several steps.
const SETTLED: Duration = Duration::from_millis(200);
/// The characters that make a path a pattern.
const WILDCARDS: [char; 3] = ['*', '?', '['];

/// Watches the files until it is dropped.
pub(super) struct Watch {
    _debouncer: Option<Debouncer<RecommendedWatcher, RecommendedCache>>,
}

impl Watch {
    /// Reloads the cases of a mock whenever the files change. An invalid file is reported, and the mock keeps its cases.
    pub(super) fn begin(files: &Files, mock: &Mock) -> Self {
        let mut reloader =
            Reloader { files: files.files.clone(), mock: mock.clone(), problem: None };
        let on_change = move |changes: DebounceEventResult| match changes {
            Ok(changes) => {
                // Some systems report reading a file as a change.
                if changes.iter().any(|change| !change.kind.is_access()) {
                    reloader.reload();
                }
            }
            Err(_) => reloader.reload(),
        };
        let started = new_debouncer(SETTLED, None, on_change).and_then(|mut debouncer| {
            for (directory, mode) in directories(&files.files) {
                debouncer.watch(directory, mode)?;
            }
            Ok(debouncer)
        });
        if let Err(error) = &started {
            output::warn(&format!("changes of the files will not be noticed: {error}"));
        }
        Self { _debouncer: started.ok() }
    }
}

/// Reads the files again and reloads the mock.
struct Reloader {
    files: Vec<PathBuf>,
    mock: Mock,
    /// Why the files could not be used the last time.
    problem: Option<String>,
}

impl Reloader {
    fn reload(&mut self) {
        match Cases::read(&self.files, &ReadOptions::default()) {
            Ok((cases, diagnostics)) => {
                let was_invalid = self.problem.take().is_some();
                // Whole directories are watched, so the change may be one of another file.
                if was_invalid || !is_same(&cases, &self.mock.cases()) {
                    read::report(&diagnostics);
                    self.mock.reload(cases);
                }
            }
            Err(error) => self.report(&error),
        }
    }

    fn report(&mut self, error: &ReadError) {
        let text = error.to_string();
        // The same problem is reported once, however often the file is written.
        if self.problem.as_ref() == Some(&text) {
            return;
        }
        match error {
            ReadError::Diagnostics(diagnostics) => read::report(diagnostics),
            other => output::error(&other.to_string()),
        }
        output::warn("the previous cases are still served");
        self.problem = Some(text);
    }
}

/// Whether the files have the same content.
fn is_same(new: &Cases, old: &Cases) -> bool {
    let texts = |cases: &Cases| -> Vec<_> {
        cases.files.iter().map(|file| (file.path.clone(), file.text.clone())).collect()
    };
    texts(new) == texts(old)
}

/// The directories of the files, each once.
fn directories(paths: &[PathBuf]) -> BTreeMap<PathBuf, RecursiveMode> {
    let mut directories = BTreeMap::new();
    for path in paths {
        let (directory, mode) = directory(path);
        let known = directories.entry(directory).or_insert(mode);
        if mode == RecursiveMode::Recursive {
            *known = mode;
        }
    }
    directories
}

fn directory(path: &Path) -> (PathBuf, RecursiveMode) {
    if path.is_dir() {
        return (path.to_owned(), RecursiveMode::NonRecursive);
    }
    let is_plain =
        |part: &std::path::Component<'_>| !part.as_os_str().to_string_lossy().contains(WILDCARDS);
    let parts: Vec<_> = path.components().collect();
    let parent = &parts[..parts.len().saturating_sub(1)];
    let plain: PathBuf = parent.iter().take_while(|part| is_plain(part)).collect();
    let is_whole = parent.iter().all(is_plain);
    let mode = if is_whole { RecursiveMode::NonRecursive } else { RecursiveMode::Recursive };
    let is_current = plain.as_os_str().is_empty();
    (if is_current { PathBuf::from(".") } else { plain }, mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_directory_is_watched_once_and_recursively_for_patterns() {
        let directory = tempfile::tempdir().expect("a directory");
        let inside = |name: &str| directory.path().join(name);
        let watched = directories(&[
            PathBuf::from("a.yaml"),
            PathBuf::from("contracts/a.yaml"),
            PathBuf::from("contracts/*.yaml"),
            PathBuf::from("more/**/*.yaml"),
            PathBuf::from("more/x.yaml"),
            directory.path().to_owned(),
            inside("b.yaml"),
        ]);
        let of = |path: &str| watched.get(Path::new(path)).copied();
        assert_eq!(of("."), Some(RecursiveMode::NonRecursive));
        assert_eq!(of("contracts"), Some(RecursiveMode::NonRecursive));
        assert_eq!(of("more"), Some(RecursiveMode::Recursive));
        assert_eq!(watched.get(directory.path()), Some(&RecursiveMode::NonRecursive));
        assert_eq!(watched.len(), 4);
    }

    #[test]
    fn an_invalid_edit_keeps_the_cases_and_a_valid_one_replaces_them() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("a.yaml");
        let text = "case: A\nin: {jsonrpc: '2.0', id: 1, method: ping}\n";
        let write = |text: &str| std::fs::write(&file, text).expect("it can be written");
        write(text);
        let files = vec![file.clone()];
        let (cases, _) = Cases::read(&files, &ReadOptions::default()).expect("good cases");
        let mock = Mock::new(cases);
        let mut reloader = Reloader { files, mock: mock.clone(), problem: None };
        reloader.reload();
        assert_eq!(mock.events().len(), 0, "nothing has changed");
        write("case: [");
        reloader.reload();
        assert!(reloader.problem.is_some());
        assert_eq!(mock.cases().iter().count(), 1);
        write(&format!("{text}---\n{}", text.replace("case: A", "case: B")));
        reloader.reload();
        assert_eq!((mock.cases().iter().count(), reloader.problem), (2, None));
    }
}
