//! Conversations about tools, and what their schemas come to.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::check::walk::walk;
use crate::check::{ToolJudgement, judge_tools};
use crate::spec::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::trace::{EventKind, Party, Recorder, Trace};

/// A conversation by its lines: `>` of the client, `<` of the server, both without the envelope.
fn spoken(lines: &[(char, i32, serde_json::Value)]) -> Trace {
    let recorder = Recorder::new();
    let on = recorder.open("duplex");
    for (arrow, id, said) in lines {
        let mut message = said.clone();
        message["jsonrpc"] = "2.0".into();
        message["id"] = (*id).into();
        let party = if *arrow == '>' { Party::Client } else { Party::Server };
        recorder.record(on, party, EventKind::message(message.to_string().into()));
    }
    recorder.trace()
}

fn judged(
    revision: Revision,
    who: Party,
    lines: &[(char, i32, serde_json::Value)],
) -> ToolJudgement {
    judge_tools(&spoken(lines), who, &|_| revision)
}

fn asked(method: &str, params: &serde_json::Value) -> serde_json::Value {
    json!({"method": method, "params": params})
}

/// A conversation in which these tools are listed.
fn listing(tools: &serde_json::Value) -> Vec<(char, i32, serde_json::Value)> {
    vec![('>', 1, asked("tools/list", &json!({}))), ('<', 1, json!({"result": {"tools": tools}}))]
}

/// The same, in which then one of them is called.
fn calling(
    tools: &serde_json::Value,
    call: &serde_json::Value,
    result: &serde_json::Value,
) -> Vec<(char, i32, serde_json::Value)> {
    let mut lines = listing(tools);
    lines.push(('>', 2, asked("tools/call", call)));
    lines.push(('<', 2, json!({"result": result})));
    lines
}

fn reported(judgement: &ToolJudgement) -> String {
    let line = |finding: &Finding| {
        format!("{:?} {:?} {finding}\n", finding.severity, finding.requirements)
    };
    judgement.findings.iter().map(line).collect()
}

fn sum() -> serde_json::Value {
    let input =
        json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}});
    let output =
        json!({"type": "object", "required": ["sum"], "properties": {"sum": {"type": "integer"}}});
    json!([{"name": "add", "inputSchema": input, "outputSchema": output}])
}

