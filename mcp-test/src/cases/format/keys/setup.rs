//! Reads what a case needs around it: `_before`, `_after`, `_given`, `_inputs`.

use std::collections::{BTreeMap, HashMap};

use mcp_test_core::json;
use mcp_test_core::process::Command;
use mcp_test_core::yaml::{Kind, Member, Node, Span};
use serde_json::{Value, json};

use super::extensions::{Extensions, each};
use super::run_options;
use super::schemas::{NAME, one_or_many, text, time};
use crate::cases::format::context::ReadContext;
use crate::cases::format::extension::{Hook, Input, Ready, State};
use crate::cases::format::lints;
use crate::cases::format::values::is_name;

pub(super) fn before(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    found.settings.before.extend(hooks(cx, "_before", node));
}

pub(super) fn after(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    found.settings.after.extend(hooks(cx, "_after", node));
}

fn hooks(cx: &mut ReadContext<'_>, what: &str, node: &Node) -> Vec<Hook> {
    each(node).iter().filter_map(|item| hook(cx, what, item)).collect()
}

const HOOK: [&str; 7] = ["run", "command", "arguments", "ready", "cwd", "env", "timeout"];

fn hook(cx: &mut ReadContext<'_>, what: &str, node: &Node) -> Option<Hook> {
    let Kind::Mapping(members) = &node.kind else {
        cx.string(what, "a command, a mapping with `run`, or a list of these", node)?;
        return command(cx, what, node);
    };
    let members = cx.members(what, members, &HOOK);
    let member = |wanted| members.iter().find(|(name, _)| *name == wanted).map(|(_, node)| *node);
    let arguments = member("arguments");
    let mut hook = match (member("run"), member("command")) {
        (None, None) => {
            report_missing(cx, node, &format!("`{what}` must have `run` or `command`"), "run");
            return None;
        }
        (None, Some(program)) => program_with_arguments(cx, program, arguments)?,
        (Some(run), None) if arguments.is_none() => command(cx, "run", run)?,
        (Some(run), _) => {
            let message = format!("`{what}` has `run`, and also `command` or `arguments`");
            let diagnostic = cx.diagnostic(&lints::WRONG_VALUE, run.span, message);
            let help = "write the program and its arguments either in `run`, or in `command` and `arguments`";
            cx.report(diagnostic.label("this is the whole command").help(help.to_owned()));
            return None;
        }
    };
    hook.span = node.span;
    for (name, value) in members {
        match name {
            "ready" => hook.ready = ready(cx, value),
            "cwd" => hook.cwd = cx.text("cwd", value).map(str::to_owned),
            "env" => environment(cx, value, &mut hook),
            "timeout" => hook.timeout = run_options::time(cx, "timeout", value),
            _ => {}
        }
    }
    Some(hook)
}

fn report_missing(cx: &mut ReadContext<'_>, node: &Node, message: &str, member: &str) {
    let diagnostic = cx.diagnostic(&lints::WRONG_VALUE, node.span, message);
    cx.report(diagnostic.label(format!("`{member}` is missing")));
}

/// Reads `command`, which is a program, and `arguments`, as in the description of MCP Cases.
fn program_with_arguments(
    cx: &mut ReadContext<'_>,
    program: &Node,
    arguments: Option<&Node>,
) -> Option<Hook> {
    let name = cx.text("command", program)?;
    if is_argument(cx, "command", program, name) {
        return None;
    }
    // Of a program with blanks in its name and a command line, the latter is more likely, but only `run` is split into words.
    if arguments.is_none() && name.contains(char::is_whitespace) {
        let diagnostic =
            cx.diagnostic(&lints::WRONG_VALUE, program.span, "`command` must be only the program");
        let help = "write the arguments in `arguments`, or the whole command in `run`".to_owned();
        cx.report(diagnostic.label("this contains a blank").help(help));
        return None;
    }
    let mut hook = new_hook(program.span);
    hook.run.push(name.to_owned());
    match arguments.map(|arguments| (arguments, &arguments.kind)) {
        None => {}
        Some((_, Kind::List(words))) => add_words(cx, "arguments", words, &mut hook),
        Some((arguments, _)) => {
            cx.report_wrong_value("arguments", "a list of strings", arguments);
            return None;
        }
    }
    Some(hook)
}

fn new_hook(span: Span) -> Hook {
    Hook { run: Vec::new(), cwd: None, env: BTreeMap::new(), ready: None, timeout: None, span }
}

/// Adds words to a command.
fn add_words(cx: &mut ReadContext<'_>, what: &str, words: &[Node], hook: &mut Hook) {
    for word in words {
        // An argument may be empty, a program may not.
        match scalar(word) {
            Some(word) => hook.run.push(word),
            None => cx.report_wrong_value(what, "a list of strings", word),
        }
    }
}

