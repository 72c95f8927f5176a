//! The client scenarios: the official suite and `mcp-test client` agree on our reference client, with and without faults, and
//! a client on the official TypeScript SDK passes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mcp_test_tests::folder::Folder;

use crate::official_suite::{path_arg, statuses_by};
use crate::peers::Peers;
use crate::program::{MCP_TEST, mcp_test, run};

/// The scenarios that the official suite has, too.
const SCENARIOS: [&str; 15] = [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "request-metadata",
    "http-standard-headers",
    "sep-2322-client-request-state",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
    "sep-2640-client-no-prefetch",
    "sep-2640-client-verify-digest",
    "sep-2640-client-verify-size",
    "sep-2640-client-verify-frontmatter",
];

/// The names of rows that the official suite only logs, without checking anything.
const LOG_ONLY: [&str; 6] = [
    "IncomingRequest",
    "Incoming-request",
    "OutgoingResponse",
    "Outgoing-response",
    "OutgoingSseEvent",
    "OutgoingStreamClose",
];

/// The command of our reference client with these faults, which a shell reads.
fn reference(faults: &[&str]) -> String {
    let faults = faults.iter().map(|fault| format!(" --fault {fault}"));
    format!("{MCP_TEST} reference client{}", faults.collect::<String>())
}

/// Runs one scenario of the official suite; returns the exit code and the output.
fn run_official(peers: &Peers, command: &str, scenario: &str, out: &Path) -> (i32, String) {
    let mut args = peers.conformance("client");
    let choice = ["--command", command, "--scenario", scenario, "-o"];
    args.extend(choice.map(str::to_owned));
    args.push(path_arg(out));
    let program = args.remove(0);
    let run = run(&program, args);
    (run.code, run.text(&[]))
}

/// Runs one of our scenarios; returns the exit code and the output.
fn run_ours(command: &str, scenario: &str, out: &Path) -> (i32, String) {
    let out = path_arg(out);
    let run = mcp_test(["client", "--command", command, "--scenario", scenario, "-o", &out]);
    (run.code, run.text(&[]))
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_reference_client_passes_with_the_same_statuses_in_both_suites() {
    let peers = Peers::installed();
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "clients-alike");
    for scenario in SCENARIOS {
        let out = |side: &str| folder.path().join(side).join(scenario);
        let (code, text) = run_official(&peers, &reference(&[]), scenario, &out("theirs"));
        assert_eq!(code, 0, "{scenario}\n{text}");
        let (code, text) = run_ours(&reference(&[]), scenario, &out("ours"));
        assert_eq!(code, 0, "{scenario}\n{text}");
        assert_eq!(rows(&out("ours")), rows(&out("theirs")), "{scenario}");
    }
}

/// The status of each row of a run. Ids may repeat, so the rows are told apart by name.
fn rows(folder: &Path) -> BTreeMap<String, String> {
    let mut rows = statuses_by("name", folder);
    rows.retain(|name, _| !LOG_ONLY.contains(&name.as_str()));
    rows
}

