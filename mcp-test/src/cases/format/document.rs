//! Reads a YAML document as a case.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use mcp_test_core::wire::{Malformed, Message};
use mcp_test_core::yaml::{Comment, Document, Kind, Member, Node, Span};

use super::case::Case;
use super::context::ReadContext;
use super::extension::{Capture, Matcher, Mode, Rule, Settings};
use super::keys::{self, Extensions, KEYS};
use super::lints::{self, Level};
use super::message::{CaseMessage, Direction, read_lenient};
use super::suggest::{did_you_mean, did_you_mean_at, nearest, quoted};

/// The settings of every case that has no keys with `_`, of which a file may have 100,000.
static NO_SETTINGS: LazyLock<Arc<Settings>> = LazyLock::new(Arc::default);

/// Reads a document as a case without an id; `None` if it is empty or not a case.
///
/// The syntax trees of messages become part of the case: a copy of each would double the memory that a file takes.
pub(super) fn case(cx: &mut ReadContext<'_>, number: usize, document: Document) -> Option<Case> {
    let comments = comments(&document);
    let root = document.root;
    let first = root.as_mapping().and_then(<[_]>::first).map_or(root.span, |it| it.key.span);
    let Kind::Mapping(members) = root.kind else {
        if root.kind != Kind::Null {
            not_a_case(cx, &root);
        }
        return None;
    };
    let mut case = Case {
        id: String::new(),
        name: None,
        comments,
        number,
        messages: Vec::new(),
        settings: NO_SETTINGS.clone(),
        unknown: Vec::new(),
        span: first,
    };
    let mut extensions = Extensions::default();
    let mut seen: HashSet<String> = HashSet::new();
    for Member { key, value } in members {
        let Some(name) = key.as_str() else {
            invalid_key(cx, &key);
            continue;
        };
        // The YAML reader has reported a duplicate.
        if seen.insert(name.to_owned()) {
            read_member(cx, &key, value, &mut case, &mut extensions);
        }
    }
    // A message is large, so that room for more of them would cost more than the case.
    case.messages.shrink_to_fit();
    // In a case without a name, the first key is that of a message, which has the comments of the case.
    if let Some(message) = case.messages.first_mut().filter(|it| it.key_span == first) {
        message.comments.clear();
    }
    apply(cx, extensions, &mut case);
    Some(case)
}

/// Reads a member by its key: the name of the case, an extension, or a message.
fn read_member(
    cx: &mut ReadContext<'_>,
    key: &Node,
    value: Node,
    case: &mut Case,
    extensions: &mut Extensions,
) {
    let name = key.as_str().unwrap_or_default();
    match name {
        "case" => {
            case.span = key.span;
            case.name = self::name(cx, &value);
        }
        _ if name.starts_with('_') => match keys::find(name) {
            Some(known) => {
                extensions.are_given = true;
                (known.read)(cx, &value, extensions);
            }
            // Not an error: a file may have keys for other tools, or for a newer version of this one.
            None => {
                unknown_extension(cx, name, key.span);
                case.unknown.push((name.to_owned(), value.to_value(), key.span));
            }
        },
        _ => match Direction::from_key(name) {
            Some(direction) => case.messages.extend(message(cx, direction, key, value)),
            None => unknown_key(cx, name, key.span),
        },
    }
}

/// The comments above the first key.
fn comments(document: &Document) -> Vec<String> {
    let root = &document.root;
    let above = document.comments.iter().chain(&root.comments().above);
    let first = root.as_mapping().and_then(<[_]>::first).map(|member| &member.key.comments().above);
    lines(above.chain(first.into_iter().flatten()))
}

fn lines<'a>(comments: impl IntoIterator<Item = &'a Comment>) -> Vec<String> {
    // Only the blank after `#`: what else precedes the text may be the indentation of Markdown.
    let text =
        |comment: &Comment| comment.text.strip_prefix(' ').unwrap_or(&comment.text).to_owned();
    comments.into_iter().map(text).collect()
}

fn not_a_case(cx: &mut ReadContext<'_>, root: &Node) {
    let help = match &root.kind {
        Kind::List(_) => "separate cases with `---` instead of writing a list",
        _ => "begin with `case: ` and the name of the case",
    };
    let diagnostic = cx
        .diagnostic(&lints::NOT_A_CASE, root.span, "a case must be a mapping")
        .label(format!("this is {}", root.kind.name()))
        .help(help.to_owned());
    cx.report(diagnostic);
}

fn invalid_key(cx: &mut ReadContext<'_>, key: &Node) {
    let message = "a key of a case must be a string";
    let diagnostic = cx.diagnostic(&lints::UNKNOWN_KEY, key.span, message);
    cx.report(diagnostic.label(format!("this is {}", key.kind.name())));
}

