//! A client under test: a command that gets the address of a server, or a future in this process.
//!
//! The server records the messages. This module starts the client, captures its output, observes how it ends, and leaves
//! none of its processes running.

use std::fmt;
use std::panic::AssertUnwindSafe;
#[cfg(all(unix, feature = "http"))]
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use super::client_command::{self, PlaceholderError};
use super::client_run::{CapturedOutput, ClientEnd, ClientRun};
use super::redacted::redact_urls;
use super::started_servers::StartedServers;
use super::{Endpoint, ServerAddress, TransportKind};
use crate::clock::{self, Deadline};
use crate::expect::words::panic_text;
#[cfg(all(unix, feature = "suite"))]
use crate::process::BrowserPrograms;
#[cfg(all(unix, feature = "suite"))]
use crate::process::asks_for_consent;
use crate::process::{Child, Command};

/// How long the servers that a client has started may take to exit once it has exited.
const SERVER_EXITS: Duration = Duration::from_secs(1);
/// How long a client may take to end after its stdin is closed: few clients read it, and a run may not outlast its time by
/// two seconds.
const EOF_GRACE: Duration = Duration::from_millis(250);
/// How long a client may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(1);

/// The environment variable with the scenario. The names of these variables are those of the official suite.
pub const SCENARIO: &str = "MCP_CONFORMANCE_SCENARIO";
/// The environment variable with the revision.
pub const PROTOCOL_VERSION: &str = "MCP_CONFORMANCE_PROTOCOL_VERSION";
/// The environment variable with further information, such as credentials, as a JSON object.
pub const CONTEXT: &str = "MCP_CONFORMANCE_CONTEXT";

/// The environment variable with the command that starts the server over stdio, as a line for a shell.
pub(crate) const SERVER: &str = "MCP_TEST_SERVER";
/// The environment variable with the program of that command.
pub(crate) const SERVER_COMMAND: &str = "MCP_TEST_SERVER_COMMAND";
/// The environment variable with the arguments of that command, quoted for a shell.
pub(crate) const SERVER_ARGS: &str = "MCP_TEST_SERVER_ARGS";
/// The environment variable with the path of a file that names that command, in the format of hosts.
pub(crate) const SERVER_CONFIG: &str = "MCP_TEST_SERVER_CONFIG";

type RunClient = dyn Fn(Endpoint) -> LocalBoxFuture<'static, crate::Result> + Send + Sync;

#[derive(Clone)]
enum Launch {
    /// A command line for the shell, to which the address of the server is appended unless it has a place.
    Command(String),
    /// Code in this process.
    Future(Arc<RunClient>),
    /// Started by somebody else; code in this process waits for its end.
    Manual(Arc<RunClient>),
}

/// A client under test.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::transport::ClientTarget;
///
/// let program = ClientTarget::command("node dist/my-client.js --quiet");
/// assert_eq!(program.label(), "node dist/my-client.js --quiet");
///
/// let in_process = ClientTarget::future(|endpoint| async move {
///     println!("connect to {}", endpoint.url()?);
///     Ok(())
/// });
/// assert_eq!(in_process.label(), "in-process client");
/// ```
#[derive(Clone)]
pub struct ClientTarget {
    launch: Launch,
    label: Option<String>,
    transports: Vec<TransportKind>,
    server_program: Option<PathBuf>,
    /// What it finds where it looks for a browser.
    #[cfg(all(unix, feature = "suite"))]
    browser: Option<Arc<BrowserPrograms>>,
}

impl ClientTarget {
    /// A program: a shell runs the line with the URL of the server appended, or in the place of `{url}`.
    ///
    /// Over stdio it is the command that starts the server: appended, or in the place of `{server}`. Its program and its
    /// arguments also are `{server.command}` and `{server.args}`, and `{config}` is a file in the format of hosts
    /// (`{"mcpServers": …}`).
    ///
    /// The scenario and the revision are in its environment, as `MCP_CONFORMANCE_SCENARIO` and
    /// `MCP_CONFORMANCE_PROTOCOL_VERSION`, and in some scenarios `MCP_CONFORMANCE_CONTEXT` is.
    #[must_use]
    pub fn command(line: impl Into<String>) -> Self {
        Self::new(Launch::Command(line.into()))
    }

    /// A client in this process: a future, which fails with an error or a panic.
    ///
    /// Its [`Endpoint`] has the URL of the server, or a pipe to it if the client is run [over](ClientTarget::over) that.
    #[must_use]
    pub fn future<F, Fut>(run: F) -> Self
    where
        F: Fn(Endpoint) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = crate::Result> + 'static,
    {
        Self::new(Launch::Future(boxed(run)))
    }

