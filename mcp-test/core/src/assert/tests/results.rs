//! Failures of assertions about tool results, resources, prompts and completions.

use super::*;

#[test]
fn tool_results() {
    let failed = || {
        call(json!({"result": {"isError": true, "content": [{"type": "text", "text": "too big"}]}}))
    };
    insta::assert_snapshot!(message(failed().try_ok()), @r#"
    tool `add` failed
      expected a result without `isError`
      got `isError` is true, with the text "too big"
    "#);
    insta::assert_snapshot!(message(call(refused()).try_ok()), @"
    `tools/call` was refused
      expected a result
      got error -32602: Unknown tool: add
    ");
    insta::assert_snapshot!(message(call(json!({"result": {}})).try_ok()), @"
    the result of tool `add` has no content
      expected `/content` is an array
      got nothing
      [schema.call-tool-result]
    ");
    let asks = || call(json!({"result": {"resultType": "input_required", "inputRequests": {}}}));
    insta::assert_snapshot!(message(asks().try_ok()), @r#"
    `tools/call` requires input first
      expected a complete result
      got `resultType` is "input_required"
    "#);
    insta::assert_snapshot!(message(texts(["3"]).try_tool_error()), @r#"
    tool `add` did not fail
      expected a result with `isError: true`
      got a result without `isError`, with the text "3"
    "#);
    insta::assert_snapshot!(message(call(refused()).try_tool_error()), @"
    tool `add` was refused instead of failing
      expected a result with `isError: true`
      got the JSON-RPC error -32602: Unknown tool: add
      hint: if the call should be refused, use `assert_error`
      [tools.call.execution-error-is-error]
    ");
    failed().assert_tool_error().assert_text("too big");
    insta::assert_snapshot!(message(texts(["4"]).try_text("3")), @r#"
    unexpected content in the result of tool `add`
      expected the text "3"
      got the text "4"
    "#);
    insta::assert_snapshot!(message(texts(["4", "5"]).try_text_contains("3")), @r#"
    unexpected content in the result of tool `add`
      expected a text that contains "3"
      got the text "4" and the text "5"
    "#);
    insta::assert_snapshot!(message(texts(["a\nb\nc"]).try_text("a\nB\nc")), @r#"
    unexpected content in the result of tool `add`
      expected the text "a\nB\nc"
      got the text "a\nb\nc", which differs from line 2:
        - B
        + b
    "#);
    insta::assert_snapshot!(message(texts([]).try_text("3")), @r#"
    unexpected content in the result of tool `add`
      expected the text "3"
      got no content
    "#);
    insta::assert_snapshot!(message(texts(["4"]).try_content_len(2)), @r#"
    unexpected content in the result of tool `add`
      expected 2 content items
      got the text "4"
    "#);
    insta::assert_snapshot!(message(texts(["4"]).try_structured_equals(json!({"sum": 4}))), @r#"
    tool `add` returned unexpected structured content
      expected `/structuredContent` is {"sum":4}
      got nothing
    "#);
    let structured =
        || call(json!({"result": {"content": [], "structuredContent": {"sum": 4, "unit": "m"}}}));
    insta::assert_snapshot!(message(structured().try_structured_equals(json!({"sum": 3, "unit": "m"}))), @"
    tool `add` returned unexpected structured content
      expected `/structuredContent/sum` is 3
      got 4
    ");
    insta::assert_snapshot!(message(structured().try_structured_equals(json!({"sum": 3, "unit": "km"}))), @r#"
    tool `add` returned unexpected structured content
      expected `/structuredContent` is {"sum":3,"unit":"km"}
      got {"sum":4,"unit":"m"}, which differs in 2 places: /sum: expected 3, got 4; /unit: expected "km", got "m"
    "#);
}

#[test]
fn tool_results_with_other_content() {
    let mixed = || {
        call(json!({"result": {"content": [
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
            {"type": "resource", "resource": {"uri": "file:///b", "text": "b"}},
            {"type": "hologram"},
        ]}}))
    };
    mixed()
        .assert_image("image/png")
        .assert_audio("audio/wav")
        .assert_resource_link("file:///a")
        .assert_embedded_resource("file:///b");
    insta::assert_snapshot!(message(mixed().try_image("image/jpeg")), @r#"
    unexpected content in the result of tool `add`
      expected an image with MIME type `image/jpeg` and data
      got an image with MIME type `image/png` (4 characters of data), audio with MIME type `audio/wav` (4 characters of data), a link to `file:///a`, the embedded resource `file:///b` and {"type":"hologram"}
    "#);
    insta::assert_snapshot!(message(mixed().try_audio("audio/mp3").map_err(headless)), @"
    …
      expected audio with MIME type `audio/mp3` and data
    ");
    insta::assert_snapshot!(message(mixed().try_resource_link("file:///b").map_err(headless)), @"
    …
      expected a link to the resource `file:///b`
    ");
    insta::assert_snapshot!(message(mixed().try_embedded_resource("file:///a").map_err(headless)), @"
    …
      expected the embedded resource `file:///a`
    ");
}

/// Only what was expected: the rest is the same as in another snapshot.
fn headless(finding: Finding) -> Finding {
    Finding::peer("…").expected(finding.expected.unwrap_or_default())
}

#[test]
fn resources() {
    let read = |contents: Value| {
        ResourceContents::from(reply("resources/read", json!({"result": {"contents": contents}})))
    };
    let text = || read(json!([{"uri": "test://a", "mimeType": "text/plain", "text": "one\ntwo"}]));
    text()
        .assert_ok()
        .assert_text("one\ntwo")
        .assert_mime_type("text/plain")
        .assert_uri("test://a")
        .assert_len(1);
    insta::assert_snapshot!(message(text().try_text("one\n2")), @r#"
    unexpected contents of the resource
      expected the text "one\n2"
      got `text` "one\ntwo", which differs from line 2:
        - 2
        + two
    "#);
    insta::assert_snapshot!(message(text().try_text_contains("three")), @r#"
    unexpected contents of the resource
      expected a text that contains "three"
      got `text` "one\ntwo"
    "#);
    insta::assert_snapshot!(message(text().try_blob("AAAA")), @r#"
    unexpected contents of the resource
      expected the blob "AAAA"
      got an entry without `blob`; it has `mimeType`, `text` and `uri`
    "#);
    insta::assert_snapshot!(message(text().try_mime_type("text/html")), @r#"
    unexpected contents of the resource
      expected the MIME type `text/html`
      got `mimeType` "text/plain"
    "#);
    insta::assert_snapshot!(message(text().try_uri("test://b")), @r#"
    unexpected contents of the resource
      expected the URI `test://b`
      got `uri` "test://a"
    "#);
    insta::assert_snapshot!(message(text().try_len(2)), @r#"
    unexpected contents of the resource
      expected 2 entries
      got 1: `uri` "test://a"
    "#);
    insta::assert_snapshot!(message(read(json!([])).try_text("")), @r#"
    unexpected contents of the resource
      expected the text ""
      got no contents
    "#);
    insta::assert_snapshot!(message(read(json!({})).try_len(1)), @"
    the result of `resources/read` has no contents
      expected `/contents` is an array of which each item is an object
      got {}, which is an empty object
      [schema.read-resource-result]
    ");
    read(json!([{"uri": "test://a", "blob": "AAAA"}])).assert_blob("AAAA");
}

#[test]
fn prompts() {
    let get = |messages: Value| {
        let result = json!({"description": "Greets.", "messages": messages});
        PromptMessages::from(reply("prompts/get", json!({"result": result})))
    };
    let hello = || get(json!([{"role": "user", "content": {"type": "text", "text": "Hello"}}]));
    hello()
        .assert_ok()
        .assert_message(0, "user", "Hello")
        .assert_len(1)
        .assert_description("Greets");
    insta::assert_snapshot!(message(hello().try_message(0, "user", "Hallo")), @r#"
    unexpected content in message 0 of the prompt
      expected the text "Hallo"
      got the text "Hello"
    "#);
    insta::assert_snapshot!(message(hello().try_message(0, "assistant", "Hello")), @"
    unexpected messages in the prompt
      expected message 0 with the role `assistant`
      got the role `user`
    ");
    insta::assert_snapshot!(message(hello().try_message(1, "user", "Hello")), @"
    unexpected messages in the prompt
      expected a message 1 with the role `user`
      got 1 message, counted from 0
    ");
    insta::assert_snapshot!(message(hello().try_len(2)), @r#"
    unexpected messages in the prompt
      expected 2 messages
      got 1 message: the text "Hello"
    "#);
    insta::assert_snapshot!(message(hello().try_description("leaves")), @r#"
    unexpected messages in the prompt
      expected a `description` that contains "leaves"
      got "Greets."
    "#);
    let _ = hello().assert_text("Hello");
    insta::assert_snapshot!(message(hello().try_text("Hallo")), @r#"
    unexpected messages in the prompt
      expected the text "Hallo"
      got the text "Hello"
    "#);
    insta::assert_snapshot!(message(hello().try_text_contains("bye")), @r#"
    unexpected messages in the prompt
      expected a text that contains "bye"
      got the text "Hello"
    "#);
    insta::assert_snapshot!(message(hello().try_image("image/png").map_err(headless)), @"
    …
      expected an image with MIME type `image/png` and data
    ");
    insta::assert_snapshot!(message(get(json!([{"role": "user", "content": "Hello"}])).try_len(1)), @r#"
    the result of `prompts/get` has no valid messages
      expected `/messages/0/content` is an object
      got "Hello", which is a string
      [schema.get-prompt-result]
    "#);
}

#[test]
fn completions() {
    let complete = |completion: Value| {
        Completion::from(reply(
            "completion/complete",
            json!({"result": {"completion": completion}}),
        ))
    };
    let paris = || complete(json!({"values": ["paris", "park"], "total": 5, "hasMore": true}));
    paris()
        .assert_ok()
        .assert_values(["paris", "park"])
        .assert_contains("park")
        .assert_total(5)
        .assert_has_more(true);
    insta::assert_snapshot!(message(paris().try_values(["park", "paris"])), @r#"
    unexpected completion
      expected the values ["park","paris"]
      got ["paris","park"], which differs in 2 places: /0: expected "park", got "paris"; /1: expected "paris", got "park"
    "#);
    insta::assert_snapshot!(message(paris().try_values(["paris"])), @r#"
    unexpected completion
      expected the values ["paris"]
      got ["paris","park"]
    "#);
    insta::assert_snapshot!(message(paris().try_contains("pariss")), @r#"
    unexpected completion
      expected "pariss" among the values
      got ["paris","park"]
      hint: did you mean `paris`?
    "#);
    insta::assert_snapshot!(message(paris().try_total(6)), @"
    unexpected completion
      expected `/completion/total` is 6
      got 5
    ");
    insta::assert_snapshot!(message(complete(json!({"values": []})).try_has_more(false)), @"
    unexpected completion
      expected `/completion/hasMore` is false
      got nothing
    ");
    insta::assert_snapshot!(message(complete(json!({"values": [1]})).try_contains("paris")), @"
    the result of `completion/complete` has no values
      expected `/completion/values/0` is a string
      got 1, which is a number
      [schema.complete-result]
    ");
}
