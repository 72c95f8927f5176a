//! Schemas and values that mean harm, each of which ends by its bound.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::{compiled, read};
use crate::json::{Value, arbitrary};
use crate::json_schema::{Limits, Unfinished, Validator};

/// What becomes of a value under a schema, in a line.
fn outcome(schema: Json, value: Json) -> String {
    let value = value.into();
    let validator = match Validator::compile(&schema.into(), &Limits::default()) {
        Ok(validator) => validator,
        Err(error) => return error.to_string(),
    };
    let told = validator.mismatches(&value).map(|mismatches| mismatches.is_empty());
    assert_eq!(validator.is_valid(&value), told);
    match told {
        Ok(true) => "valid".to_owned(),
        Ok(false) => "invalid".to_owned(),
        Err(unfinished) => unfinished.to_string(),
    }
}

/// Empty arrays in each other.
fn arrays(levels: usize) -> Json {
    (0..levels).fold(json!([]), |inner, _| json!([inner]))
}

/// Definitions of which each is made of the next, the last being `end`.
fn definitions(count: usize, end: Json, each: impl Fn(Json) -> Json) -> Json {
    let next = |number: usize| json!({"$ref": format!("#/$defs/{number}")});
    let named = |number: usize| (number.to_string(), each(next(number + 1)));
    let mut all: Map<String, Json> = (0..count).map(named).collect();
    all.insert(count.to_string(), end);
    json!({"$ref": "#/$defs/0", "$defs": all})
}

#[test]
fn what_is_too_large_or_too_deep_is_not_compiled() {
    let deep = |levels| (0..levels).fold(json!({}), |inner, _| json!({"items": inner}));
    assert_eq!(outcome(deep(60), arrays(100)), "valid");
    insta::assert_snapshot!(outcome(deep(70), arrays(100)), @"the schema is beyond a bound: nested at most 64 levels");
    let long = |length: usize| json!({"enum": ["x".repeat(length)]});
    assert_eq!(outcome(long(200_000), json!(1)), "invalid");
    insta::assert_snapshot!(outcome(long(300_000), json!(1)), @"the schema is beyond a bound: at most 262144 bytes of JSON");
}

#[test]
fn chains_of_references_end() {
    let chain = |length| definitions(length, json!({"type": "array"}), |next| next);
    assert_eq!(outcome(chain(60), json!([])), "valid");
    insta::assert_snapshot!(outcome(chain(5_000), json!([])), @"`/$defs/63` is beyond a bound: at most 64 schemas in a row for one value");
    // With a step into the value each time, they are as long as the value is deep.
    let steps = definitions(2_000, json!({"type": "array"}), |next| json!({"items": next}));
    assert_eq!(outcome(steps, arrays(100)), "valid");
}

#[test]
fn doubling_ends() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let doubling = |times, end| definitions(times, end, |next| json!({keyword: [next, next]}));
        assert_eq!(outcome(doubling(8, json!(false)), json!(1)), "invalid");
        insta::allow_duplicates! {
            insta::assert_snapshot!(outcome(doubling(20, json!(false)), json!(1)), @"`/$defs/8` is beyond a bound: schemas applied at most 10000 times to one value");
        }
    }
    let again = |levels| {
        (0..levels).fold(json!({}), |inner, _| json!({"unevaluatedItems": false, "allOf": [inner]}))
    };
    assert_eq!(outcome(again(5), json!([1])), "invalid");
    insta::assert_snapshot!(outcome(again(20), json!([1])), @"`/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0/allOf/0` is beyond a bound: schemas applied at most 10000 times to one value");
}

