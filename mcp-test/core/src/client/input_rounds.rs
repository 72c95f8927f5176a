//! Multi round-trip requests of 2026-07-28: the client answers a result that asks for input by sending the request again.
//!
//! The same handlers provide the input that answer requests of the server in earlier revisions. A server that asks for
//! something the client did not declare, or for the same input endlessly, ends the request with a finding.
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>

use super::handlers::{Handlers, InputError};
use super::wait::Pending;
use super::{Client, Reply, RequestOptions};
use crate::check::{Cause, Finding};
use crate::json::{Object, Value};
use crate::spec::{self, Capability, Requirement};
use crate::wire::{Id, Request};

/// How many times a request may ask for input before it counts as endless.
#[doc(hidden)]
pub const MAX_ROUNDS: usize = 16;

/// The hint for a session that the server has ended, which it may do at any time.
const LOST_SESSION: &str =
    "the server has ended the session; `Options::renewing_sessions` starts a new one";

/// The `resultType` of a result that asks for input.
const INPUT_REQUIRED: &str = "input_required";

impl Client {
    /// Waits for the final reply, through all rounds of input.
    pub(super) async fn until_complete(&mut self, pending: Pending) -> Result<Reply, Finding> {
        let mut pending = pending;
        let mut earlier: Vec<Reply> = Vec::new();
        // Each is tried once, since a server may refuse every session and every header.
        let (mut headers_refreshed, mut renewed) = (false, false);
        loop {
            let (method, params) = (pending.method.clone(), pending.params.clone());
            let options = pending.options.clone();
            let exchange = pending.sent.exchange;
            let awaited = self.options.history.slow_tools.awaiting(&method, &params);
            let answered = self.until_reply(pending).await;
            awaited.end(match &answered {
                Ok(_) => true,
                // It is known to be slow, as if it had been answered now.
                Err(finding) => finding.is_given_up(),
            });
            let lost_session = !renewed && self.has_lost_session(&method, exchange);
            if lost_session && self.options.renew_sessions {
                renewed = true;
                // Boxed, because `initialize` waits for its reply in this function.
                Box::pin(self.initialize()).await?.result()?;
                earlier.extend(answered);
                let retry = RequestOptions { id: None, ..options };
                pending = self.start_again(&method, params, retry).await;
                continue;
            }
            let reply = answered.map_err(|finding| match lost_session {
                true => finding.hint(LOST_SESSION),
                false => finding,
            })?;
            // Here and not in `pages`, because callers also request single pages of `tools/list`.
            self.record_mirrored_arguments(&reply);
            if options.once {
                return Ok(reply.after(earlier));
            }
            let again = if !headers_refreshed && self.refresh_headers(&params, &reply).await {
                headers_refreshed = true;
                Some(params.clone())
            } else if !options.manual && asks_for_input(&reply) {
                // The parameters are those of the caller: the input of one round must not be part of the next.
                self.with_input(&params, &reply, &earlier)?
            } else {
                None
            };
            let Some(again) = again else { return Ok(reply.after(earlier)) };
            earlier.push(reply);
            // Each attempt is a request of its own, with an id of its own.
            let retry = RequestOptions { id: None, ..options };
            pending = self.start_again(&method, again, retry).await;
            // Without the input of this round: a `requestState` must not be sent back twice.
            pending.params = params;
        }
    }
}

impl Client {
    /// The parameters with the input that a reply asks for; `None` if the reply is final all the same.
    fn with_input(
        &self,
        params: &Value,
        reply: &Reply,
        earlier: &[Reply],
    ) -> Result<Option<Value>, Finding> {
        let declared = self.options.declared(reply.revision());
        match InputRequired::read(reply, &declared)?.collect(&self.options.handlers) {
            Ok(Some(input)) if is_worth_retrying(reply, earlier, &input)? => {
                Ok(Some(input.add_to(params)))
            }
            // The handlers deliberately left something unanswered, so this reply is final.
            Ok(_) => Ok(None),
            Err(error) => Err(refused_by_handler(reply, &error)),
        }
    }

    /// Whether the request was refused because the server no longer knows its session.
    fn has_lost_session(&self, method: &str, exchange: Option<u64>) -> bool {
        // `initialize` has no session that could be lost.
        let Some(exchange) = exchange.filter(|_| method != "initialize") else { return false };
        let connection = &self.connection;
        // Without a session id, 404 means that the URL or the method is unknown.
        connection.session().is_some()
            && connection.recorder().response_status(connection.id(), exchange) == Some(404)
    }
}

