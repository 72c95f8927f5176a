//! Failures of assertions about lists and their items.

use super::*;
use crate::client::reply::{List, ListKind};
use crate::expect::{object, string, text_starting_with};

#[test]
fn a_finding_about_an_item_points_at_it_in_its_page() {
    let first = json!({"result": {"tools": [{"name": "add"}], "nextCursor": "2"}});
    let second = json!({"result": {"tools": [{"name": "now"}, {"name": "sub", "annotations": {"title": "-"}}]}});
    let list = ToolList::new(pages("tools/list", [first, second]));
    let evidence = list.pages()[1].evidence();
    let tool = list.assert_tool("sub").try_annotation("readOnlyHint", true);
    let finding = tool.expect_err("it has no such annotation");
    let pointer = finding.pointer.as_deref().map(ToString::to_string);
    assert_eq!(pointer.as_deref(), Some("/tools/1/annotations/readOnlyHint"));
    assert_eq!(finding.evidence, evidence);
}

#[test]
fn lists() {
    insta::assert_snapshot!(message(tools().try_tool("Now")), @"
    tool `Now` not found
      expected a tool whose `name` is `Now`
      got 2 tools: `add` and `now`
      hint: did you mean `now`?
    ");
    insta::assert_snapshot!(message(tools().try_tool("something else")), @"
    tool `something else` not found
      expected a tool whose `name` is `something else`
      got 2 tools: `add` and `now`
    ");
    insta::assert_snapshot!(message(tools().try_no_tool("now")), @r#"
    unexpected tool `now`
      expected no tool with this `name`
      got {"inputSchema":{"type":"object"},"name":"now"}
    "#);
    insta::assert_snapshot!(message(tools().try_len(3)), @"
    unexpected number of items in `tools/list`
      expected 3 tools
      got 2 tools: `add` and `now`
    ");
    insta::assert_snapshot!(message(tools().try_names(["add", "sub"])), @"
    unexpected items in `tools/list`
      expected 2 tools in any order: `add` and `sub`
      got a list of 2 tools: `add` and `now`, which lacks `sub` and also has `now`
    ");
    insta::assert_snapshot!(message(tools().try_each(object().member("description", string()))), @"
    tool `now` is not as expected
      expected `/tools/1/description` is a string
      got nothing
    ");

    let list = |answer: Value| ToolList::new(pages("tools/list", [json!({"result": answer})]));
    let named = |names: &[&str]| {
        let items = names.iter().map(|name| json!({"name": name}));
        list(json!({"tools": items.collect::<Vec<_>>()}))
    };
    insta::assert_snapshot!(message(named(&["add", "add"]).try_unique_names()), @"
    two tools have the same `name`
      expected a unique `name` on all pages
      got `add` 2 times
      [tools.name.unique]
    ");
    insta::assert_snapshot!(message(named(&["add", "add"]).try_names(["add"])), @"
    unexpected items in `tools/list`
      expected 1 tool in any order: `add`
      got a list of 2 tools: `add` and `add`, which also has `add`
    ");
    insta::assert_snapshot!(message(named(&[]).try_each(object())), @"
    `tools/list` lists no items
      expected at least one tool
      got an empty list
    ");
    insta::assert_snapshot!(message(named(&[]).try_tool("add")), @"
    tool `add` not found
      expected a tool whose `name` is `add`
      got 0 tools
    ");
    insta::assert_snapshot!(message(list(json!({"tools": [{}, {"name": 7}, {"name": "add"}]})).try_names(["add"])), @"
    unexpected items in `tools/list`
      expected 1 tool in any order: `add`
      got a list of 1 tool: `add`, and 2 items without `name`
    ");
    insta::assert_snapshot!(message(list(json!({"tools": "none"})).try_ok()), @r#"
    the result of `tools/list` contains no list
      expected `/tools` is an array
      got "none", which is a string
      [schema.list-tools-result]
    "#);
    insta::assert_snapshot!(message(ToolList::new(pages("tools/list", [refused()])).try_len(0)), @"
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
    insta::assert_snapshot!(message(resources().try_resource("file:///b")), @"
    resource `file:///b` not found
      expected a resource whose `uri` is `file:///b`
      got 1 resource: `file:///a`
      hint: did you mean `file:///a`?
    ");
    let resource = || resources().assert_resource("file:///a");
    insta::assert_snapshot!(message(resource().try_mime_type("text/html")), @r#"
    resource `file:///a` has an unexpected `mimeType`
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
    insta::assert_snapshot!(message(templates().try_resource_template("file:///{id}")), @"
    resource template `file:///{id}` not found
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
    insta::assert_snapshot!(message(prompts().try_prompt("great")), @"
    prompt `great` not found
      expected a prompt whose `name` is `great`
      got 1 prompt: `greet`
      hint: did you mean `greet`?
    ");
    insta::assert_snapshot!(message(prompts().assert_prompt("greet").try_requires("style")), @"
    prompt `greet` does not require `style`
      expected a required argument `style`
      got an optional one (required `who`, optional `style`)
    ");
    insta::assert_snapshot!(message(prompts().assert_prompt("greet").try_optional("stile")), @"
    prompt `greet` has no argument `stile`
      expected an argument `stile`
      got required `who`, optional `style`
      hint: did you mean `style`?
    ");
}

#[test]
fn tools_of_a_list() {
    let add = || tools().assert_tool("add");
    insta::assert_snapshot!(message(add().try_requires("digits")), @"
    tool `add` does not require `digits`
      expected a required argument `digits`
      got an optional one (required `a` and `b`, optional `digits`)
    ");
    insta::assert_snapshot!(message(add().try_optional("a")), @"
    tool `add` requires `a`
      expected an optional argument `a`
      got a required one (required `a` and `b`, optional `digits`)
    ");
    insta::assert_snapshot!(message(add().try_requires("digit")), @"
    tool `add` has no argument `digit`
      expected an argument `digit`
      got required `a` and `b`, optional `digits`
      hint: did you mean `digits`?
    ");
    insta::assert_snapshot!(message(tools().assert_tool("now").try_requires("zone")), @"
    tool `now` has no argument `zone`
      expected an argument `zone`
      got no arguments
    ");
    insta::assert_snapshot!(message(add().try_property_type("a", "string")), @r#"
    argument `a` of tool `add` has an unexpected type
      expected `/inputSchema/properties/a/type` is "string"
      got "number"
    "#);
    insta::assert_snapshot!(message(add().try_property("a", object().member("minimum", string()))), @"
    tool `add` is not as expected
      expected `/inputSchema/properties/a/minimum` is a string
      got nothing
    ");
    insta::assert_snapshot!(message(add().try_description("subtracts")), @r#"
    tool `add` has an unexpected `description`
      expected a `description` that contains "subtracts"
      got "Adds two numbers."
    "#);
    insta::assert_snapshot!(message(add().try_title("Sum")), @r#"
    tool `add` has an unexpected `title`
      expected `title` is "Sum"
      got "Adder"
    "#);
    insta::assert_snapshot!(message(add().try_annotation("readOnlyHint", false)), @"
    tool `add` is not as expected
      expected `/annotations/readOnlyHint` is false
      got true
    ");
    insta::assert_snapshot!(message(add().try_output_schema(object())), @"
    tool `add` is not as expected
      expected `/outputSchema` is an object
      got nothing
    ");
    insta::assert_snapshot!(message(add().try_member("/title", text_starting_with("S"))), @r#"
    tool `add` is not as expected
      expected `/title` is text starting with "S"
      got "Adder"
    "#);
}

#[test]
fn every_page_is_checked() {
    let list = tools()
        .assert_pages(2)
        .assert_page_size(1)
        .assert_member("/tools/0/inputSchema/type", "object");
    assert_eq!(list.cursors(), ["2"]);
    insta::assert_snapshot!(message(tools().try_pages(1)), @"
    unexpected number of pages of `tools/list`
      expected 1 page
      got 2 pages
    ");
    insta::assert_snapshot!(message(tools().try_page_size(0)), @"
    a page of `tools/list` is too large
      expected at most 0 tools on a page
      got 1 tool on page 1
    ");
    insta::assert_snapshot!(message(tools().try_member("/nextCursor", "2")), @r#"
    page 2 of `tools/list` is not as expected
      expected `/nextCursor` is "2"
      got nothing
    "#);
}

#[test]
fn what_must_not_be_listed_is_shown() {
    fn list<K: ListKind>(item: &Value) -> List<K> {
        let result = json!({"result": {K::MEMBER: [item]}});
        List::new(pages(K::METHOD, [result]))
    }
    let prompts: PromptList = list(&json!({"name": "review"}));
    insta::assert_snapshot!(message(prompts.try_no_prompt("review")), @r#"
    unexpected prompt `review`
      expected no prompt with this `name`
      got {"name":"review"}
    "#);
    let resources: ResourceList = list(&json!({"uri": "note://1", "name": "note"}));
    insta::assert_snapshot!(message(resources.try_no_resource("note://1")), @r#"
    unexpected resource `note://1`
      expected no resource with this `uri`
      got {"name":"note","uri":"note://1"}
    "#);
    let templates: ResourceTemplateList =
        list(&json!({"uriTemplate": "note://{id}", "name": "note"}));
    let unexpected = templates.try_no_resource_template("note://{id}");
    insta::assert_snapshot!(message(unexpected), @r#"
    unexpected resource template `note://{id}`
      expected no resource template with this `uriTemplate`
      got {"name":"note","uriTemplate":"note://{id}"}
    "#);
    let schema = tools().assert_tool("add").try_input_schema(json!({"type": "object"}));
    insta::assert_snapshot!(message(schema), @r#"
    tool `add` is not as expected
      expected `/inputSchema` is {"type":"object"}
      got {"properties":{"a":{"type":"number"},"b":{"type":["number","null"]},"digits":{"type":"integer"}},"required":["a","b"],"…, which differs in 2 places: /properties: expected nothing, got {"a":{"type":"number"},"b":{"type":["number","null"]},"digits":{"type":"integer…; /required: expected nothing, got ["a","b"]
    "#);
}
