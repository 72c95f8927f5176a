//! Hostile schemas and values, each of which a limit stops.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::{compiled, read};
use crate::json::{Value, arbitrary};
use crate::json_schema::{Aborted, Limits, Validator};

/// The outcome of a validation, on one line.
fn outcome(schema: Json, value: Json) -> String {
    let value = value.into();
    // On a busy machine the time must not run out before the steps do.
    let limits = Limits { time: Duration::from_secs(600), ..Limits::default() };
    let validator = match Validator::compile(&schema.into(), &limits) {
        Ok(validator) => validator,
        Err(error) => return error.to_string(),
    };
    let is_valid = validator.mismatches(&value).map(|mismatches| mismatches.is_empty());
    assert_eq!(validator.is_valid(&value), is_valid);
    match is_valid {
        Ok(true) => "valid".to_owned(),
        Ok(false) => "invalid".to_owned(),
        Err(aborted) => aborted.to_string(),
    }
}

/// Nested empty arrays.
fn arrays(levels: usize) -> Json {
    (0..levels).fold(json!([]), |inner, _| json!([inner]))
}

/// Definitions that each contain the next one; the last is `end`.
fn definitions(count: usize, end: Json, each: impl Fn(Json) -> Json) -> Json {
    let next = |number: usize| json!({"$ref": format!("#/$defs/{number}")});
    let named = |number: usize| (number.to_string(), each(next(number + 1)));
    let mut all: Map<String, Json> = (0..count).map(named).collect();
    all.insert(count.to_string(), end);
    json!({"$ref": "#/$defs/0", "$defs": all})
}

#[test]
fn large_and_deep_schemas_are_not_compiled() {
    let deep = |levels| (0..levels).fold(json!({}), |inner, _| json!({"items": inner}));
    assert_eq!(outcome(deep(60), arrays(100)), "valid");
    insta::assert_snapshot!(outcome(deep(70), arrays(100)), @"the schema exceeds a limit: nested at most 64 levels");
    let long = |length: usize| json!({"enum": ["x".repeat(length)]});
    assert_eq!(outcome(long(200_000), json!(1)), "invalid");
    insta::assert_snapshot!(outcome(long(300_000), json!(1)), @"the schema exceeds a limit: at most 262144 bytes of JSON");
}

#[test]
fn chains_of_references_are_limited() {
    let chain = |length| definitions(length, json!({"type": "array"}), |next| next);
    assert_eq!(outcome(chain(60), json!([])), "valid");
    insta::assert_snapshot!(outcome(chain(5_000), json!([])), @"`/$defs/63` exceeds a limit: at most 64 schemas chained for one value");
    // Chains that step into the value are bounded by its depth.
    let steps = definitions(2_000, json!({"type": "array"}), |next| json!({"items": next}));
    assert_eq!(outcome(steps, arrays(100)), "valid");
}

#[test]
fn exponential_applications_are_limited() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let doubling = |times, end| definitions(times, end, |next| json!({keyword: [next, next]}));
        assert_eq!(outcome(doubling(8, json!(false)), json!(1)), "invalid");
        insta::allow_duplicates! {
            insta::assert_snapshot!(outcome(doubling(20, json!(false)), json!(1)), @"`/$defs/8` exceeds a limit: at most 10000 schemas applied to one value");
        }
    }
    let again = |levels| {
        (0..levels).fold(json!({}), |inner, _| json!({"unevaluatedItems": false, "allOf": [inner]}))
    };
    assert_eq!(outcome(again(5), json!([1])), "invalid");
    insta::assert_snapshot!(outcome(again(20), json!([1])), @"`/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0` exceeds a limit: at most 10000 schemas applied to one value");
}

#[test]
fn infinite_recursion_is_refused() {
    let itself = [
        json!({"$ref": "#"}),
        json!({"$dynamicAnchor": "a", "allOf": [{"$dynamicRef": "#a"}]}),
        json!({"$anchor": "a", "not": {"anyOf": [true, {"$ref": "#a"}]}}),
    ];
    for schema in itself {
        insta::allow_duplicates! {
            insta::assert_snapshot!(outcome(schema, json!(1)), @"the schema refers back to itself for the same value");
        }
    }
    assert_eq!(outcome(json!({"items": {"$ref": "#"}}), arrays(120)), "valid");
}

