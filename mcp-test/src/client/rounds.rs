//! Multi round-trip requests of 2026-07-28: a result that asks for input is answered by sending the request again.
//!
//! The handlers give the input, the same that answer requests of the server in earlier revisions. A server that asks for
//! what the client did not declare, or that asks for the same again and again, ends the request with a finding.
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>

use super::handlers::{Handlers, InputError};
use super::wait::Pending;
use super::{Client, Reply};
use crate::check::Finding;
use crate::json::{Object, Value};
use crate::spec::{self, Capability, Revision};
use crate::wire::{Id, Request};

/// How many times a request may ask for input before it counts as endless.
pub const MAX_ROUNDS: usize = 16;

/// What to do about a session that a server has ended, as it may.
const LOST_SESSION: &str =
    "the server has lost the session; `Options::renewing_sessions` begins a new one";

/// What the `resultType` says of a result that asks for input.
const INPUT_REQUIRED: &str = "input_required";

impl Client {
    /// Waits until the request is answered for good.
    pub(super) async fn until_complete(&mut self, pending: Pending) -> Result<Reply, Finding> {
        let mut pending = pending;
        let mut earlier: Vec<Reply> = Vec::new();
        let (mut mended, mut renewed) = (false, false);
        loop {
            let (method, params) = (pending.method.clone(), pending.params.clone());
            let options = pending.options.clone();
            let exchange = pending.sent.exchange;
            let answered = self.until_reply(pending).await;
            let lost_session = !renewed && self.has_lost_session(&method, exchange);
            if lost_session && self.options.renew_sessions {
                renewed = true;
                Box::pin(self.initialize()).await?.result()?;
                earlier.extend(answered);
                let retry = super::RequestOptions { id: None, ..options };
                pending = self.start_with(&method, params, retry).await;
                continue;
            }
            let reply = answered.map_err(|finding| match lost_session {
                true => finding.hint(LOST_SESSION),
                false => finding,
            })?;
            self.learn_tools(&reply);
            if options.once {
                return Ok(reply.after(earlier));
            }
            let again = if !mended && self.mend_headers(&params, &reply).await {
                mended = true;
                params.clone()
            } else if !options.by_hand && asks_for_input(&reply) {
                let declared = self.options.declared(reply.revision());
                let given = InputRequired::read(&reply, &declared)?.given(&self.options.handlers);
                match given {
                    Ok(Some(given)) if progresses(&reply, &earlier, &given)? => {
                        given.add_to(&params)
                    }
                    // The handlers leave something open on purpose: that is the last word.
                    Ok(_) => return Ok(reply.after(earlier)),
                    Err(why) => return Err(refused_by_handler(&reply, &why)),
                }
            } else {
                return Ok(reply.after(earlier));
            };
            earlier.push(reply);
            // Each attempt is a request of its own, with an id of its own.
            let retry = super::RequestOptions { id: None, ..options };
            pending = self.start_with(&method, again, retry).await;
            pending.params = params;
        }
    }
}

impl Client {
    /// Whether the request was refused because the server does not know its session any more.
    fn has_lost_session(&self, method: &str, exchange: Option<u64>) -> bool {
        let Some(exchange) = exchange.filter(|_| method != "initialize") else { return false };
        let link = &self.link;
        link.session().is_some()
            && link.recorder().response_status(link.connection(), exchange) == Some(404)
    }
}

/// A result that asks for input, at a revision that knows such results.
fn asks_for_input(reply: &Reply) -> bool {
    reply.revision().has_input_requests() && reply.result_type() == Some(INPUT_REQUIRED)
}

