//! `mcp-test requirements --coverage`: which checks stand for each requirement.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mcp_test_core::expect::words;
use mcp_test_core::run::CitingCheck;
use mcp_test_core::scenario::TestedSide;
use mcp_test_core::spec::requirement::Requirement;
use mcp_test_core::spec::{BoundParty, Testability};
use mcp_test_suite::scenarios::{citing_checks, citing_checks_of};

use crate::explain::citing_check;

/// Whether a requirement has a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Covered {
    /// It has.
    Checked,
    /// Its row says why not.
    LeftOut,
    /// No message, and no behavior of a process, shows it.
    NotVisible,
    /// Not yet.
    Not,
}

impl Covered {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Checked, "with a check"),
        (Self::LeftOut, "left out"),
        (Self::NotVisible, "not visible"),
        (Self::Not, "no check yet"),
    ];

    fn of(requirement: &Requirement, checks: &[CitingCheck]) -> Self {
        if !checks.is_empty() {
            Self::Checked
        } else if requirement.testable == Testability::No {
            Self::NotVisible
        } else if requirement.unchecked.or(requirement.unchecked_of_clients).is_some() {
            Self::LeftOut
        } else {
            Self::Not
        }
    }
}

/// Each requirement with its checks, and the table by page.
pub(super) fn text(requirements: &[&'static Requirement]) -> String {
    let mut text = String::new();
    let mut pages: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for requirement in requirements {
        let checks = checks(requirement);
        let covered = Covered::of(requirement, &checks);
        // Writing to a String does not fail.
        let _ = writeln!(text, "{} ({}, {})", requirement.id, requirement.level, requirement.binds);
        for check in &checks {
            let proofs =
                check.proofs().map(|proofs| format!(", {}", words::count(proofs, "proof")));
            let _ = writeln!(text, "  {}{}", citing_check(check), proofs.unwrap_or_default());
        }
        match covered {
            Covered::Checked => {}
            Covered::LeftOut => {
                let why = requirement.unchecked.or(requirement.unchecked_of_clients);
                let _ = writeln!(text, "  left out: {}", why.unwrap_or_default());
            }
            Covered::NotVisible => text.push_str("  not visible\n"),
            Covered::Not => text.push_str("  no check yet\n"),
        }
        count(&mut pages, requirement, covered);
    }
    text.push('\n');
    text.push_str(&table(&pages));
    text
}

fn count<'a>(pages: &mut BTreeMap<&'a str, [usize; 4]>, of: &'a Requirement, covered: Covered) {
    let column = Covered::ALL.iter().position(|(column, _)| *column == covered);
    pages.entry(of.area()).or_default()[column.unwrap_or_default()] += 1;
}

/// The checks of the side that is bound; of both for what binds both.
fn checks(requirement: &'static Requirement) -> Vec<CitingCheck> {
    match requirement.binds {
        BoundParty::Both => citing_checks(requirement),
        BoundParty::Server => citing_checks_of(TestedSide::Server, requirement),
        BoundParty::Client => citing_checks_of(TestedSide::Client, requirement),
        BoundParty::AuthorizationServer => citing_checks_of(TestedSide::Authorization, requirement),
    }
}

