//! How what went otherwise is told.

use super::roles::Line;
use crate::cases::compare::Difference;
use crate::check::Finding;

/// Why the present line was not as the case has it.
#[derive(Debug)]
pub(super) enum Stop {
    /// What came is something else; the conversation goes on.
    Differs(Finding),
    /// The conversation cannot go on.
    Here(Finding),
}

/// What came is not what the line says.
pub(super) fn differs(line: Line<'_>, differences: &[Difference]) -> Finding {
    let key = &line.message.key;
    let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
    Finding::peer(format!("`{key}` is not what came ({})", line.place())).got(told.join("\n"))
}
