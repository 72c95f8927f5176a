//! What a case means: on a good server it passes, whatever way it says it.

use super::*;
use crate::server::reference::everything;

/// A call, as the reference server answers it.
const CALL: &str = r#"
case: Says hello
in: {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "test_simple_text", "arguments": {}}}
out: {"jsonrpc": "2.0", "id": "a", "result": {"content": [{"type": "text", "text": "This is a simple text response for testing."}]}}
"#;

#[tokio::test]
async fn a_case_without_a_handshake_gets_one_in_either_era_and_over_every_carrier() {
    let stage = Stage::of(&everything());
    for revision in Revision::ALL {
        for carrier in stage.target.carriers() {
            let rows = stage.clone().at(revision).over(carrier).only(CALL).await;
            assert_eq!(rows, "SUCCESS out\nSUCCESS unexpected", "{revision} over {carrier}");
        }
    }
}

#[tokio::test]
async fn a_case_makes_the_handshake_itself_and_goes_on_in_what_was_agreed() {
    let text = r#"
case: Initialization lifecycle
in_request_to_initialize: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "case", "version": "1"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18"}}
in_notification_initialized: {"jsonrpc": "2.0", "method": "notifications/initialized"}
in_list: {"jsonrpc": "2.0", "method": "tools/list", "id": 1}
out_list: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
_match: {out: contains, out_list: contains}
"#;
    let scenario = of(text)[0];
    assert!(scenario.opens);
    assert_eq!(scenario.revisions.to_string(), "2025-06-18");
    let stage = Stage::of(&everything()).at(Revision::V2025_06_18);
    for carrier in stage.target.carriers() {
        let ended = stage.clone().over(carrier).play(scenario).await;
        let rows: Vec<&str> = ended.checks.iter().map(|it| it.status.as_str()).collect();
        assert_eq!(rows, ["SUCCESS"; 3], "{carrier}: {:#?}", ended.checks);
        assert_eq!(ended.judged, [], "{carrier}");
        let handshakes = ended.trace.messages().filter(|(_, it)| it.method() == Some("initialize"));
        assert_eq!(handshakes.count(), 1);
    }
}

#[tokio::test]
async fn what_the_era_adds_is_tolerated_unless_the_rules_are_strict() {
    let stage = Stage::of(&everything()).at(Revision::NEWEST);
    assert_eq!(stage.only(CALL).await, "SUCCESS out\nSUCCESS unexpected");
    let strict = stage.strictly().only(CALL).await;
    assert!(strict.contains("/result/resultType"), "{strict}");
}