#[test]
fn dynamic_references_are_counted_once_for_each_name() {
    let many = |references: usize, anchors: usize| {
        let anchor = |number| (format!("d{number}"), json!({"$dynamicAnchor": "a"}));
        let refers = |number| (format!("p{number}"), json!({"$dynamicRef": "#a"}));
        let all: Map<String, Json> = (0..anchors).map(anchor).collect();
        let properties: Map<String, Json> = (0..references).map(refers).collect();
        json!({"properties": properties, "$defs": all})
    };
    assert_eq!(outcome(many(3_000, 3_000), json!({"p0": 1, "p2999": 1})), "valid");
    let limits = Limits { applications: 6, ..Limits::default() };
    let is_within = |schema: Json| Validator::compile(&schema.into(), &limits).is_ok();
    // The reference and each possible target count once, although one of them is also its static target.
    assert!(is_within(many(2, 5)));
    assert!(!is_within(many(2, 6)));
    // If one schema applies two names, both count.
    let both = |anchors| {
        let mut schema = many(1, anchors);
        schema["$defs"]["b"] = json!({"$dynamicAnchor": "b"});
        schema["allOf"] = json!([{"$dynamicRef": "#a"}, {"$dynamicRef": "#b"}]);
        schema
    };
    assert!(is_within(both(2)));
    assert!(!is_within(both(3)));
    let back = json!({
        "properties": {"p": {"$dynamicRef": "#a"}},
        "$defs": {"one": {"$dynamicAnchor": "a"}, "two": {"$dynamicAnchor": "a", "not": {"$dynamicRef": "#a"}}},
    });
    insta::assert_snapshot!(outcome(back, json!(1)), @"`/$defs/two` refers back to itself for the same value");
}

#[test]
fn the_cost_of_validation_is_limited() {
    let itself = json!({"$ref": "#"});
    let twice =
        json!({"anyOf": [{"items": itself}, {"items": itself}], "type": "array", "minItems": 1});
    assert_eq!(outcome(twice, arrays(100)), "invalid");
    let nothing_kept =
        json!({"oneOf": [{"items": itself}, {"prefixItems": [itself]}, {"contains": itself}]});
    assert_eq!(outcome(nothing_kept, arrays(60)), "invalid");
    let deep = (0..29).fold(json!({"items": itself}), |inner, _| json!({"not": {"not": inner}}));
    let limits = Limits { stack: 64 << 10, ..Limits::default() };
    let validator = Validator::compile(&deep.into(), &limits).unwrap();
    assert_eq!(validator.is_valid(&arrays(127).into()), Err(Aborted::Stack(64 << 10)));
    let many: Vec<Json> = (0..20_000).map(|number| json!([number])).collect();
    let other: Vec<Json> = (30_000..40_000).map(|number| json!([number])).collect();
    insta::assert_snapshot!(outcome(json!({"items": {"not": {"enum": many}}}), json!(other)), @"validation takes more than 4000000 steps");
    assert_eq!(outcome(json!({"uniqueItems": true}), json!(many)), "valid");
    assert_eq!(outcome(json!({"items": {"type": "string"}}), json!(many)), "invalid");
    // Many schemas, each with an error about the whole of a large value.
    let each: Vec<Json> =
        (0..2_000).map(|number| json!({"required": [number.to_string()]})).collect();
    let large = json!({"a": many, "b": "x".repeat(1_000_000)});
    assert_eq!(outcome(json!({"allOf": each}), large), "invalid");
}

#[test]
fn resources_are_limited() {
    let resources = |count: usize| {
        let refers = |number| (format!("p{number}"), json!({"$ref": format!("http://x/{number}")}));
        let properties: Map<String, Json> = (0..count).map(refers).collect();
        let resource = |number| {
            let id = format!("http://x/{number}");
            (format!("d{number}"), json!({"$id": id, "properties": properties}))
        };
        let all: Map<String, Json> = (0..count).map(resource).collect();
        json!({"$ref": "http://x/0", "$defs": all})
    };
    assert_eq!(outcome(resources(4), json!({"p0": {"p1": 1}})), "valid");
    insta::assert_snapshot!(outcome(resources(20), json!({})), @"`/$defs/d4` exceeds a limit: at most 6 schemas with an `$id`");
}

