//! The checks that every scenario may have without declaring them.

use super::ScenarioRun;
use super::coverage::exercised;
use super::schema_valid::{OF_THE_ENVELOPE, joined_texts, others, requirements};
use crate::check::{
    Blame, Check, Finding, Origin, REQUIREMENTS_OF_TOOLS, SCHEMA_HARNESS_ERROR, SCHEMA_VALID,
    Status, TOOL_SCHEMAS, ToolJudgement, WELL_FORMED, requirements_of_envelopes,
    requirements_of_shapes,
};
use crate::client::REQUIREMENTS_OF_CLIENT;
use crate::json::Value;
use crate::scenario::{CLIENT_CONNECTED, CLIENT_EXIT, TestedSide};
use crate::spec::{Requirement, Side};
use crate::trace::{Party, Trace};

/// The id of the check that replaces those of a scenario that did not end in time, as in the official suite.
pub(super) const SCENARIO_TIMEOUT: &str = "scenario-timeout";

/// The checks that any scenario may have without declaring them, with their descriptions; baselines may name them.
pub const COMMON: [(&str, &str); 7] = [
    (
        WELL_FORMED,
        "Everything that the peer sent, in the whole conversation, is well-formed JSON-RPC, follows the rules of\n\
         the transport, and answers the requests. It warns when only a SHOULD is not followed, and is skipped when\n\
         the peer sent nothing. A check of mcp-test, made in every scenario.",
    ),
    (
        CLIENT_CONNECTED,
        "The client under test connects, and sends a message. A check of mcp-test, made in every scenario that tests\n\
         a client. It counts in every profile: for a client that never connected, no other check means anything.",
    ),
    (
        CLIENT_EXIT,
        "The client under test exits on its own before --timeout, and without an error. A check of mcp-test, made in\n\
         every scenario that tests a client. If another check that counts reports what the client gave up at, this one\n\
         is skipped and names it; a crash and processes left behind fail all the same. In profile official it counts\n\
         when a scenario is run by name, whatever else fails, since the official suite ignores it in a whole suite.",
    ),
    (
        SCENARIO_TIMEOUT,
        "The scenario ends within the time of --timeout. The check is made only when it fails, in profile official\n\
         instead of the checks of the scenario.",
    ),
    (
        SCHEMA_VALID,
        "Everything that the peer sent has the shape that the schema of its revision gives it. The check is made in\n\
         every scenario; in profile official it counts where the official suite makes it, and follows the official\n\
         schema to the letter. Without a message of the peer it is skipped.\n\
         --schema validates against an official schema.json; `mcp-test validate` validates the messages in a file.",
    ),
    (
        SCHEMA_HARNESS_ERROR,
        "Everything that mcp-test sent has the shape that the schema of its revision gives it, except for what is\n\
         wrong on purpose. The check is made only when it fails: then mcp-test is to blame, not the peer.",
    ),
    (
        TOOL_SCHEMAS,
        "The schemas of a server's tools are valid JSON Schema, and what it returns of a tool with an `outputSchema`\n\
         conforms to that; a client is warned of arguments that do not conform to the `inputSchema`. A check of\n\
         mcp-test, made where tools are listed. It warns of what it cannot judge by, and says why.",
    ),
];

/// The requirements that a check of [`COMMON`] may cite of this side.
#[must_use]
pub fn requirements_of_common(check: &str, side: Side) -> Vec<&'static Requirement> {
    match (check, side) {
        (WELL_FORMED, _) => requirements_of_envelopes(side).to_vec(),
        (SCHEMA_VALID, _) => OF_THE_ENVELOPE.into_iter().chain(requirements_of_shapes()).collect(),
        (SCENARIO_TIMEOUT, _) => vec![Requirement::MCP_TEST_SCENARIO_ENDS],
        (TOOL_SCHEMAS, Side::Server) => REQUIREMENTS_OF_TOOLS.to_vec(),
        (CLIENT_CONNECTED, Side::Client) => vec![Requirement::MCP_TEST_CLIENT_TAKES_PART],
        (CLIENT_EXIT, Side::Client) => vec![
            Requirement::MCP_TEST_CLIENT_EXITS_WELL,
            Requirement::MCP_TEST_CLIENT_LEAVES_NO_PROCESS,
        ],
        _ => Vec::new(),
    }
}

/// The requirements that any declared check may cite of this side beside its own: when the conversation breaks off, it fails with
/// what broke it off.
pub fn requirements_of_interruptions(side: Side) -> impl Iterator<Item = &'static Requirement> {
    let own = match side {
        Side::Server => REQUIREMENTS_OF_CLIENT,
        Side::Client => &[Requirement::MCP_TEST_CLIENT_DOES_TASK],
    };
    requirements_of_envelopes(side).iter().chain(own).copied()
}

/// The check of the envelopes of the whole conversation.
pub(super) fn well_formed(judged: &[Finding], trace: &Trace, scenario_run: &ScenarioRun) -> Check {
    let who = match scenario_run.scenario.tested_side {
        TestedSide::Server | TestedSide::Authorization => Party::Server,
        TestedSide::Client => Party::Client,
    };
    let mut row = most_severe(WELL_FORMED, judged).unwrap_or_else(|| {
        if trace.has_messages_both_ways() {
            return Check::new(WELL_FORMED, Origin::Own, Status::Success);
        }
        let message = Some("the peer sent nothing".to_owned());
        Check { message, ..Check::new(WELL_FORMED, Origin::Own, Status::Skipped) }
    });
    row.tested = exercised(trace, who, scenario_run.transport);
    row.described("WireWellFormed", "Everything that the peer sent is well-formed JSON-RPC and follows the rules of its transport")
}

/// The check of the schemas of tools, if anything was validated.
pub(super) fn tool_schemas(tools: &ToolJudgement) -> Option<Check> {
    // Most scenarios list no tools: a row for each of them would say nothing.
    if tools.judged == 0 {
        return None;
    }
    let good = || Check::new(TOOL_SCHEMAS, Origin::Own, Status::Success);
    let mut row = most_severe(TOOL_SCHEMAS, &tools.findings).unwrap_or_else(good);
    row.tested = tools.tested.clone();
    Some(row.described(
        "WireToolSchemas",
        "The schemas of tools are valid JSON Schema, and what the peer sends by them conforms",
    ))
}

/// One row for several findings, with the status of the most severe and the texts of all.
fn most_severe(id: &str, findings: &[Finding]) -> Option<Check> {
    // What the peer did comes before what could not be judged.
    let rank = |finding: &&Finding| (finding.severity, finding.blame == Blame::Peer);
    let most_severe = findings.iter().max_by_key(rank)?;
    let mut row = Check::from_finding(id, Origin::Own, most_severe.clone());
    if findings.len() > 1 {
        // All of them, while the message has a bounded number.
        let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
        row.message = Some(joined_texts(findings));
        row.details = Some(Value::from(serde_json::json!({ "findings": texts })));
        row.others = others(findings, most_severe);
        row.requirements = requirements([most_severe].into_iter().chain(findings));
    }
    Some(row)
}
