//! What is compared, and how differences are described.

mod bounds;
mod flow;

use mcp_test_core::json::Pointer;
use mcp_test_core::spec::Revision;
use mcp_test_core::yaml::Span;
use serde_json::json;

use super::*;
use crate::cases::{Cases, Direction, JsonType, Matcher, Mode, ReadOptions};

type Json = serde_json::Value;

fn rule(mode: Mode, matchers: &[(&str, Matcher)]) -> Rule {
    let place = |text: &str| Pointer::parse(text).expect("a pointer");
    let matchers = matchers.iter().map(|(text, it)| (place(text), it.clone(), Span::default()));
    Rule { mode, matchers: matchers.collect() }
}

/// The described differences; checks that `compare` and `matches` agree.
fn differences(rule: &Rule, expected: Json, got: Json) -> String {
    differences_with(rule, &Tolerance::none(), &SecretTexts::default(), expected, got)
}

fn differences_with(
    rule: &Rule,
    tolerance: &Tolerance,
    secrets: &SecretTexts,
    expected: Json,
    got: Json,
) -> String {
    let (expected, got) = (expected.into(), got.into());
    let differences = compare(&expected, &got, rule, tolerance, secrets);
    assert_eq!(differences.is_empty(), matches(&expected, &got, rule, tolerance));
    let mut lines = Vec::new();
    for difference in differences {
        lines.push(difference.to_string());
        lines.extend(difference.lines.iter().map(|line| format!("  {line}")));
    }
    lines.join("\n")
}

fn exact(expected: Json, got: Json) -> String {
    differences(&rule(Mode::Exact, &[]), expected, got)
}

fn contains(expected: Json, got: Json) -> String {
    differences(&rule(Mode::Contains, &[]), expected, got)
}

fn with(matchers: &[(&str, Matcher)], expected: Json, got: Json) -> String {
    differences(&rule(Mode::Exact, matchers), expected, got)
}

