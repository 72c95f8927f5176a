//! Handlers for requests of the server: typed ones for sampling, elicitation and roots, and generic ones by method.
//!
//! The same handlers serve both eras: they answer requests of the server, and the input requests inside a result of
//! 2026-07-28. The client declares the capabilities that they serve, in the form of the revision.

mod elicitation;
mod form;
mod params;
mod roots;
mod running;
mod sampling;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

pub use elicitation::{ElicitationResponse, FormElicitation, UrlElicitation};
pub use form::{Choice, Field, FieldKind};
pub use roots::Root;
pub(crate) use running::take_panicked_handler;
pub use sampling::{SamplingRequest, SamplingResponse};

use crate::json::{Object, Value};
use crate::spec::{self, Capability, Revision, Side, error_code};
use crate::wire::{ErrorReply, Message, Request, Response, RpcError};

/// The answer of a handler: a result or a JSON-RPC error.
pub type Answer = Result<Value, RpcError>;

type Handler = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

const SAMPLING: &str = "sampling/createMessage";
const ELICITATION: &str = "elicitation/create";
const ROOTS: &str = "roots/list";

/// The answers of a client to requests of its server.
///
/// `ping` is always answered; a method without a handler is refused with -32601, and so is one that the revision does not have.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::client::{Handlers, SamplingResponse};
/// use mcp_test::spec::{Capability, Revision};
/// use serde_json::json;
///
/// let handlers = Handlers::new()
///     .sampling(|request| SamplingResponse::text(format!("You said: {}", request.text())))
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
    urls: Option<Handler>,
    extra: BTreeSet<Capability>,
    unanswered: BTreeSet<String>,
}

impl Handlers {
    /// Creates an empty set of handlers: only `ping` is answered.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers `method` with `handler`, which takes precedence over the typed handlers.
    #[must_use]
    pub fn on(
        mut self,
        method: &str,
        handler: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        self.by_method.insert(method.to_owned(), Arc::new(handler));
        self
    }

    /// Answers `sampling/createMessage` in place of a model.
    #[must_use]
    pub fn sampling(
        self,
        model: impl Fn(&SamplingRequest) -> SamplingResponse + Send + Sync + 'static,
    ) -> Self {
        self.on(SAMPLING, move |request| model(&SamplingRequest::of(request)).into_answer())
    }

    /// Answers `elicitation/create` with a form in place of a user.
    #[must_use]
    pub fn elicitation(
        mut self,
        user: impl Fn(&FormElicitation) -> ElicitationResponse + Send + Sync + 'static,
    ) -> Self {
        self.forms =
            Some(Arc::new(move |request| user(&FormElicitation::of(request)).into_answer()));
        self
    }

    /// Answers `elicitation/create` in its `url` mode, which exists from 2025-11-25 on, in place of a user.
    #[must_use]
    pub fn elicitation_url(
        mut self,
        user: impl Fn(&UrlElicitation) -> ElicitationResponse + Send + Sync + 'static,
    ) -> Self {
        self.urls = Some(Arc::new(move |request| user(&UrlElicitation::of(request)).into_answer()));
        self
    }

    /// Answers `roots/list` with these roots.
    #[must_use]
    pub fn roots<R: Into<Root>>(self, roots: impl IntoIterator<Item = R>) -> Self {
        let roots: Vec<Root> = roots.into_iter().map(Into::into).collect();
        self.on(ROOTS, move |_| Ok(roots::list(&roots)))
    }

    /// Also declares a sub-capability, such as `sampling.tools`, at the revisions that have it.
    #[must_use]
    pub fn declaring(mut self, capability: Capability) -> Self {
        self.extra.insert(capability);
        self
    }

    /// Never answers `method`, although its capability is declared.
    #[must_use]
    pub fn leaving_unanswered(mut self, method: &str) -> Self {
        self.unanswered.insert(method.to_owned());
        self
    }