#[test]
fn patterns_are_limited() {
    let matches =
        |pattern: &str, times| outcome(json!({"pattern": pattern}), json!("a".repeat(times)));
    assert_eq!(matches("^(a+)+$", 200_000), "valid");
    assert_eq!(matches("(x+x+)+y", 200_000), "invalid");
    assert_eq!(matches("^(?!.*b)a+$", 100), "valid");
    insta::assert_snapshot!(matches("^(?!.*b)a+$", 2_000), @"the patterns of the schema are not matched against texts of more than 1024 bytes");
    insta::assert_snapshot!(matches(r"(.*)*=(.*)*\1", 500), @"a pattern of the schema backtracks more than 100000 times");
    insta::assert_snapshot!(matches("(?:a?){1000}a{1000}", 10_000), @"the patterns of the schema are not matched against texts of more than 1024 bytes");
    insta::assert_snapshot!(matches("(((a{100}){100}){100}){100}", 1), @"`/pattern` exceeds a limit: a pattern that compiles to at most 1048576 bytes");
    insta::assert_snapshot!(matches(&"a".repeat(3_000), 1), @"`/pattern` exceeds a limit: a pattern of at most 2048 bytes");
    insta::assert_snapshot!(matches(&format!("{}a{}", "(".repeat(900), ")".repeat(900)), 1), @"`/pattern` exceeds a limit: a pattern that compiles to at most 1048576 bytes");
    insta::assert_snapshot!(matches("(", 1), @r#"`/pattern` is not valid JSON Schema 2020-12: expected a regular expression of ECMA-262, got "(""#);
    let many: Vec<Json> = (0..40).map(|n| json!({"pattern": format!("a{n}")})).collect();
    insta::assert_snapshot!(outcome(json!({"anyOf": many}), json!("a")), @"`/anyOf/7/pattern` exceeds a limit: at most 32 different patterns");
    let names = json!({"patternProperties": {"(.*)*=(.*)*\\1": false}});
    insta::assert_snapshot!(outcome(names, json!({"a".repeat(500): 1})), @"a pattern of the schema backtracks more than 100000 times");
}

#[test]
fn extreme_numbers_are_compared_quickly() {
    for (divisor, number) in
        [("1e-300", "1e300"), ("1e-5", "1e308"), ("3", "1e99999999"), ("1e308", "1e-308")]
    {
        let schema = read(&format!(r#"{{"multipleOf": {divisor}}}"#)).to_serde();
        assert!(compiled(schema).is_valid(&read(number)).is_ok(), "{number} by {divisor}");
    }
    let digits = read(&"9".repeat(1_000_000));
    assert_eq!(compiled(json!({"type": "integer", "minimum": 5})).is_valid(&digits), Ok(true));
}

#[test]
fn nothing_is_fetched() {
    for (reference, words) in [
        (
            "https://example.com/x.json#/a",
            "refers to \"https://example.com/x.json#/a\", which is outside this schema and is not fetched",
        ),
        (
            "file:///etc/passwd",
            "refers to \"file:///etc/passwd\", which is outside this schema and is not fetched",
        ),
        ("other.json", "refers to \"other.json\", which is outside this schema and is not fetched"),
        ("#/$defs/x", "refers to \"#/$defs/x\", which does not exist"),
        ("#x", "refers to \"#x\", which does not exist"),
    ] {
        let schema = json!({"properties": {"a": {"$ref": reference}}});
        assert_eq!(outcome(schema, json!(1)), format!("`/properties/a/$ref` {words}"));
    }
    // The schemas of the dialects are known to the library.
    let dialect = json!({"$ref": "https://json-schema.org/draft/2020-12/schema"});
    assert_eq!(outcome(dialect, json!({"type": "strin"})), "invalid");
}

/// Anything in place of a schema.
fn schema() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Json::from),
        arbitrary::value().prop_map(|value| value.to_serde()),
        "[#$/.a-c:\\\\(|)*+?{}0-9^]{0,6}".prop_map(Json::from),
        (-3..20_i64).prop_map(Json::from),
        prop::sample::select(vec![
            "#",
            "#a",
            "#/$defs/a",
            "#/$defs/b",
            "a",
            "string",
            "object",
            "array"
        ])
        .prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let keywords = prop::sample::select(vec![
            "$ref",
            "$defs",
            "$id",
            "$anchor",
            "$dynamicRef",
            "$dynamicAnchor",
            "$recursiveRef",
            "type",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "then",
            "else",
            "properties",
            "patternProperties",
            "additionalProperties",
            "items",
            "prefixItems",
            "contains",
            "minContains",
            "uniqueItems",
            "enum",
            "const",
            "pattern",
            "minLength",
            "required",
            "multipleOf",
            "minimum",
            "propertyNames",
            "unevaluatedProperties",
            "unevaluatedItems",
            "dependentSchemas",
            "dependencies",
            "a",
            "b",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::Array),
            prop::collection::vec((keywords, inner), 0..4).prop_map(|members| {
                Json::Object(
                    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
                )
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_schema_causes_a_panic(
        schema in schema(),
        dialect in prop::option::of(prop::sample::select(vec![
            "http://json-schema.org/draft-04/schema#",
            "http://json-schema.org/draft-06/schema#",
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2019-09/schema",
        ])),
        value in arbitrary::value(),
    ) {
        let mut schema = schema;
        if let (Some(members), Some(dialect)) = (schema.as_object_mut(), dialect) {
            members.insert("$schema".to_owned(), dialect.into());
        }
        let schema = Value::from(schema);
        match Validator::compile(&schema, &Limits::default()) {
            Ok(validator) => {
                let is_valid = validator.mismatches(&value).map(|mismatches| mismatches.is_empty());
                prop_assert_eq!(validator.is_valid(&value), is_valid);
            }
            Err(error) => prop_assert!(!error.to_string().contains("panicked"), "{error}"),
        }
    }
}
