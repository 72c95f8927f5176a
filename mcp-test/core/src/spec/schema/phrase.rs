//! Describes a type in words, to be read after "is": `a string`, `"ping"`, `an array of at most 100 items`.

use super::model::{Model, Type};
use super::types::Range;
use crate::expect::words;

/// The type in words, with an article.
pub(super) fn phrase(model: &Model, of: &Type) -> String {
    match of {
        Type::Any => "any value".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Boolean => "a boolean".to_owned(),
        Type::String => "a string".to_owned(),
        Type::Format(format) => format.phrase().to_owned(),
        Type::Integer(range) => format!("an integer{}", between(*range)),
        Type::Number(range) => format!("a number{}", between(*range)),
        Type::Literal(text) => format!("\"{text}\""),
        Type::Exactly(number) => number.to_string(),
        Type::Array(items, range) => match (range.least, range.most) {
            (None, None) => match plural(model, items) {
                Some(items) => format!("an array of {items}"),
                None => "an array".to_owned(),
            },
            (None, Some(most)) => format!("an array of at most {most} items"),
            (Some(least), None) => format!("an array of at least {least} items"),
            (Some(least), Some(most)) => format!("an array of {least} to {most} items"),
        },
        Type::Object(_) => "an object".to_owned(),
        Type::Union(types) => union_phrase(model, types),
        Type::Named(index) => {
            let shape = model.shape(*index);
            match model.resolved(of) {
                Type::Object(_) => article(shape.name),
                Type::Union(types) if types.iter().any(|of| is_structured(model, of)) => {
                    article(shape.name)
                }
                // `a string or an integer` helps more than `a RequestId`.
                simple => phrase(model, simple),
            }
        }
    }
}

fn union_phrase(model: &Model, types: &[Type]) -> String {
    let mut phrases = Vec::new();
    alternatives(model, types, &mut phrases);
    words::list(phrases, "or")
}

/// Adds the phrase of each type once; for a union of simple types, those of its types.
fn alternatives(model: &Model, types: &[Type], phrases: &mut Vec<String>) {
    for of in types {
        match model.resolved(of) {
            Type::Union(inner) if !is_structured(model, of) => {
                alternatives(model, inner, phrases);
            }
            _ => {
                let phrase = phrase(model, of);
                if !phrases.contains(&phrase) {
                    phrases.push(phrase);
                }
            }
        }
    }
}

fn is_structured(model: &Model, of: &Type) -> bool {
    match model.resolved(of) {
        Type::Object(_) | Type::Array(..) => true,
        Type::Union(types) => types.iter().any(|of| is_structured(model, of)),
        _ => false,
    }
}

fn between(range: Range) -> String {
    match (range.least, range.most) {
        (None, None) => String::new(),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
    }
}

/// The plural of a type, if it has one.
fn plural(model: &Model, of: &Type) -> Option<String> {
    match of {
        Type::String => Some("strings".to_owned()),
        Type::Object(_) => Some("objects".to_owned()),
        Type::Named(index) if is_structured(model, of) => {
            let name = model.shape(*index).name;
            Some(if name.ends_with('s') { name.to_owned() } else { format!("{name}s") })
        }
        _ => None,
    }
}

/// The name of a definition with an article.
pub(super) fn article(name: &str) -> String {
    // "an Untitled…", but "a URL…", which is spelled out.
    let vowel = name.starts_with(['A', 'E', 'I', 'O']) || name.starts_with("Un");
    format!("{} {name}", if vowel { "an" } else { "a" })
}

#[cfg(test)]
mod tests {
    use crate::json::Value;
    use crate::spec::Revision;
    use crate::spec::schema::{Authority, Schemas};

    #[test]
    fn nested_unions_are_one_list() {
        let expected = |name: &str, value: serde_json::Value| {
            let found = Schemas::ours()
                .definition(name, Revision::V2025_06_18, Authority::Text)
                .map(|definition| definition.violations(&Value::from(value)))
                .unwrap_or_default();
            found.into_iter().map(|violation| violation.expected).collect::<Vec<_>>().join(", ")
        };
        insta::assert_snapshot!(
            expected("PrimitiveSchemaDefinition", serde_json::json!({"type": "array"})),
            @r#""string", "number", "integer" or "boolean""#
        );
        insta::assert_snapshot!(expected("RequestId", serde_json::json!(null)), @"a string or an integer");
    }
}
