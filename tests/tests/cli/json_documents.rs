//! The JSON that the commands print and write conforms to `mcp-test/schemas`, whose objects allow no other members.

use std::fs;
use std::path::Path;

use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::{Run, Serving, free_port};
use serde_json::{Value, json};

use crate::program::{MCP_TEST, mcp_test};

/// The schema of this name.
fn schema(name: &str) -> Value {
    let file = format!("../mcp-test/schemas/{name}.schema.json");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
    parsed(&text.unwrap_or_else(|why| panic!("{name}: {why}")))
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// Checks that documents conform to the schema of this name, with their version, and would not with another member.
#[track_caller]
fn assert_conform(name: &str, documents: impl IntoIterator<Item = Value>) {
    let validator = jsonschema::validator_for(&schema(name)).expect("it is a schema");
    for mut document in documents {
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
        document["other"] = json!(1);
        assert!(!validator.is_valid(&document), "another member is valid: {document:#}");
    }
}

fn document(run: &Run) -> Value {
    parsed(&run.stdout)
}

/// Runs with `--format json` and `-o`, and returns both documents.
fn run_documents(folder: &Folder, args: &[&str]) -> [Value; 2] {
    let out = folder.word("results");
    let end = args.iter().position(|arg| *arg == "--").unwrap_or(args.len());
    let mut args = args.to_vec();
    args.splice(end..end, ["--format", "json", "-o", &out]);
    let run = mcp_test(args);
    let summary = fs::read_to_string(folder.path().join("results/summary.json"));
    let summary = summary.unwrap_or_else(|why| panic!("{why}: {}", run.text(&[])));
    [document(&run), parsed(&summary)]
}

#[test]
fn each_object_of_a_schema_is_closed_and_described() {
    fn walk(name: &str, schema: &Value) {
        match schema {
            Value::Object(members) => {
                let is_object = schema["type"] == "object"
                    || schema["type"].as_array().is_some_and(|it| it.contains(&json!("object")));
                if is_object {
                    let others = &schema["additionalProperties"];
                    assert!(
                        *others == json!(false) || others["type"] == "integer",
                        "{name}: {schema:#}"
                    );
                }
                members.values().for_each(|member| walk(name, member));
            }
            Value::Array(items) => items.iter().for_each(|item| walk(name, item)),
            _ => {}
        }
    }
    for name in ["run", "list", "requirements", "lint", "validate", "trace"] {
        let schema = schema(name);
        jsonschema::meta::validate(&schema).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(schema["title"].is_string() && schema["description"].is_string(), "{name}");
        let id = schema["$id"].as_str().unwrap_or_default();
        assert!(id.ends_with(&format!("/mcp-test/schemas/{name}.schema.json")), "{id}");
        walk(name, &schema);
    }
}

#[test]
fn runs_against_a_server() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "json-server");
    let baseline = folder.word("known.yml");
    fs::write(&baseline, "server:\n  - ping:ping\n").expect("the folder is ours");
    let server = |faults: &[&'static str]| {
        let faults = faults.iter().flat_map(|fault| ["--fault", *fault]);
        let server = ["--", MCP_TEST, "reference", "server", "--stdio"].into_iter();
        server.chain(faults).collect::<Vec<&str>>()
    };
    let wrong = server(&[
        "error:ping:-32603",
        "error:prompts/get:-32603",
        "set:tools/list:/tools/0/name:7",
        "remove:initialize:/capabilities/completions",
    ]);
    let expecting = ["--expected-failures", &*baseline];
    let nobody = format!("http://127.0.0.1:{}/mcp", free_port());
    let parts = ["check", "--retries", "1", "--fail-fast", "--jobs", "1", "--shard", "1/1"];
    let runs: [Vec<&str>; 7] = [
        [&["check"][..], &expecting, &wrong].concat(),
        [&parts[..], &wrong].concat(),
        [&["server", "--suite", "all"][..], &wrong].concat(),
        [&["check", "--profile", "strict", "--spec-version", "2025-06-18"][..], &wrong].concat(),
        [&["check", "--timeout", "300ms"][..], &server(&["silent:tools/list"])].concat(),
        vec!["check", "--url", &nobody],
        vec!["check", "--reference", "--scenario", "ping"],
    ];
    for args in runs {
        assert_conform("run", run_documents(&folder, &args));
    }
}

