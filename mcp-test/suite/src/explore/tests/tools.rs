//! A server of 40 tools, half of which have a bug; and its sound twin.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_test_core::json::Value;
use mcp_test_core::json_schema::{Limits, Validator};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Answer, Call, Server};
use mcp_test_core::spec::error_code;
use mcp_test_core::transport::Target;
use serde_json::json;

/// A tool: its name, the schema of its arguments, that of its structured results, and what it does.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) input: serde_json::Value,
    pub(super) output: Option<serde_json::Value>,
    /// What it answers to arguments that it accepts.
    sound: fn(&Value, &State) -> Answer,
    /// What it does wrong, if it has a bug; `None` where it does nothing wrong.
    bug: Option<fn(&Value, &State) -> Option<Answer>>,
    /// Whether the arguments are not validated, as the bug.
    accepts_all: bool,
    /// Whether the refusal of invalid arguments does not name them, as the bug.
    refuses_without_name: bool,
    /// How many calls at once make it return the result of another one, as the bug.
    mixes_from: Option<usize>,
}

/// What the server remembers.
#[derive(Default)]
pub(super) struct State {
    carts: Mutex<BTreeMap<u64, Vec<String>>>,
    in_flight: AtomicUsize,
    last: Mutex<Option<Value>>,
}

fn text(text: impl Into<String>) -> Answer {
    json!({"content": [{"type": "text", "text": text.into()}]}).into()
}

fn structured(value: &serde_json::Value) -> Answer {
    let text = value.to_string();
    json!({"content": [{"type": "text", "text": text}], "structuredContent": value}).into()
}

fn failed(message: impl Into<String>) -> Answer {
    json!({"content": [{"type": "text", "text": message.into()}], "isError": true}).into()
}

fn internal() -> Answer {
    Answer::error(error_code::INTERNAL_ERROR, "unexpected value")
}

fn string<'a>(arguments: &'a Value, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(arguments: &Value, name: &str) -> f64 {
    arguments.get(name).and_then(Value::as_f64).unwrap_or_default()
}

fn integer(arguments: &Value, name: &str) -> i64 {
    arguments.get(name).and_then(Value::as_i64).unwrap_or_default()
}

fn echo(arguments: &Value, _: &State) -> Answer {
    text(arguments.to_string())
}

#[allow(clippy::needless_pass_by_value, reason = "as `json!` returns it")]
fn tool(name: &'static str, properties: serde_json::Value, required: &[&str]) -> Tool {
    let input = json!({"type": "object", "properties": properties, "required": required});
    Tool {
        name,
        input,
        output: None,
        sound: echo,
        bug: None,
        accepts_all: false,
        refuses_without_name: false,
        mixes_from: None,
    }
}

impl Tool {
    fn bug(self, bug: fn(&Value, &State) -> Option<Answer>) -> Self {
        Self { bug: Some(bug), ..self }
    }

    fn accepting_all(self) -> Self {
        Self { accepts_all: true, ..self }
    }

    fn refusing_without_name(self) -> Self {
        Self { refuses_without_name: true, ..self }
    }

    /// From so many calls at once on, whoever comes last overwrites what the others are about to read.
    fn mixing_from(self, calls: usize) -> Self {
        Self { mixes_from: Some(calls), ..self }
    }

    fn doing(self, sound: fn(&Value, &State) -> Answer) -> Self {
        Self { sound, ..self }
    }

    fn with_output(self, output: serde_json::Value) -> Self {
        Self { output: Some(output), ..self }
    }

    pub(super) fn has_bug(&self) -> bool {
        self.bug.is_some()
            || self.accepts_all
            || self.refuses_without_name
            || self.mixes_from.is_some()
    }
}

/// Exits if a condition holds.
fn exit_if(condition: bool) -> Option<Answer> {
    condition.then(Answer::exit)
}

fn internal_if(condition: bool) -> Option<Answer> {
    condition.then(internal)
}

fn refused_if(condition: bool) -> Option<Answer> {
    condition.then(|| Answer::error(error_code::INVALID_PARAMS, "invalid arguments"))
}

pub(super) fn tools() -> Vec<Tool> {
    let mut tools = with_bugs();
    tools.extend(sound());
    tools
}