fn name(cx: &mut ReadContext<'_>, node: &Node) -> Option<String> {
    let help = match &node.kind {
        Kind::String(_) => return Some(cx.text("case", node)?.trim().to_owned()),
        Kind::Number(_) | Kind::Bool(_) => {
            Some(format!("put it in quotes: `case: \"{}\"`", node.name()))
        }
        // `Adds: two numbers` on the line below `case:` is a mapping in YAML.
        Kind::Mapping(_) => Some("put a name that contains `:` in quotes".to_owned()),
        _ => None,
    };
    cx.report(cx.wrong_value("case", "a string", node).help(help));
    None
}

fn unknown_extension(cx: &mut ReadContext<'_>, name: &str, span: Span) {
    if cx.is_full() {
        return;
    }
    let diagnostic = cx
        .diagnostic(&lints::UNKNOWN_EXTENSION, span, format!("`{name}` is not a known key"))
        .label("it is kept, but ignored")
        .help(did_you_mean(name, KEYS.iter().map(|key| key.name)));
    cx.report(diagnostic);
}

/// The members of messages, which are keys of the case if they are not indented.
const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// Plausible mistakes for keys of a case, and the keys that were probably meant.
// `input` and `output` are keys of messages already; they are here for misspellings such as `ouput`.
const ALTERNATIVES: [(&str, &str); 13] = [
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

fn unknown_key(cx: &mut ReadContext<'_>, name: &str, span: Span) {
    if cx.is_full() {
        return;
    }
    let diagnostic = cx
        .diagnostic(&lints::UNKNOWN_KEY, span, format!("`{name}` is not a key of a case"))
        .label("expected `case`, or a key that begins with `in`, `out` or `_`")
        .help(suggestion(name));
    cx.report(diagnostic);
}

/// Suggests what to write instead of an unknown key.
fn suggestion(name: &str) -> String {
    if MEMBERS.contains(&name) {
        return "indent the members of a message below its `in…` or `out…`".to_owned();
    }
    let did_you_mean = |key: String| format!("did you mean `{key}`?");
    let with_underscore = format!("_{name}");
    let mut extensions = KEYS.iter().map(|key| key.name);
    if extensions.any(|known| known == with_underscore) {
        return did_you_mean(with_underscore);
    }
    // `request_to_add` is compared by its first word only, and the rest is kept: `in_request_to_add`.
    let (head, tail) = name.split_at(name.find(['_', '-', ' ']).unwrap_or(name.len()));
    let words = ALTERNATIVES.iter().map(|(word, _)| *word);
    let near = nearest(head, words);
    match (ALTERNATIVES.iter().find(|(word, _)| Some(*word) == near), tail) {
        (Some((_, "case")), _) => did_you_mean("case".to_owned()),
        (Some((_, meant)), tail) => did_you_mean(format!("{meant}{tail}")),
        (None, _) => match nearest(&with_underscore, KEYS.iter().map(|key| key.name)) {
            Some(known) => did_you_mean(known.to_owned()),
            None => format!("to add a key of your own, write `{with_underscore}`"),
        },
    }
}

fn message(
    cx: &mut ReadContext<'_>,
    direction: Direction,
    key: &Node,
    node: Node,
) -> Option<CaseMessage> {
    let name = key.as_str().unwrap_or_default();
    if !matches!(node.kind, Kind::Mapping(_)) {
        not_a_message(cx, name, &node);
        return None;
    }
    let value = node.to_value();
    let read = Message::read(&value);
    // Kept even if it is not JSON-RPC: a case may test how a server handles an invalid message.
    let mut message = CaseMessage {
        key: name.to_owned(),
        comments: lines(&key.comments().above),
        direction,
        value,
        message: None,
        without_version: None,
        rule: Rule::default(),
        captures: Vec::new(),
        key_span: key.span,
        span: node.span,
        node: Arc::new(node),
    };
    match read {
        Ok(read) => message.message = Some(read),
        Err(malformed) => {
            not_json_rpc(cx, &message, &malformed);
            message.without_version = read_lenient(&message.value).map(Box::new);
        }
    }
    Some(message)
}

fn not_a_message(cx: &mut ReadContext<'_>, name: &str, node: &Node) {
    let help = match &node.kind {
        // Only 2025-03-26 has JSON-RPC batches.
        Kind::List(_) => Some("batches are not supported: give each message its own key"),
        Kind::String(text) if text.trim_start().starts_with('{') => {
            Some("remove the quotes: JSON is valid YAML")
        }
        Kind::Null => Some("indent the lines of the message by two spaces"),
        _ => None,
    };
    let message = format!("`{name}` must be a message (a mapping)");
    let diagnostic = cx.diagnostic(&lints::NOT_A_MESSAGE, node.span, message);
    let diagnostic = diagnostic.label(format!("this is {}", node.kind.name()));
    cx.report(diagnostic.help(help.map(str::to_owned)));
}

fn not_json_rpc(cx: &mut ReadContext<'_>, message: &CaseMessage, malformed: &Malformed) {
    let Malformed { pointer, expected, found, .. } = malformed;
    let (absent, got) = (found.is_none(), malformed.got());
    let what = match pointer.split_last() {
        None => format!("expected {expected}"),
        Some((parent, name)) if absent && parent.is_root() => {
            format!("`{name}` is missing, expected {expected}")
        }
        Some(_) if expected.is_absence() => format!("`{pointer}` must be {expected}"),
        Some(_) => format!("`{pointer}` must be {expected}, got {got}"),
    };
    let mut lint = lints::NOT_JSON_RPC;
    if cx.strict {
        lint.level = Level::Error;
    }
    let label = match () {
        () if absent => "",
        () if pointer.as_str() == "/jsonrpc" => "this is not \"2.0\"",
        () => "here",
    };
    let help = match (pointer.as_str(), found.as_deref()) {
        ("/jsonrpc", None) => Some("write `\"jsonrpc\": \"2.0\"`"),
        // Unquoted, it is a number in YAML.
        ("/jsonrpc", Some("2.0" | "2")) => Some("put it in quotes: `jsonrpc: \"2.0\"`"),
        ("/id", None) => Some("a reply must have the id of its request"),
        ("/error", _) if expected.is_absence() => Some("a reply has either a result or an error"),
        ("", _) => Some(
            "a request has an `id` and a `method`, a notification a `method`, a reply an `id` and a `result` or an `error`",
        ),
        _ => None,
    };
    // A missing value has no range of its own.
    let span =
        if absent || pointer.is_root() { message.key_span } else { message.span_of(pointer) };
    let text = format!("`{}` is not JSON-RPC 2.0: {what}", message.key);
    cx.report(cx.diagnostic(&lint, span, text).label(label).help(help.map(str::to_owned)));
}

/// Applies `_match` and `_capture` to the messages.
fn apply(cx: &mut ReadContext<'_>, extensions: Extensions, case: &mut Case) {
    if extensions.are_given {
        case.settings = Arc::new(extensions.settings);
    }
    let keys = case.messages.iter().map(|message| message.key.clone());
    let indices: HashMap<String, usize> = keys.zip(0..).collect();
    // After all keys are read: `_match` and `_capture` may precede the messages that they name.
    for (key, span, rule) in extensions.rules {
        match indices.get(&key).and_then(|at| case.messages.get_mut(*at)) {
            Some(message) => message.rule = rule,
            None => unknown_message(cx, "_match", &key, span, case),
        }
    }
    for (key, span, captures) in extensions.captures {
        let Some(message) = indices.get(&key).and_then(|at| case.messages.get_mut(*at)) else {
            unknown_message(cx, "_capture", &key, span, case);
            continue;
        };
        // The rule of the message is set already: it decides whether a value can be captured.
        for capture in &captures {
            empty_capture(cx, message, capture);
        }
        message.captures = captures;
    }
}

fn unknown_message(cx: &mut ReadContext<'_>, extension: &str, key: &str, span: Span, case: &Case) {
    if cx.is_full() {
        return;
    }
    let keys: Vec<&str> = case.messages.iter().map(|message| message.key.as_str()).collect();
    let label = match keys.as_slice() {
        [] => "the case has no messages".to_owned(),
        keys => format!("its messages are {}", quoted(keys)),
    };
    let message = format!("`{extension}` names `{key}`, which the case does not have");
    let diagnostic = cx
        .diagnostic(&lints::UNKNOWN_MESSAGE, span, message)
        .label(label)
        .help(did_you_mean(key, keys));
    cx.report(diagnostic);
}

/// Reports a capture of a value that can never exist, because the message is compared exactly.
fn empty_capture(cx: &mut ReadContext<'_>, message: &CaseMessage, capture: &Capture) {
    let pointer = &capture.pointer;
    let may_exist = message.value.at(pointer.as_str()).is_some()
        || message.rule.mode == Mode::Contains
        // What `one-of` allows is fixed, so that it has a value there or never has.
        || message.rule.covers(pointer, |matcher| {
            !matches!(matcher, Matcher::Exact | Matcher::Unordered | Matcher::OneOf(_))
        });
    if may_exist {
        return;
    }
    let text = format!("`{}` has no value at `{pointer}`", message.key);
    let diagnostic = cx
        .diagnostic(&lints::EMPTY_CAPTURE, capture.span, text)
        .label(format!("`{}` would never have a value", capture.name))
        .also(message.span_of(pointer), "the nearest value that exists")
        .help(did_you_mean_at(message, pointer));
    cx.report(diagnostic);
}
