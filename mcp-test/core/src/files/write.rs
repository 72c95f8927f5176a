//! Writes files that a user names: completely or not at all, and never through a symbolic link.
//!
//! A text is written to a temporary file beside its destination, which is then renamed. A link may have been placed by somebody
//! else, in a folder that is shared or in a repository that was cloned; it would lead to any file of the user.

use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions};
use std::hash::BuildHasher;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How often another name is tried for a temporary file.
const ATTEMPTS: u32 = 100;

/// How long the reader of a pipe may take to open it.
const READER: Duration = Duration::from_secs(5);

/// Checks before a long run that [`replace`] will succeed, without changing anything.
///
/// # Errors
///
/// As far as they can be known, those of [`replace`]. A file that is read-only is an error as well.
#[cfg(feature = "suite")]
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    // Trying is the only reliable way: permissions, quotas and read-only file systems all have a say.
    match destination(path)? {
        // A pipe may end for its reader when it is closed again.
        Destination::Stream => return Ok(()),
        Destination::File => drop(OpenOptions::new().append(true).open(path)?),
        Destination::New => {}
    }
    Temporary::beside(path).map(drop)
}

/// Checks that text can be added to a file, without changing anything.
#[cfg(feature = "suite")]
pub fn check_appendable(path: &Path) -> io::Result<()> {
    let existed = path.exists();
    OpenOptions::new().append(true).create(true).open(path)?;
    if existed { Ok(()) } else { fs::remove_file(path) }
}

/// Replaces a file atomically, keeping its permissions; a device or pipe is written to.
///
/// # Errors
///
/// If it is a symbolic link, or cannot be written; an existing file is then unchanged.
pub fn replace(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    let existing = match destination(path)? {
        Destination::Stream => {
            // Standard output may be a file, in which something else is already.
            return open_stream(path, READER)?.write_all(text.as_ref());
        }
        Destination::File => Some(fs::symlink_metadata(path)?.permissions()),
        Destination::New => None,
    };
    let mut temporary = Temporary::beside(path)?;
    temporary.file.write_all(text.as_ref())?;
    // The temporary file has the default permissions; the rename would give them to the path.
    existing.map_or(Ok(()), |permissions| temporary.file.set_permissions(permissions))?;
    // A link that has appeared meanwhile is replaced, and not followed.
    fs::rename(&temporary.path, path)
}

/// Writes a new file, completely or not at all; an existing one is kept, and the error says so.
///
/// # Errors
///
/// If it exists, also as a symbolic link, or cannot be written.
#[cfg(feature = "suite")]
pub fn write_new(path: &Path, text: &str) -> io::Result<()> {
    destination(path)?;
    let mut temporary = Temporary::beside(path)?;
    temporary.file.write_all(text.as_bytes())?;
    // A full disk or a network file system may report its error only now.
    temporary.file.sync_all()?;
    // A link fails if the file exists, which `rename` would replace. Not every file system has links.
    match fs::hard_link(&temporary.path, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            // The name is taken first, which fails if the file exists as well.
            drop(OpenOptions::new().write(true).create_new(true).open(path)?);
            fs::rename(&temporary.path, path).inspect_err(|_| drop(fs::remove_file(path)))
        }
        linked => linked,
    }
}

/// What is at the path of a file to be written.
enum Destination {
    New,
    File,
    /// A terminal, another device, or a pipe, which can only be written to.
    Stream,
}

fn destination(path: &Path) -> io::Result<Destination> {
    let kind = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Destination::New),
        Err(error) => return Err(error),
    };
    if kind.is_symlink() {
        // `/dev/stdout` is a link, and nobody else can place one there; below `/dev/shm` everybody can.
        let system = ["/dev", "/dev/fd", "/proc/self/fd"].map(Path::new);
        if path.parent().is_some_and(|folder| system.contains(&folder)) {
            return Ok(Destination::Stream);
        }
        let problem = "it is a symbolic link, which mcp-test does not follow; name the file itself";
        return Err(io::Error::new(ErrorKind::InvalidInput, problem));
    }
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    Ok(if kind.is_file() { Destination::File } else { Destination::Stream })
}

