//! Third-party servers under `mcp-test check`.
//!
//! A failing check must name a requirement that the server really breaks. The checks that are known to fail are listed here
//! with the reason; any other failure is a bug in one of our checks.

use std::collections::BTreeSet;

use crate::json_report::{Report, over_lines, over_streamable_http};
use crate::peers::Peers;
use crate::program::{free_port, mcp_test};

/// A check that fails on a server, as [`Report::failures`] formats it, and what the server does wrong.
type KnownFailure = (&'static str, &'static str);

fn check(target: &[String], known: &[KnownFailure]) -> Report {
    let mut args = vec!["check".to_owned(), "--format".to_owned(), "json".to_owned()];
    args.extend_from_slice(target);
    let run = mcp_test(&args);
    let report = Report::read(&run);
    let mut found = report.failures();
    // Whether this SDK fails after the cancellation of a completed request depends on the requests before.
    found.retain(|failure| !failure.starts_with("cancelled-after-reply of "));
    let known: BTreeSet<String> = known.iter().map(|(failure, _)| (*failure).to_owned()).collect();
    assert_eq!(found, known, "{}", run.stderr);
    assert_eq!(run.code, i32::from(!known.is_empty()), "{}", run.stderr);
    report
}

fn over_stdio(command: Vec<String>) -> Vec<String> {
    [vec!["--".to_owned()], command].concat()
}

fn over_http(port: u16, command: Vec<String>) -> Vec<String> {
    at_path("mcp", port, command)
}

/// The server learns its port from the variable `PORT`.
fn at_path(path: &str, port: u16, command: Vec<String>) -> Vec<String> {
    let url = format!("http://127.0.0.1:{port}/{path}");
    let env = format!("PORT={port}");
    [["--env", &env, "--url", &url, "--"].map(str::to_owned).to_vec(), command].concat()
}

/// What the SDK does wrong on every server that has tools.
const UNKNOWN_TOOL: KnownFailure = (
    "unknown-tool-error of tools-call-unknown: tools.call.unknown-tool-error",
    "the SDK answers a call of an unknown tool with a result",
);

const BATCH: KnownFailure = (
    "batch-answered of base-batch: jsonrpc.batch-receive",
    "the SDK has no batches, not even at 2025-03-26",
);

const PARAMS_ARRAY: KnownFailure = (
    "params-array of base-invalid-params: jsonrpc.request-answered",
    "the SDK ignores a request with an array as `params`",
);

/// Over stdio, the version of the first request but `server/discover` is that of the connection.
const UNSUPPORTED_VERSIONS: [KnownFailure; 2] = [
    (
        "unsupported-version-code of versioning-unsupported: versioning.unsupported-version-error",
        "the SDK serves requests at versions that do not exist after one at 2026-07-28",
    ),
    (
        "known-version-unsupported of versioning-unsupported: versioning.unsupported-version-error",
        "it does the same at versions that it does not name",
    ),
];

/// Links to resources, which 2025-06-18 introduces, in the results of its tools at 2024-11-05.
const CONTENT_2024: KnownFailure = (
    "wire-schema-valid: tools.content.types-text-image-resource",
    "it returns `resource_link` at each revision",
);

/// The same at 2025-03-26.
const CONTENT_2025: KnownFailure = (
    "wire-schema-valid: tools.content.types-with-audio",
    "it returns `resource_link` at each revision",
);

/// The server lacks the fixtures of the official suite, so scenarios that need one are skipped.
fn everything_over_stdio() -> Vec<KnownFailure> {
    vec![UNKNOWN_TOOL, BATCH, PARAMS_ARRAY, CONTENT_2024, CONTENT_2025]
}

fn everything_over_sse() -> Vec<KnownFailure> {
    let origin = (
        "foreign-origin-refused of sse-origin: transport.sse.origin-validated",
        "it validates neither the Host nor the Origin header",
    );
    vec![UNKNOWN_TOOL, origin, CONTENT_2024]
}

fn everything_over_http() -> Vec<KnownFailure> {
    [&EVERYTHING_OVER_HTTP[..], &[CONTENT_2025]].concat()
}

const EVERYTHING_OVER_HTTP: [KnownFailure; 6] = [
    UNKNOWN_TOOL,
    (
        "localhost-host-rebinding-rejected of dns-rebinding-protection: transport.http.origin-validated",
        "it validates neither the Host nor the Origin header",
    ),
    (
        "foreign-origin-refused of dns-rebinding-protection: transport.http.origin-validated",
        "it validates neither the Host nor the Origin header",
    ),
    (
        "server-session-terminated-returns-404 of server-session-lifecycle: transport.http.session-terminated-404",
        "it responds with HTTP 400, not 404, once a session has ended",
    ),
    (
        "server-session-terminated-everywhere of server-session-lifecycle: transport.http.session-terminated-404",
        "it responds with HTTP 400, not 404, once a session has ended",
    ),
    (
        "server-streams-listening of server-sse-multiple-streams: transport.http.get-sse-or-405",
        "it rejects a second GET with HTTP 409",
    ),
];