#[test]
fn what_is_listed_must_be_a_schema() {
    let tools = json!([
        {"name": "good", "inputSchema": {"type": "object"}},
        {"name": "bad", "inputSchema": {"type": "object", "properties": {"a": {"type": "int"}}}},
        {"name": "worse", "inputSchema": {"type": "object"}, "outputSchema": {"required": "sum"}},
        {"name": "no tool", "inputSchema": 7},
        {"name": "far", "inputSchema": {"properties": {"a": {"$ref": "https://example.com/a.json"}}}},
        {"name": "own", "inputSchema": {"$schema": "https://example.com/own"}},
    ]);
    let judgement = judged(V2025_11_25, Party::Server, &listing(&tools));
    assert_eq!(judgement.judged, 6);
    insta::assert_snapshot!(reported(&judgement), @r#"
    Must ["tools.definition.input-schema-valid", "base.schema-valid"] the `inputSchema` of tool `bad` is not a valid JSON Schema 2020-12
      expected `/result/tools/1/inputSchema/properties/a/type` is "array", "boolean", "integer", "null", "number", "object", "string" or an array
      got "int"
    Must ["tools.definition.output-schema-valid", "base.schema-valid"] the `outputSchema` of tool `worse` is not a valid JSON Schema 2020-12
      expected `/result/tools/2/outputSchema/required` is an array
      got "sum"
    Should [] nothing was judged by the `inputSchema` of tool `far`
      expected a JSON Schema that mcp-test can judge by, within its bounds
      got `/properties/a/$ref` refers to "https://example.com/a.json", which is outside this schema and is not fetched
    Should [] nothing was judged by the `inputSchema` of tool `own`
      expected a JSON Schema that mcp-test can judge by, within its bounds
      got `/$schema` is "https://example.com/own", which is not a supported dialect: draft 4, 6, 7, 2019-09 or 2020-12
    Should ["base.schema-prefer-2020-12"] the schema of a tool is in another dialect than 2020-12
      expected "https://json-schema.org/draft/2020-12/schema", or no `$schema`
      got "https://example.com/own" in the `inputSchema` of tool `own`
    "#);
    assert_eq!(judged(V2025_11_25, Party::Client, &listing(&tools)), ToolJudgement::default());
}

#[test]
fn before_there_was_a_default_any_dialect_may_be_meant() {
    let tuple = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"a": {"items": [{}]}}}}]);
    let bad = json!([{"name": "a", "inputSchema": {"type": "object", "properties": 7}}]);
    assert_eq!(reported(&judged(V2025_06_18, Party::Server, &listing(&tuple))), "");
    insta::assert_snapshot!(reported(&judged(V2025_06_18, Party::Server, &listing(&bad))), @"
    Should [] the `inputSchema` of tool `a` is not a valid JSON Schema 2020-12
      expected `/result/tools/0/inputSchema/properties` is an object
      got 7
      hint: MCP 2025-06-18 does not require it; `tools.definition.input-schema-valid` applies to 2025-11-25..
    ");
    insta::assert_snapshot!(reported(&judged(V2026_07_28, Party::Server, &listing(&tuple))), @r#"
    Must ["tools.definition.input-schema-valid", "base.schema-valid"] the `inputSchema` of tool `a` is not a valid JSON Schema 2020-12
      expected `/result/tools/0/inputSchema/properties/a/items` is a boolean or an object
      got [{}]
    "#);
}

#[test]
fn structured_content_is_what_was_promised() {
    let result = |result: serde_json::Value| {
        let lines = calling(&sum(), &json!({"name": "add", "arguments": {}}), &result);
        let judgement = judged(V2025_11_25, Party::Server, &lines);
        (judgement.judged, reported(&judgement))
    };
    assert_eq!(result(json!({"structuredContent": {"sum": 3}})), (3, String::new()));
    insta::assert_snapshot!(result(json!({"structuredContent": {"sum": "3"}})).1, @r#"
    Must ["tools.structured.conforms-output-schema"] tool `add` returned structured content that does not conform to its `outputSchema`
      expected `/result/structuredContent/sum` is an integer
      got "3", which is a string
    "#);
    insta::assert_snapshot!(result(json!({"structuredContent": {}})).1, @r#"
    Must ["tools.structured.conforms-output-schema"] tool `add` returned structured content that does not conform to its `outputSchema`
      expected `/result/structuredContent/sum` is present
      got nothing
    "#);
    insta::assert_snapshot!(result(json!({"content": []})).1, @r#"
    Must ["tools.structured.present-with-output-schema"] tool `add` has an `outputSchema`, and returned no structured content
      expected `/result/structuredContent` is present
      got nothing
    "#);
    let nothing_promised = [
        json!({"content": [], "isError": true}),
        json!({"resultType": "input_required", "inputRequests": {}}),
        json!({"task": {"taskId": "1"}}),
    ];
    for nothing in nothing_promised {
        assert_eq!(result(nothing), (2, String::new()));
    }
}

#[test]
fn a_client_is_warned_of_arguments_that_do_not_conform() {
    let call = |call: serde_json::Value| {
        let lines = calling(&sum(), &call, &json!({"content": []}));
        let judgement = judged(V2025_11_25, Party::Client, &lines);
        (judgement.judged, reported(&judgement))
    };
    assert_eq!(call(json!({"name": "add", "arguments": {"a": 1}})), (1, String::new()));
    assert_eq!(call(json!({"name": "unknown"})), (0, String::new()));
    insta::assert_snapshot!(call(json!({"name": "add", "arguments": {"a": "1"}})).1, @r#"
    Should [] tool `add` was called with arguments that do not conform to its `inputSchema`
      expected `/params/arguments/a` is an integer
      got "1", which is a string
    "#);
    insta::assert_snapshot!(call(json!({"name": "add"})).1, @"
    Should [] tool `add` was called with arguments that do not conform to its `inputSchema`
      expected `/params/arguments/a` is present
      got nothing
    ");
}

#[test]
fn a_schema_of_any_object_is_judged_by_like_others() {
    let call = |schema: serde_json::Value, arguments: serde_json::Value| {
        let tools = json!([{"name": "all", "inputSchema": schema}]);
        let call = json!({"name": "all", "arguments": arguments});
        let lines = calling(&tools, &call, &json!({"content": []}));
        reported(&judged(V2025_11_25, Party::Client, &lines)).lines().skip(1).collect::<String>()
    };
    let any = json!({"type": "object"});
    let none = json!({"properties": {}, "type": "object"});
    assert_eq!(call(any.clone(), json!({"a": 1})), "");
    assert_eq!(call(none, json!({})), "");
    insta::assert_snapshot!(call(any, json!([])), @"  expected `/params/arguments` is an object  got [], which is an empty array");
    insta::assert_snapshot!(call(json!({"type": "object", "required": ["a"]}), json!({})), @"  expected `/params/arguments/a` is present  got nothing");
    insta::assert_snapshot!(call(json!({"type": "array"}), json!({})), @"  expected `/params/arguments` is an array  got {}, which is an empty object");
}

#[test]
fn a_later_list_counts_and_pages_add_to_it() {
    let tool = |name: &str, kind: &str| json!({"name": name, "inputSchema": {"type": "object"}, "outputSchema": {"type": kind}});
    let lines = [
        ('>', 1, asked("tools/list", &json!({}))),
        ('<', 1, json!({"result": {"tools": [tool("a", "string")], "nextCursor": "x"}})),
        ('>', 2, asked("tools/list", &json!({"cursor": "x"}))),
        (
            '<',
            2,
            json!({"result": {"tools": [tool("b", "string"), tool("c", "string"), tool("c", "null")]}}),
        ),
        ('>', 3, asked("tools/call", &json!({"name": "a"}))),
        ('<', 3, json!({"result": {"structuredContent": 3}})),
        ('>', 4, asked("tools/call", &json!({"name": "b"}))),
        ('<', 4, json!({"result": {"structuredContent": 4}})),
        // Listed twice, so nobody knows which it is.
        ('>', 5, asked("tools/call", &json!({"name": "c"}))),
        ('<', 5, json!({"result": {"structuredContent": 5}})),
        ('>', 6, asked("tools/list", &json!({}))),
        ('<', 6, json!({"result": {"tools": [tool("a", "integer")]}})),
        ('>', 7, asked("tools/call", &json!({"name": "a"}))),
        ('<', 7, json!({"result": {"structuredContent": 7}})),
        ('>', 8, asked("tools/call", &json!({"name": "b"}))),
        ('<', 8, json!({"result": {"structuredContent": 8}})),
    ];
    let judgement = judged(V2026_07_28, Party::Server, &lines);
    let got: Vec<_> =
        judgement.findings.iter().filter_map(|finding| finding.got.as_deref()).collect();
    assert_eq!(got, ["3, which is a number", "4, which is a number"]);
    assert_eq!(judgement.judged, 10 + 3);
}

#[test]
fn what_is_beyond_a_bound_is_reported_and_blames_nobody() {
    let deep = (0..80).fold(json!({}), |inner, _| json!({"items": inner}));
    let tools = json!([{"name": "deep", "inputSchema": deep}]);
    insta::assert_snapshot!(reported(&judged(V2025_11_25, Party::Server, &listing(&tools))), @"
    Must [] nothing was judged by the `inputSchema` of tool `deep`
      expected a JSON Schema that mcp-test can judge by, within its bounds
      got the schema exceeds a limit: nested at most 64 levels
    ");
    let slow = json!({"type": "object", "properties": {"a": {"pattern": "(.*)*=(.*)*\\1"}}});
    let tools = json!([{"name": "slow", "inputSchema": {"type": "object"}, "outputSchema": slow}]);
    let result = json!({"structuredContent": {"a": "a".repeat(500)}});
    let lines = calling(&tools, &json!({"name": "slow"}), &result);
    insta::assert_snapshot!(reported(&judged(V2025_11_25, Party::Server, &lines)), @"
    Must [] nothing was judged by the `outputSchema` of tool `slow`
      expected a JSON Schema that mcp-test can judge by, within its bounds
      got a pattern of the schema backtracks more than 100000 times
    ");
}

#[test]
fn a_tool_that_is_listed_again_as_it_was_is_not_compiled_again() {
    let mut tools = ToolSchemas::new(V2025_11_25);
    let page = |kind: &str| {
        let same = json!({"name": "same", "inputSchema": {"type": "object"}});
        let other = json!({"name": "other", "inputSchema": {"type": "object"}, "outputSchema": {"type": kind}});
        Value::from(json!({"tools": [same, other]}))
    };
    let mut budget = TimeBudget::default();
    assert_eq!(tools.judge(&page("string"), &mut budget), []);
    let mut none = TimeBudget::new(Duration::ZERO);
    for _ in 0..2 {
        tools.begin();
        assert_eq!(tools.judge(&page("string"), &mut none), []);
        assert!(!none.has_left_out());
    }
    // A list of which nothing came does not make them unknown.
    tools.begin();
    tools.begin();
    assert_eq!(tools.judge(&page("null"), &mut none), []);
    let reported = none.into_finding().expect("a schema that is new");
    insta::assert_snapshot!(reported, @"
    nothing was judged by the `inputSchema` of tool `other`
      expected a JSON Schema that mcp-test can judge by, within its bounds
      got schemas and values that take more than 0 s to be judged
      hint: nothing was judged from here on: 2 judgements left out
    ");
    tools.begin_at(V2025_06_18);
    let mut none = TimeBudget::new(Duration::ZERO);
    assert_eq!(tools.judge(&page("string"), &mut none), []);
    assert!(none.has_left_out(), "another revision may mean another dialect");
}

#[test]
fn judgements_after_the_time_budget_are_reported_once_and_counted() {
    let call = json!({"name": "add", "arguments": {"a": "1"}});
    let mut tools = sum();
    for schema in ["inputSchema", "outputSchema"] {
        // So that no other test has compiled it.
        tools[0][schema]["title"] = json!("left out");
    }
    let mut lines = calling(&tools, &call, &json!({"structuredContent": {}}));
    lines.push(('>', 3, asked("tools/call", &call)));
    lines.push(('<', 3, json!({"result": {"structuredContent": {}}})));
    let trace = spoken(&lines);
    let judged = |who| {
        let none = TimeBudget::new(Duration::ZERO);
        let mut judge = ToolSchemaJudge::new(who, none);
        walk(&trace, &|_| V2025_11_25, &mut judge);
        judge.into_judgement()
    };
    insta::assert_snapshot!(reported(&judged(Party::Server)), @"
    Must [] nothing was judged by the `inputSchema` of tool `add`
      expected a JSON Schema that mcp-test can judge by, within its bounds
      got schemas and values that take more than 0 s to be judged
      hint: nothing was judged from here on: 4 judgements left out
    ");
    insta::assert_snapshot!(reported(&judged(Party::Client)), @"
    Must [] nothing was judged by the `inputSchema` of tool `add`
      expected a JSON Schema that mcp-test can judge by, within its bounds
      got schemas and values that take more than 0 s to be judged
      hint: nothing was judged from here on: 2 judgements left out
    ");
    assert_eq!(judged(Party::Client).findings[0].evidence.len(), 1);
}

#[test]
fn of_many_bad_schemas_some_are_reported_and_the_rest_counted() {
    let far = json!({"$ref": "https://example.com/a"});
    let tool = |number: usize| json!({"name": number.to_string(), "inputSchema": far, "outputSchema": {"type": 7}});
    let tools: Vec<_> = (0..500).map(tool).collect();
    let judgement = judged(V2025_11_25, Party::Server, &listing(&json!(tools)));
    assert_eq!(judgement.judged, 1000);
    let hints: Vec<_> = judgement.findings.iter().map(|finding| finding.hint.as_deref()).collect();
    assert_eq!(hints.len(), 100);
    let more = Some("450 more findings about the schemas of tools");
    assert_eq!(hints.iter().filter(|hint| **hint == more).count(), 2);
    assert_eq!(hints.iter().flatten().count(), 2);
}

#[test]
fn what_is_left_out_names_the_bound_that_was_reached() {
    let got = |mut budget: TimeBudget| {
        let compiled = (0..20_000).filter(|_| budget.compiles()).count();
        budget.leave_out(|| Finding::environment("nothing was judged"));
        (compiled, budget.into_finding().and_then(|finding| finding.got).unwrap_or_default())
    };
    let (compiled, why) = got(TimeBudget::default());
    assert_eq!((compiled, &*why), (10_000, "more than the 10000 schemas that mcp-test judges by"));
    let (compiled, why) = got(TimeBudget::new(Duration::ZERO));
    assert_eq!((compiled, &*why), (0, "schemas and values that take more than 0 s to be judged"));
}
