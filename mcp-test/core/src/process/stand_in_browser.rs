//! A program that a client under test starts instead of a browser: it writes down what it is given, and opens nothing.
//!
//! It is a script for `sh`, which takes its arguments for nothing but text.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::PrivateFolder;
use super::browser_programs::BrowserPrograms;

/// The file in which it writes that down.
const OPENED: &str = "opened";
/// The bytes of what is kept of everything that it was given.
const LARGEST: u64 = 64 * 1024;

/// The program, under all the names by which clients open URLs.
#[doc(hidden)]
#[derive(Debug)]
pub struct StandInBrowser {
    programs: BrowserPrograms,
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
        let opened = folder.path().join(OPENED).to_string_lossy().into_owned();
        if !opened.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte)) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // What a client opens without end is not kept.
        let script = format!(
            "[ \"$(cat {opened} 2>/dev/null | wc -c)\" -lt {LARGEST} ] || exit 0\nprintf '%s\\0' \"$@\" >>{opened}"
        );
        let programs = BrowserPrograms::create(folder, &script)?;
        Ok(Self { programs, is_offered: AtomicBool::new(false) })
    }

    /// The path of the program, for a client that will start it.
    pub(crate) fn program(&self) -> PathBuf {
        self.is_offered.store(true, Ordering::Relaxed);
        self.programs.program()
    }

    /// The variables by which a client finds the program.
    pub(crate) fn environment(&self) -> [(&'static str, String); 2] {
        self.is_offered.store(true, Ordering::Relaxed);
        self.programs.environment()
    }

    /// Whether a client got to know of the program.
    pub(crate) fn is_offered(&self) -> bool {
        self.is_offered.load(Ordering::Relaxed)
    }

    /// All arguments with which it was started.
    #[doc(hidden)]
    pub fn opened(&self) -> Vec<String> {
        let Ok(file) = File::open(self.programs.path(OPENED)) else { return Vec::new() };
        let mut opened = Vec::new();
        // What cannot be read was not written completely.
        file.take(LARGEST).read_to_end(&mut opened).ok();
        let arguments = opened.split(|byte| *byte == 0).filter(|argument| !argument.is_empty());
        arguments.map(|argument| String::from_utf8_lossy(argument).into_owned()).collect()
    }

    /// The path of a file that exists once a command in a URL was executed.
    #[doc(hidden)]
    pub fn mark(&self) -> String {
        self.programs.path("executed").to_string_lossy().into_owned()
    }

    /// Whether that file exists.
    #[doc(hidden)]
    pub fn is_marked(&self) -> bool {
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
