//! How cases are played: which ones, with which values, and with which hooks.

use mcp_test_core::json::Value;

use crate::cases::hooks::{Commands, Given};
use crate::cases::{Case, Inputs};

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
    /// Only cases with one of these tags, if any are given.
    pub tags: Vec<String>,
    /// No cases with one of these tags.
    pub skip_tags: Vec<String>,
    /// The ids of the only cases to play, if any are given: the needs of others do not matter.
    pub cases: Vec<String>,
    /// Whether the user chose revisions: then a case is not limited to the revision that other cases of its file name.
    pub asked_revisions: bool,
    /// Whether the commands of `_before` and `_after` may be run.
    pub commands: Commands,
    /// Handles the states of `_given`.
    pub given: Option<Given>,
}

impl PlayOptions {
    /// Sets the value of an input (`_inputs`).
    #[must_use]
    pub fn input(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.inputs(|inputs| inputs.value(name, value))
    }

    /// Changes the values of `_inputs`.
    #[must_use]
    pub fn inputs(mut self, change: impl FnOnce(Inputs) -> Inputs) -> Self {
        self.inputs = change(std::mem::take(&mut self.inputs));
        self
    }

    /// Sets whether the commands of `_before` and `_after` may be run.
    #[must_use]
    pub fn commands(mut self, commands: Commands) -> Self {
        self.commands = commands;
        self
    }

    /// Sets what handles the states of `_given`.
    #[must_use]
    pub fn given(mut self, given: Given) -> Self {
        self.given = Some(given);
        self
    }

    /// Whether a case has the selected tags, and `_only` if any case has that.
    pub(super) fn selects(&self, case: &Case, only: bool) -> bool {
        let has = |tags: &[String]| tags.iter().any(|tag| case.settings.tags.contains(tag));
        (!only || case.settings.only)
            && (self.tags.is_empty() || has(&self.tags))
            && !has(&self.skip_tags)
    }
}
