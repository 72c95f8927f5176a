//! Commands around a case: `_before` and `_after`, and the states of `_given`.
//!
//! | file | what it knows |
//! |---|---|
//! | `permit` | whether commands of files may be run at all |
//! | `given` | who brings the states of `_given` about |
//! | `run` | one command: its start, when it is ready, its end, and its last words |
//!
//! # The order
//!
//! 1. The commands of `_before`, one after the other, each when the one before is ready.
//! 2. The states of `_given`, set up in order.
//! 3. The case.
//! 4. The states, torn down in reverse order.
//! 5. The commands of `_after`, all of them, whatever came of the others.
//! 6. What still runs of `_before` is ended, the last one first, with all descendants.
//!
//! When one of the first two steps fails, the last three follow at once. What is [`Running`] and dropped, as on a signal, is
//! killed: `_after` is not run then.
//!
//! # What a command finds
//!
//! It is started in the directory of its file, with the variables `MCP_TEST_CASE` (the id of the case), `MCP_TEST_CASE_FILE`
//! and for each input `MCP_TEST_INPUT_<NAME>`. No shell reads it.

mod given;
mod permit;
mod run;
#[cfg(all(test, unix))]
mod tests;

use std::sync::Arc;
use std::time::Duration;

pub use self::given::{Given, Phase};
pub use self::permit::{Commands, CommandsRefused, Permit, permit};
use self::run::{Started, Task};
use super::{Case, CaseFile, Hook, Values};
use crate::check::Finding;
use crate::clock::Deadline;
use crate::process::Command;

/// How long a command may take that does not say so itself.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What is to happen before and after a case.
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
}

/// What `_before` has started. Dropping it kills that; [`Running::after`] is the friendly way.
#[derive(Debug)]
#[must_use = "what follows the case is run by `after`"]
pub struct Running {
    hooks: Hooks,
    /// Commands, in the order in which they were started.
    started: Vec<Started>,
    /// How many states have been set up, or at least tried.
    set_up: usize,
}

/// Whether something is to happen before or after a case, so that it must not be played beside others.
#[must_use]
pub fn has_hooks(case: &Case) -> bool {
    let settings = &case.settings;
    !(settings.before.is_empty() && settings.after.is_empty() && settings.given.is_empty())
}

impl Hooks {
    /// The hooks of a case, the last one of `chain`, and of those that it goes on from.
    #[must_use]
    pub fn new(_: Permit, file: Arc<CaseFile>, chain: Vec<Arc<Case>>) -> Self {
        Self { file, chain, given: None, values: Values::default() }
    }

    /// Who brings the states of `_given` about.
    #[must_use]
    pub fn given(mut self, given: Option<Given>) -> Self {
        self.given = given;
        self
    }

    /// What is known before the case: the commands find it in their environment, and nothing shows what is secret in it.
    #[must_use]
    pub fn values(mut self, values: Values) -> Self {
        self.values = values;
        self
    }

    /// The first state that nobody brings about, because no [`Given`] was named.
    #[must_use]
    pub fn unattended(&self) -> Option<&str> {
        let mut states = self.chain.iter().flat_map(|case| &case.settings.given);
        states.next().filter(|_| self.given.is_none()).map(|state| state.name.as_str())
    }

    /// Does what comes before the case.
    ///
    /// # Errors
    /// A finding that shows the command, where it stands, how it exited and its last lines. What had been started is ended,
    /// and what follows a case is done.
    pub async fn before(self, deadline: Deadline) -> Result<Running, Finding> {
        let mut running = Running { hooks: self, started: Vec::new(), set_up: 0 };
        match running.set_up(deadline).await {
            Ok(()) => Ok(running),
            Err(finding) => {
                // What went wrong first is what counts.
                let _ = running.after(Deadline::after(PATIENCE)).await;
                Err(finding)
            }
        }
    }

    fn task<'a>(&'a self, key: &'static str, case: &'a Case, hook: &'a Hook) -> Task<'a> {
        let allotted = hook.timeout.unwrap_or(PATIENCE);
        let (ready, span) = (hook.ready.as_ref(), hook.span);
        Task {
            file: &self.file,
            case,
            what: format!("`{key}`"),
            span,
            ready,
            allotted,
            values: &self.values,
        }
    }

    /// The command of a hook, as it is started.
    fn command(&self, case: &Case, hook: &Hook) -> Command {
        let mut words = hook.run.iter();
        let program = words.next().map_or("", String::as_str);
        let command = self.environment(case, Command::new(program).args(words));
        let directory = std::path::Path::new(&self.file.path).parent().map(ToOwned::to_owned);
        let directory = directory.unwrap_or_default().join(hook.cwd.as_deref().unwrap_or_default());
        let command =
            hook.env.iter().fold(command, |command, (name, value)| command.env(name, value));
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
                let task = hooks.task("_before", case, hook);
                self.started.push(task.start(&hooks.command(case, hook), deadline).await?);
            }
        }
        for (case, state) in hooks.states() {
            self.set_up += 1;
            hooks.change(case, state, Phase::Setup, deadline).await?;
        }
        Ok(())
    }

    /// Does what comes after the case, whatever came of it, and ends what `_before` started.
    ///
    /// # Errors
    /// The first finding; the rest is done nevertheless.
    pub async fn after(mut self, deadline: Deadline) -> Result<(), Finding> {
        let mut outcome = Ok(());
        let hooks = &self.hooks;
        let states: Vec<_> = hooks.states().take(self.set_up).collect();
        for (case, state) in states.into_iter().rev() {
            outcome = outcome.and(hooks.change(case, state, Phase::Teardown, deadline).await);
        }
        for case in hooks.chain.iter().rev() {
            for hook in &case.settings.after {
                let task = hooks.task("_after", case, hook);
                match task.start(&hooks.command(case, hook), deadline).await {
                    Ok(started) => self.started.push(started),
                    Err(finding) => outcome = outcome.and(Err(finding)),
                }
            }
        }
        while let Some(started) = self.started.pop() {
            started.end().await;
        }
        outcome
    }
}