/// The fault that the client also reads the second file of the skill, before a message of this method.
fn also_reads_before(method: &str) -> String {
    let uri = "skill://pdf-processing/references/FORMS.md";
    // A notification, since the client would take a reply that it does not expect for the end of the conversation.
    let read =
        format!(r#"{{"jsonrpc":"2.0","method":"resources/read","params":{{"uri":"{uri}"}}}}"#);
    // A shell runs the command.
    format!("'stray:{method}:{read}'")
}

/// The suites in which clients have to sign in, and the sets by which the official suite scores a revision.
#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_reference_client_passes_whole_runs_of_the_official_suite() {
    let peers = Peers::installed();
    let command = reference(&[]);
    for (selection, scenarios) in [
        (["--suite", "auth"], 14),
        (["--suite", "backcompat"], 2),
        (["--suite", "draft"], 17),
        (["--suite", "extensions"], 6),
        (["--requirements", "2025-11-25"], 25),
        (["--requirements", "2026-07-28"], 39),
    ] {
        let mut args = peers.conformance("client");
        args.extend(["--command", &command].iter().chain(&selection).map(|&arg| arg.to_owned()));
        let program = args.remove(0);
        let run = run(&program, args);
        assert_eq!(run.code, 0, "{selection:?}\n{}", run.text(&[]));
        let (_, summary) = run.stdout.split_once("=== SUITE SUMMARY ===").expect("a summary");
        let (lines, _) = summary.split_once("\nTotal: ").expect("a total");
        let lines: Vec<&str> = lines.lines().filter(|line| !line.is_empty()).collect();
        assert!(lines.iter().all(|line| line.starts_with('✓')), "{selection:?}\n{summary}");
        assert_eq!(lines.len(), scenarios, "{selection:?}\n{summary}");
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn a_faulty_client_of_skills_has_the_same_statuses_in_both_suites() {
    let peers = Peers::installed();
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "clients-skills");
    let (passes, fails) = (("SUCCESS", 0), ("FAILURE", 1));
    for scenario in SCENARIOS.into_iter().filter(|it| it.starts_with("sep-2640-")) {
        // In the scenario without prefetching nothing is read that the first two faults could change.
        let of_reads = if scenario.ends_with("no-prefetch") { passes } else { fails };
        let faults = [
            // The `SKILL.md` that has to be refused is never read.
            (r#"'set:resources/read:/uri:"file:///other"'"#.to_owned(), of_reads),
            (also_reads_before("resources/read"), of_reads),
            (also_reads_before("notifications/initialized"), fails),
        ];
        for (number, (fault, (status, code))) in faults.into_iter().enumerate() {
            let out = |side: &str| folder.path().join(side).join(format!("{scenario}-{number}"));
            let command = reference(&[&fault]);
            let (their_code, their_text) = run_official(&peers, &command, scenario, &out("theirs"));
            let (our_code, our_text) = run_ours(&command, scenario, &out("ours"));
            let text = format!("{scenario} {fault}\n{their_text}\n{our_text}");
            assert_eq!((their_code, our_code), (code, code), "{text}");
            let theirs = rows(&out("theirs"));
            assert_eq!(theirs.values().collect::<Vec<_>>(), [status], "{text}");
            assert_eq!(rows(&out("ours")), theirs, "{text}");
        }
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn a_faulty_client_fails_in_both_suites() {
    let peers = Peers::installed();
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "clients-fail");
    let faulty = [
        ("initialize", "remove:initialize:/clientInfo/version"),
        ("initialize", "set:initialize:/protocolVersion:7"),
        ("tools_call", "retype:tools/call:/arguments/a"),
        ("tools_call", "remove:tools/call:/jsonrpc"),
        ("request-metadata", "no-header:tools/list:MCP-Protocol-Version"),
        ("request-metadata", "remove:tools/list:/_meta/io.modelcontextprotocol~1clientInfo"),
        ("http-standard-headers", "no-header:tools/call:Mcp-Name"),
        ("http-standard-headers", "header:prompts/get:Mcp-Method:Prompts/Get"),
        ("sep-2322-client-request-state", "remove:tools/call:/requestState"),
        ("sep-2322-client-request-state", r#"set:tools/call:/requestState:\"x\""#),
        ("sep-2322-client-request-state", "set:tools/call:/inputResponses:{}"),
        ("http-custom-headers", "no-header:tools/call:Mcp-Param-Region"),
        ("http-custom-headers", "header:tools/call:Mcp-Param-FloatVal:3.14159"),
        ("http-custom-headers", "header:tools/call:Mcp-Param-Debug:True"),
        ("http-custom-headers", "header:tools/call:Mcp-Param-Tab:indented"),
        ("http-custom-headers", "header:tools/call:Mcp-Param-Verbose:false"),
        ("http-invalid-tool-headers", r#"set:tools/call:/name:\"invalid_empty_header\""#),
        ("http-invalid-tool-headers", r#"set:tools/call:/name:\"invalid_number_header\""#),
        ("http-invalid-tool-headers", r#"set:tools/call:/name:\"invalid_duplicate_same_case\""#),
        ("http-invalid-tool-headers", r#"set:tools/call:/name:\"invalid_colon_in_name\""#),
        ("json-schema-2020-12-preservation", r"remove:tools/call:/arguments/schema/\$schema"),
        ("json-schema-2020-12-preservation", r"remove:tools/call:/arguments/schema/\$defs"),
        (
            "json-schema-2020-12-preservation",
            "remove:tools/call:/arguments/schema/additionalProperties",
        ),
    ];
    for (number, (scenario, fault)) in faulty.into_iter().enumerate() {
        let out = |side: &str| folder.path().join(side).join(number.to_string());
        let (their_code, their_text) =
            run_official(&peers, &reference(&[fault]), scenario, &out("theirs"));
        let (our_code, our_text) = run_ours(&reference(&[fault]), scenario, &out("ours"));
        assert_eq!((their_code, our_code), (1, 1), "{scenario} {fault}\n{their_text}\n{our_text}");
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn a_client_on_the_typescript_sdk_passes() {
    let peers = Peers::installed();
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "clients-sdk");
    let command = peers.client_command();
    // The remaining scenarios are about 2026-07-28, which `client.mjs` does not speak.
    for scenario in &SCENARIOS[..4] {
        let out = folder.path().join(scenario);
        let (code, text) = run_ours(&command, scenario, &out);
        assert_eq!(code, 0, "{scenario}\n{text}");
        let run = fs::read_dir(&out)
            .expect("the output folder exists")
            .flatten()
            .find(|it| it.path().is_dir());
        let advisory = run.expect("the run has a folder").path().join("advisory.json");
        let advisory = fs::read_to_string(advisory).expect("advisory.json was written");
        assert!(!advisory.contains("FAILURE") && !advisory.contains("WARNING"), "{advisory}");
    }
}
