//! Values in results that may be arguments of other calls: an id, a name, a URI.

use mcp_test_core::json::{Pointer, Value};

/// How many values of one result are kept.
const OF_RESULT: usize = 64;

/// How many values are kept: the newest.
const KEPT: usize = 512;

/// How many levels deep a result is read.
const DEPTH: usize = 8;

/// The longest text that is parsed as JSON, in bytes.
const LONGEST_TEXT: usize = 256 * 1024;

/// The members of a content that are not read.
const SAID: [&str; 5] = ["annotations", "data", "mimeType", "text", "type"];

/// The longest name or id.
const LONGEST_VALUE: usize = 200;

/// The part of a result that values are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultPart {
    /// The structured content.
    Structured,
    /// The only text, as JSON if it is that.
    Text,
    /// The content, with its links to resources.
    Content,
}

impl ResultPart {
    /// Where it is in a result; `None` for what is inside a text.
    pub(crate) fn pointer(self) -> Option<&'static str> {
        match self {
            Self::Structured => Some("/structuredContent"),
            Self::Content => Some("/content"),
            Self::Text => None,
        }
    }
}

/// A value in a result.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    /// The names of the members that lead to it, and that of what has returned it, as words in lower case.
    words: Vec<String>,
    value: Value,
    source: Source,
}

/// Where a value is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// The call that it is a result of, by its place in the conversation.
    pub(crate) step: usize,
    pub(crate) part: ResultPart,
    /// The location in this part.
    pub(crate) pointer: Pointer,
}

/// The values of the results of a conversation.
#[derive(Debug, Default)]
pub(crate) struct KnownValues {
    values: Vec<Known>,
}

/// What is read of a result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Readable {
    pub(crate) value: Value,
    pub(crate) part: ResultPart,
}

/// The texts of a result, also of a resource.
pub(crate) fn texts(result: &Value) -> Vec<&str> {
    let content = result.get("content").or_else(|| result.get("contents"));
    let content = content.and_then(Value::as_array).unwrap_or_default();
    content.iter().filter_map(|item| item.get("text")?.as_str()).collect()
}

/// What is read of a result: its structured content, or what its only text is as JSON, or else its content. `None` if it is too long
/// to be kept.
pub(crate) fn readable(result: &Value) -> Option<Readable> {
    let whole = |part: ResultPart| {
        let value = result.at(part.pointer()?)?;
        let is_short = value.to_string().len() <= LONGEST_TEXT;
        is_short.then(|| Readable { value: value.clone(), part })
    };
    if result.get("structuredContent").is_some() {
        return whole(ResultPart::Structured);
    }
    let [only] = texts(result)[..] else { return whole(ResultPart::Content) };
    if only.len() > LONGEST_TEXT {
        return None;
    }
    let value = match Value::parse(only.as_bytes()) {
        Ok(document) => document.value,
        Err(_) => Value::from(only),
    };
    Some(Readable { value, part: ResultPart::Text })
}

impl KnownValues {
    /// Forgets everything: another conversation begins.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
    }

    /// Takes the values of a result of what has this name, such as a tool.
    pub(crate) fn add(&mut self, name: &str, step: usize, result: &Readable) {
        let mut open = vec![(&result.value, Pointer::root())];
        let mut taken = 0;
        while let Some((value, pointer)) = open.pop() {
            if taken >= OF_RESULT || pointer.tokens().count() > DEPTH {
                break;
            }
            match value {
                Value::Array(items) => {
                    // The first and the last: a new item is at one end.
                    let ends = [0, items.len().wrapping_sub(1)];
                    for index in ends.into_iter().take(items.len()) {
                        open.extend(items.get(index).map(|it| (it, pointer.clone().index(index))));
                    }
                }
                Value::Object(members) => {
                    // The text and type of a content are neither names nor ids.
                    let is_read =
                        |name: &str| result.part != ResultPart::Content || !SAID.contains(&name);
                    let members = members.iter().filter(|(name, _)| is_read(name));
                    open.extend(members.map(|(name, it)| (it, pointer.clone().member(name))));
                }
                Value::String(text) if text.is_empty() || text.len() > LONGEST_VALUE => {}
                Value::String(_) | Value::Number(_) => {
                    taken += 1;
                    let names = pointer.tokens().filter(|token| token.parse::<usize>().is_err());
                    let words =
                        words(name).chain(names.flat_map(|it| words(&it).collect::<Vec<_>>()));
                    let words = words.collect();
                    let source = Source { step, part: result.part, pointer };
                    self.values.push(Known { words, value: value.clone(), source });
                }
                Value::Null | Value::Bool(_) => {}
            }
        }
        let excess = self.values.len().saturating_sub(KEPT);
        self.values.drain(..excess);
    }

    /// The values that an argument of this name may take, the most similar first, and the newest of those.
    pub(crate) fn candidates(&self, argument: &str) -> Vec<(&Value, &Source)> {
        let wanted: Vec<String> = words(argument).collect();
        let mut ranked: Vec<(usize, &Known)> = self
            .values
            .iter()
            .rev()
            .map(|known| (similarity(&wanted, &known.words), known))
            .filter(|(similarity, _)| *similarity > 0)
            .collect();
        // Stable, so that the newest stay first.
        ranked.sort_by_key(|(similarity, _)| std::cmp::Reverse(*similarity));
        ranked.into_iter().map(|(_, known)| (&known.value, &known.source)).collect()
    }
}

