//! Reads how single messages are compared and captured: `_match`, `_capture`.

use mcp_test_core::expect::words;
use mcp_test_core::json::Pointer;
use mcp_test_core::yaml::{Kind, Member, Node};
use serde_json::{Value, json};

use super::extensions::Extensions;
use super::schemas::NAME;
use super::setup;
use crate::cases::format::context::ReadContext;
use crate::cases::format::expression::compile_regex;
use crate::cases::format::extension::{Capture, JsonType, Matcher, Mode, Rule};
use crate::cases::format::lints;
use crate::cases::format::suggest::{did_you_mean, quoted};

const MODES: [(&str, Mode); 2] = [("exact", Mode::Exact), ("contains", Mode::Contains)];
const NAMED: [(&str, Matcher); 5] = [
    ("any", Matcher::Any),
    ("ignored", Matcher::Ignored),
    ("exact", Matcher::Exact),
    ("contains", Matcher::Contains),
    ("unordered", Matcher::Unordered),
];
const MEMBERS: [&str; 5] = ["type", "regex", "one-of", "approximate", "within"];

pub(super) fn matches(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    let Kind::Mapping(members) = &node.kind else {
        let diagnostic = cx.wrong_value("_match", "a mapping by message keys", node);
        let help = format!("to apply it to one message: `_match: {{out: {}}}`", shown(node));
        cx.report(diagnostic.help(node.as_str().is_some().then_some(help)));
        return;
    };
    for Member { key, value } in members {
        let rule = rule(cx, value);
        found.rules.push((key.name(), key.span, rule));
    }
}

fn rule(cx: &mut ReadContext<'_>, node: &Node) -> Rule {
    let mut rule = Rule::default();
    match &node.kind {
        Kind::String(_) => rule.mode = mode(cx, node),
        Kind::Mapping(members) => {
            for Member { key, value } in members {
                match key.name().as_str() {
                    "mode" => rule.mode = mode(cx, value),
                    name => {
                        // A key that is not a pointer may also be a misspelled `mode`.
                        let pointer = pointer(cx, name, key, Some("mode"));
                        let Some(pointer) = pointer else { continue };
                        let matcher = matcher(cx, value);
                        rule.matchers.extend(matcher.map(|matcher| (pointer, matcher, key.span)));
                    }
                }
            }
        }
        _ => cx.report_wrong_value("_match", "`exact`, `contains` or a mapping of matchers", node),
    }
    rule
}

fn mode(cx: &mut ReadContext<'_>, node: &Node) -> Mode {
    let Some(text) = cx.text("mode", node) else { return Mode::default() };
    if let Some((_, mode)) = MODES.iter().find(|(word, _)| *word == text) {
        return *mode;
    }
    let names = MODES.map(|(word, _)| word);
    let diagnostic = cx
        .diagnostic(&lints::WRONG_VALUE, node.span, format!("`{text}` is not a mode"))
        .label(format!("known modes are {}", quoted(&names)))
        .help(did_you_mean(text, names));
    cx.report(diagnostic);
    Mode::default()
}

/// Reads a JSON Pointer; `word` is an alternative to suggest.
fn pointer(
    cx: &mut ReadContext<'_>,
    text: &str,
    node: &Node,
    word: Option<&'static str>,
) -> Option<Pointer> {
    if let Some(pointer) = Pointer::parse(text) {
        return Some(pointer);
    }
    let help = word.and_then(|word| did_you_mean(text, [word])).unwrap_or_else(|| {
        // The beginnings of a URI fragment and of a JSONPath.
        let text = text.trim_start_matches('#').trim_start_matches("$.");
        match text.starts_with('/') {
            true if text.contains('~') => "write `~0` for a `~` in a name".to_owned(),
            true => format!("did you mean `{text}`?"),
            false => format!("did you mean `/{}`?", text.replace('.', "/")),
        }
    });
    let diagnostic = cx
        .diagnostic(&lints::WRONG_VALUE, node.span, format!("`{text}` is not a JSON Pointer"))
        .label("a pointer begins with `/`")
        .help(help);
    cx.report(match text.starts_with('/') {
        true => diagnostic.label("in a pointer `~` must be followed by `0` or `1`"),
        false => diagnostic,
    });
    None
}

