//! What a server asks of its client: elicitation, sampling and roots.

use mcp_test_core::check::{SCHEMA_VALID, Status};
use mcp_test_core::scenario::{Ctx, Running};
use mcp_test_core::spec::Requirement;
use mcp_test_core::spec::Revision::{self, V2025_06_18, V2025_11_25, V2026_07_28};
use mcp_test_core::transport::Fault;
use mcp_test_core::transport::TransportKind::{self, Duplex};
use serde_json::json;

use super::{LIST, PING, Row, body, broken, error, row, row_in, stray};

pub(crate) fn groups() -> [Vec<Row>; 6] {
    [forms(), urls(), to_several_clients(), sampling(), tasks(), results()]
}

/// A scenario run in which the client fills in a form.
const fn elicitation(revision: Revision) -> (&'static str, Revision, TransportKind) {
    ("tools-call-elicitation", revision, Duplex)
}

/// Changes the params of `elicitation/create`.
fn elicit(place: &str, value: serde_json::Value) -> [Fault; 1] {
    [Fault::set("elicitation/create", place, value)]
}

/// Adds a property to the form.
fn property(name: &str, property: serde_json::Value) -> [Fault; 1] {
    elicit(&format!("/requestedSchema/properties/{name}"), property)
}

fn forms() -> Vec<Row> {
    use Status::{Failure, Warning};
    let at = elicitation;
    let text = || json!({"type": "string"});
    let in_result = "/inputRequests/elicitation/params/requestedSchema/properties/size";
    let properties = [
        (json!({"type": "string", "properties": {}}), "flat"),
        (json!({"type": "string", "not": {}}), "no-advanced-keywords"),
        (json!({"type": "string", "enum": ["a"], "format": "uuid"}), "string-formats"),
        (json!({"type": "string", "minLength": 4, "maxLength": 3}), "string-length-bounds"),
        (json!({"type": "string", "enum": [1]}), "enum-single-untitled"),
        (json!({"type": "string", "oneOf": [{"const": "a"}]}), "enum-single-titled"),
        (
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 2}),
            "multi-select-bounds",
        ),
        (json!({"type": "integer", "default": 1.5}), "defaults-typed"),
    ];
    let of_shape = [
        (json!({"type": "number", "minimum": "0"}), "number-bounds"),
        (
            json!({"type": "array", "items": {"oneOf": [{"const": "a", "title": "A"}]}}),
            "enum-multi-titled",
        ),
        (
            json!({"type": "array", "enum": ["a"], "items": {"type": "string"}}),
            "enum-multi-untitled",
        ),
    ];
    let requirement = |name: &str| -> &'static Requirement {
        mcp_test_core::spec::requirement::find(&format!("elicitation.schema.{name}"))
            .expect("a requirement")
    };
    let mut rows: Vec<Row> = Vec::new();
    for (bad, name) in properties {
        let of_result = [Fault::set("tools/call", in_result, bad.clone())];
        rows.push(broken(at(V2025_11_25), property("size", bad), requirement(name)));
        rows.push(broken(at(V2026_07_28), of_result, requirement(name)));
    }
    for (bad, name) in of_shape {
        let of_result = [Fault::set("tools/call", in_result, bad.clone())];
        for row in [
            broken(at(V2025_11_25), property("size", bad), requirement(name)),
            broken(at(V2026_07_28), of_result, requirement(name)),
        ] {
            rows.push(row.for_check(SCHEMA_VALID));
        }
    }
    let names = json!({"type": "string", "enum": ["a"], "enumNames": []});
    let secret = [
        Requirement::ELICITATION_SENSITIVE_NOT_IN_FORM_MODE,
        Requirement::ELICITATION_SENSITIVE_URL_MODE_USED,
    ];
    rows.extend([
        broken(
            at(V2025_06_18),
            property("size", names),
            Requirement::ELICITATION_SCHEMA_ENUM_NAMES,
        ),
        broken(
            at(V2025_06_18),
            property("password", text()),
            Requirement::ELICITATION_SENSITIVE_NOT_ELICITED,
        ),
        row(at(V2025_11_25), property("apiKey", text()), Failure, &secret),
        row(
            at(V2025_11_25),
            elicit("/message", json!("Log in [here](https://a.example).")),
            Warning,
            &[Requirement::ELICITATION_SAFE_URL_NO_LINKS_IN_FORMS],
        ),
    ]);
    rows
}

/// Turns the form into a URL, which the client of the scenario does not support.
fn with_url(url: &str) -> [Fault; 3] {
    let set = |place: &str, value: &str| Fault::set("elicitation/create", place, value);
    [set("/mode", "url"), set("/url", url), set("/elicitationId", "1")]
}