    /// The client capabilities that the handlers serve, in the form of `revision`.
    #[must_use]
    pub fn capabilities(&self, revision: Revision) -> Value {
        let served = [
            (SAMPLING, Capability::Sampling),
            (ELICITATION, Capability::Elicitation),
            (ROOTS, Capability::Roots),
        ];
        let served = served.into_iter().filter(|(method, _)| self.serves(method));
        let mut declared: Vec<Capability> = served.map(|(_, capability)| capability).collect();
        let modes =
            [(&self.forms, Capability::ElicitationForm), (&self.urls, Capability::ElicitationUrl)];
        declared.extend(
            modes.iter().filter(|(mode, _)| mode.is_some()).map(|(_, capability)| *capability),
        );
        declared.extend(&self.extra);
        // Before 2025-11-25 `elicitation` meant forms, so a client that only handles URLs must not declare it.
        if self.urls.is_some() && !self.fills_in_forms() {
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
        let elicits = method == ELICITATION && (self.forms.is_some() || self.urls.is_some());
        elicits || self.by_method.contains_key(method) || self.unanswered.contains(method)
    }

    /// The message that answers `request`; `None` if it is left unanswered.
    pub(super) fn answer(&self, request: &Request, revision: Revision) -> Option<Message> {
        // In the stateless era clients send no responses, whatever a server asks.
        if !revision.has_server_requests() {
            return None;
        }
        let method = request.method.as_str();
        // A client of the revision does not know the method, whatever the test has a handler for.
        if spec::method(method).is_some_and(|known| !known.sent_by(Side::Server, revision)) {
            let text = format!("a client does not answer `{method}` at {revision}");
            return Some(message(request, Err(RpcError::new(error_code::METHOD_NOT_FOUND, text))));
        }
        let outcome = running::running(method, || self.outcome(request))?;
        Some(message(request, outcome))
    }

    /// The input that a result asks for with `request`; `None` if it is left unanswered.
    pub(super) fn input(&self, request: &Request) -> Result<Option<Value>, InputError> {
        let outcome = running::running(&request.method, || self.outcome(request)).transpose();
        outcome.map_err(|error| InputError { method: request.method.clone(), error })
    }

    /// The answer to `request`; `None` if it is left unanswered.
    fn outcome(&self, request: &Request) -> Option<Answer> {
        // Before the handlers: a method may be left unanswered although one is set for it.
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
            // Clients have to read a request without a mode as one with a form.
            None | Some(Some("form")) => &self.forms,
            Some(Some("url")) => &self.urls,
            _ => &None,
        };
        let Some(handler) = handler else {
            // The specification requires -32602 for a mode that was not declared.
            let mode = mode.map_or_else(|| "form".to_owned(), |mode| mode.short(40));
            let message = format!("the test client did not declare elicitation in mode {mode}");
            return Err(RpcError::new(error_code::INVALID_PARAMS, message));
        };
        handler(request)
    }
}

/// The message that answers a request.
pub(super) fn message(request: &Request, answer: Answer) -> Message {
    let id = request.id.clone();
    match answer {
        Ok(result) => Response { id, result }.into(),
        Err(error) => ErrorReply::new(id, error).into(),
    }
}

/// A handler refused an input request with an error, which only requests of the server can carry.
#[derive(Debug)]
pub(super) struct InputError {
    pub(super) method: String,
    pub(super) error: RpcError,
}

