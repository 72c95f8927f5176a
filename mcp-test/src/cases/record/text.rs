//! Writes recorded cases: a message that fits on one line is written on one, others as JSON over several.
//!
//! The result is already formatted as [`format()`](mcp_test_core::yaml::format()) would.

use mcp_test_core::json::{Object, Pointer, Value, is_deceptive};

use super::page::{Page, PageLine};
use crate::cases::Matcher;

/// The maximum length of a line, in characters.
const WIDTH: usize = 120;

/// The text of some cases.
pub(super) fn text(pages: &[Page], remarks: &[String]) -> String {
    let documents: Vec<String> = pages.iter().map(document).collect();
    let mut text = documents.join("---\n");
    for remark in remarks {
        comment(&mut text, remark);
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
        line.remarks.iter().for_each(|remark| comment(&mut text, remark));
        message(&mut text, line);
    }
    rules(&mut text, &page.lines);
    captures(&mut text, &page.lines);
    page.remarks.iter().for_each(|remark| comment(&mut text, remark));
    text
}

fn message(text: &mut String, line: &PageLine) {
    let short = line.value.inline();
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
            on_several_lines(text, content, 2);
            text.push('}');
        }
        None => on_several_lines(text, &line.value, 2),
    }
    text.push('\n');
}

/// The beginning of a message up to its last member, and that member, if the beginning fits on its line.
fn envelope(message: &Object, room: usize) -> Option<(String, &Value)> {
    // A draft has `jsonrpc`, `id` and `method` first, so this is `params`, `result` or `error`.
    let (name, content) = message.iter().next_back()?;
    let before = message.iter().take(message.len() - 1);
    let before: String =
        before.map(|(name, value)| format!("{}: {}, ", string(name), value.inline())).collect();
    let begin = format!("{{{before}{}: ", string(name));
    let holds_more = match content {
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => false,
    };
    (holds_more && begin.chars().count() < room).then_some((begin, content))
}

/// A comment, wrapped.
fn comment(text: &mut String, remark: &str) {
    let mut line = "#".to_owned();
    for word in remark.split_whitespace() {
        // It may contain text of a peer, which must not end the comment.
        let word: String = word.chars().filter(|it| !is_deceptive(*it)).collect();
        if line.chars().count() + 1 + word.chars().count() > WIDTH && !line.ends_with('#') {
            text.push_str(&line);
            text.push('\n');
            line = "#".to_owned();
        }
        line.push(' ');
        line.push_str(&word);
    }
    text.push_str(&line);
    text.push('\n');
}

fn rules(text: &mut String, lines: &[PageLine]) {
    extension(text, "_match", lines, |line| {
        let rule = |(place, matcher): &(Pointer, Matcher)| {
            format!("{}: {}", scalar(place.as_str()), matcher_text(matcher))
        };
        line.rules.iter().map(rule).collect()
    });
}

fn captures(text: &mut String, lines: &[PageLine]) {
    extension(text, "_capture", lines, |line| {
        let capture =
            |(name, place): &(String, Pointer)| format!("{name}: {}", scalar(place.as_str()));
        line.captures.iter().map(capture).collect()
    });
}

/// An extension with an entry for each message that has any members.
fn extension(
    text: &mut String,
    name: &str,
    lines: &[PageLine],
    members: impl Fn(&PageLine) -> Vec<String>,
) {
    let entries = lines.iter().map(|line| (&line.key, members(line)));
    let entries: Vec<_> = entries.filter(|(_, members)| !members.is_empty()).collect();
    if !entries.is_empty() {
        text.push_str(&format!("{name}:\n"));
    }
    for (key, members) in entries {
        entry(text, key, &members);
    }
}

/// A mapping on the line of its key, or with a line for each member.
fn entry(text: &mut String, key: &str, members: &[String]) {
    let short = format!("  {key}: {{{}}}\n", members.join(", "));
    if short.chars().count() <= WIDTH {
        text.push_str(&short);
        return;
    }
    text.push_str(&format!("  {key}:\n"));
    members.iter().for_each(|member| text.push_str(&format!("    {member}\n")));
}

/// A matcher as `_match` has it.
pub(super) fn matcher_text(matcher: &Matcher) -> String {
    match matcher {
        Matcher::Any => "any".to_owned(),
        Matcher::Ignored => "ignored".to_owned(),
        Matcher::Exact => "exact".to_owned(),
        Matcher::Contains => "contains".to_owned(),
        Matcher::Unordered => "unordered".to_owned(),
        Matcher::Type(kind) => format!("{{type: {}}}", kind.as_str()),
        Matcher::Regex(pattern) => format!("{{regex: {}}}", quoted(pattern)),
        Matcher::OneOf(values) => {
            let values: Vec<String> = values.iter().map(Value::inline).collect();
            format!("{{one-of: [{}]}}", values.join(", "))
        }
        Matcher::Approximate { number, within } => {
            format!("{{approximate: {number}, within: {within}}}")
        }
    }
}

/// A plain scalar if it cannot be read as anything else, or else a quoted one.
fn scalar(text: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "/_-.*".contains(it);
    if text.starts_with('/') && text.chars().all(plain) { text.to_owned() } else { quoted(text) }
}

/// In single quotes, where a backslash stays a backslash, unless a character needs an escape.
fn quoted(text: &str) -> String {
    if text.contains(is_deceptive) {
        string(text)
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// A JSON string that is also valid YAML.
fn string(text: &str) -> String {
    Value::from(text).to_string()
}

/// JSON over several lines; what fits on one stays on one.
fn on_several_lines(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().map(|item| (String::new(), item)).collect();
            parts(text, ('[', ']'), items, indent);
        }
        Value::Object(members) if !members.is_empty() => {
            let members = members.iter();
            let members = members.map(|(name, value)| (format!("{}: ", string(name)), value));
            parts(text, ('{', '}'), members.collect(), indent);
        }
        scalar => text.push_str(&scalar.inline()),
    }
}

/// Writes the items or members between brackets, each after its name.
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
        let short = value.inline();
        // The indentation of the part, and the comma after it.
        if indent + 3 + name.chars().count() + short.chars().count() <= WIDTH {
            text.push_str(&short);
        } else {
            on_several_lines(text, value, indent + 2);
        }
        if index < last {
            text.push(',');
        }
    }
    text.push('\n');
    text.extend(std::iter::repeat_n(' ', indent));
    text.push(close);
}

/// The name of a case, quoted if it could be read as anything else.
fn title(name: &str) -> String {
    let plain = |it: char| it.is_alphanumeric() || " /_-.()".contains(it);
    let is_plain = name.starts_with(|it: char| it.is_alphabetic())
        && !name.ends_with(' ')
        && name.chars().all(|it| plain(it) || it == ',')
        // The last four are booleans in YAML 1.1, which other tools may read the file with.
        && !["true", "false", "null", "yes", "no", "on", "off"]
            .contains(&name.to_ascii_lowercase().as_str());
    if is_plain { name.to_owned() } else { string(name) }
}
