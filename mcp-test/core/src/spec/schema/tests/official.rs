//! With [`Authority::Schema`], each shape equals its definition in the official schema.
//!
//! This compares structure: members, which of them are required, types, literals and bounds. Differences are listed one
//! per line. `MCP_TEST_OFFICIAL_SCHEMAS` names the folder with the official files; the test is ignored unless asked for. The
//! differential test of the workspace compares the validation of values.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::spec::Revision;
use crate::spec::schema::{Authority, json_schema};

#[test]
#[ignore = "needs the official schemas, in MCP_TEST_OFFICIAL_SCHEMAS"]
fn the_shapes_equal_the_official_schema() {
    let folder = crate::spec::official::folder();
    let mut differences = String::new();
    for revision in Revision::ALL {
        let path = folder.join(revision.as_str()).join("schema.json");
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let official: Value = serde_json::from_str(&text).unwrap();
        let ours = json_schema(revision, Authority::Schema);
        for difference in compare(&ours, &official) {
            let _ = writeln!(differences, "{revision} {difference}");
        }
    }
    assert!(differences.is_empty(), "\n{differences}");
}

/// The differences between the definitions of two documents.
fn compare(ours: &Value, official: &Value) -> Vec<String> {
    let mut differences = Vec::new();
    for (name, definition) in definitions(official) {
        match definitions(ours).find(|(ours, _)| *ours == name) {
            None => differences.push(format!("{name}: missing")),
            Some((_, our_definition)) => {
                let mut comparison = Comparison { ours, official, open: HashSet::new() };
                comparison.schemas(our_definition, definition, name, &mut differences);
            }
        }
    }
    differences
}

fn definitions(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    ["$defs", "definitions"]
        .into_iter()
        .filter_map(|keyword| document[keyword].as_object())
        .flatten()
}

struct Comparison<'a> {
    ours: &'a Value,
    official: &'a Value,
    /// The pairs that are being compared by callers, so that recursive definitions end.
    open: HashSet<(*const Value, *const Value)>,
}

/// One of the alternatives for a value.
#[derive(Debug)]
enum Choice<'a> {
    Named(&'a str, &'a Value),
    Simple(String),
    Array(&'a Value, String),
    Object(Members<'a>),
}

#[derive(Debug, Default)]
struct Members<'a> {
    named: BTreeMap<&'a str, &'a Value>,
    required: BTreeSet<&'a str>,
    rest: Option<&'a Value>,
}

static ANY: Value = Value::Bool(true);

impl<'a> Comparison<'a> {
    fn schemas(
        &mut self,
        ours: &'a Value,
        official: &'a Value,
        place: &str,
        differences: &mut Vec<String>,
    ) {
        let pair = (std::ptr::from_ref(ours), std::ptr::from_ref(official));
        if !self.open.insert(pair) {
            return;
        }
        let mut our_choices = self.choices(self.ours, ours);
        let mut official_choices = self.choices(self.official, official);
        // Definitions with the same name are compared by themselves.
        let name = |choice: &Choice<'a>| match choice {
            Choice::Named(name, _) => Some(*name),
            _ => None,
        };
        let names =
            |choices: &[Choice<'a>]| choices.iter().filter_map(name).collect::<HashSet<_>>();
        let same: HashSet<&str> =
            names(&our_choices).intersection(&names(&official_choices)).copied().collect();
        for (document, choices) in
            [(self.ours, &mut our_choices), (self.official, &mut official_choices)]
        {
            choices.retain(|choice| name(choice).is_none_or(|name| !same.contains(name)));
            *choices = choices
                .drain(..)
                .flat_map(|choice| match choice {
                    Choice::Named(_, schema) => expanded(document, schema),
                    other => vec![other],
                })
                .collect();
        }
        // Equal pairs are removed; what remains is compared in order.
        our_choices.retain(|our| {
            let same = official_choices.iter().position(|official| {
                let mut found = Vec::new();
                self.choice(our, official, "", &mut found);
                found.is_empty()
            });
            if let Some(same) = same {
                official_choices.remove(same);
            }
            same.is_none()
        });
        match (our_choices.as_slice(), official_choices.as_slice()) {
            ([our], [official]) => self.choice(our, official, place, differences),
            (ours, officials) => {
                for our in ours {
                    differences.push(format!("{place}: only we have {our}"));
                }
                for official in officials {
                    differences.push(format!("{place}: only the official schema has {official}"));
                }
            }
        }
        self.open.remove(&pair);
    }

