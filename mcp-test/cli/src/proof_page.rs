//! `mcp-test list --proofs`: which fault of a reference peer each check reports, as a page in Markdown.

use std::fmt::Write;

use mcp_test_core::scenario::{CheckSpec, Proof, ProofFault, Scenario};

/// What is wrong with the peer of a proof, as a reader can repeat it.
pub(super) fn fault(proof: &Proof) -> String {
    match &proof.fault {
        ProofFault::Wire(fault) => format!("--fault '{}'", fault.name()),
        ProofFault::Peer { .. } => format!("the peer `{}` in the source", proof.fault),
    }
}

/// The proofs of a check of a scenario.
pub(super) fn proofs_of(scenario: &Scenario, check: &CheckSpec) -> Vec<Proof> {
    let proofs = scenario.proofs.map(|proofs| proofs().proofs).unwrap_or_default();
    proofs.into_iter().filter(|proof| proof.check == check.id).collect()
}

/// The page of these scenarios.
pub(super) fn page(scenarios: &[&Scenario]) -> String {
    let mut page = HEAD.to_owned();
    for scenario in scenarios {
        // Writing to a String does not fail.
        let _ = write!(
            page,
            "\n## {} scenario `{}`\n\n{}.\n\n| check | status | fault |\n|---|---|---|\n",
            scenario.tested_side, scenario.id, scenario.title
        );
        for check in scenario.checks.iter() {
            let proofs = proofs_of(scenario, check);
            if proofs.is_empty() {
                let _ = writeln!(page, "| `{}` | | none: it only informs |", check.id);
            }
            for proof in proofs {
                page.push_str(&row(&proof));
            }
        }
    }
    page
}

const HEAD: &str = "\
# Which faults the checks report

Each scenario passes on a reference peer. Each row is a fault of that peer, and the status that it gives a check; the tests
of mcp-test carry all of them out. A fault is repeated with `mcp-test reference server --fault FAULT`, or
`reference client` for a scenario that tests clients.
";

fn row(proof: &Proof) -> String {
    let fault = match &proof.fault {
        ProofFault::Wire(fault) => code(&fault.name()),
        ProofFault::Peer { .. } => {
            format!("the peer {} in the source", code(&proof.fault.to_string()))
        }
    };
    format!("| `{}` | {} | {fault}{} |\n", proof.check, proof.status, proof.conditions())
}

/// A text as code in a cell of a table, where a bar ends the cell.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use mcp_test_core::scenario::TestedSide;
    use mcp_test_suite::scenarios;

    use super::*;

    #[test]
    fn the_page_has_the_faults_of_each_check() {
        let scenario =
            scenarios::find(TestedSide::Server, "tools-call-simple-text").expect("a scenario");
        insta::assert_snapshot!(page(&[scenario]), @r#"
        # Which faults the checks report

        Each scenario passes on a reference peer. Each row is a fault of that peer, and the status that it gives a check; the tests
        of mcp-test carry all of them out. A fault is repeated with `mcp-test reference server --fault FAULT`, or
        `reference client` for a scenario that tests clients.

        ## server scenario `tools-call-simple-text`

        A tool returns a text.

        | check | status | fault |
        |---|---|---|
        | `tools-call-simple-text` | FAILURE | `error:tools/call:-32602` |
        | `tools-call-simple-text` | FAILURE | `set:tools/call:/content:[]` |
        | `tools-call-simple-text` | FAILURE | `set:tools/call:/content/0/text:""` |
        | `tools-call-simple-text-exact` | FAILURE | `set:tools/call:/isError:true` |
        | `tools-call-simple-text-exact` | FAILURE | `set:tools/call:/content/0/text:"unknown tool"` |
        "#);
    }

    /// A check that can fail without a fault that makes it fail would not be on the page.
    #[test]
    fn every_check_that_can_fail_is_on_the_page() {
        let scenarios: Vec<&Scenario> = scenarios::all().collect();
        for scenario in &scenarios {
            for check in scenario.checks.iter().filter(|check| check.fails || check.warns) {
                let proofs = proofs_of(scenario, check);
                assert!(!proofs.is_empty(), "{}: {}", scenario.id, check.id);
            }
        }
        let page = page(&scenarios);
        let rows = page.lines().filter(|line| line.starts_with("| `"));
        assert!(rows.count() > scenarios.iter().map(|it| it.checks.len()).sum(), "too few rows");
        // Three cells, whatever a fault contains.
        let cells = |line: &str| line.replace("\\|", "").matches('|').count() - 1;
        assert!(page.lines().filter(|line| line.starts_with('|')).all(|line| cells(line) == 3));
    }
}
