//! Conversations written down line by line, and the requirements that they break.

#![allow(clippy::needless_pass_by_value, reason = "JSON literals are easier to read as arguments")]

use serde_json::json;

use super::ServerRequestJudge;
use crate::check::walk::walk;
use crate::check::{Finding, judge_shapes};
use crate::expect::words;
use crate::spec::Requirement;
use crate::spec::Revision::{self, V2025_06_18, V2025_11_25, V2026_07_28};
use crate::spec::schema::{Authority, Schemas};
use crate::trace::{EventKind, Party, Recorder, Trace};

/// The messages of a conversation: whether the client sent them, and what they are.
fn trace(messages: &[(bool, serde_json::Value)]) -> Trace {
    let recorder = Recorder::new();
    let on = recorder.open("duplex");
    for (is_ours, message) in messages {
        let party = if *is_ours { Party::Client } else { Party::Server };
        let mut message = message.clone();
        message["jsonrpc"] = "2.0".into();
        recorder.record(on, party, EventKind::message(message.to_string().into()));
    }
    recorder.trace()
}

fn cited(findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| {
        let level = format!("{:?}", finding.severity).to_lowercase();
        format!("{level} {}", words::joined(&finding.requirements, " "))
    };
    findings.iter().map(line).collect()
}

/// The requirements that the rules find broken.
fn broken(revision: Revision, messages: &[(bool, serde_json::Value)]) -> Vec<String> {
    let (trace, revisions) = (trace(messages), |_| revision);
    let mut judge = ServerRequestJudge::default();
    walk(&trace, &revisions, &mut judge);
    cited(&judge.findings.into_findings())
}

/// The requirements that the shapes find broken.
fn misshapen(revision: Revision, messages: &[(bool, serde_json::Value)]) -> Vec<String> {
    let schemas = Schemas::ours();
    let judged =
        judge_shapes(&trace(messages), Party::Server, &|_| revision, &schemas, Authority::Text);
    cited(&judged.findings)
}

/// A request of the server to a client with these capabilities, in the form of the revision.
fn asked(
    revision: Revision,
    capabilities: serde_json::Value,
    method: &str,
    params: serde_json::Value,
) -> Vec<(bool, serde_json::Value)> {
    if revision < V2026_07_28 {
        let params_of_client = json!({"protocolVersion": revision.as_str(), "capabilities": capabilities, "clientInfo": {"name": "a", "version": "1"}});
        return vec![
            (true, json!({"id": 0, "method": "initialize", "params": params_of_client})),
            (false, json!({"id": "s", "method": method, "params": params})),
        ];
    }
    let meta = json!({"io.modelcontextprotocol/protocolVersion": revision.as_str(), "io.modelcontextprotocol/clientCapabilities": capabilities});
    let result = json!({"resultType": "input_required", "inputRequests": {"a": {"method": method, "params": params}}});
    vec![
        (true, json!({"id": 1, "method": "tools/call", "params": {"name": "a", "_meta": meta}})),
        (false, json!({"id": 1, "result": result})),
    ]
}

fn all_of_elicitation() -> serde_json::Value {
    json!({"elicitation": {"form": {}, "url": {}}})
}

fn with_property(name: &str, property: &serde_json::Value) -> serde_json::Value {
    json!({"message": "?", "requestedSchema": {"type": "object", "properties": {name: property}}})
}

/// What rules and shapes find of a form with one property.
fn property(revision: Revision, name: &str, property: serde_json::Value) -> String {
    let params = with_property(name, &property);
    let messages = asked(revision, all_of_elicitation(), "elicitation/create", params);
    let of_rules = broken(revision, &messages);
    let of_shapes = misshapen(revision, &messages);
    [of_rules, of_shapes].concat().join(", ").replace("elicitation.", "")
}

#[test]
fn good_forms_break_nothing() {
    let titled = json!([{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]);
    let both = [
        json!({"type": "string"}),
        json!({"type": "string", "title": "Address", "format": "email", "minLength": 3, "maxLength": 3}),
        json!({"type": "integer", "minimum": 0, "maximum": 10}),
        json!({"type": "boolean", "default": false}),
        json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]}),
    ];
    let newer = [
        json!({"type": "string", "default": "x"}),
        json!({"type": "number", "default": 1.5}),
        json!({"type": "string", "oneOf": titled, "default": "a"}),
        json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1, "maxItems": 2, "default": ["a"]}),
        json!({"type": "array", "items": {"anyOf": titled}, "default": []}),
    ];
    for good in &both {
        assert_eq!(property(V2025_06_18, "x", good.clone()), "", "{good}");
    }
    for good in both.iter().chain(&newer) {
        assert_eq!(property(V2025_11_25, "x", good.clone()), "", "{good}");
        assert_eq!(property(V2026_07_28, "x", good.clone()), "", "{good}");
    }
}