#[test]
fn exact_names_what_is_changed_missing_and_extra() {
    insta::assert_snapshot!(exact(
        json!({"result": {"a": 1, "b": {"c": [1, 2]}, "d": "x"}}),
        json!({"result": {"b": {"c": [1, 3]}, "d": 5, "e": null}}),
    ), @r#"
    /result/a: expected 1, got nothing
    /result/b/c/1: expected 2, got 3
    /result/d: expected "x", got 5, which is a number
    /result/e: expected nothing, got null
    "#);
}

#[test]
fn envelope_spelling_and_order_are_ignored() {
    assert_eq!(
        exact(
            json!({"jsonrpc": "2.0", "id": 1, "result": {"a": 1, "b": 2}}),
            json!({"result": {"b": 2, "a": 1}, "id": "x"}),
        ),
        ""
    );
    let read = |text: &str| Value::parse(text.as_bytes()).expect("JSON").value;
    let (one, two) = (read(r#"{"a": 1.0, "b": 2, "b": 3}"#), read(r#"{"b": 3, "a": 10e-1}"#));
    assert!(matches(&one, &two, &Rule::default(), &Tolerance::none()));
    assert!(matches(&two, &one, &Rule::default(), &Tolerance::none()));
}

#[test]
fn one_item_too_many_is_one_difference() {
    assert_eq!(exact(json!([1, 2, 3]), json!([0, 1, 2, 3])), "/0: expected nothing, got 0");
    assert_eq!(exact(json!([1, 2, 3]), json!([1, 3])), "/1: expected 2, got nothing");
}

#[test]
fn another_kind_of_reply_or_another_method_is_one_difference() {
    insta::assert_snapshot!(exact(
        json!({"id": 1, "result": {"content": [], "isError": false}}),
        json!({"id": 1, "error": {"code": -32602, "message": "Unknown tool"}}),
    ), @r#"/error: expected a reply with `result`, got {"code":-32602,"message":"Unknown tool"}, which is its `error`"#);
    insta::assert_snapshot!(exact(
        json!({"method": "tools/call", "params": {"name": "a"}}),
        json!({"method": "tools/list"}),
    ), @r#"/method: expected "tools/call", got "tools/list""#);
}

#[test]
fn contains_allows_more_members_and_items() {
    assert_eq!(
        contains(
            json!({"tools": [{"name": "b"}, {"name": "c"}]}),
            json!({"tools": [{"name": "a"}, {"name": "b", "x": 1}, {"name": "c"}], "n": 1}),
        ),
        ""
    );
}

#[test]
fn contains_requires_a_distinct_counterpart_per_item_in_order() {
    insta::assert_snapshot!(contains(json!([1, 1]), json!([1, 2])), @"expected 1, got nothing similar among 2 items");
    insta::assert_snapshot!(contains(json!([1, 2]), json!([2, 1])), @"expected 2, got the same in a different order");
    insta::assert_snapshot!(contains(json!({"a": [1]}), json!({"a": []})), @"/a: expected 1, got nothing similar among 0 items");
}

#[test]
fn a_similar_item_is_compared_member_by_member() {
    insta::assert_snapshot!(contains(
        json!({"tools": [{"name": "add", "title": "Adds", "inputSchema": {"type": "object"}}]}),
        json!({"tools": [{"name": "echo", "inputSchema": {}}, {"name": "add", "title": "adds", "inputSchema": {"type": "object"}}]}),
    ), @r#"/tools/1/title: expected "Adds", got "adds""#);
}

#[test]
fn matchers_replace_the_value_of_the_case() {
    let matchers = [
        ("/any", Matcher::Any),
        ("/type", Matcher::Type(JsonType::Integer)),
        ("/regex", Matcher::Regex("^[0-9]+$".to_owned())),
        ("/one", Matcher::OneOf(vec!["a".into(), 2.into()])),
        ("/pi", Matcher::Approximate { number: 1.24, within: 0.01 }),
        ("/gone", Matcher::Ignored),
    ];
    let case = json!({"any": 1, "type": 1, "regex": "1", "one": "a", "pi": 1.24, "gone": 1});
    let right = json!({"any": {}, "type": 2.0, "regex": "77", "one": 2, "pi": 1.25});
    assert_eq!(with(&matchers, case.clone(), right), "");
    let wrong = json!({"type": 2.5, "regex": "7x", "one": "b", "pi": 1.3, "gone": []});
    insta::assert_snapshot!(with(&matchers, case.clone(), wrong), @r#"
    /any: expected anything, got nothing
    /one: expected "a" or 2, got "b"
    /pi: expected 1.24 ± 0.01, got 1.3
    /regex: expected a string that matches /^[0-9]+$/, got "7x"
    /type: expected an integer, got 2.5, which is a number
    "#);
    let kinds = json!({"any": null, "type": "2", "regex": 7, "one": [], "pi": "1.24"});
    insta::assert_snapshot!(with(&matchers, case, kinds), @r#"
    /one: expected "a" or 2, got [], which is an empty array
    /pi: expected 1.24 ± 0.01, got "1.24", which is a string
    /regex: expected a string that matches /^[0-9]+$/, got 7, which is a number
    /type: expected an integer, got "2", which is a string
    "#);
}

#[test]
fn members_added_by_a_revision_are_tolerated() {
    let case = json!({"result": {"tools": []}});
    let got = json!({"result": {
        "tools": [], "_meta": {}, "resultType": "complete", "ttlMs": 0, "cacheScope": "public",
    }});
    let differences = |tolerance: &Tolerance, case: &Json, got: &Json| {
        let (rule, secrets) = (Rule::default(), SecretTexts::default());
        differences_with(&rule, tolerance, &secrets, case.clone(), got.clone())
    };
    let stateless = Tolerance::of(Revision::V2026_07_28);
    assert_eq!(differences(&stateless, &case, &got), "");
    insta::assert_snapshot!(differences(&Tolerance::of(Revision::V2025_11_25), &case, &got), @r#"
    /result/cacheScope: expected nothing, got "public"
    /result/resultType: expected nothing, got "complete"
    /result/ttlMs: expected nothing, got 0
    "#);
    let incomplete = json!({"result": {"tools": [], "resultType": "input_required"}});
    insta::assert_snapshot!(differences(&stateless, &case, &incomplete), @r#"/result/resultType: expected nothing, got "input_required""#);

    let bare = json!({"method": "tools/list"});
    let with_meta = json!({"method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    }}});
    assert_eq!(differences(&stateless, &bare, &with_meta), "");
    assert_eq!(differences(&stateless, &json!({"method": "tools/list", "params": {}}), &bare), "");
    let own = json!({"method": "tools/list", "params": {"_meta": {"progressToken": 1}}});
    insta::assert_snapshot!(differences(&stateless, &own, &with_meta), @"/params/_meta/progressToken: expected 1, got nothing");
    insta::assert_snapshot!(differences(&stateless, &own, &bare), @r#"/params: expected {"_meta":{"progressToken":1}}, got nothing"#);
    insta::assert_snapshot!(differences(&Tolerance::none(), &bare, &with_meta), @r#"/params: expected nothing, got {"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#);
}

/// The differences of the first `out` of a case, at its lines.
fn shown(case: &str, got: Json) -> String {
    let (cases, _) = Cases::parse("add.yaml", case, &ReadOptions::default()).expect("a case");
    let (file, case) = cases.iter().next().expect("one case");
    let message = case.sent(Direction::Out).next().expect("an `out`");
    let (got, secrets) = (got.into(), SecretTexts::default());
    let differences = compare(&message.value, &got, &message.rule, &Tolerance::none(), &secrets);
    finding(&differences, message, file).to_string()
}

#[test]
fn differences_are_shown_at_the_lines_of_the_case() {
    let case = r#"
case: Adds
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}}
"#;
    insta::assert_snapshot!(shown(
        case,
        json!({"result": {"content": [{"type": "text", "text": "4"}]}})
    ), @r#"
    the message does not match `out`: `/result/content/0/text` differs
       --> add.yaml:4:82
        |
      4 | out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}}
        |                                                                                  ^^^ got "4"
      /result/content/0/text
      - "3"
      + "4"
    "#);
    insta::assert_snapshot!(shown(case, json!({"result": {"content": [], "isError": true}})), @r#"
    the message does not match `out`: 2 values differ
       --> add.yaml:4:57
        |
      4 | out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}}
        |                                            -            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ got nothing
        |                                            |
        |                                            unexpected `isError`
      /result/content/0
      - {"type":"text","text":"3"}
      /result/isError
      + true
    "#);
    insta::assert_snapshot!(shown(
        case,
        json!({"error": {"code": -32602, "message": "Unknown tool: add"}})
    ), @r#"
    the message does not match `out`: `/error` differs
       --> add.yaml:4:44
        |
      4 | out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}}
        |                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ got {"code":-32602,"message":"Unknown tool: add"}, which is its `error`
      /error
      - a reply with `result`
      + {"code":-32602,"message":"Unknown tool: add"}
    "#);
}

#[test]
fn matcher_differences_are_shown_at_the_value_or_the_matcher() {
    let case = r#"
case: Adds
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
out:
  jsonrpc: "2.0"
  id: 1
  result:
    n: 1
_match:
  out: {/result/n: {type: string}, /result/t: any}
"#;
    insta::assert_snapshot!(shown(case, json!({"result": {"n": 2}})), @"
    the message does not match `out`: 2 values differ
        --> add.yaml:8:8
         |
       8 |     n: 1
         |        ^ expected a string, got 2, which is a number
       9 | _match:
      10 |   out: {/result/n: {type: string}, /result/t: any}
         |                                    --------- expected anything, got nothing
      /result/n
      - a string
      + 2
      /result/t
      - anything
    ");
}

#[test]
fn a_star_matches_every_item_but_requires_none() {
    let title = [("/tools/*/title", Matcher::Ignored)];
    let case = json!({"tools": [{"name": "a"}, {"name": "b", "title": "B"}]});
    assert_eq!(
        with(&title, case.clone(), json!({"tools": [{"name": "a", "title": "A"}, {"name": "b"}]})),
        ""
    );
    let name = [("/tools/*/name", Matcher::Type(JsonType::String))];
    insta::assert_snapshot!(with(&name, case.clone(), json!({"tools": [{"name": 1}, {"name": "c", "title": "B"}, {"name": "d"}]})), @r#"
    /tools/0/name: expected a string, got 1, which is a number
    /tools/2: expected nothing, got {"name":"d"}
    "#);
    let contains = rule(Mode::Contains, &name);
    insta::assert_snapshot!(differences(&contains, json!({"tools": [{"name": "a"}]}), json!({"tools": [{"name": "b"}, {"name": 2}, {}]})), @"
    /tools/1/name: expected a string, got 2, which is a number
    /tools/2/name: expected a string, got nothing
    ");
    insta::assert_snapshot!(differences(&contains, json!({}), json!({"n": 1})), @"/tools: expected the value that `_match` requires at `/tools/*/name`, got nothing");
    assert_eq!(differences(&contains, json!({}), json!({"tools": []})), "");
}

#[test]
fn a_pointer_can_require_a_value_that_the_case_does_not_have() {
    let matchers = [
        ("/a/n", Matcher::Type(JsonType::Number)),
        ("/b/*/c", Matcher::Any),
        ("/d/0", Matcher::Any),
    ];
    let case = json!({"x": 1});
    assert_eq!(
        with(&matchers, case.clone(), json!({"x": 1, "a": {"n": 1}, "b": [], "d": ["y"]})),
        ""
    );
    insta::assert_snapshot!(with(&matchers, case.clone(), json!({"x": 1})), @"
    /a: expected the value that `_match` requires at `/a/n`, got nothing
    /b: expected the value that `_match` requires at `/b/*/c`, got nothing
    /d: expected the value that `_match` requires at `/d/0`, got nothing
    ");
    insta::assert_snapshot!(with(&matchers, case, json!({"x": 1, "a": {"n": "1", "m": 2}, "b": [{}], "d": []})), @r#"
    /a/m: expected nothing, got 2
    /a/n: expected a number, got "1", which is a string
    /b/0: expected nothing, got {}
    /d/0: expected anything, got nothing
    "#);
    let ignored = [("/a/n", Matcher::Ignored)];
    assert_eq!(with(&ignored, json!({}), json!({})), "");
    assert_eq!(with(&ignored, json!({}), json!({"a": {"n": 1}})), "");
    insta::assert_snapshot!(with(&ignored, json!({}), json!({"a": {"m": 1}, "b": 1})), @"
    /a/m: expected nothing, got 1
    /b: expected nothing, got 1
    ");
}

#[test]
fn the_pointer_with_the_fewest_stars_wins() {
    let matchers = [
        ("/tools/0/name", Matcher::Regex("^a$".to_owned())),
        ("/tools/*/name", Matcher::Regex("^b$".to_owned())),
        ("/any", Matcher::Any),
        ("/any/n", Matcher::Type(JsonType::Null)),
    ];
    let case = json!({"tools": [{"name": "x"}, {"name": "y"}], "any": 1});
    assert_eq!(
        with(
            &matchers,
            case.clone(),
            json!({"tools": [{"name": "a"}, {"name": "b"}], "any": {"n": null, "m": 1}})
        ),
        ""
    );
    insta::assert_snapshot!(with(&matchers, case, json!({"tools": [{"name": "b"}, {"name": "a"}], "any": {"m": 1}})), @r#"
    /any/n: expected null, got nothing
    /tools/0/name: expected a string that matches /^a$/, got "b"
    /tools/1/name: expected a string that matches /^b$/, got "a"
    "#);
}

#[test]
fn a_mode_applies_below_its_pointer() {
    let matchers = [("/open", Matcher::Contains), ("/open/closed", Matcher::Exact)];
    let case = json!({"open": {"closed": {"a": 1}}, "list": [1]});
    assert_eq!(
        with(&matchers, case.clone(), json!({"open": {"closed": {"a": 1}, "b": 2}, "list": [1]})),
        ""
    );
    insta::assert_snapshot!(with(&matchers, case, json!({"open": {"closed": {"a": 1, "b": 2}}, "list": [1, 2], "c": 3})), @"
    /list/1: expected nothing, got 2
    /open/closed/b: expected nothing, got 2
    /c: expected nothing, got 3
    ");
}

#[test]
fn an_unordered_array_needs_a_counterpart_for_every_item() {
    let matchers = [("/list", Matcher::Unordered), ("/list/0", Matcher::Any)];
    let case = json!({"list": [0, 1, 2, {"a": 1, "b": 2}]});
    // What anything matches gives way to what only one item matches.
    assert_eq!(with(&matchers, case.clone(), json!({"list": [1, 2, {"a": 1, "b": 2}, "x"]})), "");
    insta::assert_snapshot!(with(&matchers, case.clone(), json!({"list": [2, {"a": 1, "b": 3}, 1, 7, 8]})), @r#"
    /list: expected {"a":1,"b":2}, got nothing similar among 5 items
    /list/3: expected nothing, got 7
    /list/4: expected nothing, got 8
    "#);
    let contains = rule(Mode::Contains, &matchers);
    assert_eq!(differences(&contains, case, json!({"list": [2, {"a": 1, "b": 2}, 1, 7, 8]})), "");
}

#[test]
fn long_strings_show_where_they_first_differ() {
    let long = "The quick brown fox jumps over the lazy dog. ".repeat(2_000);
    let other = long.replacen("lazy", "busy", 700).replacen("busy", "lazy", 699);
    insta::assert_snapshot!(exact(json!({"text": long}), json!({"text": other})), @r#"/text: expected …" fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog. The q"…, got …" fox jumps over the busy dog. The quick brown fox jumps over the lazy dog. The q"…, which first differs at character 31491"#);
    insta::assert_snapshot!(exact(json!("one\ntwo\nthree\nfour"), json!("one\ntwo\n3\nfour")), @r#"
    expected "one\ntwo\nthree\nfour", got "one\ntwo\n3\nfour", which first differs at character 1 of line 3
        two
      - three
      + 3
        four
    "#);
    insta::assert_snapshot!(exact(json!("one\ntwo\n"), json!("one\ntwo")), @r#"
    expected "one\ntwo\n", got "one\ntwo", which first differs at character 4 of line 2
        two
      -
    "#);
}

#[test]
fn long_values_are_shown_line_by_line() {
    let tool = json!({"name": "add", "description": "Adds two numbers", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}});
    insta::assert_snapshot!(exact(json!({"tools": []}), json!({"tools": [tool]})), @r#"
    /tools/0: expected nothing, got {"description":"Adds two numbers","inputSchema":{"properties":{"a":{"type":"number"},"b":{"type":"number"}},"type":"obj…
      + {
      +   "description": "Adds two numbers",
      +   "inputSchema": {
      +     "properties": {
      +       "a": {
      +         "type": "number"
      +       },
      +       "b": {
      +         "type": "number"
      +       }
      +     },
      +     "type": "object"
      +   },
      +   "name": "add"
      + }
    "#);
}

#[test]
fn secrets_are_masked() {
    let secrets = SecretTexts::new(["hunter2hunter2".to_owned()]);
    let case = json!({"a": "hunter2hunter2", "b": "x", "text": "first\nhunter2hunter2\nlast"});
    let got = json!({"a": "?", "b": "hunter2hunter2", "text": "first\nhunter2hunter2!\nlast", "hunter2hunter2": {"c": ["hunter2hunter2 ".repeat(20)]}});
    let differences = differences_with(&Rule::default(), &Tolerance::none(), &secrets, case, got);
    assert!(!differences.contains("hunter"), "{differences}");
    insta::assert_snapshot!(differences, @r#"
    /a: expected "[secret]", got "?"
    /b: expected "x", got "[secret]"
    /text: expected "first\n[secret]\nlast", got "first\n[secret]!\nlast", which first differs at character 9 of line 2
        first
      - [secret]
      + [secret]!
        last
    /[secret]: expected nothing, got {"c":["[secret] [secret] [secret] [secret] [secret] [secret] [secret] [secret] [secret] [secret] [secret] [secret] [sec…
      + {
      +   "c": [
      +     "[secret] [secret] [secret] [secret] [secret] [secret] [secret] [secret] [secret] [secret] [secret] [secret] [secret…
      +   ]
      + }
    "#);
}

#[test]
fn approximate_numbers_have_a_tolerance() {
    let near = |number: f64, within: f64, got: &str| {
        let got = Value::parse(got.as_bytes()).expect("JSON").value;
        let rule = rule(Mode::Exact, &[("", Matcher::Approximate { number, within })]);
        matches(&Value::Null, &got, &rule, &Tolerance::none())
    };
    assert!(
        near(0.3, 0.0, "0.3") && near(0.2, 0.1, "0.3") && near(1e20, 1.0, "100000000000000000000")
    );
    assert!(!near(0.3, 0.0, "0.31") && !near(0.2, 0.1, "0.1000000001e1"));
    assert!(!near(1.0, 1.0, "1e999") && !near(1.0, 1.0, "-1e999") && !near(1.0, 1.0, "\"1\""));
    assert!(
        !near(f64::NAN, 1.0, "1") && !near(1.0, f64::NAN, "1") && !near(f64::INFINITY, 1.0, "1")
    );
}

#[test]
fn the_intended_message_is_the_most_similar() {
    let message = |name: &str, a: i32| {
        Value::from(
            json!({"jsonrpc": "2.0", "id": a, "method": "tools/call", "params": {"name": name, "arguments": {"a": a, "b": 2}}}),
        )
    };
    let list = Value::from(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let got = message("add", 1);
    let all = [message("add", 1), message("add", 2), message("adds", 1), message("echo", 9), list];
    let scores: Vec<f64> = all.iter().map(|it| similarity(it, &got)).collect();
    assert!(scores.windows(2).all(|pair| pair[0] > pair[1]), "{scores:?}");
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}");
    assert!((scores[0] - 1.0).abs() < f64::EPSILON);
}
