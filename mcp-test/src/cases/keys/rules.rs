//! What is asked of single messages: `_match`, `_capture`.

use serde_json::{Value, json};

use super::{Extensions, NAME, around};
use crate::cases::reading::{Reading, did_you_mean, quoted};
use crate::cases::{Capture, JsonType, Matcher, Mode, Rule};
use crate::cases::{compare, lint};
use crate::expect::words;
use crate::json::Pointer;
use crate::yaml::{Kind, Member, Node};

const MODES: [(&str, Mode); 2] = [("exact", Mode::Exact), ("contains", Mode::Contains)];
const WORDS: [(&str, Matcher); 5] = [
    ("any", Matcher::Any),
    ("ignored", Matcher::Ignored),
    ("exact", Matcher::Exact),
    ("contains", Matcher::Contains),
    ("unordered", Matcher::Unordered),
];
const MEMBERS: [&str; 5] = ["type", "regex", "one-of", "approximate", "within"];
const TYPES: [(&str, JsonType); 7] = [
    ("string", JsonType::String),
    ("number", JsonType::Number),
    ("integer", JsonType::Integer),
    ("boolean", JsonType::Boolean),
    ("object", JsonType::Object),
    ("array", JsonType::Array),
    ("null", JsonType::Null),
];

pub(super) fn matches(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    let Kind::Mapping(members) = &node.kind else {
        let complaint = reading.unfit("_match", "a mapping by the keys of messages", node);
        let help = format!("to say it of one message: `_match: {{out: {}}}`", shown(node));
        reading.tell(complaint.help(node.as_str().is_some().then_some(help)));
        return;
    };
    for Member { key, value } in members {
        let rule = rule(reading, value);
        found.rules.push((key.name(), key.span, rule));
    }
}

fn rule(reading: &mut Reading<'_>, node: &Node) -> Rule {
    let mut rule = Rule::default();
    match &node.kind {
        Kind::String(_) => rule.mode = mode(reading, node),
        Kind::Mapping(members) => {
            for Member { key, value } in members {
                match key.name().as_str() {
                    "mode" => rule.mode = mode(reading, value),
                    name => {
                        let pointer = pointer(reading, name, key, Some("mode"));
                        let Some(pointer) = pointer else { continue };
                        let matcher = matcher(reading, value);
                        rule.matchers.extend(matcher.map(|matcher| (pointer, matcher, key.span)));
                    }
                }
            }
        }
        _ => reading.wrong("_match", "`exact`, `contains` or a mapping of matchers", node),
    }
    rule
}

fn mode(reading: &mut Reading<'_>, node: &Node) -> Mode {
    let Some(text) = reading.text("mode", node) else { return Mode::default() };
    let known = MODES.iter().find(|(word, _)| *word == text);
    let Some((_, mode)) = known else {
        let names = MODES.map(|(word, _)| word);
        let complaint = reading
            .complaint(
                &lint::WRONG_VALUE,
                node.span,
                format!("`{text}` is no way to compare a message"),
            )
            .label(format!("known are {}", quoted(&names)))
            .help(did_you_mean(text, names));
        reading.tell(complaint);
        return Mode::default();
    };
    *mode
}

/// A JSON Pointer; `word` is what could stand there, too.
fn pointer(
    reading: &mut Reading<'_>,
    text: &str,
    node: &Node,
    word: Option<&'static str>,
) -> Option<Pointer> {
    if let Some(pointer) = Pointer::parse(text) {
        return Some(pointer);
    }
    let help = word.and_then(|word| did_you_mean(text, [word])).unwrap_or_else(|| {
        let text = text.trim_start_matches('#').trim_start_matches("$.");
        match text.starts_with('/') {
            true if text.contains('~') => "a `~` in a name is written `~0`".to_owned(),
            true => format!("did you mean `{text}`?"),
            false => format!("did you mean `/{}`?", text.replace('.', "/")),
        }
    });
    let complaint = reading
        .complaint(&lint::WRONG_VALUE, node.span, format!("`{text}` is no JSON Pointer"))
        .label("a pointer begins with `/`")
        .help(help);
    reading.tell(match text.starts_with('/') {
        true => complaint.label("in a pointer `~` is followed by `0` or `1`"),
        false => complaint,
    });
    None
}