    /// A client that somebody starts manually; the future prints the URL, and ends when the client is done.
    ///
    /// How such a client ends is not observed.
    #[must_use]
    pub fn manual<F, Fut>(wait: F) -> Self
    where
        F: Fn(Endpoint) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = crate::Result> + 'static,
    {
        Self::new(Launch::Manual(boxed(wait)))
    }

    /// Sets the transports by which the client can reach a server: HTTP by default; a future also
    /// [`TransportKind::Duplex`], a pipe in this process.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::transport::{ClientTarget, TransportKind};
    ///
    /// let client = ClientTarget::future(|endpoint| async move {
    ///     let stream = endpoint.duplex().await?;
    ///     // … one message per line, in both directions …
    ///     # drop(stream);
    ///     Ok(())
    /// });
    /// let client = client.over([TransportKind::Duplex]);
    /// assert_eq!(client.transports(), [TransportKind::Duplex]);
    /// ```
    #[must_use]
    pub fn over(mut self, transports: impl IntoIterator<Item = TransportKind>) -> Self {
        self.transports = transports.into_iter().collect();
        self
    }

    /// Sets the program that the client starts as its server over stdio: `mcp-test`, which relays to this process.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::transport::{ClientTarget, TransportKind};
    ///
    /// let client = ClientTarget::command("node dist/my-client.js --server {server}")
    ///     .over([TransportKind::Stdio])
    ///     .server_program("/usr/local/bin/mcp-test");
    /// assert_eq!(client.transports(), [TransportKind::Stdio]);
    /// ```
    #[must_use]
    pub fn server_program(mut self, mcp_test: impl Into<PathBuf>) -> Self {
        self.server_program = Some(mcp_test.into());
        self
    }

    /// Sets the programs that the client finds where it looks for a browser.
    #[cfg(all(unix, feature = "suite"))]
    #[doc(hidden)]
    pub fn browser(mut self, programs: BrowserPrograms) -> Self {
        self.browser = Some(Arc::new(programs));
        self
    }

    /// The program that the client starts as its server over stdio.
    #[cfg(all(unix, feature = "http"))]
    pub(crate) fn relay_program(&self) -> Option<&Path> {
        self.server_program.as_deref()
    }

    /// Checks the placeholders in the command line for a transport.
    ///
    /// # Errors
    ///
    /// [`PlaceholderError`] if one is misspelled, or stands for what another transport has.
    #[doc(hidden)]
    pub fn check_placeholders(&self, transport: TransportKind) -> Result<(), PlaceholderError> {
        match &self.launch {
            Launch::Command(line) => client_command::check(line, transport),
            Launch::Future(_) | Launch::Manual(_) => Ok(()),
        }
    }

    /// The transports by which the client can reach a server.
    #[must_use]
    pub fn transports(&self) -> Vec<TransportKind> {
        self.transports.clone()
    }

    fn new(launch: Launch) -> Self {
        // As the official suite does, with the URL of the server.
        Self {
            launch,
            label: None,
            transports: vec![TransportKind::Http],
            server_program: None,
            #[cfg(all(unix, feature = "suite"))]
            browser: None,
        }
    }

    /// Names the client in reports.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The name in reports: the one given, else the command line without its secrets, or how the client is started.
    #[must_use]
    pub fn label(&self) -> String {
        match (&self.label, &self.launch) {
            (Some(label), _) => label.clone(),
            (None, Launch::Command(line)) => redact_urls(line),
            (None, Launch::Future(_)) => "in-process client".to_owned(),
            (None, Launch::Manual(_)) => "manually started client".to_owned(),
        }
    }

    /// The command line for a server at `url`, if the client is a command.
    #[must_use]
    pub fn command_line(&self, url: &str) -> Option<String> {
        match &self.launch {
            Launch::Command(line) => Some(client_command::with_url(line, url)),
            Launch::Future(_) | Launch::Manual(_) => None,
        }
    }

