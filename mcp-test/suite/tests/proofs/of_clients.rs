//! The proofs of the checks that every scenario for clients has: that the client took part and exited without an error, that
//! its messages are well-formed, and that its calls of tools conform to their schemas.

mod requests;
mod server_requests;

use mcp_test_core::check::{Check, Finding, Origin, Status, WELL_FORMED};
use mcp_test_core::client::reference::good_client;
use mcp_test_core::client::{ClientTask, ScriptedClient};
use mcp_test_core::run::ScenarioRun;
use mcp_test_core::scenario::{CLIENT_CONNECTED, CLIENT_EXIT, Profile, Scenario, TestedSide};
use mcp_test_core::spec::Requirement;
use mcp_test_core::spec::Revision::{self, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
use mcp_test_core::transport::{Fault, TransportKind};
use mcp_test_suite::scenarios;
use mcp_test_suite::scenarios::tasks::client_task_polling::POLLED;
use serde_json::json;

use crate::runs::{outcome, statuses};
use crate::table::{Row, over_both};
use crate::unfounded::unfounded;

pub(crate) fn client_scenarios() -> impl Iterator<Item = &'static Scenario> {
    scenarios::all().filter(|scenario| scenario.tested_side == TestedSide::Client)
}

fn at(scenario: &'static Scenario, revision: Revision) -> ScenarioRun {
    ScenarioRun { scenario: scenario.into(), revision, transport: TransportKind::Http }
}

/// A client that never connects.
fn absent() -> ScriptedClient {
    ScriptedClient::new(|_: ClientTask| async { Ok(()) })
}

/// A client that does everything right, and then fails.
fn failing() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        good_client().run(task.endpoint().clone()).await?;
        Err("out of paper".into())
    })
}

/// The scenarios whose last step a client may refuse: nothing tells whether it fails there or later.
const MAY_STOP: [&str; 4] = [
    "sep-2322-client-request-state",
    "client-stateless",
    "client-task-polling",
    "client-task-input",
];

/// Whether a client may refuse the last step of a scenario; signing in is one, since authorization is optional.
fn may_stop(scenario: &Scenario) -> bool {
    let id = scenario.id.as_ref();
    MAY_STOP.contains(&id) || scenario.file.contains("authorization/client/")
}

/// A client that is absent, and one that fails, are noticed in all scenario runs of a scenario.
pub(crate) fn an_absent_or_failing_client_is_noticed(scenario: &'static Scenario) {
    let transports = good_client().target().transports();
    let applies = |it: &TransportKind| scenario.transports.contains(*it);
    let scenario_runs = transports.into_iter().filter(applies).flat_map(|transport| {
        scenario.revisions.iter().map(move |it| ScenarioRun { transport, ..at(scenario, it) })
    });
    for scenario_run in scenario_runs {
        for profile in Profile::ALL {
            let statuses = |client: ScriptedClient| {
                let outcome = outcome(&client.into(), scenario_run.clone(), profile);
                let status = |id| {
                    let is_failing = outcome.failing().any(|check| check.id == id);
                    (statuses(&outcome).get(id).copied(), is_failing)
                };
                [CLIENT_CONNECTED, CLIENT_EXIT].map(status)
            };
            let fails = (Some(Status::Failure), true);
            let passes = (Some(Status::Success), false);
            let failed = match profile.at(scenario, scenario_run.revision) {
                _ if scenario.tolerates_failed_exit => (Some(Status::Skipped), false),
                _ if !may_stop(scenario) => fails,
                Profile::Adaptive => (Some(Status::Skipped), false),
                Profile::Official | Profile::Strict => (Some(Status::Warning), true),
            };
            assert_eq!(statuses(absent()), [fails, passes], "{scenario_run} under {profile}");
            assert_eq!(statuses(failing()), [passes, failed], "{scenario_run} under {profile}");
        }
    }
}

