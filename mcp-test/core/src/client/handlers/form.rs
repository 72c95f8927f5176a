//! The fields of an elicitation form, read from the restricted JSON Schema that MCP allows for it.
//!
//! Reads the forms of all revisions: plain and titled enums, `enumNames` of 2025-06-18, and multiple choice from
//! 2025-11-25 on. Whether a schema is valid is up to scenarios.
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema>

use crate::json::{Number, Object, Value};

/// One field of a form.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// The member of the content that it fills.
    pub name: String,
    /// The title to display.
    pub title: Option<String>,
    /// Whether the content must have it.
    pub required: bool,
    /// The value if the user changes nothing.
    pub default: Option<Value>,
    /// The kind of value.
    pub kind: FieldKind,
}

/// The kind of value that a field accepts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FieldKind {
    /// A text.
    Text {
        /// The minimum number of characters.
        min: Option<u64>,
        /// The maximum number of characters.
        max: Option<u64>,
        /// The format, such as `email`.
        format: Option<String>,
        /// The regular expression that the text has to match.
        pattern: Option<String>,
    },
    /// A number.
    Number {
        /// Whether only integers are allowed.
        whole: bool,
        /// The minimum.
        min: Option<Number>,
        /// The maximum.
        max: Option<Number>,
    },
    /// Yes or no.
    Boolean,
    /// One of several.
    Choice(Vec<Choice>),
    /// Some of several.
    Choices {
        /// The options.
        among: Vec<Choice>,
        /// The minimum number of them.
        min: Option<u64>,
        /// The maximum number of them.
        max: Option<u64>,
    },
    /// A kind that MCP does not allow in a form.
    Unknown,
}

/// One option of a choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The value that is sent.
    pub value: Value,
    /// The title to display; `None` where the value itself is displayed.
    pub title: Option<String>,
}

/// The fields of a `requestedSchema`, in its order.
pub(super) fn fields(schema: &Value) -> Vec<Field> {
    let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flat_map(Object::iter)
        .map(|(name, property)| Field {
            name: name.to_owned(),
            title: text(property, "title"),
            required: required.iter().any(|required| required.as_str() == Some(name)),
            default: property.get("default").cloned(),
            kind: kind(property),
        })
        .collect()
}

fn kind(property: &Value) -> FieldKind {
    // Before the type is read, because the type of a single choice is `string`.
    if let Some(choices) = choices(property, "oneOf") {
        return FieldKind::Choice(choices);
    }
    let count = |name: &str| property.get(name).and_then(Value::as_u64);
    let bound = |name: &str| property.get(name).and_then(Value::as_number).cloned();
    match property.get("type").and_then(Value::as_str) {
        Some("string") => FieldKind::Text {
            min: count("minLength"),
            max: count("maxLength"),
            format: text(property, "format"),
            pattern: text(property, "pattern"),
        },
        Some(kind @ ("number" | "integer")) => FieldKind::Number {
            whole: kind == "integer",
            min: bound("minimum"),
            max: bound("maximum"),
        },
        Some("boolean") => FieldKind::Boolean,
        Some("array") => {
            let among = property.get("items").and_then(|items| choices(items, "anyOf"));
            let (min, max) = (count("minItems"), count("maxItems"));
            among.map_or(FieldKind::Unknown, |among| FieldKind::Choices { among, min, max })
        }
        _ => FieldKind::Unknown,
    }
}

/// The options of an enum: titled ones from the member `titled`, or plain ones with optional `enumNames`.
fn choices(schema: &Value, titled: &str) -> Option<Vec<Choice>> {
    if let Some(options) = schema.get(titled).and_then(Value::as_array) {
        let choice = |option: &Value| {
            Some(Choice { value: option.get("const")?.clone(), title: text(option, "title") })
        };
        // Options without a value cannot be chosen, so they are not offered.
        return Some(options.iter().filter_map(choice).collect());
    }
    let values = schema.get("enum").and_then(Value::as_array)?;
    let names = schema.get("enumNames").and_then(Value::as_array).unwrap_or_default();
    let title = |index: usize| names.get(index).and_then(Value::as_str).map(str::to_owned);
    let choice =
        |(index, value): (usize, &Value)| Choice { value: value.clone(), title: title(index) };
    Some(values.iter().enumerate().map(choice).collect())
}

