//! A command: program, arguments, environment, working directory; and why it cannot be started.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fmt, process};

use super::SpawnError;

/// A program with its arguments, environment and working directory.
///
/// Environment variables often contain tokens, so neither `Display` nor `Debug` shows their values.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::process::Command;
///
/// let command = Command::new("node").arg("dist/server.js").env("LOG_LEVEL", "debug").cwd("my project");
/// assert_eq!(command.to_string(), "cd 'my project' && LOG_LEVEL=… node dist/server.js");
/// assert_eq!("LOG_LEVEL=debug node 'dist/server.js'".parse::<Command>()?.args, ["dist/server.js"]);
/// # Ok::<(), mcp_test::process::SpawnError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Command {
    /// The program: a name that is looked up in PATH, or a path, relative to the working directory.
    pub program: String,
    /// The arguments, without the program.
    pub args: Vec<String>,
    /// Environment variables that are set in addition to the inherited ones.
    pub env: Vec<(String, String)>,
    /// The working directory; the caller's if `None`.
    pub cwd: Option<PathBuf>,
}

impl Command {
    /// A command without arguments.
    pub fn new(program: impl Into<String>) -> Self {
        Self { program: program.into(), args: Vec::new(), env: Vec::new(), cwd: None }
    }

    /// A command from the program and its arguments.
    ///
    /// # Errors
    /// [`SpawnError::Empty`] if there is no program.
    pub fn parse<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Result<Self, SpawnError> {
        let mut words = words.into_iter().map(Into::into);
        let program = words.next().filter(|word| !word.is_empty()).ok_or(SpawnError::Empty)?;
        Ok(Self { args: words.collect(), ..Self::new(program) })
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets the environment and the working directory of a process, and what marks its descendants.
    pub(super) fn set_environment(&self, prepared: &mut process::Command, marker: &str) {
        prepared.envs(self.env.iter().map(|(name, value)| (name, value)));
        prepared.env(marker, "1");
        if let Some(cwd) = &self.cwd {
            prepared.current_dir(cwd);
        }
    }

    /// Finds out why the operating system did not start the command.
    pub(super) fn diagnose(&self, source: std::io::Error) -> SpawnError {
        let program = self.program.clone();
        // Checked first: a missing working directory fails with the same error as a missing program.
        if let Some(cwd) = self.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            let cwd = cwd.clone();
            return SpawnError::NoSuchDirectory { program, cwd };
        }
        let by_path = program.contains(std::path::is_separator);
        let here = self.cwd.as_deref().unwrap_or(Path::new("")).join(&program);
        let path = if by_path { Some(here.clone()) } else { self.in_path() };
        match (source.kind(), path) {
            (ErrorKind::NotFound, None) => {
                SpawnError::NotInPath { program, in_cwd: here.is_file() }
            }
            // The kernel reports a missing interpreter as if the script itself were missing.
            (ErrorKind::NotFound, Some(path)) if path.exists() => {
                SpawnError::NoInterpreter { interpreter: interpreter(&path), program, path }
            }
            (ErrorKind::NotFound, Some(path)) => {
                SpawnError::NoSuchFile { program, path, cwd: self.cwd.clone() }
            }
            (ErrorKind::PermissionDenied, Some(path)) if path.is_dir() => {
                SpawnError::IsDirectory { program, path }
            }
            (ErrorKind::PermissionDenied, Some(path)) if path.exists() => {
                SpawnError::NotExecutable { program, path }
            }
            _ => SpawnError::Refused { program, cwd: self.cwd.clone(), source },
        }
    }

    fn in_path(&self) -> Option<PathBuf> {
        // The last of several values is the one that the child gets, and its PATH is the one that is searched.
        let own = self.env.iter().rfind(|(name, _)| name == "PATH").map(|(_, value)| value.into());
        let path = own.or_else(|| std::env::var_os("PATH"))?;
        std::env::split_paths(&path).map(|dir| dir.join(&self.program)).find(|file| file.is_file())
    }
}

fn interpreter(script: &Path) -> Option<String> {
    let mut line = String::new();
    // Linux reads no more than this of a first line.
    let head = std::fs::File::open(script).ok()?.take(256);
    BufReader::new(head).read_line(&mut line).ok()?;
    Some(line.strip_prefix("#!")?.trim().to_owned())
}

/// Reads a command line as a shell would: words with quotes and backslashes, `NAME=value` before the program.
///
/// Nothing is expanded: no variables, no patterns, no pipes.
impl FromStr for Command {
    type Err = SpawnError;

    fn from_str(line: &str) -> Result<Self, SpawnError> {
        let mut env = Vec::new();
        let mut words = split(line)?.into_iter().peekable();
        while let Some((name, value)) = words.peek().and_then(|word| assignment(word)) {
            env.push((name.to_owned(), value.to_owned()));
            words.next();
        }
        let command = Self::parse(words)?;
        Ok(Self { env, ..command })
    }
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, value))
}

// `shlex` and `shell-words` would take the backslashes of a Windows path for escapes and a `#` for a comment, and do not say
// which quote is open.
fn split(line: &str) -> Result<Vec<String>, SpawnError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' | '"' => {
                let at = line.chars().count() - chars.clone().count();
                quoted(c, &mut chars, word.get_or_insert_default())
                    .ok_or(SpawnError::UnclosedQuote { quote: c, at })?;
            }
            // On Windows a backslash separates directories, so it escapes nothing there.
            '\\' if cfg!(unix) => word.get_or_insert_default().extend(chars.next()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

fn quoted(quote: char, chars: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    loop {
        match chars.next()? {
            c if c == quote => return Some(()),
            // Between double quotes a backslash is literal except before a few characters (POSIX, section 2.2.3).
            '\\' if cfg!(unix) && quote == '"' => match chars.next()? {
                c @ ('"' | '\\' | '$' | '`') => word.push(c),
                c => word.extend(['\\', c]),
            },
            c => word.push(c),
        }
    }
}

/// Writes the command as a line for a POSIX shell, with the values of variables hidden.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(cwd) = &self.cwd {
            write!(f, "cd {} && ", shell_quoted(&cwd.display().to_string()))?;
        }
        for (name, _) in &self.env {
            write!(f, "{name}=… ")?;
        }
        write!(f, "{}", shell_quoted(&self.program))?;
        self.args.iter().try_for_each(|arg| write!(f, " {}", shell_quoted(arg)))
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &names)
            .field("cwd", &self.cwd)
            .finish()
    }
}

/// A word as it stands in a command for a shell of POSIX.
#[doc(hidden)]
pub fn shell_quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    // Nothing can be escaped between single quotes, so each single quote in the word ends and reopens them.
    format!("'{}'", word.replace('\'', r"'\''"))
}
