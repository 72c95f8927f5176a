//! From a document to a case: its keys, its messages, what the keys with `_` say of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::keys::{self, Extensions, KEYS};
use super::lint;
use super::reading::{Reading, did_you_mean, nearest, quoted};
use super::{Capture, Case, CaseMessage, Direction, Matcher, Mode};
use crate::json::Pointer;
use crate::wire::{Malformed, Message};
use crate::yaml::{Comment, Document, Kind, Member, Node, Span};

/// Reads a document as a case that has no id yet; `None` if it holds nothing, or nothing that is a case.
pub(super) fn case(reading: &mut Reading<'_>, number: usize, document: &Document) -> Option<Case> {
    let root = &document.root;
    let members = match &root.kind {
        Kind::Null => return None,
        Kind::Mapping(members) => members,
        _ => {
            no_case(reading, root);
            return None;
        }
    };
    let mut case = Case {
        id: String::new(),
        name: None,
        comments: Vec::new(),
        number,
        messages: Vec::new(),
        settings: super::Settings::default(),
        unknown: Vec::new(),
        span: members.first().map_or(root.span, |member| member.key.span),
    };
    let mut extensions = Extensions::default();
    let mut before: HashSet<&str> = HashSet::new();
    for Member { key, value } in members {
        let Some(name) = key.as_str() else {
            no_key(reading, key);
            continue;
        };
        // That it is there twice was told.
        if !before.insert(name) {
            continue;
        }
        match name {
            "case" => {
                case.span = key.span;
                case.name = self::name(reading, value);
            }
            _ if name.starts_with('_') => match keys::find(name) {
                Some(known) => (known.read)(reading, value, &mut extensions),
                None => {
                    unknown_extension(reading, name, key.span);
                    case.unknown.push((name.to_owned(), value.to_value(), key.span));
                }
            },
            _ => match Direction::of_key(name) {
                Some(direction) => {
                    let message = message(reading, direction, name, key, value);
                    case.messages.extend(message);
                }
                None => unknown_key(reading, name, key.span),
            },
        }
    }
    comments(document, members, &mut case);
    apply(reading, extensions, &mut case);
    Some(case)
}

/// The comments above the first key are about the case.
fn comments(document: &Document, members: &[Member], case: &mut Case) {
    let first = members.first().map(|member| &member.key.comments().above);
    let above = document.comments.iter().chain(&document.root.comments().above);
    case.comments = lines(above.chain(first.into_iter().flatten()));
    let first = members.first().map(|member| member.key.span);
    if let Some(message) = case.messages.first_mut().filter(|it| Some(it.key_span) == first) {
        message.comments.clear();
    }
}

fn lines<'a>(comments: impl IntoIterator<Item = &'a Comment>) -> Vec<String> {
    let text =
        |comment: &Comment| comment.text.strip_prefix(' ').unwrap_or(&comment.text).to_owned();
    comments.into_iter().map(text).collect()
}

fn no_case(reading: &mut Reading<'_>, root: &Node) {
    let help = match &root.kind {
        Kind::List(_) => "a file is a stream of cases with `---` between them, not a list",
        _ => "begin with `case: ` and what the case is called",
    };
    let complaint = reading
        .complaint(&lint::NOT_A_CASE, root.span, "a case has to be a mapping")
        .label(format!("this is {}", root.kind.name()))
        .help(help.to_owned());
    reading.tell(complaint);
}

fn no_key(reading: &mut Reading<'_>, key: &Node) {
    let message = "a key of a case has to be a text";
    let complaint = reading.complaint(&lint::UNKNOWN_KEY, key.span, message);
    reading.tell(complaint.label(format!("this is {}", key.kind.name())));
}

fn name(reading: &mut Reading<'_>, node: &Node) -> Option<String> {
    let help = match &node.kind {
        Kind::Number(_) | Kind::Bool(_) => {
            Some(format!("put it in quotes: `case: \"{}\"`", node.name()))
        }
        Kind::Mapping(_) => Some("put a name that has a `:` in it in quotes".to_owned()),
        _ => None,
    };
    match &node.kind {
        Kind::String(_) => Some(reading.text("case", node)?.trim().to_owned()),
        _ => {
            let complaint = reading.unfit("case", "a text", node).help(help);
            reading.tell(complaint);
            None
        }
    }
}

fn unknown_extension(reading: &mut Reading<'_>, name: &str, span: Span) {
    if reading.leaves_out() {
        return;
    }
    let complaint = reading
        .complaint(&lint::UNKNOWN_EXTENSION, span, format!("`{name}` means nothing here"))
        .label("it is kept, and ignored")
        .help(did_you_mean(name, KEYS.iter().map(|key| key.name)));
    reading.tell(complaint);
}

