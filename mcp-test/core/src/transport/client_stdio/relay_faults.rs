//! The faults of a server's process, which take effect in the relay.

#[cfg(feature = "suite")]
use std::ffi::OsString;

use crate::transport::fault::Misbehavior;

/// How the process of a server misbehaves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RelayFaults {
    /// It keeps running after SIGTERM.
    pub(crate) ignores_term: bool,
    /// It writes to its standard error: see `transport::stderr_text`.
    pub(crate) floods_stderr: bool,
}

impl RelayFaults {
    /// The faults of a server that misbehaves in these ways.
    pub(crate) fn of(misbehaves: impl Fn(Misbehavior) -> bool) -> Self {
        Self {
            ignores_term: misbehaves(Misbehavior::IgnoresTerm),
            floods_stderr: misbehaves(Misbehavior::FloodsStderr),
        }
    }

    /// The last arguments of a relay.
    pub(super) fn arguments(self) -> impl Iterator<Item = &'static str> {
        let faults = [
            (self.ignores_term, Misbehavior::IgnoresTerm),
            (self.floods_stderr, Misbehavior::FloodsStderr),
        ];
        faults.into_iter().filter_map(|(is_set, fault)| is_set.then_some(fault.word()))
    }

    /// The faults that the last arguments of a relay name.
    #[cfg(feature = "suite")]
    pub(super) fn from_arguments(arguments: &[OsString]) -> Self {
        Self::of(|fault| arguments.iter().any(|argument| argument == fault.word()))
    }
}
