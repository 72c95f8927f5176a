//! Failures of assertions about what a server declares.

use serde_json::json;

use super::message;
use crate::check::{Blame, Finding};
use crate::client::{DeclaredServer, ServerFacts};
use crate::spec::{Capability, Revision};
use crate::trace::Recorder;

fn server() -> DeclaredServer {
    let mut facts = ServerFacts::unknown(Revision::V2025_11_25);
    facts.info = json!({"name": "notes", "version": "1.0.0"}).into();
    facts.capabilities = json!({"tools": {"listChanged": true}, "logging": {}}).into();
    facts.instructions = Some("Keeps notes.".to_owned());
    DeclaredServer::new(facts, Recorder::new())
}

#[test]
fn servers() {
    let server = server()
        .assert_name("notes")
        .assert_version("1.0.0")
        .assert_instructions("notes")
        .assert_revision(Revision::V2025_11_25)
        .assert_declares(Capability::ToolsListChanged)
        .assert_declares("tools")
        .assert_not_declares(Capability::Prompts)
        .assert_capability("/tools/listChanged", true);
    insta::assert_snapshot!(message(server.clone().try_name("memos")), @r#"
    the server has an unexpected name
      expected the name "memos"
      got "notes"
    "#);
    insta::assert_snapshot!(message(server.clone().try_version("2.0.0")), @r#"
    the server has an unexpected version
      expected the version "2.0.0"
      got "1.0.0"
    "#);
    insta::assert_snapshot!(message(server.clone().try_title("Notes")), @r#"
    the server has an unexpected title
      expected the title "Notes"
      got nothing
    "#);
    insta::assert_snapshot!(message(server.clone().try_instructions("memos")), @r#"
    the server has unexpected instructions
      expected instructions that contain "memos"
      got "Keeps notes."
    "#);
    insta::assert_snapshot!(message(server.clone().try_revision(Revision::V2025_06_18)), @"
    the conversation has an unexpected revision
      expected 2025-06-18
      got 2025-11-25
    ");
    insta::assert_snapshot!(message(server.clone().try_declares(Capability::Prompts)), @r#"
    the server does not declare `prompts`
      expected `prompts` declared
      got the capabilities {"logging":{},"tools":{"listChanged":true}}
    "#);
    insta::assert_snapshot!(message(server.clone().try_not_declares(Capability::Logging)), @r#"
    the server declares `logging`
      expected `logging` not declared
      got the capabilities {"logging":{},"tools":{"listChanged":true}}
    "#);
    let mistake = |tried: Result<DeclaredServer, Finding>| {
        let finding = tried.expect_err("no capability has that name");
        assert_eq!(finding.blame, Blame::Test);
        finding.to_string()
    };
    insta::assert_snapshot!(mistake(server.clone().try_declares("tool")), @"
    no capability named `tool`
      expected the dotted name of a capability of MCP, such as `tools.listChanged`
      hint: did you mean `tools`?
    ");
    insta::assert_snapshot!(mistake(server.clone().try_not_declares("com.example/pictures")), @"
    no capability named `com.example/pictures`
      expected the dotted name of a capability of MCP, such as `tools.listChanged`
      hint: `assert_capability` looks at any member of `capabilities`
    ");
    insta::assert_snapshot!(message(server.try_capability("/tools/listChanged", false)), @"
    the capabilities of the server are not as expected
      expected `/tools/listChanged` is false
      got true
    ");
    let unknown = ServerFacts::unknown(Revision::V2026_07_28);
    let unknown = DeclaredServer::new(unknown, Recorder::new());
    insta::assert_snapshot!(message(unknown.try_declares(Capability::Tools)), @"
    the server does not declare `tools`
      expected `tools` declared
      got no capabilities
    ");
}
