//! The properties of a form: a small, flat subset of JSON Schema, with bounds and defaults that fit.

use super::Violation;
use crate::check::cited::{Cited, cites};
use crate::json::{Object, Value};
use crate::spec::Revision;

cites! {
    ELICITATION_SCHEMA_DEFAULTS_TYPED, ELICITATION_SCHEMA_ENUM_MULTI_TITLED,
    ELICITATION_SCHEMA_ENUM_MULTI_UNTITLED, ELICITATION_SCHEMA_ENUM_NAMES,
    ELICITATION_SCHEMA_ENUM_SINGLE_TITLED, ELICITATION_SCHEMA_ENUM_SINGLE_UNTITLED,
    ELICITATION_SCHEMA_FLAT, ELICITATION_SCHEMA_MULTI_SELECT_BOUNDS,
    ELICITATION_SCHEMA_NO_ADVANCED_KEYWORDS, ELICITATION_SCHEMA_NUMBER_BOUNDS,
    ELICITATION_SCHEMA_STRING_FORMATS, ELICITATION_SCHEMA_STRING_LENGTH_BOUNDS,
}

// What has its shape does not break these.
cites! {
    CITED_OF_SHAPES:
    ELICITATION_SCHEMA_ARRAYS_ONLY_FOR_ENUMS, ELICITATION_SCHEMA_BOOLEAN_DEFAULT,
    ELICITATION_SCHEMA_NO_ARRAYS, ELICITATION_SCHEMA_PRIMITIVE_TYPES,
}

/// Keywords of JSON Schema that combine or refer to other schemas.
const ADVANCED: [&str; 13] = [
    "$ref",
    "$defs",
    "definitions",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "patternProperties",
    "dependentSchemas",
    "dependentRequired",
];

const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

/// Everything wrong with the root of a `requestedSchema`, other than its properties.
pub(super) fn root_violations(schema: &Value) -> Vec<Violation> {
    advanced(schema, "the form", &[]).into_iter().collect()
}

/// Everything wrong with the property `name` of a form.
///
/// What its message shape finds as well is included: the finding about the shape takes the first rule from here.
pub(super) fn property_violations(
    name: &str,
    property: &Value,
    revision: Revision,
) -> Vec<Violation> {
    let Some(members) = property.as_object() else { return Vec::new() };
    let subject = format!("the property `{name}` of the form");
    let property = Property { subject, members, has_choices: revision.has_form_choices() };
    property.violations()
}

struct Property<'a> {
    /// How texts name it.
    subject: String,
    members: &'a Object,
    /// The revision has titled and multiple choices, and typed defaults.
    has_choices: bool,
}

impl<'a> Property<'a> {
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    fn violation(&self, rule: Cited, expected: &str, got: Option<&Value>) -> Violation {
        Violation::new([rule], format!("{} is not one that MCP allows", self.subject))
            .expected(expected)
            .got_value(got)
    }

    fn violations(&self) -> Vec<Violation> {
        let kind = self.get("type").and_then(Value::as_str);
        if kind == Some("object") || self.get("properties").is_some() {
            let expected = "a string, a number, a boolean or a choice, not an object";
            let whole = Value::from(self.members.clone());
            return vec![self.violation(ELICITATION_SCHEMA_FLAT, expected, Some(&whole))];
        }
        let known: &[&str] =
            if kind == Some("string") || kind.is_none() { &["oneOf"] } else { &[] };
        let whole = Value::from(self.members.clone());
        let mut found: Vec<Violation> =
            advanced(&whole, &self.subject, known).into_iter().collect();
        match kind {
            Some("array") => found.extend(self.several()),
            Some("string") => found.extend(self.text()),
            Some("number" | "integer") => found.extend(self.number(kind == Some("integer"))),
            Some("boolean") => {
                if let Some(default) = self.get("default").filter(|it| !it.is_bool()) {
                    let expected = "`default` is a boolean";
                    found.push(self.violation(
                        ELICITATION_SCHEMA_BOOLEAN_DEFAULT,
                        expected,
                        Some(default),
                    ));
                }
            }
            _ if !found.is_empty() => {}
            _ => found.push(self.untyped()),
        }
        found
    }

