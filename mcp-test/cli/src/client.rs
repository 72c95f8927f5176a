//! `mcp-test client`: resolves the client under test and runs the scenarios.

#[cfg(unix)]
use mcp_test_core::process::BrowserPrograms;
use mcp_test_core::scenario::{Profile, Suite, TestedSide, suite_names};
use mcp_test_core::trace::secrets_in_command;
#[cfg(unix)]
use mcp_test_core::transport::generated_id::generate_id;
use mcp_test_core::transport::{ClientTarget, Endpoint, TransportKind};
use mcp_test_suite::scenarios;

use super::args::ClientArgs;
use super::call_arg::CallArgs;
use super::error::CliError;
use super::execute::{self, RunCommand, RunRequest};
use super::fixture_arg::FixtureArgs;
use super::{output, signal};
use crate::report::Secrets;

/// Tests a client and returns the exit code.
pub(super) fn run(mut args: ClientArgs) -> Result<u8, CliError> {
    let options = &mut args.run;
    options.expand_scenarios(TestedSide::Client)?;
    let is_official = options.profile.is_none_or(|profile| profile == Profile::Official);
    match (options.suite, options.scenarios.as_slice()) {
        // The official suite has no default; the other profiles run everything that applies.
        (None, []) if is_official && options.requirements.is_none() => {
            return Err(nothing_selected());
        }
        // As in the official suite, which takes the suite if both are given.
        (Some(suite), [_, ..]) => {
            let suite = Suite::name(suite, TestedSide::Client);
            output::warn(&format!("--suite {suite} overrides --scenario"));
            options.scenarios.clear();
        }
        _ => {}
    }
    let manual = args.command.is_none();
    let is_single = options.scenarios.len() == 1;
    let client = ResolvedClient::new(args.command.as_deref(), is_single, CliError::NoCommand)?;
    // Without a choice as the official suite, whose clients get a URL.
    let default = args.transports.is_empty().then_some(TransportKind::Http);
    let transports: Vec<_> = args.transports.iter().copied().chain(default).collect();
    let client = client.over(&transports)?;
    // Officially a client opens whatever browser there is.
    #[cfg(unix)]
    let client = if is_official || manual { client } else { client.consenting()? };
    execute::execute(RunRequest {
        command: RunCommand::Client,
        options: &args.run,
        loaded: None,
        target: client.target.into(),
        transports,
        secrets: Secrets::new(client.secrets),
        sign_in: None,
        target_args: client.args,
        protection: Vec::new(),
        calls: CallArgs::default(),
        fixtures: FixtureArgs::default(),
        manual,
    })
}

/// The client that `--command`, or its absence, selects.
pub(super) struct ResolvedClient {
    /// The client under test.
    pub(super) target: ClientTarget,
    /// The texts that no report may show: the secrets in the command line.
    pub(super) secrets: Vec<String>,
    /// The arguments for a rerun.
    pub(super) args: Vec<String>,
}

impl ResolvedClient {
    /// Without a command, the client is started manually if there is only a single scenario; otherwise the error is `required`.
    pub(super) fn new(
        command: Option<&str>,
        is_single: bool,
        required: CliError,
    ) -> Result<Self, CliError> {
        let line = match command {
            Some(line) if line.trim().is_empty() => return Err(CliError::EmptyCommand),
            Some(line) => line,
            None if is_single => {
                return Ok(Self { target: manual(), secrets: Vec::new(), args: Vec::new() });
            }
            None => return Err(required),
        };
        Ok(Self {
            target: ClientTarget::command(line),
            secrets: secrets_in_command([line]),
            args: vec!["--command".to_owned(), line.to_owned()],
        })
    }
}

impl ResolvedClient {
    /// The client over these transports.
    fn over(mut self, transports: &[TransportKind]) -> Result<Self, CliError> {
        if transports.iter().any(|it| ![TransportKind::Http, TransportKind::Stdio].contains(it)) {
            // Planning names those that it has.
            self.target = self.target.over([TransportKind::Http, TransportKind::Stdio]);
            return Ok(self);
        }
        if transports.contains(&TransportKind::Stdio) {
            if self.args.is_empty() {
                return Err(CliError::NoCommandOverStdio);
            }
            // The client starts this program as its server.
            let program = std::env::current_exe().map_err(CliError::OwnProgram)?;
            self.target = self.target.server_program(program);
            if let [only] = transports {
                // With several, each rerun names its own.
                self.args.extend(["--transport".to_owned(), only.to_string()]);
            }
        }
        for &transport in transports {
            self.target.check_placeholders(transport).map_err(CliError::Placeholder)?;
        }
        self.target = self.target.over(transports.iter().copied());
        Ok(self)
    }

    /// The client, for whose user this program consents in place of a browser.
    #[cfg(unix)]
    fn consenting(mut self) -> Result<Self, CliError> {
        let program = std::env::current_exe().map_err(CliError::OwnProgram)?;
        let folder = format!("mcp-test-{}", generate_id());
        match BrowserPrograms::consenting(&folder, &program) {
            Ok(browser) => self.target = self.target.browser(browser),
            Err(why) => output::warn(&format!(
                "nothing takes the place of a browser: {why}; clients that open one wait for its user"
            )),
        }
        Ok(self)
    }
}

fn nothing_selected() -> CliError {
    let scenarios = scenarios::all().filter(|scenario| scenario.tested_side == TestedSide::Client);
    let scenarios: Vec<&str> = scenarios.map(|scenario| &*scenario.id).collect();
    CliError::NothingSelected {
        suites: suite_names(TestedSide::Client),
        scenarios: scenarios.join(", "),
    }
}

/// A client that a person starts manually; Ctrl+C means that it is done.
fn manual() -> ClientTarget {
    let wait = |endpoint: Endpoint| async move {
        let url = endpoint.url()?.to_owned();
        let Endpoint { scenario, context, .. } = endpoint;
        let context =
            context.map(|context| format!("With context: {context}\n")).unwrap_or_default();
        // As the official suite prints it.
        output::print(&format!(
            "Starting scenario: {scenario}\n{context}Server URL: {url}\nPress Ctrl+C to stop...\n"
        ))
        .map_err(|error| error.to_string())?;
        // Any signal means that the client is done.
        let _ = signal::unless_signalled(std::future::pending::<()>()).await;
        Ok(())
    };
    ClientTarget::manual(wait)
}
