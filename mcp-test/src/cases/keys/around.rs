//! What is around a case: `_before`, `_after`, `_given`, `_inputs`.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::{Extensions, NAME, each, one_or_many, text, time, when};
use crate::cases::lint;
use crate::cases::reading::Reading;
use crate::cases::{Hook, Input, Ready, State, is_name};
use crate::json;
use crate::process::Command;
use crate::yaml::{Kind, Member, Node, Span};

pub(super) fn before(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    found.settings.before.extend(hooks(reading, "_before", node));
}

pub(super) fn after(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    found.settings.after.extend(hooks(reading, "_after", node));
}

fn hooks(reading: &mut Reading<'_>, what: &str, node: &Node) -> Vec<Hook> {
    each(node).iter().filter_map(|item| hook(reading, what, item)).collect()
}

const HOOK: [&str; 5] = ["run", "ready", "cwd", "env", "timeout"];

fn hook(reading: &mut Reading<'_>, what: &str, node: &Node) -> Option<Hook> {
    let Kind::Mapping(members) = &node.kind else {
        if node.as_str().is_none() {
            reading.wrong(what, "a command, a mapping with `run`, or a list of these", node);
            return None;
        }
        return command(reading, what, node);
    };
    let members = reading.members(what, members, &HOOK);
    let Some((_, run)) = members.iter().find(|(name, _)| *name == "run") else {
        let message = format!("`{what}` has to say what to `run`");
        let complaint = reading.complaint(&lint::WRONG_VALUE, node.span, message);
        reading.tell(complaint.label("`run` is missing"));
        return None;
    };
    let mut hook = command(reading, "run", run)?;
    hook.span = node.span;
    for (name, value) in members {
        match name {
            "ready" => hook.ready = ready(reading, value),
            "cwd" => hook.cwd = reading.text("cwd", value).map(str::to_owned),
            "env" => environment(reading, value, &mut hook),
            "timeout" => hook.timeout = when::time(reading, "timeout", value),
            _ => {}
        }
    }
    Some(hook)
}

/// A command as one text, or as its words.
fn command(reading: &mut Reading<'_>, what: &str, node: &Node) -> Option<Hook> {
    let mut hook = Hook {
        run: Vec::new(),
        cwd: None,
        env: BTreeMap::new(),
        ready: None,
        timeout: None,
        span: node.span,
    };
    if let Kind::List(words) = &node.kind {
        for word in words {
            // An argument may well be empty.
            match scalar(word) {
                Some(word) => hook.run.push(word),
                None => reading.wrong(what, "a command, or a list of its words", word),
            }
        }
        if hook.run.first().is_none_or(String::is_empty) {
            reading.wrong(what, "a list of words that begins with a program", node);
            return None;
        }
        return Some(hook);
    }
    let text = reading.text(what, node)?;
    if text.starts_with('-') {
        let message = format!("`{what}` is no command: no program begins with `-`");
        let complaint = reading.complaint(&lint::WRONG_VALUE, node.span, message);
        let help = "the words of a single command stand in `run`: `{run: [ls, -l]}`";
        let label = "this is a word that follows a program";
        reading.tell(complaint.label(label).help(help.to_owned()));
        return None;
    }
    match text.parse::<Command>() {
        Ok(command) => {
            hook.run = [command.program].into_iter().chain(command.args).collect();
            hook.env = command.env.into_iter().collect();
            Some(hook)
        }
        Err(error) => {
            let message = format!("`{what}` is no command: {error}");
            let complaint = reading.complaint(&lint::WRONG_VALUE, node.span, message);
            reading.tell(complaint);
            None
        }
    }
}

fn environment(reading: &mut Reading<'_>, node: &Node, hook: &mut Hook) {
    let Kind::Mapping(members) = &node.kind else {
        reading.wrong("env", "a mapping of names to texts", node);
        return;
    };
    for Member { key, value } in members {
        match scalar(value) {
            Some(value) => drop(hook.env.insert(key.name(), value)),
            None => reading.wrong(&key.name(), "a text", value),
        }
    }
}

