//! Violations have their location and definition, and the most relevant come first.

use serde_json::json;

#[cfg(feature = "schema")]
use crate::json;
use crate::spec::Revision;
#[cfg(feature = "schema")]
use crate::spec::schema::json_schema;
use crate::spec::schema::{Authority, Schemas};

fn violations_at(revision: Revision, definition: &str, value: serde_json::Value) -> String {
    let found = Schemas::ours().definition(definition, revision, Authority::Text);
    let found = found.unwrap_or_else(|| panic!("no {definition} at {revision}"));
    let violations = found.violations(&value.into());
    let lines = violations.iter().map(|violation| format!("{violation} ({})", violation.shape));
    lines.collect::<Vec<_>>().join("\n")
}

fn violations(definition: &str, value: serde_json::Value) -> String {
    violations_at(Revision::V2025_11_25, definition, value)
}

#[test]
fn violations_point_at_members() {
    insta::assert_snapshot!(violations("Tool", json!({"name": 1, "inputSchema": {"type": "array"}})), @r#"
    expected `/name` is a string, got 1, which is a number (Tool)
    expected `/inputSchema/type` is "object", got "array" (Tool)
    "#);
    insta::assert_snapshot!(violations("Tool", json!({})), @"
    expected `/name` is a string, got nothing (Tool)
    expected `/inputSchema` is an object, got nothing (Tool)
    ");
    insta::assert_snapshot!(violations("Tool", json!([])), @"expected the value is an object, got [], which is an empty array (Tool)");
    insta::assert_snapshot!(violations("Annotations", json!({"priority": 1.5, "audience": ["user", "robot"]})), @r#"
    expected `/audience/1` is "user" or "assistant", got "robot" (Role)
    expected `/priority` is a number from 0 to 1, got 1.5 (Annotations)
    "#);
    insta::assert_snapshot!(violations("Resource", json!({"uri": "not a uri", "name": "x"})), @r#"expected `/uri` is a URI, got "not a uri" (Resource)"#);
    insta::assert_snapshot!(violations("ImageContent", json!({"type": "image", "mimeType": "image/png", "data": "no base64!"})), @r#"expected `/data` is Base64, got "no base64!" (ImageContent)"#);
    insta::assert_snapshot!(violations("CompleteResult", json!({"completion": {"values": vec!["x"; 101]}})), @r#"expected `/completion/values` is an array of at most 100 items, got ["x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x","x…, which has 101 items (CompleteResult)"#);
}

#[test]
fn a_union_is_explained_by_the_intended_type() {
    let content = |content| violations("CallToolResult", json!({"content": [content]}));
    insta::assert_snapshot!(content(json!({"type": "text", "text": 5})), @"expected `/content/0/text` is a string, got 5, which is a number (TextContent)");
    insta::assert_snapshot!(content(json!({"type": "txt", "text": "x"})), @r#"expected `/content/0/type` is "text", "image", "audio", "resource_link" or "resource", got "txt" (ContentBlock)"#);
    insta::assert_snapshot!(content(json!({"text": "x"})), @r#"expected `/content/0/type` is "text", "image", "audio", "resource_link" or "resource", got nothing (ContentBlock)"#);
    insta::assert_snapshot!(content(json!("x")), @r#"expected `/content/0` is a TextContent, an ImageContent, an AudioContent, a ResourceLink or an EmbeddedResource, got "x", which is a string (ContentBlock)"#);
    let contents = |contents| violations("ReadResourceResult", json!({"contents": [contents]}));
    insta::assert_snapshot!(contents(json!({"uri": "file:///a", "text": 5})), @"expected `/contents/0/text` is a string, got 5, which is a number (TextResourceContents)");
    insta::assert_snapshot!(contents(json!({"uri": "file:///a", "blob": 5})), @"expected `/contents/0/blob` is Base64, got 5, which is a number (BlobResourceContents)");
    insta::assert_snapshot!(contents(json!({"uri": "file:///a"})), @r#"expected `/contents/0` is a TextResourceContents with `text` or a BlobResourceContents with `blob`, got {"uri":"file:///a"} (ReadResourceResult)"#);
    insta::assert_snapshot!(violations("RequestId", json!(null)), @"expected the value is a string or an integer, got null (RequestId)");
    insta::assert_snapshot!(violations("RequestId", json!(1.5)), @"expected the value is a string or an integer, got 1.5 (RequestId)");
    insta::assert_snapshot!(violations("LoggingLevel", json!("loud")), @r#"expected the value is "debug", "info", "notice", "warning", "error", "critical", "alert" or "emergency", got "loud" (LoggingLevel)"#);
    insta::assert_snapshot!(violations("ElicitRequestParams", json!({"mode": "url", "message": "x"})), @"
    expected `/url` is a URI, got nothing (ElicitRequestURLParams)
    expected `/elicitationId` is a string, got nothing (ElicitRequestURLParams)
    ");
    insta::assert_snapshot!(violations("SamplingMessage", json!({"role": "user", "content": [{"type": "tool_use"}]})), @"
    expected `/content/0/id` is a string, got nothing (ToolUseContent)
    expected `/content/0/name` is a string, got nothing (ToolUseContent)
    expected `/content/0/input` is an object, got nothing (ToolUseContent)
    ");
}

#[test]
fn at_most_six_violations_are_returned_and_each_kind_first() {
    let mut tools = vec![json!({"name": "x"}); 10];
    tools.push(json!({"name": 7, "inputSchema": {"type": "object"}}));
    insta::assert_snapshot!(violations("ListToolsResult", json!({"tools": tools})), @"
    expected `/tools/0/inputSchema` is an object, got nothing (Tool)
    expected `/tools/10/name` is a string, got 7, which is a number (Tool)
    expected `/tools/1/inputSchema` is an object, got nothing (Tool)
    expected `/tools/2/inputSchema` is an object, got nothing (Tool)
    expected `/tools/3/inputSchema` is an object, got nothing (Tool)
    expected `/tools/4/inputSchema` is an object, got nothing (Tool)
    ");
}

#[cfg(feature = "schema")]
#[test]
fn the_keyword_is_that_of_the_json_schema() {
    let revision = Revision::V2026_07_28;
    let text = json_schema(revision, Authority::Schema).to_string();
    let loaded = Schemas::ours().load(revision, text.as_bytes()).unwrap();
    let keywords = |schemas: &Schemas, definition: &str, value: &json::Value| {
        let definition = schemas.definition(definition, revision, Authority::Schema).unwrap();
        let found = definition.violations(value).into_iter();
        found.map(|it| format!("{} {}", it.pointer, it.keyword)).collect::<Vec<_>>().join(", ")
    };
    let cases = [
        ("Tool", json!({"inputSchema": {"type": "object"}}), "/name required"),
        ("Tool", json!({"name": 1, "inputSchema": {"type": "object"}}), "/name type"),
        ("Tool", json!({"name": "x", "inputSchema": {"type": "array"}}), "/inputSchema/type const"),
        ("Tool", json!({"name": "x", "inputSchema": {"type": 5}}), "/inputSchema/type type"),
        ("Annotations", json!({"priority": 1.5}), "/priority maximum"),
        ("Annotations", json!({"priority": -1}), "/priority minimum"),
        ("Annotations", json!({"audience": ["robot"]}), "/audience/0 enum"),
        ("Resource", json!({"uri": "not a uri", "name": "x"}), "/uri format"),
        ("RequestId", json!(1.5), " type"),
        ("LoggingLevel", json!("loud"), " enum"),
        ("LoggingLevel", json!(5), " type"),
        ("ContentBlock", json!(5), " anyOf"),
    ];
    for (definition, value, expected) in cases {
        let value = value.into();
        assert_eq!(keywords(&Schemas::ours(), definition, &value), expected, "{value}");
        let by_schema = keywords(&loaded, definition, &value);
        assert!(by_schema.split(", ").any(|found| found == expected), "{value}: {by_schema}");
    }
    let items = json!({"completion": {"values": vec!["x"; 101]}, "resultType": "complete"}).into();
    assert_eq!(keywords(&Schemas::ours(), "CompleteResult", &items), "/completion/values maxItems");
}

#[test]
fn a_union_has_the_violation_of_each_alternative() {
    let schemas = Schemas::ours();
    let result =
        schemas.definition("ReadResourceResult", Revision::V2025_11_25, Authority::Text).unwrap();
    let found = result.violations(&json!({"contents": [{"uri": "file:///a"}]}).into());
    let causes = found[0].causes.iter().map(|it| format!("{it} ({}, {})", it.shape, it.keyword));
    insta::assert_snapshot!(causes.collect::<Vec<_>>().join("\n"), @"
    expected `/contents/0/text` is a string, got nothing (TextResourceContents, required)
    expected `/contents/0/blob` is Base64, got nothing (BlobResourceContents, required)
    ");
}
