//! The parser as a whole: what it refuses and with which message, and how it agrees with `serde_json`.

use proptest::prelude::*;

use super::{DEPTH_LIMIT, NoteKind, VALUE_LIMIT, Value, arbitrary, diff};

fn refusal(text: &[u8]) -> String {
    Value::parse(text).expect_err("the text is not JSON").to_string()
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    let texts: [&[u8]; 22] = [
        b"",
        b"<html>",
        b"{\"a\": 1,\n \"b\" 2}",
        b"{\"a\": 1,}",
        b"[1 2]",
        b"[1,]",
        b"{a: 1}",
        b"nul",
        b"truth",
        b"1 2",
        b"01",
        b"-",
        b"1.e5",
        b"1e+",
        b"\"ab",
        b"\"a\nb\"",
        b"\"\\x\"",
        b"\"\\u12g4\"",
        b"\xef\xbb\xbf{}",
        b"[\"\xc3\xa4\", \xff]",
        b"\xff",
        b"'a'",
    ];
    let refusals: Vec<String> = texts.iter().map(|text| refusal(text)).collect();
    insta::assert_snapshot!(refusals.join("\n"), @r#"
    line 1, column 1: expected a value, found the end of the text
    line 1, column 1: expected a value, found `<`
    line 2, column 6: expected `:`, found `2`
    line 1, column 9: expected a member name in double quotes, found `}`
    line 1, column 4: expected `,` or `]`, found `2`
    line 1, column 4: expected a value, found `]`
    line 1, column 2: expected a member name in double quotes, found `a`
    line 1, column 4: expected `null`, found the end of the text
    line 1, column 4: expected `true`, found `t`
    line 1, column 3: expected nothing after the value, found `2`
    line 1, column 2: expected no digit after a leading zero, found `1`
    line 1, column 2: expected a digit, found the end of the text
    line 1, column 3: expected a digit after the decimal point, found `e`
    line 1, column 4: expected a digit in the exponent, found the end of the text
    line 1, column 4: expected the end of the string that begins in line 1, column 1, found the end of the text
    line 1, column 3: expected an escape, found the control character 0x0a
    line 1, column 3: expected one of `"\/bfnrtu` after the backslash, found `x`
    line 1, column 6: expected four hexadecimal digits after `\u`, found `g`
    line 1, column 1: expected a value, found a byte order mark
    line 1, column 7: expected UTF-8, found the byte 0xff
    line 1, column 1: expected UTF-8, found the byte 0xff
    line 1, column 1: expected a value, found `'`
    "#);
}

#[test]
fn an_error_before_invalid_utf8_is_reported() {
    assert_eq!(
        refusal(b"{x \xff"),
        "line 1, column 2: expected a member name in double quotes, found `x`"
    );
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| [b"[".repeat(depth), b"]".repeat(depth)].concat();
    assert!(Value::parse(&nested(DEPTH_LIMIT)).is_ok());
    let error = Value::parse(&nested(DEPTH_LIMIT + 1)).unwrap_err();
    assert!(error.is_over_limit() && !Value::parse(b"[").unwrap_err().is_over_limit());
    assert_eq!(
        (error.offset, error.reason.as_str()),
        (DEPTH_LIMIT, "nested deeper than the 128 levels that mcp-test reads")
    );
    assert!(Value::parse(&b"[{\"a\":".repeat(1_000_000)).is_err());
}

#[test]
fn resolves_escapes() {
    let value = Value::parse(br#""\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00""#).unwrap().value;
    assert_eq!(value.as_str(), Some("\"\\/\u{8}\u{c}\n\r\tä😀"));
}

#[test]
fn unusual_values_are_noted_with_their_location() {
    let text = br#"{"a": [1, {"x": 1, "x": 2}], "s": "\ud800\u0041\udc00", "\ud800": 1,
        "n": [9007199254740993, 9007199254740991, 1e400, 1E300, 18446744073709551615]}"#;
    let notes = Value::parse(text).unwrap().notes;
    let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(notes.join("\n"), @r#"
    /a/1/x: a second member named "x"
    /s: the escape \ud800 is half of a surrogate pair
    /s: the escape \udc00 is half of a surrogate pair
    /�: the escape \ud800 is half of a surrogate pair
    /n/0: the integer 9007199254740993 is not exact in readers that use doubles
    /n/2: the number 1e400 is beyond the range of doubles
    /n/4: the integer 18446744073709551615 is not exact in readers that use doubles
    "#);
}

#[test]
fn duplicates_are_noted_in_large_objects_too_and_notes_are_bounded() {
    let members: Vec<String> = (0..200).map(|n| format!("\"{}\":0", n % 100)).collect();
    let document = Value::parse(format!("{{{}}}", members.join(",")).as_bytes()).unwrap();
    assert_eq!(document.notes.len(), super::Document::NOTE_LIMIT);
    assert_eq!(document.notes[0].to_string(), "/0: a second member named \"0\"");
    assert_eq!(document.value.as_object().unwrap().len(), 200);
}

#[test]
fn the_first_duplicate_is_noted_behind_any_number_of_other_notes() {
    let many = "9007199254740993,".repeat(2 * super::Document::NOTE_LIMIT);
    for (unusual, last) in [
        (r#""a":1,"a":2"#, r#"/a: a second member named "a""#),
        (r#""a":"\ud800""#, r"/a: the escape \ud800 is half of a surrogate pair"),
    ] {
        let document = Value::parse(format!("{{\"n\":[{many}0],{unusual}}}").as_bytes()).unwrap();
        assert_eq!(document.notes.len(), super::Document::NOTE_LIMIT);
        assert_eq!(document.notes.last().unwrap().to_string(), last);
    }
}

/// Text similar to JSON: a generated value with some bytes replaced, inserted or removed.
fn near_json() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        prop::sample::select(
            b"{}[]:,\"\\ \n\t\r-+.eE0123456789truefalsn/bdDcC8\x00\x1f\x7f".to_vec()
        ),
        any::<u8>(),
    ];
    let edit = (any::<prop::sample::Index>(), 0..3_u8, byte);
    (arbitrary::value(), any::<bool>(), prop::collection::vec(edit, 0..3)).prop_map(
        |(value, pretty, edits)| {
            let mut text = if pretty { value.pretty() } else { value.to_string() }.into_bytes();
            for (position, action, byte) in edits {
                let at = position.index(text.len() + 1);
                match action {
                    0 => text.insert(at, byte),
                    1 if at < text.len() => text[at] = byte,
                    _ if at < text.len() => drop(text.remove(at)),
                    _ => {}
                }
            }
            text
        },
    )
}

/// Equality except for the last bits of doubles, which `serde_json` rounds quickly rather than exactly.
fn alike(ours: &serde_json::Value, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (serde_json::Value::Number(one), serde_json::Value::Number(two)) => {
            let (one, two) = (one.as_f64().unwrap(), two.as_f64().unwrap());
            (one - two).abs() <= one.abs() * 1e-14
        }
        (serde_json::Value::Array(one), serde_json::Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| alike(one, two))
        }
        (serde_json::Value::Object(one), serde_json::Value::Object(two)) => {
            one.len() == two.len()
                && one.iter().all(|(name, one)| two.get(name).is_some_and(|two| alike(one, two)))
        }
        _ => ours == theirs,
    }
}

