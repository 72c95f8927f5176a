//! Recorded cases as text: a line for each message that fits on one, JSON on several lines for the others.
//!
//! The text is as [`format()`](crate::yaml::format()) lays it out, so that nothing would change.

use super::super::{JsonType, Matcher};
use super::page::{Line, Page};
use crate::json::{Object, Value};

/// How long a line may be.
const WIDTH: usize = 120;

/// The text of some cases.
pub(super) fn text(pages: &[Page], remarks: &[String]) -> String {
    let documents: Vec<String> = pages.iter().map(document).collect();
    let mut text = documents.join("---\n");
    for remark in remarks {
        comment(&mut text, "", remark);
    }
    text
}

/// One case.
pub(super) fn document(page: &Page) -> String {
    let mut text = format!("case: {}\n", title(&page.name));
    if let Some(revision) = page.revision {
        text.push_str(&format!("_revision: {revision}\n"));
    }
    if page.bare {
        text.push_str("_handshake: false\n");
    }
    if !page.inputs.is_empty() {
        text.push_str("_inputs:\n");
        for input in &page.inputs {
            text.push_str(&format!("  - {{name: {input}, secret: true}}\n"));
        }
    }
    for line in &page.lines {
        line.remarks.iter().for_each(|remark| comment(&mut text, "", remark));
        message(&mut text, line);
    }
    rules(&mut text, &page.lines);
    captures(&mut text, &page.lines);
    page.remarks.iter().for_each(|remark| comment(&mut text, "", remark));
    text
}

fn message(text: &mut String, line: &Line) {
    let short = on_one_line(&line.value);
    let key = &line.key;
    if key.chars().count() + 2 + short.chars().count() <= WIDTH {
        text.push_str(&format!("{key}: {short}\n"));
        return;
    }
    text.push_str(&format!("{key}: "));
    let room = WIDTH.saturating_sub(key.chars().count() + 2);
    match line.value.as_object().and_then(|message| envelope(message, room)) {
        Some((envelope, content)) => {
            text.push_str(&envelope);
            broken(text, content, 2);
            text.push('}');
        }
        None => broken(text, &line.value, 2),
    }
    text.push('\n');
}

/// The beginning of a message up to its last member, and that one, if the beginning fits into the room on its line.
fn envelope(message: &Object, room: usize) -> Option<(String, &Value)> {
    let (name, content) = message.iter().next_back()?;
    let before = message.iter().take(message.len() - 1);
    let before: String =
        before.map(|(name, value)| format!("{}: {}, ", string(name), on_one_line(value))).collect();
    let begin = format!("{{{before}{}: ", string(name));
    let holds_more = match content {
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => false,
    };
    (holds_more && begin.chars().count() < room).then_some((begin, content))
}

/// A comment, on as many lines as it takes.
fn comment(text: &mut String, indent: &str, remark: &str) {
    let mut line = format!("{indent}#");
    for word in remark.split_whitespace() {
        // What a peer said may stand in it.
        let word: String =
            word.chars().filter(|it| !it.is_control() && is_printable(*it)).collect();
        if line.chars().count() + 1 + word.chars().count() > WIDTH && !line.ends_with('#') {
            text.push_str(&line);
            text.push('\n');
            line = format!("{indent}#");
        }
        line.push(' ');
        line.push_str(&word);
    }
    text.push_str(&line);
    text.push('\n');
}

fn rules(text: &mut String, lines: &[Line]) {
    let mut begun = false;
    for line in lines.iter().filter(|line| !line.rules.is_empty()) {
        if !std::mem::replace(&mut begun, true) {
            text.push_str("_match:\n");
        }
        let rules: Vec<String> = line
            .rules
            .iter()
            .map(|(place, matcher)| format!("{}: {}", scalar(place.as_str()), written(matcher)))
            .collect();
        entry(text, &line.key, &rules);
    }
}

fn captures(text: &mut String, lines: &[Line]) {
    let mut begun = false;
    for line in lines.iter().filter(|line| !line.captures.is_empty()) {
        if !std::mem::replace(&mut begun, true) {
            text.push_str("_capture:\n");
        }
        let captures: Vec<String> = line
            .captures
            .iter()
            .map(|(name, place)| format!("{name}: {}", scalar(place.as_str())))
            .collect();
        entry(text, &line.key, &captures);
    }
}

