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
    let listed = request(&serving, &["--list"]);
    // A few of what the server offers.
    let shown = [
        "MCP ",
        " add(",
        "json_schema_2020_12_tool",
        "static-text",
        "{id}",
        "args-prompt",
        "simple-prompt",
    ];
    let headings = ["Tools (", "Resources (", "Resource templates (", "Prompts ("];
    let lines = listed.lines().filter(|line| shown.iter().any(|part| line.contains(part)));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
    mcp-test-everything 0.1.0, MCP 2026-07-28
      json_schema_2020_12_tool(address?, contactMethod?, email?, name?, phone?)  Takes a name, an address and a way of contact.
      add(a, b)                         Adds two numbers.
      test://static-text                A piece of text that never changes.
      test://template/{id}/data         Some data about the thing with that id.
      simple-prompt()                   A prompt without arguments.
      args-prompt(city, state?)         A prompt with an argument that is required and one that is not.
    ");
    assert!(headings.iter().all(|heading| listed.contains(&format!("\n\n{heading}"))), "{listed}");
    let list = mcp_test(["reference", "client", &serving.url, "--list", "--json"]);
    let list = mcp_test::json::Value::parse(list.stdout.as_bytes()).expect("JSON").value;
    let members: Vec<&str> = list.as_object().expect("an object").keys().collect();
    assert_eq!(members, ["tools", "resources", "resourceTemplates", "prompts"]);
}