/// What stands for one word: a text, or a number or truth value as JSON has it.
fn scalar(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::String(text) => Some(text.clone()),
        Kind::Number(_) | Kind::Bool(_) => Some(node.name()),
        Kind::Null | Kind::List(_) | Kind::Mapping(_) => None,
    }
}

fn ready(reading: &mut Reading<'_>, node: &Node) -> Option<Ready> {
    let Kind::Mapping(members) = &node.kind else {
        if node.as_str().is_none() {
            reading.wrong(
                "ready",
                "a text of its output, or a mapping with `line` or `port`",
                node,
            );
            return None;
        }
        return reading.text("ready", node).map(|line| Ready::Line(line.to_owned()));
    };
    match reading.members("ready", members, &["line", "port"]).as_slice() {
        [("line", line)] => reading.text("line", line).map(|line| Ready::Line(line.to_owned())),
        [(_, port)] => address(reading, port),
        _ => {
            reading.wrong("ready", "either a `line` or a `port`", node);
            None
        }
    }
}

fn address(reading: &mut Reading<'_>, node: &Node) -> Option<Ready> {
    let text = scalar(node).unwrap_or_default();
    let text = match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("127.0.0.1:{text}"),
        false => text,
    };
    let is_address = text.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    if !is_address {
        reading.wrong("port", "a port, or an address like `127.0.0.1:3000`", node);
        return None;
    }
    Some(Ready::Port(text))
}

pub(super) fn hooks_schema() -> Value {
    let word = json!({"type": ["string", "number", "boolean"]});
    let program = json!({"type": ["string", "number", "boolean"], "minLength": 1});
    let line = json!({"type": "string", "pattern": "\\S", "not": {"pattern": "^-"}});
    let run = json!({
        "description": "The command: one text, or its words. No shell reads it.",
        "anyOf": [line, {"type": "array", "items": [program], "additionalItems": word, "minItems": 1}],
    });
    let ready = json!({
        "description": "When it is ready: a text in its output, or a port that accepts connections. Without this it has \
                        to exit with 0.",
        "anyOf": [
            text(),
            {"type": "object", "properties": {"line": text()}, "required": ["line"], "additionalProperties": false},
            {
                "type": "object",
                "properties": {"port": {"anyOf": [
                    {"type": "integer", "minimum": 1, "maximum": 65535},
                    {"type": "string", "pattern": "^([0-9]+|.+:[0-9]+)$"},
                ]}},
                "required": ["port"],
                "additionalProperties": false,
            },
        ],
    });
    let mut timeout = time();
    timeout["description"] = "How long it may take until it is ready.".into();
    let hook = json!({
        "type": "object",
        "properties": {
            "run": run,
            "ready": ready,
            "cwd": {"description": "Its working directory, seen from that of the file.", "type": "string", "pattern": "\\S"},
            "env": {
                "description": "Variables of its environment.",
                "type": "object",
                "additionalProperties": {"type": ["string", "number", "boolean"]},
            },
            "timeout": timeout,
        },
        "required": ["run"],
        "additionalProperties": false,
    });
    one_or_many(&json!({"anyOf": [line, hook]}))
}

pub(super) fn given(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    for item in each(node) {
        found.settings.given.extend(state(reading, item));
    }
}

fn state(reading: &mut Reading<'_>, node: &Node) -> Option<State> {
    let none = || json::Value::Object(json::Object::new());
    let Kind::Mapping(members) = &node.kind else {
        if node.as_str().is_none() {
            reading.wrong("_given", "a state, a mapping with `state`, or a list of these", node);
            return None;
        }
        let name = reading.text("_given", node)?.trim().to_owned();
        return Some(State { name, params: none(), span: node.span });
    };
    let (mut name, mut params) = (None, none());
    let members = reading.members("_given", members, &["state", "params"]);
    if !members.iter().any(|(name, _)| *name == "state") {
        let complaint =
            reading.complaint(&lint::WRONG_VALUE, node.span, "`_given` has to name a `state`");
        reading.tell(complaint.label("`state` is missing"));
    }
    for (member, value) in members {
        match (member, &value.kind) {
            ("state", _) => name = reading.text("state", value).map(|name| name.trim().to_owned()),
            (_, Kind::Mapping(_)) => params = value.to_value(),
            _ => reading.wrong("params", "a mapping", value),
        }
    }
    Some(State { name: name?, params, span: node.span })
}

