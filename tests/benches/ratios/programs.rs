//! Whole programs: from the start to the first verdict, and the official command line beside ours on the same scenarios.

use std::env;
use std::io::Result;
use std::path::Path;

use mcp_test::scenario::{Leg, Suite};
use mcp_test::scenarios;
use mcp_test::spec::Revision;
use mcp_test_tests::program::Serving;

use crate::cost::Cost;
use crate::rows;

const MCP_TEST: &str = env!("CARGO_BIN_EXE_mcp-test-under-test");

/// How often a short run is made.
const TIMES: u32 = 20;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn times(times: u32, words: &[String]) -> Result<Cost> {
    (0..times).try_fold(Cost::default(), |cost, _| Ok(cost.then(Cost::of(words)?)))
}

pub(crate) fn table() -> Result<()> {
    let first = words(&[MCP_TEST, "server", "--reference", "--scenario", "ping"]);
    let nothing = times(TIMES, &words(&[MCP_TEST, "--version"]))?;
    rows("20 first verdicts, beside --version", times(TIMES, &first)?, nothing);

    let Some(folder) = env::var_os("MCP_TEST_PEERS") else {
        println!("\nWithout MCP_TEST_PEERS the official command line does not run beside ours.");
        return Ok(());
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let in_folder = |path: &str| folder.join(path).to_string_lossy().into_owned();
    let theirs = [
        in_folder("node"),
        in_folder("npm/node_modules/@modelcontextprotocol/conformance/dist/index.js"),
    ];
    let ours = words(&[MCP_TEST]);
    let serving = Serving::reference(MCP_TEST, &[]);
    let (mut our_cost, mut their_cost) = (Cost::default(), Cost::default());
    let common = || {
        scenarios::all().filter(|scenario| {
            scenario.leg == Leg::Server && scenario.is_official_at(Revision::V2025_11_25)
        })
    };
    for scenario in common() {
        let run = words(&["server", "--url", &serving.url, "--scenario", scenario.id]);
        our_cost = our_cost.then(Cost::of(&[&ours[..], &run].concat())?);
        their_cost = their_cost.then(Cost::of(&[&theirs[..], &run].concat())?);
    }
    rows(&format!("{} runs, beside the official", common().count()), our_cost, their_cost);

    let in_suite = scenarios::all()
        .filter(|scenario| scenario.leg == Leg::Server && Suite::Active.selects(scenario));
    println!("\nOur suite `active` has {} scenarios in one run:", in_suite.count());
    let suite = words(&[MCP_TEST, "server", "--url", &serving.url]);
    rows("the suite in one run, beside those runs", Cost::of(&suite)?, their_cost);
    Ok(())
}
