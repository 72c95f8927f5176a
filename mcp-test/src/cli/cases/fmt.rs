//! `mcp-test cases fmt`: lays files out; what they say stays, with its comments and styles.

use std::path::{Path, PathBuf};

use similar::TextDiff;

use super::super::error::CliError;
use super::super::output;
use super::args::FmtArgs;
use super::lint::{STDIN, stdin};
use crate::cases::{self, Level, ReadOptions};
use crate::expect::words::count;
use crate::run::ExitCode;
use crate::yaml::{self, Limits};

/// Lays out each file, or only tells what would change; gives the exit code.
pub(super) fn conduct(args: &FmtArgs) -> Result<u8, CliError> {
    let is_stdin = matches!(args.files.as_slice(), [only] if only.as_os_str() == "-");
    let mut tally = Tally::default();
    if is_stdin {
        let bytes = stdin().map_err(CliError::stdin)?;
        let text = laid_out(STDIN, &bytes, &mut tally);
        match (args.check, text) {
            (true, Some(text)) => tally.would_change(STDIN, &bytes, &text)?,
            (true, None) => {}
            (false, Some(text)) => output::print(&text)?,
            (false, None) => output::print(&String::from_utf8_lossy(&bytes))?,
        }
    } else {
        for path in cases::files(&args.files).map_err(CliError::Cases)? {
            let bytes = cases::bytes(&path, &Limits::default()).map_err(CliError::Cases)?;
            one(args, &path, &bytes, &mut tally)?;
        }
    }
    Ok(tally.end(args.check, is_stdin).number())
}

fn one(args: &FmtArgs, path: &Path, bytes: &[u8], tally: &mut Tally) -> Result<(), CliError> {
    let name = path.display().to_string();
    let Some(text) = laid_out(&name, bytes, tally) else { return Ok(()) };
    if args.check {
        return tally.would_change(&name, bytes, &text);
    }
    let real = path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    output::replace(&real, &text)
        .map_err(|source| CliError::Write { path: path.to_owned(), source })?;
    tally.changed += 1;
    output::note(&format!("Formatted: {name}"));
    Ok(())
}

/// The text as it should be laid out, if it is not; complains of what is no YAML, which stays as it stands.
fn laid_out(name: &str, bytes: &[u8], tally: &mut Tally) -> Option<String> {
    tally.seen += 1;
    let formatted = yaml::decode(bytes).map(|text| yaml::format(text, &Limits::default()));
    let kept = formatted.as_ref().map_or(1, |formatted| formatted.kept.len());
    if kept > 0 {
        let read = cases::of_bytes(name, bytes, &ReadOptions::default());
        let broken = read.complaints.iter().filter(|complaint| {
            complaint.level == Level::Error
                && ["encoding", "limit", "syntax"].contains(&complaint.name)
        });
        let mut told = 0;
        for complaint in broken {
            told += 1;
            output::note(&format!("{}\n", complaint.render(true)));
        }
        tally.broken += usize::from(told > 0);
        if told < kept {
            let documents = count(kept - told, "document");
            output::warn(&format!("{name}: {documents} cannot be laid out without loss, and kept"));
        }
    }
    formatted.ok().map(|formatted| formatted.text).filter(|text| text.as_bytes() != bytes)
}

#[derive(Default)]
struct Tally {
    seen: usize,
    changed: usize,
    /// Files with something in them that is no YAML.
    broken: usize,
}

impl Tally {
    /// Shows what would change.
    fn would_change(&mut self, name: &str, bytes: &[u8], text: &str) -> Result<(), CliError> {
        self.changed += 1;
        let before = String::from_utf8_lossy(bytes);
        let diff = TextDiff::from_lines(&*before, text);
        let mut diff = diff.unified_diff();
        output::print(&diff.header(name, &format!("{name} (formatted)")).to_string())
    }

    fn end(&self, check: bool, is_stdin: bool) -> ExitCode {
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

    use super::*;

    const ODD: &str = "case:   A # says it\nin:   {method: ping,id: 1}\n";

    fn exit(directory: &Path, files: &[&str], check: bool) -> u8 {
        let files = files.iter().map(|file| directory.join(file)).collect();
        conduct(&FmtArgs { files, check }).expect("it is done")
    }

    #[test]
    fn a_file_is_changed_only_when_it_has_to_be_and_only_without_check() {
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
    fn what_is_no_yaml_stays_and_fails_while_the_rest_is_laid_out() {
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
    fn a_link_stays_a_link_and_permissions_stay_what_they_are() {
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
