//! Every failure message, from real conversations with a scripted server.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

use crate::check::{Blame, Finding};
use crate::client::{
    Client, Completion, Options, PromptList, PromptMessages, Reply, ResourceContents, ResourceList,
    ResourceTemplateList, ToolList, ToolResult,
};
use crate::expect::{non_empty_string, object, string, text_starting_with};
use crate::spec::requirement;
use crate::trace::{Party, Reading, Recorder, Trace, What};
use crate::transport::{CarrierKind, Limits, Target};

/// Answers `initialize`, then each request with the next of these: `{"result": …}` or `{"error": …}`.
async fn play(io: DuplexStream, answers: Vec<Value>) -> crate::Result {
    let (input, mut output) = tokio::io::split(io);
    let mut lines = BufReader::new(input).lines();
    let hello = json!({"result": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "script", "version": "1"}
    }});
    let mut answers = std::iter::once(hello).chain(answers);
    while let Some(line) = lines.next_line().await? {
        let request: Value = serde_json::from_str(&line)?;
        let Some(id) = request.get("id") else { continue };
        let mut answer = answers.next().ok_or("the script has no more answers")?;
        answer["jsonrpc"] = "2.0".into();
        answer["id"] = id.clone();
        output.write_all(format!("{answer}\n").as_bytes()).await?;
    }
    Ok(())
}

/// The replies to one request, all pages of it, from a server that answers as scripted.
fn pages<const N: usize>(method: &str, answers: [Value; N]) -> Vec<Reply> {
    let answers = answers.to_vec();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime
        .block_on(async {
            let target = Target::duplex(move |io| play(io, answers.clone()));
            let link =
                target.open(CarrierKind::Duplex, &Recorder::new(), Limits::default()).await?;
            let mut client = Client::connect(link, Options::default()).await?;
            if N > 1 || method.ends_with("/list") {
                return client.pages(method).await;
            }
            let params = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
            Ok(vec![client.request(method, params).await?])
        })
        .expect("a conversation")
}

fn reply(method: &str, answer: Value) -> Reply {
    pages(method, [answer]).remove(0)
}

fn call(answer: Value) -> ToolResult {
    reply("tools/call", answer).into()
}

fn texts<const N: usize>(texts: [&str; N]) -> ToolResult {
    let items = texts.map(|text| json!({"type": "text", "text": text})).to_vec();
    call(json!({"result": {"content": items}}))
}

fn refused() -> Value {
    json!({"error": {"code": -32602, "message": "Unknown tool: add", "data": {"known": ["sub"]}}})
}

fn tools() -> ToolList {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": ["number", "null"]}, "digits": {"type": "integer"}},
        "required": ["a", "b"],
    });
    let add = json!({
        "name": "add", "title": "Adder", "description": "Adds two numbers.", "inputSchema": schema,
        "annotations": {"readOnlyHint": true},
    });
    let now = json!({"name": "now", "inputSchema": {"type": "object"}});
    ToolList::new(pages(
        "tools/list",
        [
            json!({"result": {"tools": [add], "nextCursor": "2"}}),
            json!({"result": {"tools": [now]}}),
        ],
    ))
}

/// What a failed assertion says, once it is sure that each requirement it names is one.
fn said<T>(outcome: Result<T, Finding>) -> String {
    let Err(finding) = outcome else { panic!("the assertion holds") };
    for id in &finding.requirements {
        assert!(requirement::find(id).is_some(), "there is no requirement {id}");
    }
    assert_eq!(finding.blame, Blame::Peer);
    let requirements = finding.requirements.iter().map(|id| format!("\n  [{id}]"));
    finding.to_string() + &requirements.collect::<String>()
}

/// What an assertion panics with.
fn panic_of<T>(assertion: impl FnOnce() -> T) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(assertion)) else {
        panic!("the assertion holds")
    };
    *panic.downcast::<String>().expect("a message")
}

