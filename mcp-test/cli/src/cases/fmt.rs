//! `mcp-test cases fmt`: formats files, keeping content, comments and styles.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_test::cases::{self, Level, ReadOptions};
use mcp_test_core::expect::words::count;
use mcp_test_core::files;
use mcp_test_core::run::ExitCode;
use mcp_test_core::yaml::{self, Limits};
use similar::TextDiff;

use super::args::FmtArgs;
use super::lint::{STDIN, is_stdin, stdin};
use crate::error::CliError;
use crate::output;

/// After this time a difference is shown as it is known by then: the shortest one takes the square of what has changed.
const DIFF: Duration = Duration::from_secs(1);

/// Formats each file, or only shows what would change; returns the exit code.
pub(super) fn format(args: &FmtArgs) -> Result<u8, CliError> {
    let is_stdin = is_stdin(&args.files);
    let mut tally = Tally::default();
    if is_stdin {
        let bytes = stdin()?;
        let text = formatted(STDIN, &bytes, &mut tally);
        match (args.check, text) {
            (true, Some(text)) => tally.would_change(STDIN, &bytes, &text)?,
            (true, None) => {}
            (false, Some(text)) => output::print(&text)?,
            // An editor that formats through a pipe replaces its text by the output, so it gets one in any case.
            (false, None) => output::print(&String::from_utf8_lossy(&bytes))?,
        }
    } else {
        for path in cases::expand_paths(&args.files).map_err(CliError::Cases)? {
            let bytes = cases::read_bounded(&path, &Limits::default()).map_err(CliError::Cases)?;
            format_file(args, &path, &bytes, &mut tally)?;
        }
    }
    Ok(tally.end(args.check, is_stdin).number())
}

fn format_file(
    args: &FmtArgs,
    path: &Path,
    bytes: &[u8],
    tally: &mut Tally,
) -> Result<(), CliError> {
    let name = path.display().to_string();
    let Some(text) = formatted(&name, bytes, tally) else { return Ok(()) };
    if args.check {
        return tally.would_change(&name, bytes, &text);
    }
    // Replacing the path itself would turn a link into a file.
    let real = path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    files::replace(&real, &text).map_err(CliError::write(path))?;
    tally.changed += 1;
    output::note(&format!("Formatted: {name}"));
    Ok(())
}

/// The formatted text, if it differs; reports what is not YAML, which stays unchanged.
fn formatted(name: &str, bytes: &[u8], tally: &mut Tally) -> Option<String> {
    tally.seen += 1;
    let formatted = yaml::decode(bytes).map(|text| yaml::format(text, &Limits::default()));
    let unformatted = formatted.as_ref().map_or(1, |formatted| formatted.unformatted.len());
    if unformatted > 0 {
        // Only what keeps the text from being YAML: `lint` reports the rest.
        let read = cases::load_bytes(name, bytes, &ReadOptions::default());
        let broken = read.diagnostics.iter().filter(|diagnostic| {
            diagnostic.level == Level::Error
                && ["encoding", "limit", "syntax"].contains(&diagnostic.name)
        });
        let mut reported = 0;
        for diagnostic in broken {
            reported += 1;
            output::note_styled(&format!("{}\n", diagnostic.render(true)));
        }
        tally.broken += usize::from(reported > 0);
        // The other documents are valid, but the formatter would change their meaning or lose a comment.
        if reported < unformatted {
            let documents = count(unformatted - reported, "document");
            output::warn(&format!(
                "{name}: {documents} cannot be formatted without loss; left unchanged"
            ));
        }
    }
    formatted.ok().map(|formatted| formatted.text).filter(|text| text.as_bytes() != bytes)
}

#[derive(Default)]
struct Tally {
    seen: usize,
    changed: usize,
    /// Files with something that is not YAML.
    broken: usize,
}

impl Tally {
    /// Shows what would change.
    fn would_change(&mut self, name: &str, bytes: &[u8], text: &str) -> Result<(), CliError> {
        self.changed += 1;
        let before = String::from_utf8_lossy(bytes);
        let diff = TextDiff::configure().timeout(DIFF).diff_lines(&*before, text);
        let mut diff = diff.unified_diff();
        output::print(&diff.header(name, &format!("{name} (formatted)")).to_string())
    }