fn with_bugs() -> Vec<Tool> {
    let any = || json!({"type": "string"});
    let whole = || json!({"type": "integer"});
    vec![
        tool("upper", json!({"text": any()}), &["text"])
            .bug(|it, _| exit_if(string(it, "text").is_empty())),
        tool("greet", json!({"name": any(), "greeting": any()}), &["name"])
            .bug(|it, _| exit_if(it.get("greeting").is_none())),
        tool("count_characters", json!({"text": any()}), &["text"])
            .bug(|it, _| exit_if(string(it, "text").chars().any(|char| char > '\u{ffff}'))),
        tool("percent", json!({"value": {"type": "integer", "minimum": 0, "maximum": 100}}), &["value"])
            .with_output(json!({"type": "object", "properties": {"ratio": {"type": "number"}}, "required": ["ratio"]}))
            .doing(|it, _| structured(&json!({"ratio": number(it, "value") / 100.0})))
            .bug(|it, _| (integer(it, "value") == 100).then(|| structured(&json!({"ratio": "1"})))),
        tool("describe", json!({"item": any()}), &["item"]).mixing_from(2),
        tool("translate", json!({"text": any(), "to": {"enum": ["en", "de"]}}), &["text"]).mixing_from(12),
        tool("remind", json!({"at": {"type": "integer", "minimum": 0}}), &["at"]).refusing_without_name(),
        tool("cart_create", json!({}), &[]).doing(|_, state| {
            let mut carts = state.carts.lock().expect("a lock");
            let id = carts.len() as u64 + 1;
            carts.insert(id, Vec::new());
            structured(&json!({"cart_id": id}))
        }),
        tool("cart_add", json!({"cart_id": whole(), "item": any()}), &["cart_id", "item"]).doing(|it, state| {
            let id = it.get("cart_id").and_then(Value::as_u64);
            match id.and_then(|id| state.carts.lock().expect("a lock").get_mut(&id).map(|cart| {
                cart.push(string(it, "item").to_owned());
                cart.len()
            })) {
                Some(count) => structured(&json!({"items": count})),
                None => failed("there is no cart with this cart_id"),
            }
        }),
        tool("cart_total", json!({"cart_id": whole()}), &["cart_id"])
            .doing(|it, state| {
                let id = it.get("cart_id").and_then(Value::as_u64);
                match id.and_then(|id| state.carts.lock().expect("a lock").get(&id).map(Vec::len)) {
                    Some(count) => structured(&json!({"total": count})),
                    None => failed("there is no cart with this cart_id"),
                }
            })
            .bug(|it, state| {
                let id = it.get("cart_id").and_then(Value::as_u64)?;
                internal_if(state.carts.lock().expect("a lock").get(&id).is_some_and(|cart| !cart.is_empty()))
            }),
        tool("fibonacci", json!({"n": {"type": "integer", "minimum": 0}}), &["n"])
            .bug(|it, _| (number(it, "n") > 1e6).then(Answer::never)),
        tool("set_limit", json!({"limit": {"type": ["integer", "null"]}}), &["limit"])
            .bug(|it, _| internal_if(it.get("limit").is_some_and(Value::is_null))),
        tool("register", json!({"username": {"type": "string", "minLength": 3, "maxLength": 20}}), &["username"])
            .bug(|it, _| refused_if(string(it, "username").chars().count() == 20)),
        tool("paint", json!({"color": {"enum": ["red", "green", "blue"]}}), &["color"]).accepting_all(),
        tool("divide", json!({"a": {"type": "number"}, "b": {"type": "number"}}), &["a", "b"])
            .bug(|it, _| internal_if(number(it, "b") == 0.0)),
        tool("sum", json!({"values": {"type": "array", "items": {"type": "number"}}}), &["values"])
            .with_output(json!({"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}))
            .doing(|it, _| {
                let values = it.get("values").and_then(Value::as_array).unwrap_or_default();
                let sum: f64 = values.iter().filter_map(Value::as_f64).filter(|it| it.abs() < 1e9).sum();
                structured(&json!({"sum": sum}))
            })
            .bug(|it, _| {
                let values = it.get("values").and_then(Value::as_array).unwrap_or_default();
                values.is_empty().then(|| text("nothing to add"))
            }),
        tool("search", json!({"query": any(), "limit": {"type": "integer", "minimum": 1}}), &["query"])
            .bug(|it, _| refused_if(it.get("limit").is_none())),
        tool("repeat", json!({"text": any(), "times": whole()}), &["text", "times"])
            .bug(|it, _| internal_if(integer(it, "times") < 0)),
        tool("slug", json!({"title": any()}), &["title"])
            .bug(|it, _| internal_if(!string(it, "title").is_ascii())),
        tool("first_word", json!({"text": any()}), &["text"])
            .bug(|it, _| internal_if(string(it, "text").trim().is_empty())),
        tool("tags", json!({"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5}}), &["tags"])
            .bug(|it, _| exit_if(it.get("tags").and_then(Value::as_array).is_some_and(|tags| tags.len() == 5))),
        tool("profile", json!({"user": {"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}}}), &["user"])
            .bug(|it, _| internal_if(it.at("/user/age").is_none())),
        tool("mirror", json!({"value": {"anyOf": [{"type": "string"}, {"type": "boolean"}]}}), &["value"])
            .with_output(json!({"type": "object", "required": ["value"]}))
            .doing(|it, _| structured(&json!({"value": it.get("value").map(Value::to_serde)})))
            .bug(|it, _| {
                let is_false = it.get("value").and_then(Value::as_bool) == Some(false);
                let result = json!({"content": [{"type": "text", "text": "{\"value\":true}"}], "structuredContent": {"value": false}});
                is_false.then(|| result.into())
            }),
        tool("schedule", json!({"day": {"enum": ["mon", "tue", "wed"]}, "hour": {"type": "integer", "minimum": 0, "maximum": 23}}), &["day", "hour"])
            .bug(|it, _| internal_if(integer(it, "hour") == 23 && string(it, "day") == "wed")),
    ]
}

fn sound() -> Vec<Tool> {
    const NAMES: [&str; 16] = [
        "lower", "trim", "reverse", "words", "lines", "hash", "join", "split", "pad", "round",
        "floor", "ceil", "abs", "max", "min", "mean",
    ];
    let properties = |index: usize| match index % 4 {
        0 => json!({"text": {"type": "string"}}),
        1 => {
            json!({"value": {"type": "number"}, "digits": {"type": "integer", "minimum": 0, "maximum": 10}})
        }
        2 => json!({"values": {"type": "array", "items": {"type": "integer"}, "minItems": 1}}),
        _ => json!({"mode": {"enum": ["a", "b"]}, "strict": {"type": "boolean"}}),
    };
    let names = NAMES.into_iter().enumerate();
    names.map(|(index, name)| tool(name, properties(index), &[])).collect()
}

/// The server, with a state of its own for each connection; without the bugs if it is `sound`.
pub(super) fn target(sound: bool) -> Target {
    Target::duplex(move |io| async move { Ok(server(sound).serve(io).await?) })
}

fn server(sound: bool) -> Server {
    let served: Arc<[(Tool, Validator)]> = tools()
        .into_iter()
        .map(|tool| {
            let schema = tool.input.clone().into();
            let validator = Validator::compile(&schema, &Limits::default());
            (tool, validator.expect("a schema"))
        })
        .collect();
    let state = Arc::new(State::default());
    let listed: Vec<serde_json::Value> = served
        .iter()
        .map(|(tool, _)| {
            let mut listed = json!({"name": tool.name, "inputSchema": tool.input});
            if let Some(output) = &tool.output {
                listed["outputSchema"] = output.clone();
            }
            listed
        })
        .collect();
    let server = everything().on("tools/list", move |_: Call| {
        let tools = listed.clone();
        async move { json!({"tools": tools, "ttlMs": 0, "cacheScope": "public"}) }
    });
    server.on("tools/call", move |call: Call| {
        let (served, state) = (served.clone(), state.clone());
        async move { answer(&call, &served, &state, sound).await }
    })
}

async fn answer(call: &Call, served: &[(Tool, Validator)], state: &State, sound: bool) -> Answer {
    let name = call.param("name").and_then(Value::as_str).unwrap_or_default();
    let Some((tool, validator)) = served.iter().find(|(tool, _)| tool.name == name) else {
        return Answer::error(error_code::INVALID_PARAMS, "unknown tool");
    };
    let empty = json!({}).into();
    let arguments = call.param("arguments").unwrap_or(&empty);
    if sound || !tool.accepts_all {
        let mismatches = validator.mismatches(arguments).unwrap_or_default();
        if let Some(mismatch) = mismatches.first() {
            if tool.refuses_without_name && !sound {
                return failed("invalid");
            }
            return failed(format!(
                "{}: expected {}, got {}",
                mismatch.pointer, mismatch.expected, mismatch.got
            ));
        }
    }
    if let Some(bug) = tool.bug.filter(|_| !sound)
        && let Some(wrong) = bug(arguments, state)
    {
        return wrong;
    }
    let Some(calls) = tool.mixes_from.filter(|_| !sound) else {
        return (tool.sound)(arguments, state);
    };
    state.in_flight.fetch_add(1, Ordering::Relaxed);
    *state.last.lock().expect("a lock") = Some(arguments.clone());
    // Others may come in between.
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    let last = state.last.lock().expect("a lock").clone().unwrap_or(Value::Null);
    let is_mixed = state.in_flight.fetch_sub(1, Ordering::Relaxed) >= calls;
    (tool.sound)(if is_mixed { &last } else { arguments }, state)
}
