//! Comparing terminates and its output is bounded, for values of any size.

use super::*;
use crate::cases::format::expression::compile_regex;

#[test]
fn output_is_bounded_for_values_of_any_size() {
    let words = "lorem ipsum\n".repeat(1 << 18);
    let many: Vec<String> = (0..2_000).map(|n| format!("{n} {}", &words[..500])).collect();
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let pairs = [
        (json!(words), json!(format!("{words}x"))),
        (json!(words), json!([words])),
        (json!({}), json!({"a": words, "b": many, "c": deep})),
        (json!([]), json!(many)),
        (json!(many), json!(vec![1; 10_000])),
    ];
    for (expected, got) in pairs {
        for mode in [Mode::Exact, Mode::Contains] {
            let text = differences(&rule(mode, &[]), expected.clone(), got.clone());
            assert!(text.len() < 100_000, "{} bytes", text.len());
        }
    }
}

#[test]
fn comparing_is_bounded_in_time() {
    let list = |item: &Json, count: usize| json!(vec![item.clone(); count]);
    let wanted = list(&list(&json!([1, 2]), 40), 40);
    let got = list(&list(&json!([2, 1]), 300), 300);
    let text = contains(wanted.clone(), got.clone());
    assert!(text.contains("nothing similar") || text.contains("too many"), "{text}");
    let unordered = rule(Mode::Exact, &[("", Matcher::Unordered), ("/*", Matcher::Unordered)]);
    assert!(!matches(&wanted.into(), &got.into(), &unordered, &Tolerance::none()));
}

#[test]
fn expressions_are_bounded() {
    insta::assert_snapshot!(compile_regex(r"(").unwrap_err(), @"unclosed group");
    insta::assert_snapshot!(compile_regex(r"\w{1000}{1000}").unwrap_err(), @"it is larger than 256 KiB when compiled");
    insta::assert_snapshot!(compile_regex(&"(".repeat(100)).unwrap_err(), @"unclosed group");
    let evil = [("", Matcher::Regex("^(a+)+$".to_owned()))];
    insta::assert_snapshot!(with(&evil, json!(""), json!(format!("{}!", "a".repeat(100_000)))), @r#"expected a string that matches /^(a+)+$/, got "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"#);
    insta::assert_snapshot!(with(&evil, json!(""), json!("a".repeat(2 << 20))), @r#"expected a string that matches /^(a+)+$/, got "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…, which is longer than 1 MiB, the limit for expressions"#);
    insta::assert_snapshot!(with(&[("", Matcher::Regex("(".to_owned()))], json!(""), json!("(")), @r#"expected a string that matches /(/, which is not a valid expression: unclosed group, got "(""#);
}
