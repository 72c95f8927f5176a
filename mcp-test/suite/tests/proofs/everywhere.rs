//! The proofs of the checks that every scenario has: `wire-well-formed`, `wire-schema-valid`, `wire-schema-harness-error`.

mod envelopes;
mod messages;
mod over;
mod server_requests;
mod subscriptions;

use std::sync::Arc;

use mcp_test_core::check;
use mcp_test_core::check::{
    Blame, Check, Finding, Origin, SCHEMA_HARNESS_ERROR, SCHEMA_VALID, Status, WELL_FORMED,
};
use mcp_test_core::run::{ScenarioRun, Verdict};
use mcp_test_core::scenario::{
    Body, CheckSpec, Ctx, Kind, Profile, Running, Scenario, Shared, TestedSide,
};
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::Requirement;
use mcp_test_core::spec::Revision::{self, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
use mcp_test_core::transport::Fault;
use mcp_test_core::transport::TransportKind::{self, Duplex};
use mcp_test_suite::scenarios;

use crate::runs::{run_alone, statuses};
use crate::table::{Row, over_both};
use crate::unfounded::unfounded;

/// A row on the reference server.
fn row(
    (scenario, revision, transport): (&'static str, Revision, TransportKind),
    faults: impl IntoIterator<Item = Fault>,
    status: Status,
    requirements: &[&'static Requirement],
) -> Row {
    let scenario = scenarios::find(TestedSide::Server, scenario).expect("a built-in scenario");
    row_in(
        ScenarioRun { scenario: scenario.into(), revision, transport },
        faults,
        status,
        requirements,
    )
}

fn row_in(
    scenario_run: ScenarioRun,
    faults: impl IntoIterator<Item = Fault>,
    status: Status,
    requirements: &[&'static Requirement],
) -> Row {
    Row::new(everything(), scenario_run, faults, status, requirements)
}

/// A scenario run with a scenario whose own check says nothing.
fn body(
    id: &'static str,
    run: for<'a> fn(&'a mut Ctx) -> Running<'a>,
    revision: Revision,
    transport: TransportKind,
) -> ScenarioRun {
    const CHECK: &str = "made";
    const CHECKS: &[CheckSpec] = &[check!(CHECK, "made always")];
    let checked = Body::server(move |ctx| {
        ctx.check(CHECK).pass();
        run(ctx)
    });
    let scenario = Scenario::dynamic(Kind::BuiltIn, TestedSide::Server, id, checked);
    let scenario = Scenario { checks: Shared::Static(CHECKS), ..scenario };
    ScenarioRun { scenario: Arc::new(scenario).into(), revision, transport }
}

/// A row on the reference server, with a fault that breaks one requirement.
fn broken(
    scenario_run: (&'static str, Revision, TransportKind),
    faults: impl IntoIterator<Item = Fault>,
    requirement: &'static Requirement,
) -> Row {
    row(scenario_run, faults, Status::Failure, &[requirement])
}

const PING: (&str, Revision, TransportKind) = ("ping", V2025_11_25, Duplex);
const TOOL: (&str, Revision, TransportKind) = ("tools-call-simple-text", V2025_11_25, Duplex);
const LIST: (&str, Revision, TransportKind) = ("tools-list", V2026_07_28, Duplex);

/// A message that comes before the reply to `ping`.
fn stray(message: serde_json::Value) -> [Fault; 1] {
    [Fault::stray("ping", message)]
}

/// The error of a reply to `ping`, whatever it is.
fn error(error: serde_json::Value) -> [Fault; 2] {
    [Fault::remove("ping", "/result"), Fault::set("ping", "/error", error)]
}

const ROOTS: &Requirement = Requirement::ROOTS_LIST_REQUIRES_CAPABILITY;
const STDOUT: &Requirement = Requirement::TRANSPORT_STDIO_STDOUT_ONLY_MESSAGES;

/// The rows about conversations.
pub(crate) fn rows() -> Vec<Row> {
    let groups = messages::groups().into_iter().chain(envelopes::groups());
    let groups = groups.chain(server_requests::groups()).chain(over::groups());
    over_both(groups.chain(subscriptions::groups()).flatten())
}

/// Both statuses are proven.
pub(crate) fn failures_and_warnings_have_rows() {
    for status in [Status::Failure, Status::Warning] {
        assert!(rows().iter().any(|row| row.status == status), "{status}");
    }
}

pub(crate) fn a_message_of_a_wrong_shape_fails_in_all_profiles() {
    let shapes = [
        ("tools-list", "set:tools/list:/tools/0/name:7", Requirement::SCHEMA_TOOL),
        ("tools-list", "set:tools/list:/nextCursor:7", Requirement::PAGINATION_CURSOR_STRING),
        (
            "resources-list",
            r#"set:resources/list:/resources/0/uri:"noscheme""#,
            Requirement::RESOURCES_DEFINITION_URI_VALID,
        ),
        ("prompts-list", "set:prompts/list:/prompts/0/description:7", Requirement::SCHEMA_PROMPT),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/role:"system""#,
            Requirement::PROMPTS_MESSAGE_ROLE_VALUES,
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:"text""#,
            Requirement::PROMPTS_MESSAGE_SINGLE_CONTENT,
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:{"type":"tool_use"}"#,
            Requirement::PROMPTS_MESSAGE_TYPES_WITH_RESOURCE_LINK,
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:{"type":"image","data":"AAAA"}"#,
            Requirement::PROMPTS_CONTENT_IMAGE_BASE64_MIME,
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:{"type":"audio","data":"AAAA"}"#,
            Requirement::PROMPTS_CONTENT_AUDIO_BASE64_MIME,
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:{"type":"resource","resource":{"uri":"a/b","mimeType":"a/b","text":"a"}}"#,
            Requirement::PROMPTS_CONTENT_EMBEDDED_URI,
        ),
        (
            "prompts-get-simple",
            r#"set:prompts/get:/messages/0/content:{"type":"resource","resource":{"uri":"a:b","mimeType":"a/b"}}"#,
            Requirement::PROMPTS_CONTENT_EMBEDDED_TEXT_OR_BLOB,
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0:{"type":"json"}"#,
            Requirement::TOOLS_CONTENT_TYPES_WITH_RESOURCE_LINK,
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0:{"type":"image","data":"AAAA"}"#,
            Requirement::TOOLS_CONTENT_IMAGE_BASE64,
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0:{"type":"audio","data":"AAAA"}"#,
            Requirement::TOOLS_CONTENT_AUDIO_BASE64,
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0:{"type":"resource_link","uri":"a/b","name":"a"}"#,
            Requirement::TOOLS_CONTENT_RESOURCE_LINK,
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0:{"type":"resource","resource":{"uri":"a:b"}}"#,
            Requirement::TOOLS_CONTENT_EMBEDDED_RESOURCE,
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0/annotations:{"audience":["system"]}"#,
            Requirement::RESOURCES_ANNOTATIONS_AUDIENCE_VALUES,
        ),
        (
            "tools-call-simple-text",
            r#"set:tools/call:/content/0/annotations:{"priority":5}"#,
            Requirement::RESOURCES_ANNOTATIONS_PRIORITY_RANGE,
        ),
        (
            "tools-call-simple-text",
            "set:tools/call:/content/0/annotations:[]",
            Requirement::SCHEMA_ANNOTATIONS,
        ),
        (
            "tools-call-simple-text",
            "set:tools/call:/structuredContent:[]",
            Requirement::TOOLS_STRUCTURED_OBJECT_ONLY,
        ),
        (
            "tools-list",
            r#"set:tools/list:/tools/0/execution:{"taskSupport":"yes"}"#,
            Requirement::TOOLS_DEFINITION_TASK_SUPPORT_ENUM,
        ),
        ("ping", "remove:ping:/jsonrpc", Requirement::JSONRPC_VERSION_MEMBER),
        ("ping", "retype:ping:/result", Requirement::JSONRPC_RESULT_OBJECT),
    ];
    for (scenario, fault, requirement) in shapes {
        let scenario_run = (scenario, V2025_11_25, Duplex);
        let row = row(scenario_run, [fault.parse::<Fault>().expect(fault)], Status::Failure, &[]);
        for profile in Profile::ALL {
            let good = row.run(&[], profile);
            assert_eq!(statuses(&good).get(SCHEMA_VALID), Some(&Status::Success), "{scenario}");
            let bad = row.run(&row.faults, profile);
            let check = bad.failing().find(|check| check.id == SCHEMA_VALID);
            let check = check.unwrap_or_else(|| panic!("{fault}: {:?}", statuses(&bad)));
            assert_eq!(check.requirements, [requirement], "{fault}");
            assert_eq!(check.origin, Origin::Official);
            assert_eq!(bad.verdict, Verdict::Failed, "{fault}");
        }
    }
}

pub(crate) fn where_the_official_suite_does_not_validate_the_check_is_ours() {
    let scenario_run = ("server-session-lifecycle", V2025_11_25, TransportKind::Router);
    let row = row(scenario_run, [], Status::Success, &[]);
    let good = row.run(&[], Profile::Official);
    let check = good.checks.iter().find(|check| check.id == SCHEMA_VALID).expect("a row");
    assert_eq!((check.status, check.origin), (Status::Success, Origin::Own));
}

pub(crate) fn base64_is_judged_by_the_text_of_the_specification() {
    let image = r#"{"type":"image","mimeType":"image/png","data":"data:,a"}"#;
    let cases = [
        (
            "prompts-get-simple",
            "prompts/get:/messages/0/content",
            image,
            Requirement::PROMPTS_CONTENT_IMAGE_BASE64_MIME,
        ),
        (
            "tools-call-simple-text",
            "tools/call:/content/0",
            image,
            Requirement::TOOLS_CONTENT_IMAGE_BASE64,
        ),
        (
            "resources-read-text",
            "resources/read:/contents/0",
            r#"{"uri":"a:b","blob":"a b"}"#,
            Requirement::RESOURCES_CONTENTS_BLOB_BASE64,
        ),
    ];
    for (scenario, place, value, requirement) in cases {
        let fault = format!("set:{place}:{value}").parse::<Fault>().expect("a fault");
        let row = row((scenario, V2025_11_25, Duplex), [fault], Status::Failure, &[]);
        let bad = row.run(&row.faults, Profile::Adaptive);
        let check = bad.failing().find(|check| check.id == SCHEMA_VALID).expect("a failure");
        assert_eq!(check.requirements, [requirement], "{place}");
    }
}

/// A scenario that sends an invalid request, at one revision deliberately.
mod clumsy {
    use mcp_test_core::check::Finding;
    use mcp_test_core::scenario::Ctx;
    use mcp_test_core::server::reference::everything;
    use mcp_test_core::spec::{Revision, Revisions};
    use mcp_test_core::{check, proofs, scenario};
    use serde_json::json;

    scenario! {
        /// Sends an invalid request.
        Server "clumsy": "A scenario that sends an invalid request",
        revisions: Revisions::all(),
        checks: [check!("clumsy", "made always")],
    }

    proofs! {
        passes on everything();
    }

    async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
        ctx.check("clumsy").pass();
        let is_deliberate = ctx.revision() == Revision::V2025_06_18;
        let request = ctx.request("tools/call", json!({"name": 7}));
        let reply = if is_deliberate { request.deliberate() } else { request }.await?;
        let _refused = reply.error();
        Ok(())
    }
}

/// A scenario that uses capabilities without asking whether the server declares them.
pub(crate) mod heedless {
    use mcp_test_core::check::Finding;
    use mcp_test_core::scenario::Ctx;
    use mcp_test_core::server::reference::everything;
    use mcp_test_core::spec::{Era, Revisions};
    use mcp_test_core::{check, proofs, scenario};
    use serde_json::json;

    scenario! {
        /// Requests something of each kind.
        Server "heedless": "A scenario that uses capabilities without asking for them",
        revisions: Revisions::all(),
        checks: [check!("heedless", "made always")],
    }

    proofs! {
        passes on everything();
    }

    async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
        ctx.check("heedless").pass();
        if ctx.revision().era() == Era::Stateless {
            // Nothing else says what the server declares.
            let discovered = ctx.discover().await?;
            let _either = discovered.outcome();
        } else {
            let resource = json!({"uri": "test://watched-resource"});
            for (method, params) in [
                ("logging/setLevel", json!({"level": "emergency"})),
                ("resources/subscribe", resource.clone()),
                ("resources/unsubscribe", resource),
            ] {
                let reply = ctx.request(method, params).await?;
                let _either = reply.outcome();
            }
        }
        let argument = json!({"name": "arg1", "value": "par"});
        let prompt = json!({"type": "ref/prompt", "name": "test_prompt_with_arguments"});
        let completion = json!({"ref": prompt, "argument": argument});
        for (method, params) in [
            ("tools/list", json!({})),
            ("resources/list", json!({})),
            ("prompts/list", json!({})),
            ("completion/complete", completion),
        ] {
            let reply = ctx.request(method, params).await?;
            let _either = reply.outcome();
        }
        Ok(())
    }
}

pub(crate) fn an_invalid_message_of_ours_is_our_fault_unless_it_is_deliberate() {
    let played = |revision, profile| run_alone(&clumsy::SCENARIO, everything(), revision, profile);
    for profile in Profile::ALL {
        let wrong = played(V2025_11_25, profile);
        let check = wrong.checks.iter().find(|check| check.id == SCHEMA_HARNESS_ERROR);
        let check = check.expect("a row");
        let blame = check.finding.as_ref().map(|finding| finding.blame);
        assert_eq!((check.status, blame), (Status::Failure, Some(Blame::Harness)));
        assert_eq!(statuses(&wrong).get(SCHEMA_VALID), Some(&Status::Success));
        if profile != Profile::Official {
            assert_eq!(wrong.verdict, Verdict::NotRun);
        }
        let deliberate = played(V2025_06_18, profile);
        assert_eq!(statuses(&deliberate).get(SCHEMA_HARNESS_ERROR), None);
        assert_eq!(deliberate.verdict, Verdict::Passed);
    }
}

pub(crate) fn a_requirement_that_explain_does_not_name_for_the_check_is_unfounded() {
    let row = row(PING, [], Status::Failure, &[]);
    let mut played = row.run(&[], Profile::Adaptive);
    let cite = |id, requirement| {
        Check::from_finding(id, Origin::Own, Finding::peer("wrong").requires(requirement))
    };
    // `ping` fails with what interrupts it, too; no check of a conversation is about tools.
    played.checks = vec![
        cite("ping", Requirement::JSONRPC_ID_TYPE_PRESERVED),
        cite("ping", Requirement::PING_RESULT_EMPTY),
    ];
    assert_eq!(unfounded(&played), [""; 0]);
    played.checks = vec![
        cite("ping", Requirement::TOOLS_LIST_RESPOND),
        cite(WELL_FORMED, Requirement::TOOLS_LIST_RESPOND),
    ];
    assert_eq!(unfounded(&played).len(), 2);
}

pub(crate) fn a_requirement_of_another_revision_is_unfounded() {
    let row = row(("ping", V2025_03_26, Duplex), [], Status::Failure, &[]);
    let mut played = row.run(&[], Profile::Adaptive);
    assert_eq!(unfounded(&played), [""; 0]);
    let finding = Finding::peer("a batch").requires(Requirement::JSONRPC_BATCH_NOT_SENT);
    // Allowed: what the judge only advises needs no requirement.
    let remark = Finding::peer("odd JSON").should();
    played.checks.push(Check::from_finding(WELL_FORMED, Origin::Own, remark));
    played.checks.push(Check::from_finding(WELL_FORMED, Origin::Own, finding));
    assert_eq!(
        unfounded(&played),
        ["wire-well-formed cites `jsonrpc.batch-not-sent`, which does not hold at 2025-03-26"]
    );
}
