//! What mcp-test costs, as ratios against something that runs beside it on the same machine, in the same run.
//!
//! `cargo bench -p mcp-test-tests --bench ratios` builds the release and prints a table. Where `MCP_TEST_PEERS` names the
//! folder that `.ci/peers` has filled, the official command line runs beside ours; where `MCP_TEST_OFFICIAL_SCHEMAS` names
//! the folder of the official schemas, these judge beside our shapes. Nothing is asserted: times belong to a machine, and a
//! slow one is no failure. Processor time and memory are told on Unix only.

mod cases;
mod cost;
mod exchanges;
mod judging;
mod playing;
mod programs;
mod serving;

use std::io::Result;

use cost::Cost;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [cost::CHILD, program, ref rest @ ..] => cost::run_and_tell(program, rest),
        [exchanges::CHILD, way, url] => exchanges::make(way, url),
        [serving::CHILD, way] => serving::serve(way),
        [playing::CHILD, way] => playing::play(way),
        [judging::CHILD] => judging::tell_the_first(),
        // Whatever else there is comes from `cargo bench` and `cargo test`; the latter only wants to see it compiled.
        _ if words.iter().any(|word| word == "--bench") => table(),
        _ => Ok(()),
    }
}

fn table() -> Result<()> {
    println!(
        "Each row: what is measured, beside what, and ours as a part of that (below 1 is less than the other).\n"
    );
    judging::table()?;
    cases::table()?;
    exchanges::table()?;
    serving::table()?;
    playing::table()?;
    programs::table()
}

/// Prints a row of the table.
fn row(what: &str, ours: &str, other: &str, ratio: f64) {
    println!("{what:<58} ours {ours:>10}   beside {other:>10}   ratio {ratio:>8.3}");
}

/// Prints the rows for two costs.
fn rows(what: &str, ours: Cost, other: Cost) {
    let ratio = |ours: f64, other: f64| if other > 0.0 { ours / other } else { f64::NAN };
    let seconds = |seconds: f64| format!("{seconds:.3} s");
    let (cpu, wall) = ((ours.cpu, other.cpu), (ours.wall, other.wall));
    row(&format!("{what}: processor"), &seconds(cpu.0), &seconds(cpu.1), ratio(cpu.0, cpu.1));
    row(&format!("{what}: wall clock"), &seconds(wall.0), &seconds(wall.1), ratio(wall.0, wall.1));
    let mib = |bytes: f64| format!("{:.1} MiB", bytes / 1_048_576.0);
    row(
        &format!("{what}: peak memory"),
        &mib(ours.peak),
        &mib(other.peak),
        ratio(ours.peak, other.peak),
    );
}