#[test]
fn bad_properties_break_one_rule_each_by_rule_or_by_shape() {
    let cases = [
        (V2025_06_18, json!({"type": "object", "properties": {}}), "flat"),
        (V2025_11_25, json!({"type": "string", "properties": {}}), "flat"),
        (V2026_07_28, json!({"type": "object"}), "flat"),
        (
            V2025_06_18,
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}}),
            "no-arrays",
        ),
        (
            V2025_11_25,
            json!({"type": "array", "items": {"type": "string"}}),
            "arrays-only-for-enums",
        ),
        (V2025_11_25, json!({"type": "string", "not": {}}), "no-advanced-keywords"),
        (
            V2025_11_25,
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            "no-advanced-keywords",
        ),
        (V2025_06_18, json!({"$ref": "#/a"}), "no-advanced-keywords"),
        (V2025_06_18, json!({"type": "string", "format": "uuid"}), "string-formats"),
        (V2025_11_25, json!({"type": "string", "enum": ["a"], "format": "uuid"}), "string-formats"),
        (V2025_06_18, json!({"type": "string", "minLength": "3"}), "string-length-bounds"),
        (V2025_11_25, json!({"type": "string", "minLength": -1}), "string-length-bounds"),
        (
            V2025_11_25,
            json!({"type": "string", "minLength": 4, "maxLength": 3}),
            "string-length-bounds",
        ),
        (V2025_06_18, json!({"type": "number", "minimum": "0"}), "number-bounds"),
        (V2025_06_18, json!({"type": "string", "enum": ["a"], "enumNames": []}), "enum-names"),
        (
            V2025_06_18,
            json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}),
            "enum-names",
        ),
        (V2025_11_25, json!({"type": "string", "enum": [1]}), "enum-single-untitled"),
        (V2025_11_25, json!({"enum": ["a"]}), "enum-single-untitled"),
        (V2025_11_25, json!({"type": "string", "oneOf": [{"const": "a"}]}), "enum-single-titled"),
        (
            V2025_11_25,
            json!({"type": "array", "enum": ["a"], "items": {"type": "string"}}),
            "enum-multi-untitled",
        ),
        (
            V2025_11_25,
            json!({"type": "array", "items": {"oneOf": [{"const": "a", "title": "A"}]}}),
            "enum-multi-titled",
        ),
        (
            V2025_11_25,
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 2}),
            "multi-select-bounds",
        ),
        (
            V2026_07_28,
            json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 2, "maxItems": 1}),
            "multi-select-bounds",
        ),
        (V2025_11_25, json!({"type": "string", "enum": ["a"], "default": "b"}), "defaults-typed"),
        (V2025_11_25, json!({"type": "number", "default": "1"}), "defaults-typed"),
        (V2026_07_28, json!({"type": "integer", "default": 1.5}), "defaults-typed"),
        (V2025_06_18, json!({"type": "boolean", "default": "false"}), "boolean-default"),
        (V2025_06_18, json!({"type": "null"}), "primitive-types"),
    ];
    for (revision, bad, expected) in cases {
        let found = property(revision, "x", bad.clone());
        assert_eq!(found, format!("must schema.{expected}"), "{revision} {bad}");
    }
}

#[test]
fn forms_do_not_ask_for_secrets() {
    let text = || json!({"type": "string"});
    assert_eq!(property(V2025_06_18, "apiKey", text()), "must sensitive.not-elicited");
    let newer = "must sensitive.not-in-form-mode elicitation.sensitive.url-mode-used";
    let newer = newer.replace("elicitation.", "");
    assert_eq!(property(V2025_11_25, "apiKey", text()), newer);
    let titled = json!({"type": "string", "title": "Enter your password"});
    assert_eq!(property(V2026_07_28, "x", titled), newer);
    assert_eq!(property(V2025_11_25, "resetPassword", json!({"type": "boolean"})), "");
    let choice = json!({"type": "string", "enum": ["a"]});
    assert_eq!(property(V2025_11_25, "cardNumber", choice), "");
}