fn matcher(cx: &mut ReadContext<'_>, node: &Node) -> Option<Matcher> {
    match &node.kind {
        Kind::String(text) => {
            let known = NAMED.iter().find(|(word, _)| word == text);
            if known.is_none() {
                unknown(cx, text, node);
            }
            known.map(|(_, matcher)| matcher.clone())
        }
        Kind::Mapping(members) => {
            let found = cx.members("_match", members, &MEMBERS);
            // All its keys are unknown, which has been reported.
            if found.is_empty() && !members.is_empty() {
                return None;
            }
            match found.as_slice() {
                [("type", node)] => json_type(cx, node).map(Matcher::Type),
                [("regex", node)] => regex(cx, node).map(Matcher::Regex),
                [("one-of", node)] => one_of(cx, node),
                [("approximate", number), ("within", within)]
                | [("within", within), ("approximate", number)] => {
                    let number = self::number(cx, "approximate", number, f64::MIN)?;
                    let within = self::number(cx, "within", within, 0.0)?;
                    Some(Matcher::Approximate { number, within })
                }
                [("approximate", number)] => {
                    let message = "`approximate` needs the largest distance";
                    let diagnostic = cx.diagnostic(&lints::WRONG_VALUE, node.span, message);
                    let help = format!("write `{{approximate: {}, within: 0.01}}`", shown(number));
                    cx.report(diagnostic.label("`within` is missing").help(help));
                    None
                }
                _ => {
                    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
                    let label = match names.is_empty() {
                        true => "this mapping is empty".to_owned(),
                        false => format!("got {}", quoted(&names)),
                    };
                    let message = "a matcher must have exactly one of `type`, `regex`, `one-of` and `approximate`";
                    cx.report(cx.diagnostic(&lints::WRONG_VALUE, node.span, message).label(label));
                    None
                }
            }
        }
        _ => {
            cx.report_wrong_value("_match", "a name such as `any`, or a mapping", node);
            None
        }
    }
}

fn unknown(cx: &mut ReadContext<'_>, text: &str, node: &Node) {
    let help = match text {
        _ if json_type_of(text).is_some() => format!("did you mean `{{type: {text}}}`?"),
        "type" | "regex" | "one-of" | "approximate" => format!("it needs a value: `{{{text}: …}}`"),
        _ if text.starts_with(['^', '/']) => format!("did you mean `{{regex: {}}}`?", shown(node)),
        _ => match words::closest(text, NAMED.map(|(word, _)| word)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("to expect a single value, write `{{one-of: [{}]}}`", shown(node)),
        },
    };
    // Without `within`, which only belongs to `approximate`.
    let (names, members) = (quoted(&NAMED.map(|(word, _)| word)), quoted(&MEMBERS[..4]));
    let diagnostic = cx
        .diagnostic(&lints::WRONG_VALUE, node.span, format!("`{text}` is not a matcher"))
        .label(format!("known matchers are {names}, and mappings with {members}"))
        .help(help);
    cx.report(diagnostic);
}

fn json_type_of(name: &str) -> Option<JsonType> {
    JsonType::ALL.into_iter().find(|json_type| json_type.as_str() == name)
}

fn json_type(cx: &mut ReadContext<'_>, node: &Node) -> Option<JsonType> {
    // Unquoted, the name of the type is YAML's null.
    if node.kind == Kind::Null {
        return Some(JsonType::Null);
    }
    let text = cx.text("type", node)?;
    let known = json_type_of(text);
    if known.is_none() {
        let names = JsonType::ALL.map(JsonType::as_str);
        // Names of other languages, which edit distance does not find.
        let near = match text {
            "int" => Some("integer"),
            "float" | "double" => Some("number"),
            "bool" => Some("boolean"),
            "list" => Some("array"),
            "map" | "mapping" | "dict" => Some("object"),
            "text" | "str" => Some("string"),
            _ => words::closest(text, names),
        };
        let diagnostic = cx
            .diagnostic(&lints::WRONG_VALUE, node.span, format!("`{text}` is not a JSON type"))
            .label(format!("known types are {}", quoted(&names)))
            .help(near.map(|near| format!("did you mean `{near}`?")));
        cx.report(diagnostic);
    }
    known
}