/// A mapping on the line of its key, or a line for each member.
fn entry(text: &mut String, key: &str, members: &[String]) {
    let short = format!("  {key}: {{{}}}\n", members.join(", "));
    if short.chars().count() <= WIDTH {
        text.push_str(&short);
        return;
    }
    text.push_str(&format!("  {key}:\n"));
    members.iter().for_each(|member| text.push_str(&format!("    {member}\n")));
}

/// What `_match` says for a matcher.
pub(super) fn written(matcher: &Matcher) -> String {
    match matcher {
        Matcher::Any => "any".to_owned(),
        Matcher::Ignored => "ignored".to_owned(),
        Matcher::Exact => "exact".to_owned(),
        Matcher::Contains => "contains".to_owned(),
        Matcher::Unordered => "unordered".to_owned(),
        Matcher::Type(kind) => format!("{{type: {}}}", type_name(*kind)),
        Matcher::Regex(pattern) => format!("{{regex: {}}}", quoted(pattern)),
        Matcher::OneOf(values) => {
            let values: Vec<String> = values.iter().map(on_one_line).collect();
            format!("{{one-of: [{}]}}", values.join(", "))
        }
        Matcher::Approximate { number, within } => {
            format!("{{approximate: {number}, within: {within}}}")
        }
    }
}

fn type_name(kind: JsonType) -> &'static str {
    match kind {
        JsonType::String => "string",
        JsonType::Number => "number",
        JsonType::Integer => "integer",
        JsonType::Boolean => "boolean",
        JsonType::Object => "object",
        JsonType::Array => "array",
        JsonType::Null => "null",
    }
}

/// A text as it is if it can be taken for nothing else, else in quotes.
fn scalar(text: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "/_-.*".contains(it);
    if text.starts_with('/') && text.chars().all(plain) { text.to_owned() } else { quoted(text) }
}

/// In single quotes if nothing in it has to be escaped but these: then a backslash is a backslash.
fn quoted(text: &str) -> String {
    if text.chars().all(|it| !it.is_control() && is_printable(it)) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        string(text)
    }
}

/// What YAML lets stand in a text as it is.
fn is_printable(char: char) -> bool {
    !matches!(char, '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{2028}' | '\u{2029}')
}

/// A text as JSON that is YAML, too.
fn string(text: &str) -> String {
    let mut written = String::new();
    for char in Value::from(text).to_string().chars() {
        if is_printable(char) {
            written.push(char);
        } else {
            written.push_str(&format!("\\u{:04x}", u32::from(char)));
        }
    }
    written
}

/// JSON with a blank after each colon and comma.
fn on_one_line(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(on_one_line).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let member =
                |(name, value): (&str, &Value)| format!("{}: {}", string(name), on_one_line(value));
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(", "))
        }
        scalar => scalar.to_string(),
    }
}

/// JSON on several lines: what fits on one stays there.
fn broken(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().map(|item| (String::new(), item)).collect();
            parts(text, ('[', ']'), items, indent);
        }
        Value::Object(members) if !members.is_empty() => {
            parts(text, ('{', '}'), named(members), indent);
        }
        scalar => text.push_str(&on_one_line(scalar)),
    }
}

fn named(members: &Object) -> Vec<(String, &Value)> {
    members.iter().map(|(name, value)| (format!("{}: ", string(name)), value)).collect()
}

fn parts(
    text: &mut String,
    (open, close): (char, char),
    parts: Vec<(String, &Value)>,
    indent: usize,
) {
    text.push(open);
    let last = parts.len() - 1;
    for (index, (name, value)) in parts.into_iter().enumerate() {
        text.push('\n');
        text.extend(std::iter::repeat_n(' ', indent + 2));
        text.push_str(&name);
        let short = on_one_line(value);
        if indent + 3 + name.chars().count() + short.chars().count() <= WIDTH {
            text.push_str(&short);
        } else {
            broken(text, value, indent + 2);
        }
        if index < last {
            text.push(',');
        }
    }
    text.push('\n');
    text.extend(std::iter::repeat_n(' ', indent));
    text.push(close);
}

/// The name of a case, in quotes if it could be taken for something else.
fn title(name: &str) -> String {
    let plain = |it: char| it.is_alphanumeric() || " /_-.()".contains(it);
    let is_plain = name.starts_with(|it: char| it.is_alphabetic())
        && !name.ends_with(' ')
        && name.chars().all(|it| plain(it) || it == ',')
        && !["true", "false", "null", "yes", "no", "on", "off"]
            .contains(&name.to_ascii_lowercase().as_str());
    if is_plain { name.to_owned() } else { string(name) }
}
