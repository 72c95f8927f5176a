//! Answers to what a server asks its client: by typed handlers for sampling, elicitation and roots, or by method.
//!
//! The same handlers serve both eras: they answer requests of the server, and the input requests inside a result of
//! 2026-07-28. What a handler is there for is declared as a capability, in the form of the revision.

mod elicitation;
mod form;
mod roots;
mod sampling;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

pub use elicitation::{Elicited, Form, Visit};
pub use form::{Choice, Field, FieldKind};
pub use roots::Root;
pub use sampling::{Sampled, Sampling};

use crate::json::{Object, Value};
use crate::spec::{Capability, Revision, Side, error_code};
use crate::wire::{ErrorReply, Id, Message, Request, Response, RpcError};

/// What a handler answers: a result, or a JSON-RPC error.
pub type Answer = Result<Value, RpcError>;

type Handler = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

const SAMPLING: &str = "sampling/createMessage";
const ELICITATION: &str = "elicitation/create";
const ROOTS: &str = "roots/list";

/// The answers of a client to what its server asks.
///
/// `ping` is answered always; what has no handler is refused with -32601.
///
/// ```
/// use mcp_test::client::{Handlers, Sampled};
/// use mcp_test::spec::{Capability, Revision};
/// use serde_json::json;
///
/// let handlers = Handlers::new()
///     .sampling(|asked| Sampled::text(format!("You said: {}", asked.text())))
///     .elicitation(|form| form.accept(json!({"name": "Ada"})))
///     .roots(["file:///project"])
///     .declaring(Capability::SamplingTools);
///
/// let declared = handlers.capabilities(Revision::V2025_11_25);
/// assert_eq!(declared, json!({"sampling": {"tools": {}}, "elicitation": {"form": {}}, "roots": {}}));
/// let declared = handlers.capabilities(Revision::V2025_03_26);
/// assert_eq!(declared, json!({"sampling": {}, "roots": {}}));
/// ```
#[derive(Clone, Default)]
pub struct Handlers {
    by_method: BTreeMap<String, Handler>,
    forms: Option<Handler>,
    visits: Option<Handler>,
    parts: BTreeSet<Capability>,
    unanswered: BTreeSet<String>,
}

impl Handlers {
    /// No handlers: only `ping` is answered.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers `method` with `handler`, in whatever form; it comes before the typed handlers.
    #[must_use]
    pub fn on(
        mut self,
        method: &str,
        handler: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        self.by_method.insert(method.to_owned(), Arc::new(handler));
        self
    }

    /// Answers `sampling/createMessage` in the place of a model.
    #[must_use]
    pub fn sampling(self, model: impl Fn(&Sampling) -> Sampled + Send + Sync + 'static) -> Self {
        self.on(SAMPLING, move |request| model(&Sampling::of(request)).into_answer())
    }

    /// Fills in the forms of `elicitation/create` in the place of a user.
    #[must_use]
    pub fn elicitation(mut self, user: impl Fn(&Form) -> Elicited + Send + Sync + 'static) -> Self {
        self.forms = Some(Arc::new(move |request| user(&Form::of(request)).into_answer()));
        self
    }

    /// Agrees to go, or not, where `elicitation/create` sends the user: its `url` mode, of 2025-11-25 and later.
    #[must_use]
    pub fn elicitation_url(
        mut self,
        user: impl Fn(&Visit) -> Elicited + Send + Sync + 'static,
    ) -> Self {
        self.visits = Some(Arc::new(move |request| user(&Visit::of(request)).into_answer()));
        self
    }

    /// Answers `roots/list` with these roots.
    #[must_use]
    pub fn roots<R: Into<Root>>(self, roots: impl IntoIterator<Item = R>) -> Self {
        let roots: Vec<Root> = roots.into_iter().map(Into::into).collect();
        self.on(ROOTS, move |_| Ok(roots::list(&roots)))
    }

    /// Declares a part of a capability as well, such as `sampling.tools`, at the revisions that know it.
    #[must_use]
    pub fn declaring(mut self, part: Capability) -> Self {
        self.parts.insert(part);
        self
    }

    /// Leaves `method` without an answer for ever; its capability is declared nevertheless.
    #[must_use]
    pub fn leaving_unanswered(mut self, method: &str) -> Self {
        self.unanswered.insert(method.to_owned());
        self
    }