fn matcher(reading: &mut Reading<'_>, node: &Node) -> Option<Matcher> {
    match &node.kind {
        Kind::String(text) => {
            let known = WORDS.iter().find(|(word, _)| word == text);
            if known.is_none() {
                unknown(reading, text, node);
            }
            known.map(|(_, matcher)| matcher.clone())
        }
        Kind::Mapping(members) => {
            let found = reading.members("_match", members, &MEMBERS);
            if found.is_empty() && !members.is_empty() {
                return None;
            }
            match found.as_slice() {
                [("type", node)] => json_type(reading, node).map(Matcher::Type),
                [("regex", node)] => regex(reading, node).map(Matcher::Regex),
                [("one-of", node)] => one_of(reading, node),
                [("approximate", number), ("within", within)]
                | [("within", within), ("approximate", number)] => {
                    let number = self::number(reading, "approximate", number, f64::MIN)?;
                    let within = self::number(reading, "within", within, 0.0)?;
                    Some(Matcher::Approximate { number, within })
                }
                [("approximate", number)] => {
                    let message = "`approximate` has to say how far the number may be away";
                    let complaint = reading.complaint(&lint::WRONG_VALUE, node.span, message);
                    let help = format!("write `{{approximate: {}, within: 0.01}}`", shown(number));
                    reading.tell(complaint.label("`within` is missing").help(help));
                    None
                }
                _ => {
                    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
                    let label = match names.is_empty() {
                        true => "here is nothing".to_owned(),
                        false => format!("here are {}", quoted(&names)),
                    };
                    let message =
                        "a matcher has one of `type`, `regex`, `one-of` and `approximate`";
                    let complaint = reading.complaint(&lint::WRONG_VALUE, node.span, message);
                    reading.tell(complaint.label(label));
                    None
                }
            }
        }
        _ => {
            reading.wrong("_match", "a word like `any`, or a mapping", node);
            None
        }
    }
}

fn unknown(reading: &mut Reading<'_>, text: &str, node: &Node) {
    let help = match text {
        _ if TYPES.iter().any(|(word, _)| *word == text) => {
            format!("did you mean `{{type: {text}}}`?")
        }
        "type" | "regex" | "one-of" | "approximate" => {
            format!("it needs more than its name: `{{{text}: …}}`")
        }
        _ if text.starts_with(['^', '/']) => format!("did you mean `{{regex: {}}}`?", shown(node)),
        _ => match words::closest(text, WORDS.map(|(word, _)| word)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("for one value write `{{one-of: [{}]}}`", shown(node)),
        },
    };
    let words = WORDS.map(|(word, _)| word);
    let known =
        format!("known are {}, and mappings with {}", quoted(&words), quoted(&MEMBERS[..4]));
    let complaint = reading
        .complaint(&lint::WRONG_VALUE, node.span, format!("`{text}` is no matcher"))
        .label(known)
        .help(help);
    reading.tell(complaint);
}

fn json_type(reading: &mut Reading<'_>, node: &Node) -> Option<JsonType> {
    // The word for the type is the word for nothing, too.
    if node.kind == Kind::Null {
        return Some(JsonType::Null);
    }
    let text = reading.text("type", node)?;
    let known = TYPES.iter().find(|(word, _)| *word == text);
    if known.is_none() {
        let names = TYPES.map(|(word, _)| word);
        let near = match text {
            "int" => Some("integer"),
            "float" | "double" => Some("number"),
            "bool" => Some("boolean"),
            "list" => Some("array"),
            "map" | "mapping" | "dict" => Some("object"),
            "text" | "str" => Some("string"),
            _ => words::closest(text, names),
        };
        let complaint = reading
            .complaint(&lint::WRONG_VALUE, node.span, format!("`{text}` is no JSON type"))
            .label(format!("known are {}", quoted(&names)))
            .help(near.map(|near| format!("did you mean `{near}`?")));
        reading.tell(complaint);
    }
    known.map(|(_, json_type)| *json_type)
}

