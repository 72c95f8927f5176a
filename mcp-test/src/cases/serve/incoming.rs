//! A message of a client, and whether it is the one that a case has.
//!
//! What belongs to the client and not to the conversation is ignored: ids, progress tokens, and the members of `_meta` that
//! identify a client; other members of `_meta` count if the case has any. The client in `initialize` is ignored as well, and
//! its capabilities only choose between cases: a contract is served to every client.

use mcp_test_core::expect::words;
use mcp_test_core::json::{Pointer, Value};
use mcp_test_core::spec::{self, Revision, meta};
use mcp_test_core::yaml::Span;

use crate::cases::compare::{Difference, Tolerance, compare, matches, similarity};
use crate::cases::{CaseMessage, Matcher, Mode, Rule, Values, expand, names_used};

/// The members of `_meta` that belong to the client.
const CLIENT_META: [&str; 8] = [
    meta::PROGRESS_TOKEN,
    meta::PROTOCOL_VERSION,
    meta::CLIENT_CAPABILITIES,
    meta::CLIENT_INFO,
    meta::LOG_LEVEL,
    meta::TRACEPARENT,
    meta::TRACESTATE,
    meta::BAGGAGE,
];

/// The answers of the client in a repeated request.
const ANSWERS: &str = "/params/inputResponses";

/// The client's capabilities in `initialize`.
const CAPABILITIES: &str = "/params/capabilities";

/// A request or notification of a client.
#[derive(Debug, Clone)]
pub(in crate::cases) struct Incoming {
    pub(super) method: String,
    /// The name of the tool or prompt, or the URI of the resource.
    pub(super) name: Option<String>,
    pub(super) revision: Revision,
    /// The message without what belongs to the client.
    whole: Value,
    /// The same without any `_meta`.
    bare: Value,
}

/// The message that a turn expects.
#[derive(Debug, Clone)]
pub(in crate::cases) struct ExpectedMessage {
    value: Value,
    rule: Rule,
    /// Whether the case has members of `_meta` that count.
    writes_meta: bool,
    /// The `${names}` in it, with their places.
    names: Vec<(Pointer, String)>,
}

/// How well a message fits.
#[derive(Debug, Clone)]
pub(in crate::cases) enum Fit {
    /// It is the message of the case.
    Exactly,
    /// It is allowed by the rules of the case.
    ByRule,
    /// It can be taken for the message of the case, the better the smaller the number; the differences are those of the
    /// client's answers, and are reported.
    Roughly(u8, Vec<Difference>),
    /// It is another message.
    Not,
}

impl Incoming {
    pub(in crate::cases) fn new(method: &str, params: &Value, revision: Revision) -> Self {
        let mut message = mcp_test_core::json::Object::new();
        message.push("method", method);
        if !params.is_null() {
            message.push("params", params.clone());
        }
        let message = Value::from(message);
        let name =
            name_param(method).and_then(|name| params.get(name)?.as_str()).map(str::to_owned);
        let bare = without_client_parts(message.clone(), false);
        let whole = without_client_parts(message, true);
        Self { method: method.to_owned(), name, revision, whole, bare }
    }

    /// The message without what belongs to the client.
    pub(super) fn message(&self) -> &Value {
        &self.whole
    }

    /// The capabilities that the client declares, if this is `initialize`.
    pub(super) fn capabilities(&self) -> Option<&Value> {
        capabilities(&self.bare)
    }

    /// The forms in which it may equal the message of a case.
    pub(super) fn forms(&self) -> [&Value; 2] {
        [&self.whole, &self.bare]
    }

    /// The message in short: `tools/call add`.
    pub(super) fn summary(&self) -> String {
        let method = words::excerpt(&self.method);
        match &self.name {
            Some(name) => format!("{method} {}", words::excerpt(name)),
            None => method.into_owned(),
        }
    }

    fn for_comparison(&self, writes_meta: bool) -> &Value {
        if writes_meta { &self.whole } else { &self.bare }
    }
}

impl ExpectedMessage {
    pub(in crate::cases) fn new(message: &CaseMessage, has_names: bool) -> Self {
        let value = without_client_parts(message.value.clone(), true);
        let writes_meta = value.at("/params/_meta").is_some();
        let names = if has_names { names_used(&value) } else { Vec::new() };
        Self { value, rule: message.rule.clone(), writes_meta, names }
    }

    /// The name of the tool, prompt or resource, if every message that fits has the same.
    pub(super) fn name(&self) -> Option<&str> {
        let member = name_param(self.value.get("method")?.as_str()?)?;
        let pointer = Pointer::root().member("params").member(member);
        // A matcher at the name, or above it, accepts other names.
        let open = self.rule.matchers.iter().any(|(place, ..)| {
            place.as_str().starts_with("/params")
                && !place.as_str().starts_with("/params/arguments")
        }) || self.names.iter().any(|(place, _)| *place == pointer);
        let name = self.value.at(pointer.as_str())?.as_str()?;
        (!open).then_some(name)
    }

    /// The only value that fits, if there is just one.
    pub(super) fn only_value(&self) -> Option<&Value> {
        let method = self.value.get("method").and_then(Value::as_str);
        // Here `fit` also accepts other messages: any handshake, and other answers of the client.
        let is_lenient = matches!(method, Some("initialize" | "server/discover"))
            || self.value.at(ANSWERS).is_some();
        (self.is_plain() && !is_lenient).then_some(&self.value)
    }

    /// The capabilities that the case's client declares in this message.
    pub(super) fn capabilities(&self) -> Option<&Value> {
        capabilities(&self.value)
    }

