//! Who brings the states of `_given` about: a command that the user names, or a function.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use super::super::{Case, State, expand};
use super::run::Task;
use super::{Hooks, PATIENCE};
use crate::check::Finding;
use crate::clock::{Deadline, in_words, within};
use crate::process::Command;

/// What is asked for: that a state be there, or no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The case is about to be played.
    Setup,
    /// The case has been played.
    Teardown,
}

impl Phase {
    /// The word that a command gets: `setup` or `teardown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Teardown => "teardown",
        }
    }
}

type Change = Pin<Box<dyn Future<Output = crate::Result> + Send>>;
type Changing = dyn Fn(State, Phase) -> Change + Send + Sync;

/// Brings the server into the states that cases name in `_given`.
#[derive(Clone)]
pub enum Given {
    /// This command, with `setup` or `teardown` and the name of the state as further arguments, and its parameters as JSON on
    /// stdin. It has to exit with 0.
    Command(Command),
    /// This function; see [`Given::call`].
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
    ///         ("a user named Ada", Phase::Setup) => Ok(()), // … put her into the database …
    ///         ("a user named Ada", Phase::Teardown) => Ok(()),
    ///         (other, _) => Err(format!("there is no state `{other}`").into()),
    ///     }
    /// });
    /// ```
    pub fn call<F, R>(function: F) -> Self
    where
        F: Fn(State, Phase) -> R + Send + Sync + 'static,
        R: Future<Output = crate::Result> + Send + 'static,
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

    /// Asks for a state, or for its end.
    pub(super) async fn change(
        &self,
        case: &Case,
        state: &State,
        phase: Phase,
        deadline: Deadline,
    ) -> Result<(), Finding> {
        let what = format!("{} of `{}`", phase.as_str(), state.name);
        let task = Task {
            file: &self.file,
            case,
            what,
            span: state.span,
            ready: None,
            allotted: PATIENCE,
            values: &self.values,
        };
        let params =
            expand(&state.params, &self.values).map_err(|error| task.failed(error.to_string()))?;
        match &self.given {
            None => Err(task
                .failed("nobody brings the states of `_given` about".to_owned())
                .hint("name a command, `--given-command COMMAND`, or in Rust a function, `given`")),
            Some(Given::Command(command)) => {
                let command = command.clone().arg(phase.as_str()).arg(&state.name);
                let command = self.environment(case, command);
                let mut text = params.to_string();
                text.push('\n');
                task.run(&command, text, deadline).await
            }
            Some(Given::Function(function)) => {
                let state = State { params, ..state.clone() };
                let deadline = deadline.min(Deadline::after(PATIENCE));
                match within(deadline, function(state, phase)).await {
                    Ok(Ok(())) => Ok(()),
                    Ok(Err(error)) => Err(task.failed(error.to_string())),
                    Err(elapsed) => Err(task
                        .failed(format!("it was not done within {}", in_words(elapsed.allotted)))),
                }
            }
        }
    }
}
