//! Servers with one planted defect each, and the same servers without it.
//!
//! Each program of `tests/peers` named here plants the defect that the variable `DEFECT` names: a mistake that authors of servers
//! make, on an SDK or without one. `mcp-test check` has to report the defect as a failure of the check that is about it, and must
//! not report that failure without the defect. What an SDK itself does wrong is in both reports, and does not matter here.

use std::collections::BTreeSet;

use crate::json_report::Report;
use crate::peers::{Peers, peer_path};
use crate::program::{free_port, mcp_test};

/// A program, and how it is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    /// In Python, without an SDK.
    ByHand,
    /// On the TypeScript SDK 1.x.
    TypeScript1,
    /// The same over HTTP.
    TypeScript1Http,
    /// On the TypeScript SDK 2.x.
    TypeScript2,
    /// On the official Python SDK.
    Python,
    FastMcp,
    /// On the official Python SDK, protected by tokens.
    Protected,
}

/// A defect, and the check that has to fail with it.
struct Planted {
    program: Program,
    /// The value of `DEFECT`.
    defect: &'static str,
    scenario: &'static str,
    check: &'static str,
    /// One that the failure has to cite.
    requirement: &'static str,
}

const fn planted(
    program: Program,
    defect: &'static str,
    [scenario, check, requirement]: [&'static str; 3],
) -> Planted {
    Planted { program, defect, scenario, check, requirement }
}

#[rustfmt::skip]
const PLANTED: [Planted; 32] = [
    planted(Program::ByHand, "endless-list", ["lists-pages", "lists-end", "pagination.cursor.absent-at-end"]),
    planted(Program::ByHand, "confirms-unknown-version", ["lifecycle-versions", "unknown-version-alternative", "lifecycle.version-server-alternative"]),
    planted(Program::ByHand, "answers-notifications", ["base-notifications", "notification-unanswered", "jsonrpc.notification-no-response"]),
    planted(Program::ByHand, "ids-as-text", ["base-request-ids", "integer-ids", "jsonrpc.request-answered"]),
    planted(Program::ByHand, "no-ping-before-initialized", ["lifecycle-order", "ping-before-initialized", "ping.during-initialization"]),
    planted(Program::ByHand, "prints-to-stdout", ["tools-call-results", "wire-well-formed", "transport.stdio.stdout-only-messages"]),
    planted(Program::TypeScript1, "unknown-tool-as-result", ["tools-call-unknown", "unknown-tool-error", "tools.call.unknown-tool-error"]),
    planted(Program::TypeScript1, "declared-not-served", ["base-capabilities", "declared-served", "prompts.list.respond"]),
    planted(Program::TypeScript1, "too-many-completions", ["completion-offered", "offered-completion-values", "completion.result.max-100"]),
    planted(Program::TypeScript1Http, "ended-session-400", ["server-session-lifecycle", "server-session-terminated-returns-404", "transport.http.session-terminated-404"]),
    planted(Program::TypeScript1Http, "foreign-origin-served", ["dns-rebinding-protection", "foreign-origin-refused", "transport.http.origin-validated"]),
    planted(Program::TypeScript2, "progress-decreases", ["progress-tokens", "wire-well-formed", "progress.increases"]),
    planted(Program::TypeScript2, "logs-below-level", ["tools-call-with-logging", "tools-call-with-logging-level", "logging.set-level.threshold"]),
    planted(Program::TypeScript2, "lists-differ", ["lists-connections", "same-for-each-connection", "tools.list.connection-independent"]),
    planted(Program::Python, "blob-as-data-uri", ["resources-read-listed", "wire-schema-valid", "resources.contents.blob-base64"]),
    planted(Program::Python, "unknown-resource-empty", ["resources-read-unknown", "unknown-resource-error", "resources.read.no-empty-contents"]),
    planted(Program::Python, "prompt-needs-arguments", ["prompts-get-listed", "prompt-arguments-omitted", "prompts.get.arguments-optional"]),
    planted(Program::FastMcp, "structured-mistyped", ["tools-call-results", "wire-tool-schemas", "tools.structured.conforms-output-schema"]),
    planted(Program::FastMcp, "picture-as-text", ["resources-read-listed", "text-is-text", "resources.contents.text-only-if-textual"]),
    planted(Program::FastMcp, "listed-not-readable", ["resources-read-listed", "listed-readable", "resources.read.listed-readable"]),
    planted(Program::Protected, "forbidden", ["authorization-challenge", "request-without-token-refused", "auth.challenge.401-unauthenticated"]),
    planted(Program::Protected, "no-challenge", ["authorization-challenge", "challenge-sent", "auth.challenge.section-5-3-error"]),
    planted(Program::Protected, "no-metadata", ["authorization-metadata", "resource-metadata-published", "auth.discovery.prm-server"]),
    planted(Program::Protected, "foreign-metadata", ["authorization-metadata", "resource-metadata-of-server", "auth.discovery.prm-server"]),
    planted(Program::Protected, "empty-metadata", ["authorization-metadata", "resource-metadata-names-issuer", "auth.discovery.prm-authorization-servers"]),
    planted(Program::Protected, "expired", ["authorization-tokens", "expired-token-refused", "auth.challenge.401-expired-token"]),
    planted(Program::Protected, "unsigned", ["authorization-tokens", "unsigned-token-refused", "auth.token.server-validates"]),
    planted(Program::Protected, "any-signature", ["authorization-tokens", "tampered-token-refused", "auth.token.server-validates"]),
    planted(Program::Protected, "any-issuer", ["authorization-tokens", "other-issuer-refused", "auth.token.server-validates"]),
    planted(Program::Protected, "any-audience", ["authorization-tokens", "other-audience-refused", "auth.token.audience-validation"]),
    planted(Program::Protected, "query-token", ["authorization-tokens", "token-in-query-refused", "auth.token.server-validates"]),
    planted(Program::Protected, "passes-token", ["authorization-passthrough", "token-not-passed-on", "auth.token.no-passthrough"]),
];

impl Program {
    /// The last arguments of `mcp-test check`.
    fn target(self) -> Vec<String> {
        let peers = Peers::installed();
        let command = match self {
            Self::ByHand => vec!["python3".to_owned(), peer_path("planted.py")],
            Self::TypeScript1 => peers.typescript("planted_v1.mjs", &["stdio"]),
            Self::TypeScript1Http => {
                let port = free_port().to_string();
                let url = format!("http://127.0.0.1:{port}/mcp");
                let command = peers.typescript("planted_v1.mjs", &["http", &port]);
                return [vec!["--url".to_owned(), url, "--".to_owned()], command].concat();
            }
            Self::TypeScript2 => peers.typescript("planted_v2.mjs", &[]),
            Self::Python => peers.python("planted_sdk.py", &[]),
            Self::FastMcp => peers.python("planted_fastmcp.py", &[]),
            Self::Protected => {
                let port = free_port().to_string();
                let url = format!("http://127.0.0.1:{port}/mcp");
                let command = peers.python("protected.py", &[&port]);
                let options = ["--auth", "--downstream", "0", "--url", &url, "--"];
                return [options.map(str::to_owned).to_vec(), command].concat();
            }
        };
        [vec!["--".to_owned()], command].concat()
    }

    /// The report on the program with this defect, or without one if it is empty.
    fn check(self, defect: &str, scenarios: &BTreeSet<&str>) -> Report {
        let mut args = ["check", "--format", "json", "--env"].map(str::to_owned).to_vec();
        args.push(format!("DEFECT={defect}"));
        for scenario in scenarios {
            args.extend(["--scenario".to_owned(), (*scenario).to_owned()]);
        }
        args.extend(self.target());
        Report::read(&mcp_test(&args))
    }
}

/// Checks a program with each of its defects, and once without any.
#[track_caller]
fn assert_reported(program: Program) {
    let all: Vec<&Planted> = PLANTED.iter().filter(|it| it.program == program).collect();
    assert!(!all.is_empty(), "{program:?} has no defects");
    let sound = program.check("", &all.iter().map(|it| it.scenario).collect());
    for &Planted { defect, scenario, check, requirement, .. } in all {
        let about = format!("{program:?} with {defect}");
        let broken = program.check(defect, &[scenario].into()).failures();
        let is_reported = broken.iter().any(|failure| {
            let (name, ids) = failure.split_once(": ").expect("a check and its requirements");
            let is_it = name == check || name == format!("{check} of {scenario}");
            is_it && ids.split(", ").any(|id| id == requirement)
        });
        assert!(is_reported, "{about}: no failure of {check} for {requirement}, but {broken:#?}");
        let statuses = sound.statuses(scenario, check);
        // A check that was not made without the defect would show nothing.
        assert!(
            statuses.contains("SUCCESS") && !statuses.contains("FAILURE"),
            "{about}: without the defect, {check} of {scenario} is {statuses:?}, and the failures are {:#?}",
            sound.failures()
        );
    }
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn defects_of_a_server_written_hand_written_are_reported() {
    assert_reported(Program::ByHand);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn defects_of_a_server_on_the_typescript_sdk_1_are_reported() {
    assert_reported(Program::TypeScript1);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn defects_of_a_server_on_the_typescript_sdk_1_over_http_are_reported() {
    assert_reported(Program::TypeScript1Http);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn defects_of_a_server_on_the_typescript_sdk_2_are_reported() {
    assert_reported(Program::TypeScript2);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn defects_of_a_server_on_the_python_sdk_are_reported() {
    assert_reported(Program::Python);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn defects_of_a_server_on_fastmcp_are_reported() {
    assert_reported(Program::FastMcp);
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn defects_of_a_protected_server_on_the_python_sdk_are_reported() {
    assert_reported(Program::Protected);
}