/// Whether a result asks for input, at a revision that has such results.
fn asks_for_input(reply: &Reply) -> bool {
    reply.revision().has_input_requests() && reply.result_type() == Some(INPUT_REQUIRED)
}

/// Whether another round can change the result.
fn is_worth_retrying(reply: &Reply, earlier: &[Reply], input: &Input) -> Result<bool, Finding> {
    let rounds = earlier.iter().filter(|reply| asks_for_input(reply)).count();
    let same = earlier.last().is_some_and(|last| last.peek() == reply.peek());
    // The server asks again for what the handlers leave out on purpose, and would get the same answer.
    if same && input.incomplete {
        return Ok(false);
    }
    let evidence = || earlier.last().map(Reply::evidence).unwrap_or_default();
    let method = reply.method();
    // The same result without input requests is not an error yet: the server may wait for something outside of MCP.
    if same && input.has_responses() {
        return Err(Finding::peer(format!("`{method}` asks again for input that it has received"))
            .expected("another result after the retry, or other input requests")
            .got("the same input requests, with the same requestState")
            .hint("does the answer of the handler match what the server asked for?")
            .evidence_all(evidence())
            .evidence_all(reply.evidence()));
    }
    if rounds + 1 >= MAX_ROUNDS {
        return Err(Finding::peer(format!("`{method}` does not stop asking for input"))
            .expected(format!("a final result after at most {MAX_ROUNDS} rounds"))
            .got(format!("{} results that ask for input", rounds + 1))
            .evidence_all(evidence())
            .evidence_all(reply.evidence()));
    }
    Ok(true)
}

fn refused_by_handler(reply: &Reply, refused: &InputError) -> Finding {
    Finding::test(format!("`{}` cannot continue without the input that it asks for", reply.method()))
        .expected(format!("a handler that answers `{}` with a result", refused.method))
        .got(format!("JSON-RPC {}, which `inputResponses` cannot carry", refused.error))
        .hint("use `Handlers::leaving_unanswered` to leave an input out, `RequestOptions::once` to examine the result as it is")
        .evidence_all(reply.evidence())
}

/// The valid content of a result that asks for input.
struct InputRequired {
    requests: Vec<(String, Request)>,
    state: Option<Value>,
}

impl InputRequired {
    fn read(reply: &Reply, declared: &Value) -> Result<Self, Finding> {
        const SHAPE: &Requirement = Requirement::SCHEMA_INPUT_REQUIRED_RESULT;
        let method = reply.method();
        // A method that is not known may be one of an extension, which decides for itself.
        if spec::method(method).is_some_and(|known| !known.may_need_input) {
            let expected =
                "input requests from `prompts/get`, `resources/read` and `tools/call` only";
            let got = format!("input requests from `{method}`");
            return Err(broken(reply, Requirement::MRTR_SUPPORTED_METHODS_ONLY, expected, got));
        }
        let part = |name: &str| reply.peek().and_then(|result| result.get(name));
        let state = part("requestState").cloned();
        if let Some(state) = state.as_ref().filter(|state| !state.is_string()) {
            let got = format!("{}, which is {}", state.short(80), state.kind());
            return Err(broken(reply, SHAPE, "`/requestState` is a string", got));
        }
        let requests = match part("inputRequests") {
            None if state.is_none() => {
                let expected = "`inputRequests` or `requestState`, or both";
                let got = "neither".to_owned();
                return Err(broken(reply, Requirement::MRTR_REQUESTS_OR_STATE, expected, got));
            }
            None => Vec::new(),
            Some(Value::Object(requests)) => read_requests(reply, requests, declared)?,
            Some(other) => {
                let got = format!("{}, which is {}", other.short(80), other.kind());
                return Err(broken(reply, SHAPE, "`/inputRequests` is an object", got));
            }
        };
        Ok(Self { requests, state })
    }

