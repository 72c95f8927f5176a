//! Why the verdicts of the two suites may differ, and which official checks never fail.

use super::verdicts::Disagreement;

/// Why some verdicts disagree.
pub(super) struct Reason {
    /// The disagreements that it explains.
    explains: fn(&Disagreement) -> bool,
    /// The reason, as a cell of a table.
    pub(super) why: &'static str,
    /// The page of the specification, as in the newest revision.
    pub(super) page: &'static str,
}

/// The only reason that explains a disagreement.
///
/// # Panics
///
/// If there is none, or more than one.
#[track_caller]
pub(super) fn reason_of(it: &Disagreement) -> &'static Reason {
    let reasons: Vec<_> = REASONS.iter().filter(|reason| (reason.explains)(it)).collect();
    match reasons[..] {
        [reason] => reason,
        _ => panic!("{} reasons for {it:#?}", reasons.len()),
    }
}
