//! The names of cells, in reports and on disk.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mcp_test_core::expect::words;
use mcp_test_core::run::{Cell, Outcome};
use mcp_test_core::scenario::TestedSide;

/// The names of the cells of a run.
///
/// The only cell of a scenario has the id of the scenario, as in the official suite; several cells have a suffix.
#[derive(Debug, Clone, Default)]
pub struct CellNames {
    cells: BTreeMap<(TestedSide, String), usize>,
    /// Whether directories have no stamp.
    without_timestamps: bool,
}

impl CellNames {
    /// The names for a run of these cells.
    #[must_use]
    pub fn of(cells: &[Cell]) -> Self {
        let mut names = Self::default();
        for cell in cells {
            *names.cells.entry(key(cell)).or_default() += 1;
        }
        names
    }

    /// Sets whether the directories have the time in their names, as in the official suite.
    #[must_use]
    pub fn timestamps(mut self, timestamps: bool) -> Self {
        self.without_timestamps = !timestamps;
        self
    }

    /// The number of scenarios.
    #[must_use]
    pub fn scenarios(&self) -> usize {
        self.cells.len()
    }

    /// The number of cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells.values().sum()
    }

    /// `tools-list`, or `tools-list [2025-11-25 stdio]` if the scenario has other cells.
    #[must_use]
    pub fn label(&self, cell: &Cell) -> String {
        // The name of a case is its id.
        let id = words::name(&cell.scenario.id);
        if self.is_single(cell) {
            return id;
        }
        format!("{id} [{} {}]", cell.revision, cell.transport)
    }

    /// The directory of the results of a cell, relative to the output directory.
    ///
    /// `server-<scenario>-<stamp>`, `<scenario>-<stamp>` for a client, `authorization-server-<scenario>-<stamp>`; the stamp is the start of the cell with `-`
    /// for `:` and `.`. If there are other cells of the scenario, `-<revision>-<transport>` follows.
    #[must_use]
    pub fn directory(&self, outcome: &Outcome) -> PathBuf {
        let cell = &outcome.cell;
        let tested_side = match cell.scenario.tested_side {
            TestedSide::Server => "server-",
            TestedSide::Client => "",
            // As the official suite has it.
            TestedSide::Authorization => "authorization-server-",
        };
        let mut name = format!("{tested_side}{}", cell.scenario.id);
        if !self.without_timestamps {
            // Windows does not allow a colon in a file name.
            name.push_str(&format!("-{}", outcome.started.replace([':', '.'], "-")));
        }
        if !self.is_single(cell) {
            name.push_str(&format!("-{}-{}", cell.revision, cell.transport));
        }
        // Ids may contain slashes, as those of the official `auth/…` scenarios do; they become nested directories.
        name.split('/').collect()
    }

    fn is_single(&self, cell: &Cell) -> bool {
        // A cell that was never planned has the plain name, too.
        self.cells.get(&key(cell)).is_none_or(|count| *count == 1)
    }
}

fn key(cell: &Cell) -> (TestedSide, String) {
    (cell.scenario.tested_side, cell.scenario.id.to_string())
}

#[cfg(test)]
mod tests {
    use mcp_test_core::spec::Revision;
    use mcp_test_core::transport::TransportKind;

    use super::*;
    use crate::report::sample;

    #[test]
    fn a_single_cell_has_its_official_name() {
        let outcome = sample::passed();
        let names = CellNames::of(std::slice::from_ref(&outcome.cell));
        assert_eq!(names.label(&outcome.cell), "tools-list");
        let unstamped = names.clone().timestamps(false);
        assert_eq!(unstamped.directory(&outcome), PathBuf::from("server-tools-list"));
        assert_eq!(
            names.directory(&outcome),
            PathBuf::from("server-tools-list-2026-11-21T21-37-43-473Z")
        );
    }

    #[test]
    fn several_cells_of_a_scenario_have_a_suffix() {
        let outcome = sample::passed();
        let other = Cell {
            revision: Revision::NEWEST,
            transport: TransportKind::Http,
            ..outcome.cell.clone()
        };
        let names = CellNames::of(&[outcome.cell.clone(), other.clone()]);
        assert_eq!((names.scenarios(), names.cells()), (1, 2));
        assert_eq!(names.label(&other), "tools-list [2026-07-28 http]");
        assert_eq!(
            names.directory(&outcome),
            PathBuf::from("server-tools-list-2026-11-21T21-37-43-473Z-2025-11-25-stdio")
        );
        let unstamped = names.timestamps(false);
        let directory = unstamped.directory(&outcome);
        assert_eq!(directory, PathBuf::from("server-tools-list-2025-11-25-stdio"));
    }
}
