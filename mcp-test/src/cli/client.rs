//! `mcp-test client`: from the arguments to a client under test.

use super::args::ClientArgs;
use super::conduct::{self, Job, Kind};
use super::error::CliError;
use super::{output, signal};
use crate::report::Secrets;
use crate::scenario::{Leg, Suite, suite_names};
use crate::scenarios;
use crate::trace::secrets_in_url;
use crate::transport::{ClientTarget, Endpoint};

/// Tests a client; gives the exit code.
pub(super) fn conduct(mut args: ClientArgs) -> Result<u8, CliError> {
    let options = &mut args.run;
    match (options.suite, options.scenarios.as_slice()) {
        (None, []) => return Err(nothing_chosen()),
        (Some(suite), [_, ..]) => {
            let suite = Suite::name(suite, Leg::Client);
            output::warn(&format!("--suite {suite} wins over --scenario"));
            options.scenarios.clear();
        }
        _ => {}
    }
    let (client, words) = match &args.command {
        Some(line) if line.trim().is_empty() => return Err(CliError::EmptyCommand),
        Some(line) => (ClientTarget::command(line), vec!["--command".to_owned(), line.clone()]),
        None if options.scenarios.len() == 1 => (by_hand(), Vec::new()),
        None => return Err(CliError::NoCommand),
    };
    let secrets = args.command.iter().flat_map(|line| secrets_of(line));
    conduct::conduct(&Job {
        kind: Kind::Client,
        options: &args.run,
        own: None,
        tested: client.into(),
        carriers: Vec::new(),
        secrets: Secrets::new(secrets),
        words,
        by_hand: args.command.is_none(),
    })
}

/// What no report may show of a command line.
pub(super) fn secrets_of(line: &str) -> impl Iterator<Item = String> + use<'_> {
    line.split(' ').filter(|word| word.contains("://")).flat_map(secrets_in_url)
}

fn nothing_chosen() -> CliError {
    let scenarios = scenarios::all().filter(|scenario| scenario.leg == Leg::Client);
    let scenarios: Vec<&str> = scenarios.map(|scenario| scenario.id).collect();
    CliError::NothingChosen { suites: suite_names(Leg::Client), scenarios: scenarios.join(", ") }
}

/// A client that a person starts: it has left when the person says so.
pub(super) fn by_hand() -> ClientTarget {
    let wait = |endpoint: Endpoint| async move {
        let Endpoint { url, scenario, context, .. } = endpoint;
        let context =
            context.map(|context| format!("With context: {context}\n")).unwrap_or_default();
        output::print(&format!(
            "Starting scenario: {scenario}\n{context}Server URL: {url}\nPress Ctrl+C to stop...\n"
        ))
        .map_err(|error| error.to_string())?;
        // Whichever signal it is, the client has left.
        let _ = signal::unless_signalled(std::future::pending::<()>()).await;
        Ok(())
    };
    ClientTarget::by_hand(wait)
}
