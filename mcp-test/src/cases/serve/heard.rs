//! What a client said, and whether it is what a case has the client say.
//!
//! Left aside is what belongs to the client and not to the conversation: ids, progress tokens, and the members of `_meta` in
//! which a client introduces itself; other members of `_meta` count if the case writes any. Who the client of `initialize` is
//! does not matter either, and what it can do only chooses between cases: a contract is served to every client.

use crate::cases::compare::{Difference, Tolerance, compare, matches, nearness};
use crate::cases::{CaseMessage, Matcher, Mode, Rule, Values, expand, names_used};
use crate::json::{Pointer, Value};
use crate::spec::{self, Revision, meta};
use crate::yaml::Span;

/// The members of `_meta` that say nothing of what is asked for.
const OF_THE_CLIENT: [&str; 8] = [
    meta::PROGRESS_TOKEN,
    meta::PROTOCOL_VERSION,
    meta::CLIENT_CAPABILITIES,
    meta::CLIENT_INFO,
    meta::LOG_LEVEL,
    meta::TRACEPARENT,
    meta::TRACESTATE,
    meta::BAGGAGE,
];

/// Where a request that comes again has the answers of the client.
const ANSWERS: &str = "/params/inputResponses";

/// Where `initialize` has what the client can do.
const CAPABILITIES: &str = "/params/capabilities";

/// What a client said.
#[derive(Debug, Clone)]
pub(in crate::cases) struct Heard {
    pub(super) method: String,
    /// What it is about: the name of a tool, the URI of a resource.
    pub(super) name: Option<String>,
    pub(super) revision: Revision,
    /// The message without what belongs to the client.
    whole: Value,
    /// The same without any `_meta`.
    bare: Value,
}

/// What a turn expects to hear.
#[derive(Debug, Clone)]
pub(in crate::cases) struct Expected {
    value: Value,
    rule: Rule,
    /// Whether the case writes something in `_meta` that is asked of the client.
    writes_meta: bool,
    /// The names that are used in it, with their places.
    names: Vec<(Pointer, String)>,
}

/// How well something fits.
#[derive(Debug, Clone)]
pub(in crate::cases) enum Fit {
    /// It is what the case has.
    Exactly,
    /// It is what the case asks for.
    ByRule,
    /// It is to be taken for what the case has, the better the smaller the number; what a client answered otherwise than in
    /// the case is told.
    Roughly(u8, Vec<Difference>),
    /// It is something else.
    Not,
}

impl Heard {
    pub(in crate::cases) fn new(method: &str, params: &Value, revision: Revision) -> Self {
        let mut message = crate::json::Object::new();
        message.push("method", method);
        if !params.is_null() {
            message.push("params", params.clone());
        }
        let message = Value::from(message);
        let name = subject(method).and_then(|name| params.get(name)?.as_str()).map(str::to_owned);
        let bare = essence(message.clone(), false);
        let whole = essence(message, true);
        Self { method: method.to_owned(), name, revision, whole, bare }
    }

    /// The message without what belongs to the client.
    pub(super) fn message(&self) -> &Value {
        &self.whole
    }

    /// What the client declares that it can do, if this is how it introduces itself.
    pub(super) fn capabilities(&self) -> Option<&Value> {
        capabilities(&self.bare)
    }

    /// What may be equal to what a case has.
    pub(super) fn forms(&self) -> [&Value; 2] {
        [&self.whole, &self.bare]
    }

    fn for_comparison(&self, writes_meta: bool) -> &Value {
        if writes_meta { &self.whole } else { &self.bare }
    }
}

impl Expected {
    pub(in crate::cases) fn of(message: &CaseMessage, has_names: bool) -> Self {
        let value = essence(message.value.clone(), true);
        let writes_meta = value.at("/params/_meta").is_some();
        let names = if has_names { names_used(&value) } else { Vec::new() };
        Self { value, rule: message.rule.clone(), writes_meta, names }
    }

    /// What it is about, if every message that fits is about the same.
    pub(super) fn name(&self) -> Option<&str> {
        let member = subject(self.value.get("method")?.as_str()?)?;
        let pointer = Pointer::root().member("params").member(member);
        let open = self.rule.matchers.iter().any(|(place, ..)| {
            place.as_str().starts_with("/params")
                && !place.as_str().starts_with("/params/arguments")
        }) || self.names.iter().any(|(place, _)| *place == pointer);
        let name = self.value.at(pointer.as_str())?.as_str()?;
        (!open).then_some(name)
    }

    /// What has to be said, if only that will do.
    pub(super) fn only_equal(&self) -> Option<&Value> {
        let method = self.value.get("method").and_then(Value::as_str);
        let is_lenient = matches!(method, Some("initialize" | "server/discover"))
            || self.value.at(ANSWERS).is_some();
        (self.is_plain() && !is_lenient).then_some(&self.value)
    }

    /// What the client of the case declares in this message.
    pub(super) fn capabilities(&self) -> Option<&Value> {
        capabilities(&self.value)
    }

