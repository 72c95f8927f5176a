//! `--schema`: official schemas instead of the built-in shapes.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

use mcp_test::spec::Revision;
use mcp_test::spec::schema::{Authority, json_schema};
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::free_port;
use serde_json::{Value, json};

use crate::program::{MCP_TEST, mcp_test};

/// A schema in the form of the official one of 2025-11-25.
fn schema() -> Value {
    json_schema(Revision::V2025_11_25, Authority::Schema)
}

/// A schema that requires a member that no tool has.
fn demanding() -> Value {
    let mut schema = schema();
    schema["$defs"]["Tool"]["required"] = json!(["name", "inputSchema", "motto"]);
    schema
}

/// Serves one document; returns its URL.
fn served(document: &Value) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let body = document.to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines();
            while lines.next().and_then(Result::ok).is_some_and(|line| !line.is_empty()) {}
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            let _ = (&stream).write_all(format!("{head}{body}").as_bytes());
        }
    });
    format!("http://{address}/schema.json")
}

const CHECK: [&str; 6] =
    ["check", "--reference", "--scenario", "tools-list", "--spec-version", "2025-11-25"];

#[test]
fn a_schema_is_used_from_a_file_and_from_a_url() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "schema-loaded");
    for (document, code) in [(schema(), 0), (demanding(), 1)] {
        let file = folder.word("schema.json");
        fs::write(&file, document.to_string()).expect("it can be written");
        for place in [file, served(&document)] {
            let given = format!("2025-11-25={place}");
            let run = mcp_test(CHECK.iter().chain(&["--schema", &given]));
            let text = run.text(&[]);
            assert_eq!(run.code, code, "{text}");
            assert_eq!(
                text.contains("/inputSchema") || text.contains("/motto"),
                code == 1,
                "{text}"
            );
        }
    }
}

#[test]
fn a_schema_applies_to_one_revision_and_to_clients_too() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "schema-clients");
    let mut document = schema();
    document["$defs"]["Implementation"]["required"] = json!(["name", "version", "motto"]);
    let file = folder.word("schema.json");
    fs::write(&file, document.to_string()).expect("it can be written");
    let client = format!("'{MCP_TEST}' reference client");
    for (revision, code) in [("2025-06-18", 0), ("2025-11-25", 1)] {
        let words = ["client", "--command", &client, "--scenario", "tools_call"];
        let given = format!("2025-11-25={file}");
        let options = ["--spec-version", revision, "--schema", &given];
        let run = mcp_test(words.iter().chain(&options));
        assert_eq!(run.code, code, "{}", run.text(&[]));
    }
}

#[test]
fn a_file_is_validated_against_a_schema() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "schema-validate");
    let (file, tool) = (folder.word("schema.json"), folder.word("tool.json"));
    fs::write(&file, demanding().to_string()).expect("it can be written");
    fs::write(&tool, r#"{"name":"add","inputSchema":{"type":"object"}}"#)
        .expect("it can be written");
    let given = format!("2025-11-25={file}");
    let words = ["validate", "--spec-version", "2025-11-25", "--as", "Tool", "--schema", &given];
    let run = mcp_test(words.iter().chain(&[tool.as_str()]));
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    insta::assert_snapshot!(run.text(&[(&tool, "[file]")]), @"
    the value is not valid as Tool of MCP 2025-11-25
      expected `/motto` is present
      got nothing
      Tool: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool

    [file]: 1 validated against MCP 2025-11-25, 0 valid, 1 invalid
    ");
}

#[test]
fn nothing_is_run_with_a_schema_that_cannot_be_loaded() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "schema-refused");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("it can be written");
        format!("2025-11-25={}", folder.word(name))
    };
    let nobody = format!("2025-11-25=http://127.0.0.1:{}/schema.json", free_port());
    let refused = |given: &str, code: i32| {
        let run = mcp_test(CHECK.iter().chain(&["--schema", given]));
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{given}: {}", run.text(&[]));
        let port = nobody.split(['/', ':']).find(|word| word.parse::<u16>().is_ok());
        run.text(&[(&folder.word(""), "[folder]/"), (port.unwrap_or_default(), "[port]")])
    };
    insta::assert_snapshot!(refused("schema.json", 2), @"
    error: invalid value 'schema.json' for '--schema <REVISION=PATH|URL>': expected REVISION=PATH or REVISION=URL, such as `2025-11-25=schema.json`

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("2025-11-26=schema.json", 2), @"
    error: invalid value '2025-11-26=schema.json' for '--schema <REVISION=PATH|URL>': `2025-11-26` is not a revision of MCP; the revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused(&format!("2025-11-25={}", folder.word("none.json")), 2), @"error: --schema: cannot read the schema [folder]/none.json: No such file or directory (os error 2)");
    insta::assert_snapshot!(refused(&write("page.json", "<html>"), 2), @"error: --schema: cannot validate MCP 2025-11-25 against [folder]/page.json: the schema is not JSON: line 1, column 1: expected a value, found `<`");
    insta::assert_snapshot!(refused(&write("other.json", "{\"$defs\":{\"A\":{}}}"), 2), @"error: --schema: cannot validate MCP 2025-11-25 against [folder]/other.json: this is not a schema of MCP: it does not define JSONRPCMessage");
    insta::assert_snapshot!(refused(&nobody, 3), @"error: --schema: cannot fetch the schema http://127.0.0.1:[port]/schema.json: connection refused: nothing listens there");
}

#[test]
#[ignore = "needs the official schemas, in MCP_TEST_OFFICIAL_SCHEMAS"]
fn the_official_schemas_are_loaded() {
    let folder = std::env::var_os("MCP_TEST_OFFICIAL_SCHEMAS")
        .expect("MCP_TEST_OFFICIAL_SCHEMAS names the folder that has <revision>/schema.json");
    for revision in Revision::ALL {
        let path = std::path::Path::new(&folder).join(revision.as_str()).join("schema.json");
        let given = format!("{revision}={}", path.display());
        let words = ["check", "--reference", "--scenario", "tools-list", "--schema", &given];
        let run = mcp_test(words.iter().chain(&["--spec-version", revision.as_str()]));
        assert_eq!(run.code, 0, "{}", run.text(&[]));
    }
}
