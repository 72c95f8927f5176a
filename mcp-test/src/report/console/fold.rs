//! One summary line for the cells of a scenario that ended alike, where cells need not be told one by one.

use crate::check::Status;
use crate::run::{Cell, Counts, Line, Verdict};
use crate::spec::Revisions;
use crate::transport::CarrierKind;

/// Cells of one scenario that ended alike.
pub(super) struct Fold<'a> {
    pub(super) cells: Vec<Cell>,
    pub(super) verdict: Verdict,
    pub(super) counts: Counts,
    pub(super) reason: Option<&'a str>,
}

/// Folds neighbouring lines of the same scenario, verdict and reason; `reason` says why a cell was skipped.
pub(super) fn fold<'a>(lines: &[Line], reason: impl Fn(&Cell) -> Option<&'a str>) -> Vec<Fold<'a>> {
    let mut folds: Vec<Fold<'a>> = Vec::new();
    for line in lines {
        let reason = reason(&line.cell);
        let same = |fold: &&mut Fold<'a>| {
            fold.cells[0].scenario == line.cell.scenario
                && fold.verdict == line.verdict
                && fold.reason == reason
        };
        match folds.iter_mut().rev().find(same) {
            Some(fold) => {
                fold.cells.push(line.cell);
                fold.counts.add(line.counts);
            }
            None => folds.push(Fold {
                cells: vec![line.cell],
                verdict: line.verdict,
                counts: line.counts,
                reason,
            }),
        }
    }
    folds
}

impl Fold<'_> {
    /// `ping [2024-11-05..2025-11-25 stdio]`, each carrier with its revisions.
    pub(super) fn label(&self) -> String {
        let cells = CarrierKind::ALL.into_iter().filter_map(|carrier| {
            let mut revisions = Revisions::none();
            for cell in self.cells.iter().filter(|cell| cell.carrier == carrier) {
                revisions = revisions.union(Revisions::only(cell.revision));
            }
            Some(format!("{} {carrier}", in_words(revisions)?))
        });
        format!("{} [{}]", self.cells[0].scenario.id, cells.collect::<Vec<_>>().join("; "))
    }

    /// `in 4 runs: 8 passed, 0 failed`; the number of runs only where there are several.
    pub(super) fn outcome(&self) -> String {
        let runs = match self.cells.len() {
            1 => String::new(),
            many => format!("{many} runs, "),
        };
        let Counts { success, failure, warning, .. } = self.counts;
        let mut text = format!("{runs}{success} passed, {failure} failed");
        if warning > 0 {
            text.push_str(&format!(", {warning} {}s", Status::Warning.as_str().to_lowercase()));
        }
        text
    }
}

/// `2024-11-05..2025-11-25` where none is missing in between; `None` for none.
fn in_words(revisions: Revisions) -> Option<String> {
    let (oldest, newest) = (revisions.oldest()?, revisions.newest()?);
    Some(if oldest == newest {
        oldest.to_string()
    } else if revisions == Revisions::between(oldest, newest) {
        format!("{oldest}..{newest}")
    } else {
        revisions.to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_both_its_ends() {
        let told = |text: &str| text.parse().ok().and_then(in_words).unwrap_or_default();
        assert_eq!(told("2025-11-25"), "2025-11-25");
        assert_eq!(told("2025-06-18.."), "2025-06-18..2026-07-28");
        assert_eq!(told("2024-11-05, 2025-06-18"), "2024-11-05, 2025-06-18");
        assert_eq!(told("none"), "");
    }
}
