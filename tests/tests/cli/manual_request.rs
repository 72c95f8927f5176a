//! `mcp-test reference client URL` with `--list`, `--call`, `--read` and `--get-prompt`.

use insta::assert_snapshot;
use mcp_test_tests::program::{Serving, free_port};

use crate::program::{MCP_TEST, mcp_test};

/// Sends one request to a server, and returns the exit code and the output.
#[track_caller]
fn request(serving: &Serving, options: &[&str]) -> String {
    let run = mcp_test([&["reference", "client", &serving.url], options].concat());
    let out = |name: &str, text: &str| match text {
        "" => String::new(),
        text => format!("{name}:\n{text}"),
    };
    format!("exit code {}\n{}{}", run.code, out("stdout", &run.stdout), out("stderr", &run.stderr))
}

#[test]
fn it_lists_what_the_server_offers() {
    let serving = Serving::reference(MCP_TEST, &[]);
    assert_snapshot!(request(&serving, &["--list"]), @"");
    let list = mcp_test(["reference", "client", &serving.url, "--list", "--json"]);
    let list = mcp_test::json::Value::parse(list.stdout.as_bytes()).expect("JSON").value;
    let members: Vec<&str> = list.as_object().expect("an object").keys().collect();
    assert_eq!(members, ["tools", "resources", "resourceTemplates", "prompts"]);
}

#[test]
fn it_calls_a_tool() {
    let serving = Serving::reference(MCP_TEST, &[]);
    let add = ["--call", "add", "--arguments", r#"{"a": 1, "b": 2}"#];
    assert_snapshot!(request(&serving, &add), @"");
    assert_snapshot!(request(&serving, &[&add[..], &["--json"]].concat()), @"");
    assert_snapshot!(request(&serving, &["--call", "test_multiple_content_types"]), @"");
    assert_snapshot!(request(&serving, &["--call", "test_error_handling"]), @"");
    assert_snapshot!(request(&serving, &["--call", "test_error_handling", "--json"]), @"");
    assert_snapshot!(request(&serving, &["--call", "unheard_of"]), @"");
}

#[test]
fn it_reads_a_resource() {
    let serving = Serving::reference(MCP_TEST, &[]);
    assert_snapshot!(request(&serving, &["--read", "test://static-text"]), @"");
    assert_snapshot!(request(&serving, &["--read", "test://static-binary"]), @"");
    assert_snapshot!(request(&serving, &["--read", "test://nowhere"]), @"");
}

#[test]
fn it_gets_a_prompt() {
    let serving = Serving::reference(MCP_TEST, &[]);
    let prompt = ["--get-prompt", "test_prompt_with_arguments", "--arguments"];
    let with = |arguments| request(&serving, &[&prompt[..], &[arguments]].concat());
    assert_snapshot!(with(r#"{"arg1": "x", "arg2": "y"}"#), @"");
    assert_snapshot!(with(r#"{"arg1": 1}"#), @"");
}

#[test]
fn it_speaks_the_newest_revision_that_the_server_speaks() {
    // Without `server/discover` the server is one of the handshake era.
    let serving = Serving::reference(MCP_TEST, &["reply-error:server/discover:-32601"]);
    let listed = request(&serving, &["--list"]);
    assert!(listed.contains(", MCP 2025-11-25\n"), "{listed}");
}

#[test]
fn what_is_wrong_with_the_options_is_said_before_anything_is_sent() {
    let wrong = |options: &[&str]| {
        let run = mcp_test([&["reference", "client", "http://127.0.0.1:1/mcp"], options].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{options:?}: {}", run.stderr);
        run.stderr
    };
    assert_snapshot!(wrong(&["--call", "add", "--arguments", "{a: 1}"]), @"");
    assert_snapshot!(wrong(&["--call", "add", "--arguments", "[1]"]), @"");
    assert_snapshot!(wrong(&["--arguments", "{}"]), @"");
    assert_snapshot!(wrong(&["--list", "--call", "add"]), @"");
    assert_snapshot!(wrong(&["--json"]), @"");
    assert_snapshot!(wrong(&["--list", "--fault", "no-header:tools/list:Mcp-Method"]), @"");
    let run = mcp_test(["reference", "client", "localhost:3000", "--list"]);
    assert_snapshot!(format!("{} {}", run.code, run.stderr), @"");
}

#[test]
fn a_server_that_cannot_be_reached_is_no_verdict() {
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let run = mcp_test(["reference", "client", &url, "--list"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{}", run.stderr);
    assert_snapshot!(run.text(&[(&port.to_string(), "[port]")]), @"");
}

#[test]
fn a_server_that_misbehaves_is_reported() {
    let silent = Serving::reference(MCP_TEST, &["silent:tools/call"]);
    let call = request(&silent, &["--call", "test_simple_text", "--timeout", "300ms"]);
    assert_snapshot!(call, @"");
    let wrong = Serving::reference(MCP_TEST, &["set:tools/list:/tools:7"]);
    let listed = request(&wrong, &["--list"]);
    assert!(listed.starts_with("exit code 1\n") && listed.contains("\nPrompts ("), "{listed}");
    assert_snapshot!(listed.split_once("stderr:").map_or("", |(_, error)| error), @"");
}

#[test]
fn what_the_server_says_does_not_control_the_terminal() {
    let title = "set:tools/list:/tools/0/description:\"\\u001b]0;x\\u0007\\u202eabc\"";
    let refusal = "set:prompts/get:/messages/0/role:\"\\u001b[2J\"";
    let serving = Serving::reference(MCP_TEST, &[title, refusal]);
    let listed = request(&serving, &["--list"]);
    assert!(!listed.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{listed:?}");
    assert!(listed.contains("·]0;x··abc"), "{listed}");
}
