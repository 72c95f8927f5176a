//! What each rule of the checks that every scenario has claims, and the rows that prove it.

use std::collections::HashSet;
use std::iter;

use mcp_test_core::check::{SCHEMA_VALID, TOOL_SCHEMAS, WELL_FORMED};
use mcp_test_core::run::requirements_of_common;
use mcp_test_core::scenario::{Profile, TestedSide};
use mcp_test_core::spec::requirement::BoundParty;
use mcp_test_core::spec::{Requirement, Side};
use mcp_test_suite::scenarios;

use crate::medium::{Medium, over_other_medium};
use crate::other_changes::{heading, recorded};
use crate::runs::{bad_outcome, proofs, scenario_run};
use crate::table::Row;
use crate::{everywhere, of_clients, tools};

/// The checks of every scenario that have such rules.
const COMMON: [&str; 3] = [WELL_FORMED, SCHEMA_VALID, TOOL_SCHEMAS];

/// What a rule claims and no row can show, over which media, and why.
const WITHOUT_ROW: &[(Side, &Requirement, &[Medium], &str)] = {
    use Medium::{Http, Lines};
    use Side::{Client, Server};
    const NO_ORDER: &str = "the streams of HTTP have no order";
    const TOO_SLOW: &str =
        "a busy machine needs more than a second for a thousand requests; a unit test shows it";
    const NO_PROCESS: &str = "a peer in this process is not a program; unit tests show it";
    &[
        (Client, Requirement::CANCELLATION_NO_RESPONSE, &[Http], NO_ORDER),
        (Server, Requirement::CANCELLATION_NO_RESPONSE, &[Http], NO_ORDER),
        (Client, Requirement::PROGRESS_INCREASES, &[Http], NO_ORDER),
        (Client, Requirement::PROGRESS_RATE_LIMITED, &[Http], TOO_SLOW),
        (Client, Requirement::PROGRESS_STOPS_AFTER_COMPLETION, &[Http], NO_ORDER),
        (Client, Requirement::JSONRPC_REQUEST_ID_UNIQUE_INFLIGHT, &[Http], NO_ORDER),
        (Server, Requirement::CANCELLATION_ONLY_OWN_INFLIGHT, &[Http], NO_ORDER),
        (
            Client,
            Requirement::TRANSPORT_STDIO_NEWLINE_DELIMITED,
            &[Lines],
            "no fault leaves out only the newline",
        ),
        (
            Server,
            Requirement::TRANSPORT_STDIO_NEWLINE_DELIMITED,
            &[Lines],
            "no fault leaves out only the newline",
        ),
        (Client, Requirement::TRANSPORT_STDIO_SHUTDOWN_CLOSE_STDIN, &[Lines], NO_PROCESS),
        (Client, Requirement::TRANSPORT_STDIO_SHUTDOWN_WAITS, &[Lines], NO_PROCESS),
        (Client, Requirement::TRANSPORT_STDIO_SHUTDOWN_SIGTERM_SIGKILL, &[Lines], NO_PROCESS),
        (Server, Requirement::MCP_TEST_SERVER_LEAVES_NO_PROCESS, &[Lines, Http], NO_PROCESS),
        (Server, Requirement::TRANSPORT_STDIO_EXIT_ON_EOF, &[Lines], NO_PROCESS),
        (Server, Requirement::TRANSPORT_STDIO_EXIT_ON_EOF_IMPLIED, &[Lines], NO_PROCESS),
    ]
};

/// Each rule of the checks that every scenario has is proven for each side that it binds, over lines and over HTTP as far as it
/// applies there: by a row, or by the proof of a scenario that changes such a check, too.
pub(crate) fn each_rule_is_proven_for_each_side_over_lines_and_over_http() {
    let mut wrong = Vec::new();
    let of_servers = [everywhere::rows(), tools::rows()].concat();
    for (side, rows) in [(Side::Server, of_servers), (Side::Client, of_clients::rows())] {
        let mut proven: HashSet<(&Requirement, Medium)> =
            rows.iter().flat_map(Row::proven).collect();
        proven.extend(proven_by_scenarios(side));
        for rule in claimed(side) {
            for medium in [Medium::Lines, Medium::Http] {
                let is_excused = WITHOUT_ROW.iter().any(|(of, it, media, _)| {
                    (*of, it) == (side, &rule) && media.contains(&medium)
                });
                let is_claimed = medium.carries(rule) && !is_excused;
                if is_claimed != proven.contains(&(rule, medium)) {
                    wrong.push(format!("{rule} of {side} over {medium:?}"));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// What the proofs of scenarios show that change a check of every scenario.
fn proven_by_scenarios(side: Side) -> HashSet<(&'static Requirement, Medium)> {
    let mut proven = HashSet::new();
    let tested_side = if side == Side::Server { TestedSide::Server } else { TestedSide::Client };
    for scenario in scenarios::all().filter(|scenario| scenario.tested_side == tested_side) {
        let (proofs, recorded) = (proofs(scenario), recorded(scenario));
        let peer = (proofs.peer)();
        for proof in &proofs.proofs {
            let others = recorded.get(&heading(proof)).into_iter().flatten().map(String::as_str);
            if !iter::once(proof.check).chain(others).any(|check| COMMON.contains(&check)) {
                continue;
            }
            let scenario_run = scenario_run(scenario, proof);
            let profile = proof.profile.unwrap_or(Profile::Adaptive);
            for scenario_run in
                iter::once(scenario_run.clone()).chain(over_other_medium(&peer, &scenario_run))
            {
                let medium = Medium::of(scenario_run.transport);
                let bad = bad_outcome(&peer, scenario_run, profile, proof);
                let failing = bad.failing().filter(|check| COMMON.contains(&&*check.id));
                let cited = failing.flat_map(|check| check.requirements.clone());
                proven.extend(cited.map(|requirement| (requirement, medium)));
            }
        }
    }
    proven
}

/// The rules by which a side is judged in every scenario.
fn claimed(side: Side) -> Vec<&'static Requirement> {
    let of_others = if side == Side::Server { BoundParty::Client } else { BoundParty::Server };
    let rules = [WELL_FORMED, TOOL_SCHEMAS].map(|check| requirements_of_common(check, side));
    rules.concat().into_iter().filter(|rule| rule.binds != of_others).collect()
}