/// Whether a text is an argument where a program belongs, which is reported.
fn is_argument(cx: &mut ReadContext<'_>, what: &str, node: &Node, text: &str) -> bool {
    if !text.starts_with('-') {
        return false;
    }
    let message = format!("`{what}` is not a command: a program cannot begin with `-`");
    let diagnostic = cx.diagnostic(&lints::WRONG_VALUE, node.span, message);
    let help = "write the arguments of a single command in `run`: `{run: [ls, -l]}`";
    cx.report(diagnostic.label("this is an argument").help(help.to_owned()));
    true
}

/// Reads a command: one string, or a list of program and arguments.
fn command(cx: &mut ReadContext<'_>, what: &str, node: &Node) -> Option<Hook> {
    let mut hook = new_hook(node.span);
    if let Kind::List(words) = &node.kind {
        add_words(cx, what, words, &mut hook);
        if hook.run.first().is_none_or(String::is_empty) {
            cx.report_wrong_value(what, "a list that begins with a program", node);
            return None;
        }
        return Some(hook);
    }
    let text = cx.text(what, node)?;
    // A list of arguments directly below `_before` is read as a list of commands.
    if is_argument(cx, what, node, text) {
        return None;
    }
    // As in a shell, the line may begin with variables: `PORT=3000 node server.js`.
    match text.parse::<Command>() {
        Ok(command) => {
            hook.run = [command.program].into_iter().chain(command.args).collect();
            hook.env = command.env.into_iter().collect();
            Some(hook)
        }
        Err(error) => {
            let message = format!("`{what}` is not a valid command: {error}");
            cx.report(cx.diagnostic(&lints::WRONG_VALUE, node.span, message));
            None
        }
    }
}

fn environment(cx: &mut ReadContext<'_>, node: &Node, hook: &mut Hook) {
    let Kind::Mapping(members) = &node.kind else {
        cx.report_wrong_value("env", "a mapping of names to strings", node);
        return;
    };
    for Member { key, value } in members {
        match scalar(value) {
            Some(value) => drop(hook.env.insert(key.name(), value)),
            None => cx.report_wrong_value(&key.name(), "a string", value),
        }
    }
}

/// A scalar as an argument: a string, or a number or boolean as JSON.
fn scalar(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::String(text) => Some(text.clone()),
        Kind::Number(_) | Kind::Bool(_) => Some(node.name()),
        Kind::Null | Kind::List(_) | Kind::Mapping(_) => None,
    }
}

fn ready(cx: &mut ReadContext<'_>, node: &Node) -> Option<Ready> {
    let Kind::Mapping(members) = &node.kind else {
        let expected = "a string in its output, or a mapping with `line` or `port`";
        cx.string("ready", expected, node)?;
        return cx.text("ready", node).map(|line| Ready::Line(line.to_owned()));
    };
    match cx.members("ready", members, &["line", "port"]).as_slice() {
        [("line", line)] => cx.text("line", line).map(|line| Ready::Line(line.to_owned())),
        [(_, port)] => address(cx, port),
        _ => {
            cx.report_wrong_value("ready", "either a `line` or a `port`", node);
            None
        }
    }
}

fn address(cx: &mut ReadContext<'_>, node: &Node) -> Option<Ready> {
    let text = scalar(node).unwrap_or_default();
    // The address, not `localhost`: that may mean IPv6 first, where the server need not listen.
    let text = match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("127.0.0.1:{text}"),
        false => text,
    };
    // From the right, because an IPv6 address has colons itself. Port 0 means any port, so that nothing listens there.
    let is_address = text.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    if !is_address {
        cx.report_wrong_value("port", "a port, or an address like `127.0.0.1:3000`", node);
        return None;
    }
    Some(Ready::Port(text))
}

pub(super) fn hooks_schema() -> Value {
    let word = json!({"type": ["string", "number", "boolean"]});
    // Draft 7: `items` as a list, and `additionalItems`, describe a first item that differs from the others.
    let program = json!({"type": ["string", "number", "boolean"], "minLength": 1});
    let line = json!({"type": "string", "pattern": "\\S", "not": {"pattern": "^-"}});
    let run = json!({
        "description": "The command: one string, or a list of program and arguments. No shell is involved.",
        "anyOf": [line, {"type": "array", "items": [program], "additionalItems": word, "minItems": 1}],
    });
    let command = |pattern: &str| {
        json!({
            "description": "The program.",
            "type": "string",
            "pattern": pattern,
            "not": {"pattern": "^-"},
        })
    };
    let arguments = json!({"description": "Its arguments.", "type": "array", "items": word});
    one_or_many(&json!({"anyOf": [
        line,
        hook_schema(&[("run", run)]),
        hook_schema(&[("command", command("^\\S+$"))]),
        hook_schema(&[("command", command("\\S")), ("arguments", arguments)]),
    ]}))
}

