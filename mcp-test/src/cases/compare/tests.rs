use serde_json::json;

use super::*;
use crate::cases::{JsonType, Matcher, Mode};
use crate::json::Pointer;
use crate::spec::Revision;
use crate::yaml::Span;

type Json = serde_json::Value;

fn rule(mode: Mode, matchers: &[(&str, Matcher)]) -> Rule {
    let place = |text: &str| Pointer::parse(text).expect("a pointer");
    let matchers = matchers.iter().map(|(text, it)| (place(text), it.clone(), Span::default()));
    Rule { mode, matchers: matchers.collect() }
}

/// What differs, in words; and what is told agrees with what is only asked for.
fn told(rule: &Rule, expected: Json, got: Json) -> String {
    told_with(rule, &Tolerance::none(), &SecretTexts::default(), expected, got)
}

fn told_with(
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
    told(&rule(Mode::Exact, &[]), expected, got)
}

fn contains(expected: Json, got: Json) -> String {
    told(&rule(Mode::Contains, &[]), expected, got)
}

fn with(matchers: &[(&str, Matcher)], expected: Json, got: Json) -> String {
    told(&rule(Mode::Exact, matchers), expected, got)
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
fn envelope_spelling_and_order_are_no_difference() {
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
fn contains_lets_objects_have_more_and_arrays_too() {
    assert_eq!(
        contains(
            json!({"tools": [{"name": "b"}, {"name": "c"}]}),
            json!({"tools": [{"name": "a"}, {"name": "b", "x": 1}, {"name": "c"}], "n": 1}),
        ),
        ""
    );
}

#[test]
fn contains_wants_a_counterpart_of_its_own_for_every_item_and_in_order() {
    insta::assert_snapshot!(contains(json!([1, 1]), json!([1, 2])), @"expected 1, got nothing like it among 2 items");
    insta::assert_snapshot!(contains(json!([1, 2]), json!([2, 1])), @"expected 2, got the same, but not in this order");
    insta::assert_snapshot!(contains(json!({"a": [1]}), json!({"a": []})), @"/a: expected 1, got nothing like it among 0 items");
}

#[test]
fn an_item_that_is_nearly_right_is_told_by_what_is_wrong_with_it() {
    insta::assert_snapshot!(contains(
        json!({"tools": [{"name": "add", "title": "Adds", "inputSchema": {"type": "object"}}]}),
        json!({"tools": [{"name": "echo", "inputSchema": {}}, {"name": "add", "title": "adds", "inputSchema": {"type": "object"}}]}),
    ), @r#"/tools/1/title: expected "Adds", got "adds""#);
}

#[test]
fn matchers_decide_instead_of_the_value_of_the_case() {
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
    /type: expected an integer, got 2.5, which is a number
    /regex: expected a text in which /^[0-9]+$/ is found, got "7x"
    /one: expected "a" or 2, got "b"
    /pi: expected 1.24, give or take 0.01, got 1.3
    "#);
    let kinds = json!({"any": null, "type": "2", "regex": 7, "one": [], "pi": "1.24"});
    insta::assert_snapshot!(with(&matchers, case, kinds), @r#"
    /type: expected an integer, got "2", which is a string
    /regex: expected a text in which /^[0-9]+$/ is found, got 7, which is a number
    /one: expected "a" or 2, got [], which is an empty array
    /pi: expected 1.24, give or take 0.01, got "1.24", which is a string
    "#);
}

#[test]
fn what_a_revision_adds_is_tolerated_where_the_case_does_not_write_it() {
    let case = json!({"result": {"tools": []}});
    let got = json!({"result": {
        "tools": [], "_meta": {}, "resultType": "complete", "ttlMs": 0, "cacheScope": "public",
    }});
    let told = |tolerance: &Tolerance, case: &Json, got: &Json| {
        let (rule, secrets) = (Rule::default(), SecretTexts::default());
        told_with(&rule, tolerance, &secrets, case.clone(), got.clone())
    };
    let stateless = Tolerance::of(Revision::V2026_07_28);
    assert_eq!(told(&stateless, &case, &got), "");
    insta::assert_snapshot!(told(&Tolerance::of(Revision::V2025_11_25), &case, &got), @r#"
    /result/resultType: expected nothing, got "complete"
    /result/ttlMs: expected nothing, got 0
    /result/cacheScope: expected nothing, got "public"
    "#);
    let incomplete = json!({"result": {"tools": [], "resultType": "input_required"}});
    insta::assert_snapshot!(told(&stateless, &case, &incomplete), @r#"/result/resultType: expected nothing, got "input_required""#);

    let bare = json!({"method": "tools/list"});
    let with_meta = json!({"method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    }}});
    assert_eq!(told(&stateless, &bare, &with_meta), "");
    assert_eq!(told(&stateless, &json!({"method": "tools/list", "params": {}}), &bare), "");
    let own = json!({"method": "tools/list", "params": {"_meta": {"progressToken": 1}}});
    insta::assert_snapshot!(told(&stateless, &own, &with_meta), @"/params/_meta/progressToken: expected 1, got nothing");
    insta::assert_snapshot!(told(&stateless, &own, &bare), @r#"/params: expected {"_meta":{"progressToken":1}}, got nothing"#);
    insta::assert_snapshot!(told(&Tolerance::none(), &bare, &with_meta), @r#"/params: expected nothing, got {"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#);
}