#[test]
fn a_panic_tells_the_whole_story() {
    insta::assert_snapshot!(panic_of(|| tools().assert_ok().assert_tool("ad")), @r#"
    there is no tool `ad`
      expected a tool whose `name` is `ad`
      got 2 tools: `add` and `now`
      hint: did you mean `add`?

    the exchange:
          … 3 messages not shown
      4  client → server  tools/list {}
      5  client ← server  result {"nextCursor":"2","tools":[{"annotations":{"readOnlyHint":true},
            "description":"Adds two numbers.","inputSchema":{"properties":{"a":{"type":"number"},… 2
            more},… 2 more},"name":"add","title":"Adder"}]}
      6  client → server  tools/list {"cursor":"2"}
      7  client ← server  result {"tools":[{"inputSchema":{"type":"object"},"name":"now"}]}
    "#);
    let failed = || call(json!({"error": {"code": -32603, "message": "boom"}})).assert_tool_error();
    insta::assert_snapshot!(panic_of(failed), @r#"
    tool `add` was refused instead of failing
      expected a result with `isError: true`
      got the JSON-RPC error -32603: boom
      hint: if the call should be refused, `assert_error` looks at that

    the exchange:
          … 3 messages not shown
      4  client → server  tools/call {"arguments":{"a":1,"b":2},"name":"add"}
      5  client ← server  error -32603 "boom"

    requirement tools.call.execution-error-is-error (SHOULD): Failures inside a tool (upstream or business logic) surface as results flagged `isError: true`, not as protocol errors.
      https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling
    "#);
}

#[test]
fn an_assertion_panics_at_the_line_of_the_test() {
    use std::cell::Cell;
    use std::panic;

    thread_local!(static LINE: Cell<u32> = const { Cell::new(0) });
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        LINE.set(info.location().map_or(0, panic::Location::line));
        before(info);
    }));
    let result = texts(["3"]);
    let here = line!() + 1;
    panic_of(|| result.assert_ok().assert_text("4"));
    assert_eq!(LINE.get(), here);
    let list = tools();
    let here = line!() + 1;
    panic_of(|| list.assert_tool("add").assert_requires("c"));
    assert_eq!(LINE.get(), here);
}

#[test]
fn what_holds_chains() -> crate::Result {
    let list = tools().assert_ok().assert_len(2).assert_names(["now", "add"]).assert_unique_names();
    list.assert_tool("add")
        .assert_title("Adder")
        .assert_description("two numbers")
        .assert_requires("a")
        .assert_optional("digits")
        .assert_property_type("a", "number")
        .assert_property_type("b", "null")
        .assert_property("a", object())
        .assert_input_schema(object().member("type", string()))
        .assert_annotation("readOnlyHint", true)
        .and()
        .assert_no_tool("sub")
        .assert_each(object().member("name", non_empty_string()));
    texts(["3", "7"]).assert_ok().assert_text("7").assert_text_contains("3").assert_content_len(2);
    call(refused()).assert_error().assert_error_code(-32602).assert_error_message("Unknown");
    let structured = json!({"result": {"content": [], "structuredContent": {"sum": 3.0}}});
    call(structured).try_ok()?.try_structured(json!({"sum": 3}))?;
    Ok(())
}