fn table(pages: &BTreeMap<&str, [usize; 4]>) -> String {
    let first = pages.keys().map(|page| page.len()).max().unwrap_or_default().max("page".len());
    let row = |page: &str, cells: [String; 4]| {
        let cells = cells.iter().zip(Covered::ALL);
        let cells =
            cells.map(|(cell, (_, heading))| format!("  {cell:>width$}", width = heading.len()));
        format!("{page:first$}{}\n", cells.collect::<String>())
    };
    let mut text = row("page", Covered::ALL.map(|(_, heading)| heading.to_owned()));
    let mut total = [0; 4];
    for (page, counts) in pages {
        text.push_str(&row(page, counts.map(|count| count.to_string())));
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
    text.push_str(&row("all", total.map(|count| count.to_string())));
    text
}

#[cfg(test)]
mod tests {
    use mcp_test_core::run::binds;
    use mcp_test_core::spec::requirement;

    use super::*;

    /// The requirements that bind a side, by page.
    fn table_of(tested_side: TestedSide) -> String {
        let rows = requirement::all();
        let rows = rows.filter(|row| binds(row, tested_side));
        let mut pages = BTreeMap::new();
        let (mut open, mut twice) = (Vec::new(), Vec::new());
        for row in rows {
            let checks = citing_checks_of(tested_side, row);
            let covered = Covered::of(row, &checks);
            count(&mut pages, row, covered);
            if covered == Covered::Not {
                open.push(row.id);
            }
            // What `unchecked` says of a row that binds both sides is about servers.
            let why = match tested_side {
                TestedSide::Client if row.binds == BoundParty::Both => row.unchecked_of_clients,
                _ => row.unchecked,
            };
            if covered == Covered::Checked && why.is_some() {
                twice.push(row.id);
            }
        }
        assert_eq!(open, Vec::<&str>::new(), "these have neither a check nor `unchecked`");
        assert_eq!(twice, Vec::<&str>::new(), "these have a check, so that `unchecked` is wrong");
        table(&pages)
    }

    #[test]
    fn each_requirement_on_servers_has_a_check_or_says_why_not() {
        insta::assert_snapshot!(table_of(TestedSide::Server), @"
        page           with a check  left out  not visible  no check yet
        auth                     31        45           15             0
        base                     27        10            8             0
        caching                  12         4            1             0
        cancellation             10         2            1             0
        completion               12         3            4             0
        discover                  5         0            1             0
        elicitation              48        15            3             0
        ext                      45         6            1             0
        jsonrpc                  37         2            2             0
        lifecycle                12         4            1             0
        logging                  15         8            4             0
        mcp-test                 20         2            0             0
        mrtr                     19         3            0             0
        pagination                8         0            0             0
        ping                      5         2            3             0
        progress                 10         2            1             0
        prompts                  27         2            0             0
        resources                31         8            0             0
        roots                     6         3            2             0
        sampling                 21         3            3             0
        schema                   57         0            0             0
        skills                   40         0            0             0
        subscriptions            13         2            0             0
        tasks                    43        29            6             0
        tools                    51         5            2             0
        transport                77         7            5             0
        versioning                7         0            1             0
        all                     689       167           64             0
        ");
    }

    #[test]
    fn each_requirement_on_authorization_servers_has_a_check_or_says_why_not() {
        insta::assert_snapshot!(table_of(TestedSide::Authorization), @"
        page      with a check  left out  not visible  no check yet
        auth                26        16            2             0
        mcp-test             5         0            0             0
        all                 31        16            2             0
        ");
    }

    #[test]
    fn each_requirement_on_clients_has_a_check_or_says_why_not() {
        insta::assert_snapshot!(table_of(TestedSide::Client), @"
        page           with a check  left out  not visible  no check yet
        auth                    102        21           21             0
        base                     19        17           12             0
        caching                   5        12            0             0
        cancellation              9         3            2             0
        completion                1         5            2             0
        discover                  3         0            0             0
        elicitation              23         6           15             0
        ext                      21         2            1             0
        jsonrpc                  37         3            2             0
        lifecycle                15         5            1             0
        logging                   3         3            3             0
        mcp-test                 17         0            0             0
        mrtr                     10         0            0             0
        pagination                6         1            0             0
        ping                      5         2            3             0
        progress                  8         4            1             0
        prompts                  10         1            0             0
        resources                13         1            0             0
        roots                    10         6            6             0
        sampling                 20        12            9             0
        schema                   42         0            1             0
        skills                    5         0            0             0
        subscriptions             4         1            0             0
        tasks                    43        27            6             0
        tools                    17        10           11             0
        transport                58        11            3             0
        versioning                5         0            1             0
        all                     511       153          100             0
        ");
    }
}
