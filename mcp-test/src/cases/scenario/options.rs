//! How cases are played: which of them, with which values, and with what around them.

use crate::cases::hooks::{Commands, Given};
use crate::cases::{Case, Inputs};
use crate::json::Value;

/// How cases are played against a server.
///
/// ```
/// use mcp_test::cases::PlayOptions;
/// use mcp_test::cases::hooks::Commands;
///
/// let options = PlayOptions::default().input("token", "abc").commands(Commands::Allowed);
/// # drop(options);
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PlayOptions {
    /// The values of `_inputs`.
    pub inputs: Inputs,
    /// Only cases with one of these tags, if there are any.
    pub tags: Vec<String>,
    /// No cases with one of these tags.
    pub skip_tags: Vec<String>,
    /// Only these are going to be played, by their ids, if there are any: what others need does not matter.
    pub cases: Vec<String>,
    /// Certain revisions are asked for: then a case is not held to the revision that other cases of its file name.
    pub asked_revisions: bool,
    /// Whether the commands of `_before` and `_after` may be run.
    pub commands: Commands,
    /// Who brings the states of `_given` about.
    pub given: Option<Given>,
}

impl PlayOptions {
    /// Gives a name of `_inputs` its value.
    #[must_use]
    pub fn input(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.inputs(|inputs| inputs.value(name, value))
    }

    /// Changes what is given for `_inputs`.
    #[must_use]
    pub fn inputs(mut self, change: impl FnOnce(Inputs) -> Inputs) -> Self {
        self.inputs = change(std::mem::take(&mut self.inputs));
        self
    }

    /// Says whether the commands of `_before` and `_after` may be run.
    #[must_use]
    pub fn commands(mut self, commands: Commands) -> Self {
        self.commands = commands;
        self
    }

    /// Says who brings the states of `_given` about.
    #[must_use]
    pub fn given(mut self, given: Given) -> Self {
        self.given = Some(given);
        self
    }

    /// Whether a case has the tags that are asked for. While one of the cases says `_only`, the others are not played.
    pub(super) fn selects(&self, case: &Case, only: bool) -> bool {
        let has = |tags: &[String]| tags.iter().any(|tag| case.settings.tags.contains(tag));
        (!only || case.settings.only)
            && (self.tags.is_empty() || has(&self.tags))
            && !has(&self.skip_tags)
    }
}
