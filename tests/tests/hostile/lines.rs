//! Hostile servers over lines: the standard streams of a program, and a pipe in this process.

use std::fmt::Write;

use mcp_test::process::Command;
use mcp_test::spec::Revision;
use mcp_test::transport::{Target, TransportKind};
use mcp_test_tests::hostile::lines::serve;
use mcp_test_tests::hostile::{Behavior, Hostile};

use crate::scenario_run::{METHOD, NO_TIMEOUT, SCENARIO, run_scenarios, scenario_runs};

/// Behaviors over lines that are noticed without waiting.
pub(crate) const BEHAVIORS: [Behavior; 35] = [
    Behavior::Well,
    Behavior::WrongId,
    Behavior::RetypedId,
    Behavior::NullId,
    Behavior::NoId,
    Behavior::HugeId,
    Behavior::Twice,
    Behavior::Banner,
    Behavior::LogLine,
    Behavior::BracketLog,
    Behavior::JsonLog,
    Behavior::BlankLine,
    Behavior::Ansi,
    Behavior::AnsiReply,
    Behavior::Html,
    Behavior::TruncatedJson,
    Behavior::InvalidUtf8,
    Behavior::Bom,
    Behavior::Nul,
    Behavior::NulInside,
    Behavior::ManyLines,
    Behavior::TwoOnALine,
    Behavior::Deep,
    Behavior::DuplicateMembers,
    Behavior::HugeNumbers,
    Behavior::LoneSurrogate,
    Behavior::Trickle,
    Behavior::HeaderFraming,
    Behavior::NoNewline,
    Behavior::CarriageReturn,
    Behavior::TrickleNoNewline,
    Behavior::ExitAtOnce,
    Behavior::ExitMidReply,
    Behavior::ExitInstead,
    Behavior::ExitAfterHandshake,
];

/// The server as a program.
pub(crate) fn program(behavior: Behavior) -> Target {
    let hostile = Hostile::on(METHOD, behavior);
    Target::command(Command::new(env!("CARGO_BIN_EXE_hostile-peer")).args(hostile.arguments()))
}

/// The server at the other end of a pipe.
pub(crate) fn in_process(behavior: Behavior) -> Target {
    Target::duplex(move |io| async move {
        let (input, output) = tokio::io::split(io);
        serve(&Hostile::on(METHOD, behavior), input, output).await?;
        Ok(())
    })
}

/// The reports of all behaviors.
fn all_reports(target: fn(Behavior) -> Target, transport: TransportKind) -> String {
    let mut text = String::new();
    for behavior in BEHAVIORS {
        let selection = scenario_runs(SCENARIO, &[Revision::V2025_11_25], transport);
        let result = run_scenarios(target(behavior), &selection, NO_TIMEOUT);
        assert!(result.deadlines().is_empty(), "{behavior}: {:?}", result.deadlines());
        writeln!(text, "# {behavior}\n{}", result.report()).expect("a string takes everything");
    }
    text
}

#[test]
fn lines_are_reported() {
    let over_streams = all_reports(program, TransportKind::Stdio);
    // A pipe has no process at its end; everything else is the same.
    let over_a_pipe = all_reports(in_process, TransportKind::Duplex);
    let ended = over_streams.replace("the server ended with exit code 0", "the server returned");
    pretty_assertions::assert_eq!(over_a_pipe, ended);
    insta::assert_snapshot!(over_streams);
}
