//! An official schema that is loaded while the guard is in use.

use mcp_test_core::spec::Revision;
use mcp_test_core::spec::schema::{Authority, SchemaError, Schemas, json_schema};
use tokio::io::{AsyncReadExt, AsyncWriteExt, split};

use super::ROOM;
use crate::guard::Guard;

const REVISION: Revision = Revision::V2025_06_18;
const CALL: &str =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}\n";

/// A schema by which a call has this member.
fn requires(member: &str) -> String {
    let mut document = json_schema(REVISION, Authority::Schema);
    document["$defs"]["CallToolRequestParams"]["required"] = serde_json::json!(["name", member]);
    document.to_string()
}

#[tokio::test]
async fn a_schema_that_is_loaded_applies_to_streams_in_use() {
    let guard = Guard::new(REVISION);
    let clone = guard.clone();
    let (peer, inner) = tokio::io::duplex(ROOM);
    let mut io = guard.io(inner);
    let (mut peer_reads, mut peer_writes) = split(peer);
    // Sends a call, then one that is always valid, and returns what reached the handler and what was answered.
    let mut passes = async || {
        let valid = CALL.replace("\"x\"", "\"x\",\"a\":1,\"b\":1");
        peer_writes.write_all(format!("{CALL}{valid}").as_bytes()).await.unwrap();
        let mut handled = vec![0; valid.len()];
        io.read_exact(&mut handled).await.unwrap();
        if handled.starts_with(CALL.as_bytes()) {
            let mut rest = vec![0; CALL.len()];
            io.read_exact(&mut rest).await.unwrap();
            return "passes".to_owned();
        }
        let mut answer = vec![0; 1024];
        let length = peer_reads.read(&mut answer).await.unwrap();
        String::from_utf8(answer[..length].to_vec()).unwrap()
    };
    assert_eq!(passes().await, "passes");
    clone.load_schema(REVISION, requires("a").as_bytes()).unwrap();
    let answer = passes().await;
    assert!(
        answer.contains("/params/a") && answer.contains("\"keyword\":\"required\""),
        "{answer}"
    );
    // Another one replaces it, and one that cannot be used does not.
    guard.load_schema(REVISION, requires("b").as_bytes()).unwrap();
    assert!(passes().await.contains("/params/b"));
    let other = json_schema(Revision::NEWEST, Authority::Schema).to_string();
    let failed = guard.load_schema(REVISION, other.as_bytes());
    assert!(matches!(failed, Err(SchemaError::OtherRevision { .. })), "{failed:?}");
    assert!(guard.load_schema(REVISION, b"{").is_err());
    assert!(passes().await.contains("/params/b"));
}

#[tokio::test]
async fn a_schema_that_is_loaded_replaces_those_of_its_revision_only() {
    let given = Schemas::ours().load(REVISION, requires("a").as_bytes()).unwrap();
    let other = Revision::V2025_11_25;
    let guard = Guard::new(REVISION).schemas(given.clone());
    guard.load_schema(other, json_schema(other, Authority::Schema).to_string().as_bytes()).unwrap();
    assert!(super::answered(&guard, CALL).await.contains("/params/a"));
    // Two guards with the same schemas do not share what is loaded later.
    let second = Guard::new(REVISION).schemas(given);
    guard.load_schema(REVISION, requires("b").as_bytes()).unwrap();
    assert!(super::answered(&second, CALL).await.contains("/params/a"));
    assert!(super::answered(&guard, CALL).await.contains("/params/b"));
}