/// A row on the good client in `tools_call`, which fails.
fn row(
    revision: Revision,
    faults: impl IntoIterator<Item = Fault>,
    requirements: &[&'static Requirement],
) -> Row {
    row_in("tools_call", revision, faults, requirements)
}

/// A row on the good client in this scenario, which fails.
fn row_in(
    scenario: &str,
    revision: Revision,
    faults: impl IntoIterator<Item = Fault>,
    requirements: &[&'static Requirement],
) -> Row {
    let scenario = scenarios::find(TestedSide::Client, scenario).expect("a built-in scenario");
    Row::new(good_client(), at(scenario, revision), faults, Status::Failure, requirements)
}

/// The same row, whose finding is a warning.
fn warned(mut row: Row) -> Row {
    row.status = Status::Warning;
    row
}

pub(crate) fn rows() -> Vec<Row> {
    let groups = requests::groups().into_iter().chain(server_requests::groups());
    over_both(groups.flatten().chain(messages()))
}

fn messages() -> Vec<Row> {
    let list = "tools/list";
    let set = |pointer: &str, value: serde_json::Value| [Fault::set(list, pointer, value)];
    let stray = |message: serde_json::Value| [Fault::stray(list, message)];
    let request_with = |method: &str, params: serde_json::Value| {
        stray(json!({"jsonrpc": "2.0", "id": "s1", "method": method, "params": params}))
    };
    let request = |method: &str| stray(json!({"jsonrpc": "2.0", "id": "s1", "method": method}));
    let notification = |method: &str, params: serde_json::Value| {
        stray(json!({"jsonrpc": "2.0", "method": method, "params": params}))
    };
    let subscribe = || {
        let params = json!({"uri": "test://static-text"});
        stray(
            json!({"jsonrpc": "2.0", "id": "s1", "method": "resources/subscribe", "params": params}),
        )
    };
    let log = || json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
    let of_2026 = |method: &str, params: serde_json::Value| {
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        json!({"jsonrpc": "2.0", "id": "s1", "method": method, "params": params})
    };
    let about_task = || of_2026("tasks/get", json!({"taskId": "task-1"}));
    let over_duplex = |revision, faults: &[Fault], requirements| {
        let row = row(revision, faults.iter().cloned(), requirements);
        row.over(TransportKind::Duplex)
    };
    let with_token = |id: &str| {
        let params = json!({"_meta": {"progressToken": 5}});
        json!({"jsonrpc": "2.0", "id": id, "method": list, "params": params})
    };
    let initialize = json!({"jsonrpc": "2.0", "id": "s1", "method": "initialize", "params": {
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": {"name": "batching-client", "version": "1.0.0"},
    }});
    vec![
        // Lines.
        over_duplex(
            V2025_11_25,
            &[Fault::truncate(list)],
            &[Requirement::TRANSPORT_STDIO_STDIN_ONLY_MESSAGES],
        ),
        over_duplex(
            V2026_07_28,
            &[Fault::truncate(list)],
            &[Requirement::TRANSPORT_STDIO_STDIN_ONLY_MESSAGES],
        ),
        over_duplex(
            V2025_11_25,
            &[Fault::remove(list, "/jsonrpc")],
            &[Requirement::JSONRPC_VERSION_MEMBER],
        ),
        // Bodies.
        row(
            V2025_03_26,
            [Fault::truncate(list)],
            &[Requirement::TRANSPORT_HTTP_BODY_SINGLE_OR_BATCH],
        ),
        row(
            V2025_11_25,
            [Fault::truncate(list)],
            &[Requirement::TRANSPORT_HTTP_BODY_SINGLE_MESSAGE],
        ),
        row(
            V2026_07_28,
            [Fault::truncate(list)],
            &[Requirement::TRANSPORT_HTTP_BODY_REQUEST_OR_NOTIFICATION],
        ),
        row(
            V2025_11_25,
            [Fault::empty_body(list)],
            &[Requirement::TRANSPORT_HTTP_BODY_SINGLE_MESSAGE],
        ),
        // Envelopes and ids.
        row(V2025_11_25, [Fault::remove(list, "/jsonrpc")], &[Requirement::JSONRPC_VERSION_MEMBER]),
        row(V2025_11_25, set("/id", json!(1.5)), &[Requirement::JSONRPC_REQUEST_ID_TYPE]),
        row(V2025_11_25, [Fault::null_id(list)], &[Requirement::JSONRPC_REQUEST_ID_NOT_NULL]),
        row(V2025_11_25, set("/method", json!(5)), &[Requirement::JSONRPC_REQUEST_METHOD_STRING]),
        row(V2025_11_25, set("/params", json!([])), &[Requirement::JSONRPC_PARAMS_OBJECT]),
        // The messages of a revision, and their direction.
        row(
            V2025_06_18,
            stray(json!([log()])),
            &[Requirement::SCHEMA_MESSAGE_DIRECTION, Requirement::JSONRPC_BATCH_NOT_SENT],
        ),
        row(V2025_11_25, stray(log()), &[Requirement::SCHEMA_MESSAGE_DIRECTION]),
        row(
            V2025_11_25,
            stray(json!({"jsonrpc": "2.0", "id": "s1", "result": {}})),
            &[Requirement::JSONRPC_RESULT_ID_ECHO],
        ),
        // What the server has declared, and what the revision has.
        row(
            V2025_11_25,
            request("prompts/list"),
            &[
                Requirement::PROMPTS_IMPL_RESPECT_NEGOTIATION,
                Requirement::LIFECYCLE_CAPABILITIES_RESPECTED,
            ],
        ),
        row(
            V2026_07_28,
            request("prompts/list"),
            &[
                Requirement::PROMPTS_IMPL_RESPECT_NEGOTIATION,
                Requirement::BASE_CAPABILITIES_RESPECTED,
            ],
        ),
        row(V2025_11_25, subscribe(), &[Requirement::RESOURCES_SUBSCRIBE_REQUIRES_CAPABILITY]),
        row(V2026_07_28, subscribe(), &[Requirement::RESOURCES_SUBSCRIBE_REMOVED]),
        row(V2025_06_18, request("tasks/list"), &[Requirement::LIFECYCLE_VERSION_RESPECTED]),
        row(
            V2025_11_25,
            notification("notifications/roots/list_changed", json!({})),
            &[Requirement::ROOTS_LIST_CHANGED_REQUIRES_CAPABILITY],
        ),
        row(
            V2026_07_28,
            request_with("logging/setLevel", json!({"level": "info"})),
            &[Requirement::LOGGING_SET_LEVEL_REMOVED],
        ),
        row(
            V2026_07_28,
            notification("notifications/roots/list_changed", json!({})),
            &[Requirement::ROOTS_LIST_CHANGED_REMOVED],
        ),
        row(
            V2026_07_28,
            set(
                "/_meta/io.modelcontextprotocol~1clientCapabilities/roots/listChanged",
                json!(true),
            ),
            &[Requirement::ROOTS_LIST_CHANGED_REMOVED],
        ),
        warned(row(V2026_07_28, request("ping"), &[Requirement::PING_REMOVED])),
        row(
            V2025_11_25,
            [Fault::set("initialize", "/protocolVersion", "1.0")],
            &[Requirement::LIFECYCLE_VERSION_CLIENT_SUPPORTED],
        ),
        row(
            V2025_03_26,
            [Fault::stray("initialize", json!([initialize]))],
            &[Requirement::LIFECYCLE_INITIALIZE_NOT_BATCHED],
        ),
        row(
            V2026_07_28,
            request("tasks/get"),
            &[Requirement::VERSIONING_EXTENSION_FALLBACK, Requirement::BASE_CAPABILITIES_RESPECTED],
        ),
        // Cancellations, progress, tasks.
        row_in(
            "client-task-polling",
            V2026_07_28,
            [Fault::stray(
                "tasks/get",
                json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": POLLED}}),
            )],
            &[Requirement::EXT_TASKS_NO_CANCELLED_NOTIFICATION],
        ),
        row(
            V2025_11_25,
            notification("notifications/progress", json!({"progressToken": 1, "progress": 1})),
            &[Requirement::PROGRESS_TOKEN_KNOWN],
        ),
        row(
            V2025_11_25,
            notification("notifications/cancelled", json!({"requestId": "never sent"})),
            &[Requirement::CANCELLATION_ONLY_OWN_INFLIGHT],
        ),
        row(
            V2025_11_25,
            notification("notifications/cancelled", json!({"requestId": 1})),
            &[Requirement::CANCELLATION_INITIALIZE_NOT_CANCELLED],
        ),
        row(
            V2025_03_26,
            stray(json!([with_token("s1"), with_token("s2")])),
            &[Requirement::PROGRESS_TOKEN_UNIQUE],
        ),
        row(
            V2025_11_25,
            request_with("resources/unsubscribe", json!({"uri": "test://static-text"})),
            &[
                Requirement::RESOURCES_SUBSCRIBE_REQUIRES_CAPABILITY,
                Requirement::RESOURCES_UNSUBSCRIBE_AFTER_SUBSCRIBE,
            ],
        ),
        row(V2025_11_25, request("tasks/list"), &[Requirement::TASKS_LIST_REQUIRES_CAPABILITY]),
        row(
            V2025_11_25,
            request_with("tasks/cancel", json!({"taskId": "t1"})),
            &[Requirement::TASKS_CANCEL_REQUIRES_CAPABILITY],
        ),
        row(
            V2025_11_25,
            [Fault::set("tools/call", "/task", json!({}))],
            &[
                Requirement::TASKS_AUGMENT_ONLY_DECLARED,
                Requirement::TASKS_NO_AUGMENT_WITHOUT_CAPABILITY,
                Requirement::TASKS_TOOL_AUGMENT_REQUIRES_CAPABILITY,
            ],
        ),
        // HTTP in the stateless era.
        row(
            V2026_07_28,
            [Fault::stray(list, about_task()), Fault::header(list, "Mcp-Name", "tools")],
            &[
                Requirement::EXT_TASKS_MCP_NAME_HEADER,
                Requirement::VERSIONING_EXTENSION_FALLBACK,
                Requirement::BASE_CAPABILITIES_RESPECTED,
            ],
        ),
    ]
}

pub(crate) fn a_rule_for_servers_alone_is_unfounded_of_a_client() {
    let mut played = row(V2025_11_25, [], &[]).run(&[], Profile::Adaptive);
    let cite = |rule: &'static Requirement| {
        let finding = Finding::peer("wrong").requires(rule);
        vec![Check::from_finding(WELL_FORMED, Origin::Own, finding)]
    };
    played.checks = cite(Requirement::PROGRESS_RATE_LIMITED);
    assert_eq!(unfounded(&played), [""; 0]);
    played.checks = cite(Requirement::LOGGING_IMPL_RATE_LIMIT);
    assert_eq!(unfounded(&played).len(), 1);
}

pub(crate) fn arguments_that_violate_the_schema_of_a_tool_are_warnings() {
    use Status::{Success, Warning};
    use mcp_test_core::check::TOOL_SCHEMAS;
    let call = "tools/call";
    let set = |value| vec![Fault::set(call, "/arguments/a", value)];
    let rows = [
        (vec![], Some(Success)),
        (set(json!(7)), Some(Success)),
        (set(json!("7")), Some(Warning)),
        (vec![Fault::remove(call, "/arguments/b")], Some(Warning)),
        (vec![Fault::set(call, "/arguments", json!({}))], Some(Warning)),
        // There is nothing to judge by.
        (vec![Fault::set(call, "/name", json!("unheard_of"))], None),
    ];
    let scenario = scenarios::find(TestedSide::Client, "tools_call").expect("a built-in scenario");
    for revision in scenario.revisions.iter() {
        for (faults, status) in &rows {
            let client = good_client().faults(faults.clone());
            let played = outcome(&client.into(), at(scenario, revision), Profile::Adaptive);
            let named: Vec<String> = faults.iter().map(Fault::name).collect();
            let check = played.checks.iter().find(|check| check.id == TOOL_SCHEMAS);
            assert_eq!(check.map(|it| it.status), *status, "{revision} {named:?}");
            let headline = |text: &str| text.starts_with("tool `add_numbers` was called with");
            let is_reported = check.and_then(|it| it.message.as_deref()).is_some_and(headline);
            assert_eq!(is_reported, *status == Some(Warning), "{revision} {named:?}");
        }
    }
}
