//! Programs that a client under test finds where it looks for the browser of its user.
//!
//! Clients look at the variable `BROWSER`, and for the programs that open a URL. What these do here is up to a script for `sh`.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::executable::create_executable;
use super::{LeftoverProcess, PrivateFolder, shell_quoted};

/// The names by which programs open URLs.
const NAMES: [&str; 10] = [
    "xdg-open",
    "open",
    "gio",
    "x-www-browser",
    "www-browser",
    "sensible-browser",
    "wslview",
    "firefox",
    "google-chrome",
    "chromium",
];

/// The first argument of our own program when it takes the place of a browser; the others are those of the browser.
#[doc(hidden)]
pub const CONSENTS: &str = "mcp-test-consents";

/// The programs, in a folder that is deleted with them.
#[doc(hidden)]
#[derive(Debug)]
pub struct BrowserPrograms(PrivateFolder);

impl BrowserPrograms {
    /// Creates them in a folder: each is this script.
    ///
    /// # Errors
    ///
    /// If a file cannot be created.
    pub(super) fn create(folder: PrivateFolder, script: &str) -> io::Result<Self> {
        let programs = Self(folder);
        create_executable(&programs.program(), &format!("#!/bin/sh\n{script}\n"))?;
        for other in &NAMES[1..] {
            fs::hard_link(programs.program(), programs.path(other))?;
        }
        Ok(programs)
    }

    /// Creates those that start `program`, which is our own, with [`CONSENTS`] before what the client gives them.
    ///
    /// # Errors
    ///
    /// If the folder, which nobody can guess, or a file cannot be created.
    #[doc(hidden)]
    pub fn consenting(folder: &str, program: &std::path::Path) -> io::Result<Self> {
        let program = program.to_str().ok_or(io::ErrorKind::InvalidInput)?;
        // In the background: some clients wait for the end of what they start, and listen for the redirect only then.
        let script =
            format!("{} {CONSENTS} \"$@\" </dev/null >/dev/null 2>&1 &", shell_quoted(program));
        Self::create(PrivateFolder::create(folder)?, &script)
    }

    /// A path in their folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The path of one of them.
    pub(super) fn program(&self) -> PathBuf {
        self.path(NAMES[0])
    }

    /// The variables by which a client finds them.
    pub(crate) fn environment(&self) -> [(&'static str, String); 2] {
        let browser = self.program().to_string_lossy().into_owned();
        let mut path = self.0.path().to_string_lossy().into_owned();
        if let Some(others) = std::env::var_os("PATH") {
            path = format!("{path}:{}", others.to_string_lossy());
        }
        [("BROWSER", browser), ("PATH", path)]
    }
}

/// Whether a process has the URL of an authorization request (RFC 6749, section 4.1.1) among its arguments: a browser, or what starts one. The
/// client cannot end what it has opened for its user.
pub(crate) fn asks_for_consent(process: &LeftoverProcess) -> bool {
    let asks = |word: &str| word.contains("://") && word.contains("response_type=");
    // While it starts, only its name can be read.
    NAMES.contains(&process.command.as_str()) || process.command.split_ascii_whitespace().any(asks)
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn each_starts_our_program_in_the_background_with_what_it_is_given() {
        let name = format!("mcp-test-programs-{}", std::process::id());
        let folder = PrivateFolder::create(&format!("{name}-own")).expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let pipe = path("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("a program").success());
        let script = format!("#!/bin/sh\nprintf '%s|' \"$@\" >{}\n", pipe.display());
        let program = path("it's ours");
        create_executable(&program, &script).expect("it is created");
        let programs = BrowserPrograms::consenting(&name, &program).expect("programs");
        for name in ["xdg-open", "open", "firefox"] {
            let mut command = Command::new(name);
            command.args(["--new", "a b"]).envs(programs.environment());
            // It ends before anybody reads what it is given.
            assert!(command.status().expect("a program").success());
            let (sender, receiver) = mpsc::channel();
            let pipe = pipe.clone();
            std::thread::spawn(move || sender.send(fs::read_to_string(pipe)));
            let given = receiver.recv_timeout(Duration::from_secs(30)).expect("it is started");
            assert_eq!(given.expect("a pipe"), format!("{CONSENTS}|--new|a b|"));
        }
    }
}