#[test]
fn what_leads_back_to_itself_is_refused() {
    let itself = [
        json!({"$ref": "#"}),
        json!({"$dynamicAnchor": "a", "allOf": [{"$dynamicRef": "#a"}]}),
        json!({"$anchor": "a", "not": {"anyOf": [true, {"$ref": "#a"}]}}),
    ];
    for schema in itself {
        insta::allow_duplicates! {
            insta::assert_snapshot!(outcome(schema, json!(1)), @"the schema leads back to itself without a step into the value");
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
    // The reference, and each that it may lead to: once, though it leads to one of them by itself, too.
    assert!(is_within(many(2, 5)));
    assert!(!is_within(many(2, 6)));
    // Each of two names counts, where one schema applies both.
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
    insta::assert_snapshot!(outcome(back, json!(1)), @"`/$defs/two` leads back to itself without a step into the value");
}

#[test]
fn what_a_schema_makes_of_a_value_ends() {
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
    assert_eq!(validator.is_valid(&arrays(127).into()), Err(Unfinished::Stack(64 << 10)));
    let many: Vec<Json> = (0..20_000).map(|number| json!([number])).collect();
    let other: Vec<Json> = (30_000..40_000).map(|number| json!([number])).collect();
    insta::assert_snapshot!(outcome(json!({"items": {"not": {"enum": many}}}), json!(other)), @"judging it by the schema takes more than 4000000 steps");
    assert_eq!(outcome(json!({"uniqueItems": true}), json!(many)), "valid");
    assert_eq!(outcome(json!({"items": {"type": "string"}}), json!(many)), "invalid");
    // An error for each of many schemas, each about the whole of a large value.
    let each: Vec<Json> =
        (0..2_000).map(|number| json!({"required": [number.to_string()]})).collect();
    let large = json!({"a": many, "b": "x".repeat(1_000_000)});
    assert_eq!(outcome(json!({"allOf": each}), large), "invalid");
}

#[test]
fn resources_that_refer_to_each_other_end() {
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
    insta::assert_snapshot!(outcome(resources(20), json!({})), @"`/$defs/d4` is beyond a bound: at most 6 schemas with an `$id`");
}

#[test]
fn patterns_end() {
    let matches =
        |pattern: &str, times| outcome(json!({"pattern": pattern}), json!("a".repeat(times)));
    assert_eq!(matches("^(a+)+$", 200_000), "valid");
    assert_eq!(matches("(x+x+)+y", 200_000), "invalid");
    assert_eq!(matches("^(?!.*b)a+$", 100), "valid");
    insta::assert_snapshot!(matches("^(?!.*b)a+$", 2_000), @"the patterns of the schema are not held against texts of more than 1024 bytes");
    insta::assert_snapshot!(matches(r"(.*)*=(.*)*\1", 500), @"a pattern of the schema goes back in a text more than 100000 times");
    insta::assert_snapshot!(matches("(?:a?){1000}a{1000}", 10_000), @"the patterns of the schema are not held against texts of more than 1024 bytes");
    insta::assert_snapshot!(matches("(((a{100}){100}){100}){100}", 1), @"`/pattern` is beyond a bound: a pattern that compiles, to at most 1048576 bytes");
    insta::assert_snapshot!(matches(&"a".repeat(3_000), 1), @"`/pattern` is beyond a bound: a pattern of at most 2048 bytes");
    insta::assert_snapshot!(matches(&format!("{}a{}", "(".repeat(900), ")".repeat(900)), 1), @"`/pattern` is beyond a bound: a pattern that compiles, to at most 1048576 bytes");
    insta::assert_snapshot!(matches("(", 1), @r#"`/pattern` is no valid JSON Schema 2020-12: expected a regular expression of ECMA-262, got "(""#);
    let many: Vec<Json> = (0..40).map(|n| json!({"pattern": format!("a{n}")})).collect();
    insta::assert_snapshot!(outcome(json!({"anyOf": many}), json!("a")), @"`/anyOf/7/pattern` is beyond a bound: at most 32 different patterns");
    let names = json!({"patternProperties": {"(.*)*=(.*)*\\1": false}});
    insta::assert_snapshot!(outcome(names, json!({"a".repeat(500): 1})), @"a pattern of the schema goes back in a text more than 100000 times");
}

#[test]
fn numbers_end() {
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
            "refers to \"https://example.com/x.json#/a\", which lies outside this schema, and nothing is fetched",
        ),
        (
            "file:///etc/passwd",
            "refers to \"file:///etc/passwd\", which lies outside this schema, and nothing is fetched",
        ),
        (
            "other.json",
            "refers to \"other.json\", which lies outside this schema, and nothing is fetched",
        ),
        ("#/$defs/x", "refers to \"#/$defs/x\", which is not there"),
        ("#x", "refers to \"#x\", which is not there"),
    ] {
        let schema = json!({"properties": {"a": {"$ref": reference}}});
        assert_eq!(outcome(schema, json!(1)), format!("`/properties/a/$ref` {words}"));
    }
    // What is known of itself is there: the dialects' own schemas.
    let dialect = json!({"$ref": "https://json-schema.org/draft/2020-12/schema"});
    assert_eq!(outcome(dialect, json!({"type": "strin"})), "invalid");
}

/// Anything that stands where a schema may.
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
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn no_schema_breaks_the_house(
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
                let told = validator.mismatches(&value).map(|told| told.is_empty());
                prop_assert_eq!(validator.is_valid(&value), told);
            }
            Err(error) => prop_assert!(!error.to_string().contains("broke down"), "{error}"),
        }
    }
}
