//! The contracts in `contracts/` and third-party programs: the everything server passes them, and so does a client on the
//! TypeScript SDK.

use std::collections::BTreeMap;

use mcp_test::cases::{Case, CaseMessage, Cases, ReadOptions, Values};
use mcp_test_tests::folder::Folder;
use serde_json::{Value, json};

use crate::json_report::Report;
use crate::peers::Peers;
use crate::program::{MCP_TEST, free_port, mcp_test};

const CONTRACTS: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/contracts/example.yaml"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/contracts/everything"),
];

fn cases() -> Cases {
    match Cases::read(&CONTRACTS, &ReadOptions::default()) {
        Ok((cases, _)) => cases,
        Err(error) => panic!("{error}"),
    }
}

/// Checks that a server passes every case of the contracts.
#[track_caller]
fn passes_the_contracts(target: &[String]) {
    let args = ["cases", "run"].into_iter().chain(CONTRACTS).chain(["--format", "json"]);
    let args: Vec<String> = args.map(str::to_owned).chain(target.iter().cloned()).collect();
    let run = mcp_test(&args);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let verdicts = Report::read(&run).verdicts();
    let cases = cases();
    let missing: Vec<&str> = cases
        .iter()
        .map(|(_, case)| case.id.as_str())
        .filter(|id| !verdicts.contains(&format!("{id}: passed at ")))
        .collect();
    assert!(missing.is_empty(), "did not pass: {missing:?}\n{verdicts}{}", run.stderr);
    assert!(cases.iter().count() >= 32);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_everything_server_passes_the_contracts_over_stdio() {
    let peers = Peers::installed();
    passes_the_contracts(&[vec!["--".to_owned()], peers.everything("stdio")].concat());
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn the_everything_server_passes_the_contracts_over_http() {
    let peers = Peers::installed();
    let port = free_port();
    let (url, env) = (format!("http://127.0.0.1:{port}/mcp"), format!("PORT={port}"));
    let target = ["--env", &env, "--url", &url, "--"].map(str::to_owned).to_vec();
    passes_the_contracts(&[target, peers.everything("streamableHttp")].concat());
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn a_client_on_the_typescript_sdk_passes_the_contracts() {
    let peers = Peers::installed();
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "cases_for_the_typescript_sdk");
    let script = folder.word("cases.json");
    std::fs::write(&script, client_script(&cases()).to_string()).expect("the file can be written");
    let client = format!("{} {script}", peers.client_command_of("cases.mjs"));
    let args = ["cases", "verify-client"].into_iter().chain(CONTRACTS);
    // The SDK always proposes the newest revision that it supports, and does not send malformed messages.
    let args =
        args.chain(["--skip-tag", "negotiation", "--skip-tag", "malformed", "--command", &client]);
    let run = mcp_test(args.map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
}

/// `cases run` is a client, too, so it passes `cases verify-client` with the same contract.
#[test]
fn cases_run_passes_the_contracts_as_a_client() {
    let [example, everything] = CONTRACTS;
    for (contract, file) in [
        (example, example.to_owned()),
        (everything, format!("{everything}/$MCP_CONFORMANCE_SCENARIO.yaml")),
    ] {
        // A client that proposes a version which is none breaks a rule, whatever its contract says.
        let skipped = "--skip-tag malformed --skip-tag unknown-version";
        let client = format!("{MCP_TEST} cases run {skipped} {file} --url");
        let run = mcp_test([
            "cases",
            "verify-client",
            contract,
            "--skip-tag",
            "malformed",
            "--skip-tag",
            "unknown-version",
            "--command",
            &client,
        ]);
        assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    }
}

/// The cases in the format of `cases.mjs`, by the name of their file.
fn client_script(cases: &Cases) -> Value {
    let mut by_file: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    // The SDK does not send malformed messages.
    let is_malformed = |case: &Case| case.settings.tags.iter().any(|tag| tag == "malformed");
    for (_, case) in cases.iter().filter(|(_, case)| !is_malformed(case)) {
        let message = |it: &CaseMessage| {
            let captures = it.captures.iter().map(|it| (it.name.clone(), it.pointer.as_str()));
            let captures: BTreeMap<_, _> = captures.collect();
            json!({ "by": it.direction.as_str(), "said": it.value.to_serde(), "captures": captures })
        };
        let values = Values::of([&**case]);
        let inputs = case.settings.inputs.iter().map(|input| &input.name);
        let names = inputs.filter_map(|name| Some((name, values.value(name)?.to_serde())));
        let names: BTreeMap<_, _> = names.collect();
        let messages: Vec<Value> = case.messages.iter().map(message).collect();
        let file = case.id.split("::").next().unwrap_or_default();
        by_file.entry(file).or_default().push(json!({ "names": names, "messages": messages }));
    }
    json!(by_file)
}