fn text(schema: &Value, name: &str) -> Option<String> {
    schema.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// The maximum length of an example, so that a large `minLength` does not use up memory.
const LONGEST: u64 = 10_000;

impl Field {
    /// A value that the schema allows; `None` for an unknown kind.
    #[must_use]
    pub fn example(&self) -> Option<Value> {
        match &self.kind {
            FieldKind::Text { min, max, format, .. } => {
                Some(example_text(format.as_deref(), *min, *max).into())
            }
            FieldKind::Number { whole, min, max } => {
                example_number(*whole, min.as_ref(), max.as_ref())
            }
            FieldKind::Boolean => Some(true.into()),
            FieldKind::Choice(choices) => choices.first().map(|choice| choice.value.clone()),
            FieldKind::Choices { among, min, max } => {
                let wanted = min.unwrap_or(1).min(max.unwrap_or(u64::MAX));
                let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
                Some(among.iter().take(wanted).map(|choice| choice.value.clone()).collect())
            }
            FieldKind::Unknown => None,
        }
    }
}

fn example_text(format: Option<&str>, min: Option<u64>, max: Option<u64>) -> String {
    match format {
        // A format is more than a length, so the bounds are not applied to these.
        Some("email") => return "user@example.com".to_owned(),
        Some("uri") => return "https://example.com/".to_owned(),
        Some("date") => return "2025-11-25".to_owned(),
        Some("date-time") => return "2025-11-25T12:00:00Z".to_owned(),
        _ => {}
    }
    let mut text = "example".to_owned();
    let length = |text: &str| text.len() as u64;
    while length(&text) < min.unwrap_or(0).min(LONGEST) {
        text.push('e');
    }
    let most = usize::try_from(max.unwrap_or(LONGEST)).unwrap_or(usize::MAX);
    // All ASCII, so every length is a character boundary.
    text.truncate(most);
    text
}

/// The number nearest to zero between the bounds.
fn example_number(whole: bool, min: Option<&Number>, max: Option<&Number>) -> Option<Value> {
    let beyond = |bound: Option<&Number>, side: fn(f64) -> bool| {
        bound.filter(|bound| bound.as_f64().is_some_and(side)).cloned()
    };
    let bound = beyond(min, |min| min > 0.0).or_else(|| beyond(max, |max| max < 0.0));
    let Some(bound) = bound else { return Some(0.into()) };
    // As written, since an `f64` may not represent it.
    if !whole || bound.is_integer() {
        return Some(Value::Number(bound));
    }
    let bound = bound.as_f64()?;
    let away = if bound > 0.0 { bound.ceil() } else { bound.floor() };
    Number::parse(&format!("{away:.0}")).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(property: &serde_json::Value) -> Field {
        let schema = json!({"type": "object", "properties": {"f": property}, "required": ["f"]});
        fields(&schema.into()).remove(0)
    }

    fn options(kind: &FieldKind) -> Vec<(String, Option<String>)> {
        let (FieldKind::Choice(among) | FieldKind::Choices { among, .. }) = kind else {
            return Vec::new();
        };
        among.iter().map(|choice| (choice.value.to_string(), choice.title.clone())).collect()
    }

    #[test]
    fn every_kind_of_enum_is_read() {
        let plain = json!({"type": "string", "enum": ["r", "g"], "default": "g"});
        let titled = json!({"type": "string", "oneOf": [
            {"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]});
        let named = json!({"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]});
        let several = json!({"type": "array", "items": {"type": "string", "enum": ["r", "g"]}});
        let titled_several = json!({"type": "array", "minItems": 2, "items": {"anyOf": [
            {"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]}});
        let pair = |one: Option<&str>, two: Option<&str>| {
            let title = |title: Option<&str>| title.map(str::to_owned);
            vec![("\"r\"".to_owned(), title(one)), ("\"g\"".to_owned(), title(two))]
        };
        let untitled = pair(None, None);
        let titles = pair(Some("Red"), Some("Green"));
        for (property, expected, example) in [
            (plain, &untitled, json!("r")),
            (titled, &titles, json!("r")),
            (named, &titles, json!("r")),
            (several, &untitled, json!(["r"])),
            (titled_several, &titles, json!(["r", "g"])),
        ] {
            let field = read(&property);
            assert_eq!(options(&field.kind), *expected);
            assert_eq!(field.example(), Some(example.into()), "{field:?}");
        }
    }

    #[test]
    fn examples_respect_the_bounds_of_each_kind() {
        let field = read(&json!({"type": "string", "title": "Name", "maxLength": 3}));
        assert_eq!((field.title.as_deref(), field.required), (Some("Name"), true));
        assert_eq!(field.example(), Some("exa".into()));
        let example =
            |property: &serde_json::Value| read(property).example().map(|value| value.to_string());
        for (property, expected) in [
            (json!({"type": "string", "format": "email"}), Some("\"user@example.com\"")),
            (json!({"type": "string", "minLength": 9}), Some("\"exampleee\"")),
            (json!({"type": "number", "minimum": 2.5}), Some("2.5")),
            (json!({"type": "integer", "minimum": 2.5}), Some("3")),
            (json!({"type": "integer", "maximum": -2.5}), Some("-3")),
            (json!({"type": "integer", "minimum": -5, "maximum": 5}), Some("0")),
            (json!({"type": "boolean"}), Some("true")),
            (json!({"type": "object"}), None),
            (json!({"type": "array"}), None),
            (json!(5), None),
        ] {
            assert_eq!(example(&property).as_deref(), expected, "{property}");
        }
    }

    #[test]
    fn a_schema_that_is_not_a_form_has_no_fields() {
        assert_eq!(fields(&json!(5).into()), []);
        assert_eq!(fields(&json!({"properties": [1]}).into()), []);
    }
}