    /// Whether both expect the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.value == other.value && self.rule == other.rule
    }

    /// Whether only an equal message fits.
    fn is_plain(&self) -> bool {
        self.names.is_empty() && self.rule.mode == Mode::Exact && self.rule.matchers.is_empty()
    }

    /// How well a message fits, with the values that names have so far.
    pub(in crate::cases) fn fit(&self, incoming: &Incoming, values: &Values) -> Fit {
        let got = incoming.for_comparison(self.writes_meta);
        if self.names.is_empty() && self.value == *got {
            return Fit::Exactly;
        }
        match incoming.method.as_str() {
            "initialize" => {
                let differs = |place| u8::from(self.value.at(place) != got.at(place));
                // A client cannot know the handshake of a case: any is accepted, preferably the most similar one.
                let others = 2 * differs("/params/protocolVersion") + differs(CAPABILITIES);
                return Fit::Roughly(2 + others, Vec::new());
            }
            "server/discover" => return Fit::Roughly(2, Vec::new()),
            _ => {}
        }
        // A plain message need not be compared again: only an equal one matches.
        if !self.is_plain() && self.matches(incoming, values) {
            return Fit::ByRule;
        }
        self.fit_with_other_answers(incoming, values).unwrap_or(Fit::Not)
    }

    /// The fit of a repeated request that only differs in the client's answers.
    fn fit_with_other_answers(&self, incoming: &Incoming, values: &Values) -> Option<Fit> {
        let names = |value: &Value| -> Option<Vec<String>> {
            let mut names: Vec<_> =
                value.at(ANSWERS)?.as_object()?.keys().map(str::to_owned).collect();
            // Members of JSON objects have no order.
            names.sort();
            Some(names)
        };
        let got = incoming.for_comparison(self.writes_meta);
        if names(&self.value)? != names(got)? {
            return None;
        }
        let differences = self.differences(incoming, values);
        let only_answers =
            differences.iter().all(|difference| difference.pointer.as_str().starts_with(ANSWERS));
        only_answers.then_some(Fit::Roughly(1, differences))
    }

    fn matches(&self, incoming: &Incoming, values: &Values) -> bool {
        let (value, rule) = self.with(values);
        matches(&value, incoming.for_comparison(self.writes_meta), &rule, &Tolerance::none())
    }

    /// Where a message differs from the expected one.
    pub(in crate::cases) fn differences(
        &self,
        incoming: &Incoming,
        values: &Values,
    ) -> Vec<Difference> {
        let got = incoming.for_comparison(self.writes_meta);
        let (value, rule) = self.with(values);
        compare(&value, got, &rule, &Tolerance::none(), values.secrets())
    }

    /// How similar a message is to the expected one; a larger number is more similar.
    pub(in crate::cases) fn nearness(&self, incoming: &Incoming) -> f64 {
        similarity(&self.value, incoming.for_comparison(self.writes_meta))
    }

    /// The expected message with names replaced; any value fits where a name has none.
    fn with(&self, values: &Values) -> (Value, Rule) {
        let (mut rule, mut known) = (self.rule.clone(), None);
        for (pointer, name) in &self.names {
            if values.value(name).is_none() {
                rule.matchers.push((pointer.clone(), Matcher::Any, Span::default()));
                known.get_or_insert_with(|| values.clone()).set(name, Value::Null);
            }
        }
        let values = known.as_ref().unwrap_or(values);
        // A message that cannot be expanded is compared as written: nothing that the case could mean fits it then.
        let value = if self.names.is_empty() { None } else { expand(&self.value, values).ok() };
        (value.unwrap_or_else(|| self.value.clone()), rule)
    }

    /// Gives names without a value the one that the client sent in their place.
    pub(in crate::cases) fn bind(&self, incoming: &Incoming, values: &mut Values) {
        let got = incoming.for_comparison(self.writes_meta);
        for (pointer, name) in &self.names {
            let text = self.value.at(pointer.as_str()).and_then(Value::as_str);
            if values.value(name).is_none()
                && text.and_then(|text| text.strip_prefix("${")?.strip_suffix('}')) == Some(name)
                && let Some(sent) = got.at(pointer.as_str())
            {
                values.set(name, sent.clone());
            }
        }
    }
}

/// The capabilities that `initialize` declares.
fn capabilities(message: &Value) -> Option<&Value> {
    let is_initialize = message.get("method").and_then(Value::as_str) == Some("initialize");
    message.at(CAPABILITIES).filter(|_| is_initialize)
}

/// The parameter with the name of a tool, prompt or resource.
fn name_param(method: &str) -> Option<&'static str> {
    spec::method(method)?.name_param
}

/// A message without what belongs to the client.
fn without_client_parts(mut message: Value, with_meta: bool) -> Value {
    for member in ["/id", "/jsonrpc"] {
        message.remove(member);
    }
    let ignored: &[&str] = match message.get("method").and_then(Value::as_str) {
        // The client chooses ids, tokens and reasons.
        Some("notifications/cancelled") => &["/params/requestId", "/params/reason"],
        Some("notifications/progress") => &["/params/progressToken"],
        _ => &[],
    };
    for pointer in ignored {
        message.remove(pointer);
    }
    if with_meta
        && let Some(fields) = message.at_mut("/params/_meta").and_then(Value::as_object_mut)
    {
        for member in CLIENT_META {
            fields.remove(member);
        }
    }
    let is_empty = |message: &Value, pointer| {
        message
            .at(pointer)
            .and_then(Value::as_object)
            .is_some_and(mcp_test_core::json::Object::is_empty)
    };
    if !with_meta || is_empty(&message, "/params/_meta") {
        message.remove("/params/_meta");
    }
    // Some clients send empty objects, others omit them.
    for optional in ["/params/arguments", "/params"] {
        if is_empty(&message, optional) {
            message.remove(optional);
        }
    }
    message
}
