//! `client-elicitation`.

mod peers;

use futures_util::future::join_all;
use mcp_test_core::clock;
use mcp_test_core::expect::{non_empty_array_of, one_of};
use mcp_test_core::spec::error_code::INTERNAL_ERROR;
use serde_json::Value as Json;

use super::client_elicitation::peers::{
    answers_with_names, answers_with_titles, looks_ahead, refuses_a_missing_mode,
    refuses_a_pattern, refuses_choices, refuses_enum_names, refuses_urls, submits_with_a_url,
    wants_a_uuid,
};
use crate::scenarios::exchange::{Exchange, Refusal, answered, first, param, result};
use crate::scenarios::listing_client::never_listed;
use crate::scenarios::listing_server::{REPLY_TIME, one_tool, server};
use crate::scenarios::prelude::*;

scenario! {
    /// Before the server answers `tools/list`, it asks a client that declares `elicitation` for what not every client expects: a form
    /// whose request names no mode, one with choices of every kind, one with the `enumNames` of earlier revisions, one with a `pattern`,
    /// and, if the client declares the mode, two visits to URLs, the second with an id that is not a UUID.
    ///
    /// A user may decline each of them; what is not answered may wait for a user, and is not judged. Over HTTP the second URL is one of
    /// the server, which sees whether the client opens it although the user has not agreed.
    Client "client-elicitation": "The client serves forms of every kind, and URLs",
    revisions: Revisions::only(Revision::V2025_11_25),
    checks: [
        check!("client-answers-form-without-mode", "The client answers a form whose request names no mode",
            [ELICITATION_REQUEST_MODE_ABSENT_IS_FORM, ELICITATION_CAPABILITY_AT_LEAST_ONE_MODE]),
        check!("client-answers-choices",
            "The client answers a form with titled and untitled, single and multiple choices, by their values",
            [ELICITATION_SCHEMA_CLIENT_ACCEPTS_ENUM_VARIANTS]),
        check!("client-answers-enum-names", "The client answers a form with `enumNames`, by a value of the `enum`",
            [ELICITATION_SCHEMA_CLIENT_ACCEPTS_LEGACY_ENUM_NAMES]),
        check!("client-tolerates-pattern", "The client answers a form whose text has a `pattern`",
            [ELICITATION_SCHEMA_CLIENT_TOLERATES_PATTERN]),
        check!("client-answers-url", "A client that declares the mode `url` answers a request to visit a URL",
            [ELICITATION_CAPABILITY_AT_LEAST_ONE_MODE]),
        check!("client-takes-any-elicitation-id",
            "The client answers a request whose `elicitationId` is not a UUID as it answers others",
            [ELICITATION_URL_ELICITATION_ID_OPAQUE]),
        check!("client-url-without-content", "The answer of a user who agrees to visit a URL has no content",
            [ELICITATION_RESPONSE_URL_NO_CONTENT]),
        check!("client-opens-no-url", "The client does not open a URL to whose visit the user has not agreed",
            [ELICITATION_SAFE_URL_CLIENT_NO_PREFETCH, ELICITATION_SAFE_URL_CLIENT_CONSENT]).over_http(),
    ],
}

const ELICITATION: &str = "elicitation/create";

/// The forms, by their messages.
const WITHOUT_MODE: &str = "A form without a mode";
const CHOICES: &str = "A form with choices";
const ENUM_NAMES: &str = "A form with the names of values";
const PATTERN: &str = "A form with a pattern";

/// The ids of the elicitations at URLs.
const UUID: &str = "8c2b7a3e-4b61-4f0e-9d57-2f6f3c1a9b10";
const OPAQUE: &str = "No UUID, but \"text\" \u{fc}\u{1f980}\t / ?#% of no meaning";

/// What no page of the server has.
const PAGE: &str = "/mcp-test/page-of-an-elicitation";

const VALUES: [&str; 2] = ["r", "g"];
const TITLES: [&str; 2] = ["Red", "Green"];