/// The members of messages, which end up at the root if they are not indented.
const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// Words that people write at the root of a case, and what they mean by them.
const MEANT: [(&str, &str); 13] = [
    ("case", "case"),
    ("name", "case"),
    ("title", "case"),
    ("description", "case"),
    ("test", "case"),
    ("in", "in"),
    ("input", "input"),
    ("request", "in_request"),
    ("client", "in"),
    ("out", "out"),
    ("output", "output"),
    ("response", "out_response"),
    ("server", "out"),
];

fn unknown_key(reading: &mut Reading<'_>, name: &str, span: Span) {
    if reading.leaves_out() {
        return;
    }
    let complaint = reading
        .complaint(&lint::UNKNOWN_KEY, span, format!("`{name}` is no key of a case"))
        .label("neither `case`, nor does it begin with `in`, `out` or `_`")
        .help(instead(name));
    reading.tell(complaint);
}

/// What somebody who wrote an unknown key could have meant.
fn instead(name: &str) -> String {
    if MEMBERS.contains(&name) {
        return "the members of a message are indented, below its `in…` or `out…`".to_owned();
    }
    let mean = |key: String| format!("did you mean `{key}`?");
    let with_underscore = format!("_{name}");
    let mut extensions = KEYS.iter().map(|key| key.name);
    if extensions.any(|known| known == with_underscore) {
        return mean(with_underscore);
    }
    let (head, tail) = name.split_at(name.find(['_', '-', ' ']).unwrap_or(name.len()));
    let words = MEANT.iter().map(|(word, _)| *word);
    let near = nearest(head, words);
    match (MEANT.iter().find(|(word, _)| Some(*word) == near), tail) {
        (Some((_, "case")), _) => mean("case".to_owned()),
        (Some((_, meant)), tail) => mean(format!("{meant}{tail}")),
        (None, _) => match nearest(&with_underscore, KEYS.iter().map(|key| key.name)) {
            Some(known) => mean(known.to_owned()),
            None => format!("for a key of your own write `{with_underscore}`"),
        },
    }
}

fn message(
    reading: &mut Reading<'_>,
    direction: Direction,
    name: &str,
    key: &Node,
    node: &Node,
) -> Option<CaseMessage> {
    if !matches!(node.kind, Kind::Mapping(_)) {
        no_message(reading, name, node);
        return None;
    }
    let value = node.to_value();
    let read = Message::read(&value);
    let mut message = CaseMessage {
        key: name.to_owned(),
        comments: lines(&key.comments().above),
        direction,
        value,
        message: None,
        rule: super::Rule::default(),
        captures: Vec::new(),
        key_span: key.span,
        span: node.span,
        node: Arc::new(node.clone()),
    };
    match read {
        Ok(read) => message.message = Some(read),
        Err(malformed) => no_json_rpc(reading, &message, &malformed),
    }
    Some(message)
}

fn no_message(reading: &mut Reading<'_>, name: &str, node: &Node) {
    let help = match &node.kind {
        Kind::List(_) => Some("a case has no batches: give each message a key of its own"),
        Kind::String(text) if text.trim_start().starts_with('{') => {
            Some("without quotes around it the message is read as YAML, of which JSON is a part")
        }
        Kind::Null => Some("the lines of a message are indented by two spaces"),
        _ => None,
    };
    let message = format!("`{name}` has to be a message: a mapping");
    let complaint = reading.complaint(&lint::NOT_A_MESSAGE, node.span, message);
    let complaint = complaint.label(format!("this is {}", node.kind.name()));
    reading.tell(complaint.help(help.map(str::to_owned)));
}