fn urls() -> Vec<Row> {
    use Status::Failure;
    let modes = Requirement::ELICITATION_REQUEST_SUPPORTED_MODES_ONLY;
    let complete = |id: &str| {
        let method = "notifications/elicitation/complete";
        json!({"jsonrpc": "2.0", "method": method, "params": {"elicitationId": id}})
    };
    let required = json!({"code": -32042, "message": "no", "data": {"elicitations": []}});
    let entry =
        json!({"mode": "url", "message": "?", "url": "https://a.example", "elicitationId": "1"});
    let other = json!({"code": -32603, "message": "no", "data": {"elicitations": [entry]}});
    let form = elicitation(V2025_11_25);
    let in_result = |(name, value): (&str, &str)| {
        let place = format!("/inputRequests/elicitation/params/{name}");
        Fault::set("tools/call", place, value)
    };
    vec![
        broken(PING, error(other), Requirement::ELICITATION_URL_REQUIRED_ERROR_CODE),
        broken(form, with_url("https://a.example"), modes),
        row(
            form,
            with_url("http://a.example"),
            Failure,
            &[modes, Requirement::ELICITATION_SAFE_URL_HTTPS],
        ),
        row(
            form,
            with_url("https://user:password@a.example"),
            Failure,
            &[Requirement::ELICITATION_SAFE_URL_NO_SENSITIVE_DATA, modes],
        ),
        // The client of the scenario has no elicitation at all.
        row(
            PING,
            stray(complete("1")),
            Failure,
            &[
                Requirement::ELICITATION_COMPLETE_CARRIES_ID,
                Requirement::LIFECYCLE_CAPABILITIES_RESPECTED,
            ],
        ),
        broken(
            LIST,
            [Fault::stray("tools/list", complete("1"))],
            Requirement::ELICITATION_COMPLETE_REMOVED,
        ),
        row(
            elicitation(V2026_07_28),
            [("mode", "url"), ("url", "https://a.example"), ("elicitationId", "1")].map(in_result),
            Failure,
            &[
                Requirement::ELICITATION_URL_NO_ELICITATION_ID,
                modes,
                Requirement::MRTR_UNDECLARED_INPUT_KIND,
                Requirement::BASE_CAPABILITY_UNDECLARED_NOT_USED,
                Requirement::BASE_CAPABILITIES_RESPECTED,
            ],
        ),
        row(
            PING,
            error(required),
            Failure,
            &[
                Requirement::ELICITATION_URL_REQUIRED_ERROR_LISTS_ELICITATIONS,
                Requirement::ELICITATION_URL_REQUIRED_ERROR_ONLY_WHEN_NEEDED,
            ],
        ),
    ]
}

/// Connects three clients: the first has both modes of elicitation and tasks for it, the second also both modes, the third names none.
fn connecting(ctx: &mut Ctx) -> Running<'_> {
    Box::pin(async move {
        let modes = json!({ "form": {}, "url": {} });
        let tasks = json!({ "requests": { "elicitation": { "create": {} } } });
        for (method, capabilities) in [
            ("ping", json!({ "elicitation": modes, "tasks": tasks })),
            ("tools/list", json!({ "elicitation": modes })),
            ("prompts/list", json!({ "elicitation": {} })),
        ] {
            let mut client = ctx.connect(ctx.options().capabilities(capabilities)).await?;
            client.request(method, json!({})).await?.result()?;
        }
        Ok(())
    })
}

fn to_several_clients() -> Vec<Row> {
    let url = |before: &str, id: &str, path: &str| {
        let url = format!("https://a.example/{path}");
        let params = json!({ "mode": "url", "message": "?", "url": url, "elicitationId": "1" });
        let request =
            json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params });
        Fault::stray(before, request)
    };
    let note = |before: &str, method: &str, params: serde_json::Value| {
        let method = format!("notifications/{method}");
        Fault::stray(before, json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    };
    let form = json!({ "message": "?", "requestedSchema": { "type": "object", "properties": {} }, "task": {} });
    let task =
        json!({ "jsonrpc": "2.0", "id": "s1", "method": "elicitation/create", "params": form });
    let broken = |faults: Vec<Fault>, requirements: &[&'static Requirement]| {
        let scenario_run = body("connecting", connecting, V2025_11_25, Duplex);
        row_in(scenario_run, faults, Status::Failure, requirements)
    };
    vec![
        broken(
            vec![
                url("ping", "s1", "a"),
                note("tools/list", "elicitation/complete", json!({ "elicitationId": "1" })),
            ],
            &[Requirement::ELICITATION_COMPLETE_ONLY_TO_INITIATOR],
        ),
        broken(
            vec![url("ping", "s1", "a"), url("ping", "s2", "b")],
            &[Requirement::ELICITATION_URL_ELICITATION_ID_UNIQUE],
        ),
        broken(
            vec![url("prompts/list", "s1", "a")],
            &[
                Requirement::ELICITATION_REQUEST_SUPPORTED_MODES_ONLY,
                Requirement::ELICITATION_CAPABILITY_EMPTY_MEANS_FORM,
            ],
        ),
        broken(
            vec![
                Fault::stray("ping", task),
                note("ping", "cancelled", json!({ "requestId": "s1" })),
            ],
            &[Requirement::CANCELLATION_TASK_USES_TASKS_CANCEL],
        ),
    ]
}