const EVERYTHING_VERDICTS: &str = "\
completion-complete: passed at 2025-03-26 2025-06-18 2025-11-25
dns-rebinding-protection: failed at 2025-03-26 2025-06-18 2025-11-25
logging-set-level: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
ping: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
prompts-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
resources-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
server-initialize: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
server-session-lifecycle: failed at 2025-03-26 2025-06-18 2025-11-25
server-sse-multiple-streams: failed at 2025-03-26 2025-06-18 2025-11-25
tools-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
";

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn everything_server_has_only_known_failures_over_stdio() {
    let peers = Peers::installed();
    let report = check(&over_stdio(peers.everything("stdio")), &everything_over_stdio());
    assert_eq!(report.official_verdicts(), over_lines(EVERYTHING_VERDICTS));
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn everything_server_has_only_known_failures_over_http() {
    let peers = Peers::installed();
    let target = over_http(free_port(), peers.everything("streamableHttp"));
    let report = check(&target, &everything_over_http());
    assert_eq!(report.official_verdicts(), over_streamable_http(EVERYTHING_VERDICTS));
    let sdks = [
        "logging-set-level-unknown",
        "malformed-call-code",
        "missing-argument-refused",
        "params-missing",
        "params-mistyped",
        "server-streams-listening",
        "unknown-resource-code",
        "unknown-tool-error",
    ];
    assert_eq!(report.sdks(), sdks.map(|id| format!("{id}: the official TypeScript SDK")).into());
}

/// Of the revisions that the server supports, only 2024-11-05 has this transport. Without `--transport`, the fallback to
/// HTTP+SSE applies, since the URL refuses POST requests.
#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn everything_server_has_only_known_failures_over_sse() {
    let peers = Peers::installed();
    for options in [vec![], vec!["--transport".to_owned(), "sse".to_owned()]] {
        let target = [options, at_path("sse", free_port(), peers.everything("sse"))].concat();
        let report = check(&target, &everything_over_sse());
        let verdicts = over_lines(EVERYTHING_VERDICTS);
        let verdicts = verdicts.lines().filter(|line| line.contains("2024-11-05"));
        let verdicts: String = verdicts
            .map(|line| line.split_inclusive("2024-11-05").next().unwrap_or_default())
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(report.official_verdicts(), verdicts);
    }
}

/// `everything.py` has fixtures for tools, resources and prompts, but no completions and no logging.
const PYTHON: [KnownFailure; 3] = [UNKNOWN_TOOL, BATCH, PARAMS_ARRAY];

const PYTHON_OVER_HTTP: [KnownFailure; 4] = [
    UNKNOWN_TOOL,
    BATCH,
    (
        "string-ids of base-request-ids: jsonrpc.request-answered",
        "it takes the ids 0 and \"0\" of requests in flight for the same",
    ),
    (
        "server-streams-listening of server-sse-multiple-streams: transport.http.get-sse-or-405",
        "it rejects a second GET with HTTP 409",
    ),
];

const PYTHON_VERDICTS: &str = "\
caching: passed at 2026-07-28
dns-rebinding-protection: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
http-header-validation: passed at 2026-07-28
input-required-result-unsupported-methods: passed at 2026-07-28
ping: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
prompts-get-simple: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
prompts-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
resources-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
resources-read-text: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
sep-2164-resource-not-found: passed at 2026-07-28
server-initialize: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25
server-session-lifecycle: passed at 2025-03-26 2025-06-18 2025-11-25
server-sse-multiple-streams: failed at 2025-03-26 2025-06-18 2025-11-25
server-sse-multiple-streams: passed at 2026-07-28
server-stateless: passed at 2026-07-28
tools-call-error: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
tools-call-simple-text: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
tools-list: passed at 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
";

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn python_sdk_server_has_only_known_failures_over_stdio() {
    let peers = Peers::installed();
    let report = check(&over_stdio(peers.python("everything.py", &["stdio"])), &PYTHON);
    assert_eq!(report.official_verdicts(), over_lines(PYTHON_VERDICTS));
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn python_sdk_server_has_only_known_failures_over_http() {
    let peers = Peers::installed();
    let port = free_port();
    let target = over_http(port, peers.python("everything.py", &["http", &port.to_string()]));
    let report = check(&target, &PYTHON_OVER_HTTP);
    assert_eq!(report.official_verdicts(), over_streamable_http(PYTHON_VERDICTS));
    let sdks = [
        "batch-answered",
        "server-streams-listening",
        "unknown-resource-code",
        "unknown-tool-error",
    ];
    assert_eq!(report.sdks(), sdks.map(|id| format!("{id}: the official Python SDK")).into());
}

/// `server_v2.mjs` supports both eras, with the fixtures of the Python server; over HTTP it has no sessions and no GET.
const TYPESCRIPT: [KnownFailure; 2] = [BATCH, PARAMS_ARRAY];

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn typescript_sdk_2_server_passes_over_stdio() {
    let peers = Peers::installed();
    let known = [&TYPESCRIPT[..], &UNSUPPORTED_VERSIONS].concat();
    let report = check(&over_stdio(peers.typescript("server_v2.mjs", &["stdio"])), &known);
    assert_eq!(report.official_verdicts(), over_lines(PYTHON_VERDICTS));
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn typescript_sdk_2_server_passes_over_http() {
    let peers = Peers::installed();
    let port = free_port();
    let server = peers.typescript("server_v2.mjs", &["http", &port.to_string()]);
    let report = check(&over_http(port, server), &[]);
    insta::assert_snapshot!(report.official_verdicts(), @"
    caching: passed at 2026-07-28
    dns-rebinding-protection: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
    http-header-validation: passed at 2026-07-28
    input-required-result-unsupported-methods: passed at 2026-07-28
    ping: passed at 2025-03-26 2025-06-18 2025-11-25
    prompts-get-simple: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
    prompts-list: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
    resources-list: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
    resources-read-text: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
    sep-2164-resource-not-found: passed at 2026-07-28
    server-initialize: passed at 2025-03-26 2025-06-18 2025-11-25
    server-session-lifecycle: passed at 2025-03-26 2025-06-18 2025-11-25
    server-sse-multiple-streams: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
    server-stateless: passed at 2026-07-28
    tools-call-error: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
    tools-call-simple-text: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
    tools-list: passed at 2025-03-26 2025-06-18 2025-11-25 2026-07-28
    ");
}