/// The schema of a hook whose command has these members.
fn hook_schema(command: &[(&str, Value)]) -> Value {
    let mut timeout = time();
    timeout["description"] = "The time limit for becoming ready.".into();
    let mut properties = json!({
        "ready": ready_schema(),
        "cwd": {"description": "Its working directory, relative to that of the file.", "type": "string", "pattern": "\\S"},
        "env": {
            "description": "Environment variables.",
            "type": "object",
            "additionalProperties": {"type": ["string", "number", "boolean"]},
        },
        "timeout": timeout,
    });
    for (name, schema) in command {
        properties[*name] = schema.clone();
    }
    let required: Vec<&str> = command.iter().map(|(name, _)| *name).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn ready_schema() -> Value {
    json!({
        "description": "When it is ready: a string in its output, or a port that accepts connections. Without this it must \
                        exit with 0 or, before a case, open the port of the server or that in its arguments.",
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
    })
}

pub(super) fn given(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    for item in each(node) {
        found.settings.given.extend(state(cx, item));
    }
}

fn state(cx: &mut ReadContext<'_>, node: &Node) -> Option<State> {
    let none = || json::Value::Object(json::Object::new());
    let Kind::Mapping(members) = &node.kind else {
        cx.string("_given", "a state, a mapping with `state`, or a list of these", node)?;
        let name = cx.text("_given", node)?.trim().to_owned();
        return Some(State { name, params: none(), span: node.span });
    };
    let (mut name, mut params) = (None, none());
    let members = cx.members("_given", members, &["state", "params"]);
    // Not returned at once: the other members may be wrong, too.
    if !members.iter().any(|(name, _)| *name == "state") {
        report_missing(cx, node, "`_given` must have a `state`", "state");
    }
    for (member, value) in members {
        match (member, &value.kind) {
            ("state", _) => name = cx.text("state", value).map(|name| name.trim().to_owned()),
            (_, Kind::Mapping(_)) => params = value.to_value(),
            _ => cx.report_wrong_value("params", "a mapping", value),
        }
    }
    Some(State { name: name?, params, span: node.span })
}

pub(super) fn given_schema() -> Value {
    let state = json!({
        "type": "object",
        "properties": {
            "state": {"description": "Its name.", "type": "string", "pattern": "\\S"},
            "params": {"description": "Its parameters.", "type": "object"},
        },
        "required": ["state"],
        "additionalProperties": false,
    });
    one_or_many(&json!({"anyOf": [text(), state]}))
}

const INPUT: [&str; 4] = ["name", "about", "default", "secret"];

pub(super) fn inputs(cx: &mut ReadContext<'_>, node: &Node, found: &mut Extensions) {
    let mut before: HashMap<String, Span> = HashMap::new();
    for item in each(node) {
        let Some(input) = input(cx, item) else { continue };
        if let Some(first) = before.get(&input.name) {
            let message = format!("the input `{}` is declared twice", input.name);
            let diagnostic = cx
                .diagnostic(&lints::DUPLICATE_KEY, input.span, message)
                .label("declared again here")
                .also(*first, "first declared here");
            cx.report(diagnostic);
            continue;
        }
        before.insert(input.name.clone(), input.span);
        found.settings.inputs.push(input);
    }
}

fn input(cx: &mut ReadContext<'_>, node: &Node) -> Option<Input> {
    let Kind::Mapping(members) = &node.kind else {
        cx.string("_inputs", "a name, a mapping with `name`, or a list of these", node)?;
        let name = name(cx, "_inputs", node)?;
        return Some(Input { name, about: None, default: None, secret: false, span: node.span });
    };
    let members = cx.members("_inputs", members, &INPUT);
    let Some((_, named)) = members.iter().find(|(member, _)| *member == "name") else {
        report_missing(cx, node, "an input must have a `name`", "name");
        return None;
    };
    let name = name(cx, "name", named)?;
    let mut input = Input { name, about: None, default: None, secret: false, span: node.span };
    for (member, value) in members {
        match member {
            "about" => input.about = cx.text("about", value).map(str::to_owned),
            "default" => input.default = Some(value.to_value()),
            // An invalid flag is reported; until it is corrected, the value is hidden to be safe.
            "secret" => input.secret = cx.flag("secret", value).unwrap_or(true),
            _ => {}
        }
    }
    Some(input)
}

/// Reads a name for `${…}`.
pub(super) fn name(cx: &mut ReadContext<'_>, what: &str, node: &Node) -> Option<String> {
    let name = cx.text(what, node)?;
    if !is_name(name) {
        let message = format!("`{name}` is not a valid name for `${{{name}}}`");
        let diagnostic = cx.diagnostic(&lints::WRONG_VALUE, node.span, message).label(
            "a name consists of letters, digits, `_`, `-` and `.`, and begins with a letter or `_`",
        );
        cx.report(diagnostic);
        return None;
    }
    Some(name.to_owned())
}

pub(super) fn inputs_schema() -> Value {
    let name =
        json!({"description": "The name for use as `${name}`.", "type": "string", "pattern": NAME});
    let input = json!({
        "type": "object",
        "properties": {
            "name": name,
            "about": {"description": "Its description.", "type": "string", "pattern": "\\S"},
            "default": {"description": "The value if none is supplied."},
            "secret": {"description": "Whether it is hidden in output.", "type": "boolean"},
        },
        "required": ["name"],
        "additionalProperties": false,
    });
    let input = json!({"anyOf": [name, input]});
    json!({"anyOf": [input, {"type": "array", "items": input, "uniqueItems": true}]})
}
