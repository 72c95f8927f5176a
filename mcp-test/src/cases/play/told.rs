//! How what went otherwise is told.

use crate::check::Finding;

/// Why the present line was not as the case has it.
#[derive(Debug)]
pub(super) enum Stop {
    /// What came is something else; the conversation goes on.
    Differs(Finding),
    /// The conversation cannot go on.
    Here(Finding),
}