#[test]
fn modes_are_those_that_the_client_declares() {
    let form = || with_property("x", &json!({"type": "string"}));
    let url = || {
        let mut url = json!({"mode": "url", "message": "?", "url": "https://a.example"});
        url["elicitationId"] = "1".into();
        url
    };
    let at = |capabilities, params| {
        broken(V2025_11_25, &asked(V2025_11_25, capabilities, "elicitation/create", params))
            .join(",")
    };
    let only = "must elicitation.request.supported-modes-only";
    assert_eq!(at(json!({"elicitation": {}}), form()), "");
    assert_eq!(at(all_of_elicitation(), url()), "");
    // Without the capability the whole request is wrong, which is another finding.
    assert_eq!(at(json!({}), url()), "");
    assert_eq!(at(json!({"elicitation": {"url": {}}}), form()), only);
    assert_eq!(at(json!({"elicitation": {"form": {}}}), url()), only);
    assert_eq!(
        at(json!({"elicitation": {}}), url()),
        format!("{only} elicitation.capability.empty-means-form")
    );
    let stateless = |capabilities, method, params| {
        broken(V2026_07_28, &asked(V2026_07_28, capabilities, method, params)).join(",")
    };
    let kind = "mrtr.undeclared-input-kind base.capability-undeclared-not-used base.capabilities-respected";
    assert_eq!(stateless(json!({}), "elicitation/create", form()), format!("must {kind}"));
    assert_eq!(
        stateless(json!({"elicitation": {"url": {}}}), "elicitation/create", form()),
        format!("{only} {kind}")
    );
    assert_eq!(
        stateless(json!({}), "roots/list", json!({})),
        format!("must {kind} roots.list.requires-capability")
    );
    assert_eq!(stateless(json!({"roots": {}}), "roots/list", json!({})), "");
}

#[test]
fn sampling_uses_what_is_declared() {
    let ask = |capabilities, more: serde_json::Value| {
        let mut params = json!({"messages": [], "maxTokens": 1});
        for (name, value) in more.as_object().expect("members") {
            params[name] = value.clone();
        }
        broken(V2025_11_25, &asked(V2025_11_25, capabilities, "sampling/createMessage", params))
            .join(",")
    };
    let plain = || json!({"sampling": {}});
    assert_eq!(ask(plain(), json!({"includeContext": "none"})), "");
    assert_eq!(
        ask(plain(), json!({"includeContext": "allServers"})),
        "should sampling.context.requires-capability sampling.context.avoid-deprecated"
    );
    assert_eq!(
        ask(json!({"sampling": {"context": {}}}), json!({"includeContext": "thisServer"})),
        "should sampling.context.avoid-deprecated"
    );
    assert_eq!(ask(plain(), json!({"tools": []})), "must sampling.tools.server-gate");
    assert_eq!(ask(json!({"sampling": {"tools": {}}}), json!({"tools": []})), "");
}

#[test]
fn tool_uses_and_results_follow_each_other() {
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "t", "input": {}});
    let result = |id: &str| json!({"type": "tool_result", "toolUseId": id, "content": []});
    let text = json!({"type": "text", "text": "x"});
    let ask = |messages: &[(&str, serde_json::Value)]| {
        let message =
            |(role, content): &(&str, serde_json::Value)| json!({"role": role, "content": content});
        let messages: Vec<_> = messages.iter().map(message).collect();
        let params = json!({"messages": messages, "maxTokens": 1});
        let capabilities = json!({"sampling": {"tools": {}}});
        let found = broken(
            V2025_11_25,
            &asked(V2025_11_25, capabilities, "sampling/createMessage", params),
        );
        found.join(", ").replace("sampling.message.", "")
    };
    let calls = ("assistant", json!([call("1"), call("2")]));
    assert_eq!(ask(&[calls.clone(), ("user", json!([result("2"), result("1")]))]), "");
    assert_eq!(ask(&[("assistant", call("1")), ("user", result("1"))]), "");
    assert_eq!(ask(&[calls.clone(), ("user", result("1"))]), "must tool-use-balance");
    assert_eq!(ask(std::slice::from_ref(&calls)), "must tool-use-balance");
    assert_eq!(
        ask(&[("assistant", call("1")), ("user", json!([result("1"), text]))]),
        "must tool-results-only"
    );
    assert_eq!(
        ask(&[("assistant", call("1")), ("user", result("t"))]),
        "must tool-result-id-match"
    );
    assert_eq!(
        ask(&[("assistant", call("1")), ("assistant", result("1"))]),
        "must tool-result-user-role"
    );
}