    /// The command with the variables by which it finds what it starts as the browser.
    #[cfg(feature = "suite")]
    #[cfg_attr(
        not(all(unix, feature = "suite")),
        allow(clippy::unused_self, reason = "only the command line replaces every browser")
    )]
    fn with_browser(&self, command: Command, endpoint: &Endpoint) -> Command {
        let set = |command: Command, (name, value): (&str, String)| command.env(name, value);
        #[cfg(all(unix, feature = "suite"))]
        let command =
            self.browser.iter().flat_map(|browser| browser.environment()).fold(command, set);
        // Those of the scenario replace the others.
        endpoint.browser_variables().into_iter().fold(command, set)
    }

    /// Runs the client against a server; ends it, and everything it started, when its time is up.
    ///
    /// Must be called within a tokio runtime whose I/O is enabled.
    #[doc(hidden)]
    pub async fn run(&self, endpoint: Endpoint, allotted: Duration) -> ClientRun {
        self.run_starting(endpoint, allotted, None).await
    }

    /// Like [`ClientTarget::run`], for a client that starts its servers.
    #[doc(hidden)]
    pub async fn run_starting(
        &self,
        endpoint: Endpoint,
        allotted: Duration,
        servers: Option<&StartedServers>,
    ) -> ClientRun {
        match &self.launch {
            Launch::Future(run) => {
                let run = in_process(run(endpoint), allotted).await;
                if let Some(servers) = servers {
                    end_servers(servers, run.end != ClientEnd::TimedOut).await;
                }
                run
            }
            Launch::Manual(wait) => match in_process(wait(endpoint), allotted).await {
                ClientRun { end: ClientEnd::Succeeded, .. } => {
                    ClientRun { end: ClientEnd::Unobserved, ..ClientRun::default() }
                }
                // A failure is that of the code that waits, not of the client, and is reported as it is.
                run => run,
            },
            Launch::Command(line) => {
                let config = servers.map(StartedServers::config).unwrap_or_default();
                let line = match &endpoint.server {
                    ServerAddress::Url(url) => client_command::with_url(line, url),
                    ServerAddress::Command(server) => {
                        client_command::with_server(line, server, config)
                    }
                    ServerAddress::Duplex(_) => {
                        let why = "a command cannot use a pipe in the process of mcp-test";
                        return ClientRun::not_started(why.to_owned());
                    }
                };
                // Without secrets, since reports show it.
                let shown = Some(redact_urls(&line));
                let command = shell(line, &endpoint, config);
                #[cfg(feature = "suite")]
                let command = self.with_browser(command, &endpoint);
                let run = in_shell(command, allotted, servers).await;
                ClientRun { command: shown, ..run }
            }
        }
    }
}

