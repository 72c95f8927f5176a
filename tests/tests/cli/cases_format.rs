//! The two examples in the description of MCP Cases, as one contract for servers and clients.

use std::fs;

use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::Run;

use crate::program::{MCP_TEST, mcp_test};

/// Both examples, as they are written there.
const EXAMPLES: &str = r#"
case: List tools

# when Client requests list of tools
in: {"jsonrpc": "2.0", "method": "tools/list", "id": 1}

# then Server gives one tool in the list
out:
  {
    "jsonrpc": "2.0",
    "result":
      {
        "tools":
          [
            {
              "description": "Lists files in the current directory",
              "inputSchema": { "type": "object" },
              "name": "list-current-dir-files",
            },
          ],
      },
    "id": 1,
  }
---
case: Initialization lifecycle

# Client requesting initialization
in_request_to_initialize: {
  "jsonrpc": "2.0",
  "id": 1,
  "method": "initialize",
  "params": {
    "protocolVersion": "2024-11-05",
    "capabilities": {}, # made it emptier for brevity
    "clientInfo": {
      "name": "ExampleClient",
      "version": "1.0.0"
    }
  }
}

# Server responding to initialization
out: {
  "jsonrpc": "2.0",
  "id": 1,
  "result": {
    "protocolVersion": "2024-11-05",
    "capabilities": {}, # made it emptier for brevity
    "serverInfo": {
      "name": "ExampleServer",
      "version": "1.0.0"
    }
  }
}

# Clint notifies that initialization is done
in_notification_initialized: {
  "jsonrpc": "2.0",
  "method": "notifications/initialized"
}

---
#  ... other cases ...
"#;

/// A file with a text.
struct Contract {
    _folder: Folder,
    path: String,
}

impl Contract {
    fn new(name: &str, text: &str) -> Self {
        let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), &format!("cases-format-{name}"));
        let path = folder.word("examples.yaml");
        fs::write(&path, text).expect("the folder is ours");
        Self { _folder: folder, path }
    }

    fn cases(&self, command: &str, options: &[&str]) -> Run {
        mcp_test(["cases", command, &self.path].iter().chain(options))
    }

    /// Runs the cases against a mock of them.
    fn run_on_mock(&self) -> Run {
        self.cases("run", &["--", MCP_TEST, "cases", "serve", &self.path])
    }

    /// Verifies the reference client with them.
    fn verify_client(&self) -> Run {
        let client = format!("{MCP_TEST} reference client");
        self.cases("verify-client", &["--strict", "--command", &client])
    }
}

/// The examples, with what the handshake has to declare.
fn completed() -> String {
    let (before, reply) = EXAMPLES.split_once("# Server responding").expect("a reply");
    let declared = reply.replacen("\"capabilities\": {}", "\"capabilities\": {\"tools\":{}}", 1);
    format!("{before}# Server responding{declared}")
}

#[test]
fn the_missing_capability_of_the_examples_is_a_warning_that_says_what_to_write() {
    let lint = Contract::new("lint", EXAMPLES).cases("lint", &[]);
    assert_eq!(lint.code, 0, "{}", lint.text(&[]));
    for part in [
        "warning[undeclared-capability]: `tools/list` needs the capability `tools`",
        "write `\"capabilities\": {\"tools\":{}}`",
        "2 cases in 1 file: 1 warning",
    ] {
        assert!(lint.stdout.contains(part), "{part} in {}", lint.stdout);
    }
}

#[test]
fn the_completed_examples_are_played_on_both_sides() {
    let contract = Contract::new("both", &completed());
    for run in
        [contract.cases("lint", &["--strict"]), contract.run_on_mock(), contract.verify_client()]
    {
        assert_eq!(run.code, 0, "{}", run.text(&[]));
    }
}

#[test]
fn a_client_that_proposes_another_version_gets_that_of_the_case_which_is_that_of_the_run() {
    let contract = Contract::new("version", &completed());
    let client = format!("MCP_CONFORMANCE_PROTOCOL_VERSION=2025-11-25 {MCP_TEST} reference client");
    for options in [&[][..], &["--spec-version", "2024-11-05"]] {
        let run = contract.cases("verify-client", &[&["--command", &client][..], options].concat());
        // This client accepts no other version than its own.
        assert_eq!(run.code, 1, "{}", run.text(&[]));
        for part in [
            r#""protocolVersion":"2025-11-25"}"#,
            r#"client ← server  result {"protocolVersion":"2024-11-05""#,
            "examples [2024-11-05 http]",
        ] {
            assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
        }
    }
}
