//! Servers over lines that misbehave: the standard streams of a program, and a pipe in this process.

use std::fmt::Write;

use mcp_test::process::Command;
use mcp_test::spec::Revision;
use mcp_test::transport::{CarrierKind, Target};
use mcp_test_tests::hostile::lines::serve;
use mcp_test_tests::hostile::{Hostile, How};

use crate::played::{FOR_EVER, METHOD, SCENARIO, cells, play};

/// What a server may do that leaves no doubt, over lines.
pub(crate) const WAYS: [How; 30] = [
    How::Well,
    How::WrongId,
    How::RetypedId,
    How::NullId,
    How::NoId,
    How::HugeId,
    How::Twice,
    How::Banner,
    How::LogLine,
    How::BracketLog,
    How::JsonLog,
    How::BlankLine,
    How::Ansi,
    How::AnsiReply,
    How::Html,
    How::TruncatedJson,
    How::InvalidUtf8,
    How::Bom,
    How::Nul,
    How::NulInside,
    How::ManyLines,
    How::TwoOnALine,
    How::Deep,
    How::DuplicateMembers,
    How::HugeNumbers,
    How::Trickle,
    How::ExitAtOnce,
    How::ExitMidReply,
    How::ExitInstead,
    How::ExitAfterHandshake,
];

/// The server as a program.
pub(crate) fn program(how: How) -> Target {
    let hostile = Hostile::on(METHOD, how);
    Target::command(Command::new(env!("CARGO_BIN_EXE_hostile-peer")).args(hostile.arguments()))
}

/// The server at the other end of a pipe.
pub(crate) fn in_process(how: How) -> Target {
    Target::duplex(move |io| async move {
        let (input, output) = tokio::io::split(io);
        serve(&Hostile::on(METHOD, how), input, output).await?;
        Ok(())
    })
}

/// What is told of each way.
fn all(target: fn(How) -> Target, carrier: CarrierKind) -> String {
    let mut text = String::new();
    for how in WAYS {
        let selection = cells(SCENARIO, &[Revision::V2025_11_25], carrier);
        let played = play(target(how), &selection, FOR_EVER);
        assert!(played.deadlines().is_empty(), "{how}: {:?}", played.deadlines());
        writeln!(text, "# {how}\n{}", played.told()).expect("a string takes everything");
    }
    text
}

#[test]
fn each_is_named() {
    let over_streams = all(program, CarrierKind::Stdio);
    // A pipe has no process at its end; else it is the same.
    let over_a_pipe = all(in_process, CarrierKind::Duplex);
    let ended = over_streams.replace("the server ended with exit code 0", "the server returned");
    pretty_assertions::assert_eq!(over_a_pipe, ended);
    insta::assert_snapshot!(over_streams);
}