fn boxed<F, Fut>(run: F) -> Arc<RunClient>
where
    F: Fn(Endpoint) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = crate::Result> + 'static,
{
    Arc::new(move |endpoint| -> LocalBoxFuture<'static, crate::Result> { Box::pin(run(endpoint)) })
}

async fn in_process(running: impl Future<Output = crate::Result>, allotted: Duration) -> ClientRun {
    // A panic of the client is its failure, not one of the harness that runs it.
    let running = AssertUnwindSafe(running).catch_unwind();
    let end = match clock::within(Deadline::after(allotted), running).await {
        Ok(Ok(Ok(()))) => ClientEnd::Succeeded,
        Ok(Ok(Err(error))) => ClientEnd::Failed(error.to_string()),
        Ok(Err(panic)) => ClientEnd::Failed(format!("it panicked: {}", panic_text(panic.as_ref()))),
        Err(_) => ClientEnd::TimedOut,
    };
    ClientRun { end, ..ClientRun::default() }
}

async fn in_shell(
    command: Command,
    allotted: Duration,
    servers: Option<&StartedServers>,
) -> ClientRun {
    let (stdout, stderr) = (CapturedOutput::default(), CapturedOutput::default());
    let mut child = match Child::spawn(&command, stderr.sink()) {
        Ok(child) => child,
        Err(error) => return ClientRun::not_started(error.to_string()),
    };
    // Read all the time: a full pipe would block the client.
    child.log_stdout(stdout.sink());
    let exit = clock::within(Deadline::after(allotted), child.wait_exit()).await.ok();
    if let Some(servers) = servers {
        end_servers(servers, exit.is_some()).await;
    }
    // Needed after its own exit as well: it may have left processes behind.
    let mut leftovers = child.end_patiently(EOF_GRACE, GRACE).await.leftovers;
    // A server that still runs has an input that another process holds, which is left behind and listed.
    leftovers.retain(|process| !servers.is_some_and(|servers| servers.contain(process)));
    #[cfg(all(unix, feature = "suite"))]
    leftovers.retain(|process| !asks_for_consent(process));
    let end = match exit {
        None => ClientEnd::TimedOut,
        Some(exit) if exit.is_success() => ClientEnd::Succeeded,
        Some(exit) => ClientEnd::Failed(exit.to_string()),
    };
    let (stdout, stderr) = (stdout.text(), stderr.text());
    ClientRun { end, command: None, exit, stdout, stderr, leftovers }
}

/// Waits for the exit of the servers if the client `has_ended`, and from then on it is us who end them.
async fn end_servers(servers: &StartedServers, has_ended: bool) {
    // They exit because their input has ended with the client; they are not left behind.
    if has_ended {
        servers.exited(Deadline::after(SERVER_EXITS)).await;
    }
    servers.end();
}

fn shell(line: String, endpoint: &Endpoint, config: &str) -> Command {
    // Through a shell, as the official suite starts its clients.
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let command = Command::new(shell)
        .args([option.to_owned(), line])
        .env(SCENARIO, &endpoint.scenario)
        .env(PROTOCOL_VERSION, endpoint.revision.as_str());
    let command = match &endpoint.server {
        ServerAddress::Command(server) => command
            .env(SERVER, server.to_string())
            .env(SERVER_COMMAND, &server.program)
            .env(SERVER_ARGS, client_command::arguments(server))
            .env(SERVER_CONFIG, config),
        _ => command,
    };
    match &endpoint.context {
        Some(context) => command.env(CONTEXT, context.to_string()),
        None => command,
    }
}

impl fmt::Debug for ClientTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTarget").field("label", &self.label()).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::process::Exit;
    use crate::spec::Revision;

    fn run(target: &ClientTarget, allotted: Duration) -> ClientRun {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let context = serde_json::json!({"name": "ping"}).into();
        let endpoint = Endpoint::new("http://127.0.0.1:1/mcp", "ping", Revision::V2025_11_25);
        runtime.expect("a runtime").block_on(target.run(endpoint.context(Some(context)), allotted))
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_program_gets_the_url_as_its_last_argument_and_the_rest_in_its_environment() {
        let script = r#"sh -c 'echo "$MCP_CONFORMANCE_SCENARIO $MCP_CONFORMANCE_PROTOCOL_VERSION $1"; echo "$MCP_CONFORMANCE_CONTEXT" >&2' x"#;
        let client = run(&ClientTarget::command(script), LONG);
        assert_eq!(client.end, ClientEnd::Succeeded, "{client:?}");
        assert_eq!(client.stdout, "ping 2025-11-25 http://127.0.0.1:1/mcp\n");
        assert_eq!(client.stderr, "{\"name\":\"ping\"}\n");
    }

    #[test]
    fn each_end_is_distinguished() {
        let end = |line: &str, allotted| run(&ClientTarget::command(line), allotted).end;
        assert_eq!(end("exit 3 #", LONG), ClientEnd::Failed("exit code 3".to_owned()));
        let timed_out = end("sleep 600 #", Duration::from_millis(50));
        assert_eq!(timed_out, ClientEnd::TimedOut);
        assert_eq!(run(&ClientTarget::command("no-such-client"), LONG).exit, Some(Exit::Code(127)));
    }

    #[cfg(all(target_os = "linux", feature = "auth", feature = "suite"))]
    #[test]
    fn what_asks_the_user_for_consent_is_not_left_behind() {
        let left = |url: &str| {
            let script = format!("tail -f /dev/null '{url}' & # ");
            run(&ClientTarget::command(script), LONG).leftovers.len()
        };
        assert_eq!(left("http://127.0.0.1:1/authorize?response_type=code"), 0);
        assert_eq!(left("http://127.0.0.1:1/mcp"), 1);
    }

    #[test]
    fn in_process_clients_end_in_the_same_ways() {
        let failing = ClientTarget::future(|endpoint| async move { Err(endpoint.url()?.into()) });
        let url = "http://127.0.0.1:1/mcp".to_owned();
        assert_eq!(run(&failing, LONG).end, ClientEnd::Failed(url));
        let panicking = ClientTarget::future(|_| async { panic!("no idea") });
        let expected = ClientEnd::Failed("it panicked: no idea".to_owned());
        assert_eq!(run(&panicking, LONG).end, expected);
        let waiting = ClientTarget::future(|_| std::future::pending());
        assert_eq!(run(&waiting, Duration::from_millis(1)).end, ClientEnd::TimedOut);
    }

    #[test]
    fn the_end_of_a_manual_client_is_not_observed() {
        let manual = ClientTarget::manual(|_| async { Ok(()) });
        assert_eq!(run(&manual, LONG).end, ClientEnd::Unobserved);
        let failing = ClientTarget::manual(|_| async { Err("nobody reads".into()) });
        assert_eq!(run(&failing, LONG).end, ClientEnd::Failed("nobody reads".to_owned()));
    }

    #[test]
    fn the_label_hides_the_secrets_of_a_command() {
        let target = ClientTarget::command("my-client --base https://me:pass@example.com/x");
        assert_eq!(target.label(), "my-client --base https://[secret]@example.com/x");
    }
}