#[test]
fn it_calls_a_tool() {
    let serving = Serving::reference(MCP_TEST, &[]);
    let add = ["--call", "add", "--arguments", r#"{"a": 1, "b": 2}"#];
    assert_snapshot!(request(&serving, &add), @"
    exit code 0
    stdout:
    3
    ");
    assert_snapshot!(request(&serving, &[&add[..], &["--json"]].concat()), @r#"
    exit code 0
    stdout:
    {
      "content": [
        {
          "text": "3",
          "type": "text"
        }
      ],
      "resultType": "complete",
      "_meta": {
        "io.modelcontextprotocol/serverInfo": {
          "name": "mcp-test-everything",
          "version": "0.1.0"
        }
      }
    }
    "#);
    assert_snapshot!(request(&serving, &["--call", "test_multiple_content_types"]), @r#"
    exit code 0
    stdout:
    Multiple content types test:
    [image image/png, 96 characters of Base64]
    {"test":"data","value":123}
    "#);
    assert_snapshot!(request(&serving, &["--call", "test_error_handling"]), @"
    exit code 1
    stderr:
    error: This tool intentionally returns an error for testing
    ");
    assert_snapshot!(request(&serving, &["--call", "test_error_handling", "--json"]), @r#"
    exit code 1
    stdout:
    {
      "content": [
        {
          "text": "This tool intentionally returns an error for testing",
          "type": "text"
        }
      ],
      "isError": true,
      "resultType": "complete",
      "_meta": {
        "io.modelcontextprotocol/serverInfo": {
          "name": "mcp-test-everything",
          "version": "0.1.0"
        }
      }
    }
    stderr:
    error: This tool intentionally returns an error for testing
    "#);
    assert_snapshot!(request(&serving, &["--call", "unheard_of"]), @"
    exit code 1
    stderr:
    error: `tools/call` is refused with -32602: unknown tool: unheard_of
    ");
}

#[test]
fn it_reads_a_resource() {
    let serving = Serving::reference(MCP_TEST, &[]);
    assert_snapshot!(request(&serving, &["--read", "test://static-text"]), @"
    exit code 0
    stdout:
    This is the content of the static text resource.
    ");
    assert_snapshot!(request(&serving, &["--read", "test://static-binary"]), @"
    exit code 0
    stdout:
    [resource image/png, 96 characters of Base64]
    ");
    assert_snapshot!(request(&serving, &["--read", "test://nowhere"]), @r#"
    exit code 1
    stderr:
    error: `resources/read` is refused with -32602: resource not found
      data {"uri":"test://nowhere"}
    "#);
}

#[test]
fn it_gets_a_prompt() {
    let serving = Serving::reference(MCP_TEST, &[]);
    let prompt = ["--get-prompt", "test_prompt_with_arguments", "--arguments"];
    let with = |arguments| request(&serving, &[&prompt[..], &[arguments]].concat());
    assert_snapshot!(with(r#"{"arg1": "x", "arg2": "y"}"#), @"
    exit code 0
    stdout:
    user: Prompt with arguments: arg1='x', arg2='y'
    ");
    assert_snapshot!(with(r#"{"arg1": 1}"#), @"
    exit code 2
    stderr:
    error: --arguments: `arg1` must be a string, as all arguments of prompts, not a number
    ");
}

#[test]
fn it_speaks_the_newest_revision_that_the_server_speaks() {
    // Without `server/discover` the server is one of the handshake era.
    let serving = Serving::reference(MCP_TEST, &["error:server/discover:-32601"]);
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
    assert_snapshot!(wrong(&["--call", "add", "--arguments", "{a: 1}"]), @"
    error: invalid value '{a: 1}' for '--arguments <JSON>': not valid JSON: line 1, column 2: expected a member name in double quotes, found `a`

    For more information, try '--help'.
    ");
    assert_snapshot!(wrong(&["--call", "add", "--arguments", "[1]"]), @"
    error: invalid value '[1]' for '--arguments <JSON>': expected a JSON object, got an array

    For more information, try '--help'.
    ");
    assert_snapshot!(wrong(&["--arguments", "{}"]), @"
    error: the following required arguments were not provided:
      <--call <NAME>|--get-prompt <NAME>>

    Usage: mcp-test reference client --arguments <JSON> <URL|COMMAND> <--call <NAME>|--get-prompt <NAME>>

    For more information, try '--help'.
    ");
    assert_snapshot!(wrong(&["--list", "--call", "add"]), @"
    error: the argument '--list' cannot be used with '--call <NAME>'

    Usage: mcp-test reference client --list <URL|COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(wrong(&["--json"]), @"
    error: the following required arguments were not provided:
      <--list|--call <NAME>|--read <URI>|--get-prompt <NAME>>

    Usage: mcp-test reference client --json <URL|COMMAND> <--list|--call <NAME>|--read <URI>|--get-prompt <NAME>>

    For more information, try '--help'.
    ");
    assert_snapshot!(wrong(&["--list", "--fault", "no-header:tools/list:Mcp-Method"]), @"
    error: the argument '--list' cannot be used with '--fault <FAULT>'

    Usage: mcp-test reference client --list <URL|COMMAND>

    For more information, try '--help'.
    ");
    let run = mcp_test(["reference", "client", "localhost:3000", "--list"]);
    assert_snapshot!(format!("{} {}", run.code, run.stderr), @"2 error: localhost:3000: `localhost` is not HTTP; expected a URL such as http://localhost:3000/mcp");
}

#[test]
fn a_server_that_cannot_be_reached_is_no_verdict() {
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let run = mcp_test(["reference", "client", &url, "--list"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{}", run.stderr);
    assert_snapshot!(run.text(&[(&port.to_string(), "[port]")]), @"
    error: `server/discover` got no reply
      expected an HTTP response with a JSON-RPC response with id 1
      got an exchange that failed without an HTTP response: connection refused: nothing listens there
      hint: is the server running, and is this its URL?
    ");
}

#[test]
fn a_server_that_misbehaves_is_reported() {
    let silent = Serving::reference(MCP_TEST, &["never:tools/call"]);
    let call = request(&silent, &["--call", "test_simple_text", "--timeout", "300ms"]);
    assert_snapshot!(call, @"
    exit code 1
    stderr:
    error: `tools/call` was not answered
      expected a response with id 2 within 300 ms
      got nothing at all in that time
    ");
    let wrong = Serving::reference(MCP_TEST, &["set:tools/list:/tools:7"]);
    let listed = request(&wrong, &["--list"]);
    assert!(listed.starts_with("exit code 1\n") && listed.contains("\nPrompts ("), "{listed}");
    assert_snapshot!(listed.split_once("stderr:").map_or("", |(_, error)| error), @"

    error: the result of `tools/list` contains no list
      expected `/tools` is an array
      got 7, which is a number
    ");
}

#[test]
fn what_the_server_says_does_not_control_the_terminal() {
    let title = "set:tools/list:/tools/0/description:\"\\u001b]0;x\\u0007\\u202eabc\"";
    let serving = Serving::reference(MCP_TEST, &[title]);
    let listed = request(&serving, &["--list"]);
    assert!(!listed.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{listed:?}");
    assert!(listed.contains("·]0;x··abc"), "{listed}");
}

#[cfg(unix)]
#[test]
fn a_server_that_does_not_start_is_shown_with_its_stderr() {
    let failing = ["--", "sh", "-c", r"echo 'no such \033[31mport' >&2; exit 7"];
    let run = mcp_test([&["reference", "client", "--list"][..], &failing].concat());
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    assert_snapshot!(run.stderr, @"
    error: the connection ended before `initialize` was answered
      expected a response with id 1
      got the server ended with exit code 7
      the last lines on the server's stderr:
      | no such ·[31mport
    ");
}

#[test]
fn a_server_over_stdio_gets_the_request() {
    let server = ["--", MCP_TEST, "reference", "server", "--stdio"];
    let add = ["--call", "add", "--arguments", r#"{"a": 1, "b": 2}"#];
    let run = mcp_test([&["reference", "client"][..], &add, &server].concat());
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "3\n", ""));
}
