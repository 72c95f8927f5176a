//! The proof of `wire-tool-schemas`: faults in the tools and results of the reference server, and the exact findings.

use mcp_test_core::check::{Status, TOOL_SCHEMAS};
use mcp_test_core::run::{Outcome, ScenarioRun, Verdict};
use mcp_test_core::scenario::Profile;
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::Requirement;
use mcp_test_core::spec::Revision::V2025_11_25;
use mcp_test_core::transport::Fault;
use mcp_test_core::transport::TransportKind::Duplex;
use serde_json::json;

use crate::runs::run_alone;
use crate::table::{Row, over_both};
use crate::unfounded::unfounded;

/// A scenario that lists the tools, and calls the first of them.
mod calling {
    use mcp_test_core::check::Finding;
    use mcp_test_core::scenario::Ctx;
    use mcp_test_core::server::reference::everything;
    use mcp_test_core::spec::Revisions;
    use mcp_test_core::{check, proofs, scenario};
    use serde_json::json;

    scenario! {
        /// Calls a tool.
        Server "calling": "A scenario that lists tools and calls one",
        revisions: Revisions::all(),
        checks: [check!("calling", "made always")],
    }

    proofs! {
        passes on everything();
    }

    async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
        ctx.check("calling").pass();
        let listed = ctx.request("tools/list", json!({})).await?;
        let _tools = listed.result()?;
        let called = ctx.request("tools/call", json!({"name": "test_simple_text"})).await?;
        let _said = called.result()?;
        Ok(())
    }
}

fn run_calling(faults: impl IntoIterator<Item = Fault>) -> Outcome {
    run_alone(&calling::SCENARIO, everything().faults(faults), V2025_11_25, Profile::Adaptive)
}

type Expected = (Vec<Fault>, Status, &'static [&'static Requirement]);

/// Faults, the status of the check, and the requirements that it cites.
fn table() -> [Expected; 9] {
    use Status::{Failure, Success, Warning};
    let promise = || {
        Fault::set(
            "tools/list",
            "/tools/0/outputSchema",
            json!({"type": "object", "required": ["sum"]}),
        )
    };
    let input = |schema| Fault::set("tools/list", "/tools/0/inputSchema", schema);
    let returned = |content| Fault::set("tools/call", "/structuredContent", content);
    let far = json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a"}}});
    let doubling: serde_json::Map<_, _> = (0..20)
        .map(|n| {
            let next = json!({"$ref": format!("#/$defs/{}", n + 1)});
            (n.to_string(), json!({"allOf": [next, next]}))
        })
        .chain([("20".to_owned(), json!({}))])
        .collect();
    let doubling =
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/0"}}, "$defs": doubling});
    [
        (vec![], Success, &[]),
        (
            vec![input(json!({"type": "object", "properties": {"a": {"type": "int"}}}))],
            Failure,
            &[Requirement::TOOLS_DEFINITION_INPUT_SCHEMA_VALID, Requirement::BASE_SCHEMA_VALID],
        ),
        (
            vec![input(
                json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}),
            )],
            Warning,
            &[Requirement::BASE_SCHEMA_PREFER_2020_12],
        ),
        (vec![input(far)], Warning, &[]),
        (vec![input(doubling)], Failure, &[]),
        (vec![promise()], Failure, &[Requirement::TOOLS_STRUCTURED_PRESENT_WITH_OUTPUT_SCHEMA]),
        (
            vec![promise(), returned(json!({"total": 3}))],
            Failure,
            &[Requirement::TOOLS_STRUCTURED_CONFORMS_OUTPUT_SCHEMA],
        ),
        (vec![promise(), returned(json!({"sum": 3}))], Success, &[]),
        (
            vec![Fault::set("tools/list", "/tools/0/outputSchema", json!({"type": "objects"}))],
            Failure,
            &[
                Requirement::TOOLS_STRUCTURED_PRESENT_WITH_OUTPUT_SCHEMA,
                Requirement::TOOLS_DEFINITION_OUTPUT_SCHEMA_VALID,
                Requirement::BASE_SCHEMA_VALID,
            ],
        ),
    ]
}

/// The rows that cite a requirement.
pub(crate) fn rows() -> Vec<Row> {
    let scenario_run = ScenarioRun {
        scenario: (&calling::SCENARIO).into(),
        revision: V2025_11_25,
        transport: Duplex,
    };
    let citing = table().into_iter().filter(|(_, _, requirements)| !requirements.is_empty());
    let row = |(faults, status, requirements)| {
        Row::new(everything(), scenario_run.clone(), faults, status, requirements)
            .for_check(TOOL_SCHEMAS)
    };
    over_both(citing.map(row))
}

pub(crate) fn schemas_of_tools_are_valid_and_results_conform() {
    for (faults, status, requirements) in table() {
        let named: Vec<String> = faults.iter().map(Fault::name).collect();
        let played = run_calling(faults);
        let check = played.checks.iter().find(|check| check.id == TOOL_SCHEMAS).expect("a row");
        assert_eq!((check.status, &*check.requirements), (status, requirements), "{named:?}");
        assert_eq!(unfounded(&played), [""; 0], "{named:?}");
        // What is beyond the bounds of mcp-test is not tested, but breaks nothing.
        let verdict = match (status, requirements) {
            (Status::Failure, []) => Verdict::NotRun,
            (Status::Failure, _) => Verdict::Failed,
            _ => Verdict::Passed,
        };
        assert_eq!(played.verdict, verdict, "{named:?}");
    }
}

pub(crate) fn without_a_schema_the_check_is_not_made() {
    let list = "tools/list";
    let tool = |tool| Fault::set(list, "/tools", json!([tool]));
    let rows = [
        (Fault::reply_error(list, -32603), None),
        (Fault::retype(list, "/tools"), None),
        (tool(json!({"name": "bare"})), None),
        (tool(json!({"name": "one", "inputSchema": {}})), Some(Status::Success)),
    ];
    for (fault, status) in rows {
        let named = fault.name();
        let played = run_calling([fault]);
        let check = played.checks.iter().find(|check| check.id == TOOL_SCHEMAS);
        assert_eq!(check.map(|check| check.status), status, "{named}");
    }
}