#[test]
fn replies() {
    let ping = || reply("ping", json!({"result": {"a": [1]}}));
    insta::assert_snapshot!(said(reply("ping", refused()).try_ok()), @"
    `ping` was refused
      expected a result
      got error -32602: Unknown tool: add
    ");
    insta::assert_snapshot!(said(ping().try_result(object().and_nothing_else())), @"
    the result of `ping` is not as expected
      expected `/a` is absent
      got [1]
    ");
    insta::assert_snapshot!(said(ping().try_member("/a/0", string())), @"
    the result of `ping` is not as expected
      expected `/a/0` is a string
      got 1, which is a number
    ");
    insta::assert_snapshot!(said(ping().try_member("/b", string())), @"
    the result of `ping` is not as expected
      expected `/b` is a string
      got nothing
    ");
    insta::assert_snapshot!(said(ping().try_no_member("/a")), @"
    the result of `ping` is not as expected
      expected nothing at `/a`
      got [1]
    ");
    let finding = ping().try_member("a", string()).expect_err("no pointer");
    assert_eq!(finding.blame, Blame::Test);
    insta::assert_snapshot!(finding, @r#"
    the test asks for a place that no JSON value has
      expected a JSON pointer, such as `/content/0/text`; the empty one is the whole result
      got "a"
    "#);
}

#[test]
fn errors() {
    let refused = || reply("tools/call", refused());
    insta::assert_snapshot!(said(texts(["3"]).try_error()), @r#"
    `tools/call` was not refused
      expected a JSON-RPC error
      got the result {"content":[{"text":"3","type":"text"}]}
    "#);
    let failed = || call(json!({"result": {"isError": true, "content": []}}));
    insta::assert_snapshot!(said(failed().try_error_code(-32602)), @r#"
    `tools/call` was not refused
      expected a JSON-RPC error
      got the result {"content":[],"isError":true}
      hint: the tool says itself that it failed; `assert_tool_error` looks at that
    "#);
    insta::assert_snapshot!(said(refused().try_error_code(-32601)), @r#"
    `tools/call` was refused with another error than expected
      expected error code -32601 (MethodNotFound)
      got error code -32602 (InvalidParams): "Unknown tool: add"
    "#);
    insta::assert_snapshot!(said(refused().try_error_code(7)), @r#"
    `tools/call` was refused with another error than expected
      expected error code 7
      got error code -32602 (InvalidParams): "Unknown tool: add"
    "#);
    insta::assert_snapshot!(said(refused().try_error_message("no such tool")), @r#"
    `tools/call` was refused with another error than expected
      expected an error whose message contains "no such tool"
      got error code -32602 (InvalidParams): "Unknown tool: add"
    "#);
    insta::assert_snapshot!(said(refused().try_error_data(object().member("known", string()))), @r#"
    `tools/call` was refused with another error than expected
      expected `/error/data/known` is a string
      got ["sub"], which is an array
    "#);
    refused().assert_error_data(object());
}

#[test]
fn lists() {
    insta::assert_snapshot!(said(tools().try_tool("Now")), @"
    there is no tool `Now`
      expected a tool whose `name` is `Now`
      got 2 tools: `add` and `now`
      hint: did you mean `now`?
    ");
    insta::assert_snapshot!(said(tools().try_tool("something else")), @"
    there is no tool `something else`
      expected a tool whose `name` is `something else`
      got 2 tools: `add` and `now`
    ");
    insta::assert_snapshot!(said(tools().try_no_tool("now")), @r#"
    there is a tool `now`
      expected no tool with this `name`
      got {"inputSchema":{"type":"object"},"name":"now"}
    "#);
    insta::assert_snapshot!(said(tools().try_len(3)), @"
    `tools/list` does not list as many as expected
      expected 3 tools
      got 2 tools: `add` and `now`
    ");
    insta::assert_snapshot!(said(tools().try_names(["add", "sub"])), @"
    `tools/list` does not list what is expected
      expected 2 tools in any order: `add` and `sub`
      got a list of 2 tools: `add` and `now`, which lacks `sub` and has `now` besides
    ");
    insta::assert_snapshot!(said(tools().try_each(object().member("description", string()))), @"
    tool `now` is not as expected
      expected `/tools/1/description` is a string
      got nothing
    ");

    let list = |answer: Value| ToolList::new(pages("tools/list", [json!({"result": answer})]));
    let named = |names: &[&str]| {
        let items = names.iter().map(|name| json!({"name": name}));
        list(json!({"tools": items.collect::<Vec<_>>()}))
    };
    insta::assert_snapshot!(said(named(&["add", "add"]).try_unique_names()), @"
    two tools have the same `name`
      expected each `name` once, on all pages together
      got `add` 2 times
      [tools.name.unique]
    ");
    insta::assert_snapshot!(said(named(&["add", "add"]).try_names(["add"])), @"
    `tools/list` does not list what is expected
      expected 1 tool in any order: `add`
      got a list of 2 tools: `add` and `add`, which has `add` besides
    ");
    insta::assert_snapshot!(said(named(&[]).try_each(object())), @"
    `tools/list` lists nothing to look at
      expected at least one tool
      got an empty list
    ");
    insta::assert_snapshot!(said(named(&[]).try_tool("add")), @"
    there is no tool `add`
      expected a tool whose `name` is `add`
      got 0 tools
    ");
    insta::assert_snapshot!(said(list(json!({"tools": [{}, {"name": 7}, {"name": "add"}]})).try_names(["add"])), @"
    `tools/list` does not list what is expected
      expected 1 tool in any order: `add`
      got a list of 1 tool: `add`, besides 2 items without `name`
    ");
    insta::assert_snapshot!(said(list(json!({"tools": "none"})).try_ok()), @r#"
    the result of `tools/list` holds no list
      expected `/tools` is an array
      got "none", which is a string
      [schema.list-tools-result]
    "#);
    insta::assert_snapshot!(said(ToolList::new(pages("tools/list", [refused()])).try_len(0)), @"
    `tools/list` was refused
      expected a result
      got error -32602: Unknown tool: add
    ");
}

#[test]
fn lists_of_other_kinds() {
    let answer = |member: &str, item: Value| json!({"result": {member: [item]}});
    let file = json!({"uri": "file:///a", "name": "a", "mimeType": "text/plain"});
    let resources =
        || ResourceList::new(pages("resources/list", [answer("resources", file.clone())]));
    resources().assert_resource("file:///a").assert_name("a").and().assert_no_resource("file:///b");
    insta::assert_snapshot!(said(resources().try_resource("file:///b")), @"
    there is no resource `file:///b`
      expected a resource whose `uri` is `file:///b`
      got 1 resource: `file:///a`
      hint: did you mean `file:///a`?
    ");
    let resource = || resources().assert_resource("file:///a");
    insta::assert_snapshot!(said(resource().try_mime_type("text/html")), @r#"
    resource `file:///a` has another `mimeType` than expected
      expected `mimeType` is "text/html"
      got "text/plain"
    "#);

    let template =
        json!({"uriTemplate": "file:///{name}", "name": "files", "mimeType": "text/plain"});
    let method = "resources/templates/list";
    let templates = || {
        ResourceTemplateList::new(pages(method, [answer("resourceTemplates", template.clone())]))
    };
    templates()
        .assert_no_resource_template("x")
        .assert_resource_template("file:///{name}")
        .assert_name("files");
    insta::assert_snapshot!(said(templates().try_resource_template("file:///{id}")), @"
    there is no resource template `file:///{id}`
      expected a resource template whose `uriTemplate` is `file:///{id}`
      got 1 resource template: `file:///{name}`
      hint: did you mean `file:///{name}`?
    ");

    let prompt = json!({"name": "greet", "arguments": [{"name": "who", "required": true}, {"name": "style"}]});
    let prompts = || PromptList::new(pages("prompts/list", [answer("prompts", prompt.clone())]));
    prompts()
        .assert_no_prompt("leave")
        .assert_prompt("greet")
        .assert_requires("who")
        .assert_optional("style");
    insta::assert_snapshot!(said(prompts().try_prompt("great")), @"
    there is no prompt `great`
      expected a prompt whose `name` is `great`
      got 1 prompt: `greet`
      hint: did you mean `greet`?
    ");
    insta::assert_snapshot!(said(prompts().assert_prompt("greet").try_requires("style")), @"
    prompt `greet` does not require `style`
      expected a required argument `style`
      got an optional one (required `who`, optional `style`)
    ");
    insta::assert_snapshot!(said(prompts().assert_prompt("greet").try_optional("stile")), @"
    prompt `greet` has no argument `stile`
      expected an argument `stile`
      got these: required `who`, optional `style`
      hint: did you mean `style`?
    ");
}

#[test]
fn tools_of_a_list() {
    let add = || tools().assert_tool("add");
    insta::assert_snapshot!(said(add().try_requires("digits")), @"
    tool `add` does not require `digits`
      expected a required argument `digits`
      got an optional one (required `a` and `b`, optional `digits`)
    ");
    insta::assert_snapshot!(said(add().try_optional("a")), @"
    tool `add` requires `a`
      expected an optional argument `a`
      got a required one (required `a` and `b`, optional `digits`)
    ");
    insta::assert_snapshot!(said(add().try_requires("digit")), @"
    tool `add` has no argument `digit`
      expected an argument `digit`
      got these: required `a` and `b`, optional `digits`
      hint: did you mean `digits`?
    ");
    insta::assert_snapshot!(said(tools().assert_tool("now").try_requires("zone")), @"
    tool `now` has no argument `zone`
      expected an argument `zone`
      got no arguments at all
    ");
    insta::assert_snapshot!(said(add().try_property_type("a", "string")), @r#"
    argument `a` of tool `add` has another type than expected
      expected `/inputSchema/properties/a/type` is "string"
      got "number"
    "#);
    insta::assert_snapshot!(said(add().try_property("a", object().member("minimum", string()))), @"
    tool `add` is not as expected
      expected `/inputSchema/properties/a/minimum` is a string
      got nothing
    ");
    insta::assert_snapshot!(said(add().try_description("subtracts")), @r#"
    tool `add` is described otherwise
      expected a `description` that contains "subtracts"
      got "Adds two numbers."
    "#);
    insta::assert_snapshot!(said(add().try_title("Sum")), @r#"
    tool `add` has another `title` than expected
      expected `title` is "Sum"
      got "Adder"
    "#);
    insta::assert_snapshot!(said(add().try_annotation("readOnlyHint", false)), @"
    tool `add` is not as expected
      expected `/annotations/readOnlyHint` is false
      got true
    ");
    insta::assert_snapshot!(said(add().try_output_schema(object())), @"
    tool `add` is not as expected
      expected `/outputSchema` is an object
      got nothing
    ");
    insta::assert_snapshot!(said(add().try_member("/title", text_starting_with("S"))), @r#"
    tool `add` is not as expected
      expected `/title` is text starting with "S"
      got "Adder"
    "#);
}

#[test]
fn tool_results() {
    let failed = || {
        call(json!({"result": {"isError": true, "content": [{"type": "text", "text": "too big"}]}}))
    };
    insta::assert_snapshot!(said(failed().try_ok()), @r#"
    tool `add` failed
      expected a result without `isError`
      got `isError` is true, with the text "too big"
    "#);
    insta::assert_snapshot!(said(call(refused()).try_ok()), @"
    `tools/call` was refused
      expected a result
      got error -32602: Unknown tool: add
    ");
    insta::assert_snapshot!(said(call(json!({"result": {}})).try_ok()), @"
    the result of tool `add` has no content
      expected `/content` is an array
      got nothing
      [schema.call-tool-result]
    ");
    let asks = || call(json!({"result": {"resultType": "input_required", "inputRequests": {}}}));
    insta::assert_snapshot!(said(asks().try_ok()), @r#"
    `tools/call` asks for input first
      expected a complete result
      got `resultType` is "input_required"
    "#);
    insta::assert_snapshot!(said(texts(["3"]).try_tool_error()), @r#"
    tool `add` did not fail
      expected a result with `isError: true`
      got a result without `isError`, with the text "3"
    "#);
    insta::assert_snapshot!(said(call(refused()).try_tool_error()), @"
    tool `add` was refused instead of failing
      expected a result with `isError: true`
      got the JSON-RPC error -32602: Unknown tool: add
      hint: if the call should be refused, `assert_error` looks at that
      [tools.call.execution-error-is-error]
    ");
    failed().assert_tool_error().assert_text("too big");
    insta::assert_snapshot!(said(texts(["4"]).try_text("3")), @r#"
    the result of tool `add` holds other content than expected
      expected the text "3"
      got the text "4"
    "#);
    insta::assert_snapshot!(said(texts(["4", "5"]).try_text_contains("3")), @r#"
    the result of tool `add` holds other content than expected
      expected a text that contains "3"
      got the text "4" and the text "5"
    "#);
    insta::assert_snapshot!(said(texts(["a\nb\nc"]).try_text("a\nB\nc")), @r#"
    the result of tool `add` holds other content than expected
      expected the text "a\nB\nc"
      got the text "a\nb\nc", which differs from line 2:
        - B
        + b
    "#);
    insta::assert_snapshot!(said(texts([]).try_text("3")), @r#"
    the result of tool `add` holds other content than expected
      expected the text "3"
      got no content at all
    "#);
    insta::assert_snapshot!(said(texts(["4"]).try_content_len(2)), @r#"
    the result of tool `add` holds other content than expected
      expected 2 content items
      got the text "4"
    "#);
    insta::assert_snapshot!(said(texts(["4"]).try_structured(json!({"sum": 4}))), @r#"
    tool `add` returned other structured content than expected
      expected `/structuredContent` is {"sum":4}
      got nothing
    "#);
    let structured =
        || call(json!({"result": {"content": [], "structuredContent": {"sum": 4, "unit": "m"}}}));
    insta::assert_snapshot!(said(structured().try_structured(json!({"sum": 3, "unit": "m"}))), @"
    tool `add` returned other structured content than expected
      expected `/structuredContent/sum` is 3
      got 4
    ");
    insta::assert_snapshot!(said(structured().try_structured(json!({"sum": 3, "unit": "km"}))), @r#"
    tool `add` returned other structured content than expected
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
    insta::assert_snapshot!(said(mixed().try_image("image/jpeg")), @r#"
    the result of tool `add` holds other content than expected
      expected an image of MIME type `image/jpeg`, with data
      got an image of MIME type `image/png` (4 characters of data), audio of MIME type `audio/wav` (4 characters of data), a link to `file:///a`, the embedded resource `file:///b` and {"type":"hologram"}
    "#);
    insta::assert_snapshot!(said(mixed().try_audio("audio/mp3").map_err(headless)), @"
    …
      expected audio of MIME type `audio/mp3`, with data
    ");
    insta::assert_snapshot!(said(mixed().try_resource_link("file:///b").map_err(headless)), @"
    …
      expected a link to the resource `file:///b`
    ");
    insta::assert_snapshot!(said(mixed().try_embedded_resource("file:///a").map_err(headless)), @"
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
    insta::assert_snapshot!(said(text().try_text("one\n2")), @r#"
    the resource holds something else than expected
      expected the text "one\n2"
      got `text` "one\ntwo", which differs from line 2:
        - 2
        + two
    "#);
    insta::assert_snapshot!(said(text().try_text_contains("three")), @r#"
    the resource holds something else than expected
      expected a text that contains "three"
      got `text` "one\ntwo"
    "#);
    insta::assert_snapshot!(said(text().try_blob("AAAA")), @r#"
    the resource holds something else than expected
      expected the blob "AAAA"
      got an entry without `blob`; it has `mimeType`, `text` and `uri`
    "#);
    insta::assert_snapshot!(said(text().try_mime_type("text/html")), @r#"
    the resource holds something else than expected
      expected the MIME type `text/html`
      got `mimeType` "text/plain"
    "#);
    insta::assert_snapshot!(said(text().try_uri("test://b")), @r#"
    the resource holds something else than expected
      expected the URI `test://b`
      got `uri` "test://a"
    "#);
    insta::assert_snapshot!(said(text().try_len(2)), @r#"
    the resource holds something else than expected
      expected 2 entries
      got 1: `uri` "test://a"
    "#);
    insta::assert_snapshot!(said(read(json!([])).try_text("")), @r#"
    the resource holds something else than expected
      expected the text ""
      got no contents at all
    "#);
    insta::assert_snapshot!(said(read(json!({})).try_len(1)), @"
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
    insta::assert_snapshot!(said(hello().try_message(0, "user", "Hallo")), @r#"
    message 0 of the prompt says something else than expected
      expected the text "Hallo"
      got the text "Hello"
    "#);
    insta::assert_snapshot!(said(hello().try_message(0, "assistant", "Hello")), @"
    the prompt says something else than expected
      expected message 0 by `assistant`
      got one by `user`
    ");
    insta::assert_snapshot!(said(hello().try_message(1, "user", "Hello")), @"
    the prompt says something else than expected
      expected a message 1 by `user`
      got 1 message, the first being message 0
    ");
    insta::assert_snapshot!(said(hello().try_len(2)), @r#"
    the prompt says something else than expected
      expected 2 messages
      got 1 message: the text "Hello"
    "#);
    insta::assert_snapshot!(said(hello().try_description("leaves")), @r#"
    the prompt says something else than expected
      expected a `description` that contains "leaves"
      got "Greets."
    "#);
    insta::assert_snapshot!(said(hello().try_text_contains("bye")), @r#"
    the prompt says something else than expected
      expected a text that contains "bye"
      got the text "Hello"
    "#);
    insta::assert_snapshot!(said(hello().try_image("image/png").map_err(headless)), @"
    …
      expected an image of MIME type `image/png`, with data
    ");
    insta::assert_snapshot!(said(get(json!([{"role": "user", "content": "Hello"}])).try_len(1)), @r#"
    the result of `prompts/get` has no proper messages
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
    insta::assert_snapshot!(said(paris().try_values(["park", "paris"])), @r#"
    the completion is not as expected
      expected the values ["park","paris"]
      got ["paris","park"], which differs in 2 places: /0: expected "park", got "paris"; /1: expected "paris", got "park"
    "#);
    insta::assert_snapshot!(said(paris().try_values(["paris"])), @r#"
    the completion is not as expected
      expected the values ["paris"]
      got ["paris","park"]
    "#);
    insta::assert_snapshot!(said(paris().try_contains("pariss")), @r#"
    the completion is not as expected
      expected "pariss" among the values
      got ["paris","park"]
      hint: did you mean `paris`?
    "#);
    insta::assert_snapshot!(said(paris().try_total(6)), @"
    the completion is not as expected
      expected `/completion/total` is 6
      got 5
    ");
    insta::assert_snapshot!(said(complete(json!({"values": []})).try_has_more(false)), @"
    the completion is not as expected
      expected `/completion/hasMore` is false
      got nothing
    ");
    insta::assert_snapshot!(said(complete(json!({"values": [1]})).try_contains("paris")), @"
    the result of `completion/complete` has no values
      expected `/completion/values/0` is a string
      got 1, which is a number
      [schema.complete-result]
    ");
}

#[test]
fn traces() {
    let trace = || reply("tools/list", json!({"result": {"tools": []}})).recorder().trace();
    let order = ["initialize", "notifications/initialized", "tools/list"];
    trace().assert_sent("tools/list").assert_order(order).assert_no_deadline_fired();
    insta::assert_snapshot!(said(trace().try_sent("tools/call")), @"
    no `tools/call` from the client was seen
      expected a request or notification `tools/call` from the client
      got `initialize`, `notifications/initialized` and `tools/list`
      hint: did you mean `tools/list`?
    ");
    insta::assert_snapshot!(said(trace().try_received("notifications/message")), @"
    no `notifications/message` from the server was seen
      expected a request or notification `notifications/message` from the server
      got no request and no notification
    ");
    insta::assert_snapshot!(said(trace().try_order(["tools/list", "initialize"])), @"
    `initialize` was said, but not in this order
      expected `initialize` after `tools/list`
      got `initialize`, `notifications/initialized` and `tools/list`
    ");
    insta::assert_snapshot!(said(trace().try_order(["ping"])), @"
    `ping` was not seen
      expected `ping`
      got `initialize`, `notifications/initialized` and `tools/list`
    ");
}

#[test]
fn traces_with_fences_and_deadlines() {
    let recorder = Recorder::new();
    let wire = recorder.open("duplex");
    let note = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
    recorder.record(wire, Party::Harness, What::Fence("early".into()));
    recorder.record(wire, Party::Server, Reading::message(note.into()));
    recorder.record(wire, Party::Harness, What::Fence("late".into()));
    recorder.record(
        wire,
        Party::Harness,
        What::DeadlineFired { awaited: "a response with id 1".into() },
    );
    let trace = || -> Trace { recorder.trace() };
    trace()
        .assert_received("notifications/message")
        .assert_not_seen_before_fence("notifications/message", "early");
    insta::assert_snapshot!(said(trace().try_not_seen_before_fence("notifications/message", "late")), @"
    `notifications/message` was said before the fence `late`
      expected no `notifications/message` before it
      got one from the server
    ");
    insta::assert_snapshot!(said(trace().try_no_deadline_fired()), @"
    something was awaited in vain
      expected an answer to everything, or at once the reason why none can come
      got a deadline passed for a response with id 1
    ");
    let finding = trace().try_not_seen_before_fence("ping", "never").expect_err("no such fence");
    assert_eq!(finding.blame, Blame::Test);
    insta::assert_snapshot!(finding, @"
    there is no fence `never` in the trace
      expected a fence `never`
      got `early` and `late`
    ");
    insta::assert_snapshot!(panic_of(|| trace().assert_no_deadline_fired()), @"
    something was awaited in vain
      expected an answer to everything, or at once the reason why none can come
      got a deadline passed for a response with id 1

    the exchange:
          * deadline passed while awaiting: a response with id 1
    ");
}