proptest! {
    #[test]
    fn values_round_trip_through_text(value in arbitrary::value()) {
        let compact = Value::parse(value.to_string().as_bytes()).unwrap();
        prop_assert_eq!(compact.value.to_string(), value.to_string());
        prop_assert_eq!(&compact.value, &value);
        let pretty = Value::parse(value.pretty().as_bytes()).unwrap().value;
        prop_assert_eq!(pretty.to_string(), value.to_string());
    }

    #[test]
    fn agrees_with_serde_json(text in near_json()) {
        let theirs = serde_json::from_slice::<serde_json::Value>(&text);
        match Value::parse(&text) {
            // serde_json refuses both; RFC 8259 allows them.
            Ok(document) if document.notes.iter().any(|note| matches!(
                note.kind,
                NoteKind::LoneSurrogate { .. } | NoteKind::NumberOutOfRange { .. }
            )) => {}
            Ok(document) => {
                let theirs = theirs.map_err(|error| TestCaseError::fail(error.to_string()))?;
                let ours = document.value.to_serde();
                prop_assert!(alike(&ours, &theirs), "{ours} is not {theirs}");
            }
            Err(error) => {
                prop_assert!(theirs.is_err(), "{error}");
                prop_assert!(error.offset <= text.len());
            }
        }
    }

    #[test]
    fn the_parser_never_panics(text in prop::collection::vec(any::<u8>(), 0..64)) {
        let ours = Value::parse(&text).is_ok();
        prop_assert!(!ours || serde_json::from_slice::<serde_json::Value>(&text).is_ok());
    }

    #[test]
    fn equal_exactly_when_there_is_no_difference(left in arbitrary::value(), right in arbitrary::value()) {
        prop_assert_eq!(left == right, diff(&left, &right).is_empty());
        prop_assert_eq!(diff(&left, &left), vec![]);
    }
}

#[test]
fn values_are_limited_and_clones_share_them() {
    let zeros = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
    // The array itself is a value as well.
    let document = Value::parse(zeros(VALUE_LIMIT - 1).as_bytes()).unwrap();
    assert_eq!(document.values, VALUE_LIMIT);
    let error = Value::parse(zeros(VALUE_LIMIT).as_bytes()).unwrap_err();
    assert!(error.is_over_limit());
    assert_eq!(
        (error.offset, &*error.reason),
        (999_999, "more than the 500000 values that mcp-test reads")
    );

    let first = |value: &Value| value.as_array().map(<[Value]>::as_ptr);
    let mut clone = document.value.clone();
    assert_eq!(first(&clone), first(&document.value));
    assert!(clone.set("/0", 1.into()));
    assert_eq!(document.value.at("/0"), Some(&0.into()));
}

#[test]
fn a_value_takes_three_words() {
    assert_eq!(size_of::<Value>(), 3 * size_of::<usize>());
}
