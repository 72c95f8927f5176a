//! A client under test, and how it is sent to a server: a command that gets the URL, or a future of this process.
//!
//! What it says is recorded by the server that it visits. Here is only known how it is started, what it prints, and how
//! it leaves; nothing of it is left behind.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;

use super::target::shown;
use crate::clock::{self, Deadline};
use crate::expect::words::panic_text;
use crate::json::Value;
use crate::process::{Child, Command, Exit};
use crate::spec::Revision;

/// How long a client may take to end when it is asked to, and again before it is killed.
const GRACE: Duration = Duration::from_secs(1);
/// How much is kept of each stream that a client prints to.
const PRINTED: usize = 1024 * 1024;

/// The variable that names the scenario to a client.
pub const SCENARIO: &str = "MCP_CONFORMANCE_SCENARIO";
/// The variable that names the revision to a client.
pub const PROTOCOL_VERSION: &str = "MCP_CONFORMANCE_PROTOCOL_VERSION";
/// The variable that holds what else a client has to know, as a JSON object.
pub const CONTEXT: &str = "MCP_CONFORMANCE_CONTEXT";

/// Where a client is sent, and what it is told.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Endpoint {
    /// The URL of the server.
    pub url: String,
    /// The id of the scenario.
    pub scenario: String,
    /// The revision that the scenario is about.
    pub revision: Revision,
    /// What else the client has to know, such as credentials: a JSON object.
    pub context: Option<Value>,
}

impl Endpoint {
    /// A server at `url`, for a scenario at a revision.
    #[must_use]
    pub fn new(url: impl Into<String>, scenario: impl Into<String>, revision: Revision) -> Self {
        Self { url: url.into(), scenario: scenario.into(), revision, context: None }
    }

    /// Adds what else the client has to know.
    #[must_use]
    pub fn context(mut self, context: Option<Value>) -> Self {
        self.context = context;
        self
    }
}

type Visiting = dyn Fn(Endpoint) -> Pin<Box<dyn Future<Output = crate::Result>>> + Send + Sync;

#[derive(Clone)]
enum Way {
    /// A command line for the shell, to which the URL is added.
    Command(String),
    /// Code of this process.
    Future(Arc<Visiting>),
    /// Somebody else starts it; code of this process waits until that is said to be over.
    ByHand(Arc<Visiting>),
}

/// A client under test.
///
/// ```
/// use mcp_test::transport::ClientTarget;
///
/// let program = ClientTarget::command("node dist/my-client.js --quiet");
/// assert_eq!(program.label(), "node dist/my-client.js --quiet");
///
/// let in_process = ClientTarget::future(|endpoint| async move {
///     println!("connect to {}", endpoint.url);
///     Ok(())
/// });
/// assert_eq!(in_process.label(), "in-process client");
/// ```
#[derive(Clone)]
pub struct ClientTarget {
    way: Way,
    label: Option<String>,
}

/// How a client left, and what it printed.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Left {
    /// How.
    pub leaving: Leaving,
    /// The command line, if it was one.
    pub command: Option<String>,
    /// How its process exited, if it was one that exited by itself.
    pub exit: Option<Exit>,
    /// What it printed on stdout.
    pub stdout: String,
    /// What it printed on stderr.
    pub stderr: String,
}

/// The ways to leave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Leaving {
    /// By itself, and content.
    #[default]
    Content,
    /// By itself, with an error: an exit code, or what the future says.
    Failed(String),
    /// It did not: it was still there when its time was over, and was ended.
    Outstayed,
    /// It never came: it could not be started.
    NotStarted(String),
    /// Nobody saw: it was started by hand.
    Unseen,
}

impl ClientTarget {
    /// A program: the line goes to a shell, with the URL of the server as last word.
    ///
    /// The scenario and the revision are in its environment, as [`SCENARIO`] and [`PROTOCOL_VERSION`], and in some
    /// scenarios [`CONTEXT`] is.
    #[must_use]
    pub fn command(line: impl Into<String>) -> Self {
        Self { way: Way::Command(line.into()), label: None }
    }

    /// A client in this process; it has left when the future ends, and failed if that is an error or a panic.
    #[must_use]
    pub fn future<F, Fut>(visit: F) -> Self
    where
        F: Fn(Endpoint) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = crate::Result> + 'static,
    {
        Self { way: Way::Future(visiting(visit)), label: None }
    }