fn serve(test: &ClientTest) -> Server {
    let test = test.clone();
    server(&test).on("tools/list", move |call: Call| {
        // Here, since the server has no URL before it listens.
        let requests = requests(call.client_capabilities(), &page(test.url()));
        async move {
            let replies = requests.into_iter().map(|params| call.request(ELICITATION, params));
            // The trace has the replies, and shows which are missing.
            let _replies = clock::within(Deadline::after(REPLY_TIME), join_all(replies)).await;
            let answer: Answer = one_tool(call).await;
            answer
        }
    })
}

/// A page next to the endpoint; over a pipe, one that nobody serves.
fn page(endpoint: &str) -> String {
    let origin = endpoint.rsplit_once('/').map_or("https://example.com", |(origin, _)| origin);
    format!("{origin}{PAGE}")
}

/// The params of the requests to a client with these capabilities.
fn requests(declared: &Value, page: &str) -> Vec<Json> {
    let mut requests = Vec::new();
    if Capability::ElicitationForm.declared_in(declared) {
        requests.extend(forms());
    }
    if Capability::ElicitationUrl.declared_in(declared) {
        let visit = |url: &str, id: &str| json!({ "mode": "url", "message": "Please visit this page", "url": url, "elicitationId": id });
        requests.extend([visit("https://example.com/", UUID), visit(page, OPAQUE)]);
    }
    requests
}

fn forms() -> [Json; 4] {
    let options = || json!([{ "const": "r", "title": "Red" }, { "const": "g", "title": "Green" }]);
    let schema = |properties: Json| {
        let names: Vec<&String> =
            properties.as_object().into_iter().flat_map(|it| it.keys()).collect();
        json!({ "type": "object", "required": names, "properties": properties })
    };
    let form = |message: &str, properties: Json| json!({ "mode": "form", "message": message, "requestedSchema": schema(properties) });
    let name = json!({ "name": { "type": "string" } });
    [
        json!({ "message": WITHOUT_MODE, "requestedSchema": schema(name) }),
        form(
            CHOICES,
            json!({
                "one": { "type": "string", "enum": VALUES },
                "oneTitled": { "type": "string", "oneOf": options() },
                "some": { "type": "array", "minItems": 1, "items": { "type": "string", "enum": VALUES } },
                "someTitled": { "type": "array", "minItems": 1, "items": { "anyOf": options() } },
            }),
        ),
        form(
            ENUM_NAMES,
            json!({ "color": { "type": "string", "enum": VALUES, "enumNames": TITLES } }),
        ),
        form(
            PATTERN,
            json!({ "code": { "type": "string", "pattern": "^[a-z]{3}$", "default": "abc" } }),
        ),
    ]
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    let asked = |judging: &Judging, name: &str, value: &str| {
        first(judging, |it| {
            it.method == ELICITATION && param(it, name) == Some(&Value::from(value))
        })
    };
    let [without_mode, choices, enum_names, pattern] =
        [WITHOUT_MODE, CHOICES, ENUM_NAMES, PATTERN].map(|form| asked(judging, "message", form));
    match &without_mode {
        // The form is as plain as can be: no user can be asked, for lack of a terminal, say.
        Some((_, Some((_, Message::Error(reply))))) if reply.error.code == INTERNAL_ERROR => {
            judging
                .check("client-answers-form-without-mode")
                .skip("the client failed when it asked its user");
            judging.tolerate_failed_exit();
        }
        _ => served(judging, "client-answers-form-without-mode", without_mode.as_ref()),
    }
    let conforming = object()
        .member("one", one_of(VALUES))
        .member("oneTitled", one_of(VALUES))
        .member("some", non_empty_array_of(one_of(VALUES)))
        .member("someTitled", non_empty_array_of(one_of(VALUES)));
    chosen(judging, "client-answers-choices", choices.as_ref(), conforming);
    let conforming = object().member("color", one_of(VALUES));
    chosen(judging, "client-answers-enum-names", enum_names.as_ref(), conforming);
    served(judging, "client-tolerates-pattern", pattern.as_ref());
    let [plain, opaque] = [UUID, OPAQUE].map(|id| asked(judging, "elicitationId", id));
    served(judging, "client-answers-url", plain.as_ref());
    match plain.as_ref().and_then(result) {
        Some(_) => served(judging, "client-takes-any-elicitation-id", opaque.as_ref()),
        None => drop(
            judging
                .check("client-takes-any-elicitation-id")
                .skip("the client answered no request to visit a URL"),
        ),
    }
    without_content(judging, [&plain, &opaque]);
    if judging.transport().is_http() {
        opens_no_url(judging, opaque.as_ref());
    }
    Ok(())
}