pub(super) fn given_schema() -> Value {
    let state = json!({
        "type": "object",
        "properties": {
            "state": {"description": "Its name.", "type": "string", "pattern": "\\S"},
            "params": {"description": "What belongs to it.", "type": "object"},
        },
        "required": ["state"],
        "additionalProperties": false,
    });
    one_or_many(&json!({"anyOf": [text(), state]}))
}

const INPUT: [&str; 4] = ["name", "about", "default", "secret"];

pub(super) fn inputs(reading: &mut Reading<'_>, node: &Node, found: &mut Extensions) {
    let mut before: HashMap<String, Span> = HashMap::new();
    for item in each(node) {
        let Some(input) = input(reading, item) else { continue };
        if let Some(first) = before.get(&input.name) {
            let message = format!("the input `{}` is declared twice", input.name);
            let complaint = reading
                .complaint(&lint::DUPLICATE_KEY, input.span, message)
                .label("again here")
                .also(*first, "first here");
            reading.tell(complaint);
            continue;
        }
        before.insert(input.name.clone(), input.span);
        found.settings.inputs.push(input);
    }
}

fn input(reading: &mut Reading<'_>, node: &Node) -> Option<Input> {
    let Kind::Mapping(members) = &node.kind else {
        if node.as_str().is_none() {
            reading.wrong("_inputs", "a name, a mapping with `name`, or a list of these", node);
            return None;
        }
        let name = name(reading, "_inputs", node)?;
        return Some(Input { name, about: None, default: None, secret: false, span: node.span });
    };
    let members = reading.members("_inputs", members, &INPUT);
    let Some((_, named)) = members.iter().find(|(member, _)| *member == "name") else {
        let complaint =
            reading.complaint(&lint::WRONG_VALUE, node.span, "an input has to have a `name`");
        reading.tell(complaint.label("`name` is missing"));
        return None;
    };
    let name = name(reading, "name", named)?;
    let mut input = Input { name, about: None, default: None, secret: false, span: node.span };
    for (member, value) in members {
        match member {
            "about" => input.about = reading.text("about", value).map(str::to_owned),
            "default" => input.default = Some(value.to_value()),
            "secret" => input.secret = reading.flag("secret", value).unwrap_or(true),
            _ => {}
        }
    }
    Some(input)
}

/// A name for `${…}`.
pub(super) fn name(reading: &mut Reading<'_>, what: &str, node: &Node) -> Option<String> {
    let name = reading.text(what, node)?;
    if !is_name(name) {
        let message = format!("`{name}` cannot be used as `${{{name}}}`");
        let complaint = reading
            .complaint(&lint::WRONG_VALUE, node.span, message)
            .label("a name has letters, digits, `_`, `-` and `.`, and begins with a letter or `_`");
        reading.tell(complaint);
        return None;
    }
    Some(name.to_owned())
}

pub(super) fn inputs_schema() -> Value {
    let name =
        json!({"description": "What it is used as: `${name}`.", "type": "string", "pattern": NAME});
    let input = json!({
        "type": "object",
        "properties": {
            "name": name,
            "about": {"description": "What it is for.", "type": "string", "pattern": "\\S"},
            "default": {"description": "What it is if nothing is given."},
            "secret": {"description": "Whether it must not be shown.", "type": "boolean"},
        },
        "required": ["name"],
        "additionalProperties": false,
    });
    let input = json!({"anyOf": [name, input]});
    json!({"anyOf": [input, {"type": "array", "items": input, "uniqueItems": true}]})
}