    /// The input from the handlers; `None` if they provide none and there is no state to send back either.
    fn collect(self, handlers: &Handlers) -> Result<Option<Input>, InputError> {
        let requested = self.requests.len();
        let mut responses = Object::new();
        for (key, request) in self.requests {
            if let Some(response) = handlers.input(&request)? {
                responses.push(key, response);
            }
        }
        let incomplete = responses.len() < requested;
        if incomplete && responses.is_empty() && self.state.is_none() {
            return Ok(None);
        }
        // `inputResponses` is only sent in answer to `inputRequests`, even if it is empty then.
        let responses = (requested > 0).then_some(responses);
        Ok(Some(Input { responses, state: self.state, incomplete }))
    }
}

/// The members of `inputRequests`, each with its key.
fn read_requests(
    reply: &Reply,
    requests: &Object,
    declared: &Value,
) -> Result<Vec<(String, Request)>, Finding> {
    let mut read: Vec<(String, Request)> = Vec::new();
    for (key, request) in requests.iter() {
        // The JSON reader keeps duplicate keys, of which `inputResponses` could answer only one.
        if read.iter().any(|(other, _)| other == key) {
            let expected = "each key of `inputRequests` once";
            let got = format!("{key:?} twice");
            return Err(broken(reply, Requirement::MRTR_INPUT_KEYS_UNIQUE, expected, got));
        }
        let request = input_request(reply, key, request, declared)?;
        read.push((key.to_owned(), request));
    }
    Ok(read)
}

fn broken(
    reply: &Reply,
    requirement: &'static Requirement,
    expected: &str,
    got: String,
) -> Finding {
    Finding::peer(format!("the result of `{}` asks for input incorrectly", reply.method()))
        .expected(expected)
        .got(got)
        .requires(requirement)
        .evidence_all(reply.evidence())
}

fn input_request(
    reply: &Reply,
    key: &str,
    request: &Value,
    declared: &Value,
) -> Result<Request, Finding> {
    let revision = reply.revision();
    let at = format!("`/inputRequests/{key}`");
    let method = request.get("method").and_then(Value::as_str);
    let known = method.and_then(spec::method).filter(|known| known.embedded.contains(revision));
    let Some(known) = known else {
        let expected = format!(
            "{at} is a request for elicitation/create, sampling/createMessage or roots/list"
        );
        return Err(broken(reply, Requirement::MRTR_INPUT_KINDS, &expected, request.short(120)));
    };
    let params = request.get("params");
    let needed = known.capability(revision).into_iter().chain(sub_capability(known.name, params));
    if let Some(capability) = needed.into_iter().find(|needed| !needed.declared_in(declared)) {
        let expected = format!("only what the client declares: {}", declared.short(120));
        let got = format!("{at} with `{}`, which needs `{capability}`", known.name);
        let rule = Requirement::MRTR_UNDECLARED_INPUT_KIND;
        let cause = Cause::RequirementFor(rule, known.name.to_owned());
        let finding = broken(reply, rule, &expected, got).caused_by(cause);
        return Err(finding.hint(format!(
            "a client declares what its handlers serve; if the server may ask, set one for `{}` before the first request",
            known.name
        )));
    }
    // Input requests have no id; the key takes its place, since handlers get a whole request.
    Ok(Request::new(Id::from(key), known.name, params.cloned()))
}

/// The sub-capability that the parameters of an input request need.
fn sub_capability(method: &str, params: Option<&Value>) -> Option<Capability> {
    let has = |name: &str| params.is_some_and(|params| params.get(name).is_some());
    match method {
        "elicitation/create" => match params.and_then(|params| params.get("mode")?.as_str()) {
            Some("url") => Some(Capability::ElicitationUrl),
            // An elicitation without a mode has a form.
            _ => Some(Capability::ElicitationForm),
        },
        "sampling/createMessage" if has("tools") || has("toolChoice") => {
            Some(Capability::SamplingTools)
        }
        _ => None,
    }
}

/// The input that a retry adds to the request.
struct Input {
    responses: Option<Object>,
    state: Option<Value>,
    /// Some of the requested input is missing.
    incomplete: bool,
}

impl Input {
    fn has_responses(&self) -> bool {
        self.responses.as_ref().is_some_and(|responses| !responses.is_empty())
    }

    fn add_to(self, params: &Value) -> Value {
        let mut params = match params {
            Value::Object(members) => members.clone(),
            _ => Object::new(),
        };
        if let Some(responses) = self.responses {
            params.insert("inputResponses", responses);
        }
        if let Some(state) = self.state {
            params.insert("requestState", state);
        }
        params.into()
    }
}
