//! Failures of assertions about one item of content, and of access to it.

use super::*;

fn samples() -> ToolResult {
    call(json!({"result": {"content": [
        {"type": "text", "text": "a pixel"},
        {"type": "image", "mimeType": "image/png", "data": "AQID"},
        {"type": "resource_link", "uri": "note://1", "name": "note 1"},
        {"type": "resource", "resource": {"uri": "note://2", "mimeType": "text/plain", "text": "Buy milk"}},
    ]}}))
}

fn review() -> PromptMessages {
    let message =
        |role: &str, text: &str| json!({"role": role, "content": {"type": "text", "text": text}});
    let messages = [message("user", "Review it."), message("assistant", "Gladly.")];
    reply("prompts/get", json!({"result": {"messages": messages}})).into()
}

fn blob() -> ResourceContents {
    let entry = json!({"uri": "note://3", "mimeType": "image/png", "blob": "AQID"});
    reply("resources/read", json!({"result": {"contents": [entry]}})).into()
}

#[test]
fn items_are_found_by_index_and_checked_by_kind() {
    let all = samples()
        .assert_content(0)
        .assert_type("text")
        .assert_text("a pixel")
        .assert_text_contains("pixel")
        .and()
        .assert_content(1)
        .assert_mime_type("image/png")
        .assert_data([1, 2, 3])
        .and()
        .assert_content(2)
        .assert_uri("note://1")
        .assert_name("note 1")
        .and()
        .assert_content(3)
        .assert_uri("note://2")
        .assert_text("Buy milk")
        .assert_member("/resource/mimeType", "text/plain");
    assert_eq!(all.value()["resource"]["uri"], "note://2");
    insta::assert_snapshot!(message(samples().try_content(4)), @"
    unexpected content in the result of tool `add`
      expected content 4
      got 4 items, counted from 0
    ");
    let image = || samples().assert_content(1);
    insta::assert_snapshot!(message(image().try_type("audio")), @r#"
    content 1 is not as expected
      expected `type` is "audio"
      got "image"
    "#);
    insta::assert_snapshot!(message(image().try_text("a pixel")), @r#"
    content 1 is not as expected
      expected `text` is "a pixel"
      got nothing
    "#);
    insta::assert_snapshot!(message(image().try_text_contains("pixel")), @r#"
    content 1 is not as expected
      expected a text that contains "pixel"
      got nothing
    "#);
    insta::assert_snapshot!(message(image().try_mime_type("image/gif")), @r#"
    content 1 is not as expected
      expected `mimeType` is "image/gif"
      got "image/png"
    "#);
    insta::assert_snapshot!(message(image().try_data([1, 2, 4, 5])), @"
    content 1 is not as expected
      expected 4 bytes of data
      got 3 bytes, which differ from byte 2 on, counted from 0
    ");
    insta::assert_snapshot!(message(samples().assert_content(0).try_data([1])), @"
    content 0 is not as expected
      expected 1 byte of data
      got nothing
    ");
    insta::assert_snapshot!(message(image().try_uri("note://1")), @r#"
    content 1 is not as expected
      expected `uri` is "note://1"
      got nothing
    "#);
    insta::assert_snapshot!(message(image().try_member("/annotations/priority", 1)), @"
    content 1 is not as expected
      expected `/annotations/priority` is 1
      got nothing
    ");
}

#[test]
fn messages_of_a_prompt_have_roles() {
    let _ = review().assert_content(1).assert_role("assistant").assert_text("Gladly.");
    insta::assert_snapshot!(message(review().assert_content(0).try_role("assistant")), @r#"
    content 0 is not as expected
      expected the role "assistant"
      got "user"
    "#);
    insta::assert_snapshot!(message(review().try_content(2)), @"
    unexpected messages in the prompt
      expected content 2
      got 2 items, counted from 0
    ");
    let texts: Vec<String> =
        (0..2).map(|index| review().text(index).expect("a text").to_owned()).collect();
    assert_eq!(texts, ["Review it.", "Gladly."]);
    assert_eq!(review().messages().expect("messages").len(), 2);
}

#[test]
fn contents_of_a_resource_have_text_or_bytes() {
    let _ = blob().assert_content(0).assert_data([1, 2, 3]).and().assert_len(1);
    assert_eq!(blob().bytes().expect("bytes"), [1, 2, 3]);
    assert_eq!(blob().entries().expect("entries")[0]["uri"], "note://3");
    insta::assert_snapshot!(message(blob().text().map(drop)), @r#"
    unexpected contents of the resource
      expected an entry with a text
      got {"blob":"AQID","mimeType":"image/png","uri":"note://3"}
    "#);
    insta::assert_snapshot!(message(blob().try_content(1)), @"
    unexpected contents of the resource
      expected content 1
      got 1 item, counted from 0
    ");
    let text = json!({"uri": "note://1", "text": "[1, 2]"});
    let text = || -> ResourceContents {
        reply("resources/read", json!({"result": {"contents": [text]}})).into()
    };
    assert_eq!(text().parse_text::<Vec<i64>>().expect("numbers"), [1, 2]);
    insta::assert_snapshot!(message(text().parse_text::<String>()), @r#"
    unexpected contents of the resource
      expected a text that deserializes to `String`
      got "[1, 2]": invalid type: sequence, expected a string at line 1 column 0
    "#);
    insta::assert_snapshot!(message(text().bytes()), @r#"
    unexpected contents of the resource
      expected an entry with a blob in Base64
      got {"text":"[1, 2]","uri":"note://1"}
    "#);
}

#[test]
fn the_text_of_a_result_is_read_as_it_is_or_as_json() {
    assert_eq!(samples().text().expect("one text"), "a pixel");
    assert_eq!(samples().content().expect("content").len(), 4);
    insta::assert_snapshot!(message(texts(["1", "2"]).text().map(drop)), @r#"
    unexpected content in the result of tool `add`
      expected one text item
      got the text "1" and the text "2"
    "#);
    assert_eq!(texts(["[1, 2]"]).parse_text::<Vec<i64>>().expect("numbers"), [1, 2]);
    insta::assert_snapshot!(message(texts(["[1, 2"]).parse_text::<Vec<i64>>()), @r#"
    unexpected content in the result of tool `add`
      expected a text that deserializes to `Vec<i64>`
      got "[1, 2": EOF while parsing a list at line 1 column 5
    "#);
    let failed = || {
        call(json!({"result": {"isError": true, "content": [{"type": "text", "text": "too big"}]}}))
    };
    let _ = failed().assert_tool_error_contains("big");
    insta::assert_snapshot!(message(failed().try_tool_error_contains("small")), @r#"
    unexpected content in the result of tool `add`
      expected a text that contains "small"
      got the text "too big"
    "#);
    insta::assert_snapshot!(message(texts(["3"]).try_tool_error_contains("big")), @r#"
    tool `add` did not fail
      expected a result with `isError: true`
      got a result without `isError`, with the text "3"
    "#);
    let values = json!({"completion": {"values": ["a", "b"]}});
    let completion = Completion::from(reply("completion/complete", json!({"result": values})));
    assert_eq!(completion.values().expect("values"), ["a", "b"]);
}