    fn end(&self, check: bool, is_stdin: bool) -> ExitCode {
        // A filter that succeeds is silent.
        if !is_stdin || check {
            let (seen, changed) = (count(self.seen, "file"), self.changed);
            let would = if check { "would change" } else { "changed" };
            output::note(&format!("{seen}: {changed} {would}"));
        }
        match self.broken > 0 || (check && self.changed > 0) {
            true => ExitCode::Failed,
            false => ExitCode::Passed,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mcp_test_core::clock::Stopwatch;

    use super::*;

    const ODD: &str = "case:   A # says it\nin:   {method: ping,id: 1}\n";

    fn exit(directory: &Path, files: &[&str], check: bool) -> u8 {
        let files = files.iter().map(|file| directory.join(file)).collect();
        format(&FmtArgs { files, check }).expect("an exit code")
    }

    /// The shortest difference takes the square of what has changed: a minute.
    #[test]
    fn what_would_change_in_a_large_file_is_shown_soon() {
        let directory = tempfile::tempdir().expect("a directory");
        let lines = (0..45_000).map(|line| format!("k{line}:    [ {line},{line} ]\n"));
        let lines: String = lines.collect();
        for name in ["a.yaml", "b.yaml"] {
            fs::write(directory.path().join(name), &lines).expect("a file");
        }
        let timed = |name, check, code| {
            let stopwatch = Stopwatch::start();
            assert_eq!(exit(directory.path(), &[name], check), code);
            stopwatch.elapsed()
        };
        // Formatting by itself takes seconds, and many of them on a busy machine.
        let formatting = timed("b.yaml", false, 0);
        let showing = timed("a.yaml", true, 1);
        assert!(showing < formatting * 3 + Duration::from_secs(15), "{formatting:?}, {showing:?}");
    }

    #[test]
    fn a_file_is_written_only_if_it_changes_and_without_check() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("a.yaml");
        let read = || fs::read_to_string(&file).expect("a text");
        fs::write(&file, ODD).expect("a file");
        assert_eq!(exit(directory.path(), &["a.yaml"], true), 1);
        assert_eq!(read(), ODD);
        assert_eq!(exit(directory.path(), &["a.yaml"], false), 0);
        assert_eq!(read(), "case: A # says it\nin: {method: ping, id: 1}\n");
        let written = fs::metadata(&file).and_then(|it| it.modified()).expect("a time");
        assert_eq!(exit(directory.path(), &["a.yaml"], true), 0);
        assert_eq!(exit(directory.path(), &["a.yaml"], false), 0);
        assert_eq!(fs::metadata(&file).and_then(|it| it.modified()).expect("a time"), written);
        let names: Vec<_> = fs::read_dir(directory.path()).expect("entries").collect();
        assert_eq!(names.len(), 1, "{names:?}");
    }

    #[test]
    fn invalid_yaml_stays_and_fails_while_the_rest_is_formatted() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("a.yaml");
        fs::write(&file, "case:   A\n---\nin: {\n").expect("a file");
        assert_eq!(exit(directory.path(), &[""], false), 1);
        assert_eq!(fs::read_to_string(&file).expect("a text"), "case: A\n---\nin: {\n");
        fs::write(&file, b"case: \xff\n").expect("a file");
        assert_eq!(exit(directory.path(), &["a.yaml"], false), 1);
        assert_eq!(fs::read(&file).expect("bytes"), b"case: \xff\n");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = tempfile::tempdir().expect("a directory");
        let (file, link) = (directory.path().join("a.txt"), directory.path().join("a.yaml"));
        fs::write(&file, ODD).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("permissions");
        symlink(&file, &link).expect("a link");
        assert_eq!(exit(directory.path(), &["a.yaml"], false), 0);
        assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
        assert_ne!(fs::read_to_string(&file).expect("a text"), ODD);
        let mode = fs::metadata(&file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
