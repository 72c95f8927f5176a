//! The cost of mcp-test, as ratios to a baseline that is measured on the same machine in the same run.
//!
//! `cargo bench -p mcp-test-tests --bench ratios` builds in release mode and prints a table. If `MCP_TEST_PEERS` names the folder
//! that `.ci/peers` has filled, the official suite is one of the baselines; if `MCP_TEST_OFFICIAL_SCHEMAS` names the folder of
//! the official schemas, so are these. Nothing is asserted: times depend on the machine, and a slow one is not a failure.
//! Processor time and memory are reported on Unix only.

mod case_runs;
mod cases;
mod cost;
mod exchanges;
mod exploration;
mod judging;
mod mock_server;
mod programs;
mod validation;

use std::io::Result;

use cost::Cost;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [cost::CHILD, program, ref rest @ ..] => cost::run_and_print(program, rest),
        [exchanges::CHILD, kind, url] => exchanges::run_exchanges(kind, url),
        [mock_server::CHILD, kind] => mock_server::serve(kind),
        [case_runs::CHILD, kind] => case_runs::run_cases(kind),
        [judging::CHILD, messages] => judging::judge(messages),
        [validation::CHILD] => validation::time_first_validation(),
        // `cargo bench` passes `--bench`. `cargo test` runs this program, too, but without it: then there is nothing to do.
        _ if args.iter().any(|arg| arg == "--bench") => table(),
        _ => Ok(()),
    }
}

fn table() -> Result<()> {
    println!(
        "Each row: what is measured, our cost, the cost of the baseline, and their ratio (below 1: ours is lower).\n"
    );
    validation::table()?;
    judging::table()?;
    cases::table()?;
    exchanges::table()?;
    mock_server::table()?;
    exploration::table()?;
    case_runs::table()?;
    programs::table()
}

/// Prints a row of the table.
fn row(what: &str, ours: &str, baseline: &str, ratio: f64) {
    println!("{what:<58} ours {ours:>10}   baseline {baseline:>10}   ratio {ratio:>8.3}");
}

/// Prints the rows of a cost: processor time, wall clock and peak memory.
fn rows(what: &str, ours: Cost, baseline: Cost) {
    let ratio = |ours: f64, baseline: f64| if baseline > 0.0 { ours / baseline } else { f64::NAN };
    let seconds = |seconds: f64| format!("{seconds:.3} s");
    let (cpu, wall) = ((ours.cpu, baseline.cpu), (ours.wall, baseline.wall));
    row(&format!("{what}: processor"), &seconds(cpu.0), &seconds(cpu.1), ratio(cpu.0, cpu.1));
    row(&format!("{what}: wall clock"), &seconds(wall.0), &seconds(wall.1), ratio(wall.0, wall.1));
    let mib = |bytes: f64| format!("{:.1} MiB", bytes / 1_048_576.0);
    row(
        &format!("{what}: peak memory"),
        &mib(ours.peak),
        &mib(baseline.peak),
        ratio(ours.peak, baseline.peak),
    );
}