/// Adds the member that declares `capability`, and its parents.
fn declare(capabilities: &mut Value, capability: Capability) {
    let pointer = capability.pointer();
    // The first slash begins the pointer; each later one ends the pointer of a parent.
    for (end, _) in pointer.match_indices('/').skip(1) {
        if capabilities.at(&pointer[..end]).is_none() {
            capabilities.set(&pointer[..end], Value::Object(Object::new()));
        }
    }
    if capabilities.at(pointer).is_none() {
        let declaration = match capability {
            // The only client capability that is a flag; the others are declared by an object.
            Capability::RootsListChanged => Value::Bool(true),
            _ => Value::Object(Object::new()),
        };
        capabilities.set(pointer, declaration);
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modes = [("form", &self.forms), ("url", &self.urls)];
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
        ask_at(Revision::V2025_11_25, handlers, method, params)
    }

    fn ask_at(
        revision: Revision,
        handlers: &Handlers,
        method: &str,
        params: serde_json::Value,
    ) -> String {
        let request = Request::new("s1", method, Some(params.into()));
        let answer = handlers.answer(&request, revision);
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
    fn a_method_that_the_revision_does_not_have_is_refused_in_spite_of_its_handler() {
        let handlers =
            Handlers::new().elicitation(|form| form.accept(json!({}))).on("x/y", |_| Ok(1.into()));
        let ask = |revision, method| ask_at(revision, &handlers, method, json!({"message": "?"}));
        insta::assert_snapshot!(ask(Revision::V2025_03_26, "elicitation/create"), @r#"{"jsonrpc":"2.0","id":"s1","error":{"code":-32601,"message":"a client does not answer `elicitation/create` at 2025-03-26"}}"#);
        assert!(ask(Revision::V2025_06_18, "elicitation/create").contains("accept"));
        insta::assert_snapshot!(ask(Revision::V2025_11_25, "tools/list"), @r#"{"jsonrpc":"2.0","id":"s1","error":{"code":-32601,"message":"a client does not answer `tools/list` at 2025-11-25"}}"#);
        insta::assert_snapshot!(ask(Revision::V2025_03_26, "x/y"), @r#"{"jsonrpc":"2.0","id":"s1","result":1}"#);
    }

    #[test]
    fn elicitation_modes_have_separate_handlers_and_unknown_modes_are_refused() {
        let forms = Handlers::new().elicitation(|_| ElicitationResponse::decline());
        let both = forms.clone().elicitation_url(|request| {
            if request.url() == "https://a.example/" {
                ElicitationResponse::agree()
            } else {
                ElicitationResponse::cancel()
            }
        });
        let url = json!({"mode": "url", "message": "m", "url": "https://a.example/", "elicitationId": "e"});
        insta::assert_snapshot!(ask(&both, ELICITATION, url.clone()), @r#"{"jsonrpc":"2.0","id":"s1","result":{"action":"accept"}}"#);
        insta::assert_snapshot!(ask(&both, ELICITATION, json!({"mode": "form"})), @r#"{"jsonrpc":"2.0","id":"s1","result":{"action":"decline"}}"#);
        insta::assert_snapshot!(ask(&forms, ELICITATION, json!({})), @r#"{"jsonrpc":"2.0","id":"s1","result":{"action":"decline"}}"#);
        insta::assert_snapshot!(ask(&forms, ELICITATION, url), @r#"{"jsonrpc":"2.0","id":"s1","error":{"code":-32602,"message":"the test client did not declare elicitation in mode \"url\""}}"#);
        insta::assert_snapshot!(ask(&both, ELICITATION, json!({"mode": 5})), @r#"{"jsonrpc":"2.0","id":"s1","error":{"code":-32602,"message":"the test client did not declare elicitation in mode 5"}}"#);
    }

    #[test]
    fn served_capabilities_are_declared_in_the_form_of_the_revision() {
        let all = Handlers::new()
            .sampling(|_| SamplingResponse::text("4"))
            .elicitation(FormElicitation::accept_examples)
            .elicitation_url(|_| ElicitationResponse::agree())
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
        // Before 2025-11-25 there is nothing to declare for URLs alone.
        let urls = Handlers::new().elicitation_url(|_| ElicitationResponse::agree());
        insta::assert_snapshot!(at(&urls), @r#"
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
        // A server capability is not declared.
        let handlers = Handlers::new().declaring(Capability::Tools);
        assert_eq!(handlers.capabilities(Revision::NEWEST), json!({}));
    }
}
