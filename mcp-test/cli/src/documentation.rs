//! `mcp-test completions` and `mcp-test man`: shell completions and manual pages.

use clap::{Command, CommandFactory};
use mcp_test_core::expect::words;

use super::args::{Args, CompletionsArgs, ManArgs};
use super::error::CliError;

/// The script that completes the command line in a shell.
pub(super) fn completions(args: &CompletionsArgs) -> String {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "mcp-test", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The manual page of a command, or of the whole command line.
pub(super) fn man(args: &ManArgs) -> Result<String, CliError> {
    let mut command = Args::command();
    // Gives each subcommand its full name and the global options.
    command.build();
    let mut title = "mcp-test".to_owned();
    for name in &args.command {
        let Some(found) = command.find_subcommand(name) else {
            let names = command.get_subcommands().map(Command::get_name);
            let suggestion = words::closest(name, names).map(str::to_owned);
            return Err(CliError::UnknownCommand { name: name.clone(), suggestion });
        };
        title = format!("{title}-{name}");
        command = found.clone();
    }
    let mut page = Vec::new();
    let written = clap_mangen::Man::new(command).title(title).render(&mut page);
    written.map_err(CliError::Stdout)?;
    Ok(portable(&String::from_utf8_lossy(&page)))
}

/// The page in ASCII: by default, roff expects an encoding other than UTF-8.
fn portable(page: &str) -> String {
    let character = |c: char| match c.is_ascii() {
        true => c.to_string(),
        false => format!(r"\[u{:04X}]", u32::from(c)),
    };
    page.chars().map(character).collect()
}
