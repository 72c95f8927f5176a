//! What cells are called: in lines, where the official name suffices as long as a scenario has one cell, and on disk.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::run::{Cell, Outcome};
use crate::scenario::Leg;

/// The names of the cells of a run.
///
/// A scenario that is played once is called by its id alone, as officially; with several cells, each says which it is.
#[derive(Debug, Clone, Default)]
pub struct Naming {
    cells: BTreeMap<(Leg, &'static str), usize>,
}

impl Naming {
    /// The names for a run of these cells.
    #[must_use]
    pub fn of(cells: &[Cell]) -> Self {
        let mut naming = Self::default();
        for cell in cells {
            *naming.cells.entry((cell.scenario.leg, cell.scenario.id)).or_default() += 1;
        }
        naming
    }

    /// How many scenarios there are.
    #[must_use]
    pub fn scenarios(&self) -> usize {
        self.cells.len()
    }

    /// How many cells there are.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells.values().sum()
    }

    /// `tools-list`, or `tools-list [2025-11-25 stdio]` if there are others of the same scenario.
    #[must_use]
    pub fn label(&self, cell: &Cell) -> String {
        if self.is_single(cell) {
            return cell.scenario.id.to_owned();
        }
        format!("{} [{} {}]", cell.scenario.id, cell.revision, cell.carrier)
    }

    /// The directory of the results of a cell, below the output directory.
    ///
    /// `server-<scenario>-<stamp>`, for the client leg `<scenario>-<stamp>`; the stamp is the start of the cell with `-`
    /// for `:` and `.`. If there are other cells of the scenario, `-<revision>-<carrier>` follows.
    #[must_use]
    pub fn directory(&self, outcome: &Outcome) -> PathBuf {
        let cell = &outcome.cell;
        let leg = match cell.scenario.leg {
            Leg::Server => "server-",
            Leg::Client => "",
        };
        let stamp = outcome.started.replace([':', '.'], "-");
        let mut name = format!("{leg}{}-{stamp}", cell.scenario.id);
        if !self.is_single(cell) {
            name.push_str(&format!("-{}-{}", cell.revision, cell.carrier));
        }
        name.split('/').collect()
    }

    fn is_single(&self, cell: &Cell) -> bool {
        self.cells.get(&(cell.scenario.leg, cell.scenario.id)).is_none_or(|count| *count == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::spec::Revision;
    use crate::transport::CarrierKind;

    #[test]
    fn a_single_cell_is_called_as_officially() {
        let outcome = sample::passed();
        let naming = Naming::of(&[outcome.cell]);
        assert_eq!(naming.label(&outcome.cell), "tools-list");
        assert_eq!(
            naming.directory(&outcome),
            PathBuf::from("server-tools-list-2026-11-21T21-37-43-473Z")
        );
    }

    #[test]
    fn several_cells_of_a_scenario_say_which_they_are() {
        let outcome = sample::passed();
        let other = Cell { revision: Revision::NEWEST, carrier: CarrierKind::Http, ..outcome.cell };
        let naming = Naming::of(&[outcome.cell, other]);
        assert_eq!((naming.scenarios(), naming.cells()), (1, 2));
        assert_eq!(naming.label(&other), "tools-list [2026-07-28 http]");
        assert_eq!(
            naming.directory(&outcome),
            PathBuf::from("server-tools-list-2026-11-21T21-37-43-473Z-2025-11-25-stdio")
        );
    }
}
