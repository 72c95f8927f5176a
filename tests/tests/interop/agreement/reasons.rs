//! Why the verdicts of the two suites may differ, and which official checks never fail.

use mcp_test::scenario::TestedSide;
use mcp_test_core::spec::Requirement;

use super::verdicts::Disagreement;

/// Why some verdicts disagree.
pub(super) struct Reason {
    /// The disagreements that it explains.
    explains: fn(&Disagreement) -> bool,
    /// The reason, as a cell of a table.
    pub(super) why: &'static str,
    /// The requirement that decides, whose page is linked.
    pub(super) requirement: &'static Requirement,
}

/// The reason that explains a disagreement.
///
/// # Panics
///
/// If there is more than one.
pub(super) fn reason_of(it: &Disagreement) -> Option<&'static Reason> {
    let reasons: Vec<_> = REASONS.iter().filter(|reason| (reason.explains)(it)).collect();
    assert!(reasons.len() < 2, "{} reasons for {it:#?}", reasons.len());
    reasons.first().copied()
}

/// The disagreements without a reason.
pub(super) fn unexplained(found: &[Disagreement]) -> Vec<&Disagreement> {
    found.iter().filter(|it| reason_of(it).is_none()).collect()
}

const NOTHING_TESTED: &str = "every check is skipped, which the official suite takes for a pass; ours exits with 3, since nothing was tested";

fn is_of_nothing_tested(it: &Disagreement) -> bool {
    (it.check.as_str(), it.official.as_str(), it.ours.as_str()) == ("exit code", "0", "3")
}

/// The reasons.
pub(super) const REASONS: &[Reason] = &[
    Reason {
        explains: |it| it.run.fault.starts_with("wrong-id:"),
        why: "the official client waits for another response until the time-out; ours reports at once that the id is wrong",
        requirement: Requirement::JSONRPC_RESULT_ID_ECHO,
    },
    Reason {
        explains: |it| {
            let without = ["titledMulti/items/anyOf/0/const", "untitledMulti/items/enum"];
            without.iter().any(|member| it.run.fault.ends_with(member))
        },
        why: "the schema of the form is invalid, so that the official client refuses it, and judges no property; ours judges each of them",
        requirement: Requirement::ELICITATION_SCHEMA_ENUM_MULTI_TITLED,
    },
    Reason {
        explains: |it| it.run.fault == "remove:tasks/get:/inputRequests",
        why: "the official suite waits for the end of the task until the time-out; ours judges what it has seen",
        requirement: Requirement::EXT_TASKS_GET_INPUT_REQUIRED,
    },
    Reason {
        explains: |it| it.run.fault.starts_with("html:") && it.check == "wire-schema-valid",
        why: "the official suite validates its own messages; ours skips the check, since the server sent no message",
        requirement: Requirement::TRANSPORT_HTTP_JSON_SINGLE_OBJECT,
    },
    Reason {
        explains: |it| it.run.fault.contains("release-notes/../"),
        why: "the URI begins with the directory of the skill, but leads out of it, which the official suite does not notice",
        requirement: Requirement::SKILLS_RESOURCES_WITHIN_SKILL,
    },
    Reason {
        explains: |it| it.check == "sep-2640-names-should-be-unique",
        why: "the official suite compares the names in the URIs, ours those in the frontmatter, which is where the name is defined",
        requirement: Requirement::SKILLS_NAMES_UNIQUE,
    },
    Reason {
        explains: |it| it.run.fault == "without_subscriptions()",
        why: "nothing shows that a server without subscriptions honors a filter; the official check passes without a notification",
        requirement: Requirement::SUBSCRIPTIONS_ONLY_REQUESTED,
    },
    Reason {
        explains: |it| it.run.fault == "forgetting_finished_tasks()",
        why: "the official suite creates another task for this check, which the server does not return; ours uses the first",
        requirement: Requirement::EXT_TASKS_RESULT_FAITHFUL,
    },
    Reason {
        explains: |it| it.check == "server-sse-disconnect-resume",
        why: "the server answered the call with an error, so that no reply is left for a resumed stream; the official suite waits for a result",
        requirement: Requirement::TRANSPORT_HTTP_RESUME_GET_FOR_POST_STREAM,
    },
    Reason {
        explains: |it| {
            it.run.fault == "remove:tools/call:/jsonrpc" && it.check == "tool-add-numbers"
        },
        why: "without `jsonrpc` the message is not a JSON-RPC request, so that ours sees no call; the official check looks at the arguments only",
        requirement: Requirement::JSONRPC_VERSION_MEMBER,
    },
    Reason {
        explains: |it| it.run.fault == "remove:server/discover:/_meta",
        why: "our server refuses the request, so that the client sends no other; the official server answers it",
        requirement: Requirement::BASE_META_REQUEST_REQUIRED_FIELDS,
    },
    Reason {
        explains: |it| {
            it.run.fault == "without_capability()"
                && it.check == "client-elicitation-sep1034-general"
        },
        why: "the official server sends the form to every client; ours only to one that declares `elicitation`, and reports that it could not",
        requirement: Requirement::ELICITATION_REQUEST_REQUIRES_CAPABILITY,
    },
    Reason {
        explains: |it| it.run.fault == "without_handshake()",
        why: "the client never sends `initialize`, of which the official suite makes no check; ours passes no client that did nothing",
        requirement: Requirement::LIFECYCLE_INITIALIZE_FIRST,
    },
    Reason {
        explains: |it| {
            it.run.fault.starts_with("no-header:")
                && it.check == "sep-2575-http-version-header-matches-meta"
        },
        why: "without the header, which another check reports, ours has nothing to compare; the official suite passes",
        requirement: Requirement::TRANSPORT_HTTP_VERSION_HEADER_MATCHES_BODY,
    },
    Reason {
        explains: |it| {
            it.run.fault == "also_with_the_same_id()"
                && it.check == "sep-2322-client-request-state-echoed"
        },
        why: "the client of the proof repeats the state of our server, which is not that of the official server",
        requirement: Requirement::MRTR_STATE_ECHOED,
    },
    Reason {
        explains: |it| it.run.scenario == "http-custom-headers" && it.ours == "-",
        why: "the client does not make the calls that it is asked for; ours reports this once, the official suite also for what they would show",
        requirement: Requirement::TRANSPORT_HTTP_PARAM_HEADERS_MIRRORED,
    },
    Reason {
        explains: |it| it.run.fault.starts_with("set:elicitation/create:/action"),
        why: "the form is declined, which both report; the official suite fails each field as well, ours looks at the content, which the reply still has",
        requirement: Requirement::ELICITATION_RESPONSE_DECLINE_NO_CONTENT,
    },
    Reason {
        explains: |it| {
            let goes_on = ["any-resource", "any-issuer", "any-iss"];
            goes_on.contains(&it.run.fault.as_str()) && it.ours == "-"
        },
        why: "the client goes on where it has to stop, which both report; the official suite also lists the steps that follow",
        requirement: Requirement::AUTH_REDIRECT_ISS_MISMATCH_REJECTED,
    },
    Reason {
        explains: |it| is_of_nothing_tested(it) && it.run.scenario.starts_with("tasks-"),
        why: NOTHING_TESTED,
        requirement: Requirement::EXT_TASKS_NOTIFICATION_FULL_STATE,
    },
    Reason {
        explains: |it| is_of_nothing_tested(it) && it.run.scenario.starts_with("sep-2640-"),
        why: NOTHING_TESTED,
        requirement: Requirement::SKILLS_CLIENT_VERIFY_DIGEST,
    },
];