#[test]
fn runs_against_a_client_and_of_cases() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "json-cases");
    let file = folder.word("contract.yaml");
    let case = r#"case: Ping
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": 1, "result": {"a": 1}}
"#;
    fs::write(&file, case).expect("the folder is ours");
    let client = format!("{MCP_TEST} reference client");
    let server = ["--", MCP_TEST, "reference", "server", "--stdio"];
    let runs: [Vec<&str>; 4] = [
        vec!["client", "--command", &client, "--suite", "core"],
        vec!["client", "--command", "true", "--scenario", "initialize"],
        [&["cases", "run", &file][..], &server].concat(),
        vec!["cases", "verify-client", &file, "--command", "true"],
    ];
    for args in runs {
        assert_conform("run", run_documents(&folder, &args));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "json-interrupted");
    let peer = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/signals.sh");
    let peer = peer.to_string_lossy();
    let args = ["server", "--scenario", "ping", "--spec-version", "2025-11-25", "--", "sh", &peer];
    let documents = run_documents(&folder, &[&args[..], &["INT"]].concat());
    assert_eq!(documents[0]["interrupted"], true);
    assert_conform("run", documents);
}

#[test]
fn lists_and_requirements() {
    let list: [&[&str]; 5] = [
        &[],
        &["--server", "--spec-version", "2024-11-05"],
        &["--authorization"],
        &["--faults"],
        &["--fixtures"],
    ];
    for args in list {
        let run = mcp_test([&["list", "--format", "json"], args].concat());
        assert_conform("list", [document(&run)]);
    }
    for words in [&[][..], &["mcp-test"], &["xyzzy"]] {
        let run = mcp_test([&["requirements", "--format", "json"], words].concat());
        assert_conform("requirements", [document(&run)]);
    }
}

#[test]
fn validated_messages_and_linted_cases() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "json-files");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("the folder is ours");
        folder.word(name)
    };
    let good = write("good.json", r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#);
    let lines = write(
        "bad.jsonl",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\nnoise\n\
         {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":7}]},\"id\":2}\n\
         {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n",
    );
    let options = ["validate", "--format", "json", "--spec-version", "2025-11-25"];
    for args in [&["--as", "Tool", &*good][..], &[&good], &[&lines]] {
        assert_conform("validate", [document(&mcp_test([&options, args].concat()))]);
    }
    let fine = write(
        "fine.yaml",
        "case: A\nin: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\nout: {\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}\n",
    );
    let odd = write(
        "odd.yaml",
        "case: A\n_x: 1\nin: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"pin\"}\n---\ncase: A\n",
    );
    let broken = write("broken.yaml", "cse: A\n");
    for files in [&[&*fine][..], &[&fine, &odd, &broken]] {
        let run = mcp_test([&["cases", "lint", "--format", "json"], files].concat());
        assert_conform("lint", [document(&run)]);
    }
}

#[test]
fn each_line_of_a_trace() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "json-trace");
    let http = Serving::reference(MCP_TEST, &[]);
    let lines = ["--", MCP_TEST, "reference", "server", "--stdio", "--fault", "noise:tools/list:x"];
    for (target, kinds) in [
        (&lines[..], &["opened", "message", "noise", "closed", "exited"][..]),
        (&["--url", &http.url], &["http-request", "http-response", "sse-event"]),
    ] {
        let trace = folder.word(&format!("{}.jsonl", kinds[0]));
        let select = ["check", "--spec-version", "2025-11-25", "--record", &trace];
        let run = mcp_test(select.iter().chain(target));
        let text =
            fs::read_to_string(&trace).unwrap_or_else(|why| panic!("{why}: {}", run.text(&[])));
        let lines: Vec<Value> = text.lines().map(parsed).collect();
        for kind in kinds {
            let has = lines.iter().any(|line| line["what"] == *kind);
            assert!(has, "no `{kind}`: {}", run.text(&[]));
        }
        assert_conform("trace", lines);
    }
}
