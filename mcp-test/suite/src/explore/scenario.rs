//! The exploration as a scenario: its checks, by operation.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_test_core::check;
use mcp_test_core::check::Finding;
use mcp_test_core::scenario::{
    Activity, Body, CheckSpec, Ctx, Kind, Need, Scenario, Shared, TestedSide, Transports,
};
use mcp_test_core::spec::{Capability, ItemKind, Revisions};
use serde_json::json;

use super::answer::Answer;
use super::explored::{Exploration, Explored};
use super::explorer::Explorer;
use super::failure::FailureKind;
use super::operation::Operation;
use super::options::ExploreOptions;
use super::report::explained;
use super::shrink::Reduced;
use crate::generate::Class;

/// The id of the scenario.
pub const ID: &str = "tools-explored";

/// How long an exploration may take in all.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// The check that resources and prompts have too.
const ANSWERS: &str = "tool-answers";

/// The check that what was found about a tool means something.
const SUCCEEDS: &str = "tool-succeeds";

static CHECKS: [CheckSpec; 6] = [
    check!(ANSWERS, "Each call is answered, and the server goes on", [JSONRPC_REQUEST_ANSWERED])
        .conditional(),
    check!(
        "tool-accepts",
        "Arguments that the schema allows are not refused, and are not answered with an internal error",
        [TOOLS_CALL_EXECUTION_ERROR_IS_ERROR]
    )
    .conditional(),
    check!(
        "tool-refuses",
        "Arguments that the schema does not allow are refused, by a text that names them",
        [
            TOOLS_SECURITY_VALIDATE_INPUTS,
            TOOLS_CALL_INPUT_VALIDATION_IS_ERROR,
            JSONRPC_INVALID_PARAMS_ERROR
        ]
    )
    .conditional()
    .only_warns("a tool may make sense of more than its schema allows"),
    check!(
        "tool-output",
        "Each result conforms to the `outputSchema`, and its text agrees with `structuredContent`",
        [
            TOOLS_STRUCTURED_CONFORMS_OUTPUT_SCHEMA,
            TOOLS_STRUCTURED_PRESENT_WITH_OUTPUT_SCHEMA,
            TOOLS_STRUCTURED_TEXT_MIRROR
        ]
    )
    .conditional()
    .within(Revisions::all(), "servers of older revisions may have structured content as well"),
    check!(
        "tool-results-apart",
        "Each call gets its own result, also if several are made at once, and nothing of what others were called with",
        [JSONRPC_RESULT_ID_ECHO, MCP_TEST_EXPLORED_CALLS_APART]
    )
    .conditional(),
    check!(SUCCEEDS, "Some call of the tool succeeds", &[Explored::SUCCEEDS]).conditional(),
];

/// The scenario that explores the tools which the run may call, and stores what was seen in `explored`.
#[must_use]
pub fn scenario(options: ExploreOptions, explored: Arc<Mutex<Exploration>>) -> Scenario {
    let activity = Activity::default();
    let of_run = activity.clone();
    let body = Body::server(move |ctx| {
        let (options, explored, activity) =
            (options.clone(), Arc::clone(&explored), of_run.clone());
        Box::pin(async move {
            let exploration = run(ctx, options, activity).await?;
            *explored.lock().unwrap_or_else(PoisonError::into_inner) = exploration;
            Ok(())
        })
    });
    Scenario {
        title: "The tools answer generated arguments as their schemas say".into(),
        doc: "Each tool that the run may call is called with arguments that are generated from its schema. What results contain is tried in other tools, resources and prompts.\n".into(),
        revisions: Revisions::all(),
        transports: Transports::Any,
        needs: &[Need::Capability(Capability::Tools), Need::CallableTool],
        checks: Shared::Static(&CHECKS),
        // Each tool has its own time.
        timeout: Some(LONGEST),
        activity: Some(activity),
        file: file!().into(),
        ..Scenario::dynamic(Kind::BuiltIn, TestedSide::Server, ID, body)
    }
}

async fn run(
    ctx: &mut Ctx,
    options: ExploreOptions,
    activity: Activity,
) -> Result<Exploration, Finding> {
    let exploration = explore(ctx, options, activity).await?;
    for explored in &exploration.operations {
        make_checks(ctx, explored);
    }
    match exploration.untested() {
        Some(finding) => Err(finding),
        None => Ok(exploration),
    }
}

/// Explores what the run may call, and what its results lead to.
pub(super) async fn explore(
    ctx: &mut Ctx,
    options: ExploreOptions,
    activity: Activity,
) -> Result<Exploration, Finding> {
    let tools = ctx.callable_tools().await?;
    let calls = ctx.calls().clone();
    let fixed = |name: &str| calls.named.get(name).cloned().flatten();
    let prompts = ctx.offered(ItemKind::Prompt).await?.items;
    let templates = ctx.offered(ItemKind::ResourceTemplate).await?.items;
    let has_resources = ctx.declares(Capability::Resources).await?;
    let mut explorer =
        Explorer::new(ctx, &tools, fixed, options).with_activity(activity).with_prompts(&prompts);
    if has_resources {
        explorer = explorer.with_resources(&templates);
    }
    explorer.explore().await
}

/// Makes the checks of one operation: those that fail, or else the first, with what was covered.
fn make_checks(ctx: &mut Ctx, explored: &Explored) {
    let answers = |answer| explored.answers.get(&answer).copied().unwrap_or_default();
    let details = json!({
        "operation": explored.operation.to_string(),
        "calls": explored.calls,
        "invalid": explored.invalid,
        "keywords": explored.keywords,
        "answers": {
            "results": answers(Answer::Success),
            "isError": answers(Answer::ToolError),
            "errors": answers(Answer::ProtocolError),
        },
        "notGenerated": explored.not_generated,
    });
    if let Some(why) = &explored.not_generated {
        ctx.check(ANSWERS)
            .details(details)
            .info(format!("no arguments of `{}` can be generated: {why}", explored.operation));
        return;
    }
    let is_tool = matches!(explored.operation, Operation::Tool(_));
    for spec in &CHECKS {
        let of_check: Vec<&Reduced> = explored
            .failures
            .iter()
            .filter(|it| check_of(&it.failure.kind, &it.class) == spec.id)
            .collect();
        let applies = is_tool || spec.id == ANSWERS;
        if let Some(finding) = explored.never_succeeded().filter(|_| spec.id == SUCCEEDS) {
            ctx.check(SUCCEEDS).details(details.clone()).fail(finding);
        } else if of_check.is_empty() && applies {
            ctx.check(&spec.id).details(details.clone()).pass();
        }
        for reduced in of_check {
            ctx.check(&spec.id).details(details.clone()).fail(explained(reduced, explored));
        }
    }
}

/// The check that a failure belongs to.
fn check_of(kind: &FailureKind, class: &Class) -> &'static str {
    match kind {
        FailureKind::InternalError if class.is_invalid() => "tool-refuses",
        FailureKind::Closed | FailureKind::NoReply | FailureKind::InvalidReply => ANSWERS,
        FailureKind::ValidRefused | FailureKind::InternalError => "tool-accepts",
        FailureKind::InvalidAccepted | FailureKind::RefusalWithoutName => "tool-refuses",
        FailureKind::OutputMissing
        | FailureKind::OutputInvalid { .. }
        | FailureKind::TextDiffers => "tool-output",
        FailureKind::Mixed | FailureKind::Leaked => "tool-results-apart",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_is_made_at_each_revision() {
        for check in &CHECKS {
            assert_eq!(check.revisions, Revisions::all(), "{}", check.id);
        }
    }
}