fn regex(cx: &mut ReadContext<'_>, node: &Node) -> Option<String> {
    // Not `text`: an expression may consist of blanks.
    let text = cx.string("regex", "a string", node)?;
    // Compiled only to report mistakes with their place; the comparison compiles it again.
    if let Err(why) = compile_regex(text) {
        let diagnostic = cx
            .diagnostic(&lints::WRONG_VALUE, node.span, "this is not a valid regular expression")
            .label(words::printable(&why.to_string()));
        cx.report(diagnostic);
        return None;
    }
    Some(text.to_owned())
}

fn one_of(cx: &mut ReadContext<'_>, node: &Node) -> Option<Matcher> {
    match node.as_list() {
        Some(items) if !items.is_empty() => {
            Some(Matcher::OneOf(items.iter().map(Node::to_value).collect()))
        }
        _ => {
            cx.report_wrong_value("one-of", "a list of at least one value", node);
            None
        }
    }
}

fn number(cx: &mut ReadContext<'_>, what: &str, node: &Node, least: f64) -> Option<f64> {
    let number = match &node.kind {
        Kind::Number(number) => number.as_f64().filter(|it| it.is_finite() && *it >= least),
        _ => None,
    };
    if number.is_none() {
        let expected = if least < 0.0 { "a number" } else { "a number that is at least zero" };
        cx.report_wrong_value(what, expected, node);
    }
    number
}

/// A value for use in an example.
fn shown(node: &Node) -> String {
    node.to_value().short(40)
}

pub(super) fn match_schema() -> Value {
    let one = |name: &str, schema: Value| {
        json!({
            "type": "object",
            "properties": {name: schema},
            "required": [name],
            "additionalProperties": false,
        })
    };
    // Also null: unquoted, the name of that type is YAML's null.
    let types = JsonType::ALL.map(|it| json!(it.as_str())).into_iter().chain([Value::Null]);
    let types: Vec<Value> = types.collect();
    let matcher = json!({"anyOf": [
        {
            "description": "`any`: any value, which must exist. `ignored`: any value or none. `exact`, `contains`: the mode \
                            from here on down. `unordered`: items in any order.",
            "enum": NAMED.map(|(word, _)| word),
        },
        one("type", json!({"description": "The JSON type.", "enum": types})),
        one("regex", json!({"description": "A regular expression that matches somewhere in the string.", "type": "string"})),
        one("one-of", json!({"description": "The allowed values.", "type": "array", "minItems": 1})),
        {
            "type": "object",
            "properties": {
                "approximate": {"description": "The expected number.", "type": "number"},
                "within": {"description": "The largest distance.", "type": "number", "minimum": 0},
            },
            "required": ["approximate", "within"],
            "additionalProperties": false,
        },
    ]});
    let mode = json!({
        "description": "`exact`: everything in the case and nothing else. `contains`: there may be more.",
        "enum": MODES.map(|(word, _)| word),
    });
    json!({
        "type": "object",
        "patternProperties": {"^(in|out)": {"anyOf": [
            mode,
            {
                "type": "object",
                "properties": {"mode": mode, "": matcher},
                "patternProperties": {"^/([^~]|~0|~1)*$": matcher},
                "additionalProperties": false,
            },
        ]}},
        "additionalProperties": false,
    })
}

pub(super) fn capture(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    let expected = "a mapping by message keys: `{out: {name: /result/…}}`";
    let Kind::Mapping(messages) = &node.kind else {
        cx.report_wrong_value("_capture", expected, node);
        return;
    };
    for Member { key, value } in messages {
        let Kind::Mapping(members) = &value.kind else {
            cx.report_wrong_value("_capture", expected, value);
            continue;
        };
        let mut captures = Vec::new();
        for Member { key, value } in members {
            let name = setup::name(cx, "_capture", key);
            let pointer =
                cx.text("_capture", value).and_then(|text| pointer(cx, text, value, None));
            let span = value.span;
            captures.extend(name.zip(pointer).map(|(name, pointer)| Capture {
                name,
                pointer,
                span,
            }));
        }
        found.captures.push((key.name(), key.span, captures));
    }
}

pub(super) fn capture_schema() -> Value {
    json!({
        "type": "object",
        "patternProperties": {"^(in|out)": {
            "type": "object",
            "patternProperties": {NAME: {
                "description": "A JSON Pointer into the received message.",
                "type": "string",
                "pattern": "^(/([^~]|~0|~1)*)$",
            }},
            "additionalProperties": false,
        }},
        "additionalProperties": false,
    })
}
