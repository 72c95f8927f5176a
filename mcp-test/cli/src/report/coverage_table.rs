//! Which requirements a run has tested, as a table by page for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mcp_test_core::expect::words;
use mcp_test_core::run::{Coverage, NotTested, RowState};
use mcp_test_core::scenario::{Scenario, TestedSide};
use mcp_test_core::spec::Requirement;
use mcp_test_suite::scenarios;

/// The columns of the table, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    Tested,
    Violated,
    NotTested(NotTested),
}

impl Column {
    const fn of(state: &RowState) -> Self {
        match state {
            RowState::Tested => Self::Tested,
            RowState::Violated => Self::Violated,
            RowState::NotTested(reason) => Self::NotTested(*reason),
        }
    }

    fn heading(self) -> String {
        match self {
            Self::Tested => "tested".to_owned(),
            Self::Violated => "violated".to_owned(),
            Self::NotTested(reason) => reason.to_string(),
        }
    }
}

/// The table for people: how many requirements of each page are in each state. A column or page without any is left out.
pub(super) fn table(coverage: &Coverage, tested_side: TestedSide) -> String {
    let scenarios: Vec<&Scenario> = scenarios::all().collect();
    let rows: Vec<(&Requirement, RowState)> = coverage.rows(&scenarios, tested_side).collect();
    let mut pages: BTreeMap<&str, BTreeMap<Column, usize>> = BTreeMap::new();
    let mut totals: BTreeMap<Column, usize> = BTreeMap::new();
    for (row, state) in &rows {
        let column = Column::of(state);
        *pages.entry(row.area()).or_default().entry(column).or_default() += 1;
        *totals.entry(column).or_default() += 1;
    }
    let columns: Vec<Column> = totals.keys().copied().collect();
    let first = pages.keys().map(|page| page.len()).max().unwrap_or_default().max("page".len());
    let line = |page: &str, cell: &dyn Fn(Column) -> String| {
        let cells = columns
            .iter()
            .map(|column| format!("  {:>width$}", cell(*column), width = column.heading().len()));
        format!("{page:first$}{}\n", cells.collect::<String>())
    };
    let number = |counts: &BTreeMap<Column, usize>, column: Column| {
        counts.get(&column).map_or_else(|| "-".to_owned(), ToString::to_string)
    };
    let mut text = format!(
        "{} bind a {tested_side} at the tested revisions\n",
        words::count(rows.len(), "requirement")
    );
    text.push_str(&line("page", &|column| column.heading()));
    for (page, counts) in &pages {
        text.push_str(&line(page, &|column| number(counts, column)));
    }
    text.push_str(&line("all", &|column| number(&totals, column)));
    let violated = rows.iter().filter(|(_, state)| *state == RowState::Violated);
    for (row, _) in violated {
        // Writing to a String does not fail.
        let _ = writeln!(text, "violated: {} ({})", row.id, row.level);
    }
    text
}
