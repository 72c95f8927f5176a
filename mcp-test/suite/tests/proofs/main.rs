//! The proofs: each scenario passes on its good peer, and each fault gives the check that it proves the status that the proof
//! names. What else it changes is a reviewed snapshot.
//!
//! A test for each scenario, `server::ping`, and one for each row of the tables about the checks that every scenario has without
//! declaring them. With `MCP_TEST_PROVE=PART` only the scenarios whose ids contain that are proven. Most of a proof is waiting, so
//! that more of them run at once than there are processors.

mod claims;
mod everywhere;
mod in_turn;
mod medium;
mod of_clients;
mod on_shared_connections;
mod other_changes;
mod runs;
mod scenario_proofs;
mod table;
mod tools;
mod unfounded;

use std::fs::OpenOptions;
use std::io::Write;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use mcp_test_core::clock::Stopwatch;
use mcp_test_core::scenario::{Scenario, TestedSide};
#[cfg(unix)]
use mcp_test_core::transport::client_stdio;
use mcp_test_suite::scenarios;

use self::table::Row;

/// How many tests run at once.
const AT_ONCE: usize = 8;

/// The tests that are not about one scenario or one row.
const OTHERS: &[(&str, fn())] = &[
    (
        "a_proof_that_cannot_be_carried_out_is_an_error",
        scenario_proofs::a_proof_that_cannot_be_carried_out_is_an_error,
    ),
    (
        "only_fixtures_and_remarks_need_no_requirement",
        unfounded::only_fixtures_and_remarks_need_no_requirement,
    ),
    ("each_snapshot_belongs_to_a_scenario", other_changes::each_snapshot_belongs_to_a_scenario),
    ("many_proofs_share_a_connection", on_shared_connections::many_proofs_share_a_connection),
    ("failures_and_warnings_have_rows", everywhere::failures_and_warnings_have_rows),
    (
        "a_message_of_a_wrong_shape_fails_in_all_profiles",
        everywhere::a_message_of_a_wrong_shape_fails_in_all_profiles,
    ),
    (
        "where_the_official_suite_does_not_validate_the_check_is_ours",
        everywhere::where_the_official_suite_does_not_validate_the_check_is_ours,
    ),
    (
        "base64_is_judged_by_the_text_of_the_specification",
        everywhere::base64_is_judged_by_the_text_of_the_specification,
    ),
    (
        "an_invalid_message_of_ours_is_our_fault_unless_it_is_deliberate",
        everywhere::an_invalid_message_of_ours_is_our_fault_unless_it_is_deliberate,
    ),
    (
        "a_requirement_that_explain_does_not_name_for_the_check_is_unfounded",
        everywhere::a_requirement_that_explain_does_not_name_for_the_check_is_unfounded,
    ),
    (
        "a_requirement_of_another_revision_is_unfounded",
        everywhere::a_requirement_of_another_revision_is_unfounded,
    ),
    (
        "each_rule_is_proven_for_each_side_over_lines_and_over_http",
        claims::each_rule_is_proven_for_each_side_over_lines_and_over_http,
    ),
    (
        "a_rule_for_servers_alone_is_unfounded_of_a_client",
        of_clients::a_rule_for_servers_alone_is_unfounded_of_a_client,
    ),
    (
        "arguments_that_violate_the_schema_of_a_tool_are_warnings",
        of_clients::arguments_that_violate_the_schema_of_a_tool_are_warnings,
    ),
    (
        "schemas_of_tools_are_valid_and_results_conform",
        tools::schemas_of_tools_are_valid_and_results_conform,
    ),
    ("without_a_schema_the_check_is_not_made", tools::without_a_schema_the_check_is_not_made),
];

fn main() -> ExitCode {
    // The client of a proof over stdio starts this program as its server.
    #[cfg(unix)]
    if let Some(code) = client_stdio::serve_as_relay(&std::env::args_os().collect::<Vec<_>>()) {
        return code;
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    let trials = match std::env::var("MCP_TEST_PROVE") {
        Ok(part) => scenario_trials(|scenario| scenario.id.contains(&part)),
        Err(_) => {
            let rows = row_trials("conversation", everywhere::rows());
            let rows = rows.chain(row_trials("client", of_clients::rows()));
            let rows = rows.chain(row_trials("tools", tools::rows()));
            let clients = of_clients::client_scenarios().map(|scenario| {
                let name = format!("absent_or_failing_client::{}", scenario.id);
                test(name, move || of_clients::an_absent_or_failing_client_is_noticed(scenario))
            });
            let others = OTHERS.iter().map(|(name, run)| test((*name).to_owned(), run));
            scenario_trials(|_| true).into_iter().chain(rows).chain(clients).chain(others).collect()
        }
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test of the proofs of each of these scenarios.
fn scenario_trials(is_proven: impl Fn(&Scenario) -> bool) -> Vec<Trial> {
    let mut proven: Vec<_> = scenarios::all().filter(|scenario| is_proven(scenario)).collect();
    // Those of clients first, which wait in real time, the longest for 25 s.
    proven.sort_by_key(|scenario| scenario.tested_side == TestedSide::Server);
    proven
        .into_iter()
        .map(|scenario| {
            test(format!("{}::{}", scenario.tested_side, scenario.id), move || {
                let broken = scenario_proofs::prove(scenario);
                assert!(broken.is_empty(), "{}", broken.join("\n\n"));
            })
        })
        .collect()
}

/// A test of each row.
fn row_trials(table: &'static str, rows: Vec<Row>) -> impl Iterator<Item = Trial> {
    (1..).zip(rows).map(move |(number, row)| {
        test(format!("{table}::{number:03}::{}", row.scenario_run()), move || {
            let broken = row.prove();
            assert!(broken.is_none(), "{}", broken.unwrap_or_default());
        })
    })
}

/// A test that fails by a panic. How long it has taken is added to the file that `MCP_TEST_TESTS_TIMES` names.
fn test(name: String, run: impl FnOnce() + Send + 'static) -> Trial {
    let timed = name.clone();
    Trial::test(name, move || {
        let stopwatch = Stopwatch::start();
        run();
        let took = stopwatch.elapsed().as_secs_f64();
        if let Some(path) = std::env::var_os("MCP_TEST_TESTS_TIMES") {
            let mut times = OpenOptions::new().append(true).create(true).open(path)?;
            writeln!(times, "{took:.3} proofs {timed}")?;
        }
        Ok(())
    })
}
