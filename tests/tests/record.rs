//! One's own tests, recorded as MCP Cases and as traces.
//!
//! Those of `recorded` write files, so they are ignored; tests run them by starting this binary again.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use mcp_test::client::{ClientTask, ScriptedClient};
use mcp_test::prelude::*;
use mcp_test::server::calls;
use mcp_test::server::reference::everything;
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::run as run_program;

const MCP_TEST: &str = env!("CARGO_BIN_EXE_mcp-test-under-test");

/// The variable with the file to which the tests below record, and the secret that one of them repeats.
const FILE: &str = "RECORD_TESTS_FILE";
const SECRET: (&str, &str) = ("RECORD_TESTS_API_TOKEN", "tok-93b1-cc02-71fe");

mod recorded {
    //! Tests that record themselves.

    use super::*;

    fn file() -> String {
        std::env::var(FILE).expect("the outer test sets it")
    }

    #[mcp_scenario(target = || everything().target())]
    #[ignore = "writes a file"]
    async fn says_hello(ctx: &mut Ctx) -> Result<()> {
        ctx.call_tool("test_simple_text", json!({})).await?.assert_ok();
        ctx.record_cases(file())
    }

    #[mcp_scenario(target = || everything().target(), revisions = "2025-06-18..2025-11-25", transports = [duplex, router])]
    #[ignore = "writes a file"]
    async fn pings(ctx: &mut Ctx) -> Result<()> {
        ctx.ping().await?.assert_ok();
        ctx.record_cases(file())
    }

    #[mcp_scenario(client = || calls_with(SECRET.1))]
    #[ignore = "writes a file"]
    async fn a_client(server: &mut ServerCtx) -> Result<()> {
        let answer = json!({"content": [{"type": "text", "text": "3"}]});
        server.given(calls("add")).respond_with(answer);
        server.run_client().await?;
        server.received().assert_call("add").assert_times(1);
        server.record_cases(file())
    }

    #[mcp_scenario(target = || everything().target())]
    #[ignore = "writes a file"]
    async fn fails(ctx: &mut Ctx) -> Result<()> {
        ctx.list_tools().await?.assert_tool("no_such_tool");
        Ok(())
    }

    fn calls_with(text: &'static str) -> ClientTarget {
        let client = ScriptedClient::new(move |task: ClientTask| async move {
            let mut client = task.connect(task.options()).await?;
            let call = json!({"name": "add", "arguments": {"note": text}});
            client.request("tools/call", call).await?.result()?;
            client.end().await;
            Ok(())
        });
        client.target()
    }
}

/// Runs one of the tests above with these variables.
fn run(test: &str, variables: &[(&str, &Path)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("a test binary"));
    command.args(["--exact", &format!("recorded::{test}"), "--include-ignored", "--nocapture"]);
    for variable in ["MCP_TEST_RECORD", "MCP_TEST_TIMEOUT", "RUST_BACKTRACE", "NEXTEST"] {
        command.env_remove(variable);
    }
    command.env(SECRET.0, SECRET.1);
    command.envs(variables.iter().copied()).output().expect("it starts")
}

fn assert_passes(test: &str, variables: &[(&str, &Path)]) {
    let output = run(test, variables);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn folder(name: &str) -> Folder {
    Folder::new(env!("CARGO_TARGET_TMPDIR"), &format!("record-{name}"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the cases in a file.
fn names(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("case: ")).collect()
}

#[test]
fn a_test_becomes_a_case_that_the_same_server_passes() {
    let folder = folder("cases");
    let file = folder.path().join("contracts/cases.yaml");
    for test in ["says_hello", "pings", "says_hello", "pings"] {
        assert_passes(test, &[(FILE, &file)]);
    }
    let text = read(&file);
    let pings = [
        "2025-06-18 over duplex",
        "2025-06-18 over router",
        "2025-11-25 over duplex",
        "2025-11-25 over router",
    ];
    let expected = pings.map(|place| format!("pings at {place}"));
    assert_eq!(names(&text)[0], "says_hello");
    assert_eq!(names(&text)[1..], expected.each_ref().map(String::as_str));
    let run = run_program(
        MCP_TEST,
        ["cases", "run", &folder.word("contracts/cases.yaml"), "--reference"],
    );
    assert_eq!(run.code, 0, "{}", run.text(&[]));

    // Whoever has changed a case keeps it.
    let changed = text.replacen("case: says_hello", "# Ours.\ncase: says_hello", 1);
    fs::write(&file, &changed).expect("the folder is ours");
    assert_passes("says_hello", &[(FILE, &file)]);
    assert_eq!(read(&file), changed);
}

#[test]
fn a_test_of_a_client_is_recorded_without_secrets() {
    let folder = folder("client");
    let file = folder.path().join("cases.yaml");
    assert_passes("a_client", &[(FILE, &file), ("MCP_TEST_RECORD", folder.path())]);
    let recorded =
        ["cases.yaml", "record-recorded-a_client.yaml", "record-recorded-a_client.jsonl"];
    for text in recorded.map(|name| read(&folder.path().join(name))) {
        assert!(text.contains("note") && !text.contains(SECRET.1), "{text}");
    }
}

#[test]
fn all_tests_are_recorded_in_a_folder_also_those_that_fail() {
    let folder = folder("all");
    let variable = [("MCP_TEST_RECORD", folder.path())];
    let output = run("fails", &variable);
    assert!(!output.status.success());
    let stem = folder.path().join("record-recorded-fails");
    let trace = stem.with_extension("jsonl");
    assert!(read(&trace).contains("tools/list"));
    let run = run_program(MCP_TEST, ["validate", trace.to_str().expect("UTF-8")]);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    assert_eq!(names(&read(&stem.with_extension("yaml"))), ["fails"]);
}

#[test]
fn what_cannot_be_recorded_fails_the_test() {
    let folder = folder("refused");
    let file = folder.path().join("cases.yaml");
    fs::write(&file, "case: [").expect("the folder is ours");
    for (variables, part) in [
        (&[(FILE, file.as_path())][..], "`record_cases`: "),
        (
            &[(FILE, folder.path().join("a.yaml").as_path()), ("MCP_TEST_RECORD", file.as_path())],
            "MCP_TEST_RECORD: cannot create ",
        ),
    ] {
        let output = run("says_hello", variables);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(part), "{text}");
    }
    assert_eq!(read(&file), "case: [");
}