    /// A property without a type that MCP allows.
    fn untyped(&self) -> Violation {
        let rule = match (self.has_choices, self.get("enum"), self.get("oneOf")) {
            (true, Some(_), _) => ELICITATION_SCHEMA_ENUM_SINGLE_UNTITLED,
            (true, _, Some(_)) => ELICITATION_SCHEMA_ENUM_SINGLE_TITLED,
            (false, Some(_), _) | (false, _, Some(_)) => ELICITATION_SCHEMA_ENUM_NAMES,
            _ => ELICITATION_SCHEMA_PRIMITIVE_TYPES,
        };
        self.violation(rule, "a `type` of string, number, integer or boolean", self.get("type"))
    }

    fn text(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        if let Some(format) = self.get("format")
            && !format.as_str().is_some_and(|format| FORMATS.contains(&format))
        {
            let expected = "`format` is email, uri, date or date-time";
            found.push(self.violation(ELICITATION_SCHEMA_STRING_FORMATS, expected, Some(format)));
        }
        found.extend(self.bounds(
            "minLength",
            "maxLength",
            ELICITATION_SCHEMA_STRING_LENGTH_BOUNDS,
        ));
        found.extend(self.one());
        if self.has_choices
            && let Some(default) = self.get("default")
        {
            let options = self.options();
            let fits =
                default.is_string() && options.is_none_or(|options| options.contains(&default));
            if !fits {
                let expected = "`default` is a string, and one of the options if there are any";
                found.push(self.violation(
                    ELICITATION_SCHEMA_DEFAULTS_TYPED,
                    expected,
                    Some(default),
                ));
            }
        }
        found
    }