    /// The client capabilities that the handlers serve, as they are declared at `revision`.
    #[must_use]
    pub fn capabilities(&self, revision: Revision) -> Value {
        let served = [
            (SAMPLING, Capability::Sampling),
            (ELICITATION, Capability::Elicitation),
            (ROOTS, Capability::Roots),
        ];
        let mut declared: Vec<Capability> = Vec::new();
        for (method, capability) in served {
            if self.serves(method) {
                declared.push(capability);
            }
        }
        let modes = [
            (&self.forms, Capability::ElicitationForm),
            (&self.visits, Capability::ElicitationUrl),
        ];
        declared.extend(modes.iter().filter(|(mode, _)| mode.is_some()).map(|(_, part)| *part));
        declared.extend(&self.parts);
        // Before there were modes, only one that fills in forms could say that it takes part.
        if self.visits.is_some() && !self.fills_in_forms() {
            declared.retain(|capability| {
                *capability != Capability::Elicitation
                    || Capability::ElicitationUrl.revisions().contains(revision)
            });
        }
        let mut capabilities = Value::Object(Object::new());
        for capability in declared {
            let known = capability.revisions().contains(revision);
            if known && capability.sides().contains(Side::Client) {
                declare(&mut capabilities, capability);
            }
        }
        capabilities
    }

    fn fills_in_forms(&self) -> bool {
        self.forms.is_some()
            || self.by_method.contains_key(ELICITATION)
            || self.unanswered.contains(ELICITATION)
    }

    fn serves(&self, method: &str) -> bool {
        let elicits = method == ELICITATION && (self.forms.is_some() || self.visits.is_some());
        elicits || self.by_method.contains_key(method) || self.unanswered.contains(method)
    }

    /// The message that answers `request`, unless it is one that is left without.
    pub(super) fn answer(&self, request: &Request) -> Option<Message> {
        let id: Id = request.id.clone();
        Some(match self.outcome(request)? {
            Ok(result) => Message::Response(Response { id, result }),
            Err(error) => Message::Error(ErrorReply { id: Some(id), error }),
        })
    }

    /// The input that a result asks for with `request`, unless it is one that is left without.
    pub(super) fn input(&self, request: &Request) -> Result<Option<Value>, InputError> {
        let outcome = self.outcome(request).transpose();
        outcome.map_err(|error| InputError { method: request.method.clone(), error })
    }

    /// The answer to `request`, unless it is one that is left without.
    fn outcome(&self, request: &Request) -> Option<Answer> {
        if self.unanswered.contains(&request.method) {
            return None;
        }
        if let Some(handler) = self.by_method.get(&request.method) {
            return Some(handler(request));
        }
        Some(match request.method.as_str() {
            "ping" => Ok(Value::Object(Object::new())),
            ELICITATION if self.serves(ELICITATION) => self.elicit(request),
            method => Err(RpcError::new(
                error_code::METHOD_NOT_FOUND,
                format!("the test client has no handler for `{method}`"),
            )),
        })
    }

    /// <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#error-handling>
    fn elicit(&self, request: &Request) -> Answer {
        let mode = request.params.as_ref().and_then(|params| params.get("mode"));
        let handler = match mode.map(Value::as_str) {
            None | Some(Some("form")) => &self.forms,
            Some(Some("url")) => &self.visits,
            _ => &None,
        };
        let Some(handler) = handler else {
            let mode = mode.map_or_else(|| "form".to_owned(), |mode| mode.short(40));
            let message = format!("the test client did not declare elicitation in mode {mode}");
            return Err(RpcError::new(error_code::INVALID_PARAMS, message));
        };
        handler(request)
    }
}

/// A handler refuses what a result asks for; only requests of the server can be refused with an error.
#[derive(Debug)]
pub(super) struct InputError {
    pub(super) method: String,
    pub(super) error: RpcError,
}

