//! Sets up the states of `_given`, with a command of the user or a function.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use mcp_test_core::check::Finding;
use mcp_test_core::clock::{Deadline, format_duration, within};
use mcp_test_core::process::Command;

use super::run::Task;
use super::{Hooks, TIMEOUT};
use crate::cases::{Case, State, expand};

/// Whether a state is set up or torn down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before the case.
    Setup,
    /// After the case.
    Teardown,
}

impl Phase {
    /// The argument of the command: `setup` or `teardown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Teardown => "teardown",
        }
    }
}

type Change = Pin<Box<dyn Future<Output = mcp_test_core::Result> + Send>>;
type Changing = dyn Fn(State, Phase) -> Change + Send + Sync;

/// Sets up the states that cases name in `_given`.
#[derive(Clone)]
pub enum Given {
    /// This command, with `setup` or `teardown` and the name of the state as further arguments, and its parameters as JSON on
    /// stdin. It must exit with 0.
    Command(Command),
    /// A function; see [`Given::call`].
    Function(Arc<Changing>),
}

impl Given {
    /// A function that is called with each state before and after its case.
    ///
    /// ```
    /// use mcp_test::cases::hooks::{Given, Phase};
    ///
    /// let given = Given::call(|state, phase| async move {
    ///     match (state.name.as_str(), phase) {
    ///         ("a user named Ada", Phase::Setup) => Ok(()), // … insert her into the database …
    ///         ("a user named Ada", Phase::Teardown) => Ok(()),
    ///         (other, _) => Err(format!("no such state: `{other}`").into()),
    ///     }
    /// });
    /// ```
    pub fn call<F, R>(function: F) -> Self
    where
        F: Fn(State, Phase) -> R + Send + Sync + 'static,
        R: Future<Output = mcp_test_core::Result> + Send + 'static,
    {
        Self::Function(Arc::new(move |state, phase| Box::pin(function(state, phase))))
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => f.debug_tuple("Command").field(command).finish(),
            Self::Function(_) => f.write_str("Function"),
        }
    }
}

impl Hooks {
    pub(super) fn states(&self) -> impl DoubleEndedIterator<Item = (&Case, &State)> {
        self.chain.iter().flat_map(|case| case.settings.given.iter().map(move |it| (&**case, it)))
    }

    /// Sets up a state, or tears it down.
    pub(super) async fn change(
        &self,
        case: &Case,
        state: &State,
        phase: Phase,
        deadline: Deadline,
    ) -> Result<(), Finding> {
        let label = format!("{} of `{}`", phase.as_str(), state.name);
        let task = Task {
            file: &self.file,
            case,
            label,
            span: state.span,
            ready: None,
            ports: Vec::new(),
            allotted: TIMEOUT,
            values: &self.values,
        };
        let params =
            expand(&state.params, &self.values).map_err(|error| task.failed(error.to_string()))?;
        match &self.given {
            // `Hooks::unsupported_state` lets callers skip the case instead.
            None => Err(task
                .failed(
                    "neither a command nor a function sets up the states of `_given`".to_owned(),
                )
                .hint("use `--given-command COMMAND`, or in Rust `given`")),
            Some(Given::Command(command)) => {
                let command = command.clone().arg(phase.as_str()).arg(&state.name);
                let command = self.environment(case, command);
                // The newline is for shells: `read` fails at the end of input without one.
                task.run(&command, format!("{params}\n"), deadline).await
            }
            Some(Given::Function(function)) => {
                let state = State { params, ..state.clone() };
                // `Task::run` bounds a command; a function is bounded here.
                let deadline = deadline.min(Deadline::after(TIMEOUT));
                match within(deadline, function(state, phase)).await {
                    Ok(Ok(())) => Ok(()),
                    Ok(Err(error)) => Err(task.failed(error.to_string())),
                    Err(elapsed) => Err(task.failed(format!(
                        "it did not finish within {}",
                        format_duration(elapsed.allotted)
                    ))),
                }
            }
        }
    }
}
