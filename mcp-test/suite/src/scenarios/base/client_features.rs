//! `client-features`.

use futures_util::future::join_all;
use mcp_test_core::client::{ElicitationResponse, FormElicitation, Handlers, SamplingResponse};
use mcp_test_core::clock;
use mcp_test_core::expect::{boolean, integer, number, one_of};
use serde_json::Value as Json;

use crate::scenarios::exchange::{Exchange, Refusal, answered, first, param, refused, result};
use crate::scenarios::listing_client::{listing, never_listed};
use crate::scenarios::listing_server::{one_tool, server};
use crate::scenarios::prelude::*;

scenario! {
    /// Before the server answers `tools/list`, it uses what the client declares: it asks for the roots, for a generation, and for a form
    /// with a field of each primitive type. Without `roots` it asks for them all the same, and at 2025-11-25 also for a mode of
    /// elicitation and for tools in sampling that the client does not declare.
    ///
    /// The server waits a moment for the replies, but a client may reply until it exits. A user may refuse to generate, and may decline a
    /// form; what is not answered may wait for a user, and is not judged. What replies look like is judged in every scenario; here only what a schema of MCP cannot express.
    Client "client-features": "The client serves the features that it declares, and refuses the others",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    checks: [
        check!("client-answers-roots",
            "A client that declares `roots` answers `roots/list` with a result; another one refuses it with error -32601",
            [ROOTS_LIST_RESPOND, ROOTS_ERROR_NOT_SUPPORTED_32601]),
        check!("client-roots-are-files", "Each root has a `file://` URI of its own, without `..` in its path",
            [ROOTS_DEFINITION_URI_FILE_SCHEME, ROOTS_DEFINITION_URI_UNIQUE, ROOTS_SECURITY_VALIDATE_URIS]),
        check!("client-answers-sampling",
            "A client that declares `sampling` answers `sampling/createMessage` with a message or a refusal",
            [SAMPLING_CREATE_RESPOND]),
        check!("client-answers-form",
            "A client that declares `elicitation` answers a form that has all primitive types",
            [
                ELICITATION_CREATE_RESPOND, ELICITATION_SCHEMA_CLIENT_ACCEPTS_PRIMITIVES,
                ELICITATION_CAPABILITY_EMPTY_MEANS_FORM,
            ]),
        check!("client-form-conforms",
            "The content of an accepted form conforms to its schema; another form has no content",
            [ELICITATION_RESPONSE_ACCEPT_CONTENT_CONFORMS, ELICITATION_RESPONSE_DECLINE_NO_CONTENT]),
        check!("client-refuses-undeclared-mode",
            "Elicitation in a mode that the client does not declare is refused with error -32602",
            [ELICITATION_ERROR_UNDECLARED_MODE_32602]),
        check!("client-refuses-undeclared-tools",
            "A client that does not declare `sampling.tools` refuses tools in sampling with an error",
            [SAMPLING_TOOLS_CLIENT_REJECTS_UNDECLARED, SAMPLING_TOOLS_CLIENT_DECLARES]),
    ],
}

/// How long the list waits for the replies; longer than for a `ping`, since a model may take part.
const REPLY_TIME: Duration = Duration::from_secs(4);

const ROOTS: &str = "roots/list";
/// What the client may report the progress of its roots under; how it does that is judged in every scenario.
#[doc(hidden)]
pub const ROOTS_TOKEN: u8 = 7;
const SAMPLING: &str = "sampling/createMessage";
const ELICITATION: &str = "elicitation/create";
const STATUSES: [&str; 2] = ["open", "closed"];

fn serve(test: &ClientTest) -> Server {
    server(test).on("tools/list", ask_and_list)
}

async fn ask_and_list(call: Call) -> Answer {
    let requests = requests(call.revision(), call.client_capabilities());
    let replies = requests.into_iter().map(|(method, params)| call.request(method, params));
    // The trace has the replies, and shows which are missing.
    let _replies = clock::within(Deadline::after(REPLY_TIME), join_all(replies)).await;
    one_tool(call).await
}

/// What the server asks a client with these capabilities.
fn requests(revision: Revision, declared: &Value) -> Vec<(&'static str, Json)> {
    let mut requests = vec![(ROOTS, json!({ "_meta": { "progressToken": ROOTS_TOKEN } }))];
    let declares = |capability: Capability| capability.declared_in(declared);
    if declares(Capability::Sampling) {
        requests.push((SAMPLING, sampling()));
        if revision.has_sampling_tools() && !declares(Capability::SamplingTools) {
            requests.push((SAMPLING, sampling_with_tools()));
        }
    }
    if declares(Capability::Elicitation) && revision.has_elicitation() {
        if declares(Capability::ElicitationForm) || !revision.has_url_elicitation() {
            requests.push((ELICITATION, form()));
        }
        if revision.has_url_elicitation() && !declares(Capability::ElicitationUrl) {
            requests.push((ELICITATION, url()));
        }
    }
    requests
}

