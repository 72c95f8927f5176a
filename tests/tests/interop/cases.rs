//! The contracts of `contracts/` and other people's programs: the everything server keeps them, and a client on the
//! TypeScript SDK says what they demand.

use std::collections::BTreeMap;

use mcp_test::cases::{Case, CaseMessage, Cases, ReadOptions, Values};
use mcp_test_tests::folder::Folder;
use serde_json::{Value, json};

use crate::peers::Peers;
use crate::program::{MCP_TEST, free_port, mcp_test};
use crate::report::Report;

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

/// Runs all cases against a server: each of them is run, and passes.
fn keeps_the_contracts(target: &[String]) {
    let words = ["cases", "run"].into_iter().chain(CONTRACTS).chain(["--format", "json"]);
    let words: Vec<String> = words.map(str::to_owned).chain(target.iter().cloned()).collect();
    let run = mcp_test(&words);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let verdicts = Report::read(&run).verdicts();
    let cases = cases();
    let missing: Vec<&str> = cases
        .iter()
        .map(|(_, case)| case.id.as_str())
        .filter(|id| !verdicts.contains(&format!("{id}: passed at ")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}\n{verdicts}{}", run.stderr);
    assert!(cases.iter().count() >= 32);
}

#[test]
fn the_everything_server_keeps_them_over_stdio() {
    let Some(peers) = Peers::installed() else { return };
    keeps_the_contracts(&[vec!["--".to_owned()], peers.everything("stdio")].concat());
}

#[test]
fn the_everything_server_keeps_them_over_http() {
    let Some(peers) = Peers::installed() else { return };
    let port = free_port();
    let (url, env) = (format!("http://127.0.0.1:{port}/mcp"), format!("PORT={port}"));
    let target = ["--env", &env, "--url", &url, "--"].map(str::to_owned).to_vec();
    keeps_the_contracts(&[target, peers.everything("streamableHttp")].concat());
}

/// The client of the SDK always offers the newest revision that it speaks, and is to say nothing wrong.
#[test]
fn a_client_on_the_typescript_sdk_says_what_they_demand() {
    let Some(peers) = Peers::installed() else { return };
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "cases_for_the_typescript_sdk");
    let script = folder.word("cases.json");
    std::fs::write(&script, scripts(&cases()).to_string()).expect("it can be written");
    let client = format!("{} {script}", peers.client_of("cases.mjs"));
    let words = ["cases", "verify-client"].into_iter().chain(CONTRACTS);
    let words =
        words.chain(["--skip-tag", "negotiation", "--skip-tag", "malformed", "--command", &client]);
    let run = mcp_test(words.map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
}

/// The runner is a client, too: what it says to a server, it says to the cases in the server's place.
#[test]
fn our_client_says_what_they_demand() {
    let [example, everything] = CONTRACTS;
    for (contract, file) in [
        (example, example.to_owned()),
        (everything, format!("{everything}/$MCP_CONFORMANCE_SCENARIO.yaml")),
    ] {
        let client = format!("{MCP_TEST} cases run --skip-tag malformed {file} --url");
        let run = mcp_test([
            "cases",
            "verify-client",
            contract,
            "--skip-tag",
            "malformed",
            "--command",
            &client,
        ]);
        assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    }
}

/// The cases as the client reads them: by the name of their file.
fn scripts(cases: &Cases) -> Value {
    let mut scripts: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    // What is wrong on purpose, a client has no reason to say.
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
        scripts.entry(file).or_default().push(json!({ "names": names, "messages": messages }));
    }
    json!(scripts)
}
