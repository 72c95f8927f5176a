//! Faults of the reference server under the official suite and under `mcp-test server`.
//!
//! With the official profile, each check of the official suite has the same status in both; the exceptions are listed here
//! with the reason. A scenario that fails in the official suite never passes in ours.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use mcp_test_tests::folder::Folder;

use crate::official_suite::{path_arg, run_official, statuses};
use crate::peers::Peers;
use crate::program::{MCP_TEST, Serving, mcp_test};

const HANDSHAKE: &str = "2025-11-25";
const STATELESS: &str = "2026-07-28";

/// The id of a scenario, and the fault of the server.
type FaultyRun = (&'static str, &'static str);

const IN_BOTH_ERAS: &[FaultyRun] = &[
    ("tools-call-simple-text", "error:tools/call:-32603"),
    ("tools-call-error", "error:tools/call:-32603"),
    ("tools-call-error", "remove:tools/call:/isError"),
    ("tools-call-simple-text", r#"set:tools/call:/content/0/type:"picture""#),
    ("tools-list", "remove:tools/list:/tools/0/name"),
    ("tools-list", "remove:tools/list:/tools/0/description"),
    ("tools-list", r#"set:tools/list:/tools/0/name:"not allowed""#),
    ("tools-list", "html:tools/list"),
    ("resources-list", "status:resources/list:500"),
    ("resources-read-text", "remove:resources/read:/contents/0/mimeType"),
    ("resources-read-text", "retyped-id:resources/read"),
    ("completion-complete", "error:completion/complete:-32601"),
    ("completion-complete", "remove:completion/complete:/completion/values"),
    ("completion-complete", "set:completion/complete:/completion/values:[7]"),
    ("tools-call-with-progress", "error:tools/call:-32603"),
    ("server-sse-multiple-streams", "status:tools/list:429"),
    ("server-sse-multiple-streams", "close:tools/list"),
    ("prompts-list", "wrong-id:prompts/list"),
    ("prompts-get-simple", "set:prompts/get:/messages:[]"),
    ("prompts-get-simple", r#"stray:prompts/get:{"jsonrpc":"2.0","id":77,"result":{}}"#),
    ("dns-rebinding-protection", "any-origin"),
    ("dns-rebinding-protection", "host-only"),
    ("tools-call-image", "set:tools/call:/content:[]"),
    ("tools-call-image", "remove:tools/call:/content/0/data"),
    ("tools-call-audio", r#"set:tools/call:/content/0/mimeType:"audio/mpeg""#),
    ("tools-call-embedded-resource", "remove:tools/call:/content/0/resource/mimeType"),
    ("tools-call-embedded-resource", "remove:tools/call:/content/0/resource/text"),
    ("tools-call-mixed-content", "remove:tools/call:/content/1"),
    ("resources-read-binary", "remove:resources/read:/contents/0/blob"),
    ("resources-templates-read", r#"set:resources/read:/contents/0/text:"{}""#),
    ("prompts-get-with-args", r#"set:prompts/get:/messages/0/content/text:"testValue1""#),
    ("prompts-get-embedded-resource", "remove:prompts/get:/messages/0"),
    ("prompts-get-with-image", "remove:prompts/get:/messages/0/content/mimeType"),
    ("json-schema-2020-12", "remove:tools/list:/tools/1/inputSchema/$schema"),
    ("json-schema-2020-12", "remove:tools/list:/tools/1/inputSchema/else"),
    ("json-schema-2020-12", "set:tools/list:/tools:[]"),
];

const IN_HANDSHAKE_ERA: &[FaultyRun] = &[
    ("tools-list", "remove:initialize:/capabilities/tools"),
    ("server-initialize", "set:initialize:/capabilities:5"),
    ("server-initialize", "remove:initialize:/serverInfo/version"),
    ("server-initialize", "session-id:not visible"),
    ("ping", "set:ping:/extra:7"),
    ("logging-set-level", "error:logging/setLevel:-32602"),
    ("logging-set-level", "set:logging/setLevel:/extra:7"),
    ("logging-set-level", "remove:initialize:/capabilities/logging"),
    ("completion-complete", "remove:initialize:/capabilities/completions"),
    ("tools-call-with-logging", "error:logging/setLevel:-32601"),
    ("tools-call-with-logging", "error:tools/call:-32603"),
    ("tools-call-sampling", "error:tools/call:-32603"),
    ("tools-call-sampling", "set:tools/call:/content:[]"),
    ("tools-call-elicitation", "error:tools/call:-32603"),
    ("tools-call-elicitation", "set:tools/call:/content:[]"),
    ("resources-subscribe", "error:resources/subscribe:-32601"),
    ("resources-subscribe", "set:resources/subscribe:/extra:7"),
    ("resources-subscribe", "remove:initialize:/capabilities/resources/subscribe"),
    ("resources-unsubscribe", "error:resources/unsubscribe:-32601"),
    ("resources-unsubscribe", "remove:initialize:/capabilities/resources/subscribe"),
    ("server-session-lifecycle", "status:initialize:500"),
    ("server-session-lifecycle", "status:notifications/initialized:500"),
    ("server-session-lifecycle", "status:DELETE:404"),
    ("server-session-lifecycle", "status:DELETE:405"),
    ("server-session-lifecycle", "status:DELETE:500"),
    ("server-session-lifecycle", "keep-session"),
    ("server-session-lifecycle", "no-session"),
    ("server-sse-polling", "status:initialize:500"),
    ("server-sse-polling", "status:tools/call:404"),
    ("server-sse-polling", "status:tools/call:500"),
    ("server-sse-polling", "status:GET:405"),
    ("server-sse-polling", "status:GET:500"),
    ("server-sse-polling", "no-session"),
    ("server-sse-polling", "no-event-ids"),
    ("server-sse-polling", "no-retry"),
    ("server-sse-multiple-streams", "status:initialize:500"),
    ("server-sse-multiple-streams", "no-session"),
    ("server-sse-multiple-streams", "html:tools/list"),
    ("dns-rebinding-protection", "status:initialize:403"),
    ("dns-rebinding-protection", "status:notifications/initialized:500"),
    ("elicitation-sep1034-defaults", "error:tools/call:-32603"),
    (
        "elicitation-sep1034-defaults",
        "remove:elicitation/create:/requestedSchema/properties/age/default",
    ),
    ("elicitation-sep1330-enums", "error:tools/call:-32603"),
    (
        "elicitation-sep1330-enums",
        "remove:elicitation/create:/requestedSchema/properties/legacyEnum/enumNames",
    ),
];

const IN_STATELESS_ERA: &[FaultyRun] = &[
    ("server-stateless", "any-meta"),
    ("server-stateless", "any-mirror"),
    ("server-stateless", "any-filter"),
    ("server-stateless", "want-client-info"),
    ("server-stateless", "status:server/discover:200"),
    ("server-stateless", "error:server/discover:-32601"),
    ("server-stateless", "remove:server/discover:/supportedVersions"),
    ("server-stateless", "remove:server/discover:/capabilities/tools"),
    ("server-stateless", "remove:server/discover:/capabilities/prompts"),
    ("server-stateless", "remove:server/discover:/_meta"),
    ("server-stateless", "remove:server/discover:/error/data"),
    ("server-stateless", "remove:tools/call:/error/data"),
    ("server-stateless", "status:tools/call:200"),
    ("server-stateless", "wrong-id:tools/call"),
    ("server-stateless", "status:ping:400"),
    ("server-stateless", "error:subscriptions/listen:-32601"),
    ("server-stateless", "remove:notifications/tools/list_changed:/_meta"),
    ("server-stateless", "never:notifications/prompts/list_changed"),
    ("server-stateless", "never:notifications/tools/list_changed"),
    ("server-stateless", r#"stray:tools/call:{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#),
    (
        "server-stateless",
        r#"stray:tools/call:{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#,
    ),
    ("http-header-validation", "any-mirror"),
    ("http-header-validation", "vague-mirror"),
    ("http-header-validation", "error:tools/list:-32603"),
    ("http-header-validation", "set:tools/list:/tools:[]"),
    ("http-header-validation", "error:tools/call:-32602"),
    ("http-header-validation", "close:tools/call"),
    ("dns-rebinding-protection", "status:server/discover:403"),
    ("caching", "remove:tools/list:/ttlMs"),
    ("caching", r#"set:resources/read:/cacheScope:"shared""#),
    ("caching", "error:prompts/list:-32601"),
    ("caching", "set:resources/list:/resources:[]"),
    ("sep-2164-resource-not-found", "error:resources/read:-32002"),
    ("sep-2164-resource-not-found", "error:resources/read:-32602"),
    ("http-custom-header-server-validation", "any-mirror"),
    ("http-custom-header-server-validation", "vague-mirror"),
    ("http-custom-header-server-validation", "set:tools/list:/tools:[]"),
];

/// The known differences, as [`compare`] formats them, and their reasons.
const KNOWN_DIFFERENCES: [(&str, &str); 3] = [
    ("html:tools/list at 2026-07-28: wire-schema-valid is SUCCESS, ours SKIPPED", NO_MESSAGES),
    ("wrong-id:prompts/list at 2025-11-25: prompts-list is nothing, ours FAILURE", WRONG_ID),
    ("wrong-id:prompts/list at 2025-11-25: scenario-timeout is FAILURE, ours nothing", WRONG_ID),
];

const NO_MESSAGES: &str = "the official suite passes the check because of its own messages; ours skips it if the server sent no message";
const WRONG_ID: &str = "the official client waits for another response until the timeout; ours reports at once that the id is wrong";

/// Runs a scenario in both suites, and returns the differences.
fn compare(
    peers: &Peers,
    folder: &Path,
    revision: &str,
    (scenario, fault): FaultyRun,
) -> Vec<String> {
    let serving = Serving::reference(MCP_TEST, &[fault]);
    let (theirs, ours) = (path_arg(&folder.join("theirs")), path_arg(&folder.join("ours")));
    let options = ["--spec-version", revision, "--timeout", "9000", "-o"];
    let (code, text) =
        run_official(peers, &serving.url, scenario, &[&options[..], &[&theirs]].concat());
    let target = ["server", "--url", &serving.url, "--scenario", scenario];
    let run = mcp_test([&target[..], &options, &[&ours]].concat());
    let mut differences = Vec::new();
    let mut report =
        |difference: String| differences.push(format!("{fault} at {revision}: {difference}"));
    assert!(
        code == 0 || run.code != 0,
        "{fault} at {revision} fails in the official suite only\n{text}\n{}",
        run.stdout
    );
    if code != run.code {
        report(format!("exit {code}, ours {}", run.code));
    }
    let read = |folder: &str| -> BTreeMap<String, String> {
        if Path::new(folder).read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            statuses(Path::new(folder))
        } else {
            BTreeMap::new()
        }
    };
    let (theirs, ours) = (read(&theirs), read(&ours));
    assert!(!theirs.is_empty(), "{scenario} with {fault} at {revision}\n{text}");
    let ids: BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
    for id in ids {
        let status = |statuses: &BTreeMap<String, String>| {
            statuses.get(id).map_or("nothing", String::as_str).to_owned()
        };
        let (theirs, ours) = (status(&theirs), status(&ours));
        let agree = match (theirs.as_str(), ours.as_str()) {
            // Ours also lists checks that were not reached, as skipped.
            ("nothing", "SKIPPED") => true,
            (theirs, ours) => theirs == ours,
        };
        if !agree {
            report(format!("{id} is {theirs}, ours {ours}"));
        }
    }
    differences
}

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn faults_have_the_same_statuses_in_both_suites() {
    let peers = Peers::installed();
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "faults-in-both-suites");
    let runs = IN_BOTH_ERAS.iter().chain(IN_HANDSHAKE_ERA).map(|run| (HANDSHAKE, *run));
    let stateless = IN_BOTH_ERAS.iter().chain(IN_STATELESS_ERA);
    let runs = runs.chain(stateless.map(|run| (STATELESS, *run)));
    let queue = Mutex::new(runs.enumerate().collect::<Vec<_>>());
    let differences = Mutex::new(BTreeSet::new());
    let worker = || {
        loop {
            let next = queue.lock().expect("no comparison panics while it holds the lock").pop();
            let Some((number, (revision, run))) = next else { return };
            let folder = folder.path().join(number.to_string());
            let found = compare(&peers, &folder, revision, run);
            differences.lock().expect("no comparison panics while it holds the lock").extend(found);
        }
    };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(worker);
        }
    });
    let differences = differences.into_inner().expect("no comparison panicked");
    let known: BTreeSet<String> =
        KNOWN_DIFFERENCES.iter().map(|(difference, _)| (*difference).to_owned()).collect();
    assert_eq!(differences, known, "{differences:#?}");
}
