//! Commands around a case: `_before` and `_after`, and the states of `_given`.
//!
//! | file | contents |
//! |---|---|
//! | `permit` | whether commands of files may be run |
//! | `given` | sets up the states of `_given` |
//! | `run` | one command: start, readiness, end, last lines |
//!
//! # The order
//!
//! 1. The commands of `_before`, one after the other, each when the previous one is ready.
//! 2. The states of `_given`, set up in order.
//! 3. The case.
//! 4. The states, torn down in reverse order.
//! 5. The commands of `_after`, all of them, even if others failed.
//! 6. The commands that still run are stopped, the last one first, with all descendants.
//!
//! When one of the first two steps fails, the last three follow immediately. When [`Running`] is dropped, as on a signal, the
//! commands are killed, and `_after` is not run.
//!
//! # A server without `ready`
//!
//! A command of `_before` without `ready` has to exit with 0, unless it opens a port: that of the server under test, or the one in its
//! arguments ([`Hook::port`]). Then it is a server, which keeps running. What it prints does not make it one, since a command that
//! fills a database may report its progress.
//!
//! # The environment of a command
//!
//! It is started in the directory of its file, with the variables `MCP_TEST_CASE` (the id of the case), `MCP_TEST_CASE_FILE`
//! and for each input `MCP_TEST_INPUT_<NAME>`. It is not run by a shell.

mod given;
mod permit;
mod run;
#[cfg(all(test, unix))]
mod tests;

pub use self::given::{Given, Phase};
pub use self::permit::{Commands, CommandsRefused, Permit, permit};

use std::sync::Arc;
use std::time::Duration;

use mcp_test_core::check::Finding;
use mcp_test_core::clock::Deadline;
use mcp_test_core::process::{Child, Command};

use self::run::{GRACE, Task};
use super::{Case, CaseFile, Hook, Values};

/// The time limit of a command that has none of its own.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// The commands and states around a case.
///
/// ```no_run
/// # use mcp_test::{cases::{Case, CaseFile, Values, hooks}, clock::Deadline};
/// # use std::sync::Arc;
/// # async fn play() {}
/// # async fn f(permit: hooks::Permit, file: Arc<CaseFile>, chain: Vec<Arc<Case>>) -> Result<(), Box<dyn std::error::Error>> {
/// let hooks = hooks::Hooks::new(permit, file, chain).values(Values::default());
/// let running = hooks.before(Deadline::never()).await?;
/// play().await;
/// running.after(Deadline::never()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Hooks {
    file: Arc<CaseFile>,
    chain: Vec<Arc<Case>>,
    given: Option<Given>,
    values: Values,
    server: Option<String>,
}

/// The commands that `_before` has started. [`Running::after`] stops them; dropping this kills them.
#[derive(Debug)]
#[must_use = "`after` runs what follows the case"]
pub struct Running {
    hooks: Hooks,
    /// In the order of their start.
    started: Vec<Child>,
    /// How many states have been set up, including a failed attempt.
    set_up: usize,
}

/// Whether a case has hooks, so that it must not run in parallel with others.
#[must_use]
pub fn has_hooks(case: &Case) -> bool {
    let settings = &case.settings;
    !(settings.before.is_empty() && settings.after.is_empty() && settings.given.is_empty())
}

impl Hooks {
    /// The hooks of a case, the last one of `chain`, and of those that it continues.
    #[must_use]
    pub fn new(_: Permit, file: Arc<CaseFile>, chain: Vec<Arc<Case>>) -> Self {
        Self { file, chain, given: None, values: Values::default(), server: None }
    }

    /// The host and port of the server under test, by which a command that starts it is recognized.
    #[must_use]
    pub fn server(mut self, authority: Option<String>) -> Self {
        self.server = authority;
        self
    }

    /// Sets up the states of `_given`.
    #[must_use]
    pub fn given(mut self, given: Option<Given>) -> Self {
        self.given = given;
        self
    }

    /// The values of inputs: the commands have them in their environment, and secrets are masked in findings.
    #[must_use]
    pub fn values(mut self, values: Values) -> Self {
        self.values = values;
        self
    }

    /// The first state that cannot be set up, because there is no [`Given`].
    #[must_use]
    pub fn unsupported_state(&self) -> Option<&str> {
        let mut states = self.chain.iter().flat_map(|case| &case.settings.given);
        states.next().filter(|_| self.given.is_none()).map(|state| state.name.as_str())
    }