fn sampling() -> Json {
    let content = json!({ "type": "text", "text": "Reply with one word." });
    json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": 16 })
}

fn sampling_with_tools() -> Json {
    let mut params = sampling();
    params["tools"] = json!([{ "name": "add", "inputSchema": { "type": "object" } }]);
    params
}

fn url() -> Json {
    let message = "Please visit this page";
    let url = "https://example.com/";
    json!({ "mode": "url", "message": message, "url": url, "elicitationId": "visit" })
}

fn form() -> Json {
    let properties = json!({
        "name": { "type": "string", "minLength": 1, "maxLength": 40 },
        "email": { "type": "string", "format": "email" },
        "age": { "type": "integer", "minimum": 1 },
        "score": { "type": "number", "minimum": 0, "maximum": 1 },
        "agreed": { "type": "boolean" },
        "status": { "type": "string", "enum": STATUSES },
    });
    let required = ["name", "email", "age", "score", "agreed", "status"];
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    json!({ "message": "Please fill in this form", "requestedSchema": schema })
}

/// What the schema of the form allows, as far as it is not up to the reader: a format may be understood in more than one way.
fn conforming() -> impl Matcher {
    object()
        .member("name", string())
        .member("email", string())
        .member("age", integer())
        .member("score", number())
        .member("agreed", boolean())
        .member("status", one_of(STATUSES))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    let declared = judging.declared_capabilities();
    let has_roots = declared.iter().any(|declared| Capability::Roots.declared_in(declared));
    roots(judging, has_roots);
    let asked = first(judging, |it| it.method == SAMPLING && param(it, "tools").is_none());
    served(judging, "client-answers-sampling", SAMPLING, asked.as_ref(), Refusal::Allowed);
    let revision = judging.revision();
    if revision.has_elicitation() {
        answers_form(judging);
    }
    if judging.makes("client-refuses-undeclared-mode") {
        let url = first(judging, |it| param(it, "mode") == Some(&Value::from("url")));
        let check = judging.check("client-refuses-undeclared-mode");
        match url {
            None => check.skip("the client was not asked in a mode that it does not declare"),
            Some(exchange) => {
                check.judge(refused(ELICITATION, &exchange, Some(error_code::INVALID_PARAMS)))
            }
        };
        let tools = first(judging, |it| it.method == SAMPLING && param(it, "tools").is_some());
        let check = judging.check("client-refuses-undeclared-tools");
        match tools {
            None => check.skip("the client was not asked with tools that it does not declare"),
            Some(exchange) => check.judge(refused(SAMPLING, &exchange, None)),
        };
    }
    Ok(())
}

fn roots(judging: &mut Judging, is_declared: bool) {
    let exchange = first(judging, |it| it.method == ROOTS);
    let listed = exchange.as_ref().and_then(result).filter(|_| is_declared);
    let check = judging.check("client-answers-roots");
    match &exchange {
        None => check.skip("the client was not asked for its roots"),
        Some(exchange) if is_declared => check
            .requires(Requirement::ROOTS_LIST_RESPOND)
            .judge(answered(ROOTS, exchange, Refusal::Allowed)),
        Some(exchange) => {
            let refused = refused(ROOTS, exchange, Some(error_code::METHOD_NOT_FOUND));
            let refused = refused.map_err(Finding::should);
            check.requires(Requirement::ROOTS_ERROR_NOT_SUPPORTED_32601).judge(refused)
        }
    };
    let check = judging.check("client-roots-are-files");
    match listed {
        None => check.skip("the client listed no roots"),
        Some((seq, result)) => check.judge(files(seq, result)),
    };
}

/// Judges the reply to what needs a model or a person. It may take longer than a scenario, so that a missing reply is not a finding.
fn served(
    judging: &mut Judging,
    check: &str,
    method: &str,
    exchange: Option<&Exchange>,
    refusal: Refusal,
) {
    let Some(exchange) = exchange else {
        judging.check(check).skip(format!("the client was not sent `{method}`"));
        return;
    };
    if exchange.1.is_none() {
        judging.check(check).skip("the client did not answer; a person may have to");
        judging.tolerate_failed_exit();
        return;
    }
    judging.check(check).judge(answered(method, exchange, refusal));
}