#[test]
fn shapes_of_requests_cite_their_rules() {
    let ask = |revision, method, params| {
        let capabilities =
            json!({"sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}}});
        let messages = asked(revision, capabilities, method, params);
        assert_eq!(broken(revision, &messages), [""; 0]);
        misshapen(revision, &messages).join(", ").replace("must ", "")
    };
    let sample = |content: serde_json::Value| json!({"messages": [{"role": "user", "content": content}], "maxTokens": 1});
    let with = |name: &str, value: serde_json::Value| {
        let mut params = sample(json!({"type": "text", "text": "x"}));
        params[name] = value;
        params
    };
    let audio = || json!({"type": "audio", "data": "", "mimeType": "audio/wav"});
    let link = || json!({"type": "resource_link", "uri": "a:b", "name": "x"});
    let url = |more: serde_json::Value| {
        let mut params = json!({"mode": "url", "message": "?", "url": "https://a.example", "elicitationId": "1"});
        for (name, value) in more.as_object().expect("members") {
            params[name] = value.clone();
        }
        params
    };
    let without = |name: &str| {
        let mut params = url(json!({}));
        params.as_object_mut().expect("an object").remove(name);
        params
    };
    let form = |mode: serde_json::Value| {
        let mut params = with_property("x", &json!({"type": "string"}));
        params["mode"] = mode;
        params
    };
    let (create, elicit) = ("sampling/createMessage", "elicitation/create");
    let cases = [
        (
            Revision::V2024_11_05,
            create,
            sample(audio()),
            Requirement::SAMPLING_CONTENT_TYPES_TEXT_IMAGE,
        ),
        (V2025_06_18, create, sample(json!([])), Requirement::SAMPLING_CONTENT_TYPES_WITH_AUDIO),
        (V2025_11_25, create, sample(link()), Requirement::SAMPLING_CONTENT_TYPES_WITH_TOOLS),
        (
            V2025_11_25,
            create,
            sample(json!([link()])),
            Requirement::SAMPLING_CONTENT_TYPES_WITH_TOOLS,
        ),
        (V2026_07_28, create, sample(link()), Requirement::SAMPLING_CONTENT_TYPES_WITH_TOOLS),
        (
            V2025_06_18,
            create,
            sample(json!({"type": "image", "data": "data:x", "mimeType": "a/b"})),
            Requirement::SAMPLING_CONTENT_BASE64,
        ),
        (
            V2025_11_25,
            create,
            sample(json!([{"type": "image", "data": ""}])),
            Requirement::SAMPLING_CONTENT_BASE64,
        ),
        (
            V2025_11_25,
            create,
            with("toolChoice", json!("auto")),
            Requirement::SAMPLING_TOOL_CHOICE_MODE_ENUM,
        ),
        (
            V2026_07_28,
            create,
            with("toolChoice", json!({"mode": "any"})),
            Requirement::SAMPLING_TOOL_CHOICE_MODE_ENUM,
        ),
        (
            Revision::V2024_11_05,
            create,
            with("modelPreferences", json!({"speedPriority": 10})),
            Requirement::SAMPLING_PREFERENCES_PRIORITY_RANGE,
        ),
        (V2025_11_25, elicit, form(json!(null)), Requirement::ELICITATION_FORM_MODE_FIELD),
        (
            V2025_11_25,
            elicit,
            url(json!({"mode": "link"})),
            Requirement::ELICITATION_REQUEST_MODE_VALUES,
        ),
        (V2025_11_25, elicit, without("mode"), Requirement::ELICITATION_REQUEST_MODE_VALUES),
        (V2025_11_25, elicit, without("message"), Requirement::ELICITATION_URL_MODE_AND_MESSAGE),
        (V2025_11_25, elicit, without("url"), Requirement::ELICITATION_URL_URL_REQUIRED),
        (
            V2025_11_25,
            elicit,
            url(json!({"url": "/connect"})),
            Requirement::ELICITATION_URL_URL_VALID,
        ),
        (
            V2025_11_25,
            elicit,
            url(json!({"url": "https://a b"})),
            Requirement::ELICITATION_URL_URL_VALID,
        ),
        (
            V2025_11_25,
            elicit,
            without("elicitationId"),
            Requirement::ELICITATION_URL_ELICITATION_ID_REQUIRED,
        ),
        (
            V2025_11_25,
            elicit,
            json!({"message": "?"}),
            Requirement::ELICITATION_FORM_REQUESTED_SCHEMA_REQUIRED,
        ),
    ];
    for (revision, method, params, expected) in cases {
        assert_eq!(ask(revision, method, params.clone()), expected.id, "{revision} {params}");
    }
}

#[test]
fn urls_of_elicitations_have_ids_that_completions_repeat() {
    let ask = |id: &str, url: &str| {
        let params = json!({"mode": "url", "message": "?", "url": url, "elicitationId": id});
        (false, json!({"id": "s", "method": "elicitation/create", "params": params}))
    };
    let done = |id: &str| {
        let method = "notifications/elicitation/complete";
        (false, json!({"method": method, "params": {"elicitationId": id}}))
    };
    let at = |messages: &[_]| broken(V2025_11_25, messages).join(", ").replace("elicitation.", "");
    assert_eq!(at(&[ask("1", "https://a"), ask("2", "https://b"), done("1"), done("2")]), "");
    assert_eq!(at(&[ask("1", "https://a"), ask("1", "https://a")]), "");
    assert_eq!(
        at(&[ask("1", "https://a"), ask("1", "https://b")]),
        "must url.-id-unique".replace("url.-", "url.elicitation-")
    );
    assert_eq!(at(&[ask("1", "https://a"), done("2")]), "must complete.carries-id");
    let params = json!({"mode": "url", "message": "?", "url": "https://a", "elicitationId": "1"});
    let stateless = asked(V2026_07_28, all_of_elicitation(), "elicitation/create", params);
    assert_eq!(broken(V2026_07_28, &stateless), ["must elicitation.url.no-elicitation-id"]);
    assert_eq!(broken(V2026_07_28, &[done("1")]), ["must elicitation.complete.removed"]);
}

#[test]
fn the_error_that_requires_an_elicitation_lists_some() {
    let with_code = |code: i64, data: serde_json::Value| {
        let error = json!({"code": code, "message": "no", "data": data});
        let messages = [
            (true, json!({"id": 1, "method": "tools/call", "params": {"name": "a"}})),
            (false, json!({"id": 1, "error": error})),
        ];
        let found = [broken(V2025_11_25, &messages), misshapen(V2025_11_25, &messages)].concat();
        found.join(", ").replace("elicitation.url-required-error.", "")
    };
    let at = |data: serde_json::Value| with_code(-32042, data);
    let entry =
        || json!({"mode": "url", "message": "?", "url": "https://a.example", "elicitationId": "1"});
    assert_eq!(at(json!({"elicitations": [entry()]})), "");
    assert_eq!(with_code(-32603, json!({"elicitations": [entry()]})), "must code");
    assert_eq!(with_code(-32603, json!({"elicitations": []})), "");
    assert_eq!(at(json!({"elicitations": []})), "must lists-elicitations only-when-needed");
    assert_eq!(at(json!({})), "must lists-elicitations");
    assert_eq!(
        at(json!({"elicitations": [{"mode": "form"}]})).split(", ").next(),
        Some("must entries")
    );
}

#[test]
fn results_that_ask_for_input_say_so_and_are_not_cached() {
    let at = |result: serde_json::Value| {
        let messages = [
            (true, json!({"id": 1, "method": "tools/call", "params": {"name": "a"}})),
            (false, json!({"id": 1, "result": result})),
        ];
        broken(V2026_07_28, &messages).join(", ")
    };
    let requests = || json!({"a": {"method": "roots/list"}});
    assert_eq!(at(json!({"resultType": "input_required", "inputRequests": requests()})), "");
    assert_eq!(
        at(json!({"resultType": "complete", "inputRequests": requests()})),
        "must mrtr.result-type"
    );
    assert_eq!(at(json!({"resultType": "complete", "inputRequests": {"a": 1}})), "");
    assert_eq!(
        at(json!({"resultType": "input_required", "inputRequests": requests(), "ttlMs": 0})),
        "must caching.hints.none-on-input-required"
    );
}