/// The official checks that are neither a FAILURE nor a WARNING in any recorded run, and why.
pub(super) const NEVER_RAISED: &[(TestedSide, &str, &str)] = &[
    (TestedSide::Server, "incoming-response", INFORMS),
    (TestedSide::Server, "outgoing-request", INFORMS),
    (TestedSide::Server, "sep-2549-caching-connection", NO_CONNECTION),
    (
        TestedSide::Server,
        "sep-2640-capability-directory-read-flag",
        "it is SKIPPED if the flag is missing",
    ),
    (TestedSide::Server, "server-session-lifecycle-skipped", INFORMS),
    (TestedSide::Server, "server-sse-content-type", INFORMS),
    (TestedSide::Server, "stream-closed", INFORMS),
    (TestedSide::Server, "tasks-capability-bootstrap", NO_CONNECTION),
    (TestedSide::Server, "tasks-dispatch-bootstrap", NO_CONNECTION),
    (TestedSide::Server, "tasks-headers-bootstrap", NO_CONNECTION),
    (TestedSide::Server, "tasks-lifecycle-bootstrap", NO_CONNECTION),
    (TestedSide::Server, "tasks-mrtr-input-bootstrap", NO_CONNECTION),
    (TestedSide::Server, "tasks-request-state-bootstrap", NO_CONNECTION),
    (TestedSide::Server, "tasks-required-error-bootstrap", NO_CONNECTION),
    (
        TestedSide::Server,
        "tasks-status-notifications",
        "it is always SKIPPED: the official suite has not implemented it",
    ),
    (TestedSide::Server, "tasks-wire-fields-bootstrap", NO_CONNECTION),
    (TestedSide::Client, "incoming-auth-request", LOGS),
    (TestedSide::Client, "incoming-request", LOGS),
    (TestedSide::Client, "outgoing-auth-response", LOGS),
    (TestedSide::Client, "outgoing-response", LOGS),
    (TestedSide::Client, "outgoing-sse-event", LOGS),
    (TestedSide::Client, "outgoing-stream-close", LOGS),
    (TestedSide::Client, "scope-retry-auth-attempt", INFORMS),
    (TestedSide::Client, "server-info", INFORMS),
    (
        TestedSide::Client,
        "valid-bearer-token",
        "it is SUCCESS for each token that was issued; `invalid-bearer-token` fails for others",
    ),
];

const LOGS: &str = "it only logs a message";
const INFORMS: &str = "it only informs";
const NO_CONNECTION: &str =
    "it fails if no connection can be opened, but at 2026-07-28 nothing is sent to open one";