/// Judges whether the client answers with a result. A reply may take longer than the scenario, so that a missing one is not a finding.
fn served(judging: &mut Judging, check: &str, exchange: Option<&Exchange>) {
    let Some(exchange) = exchange else {
        judging.check(check).skip("the client does not declare this mode of elicitation");
        return;
    };
    if exchange.1.is_none() {
        judging.check(check).skip("the client did not answer; a person may have to");
        judging.tolerate_failed_exit();
        return;
    }
    judging.check(check).judge(answered(ELICITATION, exchange, Refusal::Forbidden));
}

/// Judges whether the client answers with a result and, if the user accepts, with these values.
fn chosen(judging: &mut Judging, check: &str, exchange: Option<&Exchange>, values: impl Matcher) {
    served(judging, check, exchange);
    let accepted = exchange.and_then(result).filter(|(_, result)| is_accepted(result));
    if let Some((seq, content)) = accepted.and_then(|(seq, it)| Some((seq, it.get("content")?))) {
        let content = Part::new("the submitted content", content, Some(seq));
        judging.check(check).expect(&content, values);
    }
}

fn is_accepted(result: &Value) -> bool {
    result.get("action").and_then(Value::as_str) == Some("accept")
}

fn without_content(judging: &mut Judging, exchanges: [&Option<Exchange>; 2]) {
    let results = exchanges.into_iter().flatten().filter_map(result);
    let accepted: Vec<(Seq, &Value)> = results.filter(|(_, result)| is_accepted(result)).collect();
    let mut check = judging.check("client-url-without-content");
    if accepted.is_empty() {
        check.skip("nobody agreed to visit a URL");
        return;
    }
    for (seq, result) in accepted {
        check = check.judge(match result.get("content") {
            None => Ok(()),
            Some(content) => Err(Finding::peer("the client sent content with the visit of a URL")
                .expected("`action` without `content`")
                .got(content.short(120))
                .evidence(seq)),
        });
    }
}

fn opens_no_url(judging: &mut Judging, asked: Option<&Exchange>) {
    let trace = judging.trace();
    let visit = trace.events.iter().find(|event| {
        let EventKind::HttpRequest { path, .. } = &event.kind else { return false };
        event.party == Party::Client && path.starts_with(PAGE)
    });
    let has_agreed = asked.and_then(result).is_some_and(|(_, result)| is_accepted(result));
    let check = judging.check("client-opens-no-url");
    match (asked, visit) {
        (None, _) => check.skip("the client does not declare this mode of elicitation"),
        (Some(_), _) if has_agreed => check.skip("the user agreed to the visit"),
        (Some((_, None)), None) => check.skip("the client did not answer; a person may have to"),
        (Some(_), None) => check.pass(),
        (Some((seq, _)), Some(visit)) => check.fail(
            Finding::peer("the client opened a URL to whose visit the user had not agreed")
                .expected("no request for the URL unless the answer accepts")
                .got(format!("a request for `{PAGE}`"))
                .evidence_all([*seq, visit.seq]),
        ),
    };
}

proofs! {
    passes on good_client();
    catches "client-answers-form-without-mode" on refuses_a_missing_mode();
    catches "client-answers-choices" on refuses_choices();
    catches "client-answers-choices" on answers_with_titles();
    catches "client-answers-enum-names" on refuses_enum_names();
    catches "client-answers-enum-names" on answers_with_names();
    warns "client-tolerates-pattern" on refuses_a_pattern();
    catches "client-answers-url" on refuses_urls();
    catches "client-takes-any-elicitation-id" on wants_a_uuid();
    catches "client-url-without-content" on submits_with_a_url();
    catches "client-opens-no-url" on looks_ahead(), over Http;
}