/// How well a value suits an argument: how many of the words of the argument lead to the value. The last word has to, since it
/// says what it is: the `id` of `user_id`.
fn similarity(wanted: &[String], words: &[String]) -> usize {
    let Some(last) = wanted.last() else { return 0 };
    if !words.iter().any(|word| same(word, last)) {
        return 0;
    }
    wanted.iter().filter(|word| words.iter().any(|it| same(it, word))).count()
}

/// Whether two words are the same, whether in the plural or not.
fn same(one: &str, other: &str) -> bool {
    let singular = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    singular(one) == singular(other)
}

/// The words of a name such as `user_id`, `userId` or `user-id`.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for char in name.chars() {
        let begins = char.is_uppercase() && was_lower;
        if begins || !char.is_alphanumeric() {
            words.push(String::new());
        }
        if char.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(char.to_lowercase());
        }
        was_lower = char.is_lowercase();
    }
    words.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn structured(value: serde_json::Value) -> Readable {
        Readable { value: value.into(), part: ResultPart::Structured }
    }

    fn known(tool: &str, result: serde_json::Value) -> KnownValues {
        let mut known = KnownValues::default();
        known.add(tool, 3, &structured(result));
        known
    }

    fn values(known: &KnownValues, argument: &str) -> Vec<Value> {
        known.candidates(argument).into_iter().map(|(value, _)| value.clone()).collect()
    }

    #[test]
    fn names_are_split_into_words() {
        for name in ["user_id", "userId", "user-id", "User ID"] {
            assert_eq!(words(name).collect::<Vec<_>>(), ["user", "id"], "{name}");
        }
    }

    #[test]
    fn a_value_is_found_by_the_name_of_its_member_its_list_or_its_tool() {
        assert_eq!(values(&known("a", json!({"userId": 7})), "user_id"), [Value::from(7)]);
        assert_eq!(values(&known("a", json!({"users": [{"id": 7}]})), "user_id"), [Value::from(7)]);
        assert_eq!(values(&known("create_user", json!({"id": 7})), "userId"), [Value::from(7)]);
        assert_eq!(values(&known("a", json!({"id": 7})), "name"), Vec::<Value>::new());
    }

    #[test]
    fn the_most_similar_value_comes_first_and_then_the_newest() {
        let mut known = known("a", json!({"id": 1, "user": {"id": 2}}));
        known.add("a", 4, &structured(json!({"id": 3})));
        assert_eq!(values(&known, "user_id"), [2, 3, 1].map(Value::from));
        let (_, source) = known.candidates("user_id").remove(0);
        assert_eq!((source.step, source.pointer.as_str()), (3, "/user/id"));
    }

    #[test]
    fn results_are_read_as_structured_content_as_json_or_as_text() {
        let text = |text: &str| json!({"content": [{"type": "text", "text": text}]}).into();
        let read = |value: serde_json::Value| {
            Some(Readable { value: value.into(), part: ResultPart::Text })
        };
        assert_eq!(readable(&text("{\"id\": 1}")), read(json!({"id": 1})));
        assert_eq!(readable(&text("a-1")), read(json!("a-1")));
        let both = json!({"content": [], "structuredContent": {"id": 2}}).into();
        assert_eq!(readable(&both), Some(structured(json!({"id": 2}))));
        assert_eq!(readable(&json!({}).into()), None);
    }

    #[test]
    fn a_link_to_a_resource_has_its_uri() {
        let link = json!({"type": "resource_link", "uri": "a://b", "name": "b"});
        let read = readable(&json!({"content": [link]}).into()).expect("a result");
        let mut known = KnownValues::default();
        known.add("find", 0, &read);
        assert_eq!(values(&known, "uri"), [Value::from("a://b")]);
        assert_eq!(values(&known, "type"), Vec::<Value>::new());
        assert_eq!(known.candidates("uri")[0].1.part, ResultPart::Content);
    }
}
