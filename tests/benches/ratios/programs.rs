//! The cost of whole programs: from the start to the first verdict, and our suite relative to the official one on the same
//! scenarios.

use std::env;
use std::io::Result;
use std::path::Path;

use mcp_test::scenario::{Suite, TestedSide};
use mcp_test::spec::Revision;
use mcp_test_suite::scenarios;
use mcp_test_tests::program::Serving;

use crate::cost::Cost;
use crate::rows;

const MCP_TEST: &str = env!("CARGO_BIN_EXE_mcp-test-under-test");

/// The number of short runs, whose costs are added up.
const RUNS: u32 = 20;

fn args(args: &[&str]) -> Vec<String> {
    args.iter().map(|&arg| arg.to_owned()).collect()
}

fn total_cost(runs: u32, command: &[String]) -> Result<Cost> {
    (0..runs).try_fold(Cost::default(), |cost, _| Ok(cost.then(Cost::of(command)?)))
}

pub(crate) fn table() -> Result<()> {
    let first = args(&[MCP_TEST, "server", "--reference", "--scenario", "ping"]);
    let nothing = total_cost(RUNS, &args(&[MCP_TEST, "--version"]))?;
    rows("20 first verdicts, by --version", total_cost(RUNS, &first)?, nothing);

    let Some(folder) = env::var_os("MCP_TEST_PEERS") else {
        println!("\nWithout MCP_TEST_PEERS, ours is not compared with the official suite.");
        return Ok(());
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let in_folder = |path: &str| folder.join(path).to_string_lossy().into_owned();
    let theirs = [
        in_folder("node"),
        in_folder("npm/node_modules/@modelcontextprotocol/conformance/dist/index.js"),
    ];
    let ours = args(&[MCP_TEST]);
    let serving = Serving::reference(MCP_TEST, &[]);
    let (mut our_cost, mut their_cost) = (Cost::default(), Cost::default());
    let common = || {
        scenarios::all().filter(|scenario| {
            scenario.tested_side == TestedSide::Server
                && scenario.is_official_at(Revision::V2025_11_25)
        })
    };
    for scenario in common() {
        let run = args(&["server", "--url", &serving.url, "--scenario", &scenario.id]);
        our_cost = our_cost.then(Cost::of(&[&ours[..], &run].concat())?);
        their_cost = their_cost.then(Cost::of(&[&theirs[..], &run].concat())?);
    }
    rows(&format!("{} runs, by the official suite", common().count()), our_cost, their_cost);

    let in_suite = scenarios::all().filter(|scenario| {
        scenario.tested_side == TestedSide::Server && Suite::Active.selects(scenario)
    });
    println!("\nOur suite `active` has {} scenarios in one run:", in_suite.count());
    let suite = args(&[MCP_TEST, "server", "--url", &serving.url]);
    rows("the suite in one run, by those runs", Cost::of(&suite)?, their_cost);
    Ok(())
}
