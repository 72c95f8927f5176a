//! The client leg and other people's programs: the official command line on our reference client, ours on a client that
//! is made with the official TypeScript SDK, and both on a client that goes wrong.

use std::fs;
use std::path::Path;

use mcp_test_tests::folder::Folder;

use crate::official::{statuses_by, word};
use crate::peers::Peers;
use crate::program::{MCP_TEST, mcp_test, run};

/// The scenarios that both command lines know.
const SCENARIOS: [&str; 6] = [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "request-metadata",
    "http-standard-headers",
];

/// What the official command line only logs, by the names of the rows.
const LOGGED: [&str; 6] = [
    "IncomingRequest",
    "Incoming-request",
    "OutgoingResponse",
    "Outgoing-response",
    "OutgoingSseEvent",
    "OutgoingStreamClose",
];

/// Our reference client as a command, with what is wrong with it.
fn reference(faults: &[&str]) -> String {
    let faults = faults.iter().map(|fault| format!(" --fault {fault}"));
    format!("{MCP_TEST} reference client{}", faults.collect::<String>())
}

/// Runs one scenario with the official command line: the exit code, and what was printed.
fn officially(peers: &Peers, command: &str, scenario: &str, out: &Path) -> (i32, String) {
    let mut words = peers.conformance("client");
    let choice = ["--command", command, "--scenario", scenario, "-o"];
    words.extend(choice.map(str::to_owned));
    words.push(word(out));
    let program = words.remove(0);
    let run = run(&program, words);
    (run.code, run.text(&[]))
}

fn ours(command: &str, scenario: &str, out: &Path) -> (i32, String) {
    let run = mcp_test(["client", "--command", command, "--scenario", scenario, "-o", &word(out)]);
    (run.code, run.text(&[]))
}

#[test]
fn the_reference_client_passes_officially_and_here_alike() {
    let Some(peers) = Peers::installed() else { return };
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "clients-alike");
    for scenario in SCENARIOS {
        let out = |side: &str| folder.path().join(side).join(scenario);
        let (code, text) = officially(&peers, &reference(&[]), scenario, &out("theirs"));
        assert_eq!(code, 0, "{scenario}\n{text}");
        let (code, text) = ours(&reference(&[]), scenario, &out("ours"));
        assert_eq!(code, 0, "{scenario}\n{text}");
        // Ids may repeat; names tell the rows apart.
        let mut theirs = statuses_by("name", &out("theirs"));
        theirs.retain(|name, _| !LOGGED.contains(&name.as_str()));
        let mut ours = statuses_by("name", &out("ours"));
        ours.retain(|name, _| !LOGGED.contains(&name.as_str()));
        assert_eq!(ours, theirs, "{scenario}");
    }
}

/// Where the official command line ends with 1, ours does.
#[test]
fn both_fail_a_client_that_goes_wrong() {
    let Some(peers) = Peers::installed() else { return };
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "clients-fail");
    let damaged = [
        ("initialize", "remove:initialize:/clientInfo/version"),
        ("initialize", "set:initialize:/protocolVersion:7"),
        ("tools_call", "retype:tools/call:/arguments/a"),
        ("tools_call", "remove:tools/call:/jsonrpc"),
        ("request-metadata", "no-header:tools/list:MCP-Protocol-Version"),
        ("request-metadata", "remove:tools/list:/_meta/io.modelcontextprotocol~1clientInfo"),
        ("http-standard-headers", "no-header:tools/call:Mcp-Name"),
        ("http-standard-headers", "header:prompts/get:Mcp-Method:Prompts/Get"),
    ];
    for (number, (scenario, fault)) in damaged.into_iter().enumerate() {
        let out = |side: &str| folder.path().join(side).join(number.to_string());
        let (theirs, said) = officially(&peers, &reference(&[fault]), scenario, &out("theirs"));
        let (here, told) = ours(&reference(&[fault]), scenario, &out("ours"));
        assert_eq!((theirs, here), (1, 1), "{scenario} {fault}\n{said}\n{told}");
    }
}

#[test]
fn a_client_of_the_typescript_sdk_passes() {
    let Some(peers) = Peers::installed() else { return };
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "clients-sdk");
    let command = peers.client();
    for scenario in &SCENARIOS[..4] {
        let out = folder.path().join(scenario);
        let (code, text) = ours(&command, scenario, &out);
        assert_eq!(code, 0, "{scenario}\n{text}");
        let run = fs::read_dir(&out).expect("a folder").flatten().find(|it| it.path().is_dir());
        let advisory = run.expect("the run has a folder").path().join("advisory.json");
        let advisory = fs::read_to_string(advisory).expect("checks of our own");
        assert!(!advisory.contains("FAILURE") && !advisory.contains("WARNING"), "{advisory}");
    }
}
