//! However large the values are, comparing them comes to an end and says no more than can be read.

use super::*;

#[test]
fn what_is_told_is_bounded_however_large_the_values_are() {
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
            let told = told(&rule(mode, &[]), expected.clone(), got.clone());
            assert!(told.len() < 100_000, "{} bytes", told.len());
        }
    }
}

#[test]
fn a_comparison_comes_to_an_end() {
    let list = |item: &Json, count: usize| json!(vec![item.clone(); count]);
    let wanted = list(&list(&json!([1, 2]), 40), 40);
    let got = list(&list(&json!([2, 1]), 300), 300);
    let told = contains(wanted.clone(), got.clone());
    assert!(told.contains("nothing like it") || told.contains("too many"), "{told}");
    let unordered = rule(Mode::Exact, &[("", Matcher::Unordered), ("/*", Matcher::Unordered)]);
    assert!(!matches(&wanted.into(), &got.into(), &unordered, &Tolerance::none()));
}

#[test]
fn expressions_are_bounded() {
    insta::assert_snapshot!(regex(r"(").unwrap_err(), @"unclosed group");
    insta::assert_snapshot!(regex(r"\w{1000}{1000}").unwrap_err(), @"compiled, it is larger than 256 KiB");
    insta::assert_snapshot!(regex(&"(".repeat(100)).unwrap_err(), @"unclosed group");
    let evil = [("", Matcher::Regex("^(a+)+$".to_owned()))];
    insta::assert_snapshot!(with(&evil, json!(""), json!(format!("{}!", "a".repeat(100_000)))), @r#"expected a text in which /^(a+)+$/ is found, got "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"#);
    insta::assert_snapshot!(with(&evil, json!(""), json!("a".repeat(2 << 20))), @r#"expected a text in which /^(a+)+$/ is found, got "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…, which is longer than 1 MiB, too long to look through"#);
    insta::assert_snapshot!(with(&[("", Matcher::Regex("(".to_owned()))], json!(""), json!("(")), @r#"expected a text in which /(/ is found, which is no expression: unclosed group, got "(""#);
}