    /// A client that somebody starts by hand; the future tells where to, and ends when that is over.
    ///
    /// How such a client leaves is not seen.
    #[must_use]
    pub fn by_hand<F, Fut>(wait: F) -> Self
    where
        F: Fn(Endpoint) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = crate::Result> + 'static,
    {
        Self { way: Way::ByHand(visiting(wait)), label: None }
    }

    /// Gives the client a name for reports.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// What reports call it: the name given, else the command line without its secrets, `in-process client`, or that it is started
    /// by hand.
    #[must_use]
    pub fn label(&self) -> String {
        match (&self.label, &self.way) {
            (Some(label), _) => label.clone(),
            (None, Way::Command(line)) => shown(line),
            (None, Way::Future(_)) => "in-process client".to_owned(),
            (None, Way::ByHand(_)) => "a client that is started by hand".to_owned(),
        }
    }

    /// What is executed for a server at `url`, if it is a command.
    #[must_use]
    pub fn command_line(&self, url: &str) -> Option<String> {
        match &self.way {
            Way::Command(line) => {
                let words = line.split(' ').filter(|word| !word.is_empty()).chain([url]);
                Some(words.collect::<Vec<_>>().join(" "))
            }
            Way::Future(_) | Way::ByHand(_) => None,
        }
    }

    /// Sends the client to a server, waits until it leaves, and ends it and all that it started when its time is over.
    ///
    /// Must be called within a tokio runtime whose I/O is enabled.
    pub async fn visit(&self, endpoint: Endpoint, allotted: Duration) -> Left {
        match &self.way {
            Way::Future(visit) => in_process(visit(endpoint), allotted).await,
            Way::ByHand(wait) => match in_process(wait(endpoint), allotted).await {
                Left { leaving: Leaving::Content, .. } => {
                    Left { leaving: Leaving::Unseen, ..Left::default() }
                }
                left => left,
            },
            Way::Command(_) => {
                let line = self.command_line(&endpoint.url).unwrap_or_default();
                let command = Some(shown(&line));
                let left = as_a_program(shell(line, &endpoint), allotted).await;
                Left { command, ..left }
            }
        }
    }
}

fn visiting<F, Fut>(visit: F) -> Arc<Visiting>
where
    F: Fn(Endpoint) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = crate::Result> + 'static,
{
    Arc::new(move |endpoint| -> Pin<Box<dyn Future<Output = crate::Result>>> {
        Box::pin(visit(endpoint))
    })
}

async fn in_process(visiting: impl Future<Output = crate::Result>, allotted: Duration) -> Left {
    let visiting = AssertUnwindSafe(visiting).catch_unwind();
    let leaving = match clock::within(Deadline::after(allotted), visiting).await {
        Ok(Ok(Ok(()))) => Leaving::Content,
        Ok(Ok(Err(error))) => Leaving::Failed(error.to_string()),
        Ok(Err(panic)) => Leaving::Failed(format!("it panicked: {}", panic_text(panic.as_ref()))),
        Err(_) => Leaving::Outstayed,
    };
    Left { leaving, ..Left::default() }
}

async fn as_a_program(command: Command, allotted: Duration) -> Left {
    let (stdout, stderr) = (Printed::default(), Printed::default());
    let mut child = match Child::spawn(&command, stderr.sink()) {
        Ok(child) => child,
        Err(error) => {
            return Left { leaving: Leaving::NotStarted(error.to_string()), ..Left::default() };
        }
    };
    child.log_stdout(stdout.sink());
    let exit = clock::within(Deadline::after(allotted), child.wait_exit()).await.ok();
    child.end(GRACE).await;
    let leaving = match exit {
        None => Leaving::Outstayed,
        Some(exit) if exit.is_success() => Leaving::Content,
        Some(exit) => Leaving::Failed(exit.to_string()),
    };
    Left { leaving, command: None, exit, stdout: stdout.text(), stderr: stderr.text() }
}

