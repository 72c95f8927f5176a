//! A program that a client under test starts instead of a browser: it writes down what it is given, and opens nothing.
//!
//! It is found in the way in which programs find the browser of a user: by the variable `BROWSER`, and by the names of the
//! programs that open a URL. It is a script for `sh`, which takes its arguments for nothing but text.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::PrivateFolder;

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
/// The bytes of what is kept of everything that it was given.
const LARGEST: u64 = 64 * 1024;

/// The program, in a folder that is deleted with it.
#[derive(Debug)]
pub(crate) struct StandInBrowser {
    folder: PrivateFolder,
    is_offered: AtomicBool,
}

impl StandInBrowser {
    /// Creates it in a new folder of this name, which nobody can guess.
    ///
    /// # Errors
    ///
    /// If the folder or a file cannot be created, or its path means something to a shell.
    pub(crate) fn create(name: &str) -> io::Result<Self> {
        let folder = PrivateFolder::create(name)?;
        let browser = Self { folder, is_offered: AtomicBool::new(false) };
        let opened = browser.path("opened");
        if !opened.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte)) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // What a client opens without end is not kept.
        let script = format!(
            "#!/bin/sh\n[ \"$(cat {opened} 2>/dev/null | wc -c)\" -lt {LARGEST} ] || exit 0\nprintf '%s\\0' \"$@\" >>{opened}\n"
        );
        for name in NAMES {
            let mut options = OpenOptions::new();
            let mut file =
                options.write(true).create_new(true).mode(0o700).open(browser.path(name))?;
            file.write_all(script.as_bytes())?;
        }
        Ok(browser)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    /// The path of the program, for a client that will start it.
    pub(crate) fn program(&self) -> PathBuf {
        self.is_offered.store(true, Ordering::Relaxed);
        self.folder.path().join(NAMES[0])
    }

    /// The variables by which a client finds the program.
    pub(crate) fn environment(&self) -> [(&'static str, String); 2] {
        let browser = self.program().to_string_lossy().into_owned();
        let mut path = self.folder.path().to_string_lossy().into_owned();
        if let Some(others) = std::env::var_os("PATH") {
            path = format!("{path}:{}", others.to_string_lossy());
        }
        [("BROWSER", browser), ("PATH", path)]
    }

    /// Whether a client got to know of the program.
    pub(crate) fn is_offered(&self) -> bool {
        self.is_offered.load(Ordering::Relaxed)
    }

    /// All arguments with which it was started.
    pub(crate) fn opened(&self) -> Vec<String> {
        let Ok(file) = File::open(self.path("opened")) else { return Vec::new() };
        let mut opened = Vec::new();
        // What cannot be read was not written completely.
        file.take(LARGEST).read_to_end(&mut opened).ok();
        let arguments = opened.split(|byte| *byte == 0).filter(|argument| !argument.is_empty());
        arguments.map(|argument| String::from_utf8_lossy(argument).into_owned()).collect()
    }

    /// The path of a file that exists once a command in a URL was executed.
    pub(crate) fn mark(&self) -> String {
        self.path("executed")
    }

    /// Whether that file exists.
    pub(crate) fn is_marked(&self) -> bool {
        fs::exists(self.mark()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn browser(name: &str) -> StandInBrowser {
        let name = format!("mcp-test-browser-{name}-{}", std::process::id());
        StandInBrowser::create(&name).expect("a folder")
    }

    #[test]
    fn what_it_is_given_is_written_down_and_means_nothing() {
        let browser = browser("given");
        assert!(!browser.is_offered());
        assert_eq!(browser.opened(), [""; 0]);
        let url = format!("http://127.0.0.1/?`touch {}`&$(exit)'\"\n%s", browser.mark());
        for name in ["xdg-open", "open"] {
            let environment = browser.environment();
            let started = Command::new(name).arg(&url).envs(environment).status();
            assert!(started.expect("a program").success());
        }
        assert!(browser.is_offered() && !browser.is_marked());
        assert_eq!(browser.opened(), [url.clone(), url]);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let browser = browser("bounded");
        for _ in 0..4 {
            let mut command = Command::new(browser.program());
            assert!(command.arg("x".repeat(60_000)).status().expect("a program").success());
        }
        assert_eq!(browser.opened().concat().len(), 65_535, "without the end of the first");
    }
}