fn sampling() -> Vec<Row> {
    use Status::Warning;
    let scenario_run = ("tools-call-sampling", V2025_11_25, Duplex);
    let set = |place: &str, value| [Fault::set("sampling/createMessage", place, value)];
    let call = || json!({"role": "assistant", "content": {"type": "tool_use", "id": "1", "name": "t", "input": {}}});
    let result = |role: &str, id: &str| json!({"role": role, "content": [{"type": "tool_result", "toolUseId": id, "content": []}]});
    let mut mixed = result("user", "1");
    let text = json!({"type": "text", "text": "and more"});
    mixed["content"].as_array_mut().expect("an array").push(text);
    let unasked = json!({"jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}});
    let deprecated = Requirement::SAMPLING_CONTEXT_AVOID_DEPRECATED;
    let context = [Requirement::SAMPLING_CONTEXT_REQUIRES_CAPABILITY, deprecated];
    vec![
        row(
            ("ping", Revision::V2024_11_05, Duplex),
            stray(unasked),
            Warning,
            &[
                Requirement::SAMPLING_REQUEST_REQUIRES_CAPABILITY,
                Requirement::LIFECYCLE_CAPABILITIES_RESPECTED_SHOULD,
            ],
        ),
        row(
            scenario_run,
            set("/task", json!({})),
            Warning,
            &[
                Requirement::TASKS_NO_AUGMENT_WITHOUT_CAPABILITY,
                Requirement::TASKS_AUGMENT_ONLY_DECLARED,
            ],
        ),
        broken(scenario_run, set("/tools", json!([])), Requirement::SAMPLING_TOOLS_SERVER_GATE),
        row(scenario_run, set("/includeContext", json!("allServers")), Warning, &context),
        broken(
            scenario_run,
            set("/messages", json!([call()])),
            Requirement::SAMPLING_MESSAGE_TOOL_USE_BALANCE,
        ),
        broken(
            scenario_run,
            set("/messages", json!([call(), mixed])),
            Requirement::SAMPLING_MESSAGE_TOOL_RESULTS_ONLY,
        ),
        broken(
            scenario_run,
            set("/messages", json!([call(), result("user", "2")])),
            Requirement::SAMPLING_MESSAGE_TOOL_RESULT_ID_MATCH,
        ),
        broken(
            scenario_run,
            set("/messages", json!([call(), result("assistant", "1")])),
            Requirement::SAMPLING_MESSAGE_TOOL_RESULT_USER_ROLE,
        ),
    ]
}

/// Requests about tasks, and others that need what the client does not declare.
fn tasks() -> Vec<Row> {
    let request = |method: &str, params: serde_json::Value| {
        stray(json!({"jsonrpc": "2.0", "id": "s1", "method": method, "params": params}))
    };
    let task = || json!({"taskId": "1"});
    let declared = Requirement::LIFECYCLE_CAPABILITIES_RESPECTED;
    vec![
        row(
            PING,
            request("tasks/list", json!({})),
            Status::Failure,
            &[Requirement::TASKS_LIST_REQUIRES_CAPABILITY, declared],
        ),
        row(
            PING,
            request("tasks/cancel", task()),
            Status::Failure,
            &[Requirement::TASKS_CANCEL_REQUIRES_CAPABILITY, declared],
        ),
    ]
}

/// Results that ask for input.
fn results() -> Vec<Row> {
    let call = ("tools-call-simple-text", V2026_07_28, Duplex);
    let asking =
        json!({"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}});
    let form = elicitation(V2026_07_28);
    vec![
        row(
            call,
            [Fault::answer("tools/call", asking)],
            Status::Failure,
            &[
                Requirement::MRTR_UNDECLARED_INPUT_KIND,
                Requirement::BASE_CAPABILITY_UNDECLARED_NOT_USED,
                Requirement::BASE_CAPABILITIES_RESPECTED,
                super::ROOTS,
            ],
        ),
        broken(
            form,
            [Fault::set("tools/call", "/resultType", "complete")],
            Requirement::MRTR_RESULT_TYPE,
        ),
        broken(
            form,
            [Fault::set("tools/call", "/ttlMs", 5)],
            Requirement::CACHING_HINTS_NONE_ON_INPUT_REQUIRED,
        ),
    ]
}
