//! What a run shows about requirements.

use std::num::NonZeroUsize;

use mcp_test_core::clock::virtual_time;
use mcp_test_core::run::{Coverage, NotTested, Plan, RowState, Selection, run};
use mcp_test_core::scenario::{CalledTools, Profile, Scenario, TestedSide, ToolCalls};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Call, Server};
use mcp_test_core::spec::Requirement;
use mcp_test_core::transport::{Fault, TransportKind};
use mcp_test_suite::scenarios;

/// The coverage of a run of these scenarios, in memory.
fn coverage(server: &Server, scenarios: &[&str], calls: CalledTools) -> Coverage {
    let selection = Selection {
        scenarios: scenarios.iter().map(|&id| id.to_owned()).collect(),
        transports: vec![TransportKind::Duplex],
        ..Selection::default()
    };
    let plan = Plan::build(scenarios::all(), server.target(), Profile::Adaptive, &selection)
        .expect("a plan");
    let calls = ToolCalls { unnamed: calls, ..ToolCalls::default() };
    let plan = plan.jobs(NonZeroUsize::MIN).calls(calls);
    virtual_time::block_on(run(&plan, &mut |_| {})).coverage
}

#[track_caller]
fn state(coverage: &Coverage, requirement: &Requirement) -> RowState {
    let all: Vec<&Scenario> = scenarios::all().collect();
    let mut rows = coverage.rows(&all, TestedSide::Server);
    let found = rows.find(|(row, _)| *row == requirement);
    found.map(|(_, state)| state).unwrap_or_else(|| panic!("{requirement}"))
}

#[test]
fn a_requirement_is_tested_violated_or_not_tested_for_a_reason() {
    use RowState::{NotTested as Not, Tested, Violated};
    let sound = coverage(&everything(), &["ping", "tools-call-unknown"], CalledTools::ReadOnly);
    assert_eq!(state(&sound, Requirement::PING_RESULT_EMPTY), Tested);
    assert_eq!(state(&sound, Requirement::TOOLS_CALL_UNKNOWN_TOOL_ERROR), Tested);
    assert_eq!(state(&sound, Requirement::JSONRPC_RESULT_ID_ECHO), Tested);
    assert_eq!(state(&sound, Requirement::PROGRESS_INCREASES), Not(NotTested::DidNotOccur));
    assert_eq!(state(&sound, Requirement::TOOLS_LIST_RESPOND), Not(NotTested::NotRun));
    assert_eq!(
        state(&sound, Requirement::BASE_CUSTOM_TRANSPORT_LIFECYCLE),
        Not(NotTested::NotVisible)
    );
    assert_eq!(
        state(&sound, Requirement::AUTH_TOKEN_AUDIENCE_VALIDATION),
        Not(NotTested::NeedsToken)
    );

    let faulty = everything().faults([Fault::reply_error("ping", -32603)]);
    let faulty = coverage(&faulty, &["ping"], CalledTools::ReadOnly);
    assert_eq!(state(&faulty, Requirement::PING_RESPONDS_PROMPTLY), Violated);
}

#[test]
fn what_the_server_does_not_offer_is_a_reason() {
    let bare = || Server::new(serde_json::json!({"name": "bare", "version": "1"}));
    let empty = coverage(&bare(), &["tools-call-unknown", "tools-list"], CalledTools::ReadOnly);
    let unknown = Requirement::TOOLS_CALL_UNKNOWN_TOOL_ERROR;
    assert_eq!(state(&empty, unknown), RowState::NotTested(NotTested::NotOffered));

    let other = bare()
        .capabilities(serde_json::json!({"tools": {}}))
        .on("tools/list", |_: Call| async { serde_json::json!({"tools": []}) });
    let other = coverage(&other, &["tools-call-error"], CalledTools::ReadOnly);
    let fixture = Requirement::TOOLS_CALL_EXECUTION_ERROR_IS_ERROR;
    assert_eq!(state(&other, fixture), RowState::NotTested(NotTested::NeedsFixture));
}

#[test]
fn what_did_not_occur_is_not_tested() {
    use RowState::{NotTested as Not, Tested};
    let texts = coverage(&everything(), &["prompts-get-simple"], CalledTools::None);
    assert_eq!(state(&texts, Requirement::JSONRPC_RESULT_OBJECT), Tested);
    for id in
        [Requirement::PROMPTS_CONTENT_AUDIO_BASE64_MIME, Requirement::TOOLS_STRUCTURED_TEXT_MIRROR]
    {
        assert_eq!(state(&texts, id), Not(NotTested::DidNotOccur), "{id}");
    }
}