fn shell(line: String, endpoint: &Endpoint) -> Command {
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let command = Command::new(shell)
        .args([option.to_owned(), line])
        .env(SCENARIO, &endpoint.scenario)
        .env(PROTOCOL_VERSION, endpoint.revision.as_str());
    match &endpoint.context {
        Some(context) => command.env(CONTEXT, context.to_string()),
        None => command,
    }
}

/// What a program prints on one stream, up to a limit; copies are the same.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<(String, usize)>>);

impl Printed {
    fn sink(&self) -> impl FnMut(String) + Send + 'static {
        let printed = self.clone();
        move |line| {
            let mut kept = printed.0.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.0.len() + line.len() < PRINTED {
                kept.0.push_str(&line);
                kept.0.push('\n');
            } else {
                kept.1 += 1;
            }
        }
    }

    fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.1 {
            0 => kept.0.clone(),
            lines => format!("{}… and {lines} more lines\n", kept.0),
        }
    }
}

impl fmt::Debug for ClientTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTarget").field("label", &self.label()).finish_non_exhaustive()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn visit(target: &ClientTarget, allotted: Duration) -> Left {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let context = serde_json::json!({"name": "ping"}).into();
        let endpoint = Endpoint::new("http://127.0.0.1:1/mcp", "ping", Revision::V2025_11_25);
        runtime
            .expect("a runtime")
            .block_on(target.visit(endpoint.context(Some(context)), allotted))
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_program_gets_the_url_last_and_the_rest_in_its_environment() {
        let script = r#"sh -c 'echo "$MCP_CONFORMANCE_SCENARIO $MCP_CONFORMANCE_PROTOCOL_VERSION $1"; echo "$MCP_CONFORMANCE_CONTEXT" >&2' x"#;
        let left = visit(&ClientTarget::command(script), LONG);
        assert_eq!(left.leaving, Leaving::Content, "{left:?}");
        assert_eq!(left.stdout, "ping 2025-11-25 http://127.0.0.1:1/mcp\n");
        assert_eq!(left.stderr, "{\"name\":\"ping\"}\n");
    }

    #[test]
    fn each_way_to_leave_is_told_apart() {
        let leaving = |line: &str, allotted| visit(&ClientTarget::command(line), allotted).leaving;
        assert_eq!(leaving("exit 3 #", LONG), Leaving::Failed("exit code 3".to_owned()));
        let outstayed = leaving("sleep 600 #", Duration::from_millis(50));
        assert_eq!(outstayed, Leaving::Outstayed);
        assert_eq!(
            visit(&ClientTarget::command("no-such-client"), LONG).exit,
            Some(Exit::Code(127))
        );
    }

    #[test]
    fn a_client_of_this_process_is_watched_in_the_same_way() {
        let failing = ClientTarget::future(|endpoint| async move { Err(endpoint.url.into()) });
        let url = "http://127.0.0.1:1/mcp".to_owned();
        assert_eq!(visit(&failing, LONG).leaving, Leaving::Failed(url));
        let panicking = ClientTarget::future(|_| async { panic!("no idea") });
        let told = Leaving::Failed("it panicked: no idea".to_owned());
        assert_eq!(visit(&panicking, LONG).leaving, told);
        let waiting = ClientTarget::future(|_| std::future::pending());
        assert_eq!(visit(&waiting, Duration::from_millis(1)).leaving, Leaving::Outstayed);
    }

    #[test]
    fn how_a_client_leaves_that_is_started_by_hand_is_not_seen() {
        let by_hand = ClientTarget::by_hand(|_| async { Ok(()) });
        assert_eq!(visit(&by_hand, LONG).leaving, Leaving::Unseen);
        let unprinted = ClientTarget::by_hand(|_| async { Err("nobody reads".into()) });
        assert_eq!(visit(&unprinted, LONG).leaving, Leaving::Failed("nobody reads".to_owned()));
    }

    #[test]
    fn what_is_printed_is_bounded() {
        let printed = Printed::default();
        let mut sink = printed.sink();
        sink("x".repeat(PRINTED - 10));
        sink("y".repeat(20));
        assert!(printed.text().ends_with("x\n… and 1 more lines\n"));
    }

    #[test]
    fn the_label_hides_the_secrets_of_a_command() {
        let target = ClientTarget::command("my-client --base https://me:pass@example.com/x");
        assert_eq!(target.label(), "my-client --base https://[secret]@example.com/x");
    }
}