fn regex(reading: &mut Reading<'_>, node: &Node) -> Option<String> {
    let Some(text) = node.as_str() else {
        reading.wrong("regex", "a text", node);
        return None;
    };
    if let Err(why) = compare::regex(text) {
        let complaint = reading
            .complaint(&lint::WRONG_VALUE, node.span, "this is no regular expression")
            .label(words::printable(&why));
        reading.tell(complaint);
        return None;
    }
    Some(text.to_owned())
}

fn one_of(reading: &mut Reading<'_>, node: &Node) -> Option<Matcher> {
    match node.as_list() {
        Some(items) if !items.is_empty() => {
            Some(Matcher::OneOf(items.iter().map(Node::to_value).collect()))
        }
        _ => {
            reading.wrong("one-of", "a list of at least one value", node);
            None
        }
    }
}

fn number(reading: &mut Reading<'_>, what: &str, node: &Node, least: f64) -> Option<f64> {
    let number = match &node.kind {
        Kind::Number(number) => number.as_f64().filter(|it| it.is_finite() && *it >= least),
        _ => None,
    };
    if number.is_none() {
        let expected = if least < 0.0 { "a number" } else { "a number that is not below zero" };
        reading.wrong(what, expected, node);
    }
    number
}

/// A value as it could stand in an example.
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
    let types: Vec<Value> =
        TYPES.iter().map(|(word, _)| json!(word)).chain([Value::Null]).collect();
    let matcher = json!({"anyOf": [
        {
            "description": "`any`: it has to be there. `ignored`: it need not be there. `exact`, `contains`: how it is \
                            compared from here on down. `unordered`: the items may come in any order.",
            "enum": WORDS.map(|(word, _)| word),
        },
        one("type", json!({"description": "The JSON type.", "enum": types})),
        one("regex", json!({"description": "A regular expression that is found in the text.", "type": "string"})),
        one("one-of", json!({"description": "The values that it may have.", "type": "array", "minItems": 1})),
        {
            "type": "object",
            "properties": {
                "approximate": {"description": "A number near to it.", "type": "number"},
                "within": {"description": "How far it may be away.", "type": "number", "minimum": 0},
            },
            "required": ["approximate", "within"],
            "additionalProperties": false,
        },
    ]});
    let mode = json!({
        "description": "`exact`: everything that the case has and nothing else. `contains`: there may be more.",
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

pub(super) fn capture(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    let expected = "a mapping by the keys of messages: `{out: {name: /result/…}}`";
    let Kind::Mapping(messages) = &node.kind else {
        reading.wrong("_capture", expected, node);
        return;
    };
    for Member { key, value } in messages {
        let Kind::Mapping(members) = &value.kind else {
            reading.wrong("_capture", expected, value);
            continue;
        };
        let mut captures = Vec::new();
        for Member { key, value } in members {
            let name = around::name(reading, "_capture", key);
            let pointer = reading
                .text("_capture", value)
                .map(str::to_owned)
                .and_then(|text| pointer(reading, &text, value, None));
            let found = name.zip(pointer);
            captures.extend(found.map(|(name, pointer)| Capture {
                name,
                pointer,
                span: value.span,
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
                "description": "A JSON Pointer into the message that really came.",
                "type": "string",
                "pattern": "^(/([^~]|~0|~1)*)$",
            }},
            "additionalProperties": false,
        }},
        "additionalProperties": false,
    })
}