fn answers_form(judging: &mut Judging) {
    let exchange = first(judging, |it| param(it, "requestedSchema").is_some());
    served(judging, "client-answers-form", ELICITATION, exchange.as_ref(), Refusal::Forbidden);
    let check = judging.check("client-form-conforms");
    let Some((seq, result)) = exchange.as_ref().and_then(result) else {
        check.skip("the client answered no form");
        return;
    };
    let content = result.get("content");
    if result.get("action").and_then(Value::as_str) == Some("accept") {
        let none = Object::new().into();
        let content = Part::new("the submitted content", content.unwrap_or(&none), Some(seq));
        check
            .requires(Requirement::ELICITATION_RESPONSE_ACCEPT_CONTENT_CONFORMS)
            .expect(&content, conforming());
        return;
    }
    let without = match content {
        None => Ok(()),
        Some(content) => {
            Err(Finding::peer("the client sent content with a form that was not accepted")
                .expected("no `content`")
                .got(content.short(120))
                .evidence(seq)
                .should())
        }
    };
    check.requires(Requirement::ELICITATION_RESPONSE_DECLINE_NO_CONTENT).judge(without);
}

fn files(seq: Seq, result: &Value) -> Result<(), Finding> {
    let roots = result.get("roots").and_then(Value::as_array).unwrap_or_default();
    let uris: Vec<&str> = roots.iter().filter_map(|root| root.get("uri")?.as_str()).collect();
    // The scheme of a URI has no case (RFC 3986, section 3.1).
    let is_file =
        |uri: &str| uri.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file://"));
    if let Some(uri) = uris.iter().find(|uri| !is_file(uri)) {
        return Err(Finding::peer("a root is not a file")
            .expected("a URI that begins with `file://`")
            .got(Value::from(*uri).short(120))
            .requires(Requirement::ROOTS_DEFINITION_URI_FILE_SCHEME)
            .evidence(seq));
    }
    if let Some(uri) = uris.iter().find(|uri| leads_upwards(uri)) {
        return Err(Finding::peer("the path of a root leads upwards")
            .expected("a path without a segment `..`")
            .got(Value::from(*uri).short(120))
            .requires(Requirement::ROOTS_SECURITY_VALIDATE_URIS)
            .evidence(seq));
    }
    let is_repeated = |at: usize| uris[..at].contains(&uris[at]);
    match (0..uris.len()).find(|at| is_repeated(*at)) {
        None => Ok(()),
        Some(at) => Err(Finding::peer("two roots have the same URI")
            .expected("another URI for each root")
            .got(Value::from(uris[at]).short(120))
            .requires(Requirement::ROOTS_DEFINITION_URI_UNIQUE)
            .evidence(seq)),
    }
}

/// Whether a segment of the path is `..`, also if its dots are escaped (RFC 3986, section 2.4).
fn leads_upwards(uri: &str) -> bool {
    uri.split(['/', '\\']).any(|segment| segment.to_ascii_lowercase().replace("%2e", ".") == "..")
}

/// Connects with these handlers and capabilities, and lists the tools.
fn asked(handlers: fn() -> Handlers, capabilities: fn() -> Json) -> ScriptedClient {
    listing(move |task| task.options().handlers(handlers()).capabilities(capabilities()))
}

fn generates_with_undeclared_tools() -> ScriptedClient {
    let model = || Handlers::new().sampling(|_| SamplingResponse::text("generated"));
    asked(model, || json!({ "sampling": {} }))
}

fn declines_in_an_undeclared_mode() -> ScriptedClient {
    let user = || {
        Handlers::new()
            .elicitation(FormElicitation::accept_examples)
            .elicitation_url(|_| ElicitationResponse::decline())
    };
    asked(user, || json!({ "elicitation": {} }))
}

fn declines_with_content() -> ScriptedClient {
    let user = || {
        let answer = json!({ "action": "decline", "content": { "name": "Ada" } });
        Handlers::new().on(ELICITATION, move |_| Ok(answer.clone().into()))
    };
    asked(user, || json!({ "elicitation": { "form": {}, "url": {} } }))
}

proofs! {
    passes on good_client();
    catches "client-answers-roots" by reply_error("roots/list", -32601);
    catches "client-answers-roots" by never("roots/list");
    warns "client-answers-roots" on asked(|| Handlers::new().roots(["file:///project"]), || json!({}));
    catches "client-roots-are-files" by set("roots/list", "/roots/0/uri", json!("https://example.com/"));
    catches "client-roots-are-files"
        by set("roots/list", "/roots", json!([{ "uri": "file:///a" }, { "uri": "file:///a" }]));
    catches "client-roots-are-files" by set("roots/list", "/roots/0/uri", json!("file:///project/%2E./secret"));
    catches "client-answers-sampling" by reply_error("sampling/createMessage", -32601);
    catches "client-answers-form" by reply_error("elicitation/create", -32602);
    catches "client-form-conforms" by retype("elicitation/create", "/content/age");
    catches "client-form-conforms" by remove("elicitation/create", "/content/agreed");
    warns "client-form-conforms" on declines_with_content();
    catches "client-refuses-undeclared-mode" on declines_in_an_undeclared_mode();
    catches "client-refuses-undeclared-tools" on generates_with_undeclared_tools();
}