    /// Runs what precedes the case.
    ///
    /// # Errors
    /// A finding with the command, its place, its exit and its last lines. What follows the case has been run then, and the
    /// commands have been stopped.
    pub async fn before(self, deadline: Deadline) -> Result<Running, Finding> {
        let mut running = Running { hooks: self, started: Vec::new(), set_up: 0 };
        match running.set_up(deadline).await {
            Ok(()) => Ok(running),
            Err(finding) => {
                // The first failure is the cause; those of the cleanup may only follow from it.
                // A deadline of its own: that of the case may have elapsed, and the cleanup has to run nevertheless.
                let _ = running.after(Deadline::after(TIMEOUT)).await;
                Err(finding)
            }
        }
    }

    fn task<'a>(&'a self, key: &'static str, case: &'a Case, hook: &'a Hook) -> Task<'a> {
        let allotted = hook.timeout.unwrap_or(TIMEOUT);
        Task {
            file: &self.file,
            case,
            label: format!("`{key}`"),
            span: hook.span,
            ready: hook.ready.as_ref(),
            ports: Vec::new(),
            allotted,
            values: &self.values,
        }
    }

    /// The places where a command listens if it is a server: that of the server under test, and the port in its arguments.
    fn ports(&self, hook: &Hook) -> Vec<String> {
        // Not `localhost`, which may mean only one of the two.
        let named = |port: u16| [format!("127.0.0.1:{port}"), format!("[::1]:{port}")];
        self.server.iter().cloned().chain(hook.port().into_iter().flat_map(named)).collect()
    }

    /// The command of a hook with its directory and environment.
    fn command(&self, case: &Case, hook: &Hook) -> Command {
        let mut words = hook.run.iter();
        // The reader accepts no empty command; without a program, the start fails.
        let program = words.next().map_or("", String::as_str);
        let command = self.environment(case, Command::new(program).args(words));
        let directory = std::path::Path::new(&self.file.path).parent().map(ToOwned::to_owned);
        let directory = directory.unwrap_or_default().join(hook.cwd.as_deref().unwrap_or_default());
        // After the variables of every command, so that the case can override them.
        let command =
            hook.env.iter().fold(command, |command, (name, value)| command.env(name, value));
        // A process cannot be started in a directory with an empty path.
        if directory.as_os_str().is_empty() { command } else { command.cwd(directory) }
    }

    fn environment(&self, case: &Case, command: Command) -> Command {
        let command =
            command.env("MCP_TEST_CASE", &case.id).env("MCP_TEST_CASE_FILE", &self.file.path);
        self.values.variables().fold(command, |command, (name, text)| command.env(name, text))
    }
}

impl Running {
    async fn set_up(&mut self, deadline: Deadline) -> Result<(), Finding> {
        let hooks = self.hooks.clone();
        for case in &hooks.chain {
            for hook in &case.settings.before {
                let task = Task { ports: hooks.ports(hook), ..hooks.task("_before", case, hook) };
                self.started.push(task.start(&hooks.command(case, hook), deadline).await?);
            }
        }
        for (case, state) in hooks.states() {
            // Counted first: what a failed attempt has changed is torn down, too.
            self.set_up += 1;
            hooks.change(case, state, Phase::Setup, deadline).await?;
        }
        Ok(())
    }

    /// Runs what follows the case, even if it failed, and stops the commands.
    ///
    /// # Errors
    /// The first finding; everything else is run nevertheless.
    pub async fn after(mut self, deadline: Deadline) -> Result<(), Finding> {
        let mut outcome = Ok(());
        let hooks = &self.hooks;
        let states: Vec<_> = hooks.states().take(self.set_up).collect();
        for (case, state) in states.into_iter().rev() {
            outcome = outcome.and(hooks.change(case, state, Phase::Teardown, deadline).await);
        }
        // The last case first, as it may have built on those before it; each has its own commands in their order.
        for case in hooks.chain.iter().rev() {
            for hook in &case.settings.after {
                let task = hooks.task("_after", case, hook);
                match task.start(&hooks.command(case, hook), deadline).await {
                    Ok(started) => self.started.push(started),
                    Err(finding) => outcome = outcome.and(Err(finding)),
                }
            }
        }
        // After `_after`, whose commands may still need those of `_before`.
        while let Some(mut started) = self.started.pop() {
            started.stop(GRACE).await;
        }
        outcome
    }
}