    /// Whether the same is expected.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.value == other.value && self.rule == other.rule
    }

    /// Whether only what is equal fits.
    fn is_plain(&self) -> bool {
        self.names.is_empty() && self.rule.mode == Mode::Exact && self.rule.matchers.is_empty()
    }

    /// How well something fits, with the values that names have by now.
    pub(in crate::cases) fn fit(&self, heard: &Heard, values: &Values) -> Fit {
        let got = heard.for_comparison(self.writes_meta);
        if self.names.is_empty() && self.value == *got {
            return Fit::Exactly;
        }
        match heard.method.as_str() {
            "initialize" => {
                let differs = |place| u8::from(self.value.at(place) != got.at(place));
                let others = 2 * differs("/params/protocolVersion") + differs(CAPABILITIES);
                return Fit::Roughly(2 + others, Vec::new());
            }
            "server/discover" => return Fit::Roughly(2, Vec::new()),
            _ => {}
        }
        if !self.is_plain() && self.matches(heard, values) {
            return Fit::ByRule;
        }
        self.answered_otherwise(heard, values).unwrap_or(Fit::Not)
    }

    /// A request that comes again with answers of the client, and is the same but for what these are.
    fn answered_otherwise(&self, heard: &Heard, values: &Values) -> Option<Fit> {
        let names = |value: &Value| -> Option<Vec<String>> {
            let mut names: Vec<_> =
                value.at(ANSWERS)?.as_object()?.keys().map(str::to_owned).collect();
            names.sort();
            Some(names)
        };
        let got = heard.for_comparison(self.writes_meta);
        if names(&self.value)? != names(got)? {
            return None;
        }
        let differences = self.differences(heard, values);
        let only_answers =
            differences.iter().all(|difference| difference.pointer.as_str().starts_with(ANSWERS));
        only_answers.then_some(Fit::Roughly(1, differences))
    }

    fn matches(&self, heard: &Heard, values: &Values) -> bool {
        let (value, rule) = self.with(values);
        matches(&value, heard.for_comparison(self.writes_meta), &rule, &Tolerance::none())
    }

    /// Where something differs from what is expected.
    pub(in crate::cases) fn differences(&self, heard: &Heard, values: &Values) -> Vec<Difference> {
        let got = heard.for_comparison(self.writes_meta);
        let (value, rule) = self.with(values);
        compare(&value, got, &rule, &Tolerance::none(), values.secrets())
    }

    /// How much alike something is to what is expected; the more, the larger.
    pub(in crate::cases) fn nearness(&self, heard: &Heard) -> f64 {
        nearness(&self.value, heard.for_comparison(self.writes_meta))
    }

    /// What is expected with names replaced; where a name has no value, anything may stand.
    fn with(&self, values: &Values) -> (Value, Rule) {
        let (mut rule, mut known) = (self.rule.clone(), None);
        for (pointer, name) in &self.names {
            if values.value(name).is_none() {
                rule.matchers.push((pointer.clone(), Matcher::Any, Span::default()));
                known.get_or_insert_with(|| values.clone()).set(name, Value::Null);
            }
        }
        let values = known.as_ref().unwrap_or(values);
        // A text that cannot be expanded stands for itself: then nothing fits it that a case could mean.
        let value = if self.names.is_empty() { None } else { expand(&self.value, values).ok() };
        (value.unwrap_or_else(|| self.value.clone()), rule)
    }

    /// Gives names that have no value yet what the client said in their places.
    pub(in crate::cases) fn bind(&self, heard: &Heard, values: &mut Values) {
        let got = heard.for_comparison(self.writes_meta);
        for (pointer, name) in &self.names {
            let text = self.value.at(pointer.as_str()).and_then(Value::as_str);
            if values.value(name).is_none()
                && text.and_then(|text| text.strip_prefix("${")?.strip_suffix('}')) == Some(name)
                && let Some(said) = got.at(pointer.as_str())
            {
                values.set(name, said.clone());
            }
        }
    }
}

/// What `initialize` declares.
fn capabilities(message: &Value) -> Option<&Value> {
    let is_initialize = message.get("method").and_then(Value::as_str) == Some("initialize");
    message.at(CAPABILITIES).filter(|_| is_initialize)
}

/// The parameter that says what a request is about.
fn subject(method: &str) -> Option<&'static str> {
    spec::method(method)?.name_param
}

/// A message without what does not matter.
fn essence(mut message: Value, with_meta: bool) -> Value {
    for member in ["/id", "/jsonrpc"] {
        message.remove(member);
    }
    let leave_out: &[&str] = match message.get("method").and_then(Value::as_str) {
        Some("notifications/cancelled") => &["/params/requestId", "/params/reason"],
        Some("notifications/progress") => &["/params/progressToken"],
        _ => &[],
    };
    for pointer in leave_out {
        message.remove(pointer);
    }
    if with_meta
        && let Some(fields) = message.at_mut("/params/_meta").and_then(Value::as_object_mut)
    {
        for member in OF_THE_CLIENT {
            fields.remove(member);
        }
    }
    let is_empty = |message: &Value, pointer| {
        message.at(pointer).and_then(Value::as_object).is_some_and(crate::json::Object::is_empty)
    };
    if !with_meta || is_empty(&message, "/params/_meta") {
        message.remove("/params/_meta");
    }
    for optional in ["/params/arguments", "/params"] {
        if is_empty(&message, optional) {
            message.remove(optional);
        }
    }
    message
}