    /// The alternatives; definitions that both documents have stay references.
    fn choices(&self, document: &'a Value, schema: &'a Value) -> Vec<Choice<'a>> {
        let has = |document: &Value, name: &str| definitions(document).any(|(has, _)| has == name);
        let mut all = Vec::new();
        choices(
            document,
            schema,
            &|name| has(self.ours, name) && has(self.official, name),
            &mut all,
        );
        all
    }

    fn choice(
        &mut self,
        ours: &Choice<'a>,
        official: &Choice<'a>,
        place: &str,
        differences: &mut Vec<String>,
    ) {
        match (ours, official) {
            (Choice::Simple(ours), Choice::Simple(official)) if ours == official => {}
            (Choice::Array(ours, our_bounds), Choice::Array(official, bounds)) => {
                if our_bounds != bounds {
                    differences.push(format!("{place}: we have{our_bounds}, officially{bounds}"));
                }
                self.schemas(ours, official, &format!("{place}[]"), differences);
            }
            (Choice::Object(ours), Choice::Object(official)) => {
                self.members(ours, official, place, differences);
            }
            (ours, official) => {
                differences.push(format!("{place}: we have {ours}, officially {official}"));
            }
        }
    }

    fn members(
        &mut self,
        ours: &Members<'a>,
        official: &Members<'a>,
        place: &str,
        differences: &mut Vec<String>,
    ) {
        let names: BTreeSet<&&str> = ours.named.keys().chain(official.named.keys()).collect();
        for name in names {
            let place = format!("{place}/{name}");
            match (ours.named.get(*name), official.named.get(*name)) {
                (Some(ours), Some(official)) => self.schemas(ours, official, &place, differences),
                (ours, official) => {
                    // A member with any value is equivalent to no declaration.
                    let named = ours.or(official).is_some_and(|schema| **schema != json!({}));
                    let only = if ours.is_some() {
                        "only we have"
                    } else {
                        "only the official schema has"
                    };
                    if named {
                        differences.push(format!("{place}: {only} it"));
                    }
                }
            }
            match (ours.required.contains(*name), official.required.contains(*name)) {
                (true, false) => differences.push(format!("{place}: officially it may be absent")),
                (false, true) => differences.push(format!("{place}: officially it is required")),
                _ => {}
            }
        }
        let rest = |members: &Members<'a>| members.rest.unwrap_or(&ANY);
        self.schemas(rest(ours), rest(official), &format!("{place}/*"), differences);
    }
}

fn expanded<'a>(document: &'a Value, schema: &'a Value) -> Vec<Choice<'a>> {
    let mut all = Vec::new();
    choices(document, schema, &|_| false, &mut all);
    all
}

/// The alternatives of a schema, with unions expanded, and references too unless their name is `kept`.
fn choices<'a>(
    document: &'a Value,
    schema: &'a Value,
    kept: &dyn Fn(&str) -> bool,
    all: &mut Vec<Choice<'a>>,
) {
    if let Some(reference) = schema["$ref"].as_str() {
        let (_, name) = reference.rsplit_once('/').unwrap();
        let definition = document.pointer(&reference[1..]).unwrap();
        return if kept(name) {
            all.push(Choice::Named(name, definition));
        } else {
            choices(document, definition, kept, all);
        };
    }
    if let Some(any_of) = schema["anyOf"].as_array() {
        return any_of.iter().for_each(|schema| choices(document, schema, kept, all));
    }
    if let Some(all_of) = schema["allOf"].as_array() {
        let mut members = Members::default();
        for schema in all_of {
            let Some(Choice::Object(object)) = expanded(document, schema).pop() else {
                panic!("{schema} is not an object");
            };
            members.named.extend(object.named);
            members.required.extend(object.required);
            members.rest = members.rest.or(object.rest);
        }
        return all.push(Choice::Object(members));
    }
    if let Some(literals) = schema["enum"].as_array() {
        all.extend(literals.iter().map(|literal| Choice::Simple(literal.to_string())));
        return;
    }
    if let Some(literal) = schema.get("const") {
        return all.push(Choice::Simple(literal.to_string()));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(of) => vec![of],
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        _ => return all.push(Choice::Simple("any".to_owned())),
    };
    for of in types {
        all.push(match of {
            "object" => Choice::Object(members(schema)),
            "array" => Choice::Array(
                schema.get("items").unwrap_or(&ANY),
                keywords_of(schema, ["minItems", "maxItems"]),
            ),
            "string" => Choice::Simple(format!("string{}", keywords_of(schema, ["format"]))),
            other => {
                Choice::Simple(format!("{other}{}", keywords_of(schema, ["minimum", "maximum"])))
            }
        });
    }
}

fn members(schema: &Value) -> Members<'_> {
    let named = schema["properties"].as_object();
    let required = schema["required"].as_array();
    Members {
        named: named.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema)).collect(),
        required: required.into_iter().flatten().filter_map(Value::as_str).collect(),
        rest: schema.get("additionalProperties"),
    }
}

/// The keywords with their values, except the format `byte`, which validators do not assert.
fn keywords_of<const N: usize>(schema: &Value, keywords: [&str; N]) -> String {
    let texts = keywords.into_iter().filter_map(|keyword| {
        let value = schema.get(keyword).filter(|value| **value != "byte")?;
        Some(format!(" {keyword} {value}"))
    });
    texts.collect()
}

impl std::fmt::Display for Choice<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(name, _) => f.write_str(name),
            Self::Simple(text) => f.write_str(text),
            Self::Array(items, bounds) => write!(f, "an array{bounds} of {items:.100}"),
            Self::Object(members) => {
                let names: Vec<String> = members
                    .named
                    .iter()
                    .map(|(name, schema)| match schema.get("const") {
                        Some(literal) => format!("{name} {literal}"),
                        None => (*name).to_owned(),
                    })
                    .collect();
                write!(f, "an object with {}", names.join(", "))
            }
        }
    }
}

#[test]
fn differences_are_listed_with_their_location() {
    let ours = json!({"$defs": {
        "A": {"type": "object", "properties": {"x": {"type": "string"}, "y": {"$ref": "#/$defs/B"}}, "required": ["x"]},
        "B": {"type": ["string", "integer"]},
    }});
    let official = json!({"definitions": {
        "A": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": ["integer", "string"]}}},
        "C": {},
    }});
    insta::assert_snapshot!(compare(&ours, &official).join("\n"), @r"
    A/x: we have string, officially number
    A/x: officially it may be absent
    C: missing
    ");
}
