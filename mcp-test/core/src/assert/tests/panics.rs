//! The message and location of a panic, and chains of assertions that pass.

use super::*;
use crate::expect::{non_empty_string, object, string};

#[test]
fn a_panic_shows_finding_exchange_and_requirement() {
    let list = || {
        let tools = json!([{"name": "add"}, {"name": "now"}]);
        ToolList::new(pages("tools/list", [json!({"result": {"tools": tools}})]))
    };
    insta::assert_snapshot!(panic_of(|| list().assert_ok().assert_tool("ad")), @r#"
    tool `ad` not found
      expected a tool whose `name` is `ad`
      got 2 tools: `add` and `now`
      hint: did you mean `add`?

    the exchange:
          … 3 messages not shown
      4  client → server  tools/list {}
      5  client ← server  result {"tools":[{"name":"add"},{"name":"now"}]}
    "#);
    let failed = || call(json!({"error": {"code": -32603, "message": "boom"}})).assert_tool_error();
    insta::assert_snapshot!(panic_of(failed), @r#"
    tool `add` was refused instead of failing
      expected a result with `isError: true`
      got the JSON-RPC error -32603: boom
      hint: if the call should be refused, use `assert_error`

    the exchange:
          … 3 messages not shown
      4  client → server  tools/call {"arguments":{"a":1,"b":2},"name":"add"}
      5  client ← server  error -32603 "boom"

    requirement tools.call.execution-error-is-error (SHOULD) Failures inside a tool (upstream or business logic) surface as results flagged `isError: true`, not as protocol errors.
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
fn passing_assertions_chain() -> crate::Result {
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
    call(structured).try_ok()?.try_structured_equals(json!({"sum": 3}))?;
    Ok(())
}