fn no_json_rpc(reading: &mut Reading<'_>, message: &CaseMessage, malformed: &Malformed) {
    let Malformed { pointer, expected, got, .. } = malformed;
    let absent = got == "nothing";
    let what = match pointer.split_last() {
        None => format!("it has to be {expected}"),
        Some((parent, name)) if absent && parent.is_root() => {
            format!("`{name}` is missing, which has to be {expected}")
        }
        Some(_) if expected.starts_with("absent") => {
            format!("`{pointer}` has to be {expected}")
        }
        Some(_) => format!("`{pointer}` has to be {expected}, not {got}"),
    };
    let mut lint = lint::NOT_JSON_RPC;
    if reading.strict {
        lint.level = super::Level::Error;
    }
    let label = match () {
        () if absent => "",
        () if pointer.as_str() == "/jsonrpc" => "this is not \"2.0\"",
        () => "here",
    };
    let help = match (pointer.as_str(), got.as_str()) {
        ("/jsonrpc", "nothing") => Some("write `\"jsonrpc\": \"2.0\"`"),
        ("/jsonrpc", "2.0" | "2") => Some("put it in quotes: `jsonrpc: \"2.0\"`"),
        ("/id", "nothing") => Some("a reply has the id of its request"),
        ("/error", _) if expected.starts_with("absent") => {
            Some("a reply has either a result or an error")
        }
        ("", _) => Some(
            "a request has an `id` and a `method`, a notification a `method`, a reply an `id` and a `result` or an `error`",
        ),
        _ => None,
    };
    let span = if absent || pointer.is_root() { message.key_span } else { message.place(pointer) };
    let text = format!("`{}` is no JSON-RPC 2.0: {what}", message.key);
    let complaint = reading.complaint(&lint, span, text).label(label);
    reading.tell(complaint.help(help.map(str::to_owned)));
}

/// Gives each message what `_match` and `_capture` say of it.
fn apply(reading: &mut Reading<'_>, extensions: Extensions, case: &mut Case) {
    case.settings = extensions.settings;
    let keys = case.messages.iter().map(|message| message.key.clone());
    let places: HashMap<String, usize> = keys.zip(0..).collect();
    for (key, span, rule) in extensions.rules {
        match places.get(&key).and_then(|at| case.messages.get_mut(*at)) {
            Some(message) => message.rule = rule,
            None => unknown_message(reading, "_match", &key, span, case),
        }
    }
    for (key, span, captures) in extensions.captures {
        let Some(message) = places.get(&key).and_then(|at| case.messages.get_mut(*at)) else {
            unknown_message(reading, "_capture", &key, span, case);
            continue;
        };
        for capture in &captures {
            empty_capture(reading, message, capture);
        }
        message.captures = captures;
    }
}

fn unknown_message(reading: &mut Reading<'_>, extension: &str, key: &str, span: Span, case: &Case) {
    if reading.leaves_out() {
        return;
    }
    let keys: Vec<&str> = case.messages.iter().map(|message| message.key.as_str()).collect();
    let label = match keys.as_slice() {
        [] => "the case has no messages".to_owned(),
        keys => format!("its messages are {}", quoted(keys)),
    };
    let message = format!("`{extension}` names `{key}`, which the case does not have");
    let complaint = reading
        .complaint(&lint::UNKNOWN_MESSAGE, span, message)
        .label(label)
        .help(did_you_mean(key, keys));
    reading.tell(complaint);
}

/// A place that is not in a message which has to come as it is, can never be captured.
fn empty_capture(reading: &mut Reading<'_>, message: &CaseMessage, capture: &Capture) {
    let pointer = &capture.pointer;
    let may_be_there = message.value.at(pointer.as_str()).is_some()
        || message.rule.mode == Mode::Contains
        || message.rule.matchers.iter().any(|(at, matcher, _)| {
            !matches!(matcher, Matcher::Exact | Matcher::Unordered | Matcher::OneOf(_))
                && covers(at, pointer)
        });
    if may_be_there {
        return;
    }
    let text = format!("`{}` has nothing at `{pointer}`", message.key);
    let complaint = reading
        .complaint(&lint::EMPTY_CAPTURE, capture.span, text)
        .label(format!("`{}` would never get a value", capture.name))
        .also(message.place(pointer), "this is all that is there")
        .help(spelled_right(message, pointer).map(|near| format!("did you mean `{near}`?")));
    reading.tell(complaint);
}

/// The pointer with the first step that leads nowhere replaced by the nearest that leads on.
pub(super) fn spelled_right(message: &CaseMessage, pointer: &Pointer) -> Option<Pointer> {
    let (node, steps) = message.node.nearest(pointer);
    let names: Vec<String> = node.as_mapping()?.iter().map(|member| member.key.name()).collect();
    let wrong = pointer.tokens().nth(steps)?;
    let right = nearest(&wrong, names.iter().map(String::as_str))?;
    let step =
        |(index, step): (usize, String)| if index == steps { right.to_owned() } else { step };
    Some(pointer.tokens().enumerate().map(step).fold(Pointer::root(), |at, step| at.member(&step)))
}

/// Whether a pointer of a matcher, in which `*` is any step, leads to a place or to what that is part of.
fn covers(matcher: &Pointer, place: &Pointer) -> bool {
    let mut place = place.tokens();
    matcher.tokens().all(|step| place.next().is_some_and(|real| step == "*" || step == real))
}