/// Opens a device or a pipe. To open a pipe waits for its reader, which may never come.
fn open_stream(path: &Path, reader: Duration) -> io::Result<File> {
    let (opened, stream) = mpsc::channel();
    let owned = path.to_owned();
    // Cannot be interrupted; the process ends without waiting for it.
    thread::spawn(move || opened.send(OpenOptions::new().append(true).open(owned)));
    stream.recv_timeout(reader).unwrap_or_else(|_| {
        let problem = "it is a pipe that no program reads; start its reader first";
        Err(io::Error::new(ErrorKind::TimedOut, problem))
    })
}

/// A new file in the same directory, so that renaming it is atomic; removed when this is dropped, unless it was renamed.
struct Temporary {
    path: PathBuf,
    file: File,
}

impl Temporary {
    fn beside(path: &Path) -> io::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut attempt = 1;
        loop {
            // Nobody can know the name beforehand: the hasher has random keys.
            let random = RandomState::new().hash_one(attempt);
            let path = path.with_file_name(format!(".{name}.{random:016x}"));
            // Fails for whatever exists, and follows no link.
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Self { path, file }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < ATTEMPTS => {
                    attempt += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Fails after the rename, when the name is gone.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(all(test, feature = "suite"))]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn checking_a_file_changes_nothing() {
        for check in [check_replaceable, check_appendable] {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("a");
            check(&file).expect("it can be written");
            assert!(names(folder.path()).is_empty());
            fs::write(&file, "kept").expect("it can be written");
            check(&file).expect("it can be written");
            assert_eq!(fs::read_to_string(&file).expect("a text"), "kept");
            assert!(check(folder.path()).is_err());
            assert!(check(&file.join("below")).is_err());
            assert_eq!(names(folder.path()), ["a"]);
        }
    }

    #[test]
    fn a_file_is_replaced_atomically() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        replace(&file, "first").expect("it can be written");
        replace(&file, "second").expect("it can be written");
        assert_eq!(fs::read_to_string(&file).expect("a text"), "second");
        let taken = folder.path().join("taken");
        fs::create_dir_all(taken.join("inside")).expect("a folder");
        assert!(replace(&taken, "a file").is_err());
        assert_eq!(names(folder.path()), ["a", "taken"], "nothing else is left");
    }

    #[test]
    fn a_new_file_replaces_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        write_new(&file, "first").expect("it is new");
        let error = write_new(&file, "second").expect_err("it exists");
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&file).expect("a text"), "first");
        assert_eq!(names(folder.path()), ["a"], "nothing else is left");
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        for is_dangling in [true, false] {
            if !is_dangling {
                fs::write(&file, "kept").expect("it can be written");
            }
            for written in
                [check_replaceable(&link), replace(&link, "new"), write_new(&link, "new")]
            {
                insta::allow_duplicates! {
                    insta::assert_snapshot!(written.expect_err("a link"), @"it is a symbolic link, which mcp-test does not follow; name the file itself");
                }
            }
            assert_eq!(file.exists(), !is_dangling);
        }
        assert_eq!(fs::read_to_string(&file).expect("a text"), "kept");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept_and_respected() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        fs::write(&file, "first").expect("it can be written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
        replace(&file, "second").expect("it can be written");
        let mode = fs::metadata(&file).expect("it exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to() {
        check_replaceable(Path::new("/dev/null")).expect("it can be written");
        replace(Path::new("/dev/null"), "text").expect("it can be written");
        assert!(fs::metadata("/dev/null").is_ok_and(|metadata| !metadata.is_file()));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_without_a_reader_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let [unread, read] = ["unread", "read"].map(|name| folder.path().join(name));
        let made = std::process::Command::new("mkfifo").args([&unread, &read]).status();
        assert!(made.expect("mkfifo starts").success());
        let error = open_stream(&unread, Duration::ZERO).expect_err("nobody reads it");
        insta::assert_snapshot!(error, @"it is a pipe that no program reads; start its reader first");
        let reader = thread::spawn({
            let pipe = read.clone();
            move || fs::read_to_string(pipe).expect("a text")
        });
        replace(&read, "text").expect("it has a reader");
        assert_eq!(reader.join().expect("no panic"), "text");
    }
}