    /// The options of a single choice.
    fn options(&self) -> Option<Vec<&'a Value>> {
        let list = |name| self.get(name).and_then(Value::as_array);
        match (list("enum"), list("oneOf")) {
            (Some(values), _) => Some(values.iter().collect()),
            (None, Some(titled)) => Some(constants(titled)),
            (None, None) => None,
        }
    }

    /// A single choice.
    fn one(&self) -> Option<Violation> {
        let (values, titled) = (self.get("enum"), self.get("oneOf"));
        if !self.has_choices {
            if let Some(titled) = titled {
                let expected =
                    "`enum`, with titles in `enumNames`: this revision has no other choices";
                return Some(self.violation(ELICITATION_SCHEMA_ENUM_NAMES, expected, Some(titled)));
            }
            if let Some(values) = values.filter(|values| !are_strings(values)) {
                let expected = "`enum` is an array of strings";
                return Some(self.violation(ELICITATION_SCHEMA_ENUM_NAMES, expected, Some(values)));
            }
            let names = self.get("enumNames")?;
            let count = |list: Option<&Value>| list.and_then(Value::as_array).map(<[Value]>::len);
            if are_strings(names) && count(Some(names)) == count(values) {
                return None;
            }
            let expected = "`enumNames` is an array of strings, one for each value of `enum`";
            return Some(self.violation(ELICITATION_SCHEMA_ENUM_NAMES, expected, Some(names)));
        }
        if let Some(values) = values.filter(|values| !are_strings(values)) {
            let expected = "`enum` is an array of strings";
            return Some(self.violation(
                ELICITATION_SCHEMA_ENUM_SINGLE_UNTITLED,
                expected,
                Some(values),
            ));
        }
        let titled = titled.filter(|titled| !are_titled(titled))?;
        let expected =
            "`oneOf` is an array of objects, each with a string `const` and a string `title`";
        Some(self.violation(ELICITATION_SCHEMA_ENUM_SINGLE_TITLED, expected, Some(titled)))
    }

    /// A multiple choice.
    fn several(&self) -> Vec<Violation> {
        let whole = Value::from(self.members.clone());
        if !self.has_choices {
            let expected = "a string, a number, a boolean or a choice, not an array";
            return vec![self.violation(ELICITATION_SCHEMA_NO_ARRAYS, expected, Some(&whole))];
        }
        let items = self.get("items");
        let of_items = |name: &str| items.and_then(|items| items.get(name));
        let mut found = Vec::new();
        let options = if let Some(titled) = of_items("anyOf") {
            if !are_titled(titled) {
                let expected = "`items.anyOf` is an array of objects, each with a string `const` and a string `title`";
                found.push(self.violation(
                    ELICITATION_SCHEMA_ENUM_MULTI_TITLED,
                    expected,
                    Some(titled),
                ));
            }
            titled.as_array().map(constants)
        } else if let Some(values) = of_items("enum") {
            let is_string = of_items("type").and_then(Value::as_str) == Some("string");
            if !is_string || !are_strings(values) {
                let expected = "`items` has the type string and an `enum` of strings";
                found.push(self.violation(ELICITATION_SCHEMA_ENUM_MULTI_UNTITLED, expected, items));
            }
            values.as_array().map(|values| values.iter().collect())
        } else {
            let (rule, expected) = if of_items("oneOf").is_some() {
                (ELICITATION_SCHEMA_ENUM_MULTI_TITLED, "the titled options are in `items.anyOf`")
            } else if self.get("enum").is_some() {
                (ELICITATION_SCHEMA_ENUM_MULTI_UNTITLED, "`enum` is inside of `items`")
            } else {
                (
                    ELICITATION_SCHEMA_ARRAYS_ONLY_FOR_ENUMS,
                    "options in `items.enum` or in `items.anyOf`",
                )
            };
            found.push(self.violation(rule, expected, Some(&whole)));
            None
        };
        let Some(options) = options else { return found };
        found.extend(self.bounds("minItems", "maxItems", ELICITATION_SCHEMA_MULTI_SELECT_BOUNDS));
        let least = self.get("minItems").and_then(Value::as_u64);
        if let Some(least) = least.filter(|least| *least > options.len() as u64) {
            let expected =
                format!("`minItems` is at most {}, the number of options", options.len());
            found.push(self.violation(
                ELICITATION_SCHEMA_MULTI_SELECT_BOUNDS,
                &expected,
                Some(&least.into()),
            ));
        }
        if let Some(default) = self.get("default") {
            let fits = |value: &Value| options.contains(&value);
            if !default.as_array().is_some_and(|values| values.iter().all(fits)) {
                let expected = "`default` is an array of options";
                found.push(self.violation(
                    ELICITATION_SCHEMA_DEFAULTS_TYPED,
                    expected,
                    Some(default),
                ));
            }
        }
        found
    }

    fn number(&self, whole: bool) -> Vec<Violation> {
        let mut found = Vec::new();
        for name in ["minimum", "maximum"] {
            if let Some(bound) = self.get(name).filter(|bound| !bound.is_number()) {
                let expected = format!("`{name}` is a number");
                found.push(self.violation(
                    ELICITATION_SCHEMA_NUMBER_BOUNDS,
                    &expected,
                    Some(bound),
                ));
            }
        }
        if self.has_choices
            && let Some(default) = self.get("default")
            && !(default.is_number() && (!whole || default.is_integer()))
        {
            let expected = if whole { "`default` is an integer" } else { "`default` is a number" };
            found.push(self.violation(ELICITATION_SCHEMA_DEFAULTS_TYPED, expected, Some(default)));
        }
        found
    }

    /// Two bounds that are not negative, and in order.
    fn bounds(&self, least: &str, most: &str, rule: Cited) -> Option<Violation> {
        for name in [least, most] {
            let bound = self.get(name);
            let is_wrong = |bound: &&Value| !bound.is_integer() || bound.as_f64() < Some(0.0);
            if let Some(bound) = bound.filter(is_wrong) {
                let expected = format!("`{name}` is an integer that is not negative");
                return Some(self.violation(rule, &expected, Some(bound)));
            }
        }
        let number = |name| self.get(name).and_then(Value::as_f64);
        let (low, high) = (number(least)?, number(most)?);
        (low > high).then(|| {
            let expected = format!("`{least}` is at most {high}, as `{most}` says");
            self.violation(rule, &expected, self.get(least))
        })
    }
}

/// A keyword that only full JSON Schema has.
fn advanced(schema: &Value, subject: &str, known: &[&str]) -> Option<Violation> {
    let keyword = ADVANCED.iter().find(|it| !known.contains(it) && schema.get(it).is_some())?;
    let violation = Violation::new(
        [ELICITATION_SCHEMA_NO_ADVANCED_KEYWORDS],
        format!("{subject} uses more of JSON Schema than MCP allows"),
    );
    let expected = "no keywords that refer to other schemas or combine them";
    Some(violation.expected(expected).got(format!("`{keyword}`")))
}

fn are_strings(values: &Value) -> bool {
    values.as_array().is_some_and(|values| values.iter().all(Value::is_string))
}

/// Whether these are options, each with a value and a title.
fn are_titled(options: &Value) -> bool {
    let is_titled = |option: &Value| {
        let is_text = |name| option.get(name).is_some_and(Value::is_string);
        is_text("const") && is_text("title")
    };
    options.as_array().is_some_and(|options| options.iter().all(is_titled))
}

/// The values of titled options.
fn constants(options: &[Value]) -> Vec<&Value> {
    options.iter().filter_map(|option| option.get("const")).collect()
}
