//! Reading cases again when their files change.
//!
//! Directories are watched and not files: an editor may put a new file in the place of the old one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};

use super::super::output;
use super::args::Files;
use super::read;
use crate::cases::{Cases, Mock, ReadError, ReadOptions};

/// How long it has to be quiet after a change: a file may be written in pieces.
const QUIET: Duration = Duration::from_millis(200);
/// What makes a path a pattern.
const WILD: [char; 3] = ['*', '?', '['];

/// Watches as long as it lives.
pub(super) struct Watch {
    _debouncer: Option<Debouncer<RecommendedWatcher, RecommendedCache>>,
}

impl Watch {
    /// Has a mock serve what the files say from now on, whenever they say something else. A file that is wrong is told, and
    /// what is served stays.
    pub(super) fn begin(files: &Files, mock: &Mock) -> Self {
        let mut again = Again { files: files.files.clone(), mock: mock.clone(), complaint: None };
        let heard = move |changes: DebounceEventResult| match changes {
            Ok(changes) => {
                // To read a file is a change to some systems, too.
                if changes.iter().any(|change| !change.kind.is_access()) {
                    again.read();
                }
            }
            Err(_) => again.read(),
        };
        let begun = new_debouncer(QUIET, None, heard).and_then(|mut debouncer| {
            for (directory, mode) in directories(&files.files) {
                debouncer.watch(directory, mode)?;
            }
            Ok(debouncer)
        });
        if let Err(error) = &begun {
            output::warn(&format!("changes of the files will not be seen: {error}"));
        }
        Self { _debouncer: begun.ok() }
    }
}

/// Reads the files again.
struct Again {
    files: Vec<PathBuf>,
    mock: Mock,
    /// What was wrong with them the last time.
    complaint: Option<String>,
}

impl Again {
    fn read(&mut self) {
        match Cases::read(&self.files, &ReadOptions::default()) {
            Ok((cases, complaints)) => {
                let was_wrong = self.complaint.take().is_some();
                if was_wrong || !is_same(&cases, &self.mock.cases()) {
                    read::tell(&complaints);
                    self.mock.reload(cases);
                }
            }
            Err(error) => self.complain(&error),
        }
    }

    fn complain(&mut self, error: &ReadError) {
        let text = error.to_string();
        if self.complaint.as_ref() == Some(&text) {
            return;
        }
        match error {
            ReadError::Complaints(complaints) => read::tell(complaints),
            other => output::complain(&other.to_string()),
        }
        output::warn("the cases go on being served as they were before");
        self.complaint = Some(text);
    }
}

/// Whether the files say the same.
fn is_same(new: &Cases, old: &Cases) -> bool {
    let said = |cases: &Cases| -> Vec<_> {
        cases.files.iter().map(|file| (file.path.clone(), file.text.clone())).collect()
    };
    said(new) == said(old)
}

/// The directories in which the files stand, each once.
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
        |part: &std::path::Component<'_>| !part.as_os_str().to_string_lossy().contains(WILD);
    let parts: Vec<_> = path.components().collect();
    let parent = &parts[..parts.len().saturating_sub(1)];
    let plain: PathBuf = parent.iter().take_while(|part| is_plain(part)).collect();
    let is_whole = parent.iter().all(is_plain);
    let mode = if is_whole { RecursiveMode::NonRecursive } else { RecursiveMode::Recursive };
    let here = plain.as_os_str().is_empty();
    (if here { PathBuf::from(".") } else { plain }, mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_watched_once_and_below_where_a_pattern_leads_there() {
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
    fn a_broken_edit_leaves_the_cases_and_a_good_one_replaces_them() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("a.yaml");
        let text = "case: A\nin: {jsonrpc: '2.0', id: 1, method: ping}\n";
        let write = |text: &str| std::fs::write(&file, text).expect("it can be written");
        write(text);
        let files = vec![file.clone()];
        let (cases, _) = Cases::read(&files, &ReadOptions::default()).expect("good cases");
        let mock = Mock::new(cases);
        let mut again = Again { files, mock: mock.clone(), complaint: None };
        again.read();
        assert_eq!(mock.events().len(), 0, "nothing has changed");
        write("case: [");
        again.read();
        assert!(again.complaint.is_some());
        assert_eq!(mock.cases().iter().count(), 1);
        write(&format!("{text}---\n{}", text.replace("case: A", "case: B")));
        again.read();
        assert_eq!((mock.cases().iter().count(), again.complaint), (2, None));
    }
}