/// Whether another round can bring something new.
fn progresses(reply: &Reply, earlier: &[Reply], given: &Given) -> Result<bool, Finding> {
    let rounds = earlier.iter().filter(|reply| asks_for_input(reply)).count();
    let same = earlier.last().is_some_and(|last| last.peek() == reply.peek());
    if same && given.incomplete {
        return Ok(false);
    }
    let evidence = || earlier.last().map(Reply::evidence).unwrap_or_default();
    let method = reply.method();
    if same && given.responds() {
        return Err(Finding::peer(format!("`{method}` asks again for what it was given"))
            .expected("another result after the retry, or another question")
            .got("the same input requests, with the same requestState")
            .hint("does what the handler answers fit what is asked for?")
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

fn refused_by_handler(reply: &Reply, why: &InputError) -> Finding {
    Finding::test(format!("`{}` cannot go on without the input that it asks for", reply.method()))
        .expected(format!("a handler that answers `{}` with a result", why.method))
        .got(format!("JSON-RPC {}, which has no place in `inputResponses`", why.error))
        .hint("to leave an input out, use `Handlers::leaving_unanswered`; to look at the result as it is, `RequestOptions::once`")
        .evidence_all(reply.evidence())
}

/// What a result asks for, when it is as it should be.
struct InputRequired {
    requests: Vec<(String, Request)>,
    state: Option<Value>,
}

impl InputRequired {
    fn read(reply: &Reply, declared: &Value) -> Result<Self, Finding> {
        let method = reply.method();
        let broken = |requirement, expected: &str, got: String| {
            Err(Finding::peer(format!("the result of `{method}` asks for input in a wrong way"))
                .expected(expected)
                .got(got)
                .requires(requirement)
                .evidence_all(reply.evidence()))
        };
        let known = spec::method(method);
        if known.is_some_and(|known| !known.may_need_input) {
            let expected =
                "input requests from `prompts/get`, `resources/read` and `tools/call` only";
            return broken(
                "mrtr.supported-methods-only",
                expected,
                format!("them from `{method}`"),
            );
        }
        let part = |name: &str| reply.peek().and_then(|result| result.get(name));
        let state = part("requestState").cloned();
        if let Some(state) = state.as_ref().filter(|state| !state.is_string()) {
            let got = format!("{}, which is {}", state.short(80), state.kind());
            return broken("schema.input-required-result", "`/requestState` is a string", got);
        }
        let requests = match part("inputRequests") {
            None if state.is_none() => {
                let expected = "`inputRequests` or `requestState`, or both";
                return broken("mrtr.requests-or-state", expected, "neither".to_owned());
            }
            None => Vec::new(),
            Some(Value::Object(requests)) => {
                let mut read: Vec<(String, Request)> = Vec::new();
                for (key, request) in requests.iter() {
                    if read.iter().any(|(other, _)| other == key) {
                        let expected = "each key of `inputRequests` once";
                        return broken(
                            "mrtr.input-keys-unique",
                            expected,
                            format!("{key:?} twice"),
                        );
                    }
                    match input_request(key, request, reply.revision(), declared) {
                        Ok(request) => read.push((key.to_owned(), request)),
                        Err(wrong) => return broken(wrong.requirement, &wrong.expected, wrong.got),
                    }
                }
                read
            }
            Some(other) => {
                let got = format!("{}, which is {}", other.short(80), other.kind());
                return broken(
                    "schema.input-required-result",
                    "`/inputRequests` is an object",
                    got,
                );
            }
        };
        Ok(Self { requests, state })
    }

    /// What the handlers give; nothing if they give none of it and there is no state either.
    fn given(self, handlers: &Handlers) -> Result<Option<Given>, InputError> {
        let asked = self.requests.len();
        let mut responses = Object::new();
        for (key, request) in self.requests {
            if let Some(response) = handlers.input(&request)? {
                responses.push(key, response);
            }
        }
        let incomplete = responses.len() < asked;
        if incomplete && responses.is_empty() && self.state.is_none() {
            return Ok(None);
        }
        let responses = (asked > 0).then_some(responses);
        Ok(Some(Given { responses, state: self.state, incomplete }))
    }
}

/// What is wrong with one input request.
struct Wrong {
    requirement: &'static str,
    expected: String,
    got: String,
}

fn input_request(
    key: &str,
    request: &Value,
    revision: Revision,
    declared: &Value,
) -> Result<Request, Wrong> {
    let at = format!("`/inputRequests/{key}`");
    let named = request.get("method").and_then(Value::as_str);
    let known = named.and_then(spec::method).filter(|known| known.embedded.contains(revision));
    let Some(known) = known else {
        return Err(Wrong {
            requirement: "mrtr.input-kinds",
            expected: format!(
                "{at} is a request for elicitation/create, sampling/createMessage or roots/list"
            ),
            got: request.short(120),
        });
    };
    let params = request.get("params");
    let needed = known.capability(revision).into_iter().chain(part_needed(known.name, params));
    if let Some(capability) = needed.into_iter().find(|needed| !needed.declared_in(declared)) {
        return Err(Wrong {
            requirement: "mrtr.undeclared-input-kind",
            expected: format!("only what the client declares: {}", declared.short(120)),
            got: format!("{at} with `{}`, which needs `{capability}`", known.name),
        });
    }
    Ok(Request::new(Id::from(key), known.name, params.cloned()))
}

/// The part of a capability that an input request needs because of its parameters.
fn part_needed(method: &str, params: Option<&Value>) -> Option<Capability> {
    let has = |name: &str| params.is_some_and(|params| params.get(name).is_some());
    match method {
        "elicitation/create" => match params.and_then(|params| params.get("mode")?.as_str()) {
            Some("url") => Some(Capability::ElicitationUrl),
            _ => Some(Capability::ElicitationForm),
        },
        "sampling/createMessage" if has("tools") || has("toolChoice") => {
            Some(Capability::SamplingTools)
        }
        _ => None,
    }
}

/// What the retry says beyond the request itself.
struct Given {
    responses: Option<Object>,
    state: Option<Value>,
    /// Something that was asked for is left out.
    incomplete: bool,
}

impl Given {
    fn responds(&self) -> bool {
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