/// Adds what `capability` is declared by, and what it is a part of.
fn declare(capabilities: &mut Value, capability: Capability) {
    let pointer = capability.pointer();
    for (end, _) in pointer.match_indices('/').skip(1) {
        if capabilities.at(&pointer[..end]).is_none() {
            capabilities.set(&pointer[..end], Value::Object(Object::new()));
        }
    }
    if capabilities.at(pointer).is_none() {
        let yes = match capability {
            Capability::RootsListChanged => Value::Bool(true),
            _ => Value::Object(Object::new()),
        };
        capabilities.set(pointer, yes);
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modes = [("form", &self.forms), ("url", &self.visits)];
        let modes = modes.into_iter().filter(|(_, mode)| mode.is_some()).map(|(mode, _)| mode);
        f.debug_set()
            .entries(self.by_method.keys())
            .entries(modes.map(|mode| format!("{ELICITATION}, mode {mode}")))
            .entries(&self.unanswered)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(handlers: &Handlers, method: &str, params: serde_json::Value) -> String {
        let request = Request::new("s1", method, Some(params.into()));
        let answer = handlers.answer(&request);
        answer.map_or_else(|| "no answer".to_owned(), |answer| answer.to_value().to_string())
    }

    #[test]
    fn handlers_answer_with_the_id_of_the_request() {
        let handlers = Handlers::new().roots(["file:///a"]).leaving_unanswered(SAMPLING);
        let ask = |method| ask(&handlers, method, json!({}));
        insta::assert_snapshot!(ask("roots/list"), @r#"{"jsonrpc":"2.0","id":"s1","result":{"roots":[{"uri":"file:///a"}]}}"#);
        insta::assert_snapshot!(ask("ping"), @r#"{"jsonrpc":"2.0","id":"s1","result":{}}"#);
        insta::assert_snapshot!(ask("sampling/createMessage"), @"no answer");
        insta::assert_snapshot!(ask("elicitation/create"), @r#"{"jsonrpc":"2.0","id":"s1","error":{"code":-32601,"message":"the test client has no handler for `elicitation/create`"}}"#);
    }

    #[test]
    fn each_mode_of_elicitation_has_its_handler_and_others_are_refused() {
        let forms = Handlers::new().elicitation(|_| Elicited::decline());
        let both = forms.clone().elicitation_url(|visit| {
            if visit.url() == "https://a.example/" { Elicited::agree() } else { Elicited::cancel() }
        });
        let url = json!({"mode": "url", "message": "m", "url": "https://a.example/", "elicitationId": "e"});
        insta::assert_snapshot!(ask(&both, ELICITATION, url.clone()), @r#"{"jsonrpc":"2.0","id":"s1","result":{"action":"accept"}}"#);
        insta::assert_snapshot!(ask(&both, ELICITATION, json!({"mode": "form"})), @r#"{"jsonrpc":"2.0","id":"s1","result":{"action":"decline"}}"#);
        insta::assert_snapshot!(ask(&forms, ELICITATION, json!({})), @r#"{"jsonrpc":"2.0","id":"s1","result":{"action":"decline"}}"#);
        insta::assert_snapshot!(ask(&forms, ELICITATION, url), @r#"{"jsonrpc":"2.0","id":"s1","error":{"code":-32602,"message":"the test client did not declare elicitation in mode \"url\""}}"#);
        insta::assert_snapshot!(ask(&both, ELICITATION, json!({"mode": 5})), @r#"{"jsonrpc":"2.0","id":"s1","error":{"code":-32602,"message":"the test client did not declare elicitation in mode 5"}}"#);
    }

    #[test]
    fn what_is_served_is_declared_in_the_form_of_the_revision() {
        let all = Handlers::new()
            .sampling(|_| Sampled::text("4"))
            .elicitation(Form::accept_examples)
            .elicitation_url(|_| Elicited::agree())
            .roots(["file:///a"])
            .declaring(Capability::SamplingTools)
            .declaring(Capability::SamplingContext)
            .declaring(Capability::RootsListChanged);
        let at = |handlers: &Handlers| {
            let declared = |revision: &Revision| handlers.capabilities(*revision).to_string();
            Revision::ALL.iter().map(declared).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(at(&all), @r#"
        {"sampling":{},"roots":{"listChanged":true}}
        {"sampling":{},"roots":{"listChanged":true}}
        {"sampling":{},"elicitation":{},"roots":{"listChanged":true}}
        {"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true}}
        {"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},"roots":{}}
        "#);
        // Before there were modes, one that only follows links had nothing to declare.
        let visits = Handlers::new().elicitation_url(|_| Elicited::agree());
        insta::assert_snapshot!(at(&visits), @r#"
        {}
        {}
        {}
        {"elicitation":{"url":{}}}
        {"elicitation":{"url":{}}}
        "#);
        let raw = Handlers::new().on(ELICITATION, |_| Ok(json!({"action": "cancel"}).into()));
        insta::assert_snapshot!(at(&raw), @r#"
        {}
        {}
        {"elicitation":{}}
        {"elicitation":{}}
        {"elicitation":{}}
        "#);
        // What only servers declare is not declared.
        let handlers = Handlers::new().declaring(Capability::Tools);
        assert_eq!(handlers.capabilities(Revision::NEWEST), json!({}));
    }
}
