//! The official command line and ours: it passes our reference server, and the two give the same verdicts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mcp_test::json::Value;
use mcp_test::process::Command;
use mcp_test::scenario::Leg;
use mcp_test::scenarios;
use mcp_test::spec::Revision;
use mcp_test::transport::Target;
use mcp_test_tests::folder::Folder;
use tokio::runtime::Runtime;

use crate::peers::Peers;
use crate::program::{MCP_TEST, Serving, free_port, mcp_test, run};

/// The scenarios of the server leg that the official command line runs at a revision.
fn scenarios_at(revision: Revision) -> impl Iterator<Item = &'static str> {
    scenarios::all()
        .filter(move |it| it.leg == Leg::Server && it.is_official_at(revision))
        .map(|it| it.id)
}

/// Runs one scenario with the official command line.
pub(crate) fn officially(peers: &Peers, url: &str, scenario: &str, more: &[&str]) -> (i32, String) {
    let mut words = peers.conformance("server");
    words.extend(
        ["--url", url, "--scenario", scenario].iter().chain(more).map(|&word| word.to_owned()),
    );
    let program = words.remove(0);
    let run = run(&program, words);
    (run.code, run.text(&[]))
}

fn reference_passes_at(revision: Revision) {
    let Some(peers) = Peers::installed() else { return };
    let serving = Serving::reference(MCP_TEST, &[]);
    for scenario in scenarios_at(revision) {
        let at = ["--spec-version", revision.as_str()];
        let (code, text) = officially(&peers, &serving.url, scenario, &at);
        assert_eq!(code, 0, "{scenario} at {revision}\n{text}");
        assert!(text.contains("0 failed, 0 warnings"), "{scenario} at {revision}\n{text}");
    }
}

#[test]
fn the_reference_server_passes_officially_at_2025_06_18() {
    reference_passes_at(Revision::V2025_06_18);
}

#[test]
fn the_reference_server_passes_officially_at_2025_11_25() {
    reference_passes_at(Revision::V2025_11_25);
}

#[test]
fn the_reference_server_passes_officially_at_2026_07_28() {
    reference_passes_at(Revision::V2026_07_28);
}

/// Our command line, judging by the official rules, gives each check the status that the official one gives it.
#[test]
fn both_judge_the_everything_server_alike() {
    let Some(peers) = Peers::installed() else { return };
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "both-judge-alike");
    let mut failing = Vec::new();
    let words = Command::parse(peers.everything("streamableHttp")).expect("a command line");
    let target = Target::url_started_by(&url, words.env("PORT", port.to_string()));
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(target.prepare()).expect("the server listens");
    for scenario in scenarios_at(Revision::V2025_11_25) {
        let (theirs, ours) = (
            folder.path().join("theirs").join(scenario),
            folder.path().join("ours").join(scenario),
        );
        let (code, text) = officially(
            &peers,
            &url,
            scenario,
            &["--spec-version", "2025-11-25", "-o", &word(&theirs)],
        );
        let words = [
            "server",
            "--url",
            &url,
            "--scenario",
            scenario,
            "--spec-version",
            "2025-11-25",
            "-o",
            &word(&ours),
        ];
        let run = mcp_test(words);
        let statuses = statuses(&theirs);
        let mut own = self::statuses(&ours);
        // Ours says also of what was not reached that it was not.
        own.retain(|id, status| status != "SKIPPED" || statuses.contains_key(id));
        assert_eq!(own, statuses, "{scenario}\n{text}\n{}", run.stdout);
        assert_eq!(run.code, code, "{scenario}\n{text}\n{}", run.stdout);
        if code != 0 {
            failing.push(scenario);
        }
    }
    runtime.block_on(server.end());
    // It has no such resource, no such prompts and no such tools. To call a tool that it does not have is an error result to
    // it, which is all that some of the official checks of tools look at. Whatever URI it is given, it lets it be watched.
    // It does not answer as MCP wants when a session has ended, and looks neither at the host nor at the origin of requests.
    let expected = [
        "server-session-lifecycle",
        "completion-complete",
        "tools-call-with-logging",
        "tools-call-with-progress",
        "tools-call-sampling",
        "tools-call-elicitation",
        "server-sse-polling",
        "resources-read-text",
        "prompts-get-simple",
        "dns-rebinding-protection",
    ];
    assert_eq!(failing, expected);
}

/// A message of a wrong shape that no official check looks at but the one that validates them all.
#[test]
fn both_fail_a_message_of_a_wrong_shape() {
    let Some(peers) = Peers::installed() else { return };
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "both-fail-a-wrong-shape");
    let damaged = [
        ("tools-list", "set:tools/list:/tools/0/name:7"),
        ("tools-list", "set:tools/list:/nextCursor:7"),
        ("resources-list", r#"set:resources/list:/resources/0/uri:"noscheme""#),
        ("prompts-list", "set:prompts/list:/prompts/0/description:7"),
        ("prompts-get-simple", r#"set:prompts/get:/messages/0/role:"system""#),
        ("prompts-get-simple", r#"set:prompts/get:/messages/0/content:"text""#),
    ];
    for (number, (scenario, fault)) in damaged.into_iter().enumerate() {
        let serving = Serving::reference(MCP_TEST, &[fault]);
        let folder = |side: &str| folder.path().join(side).join(number.to_string());
        let words = ["--spec-version", "2025-11-25", "-o"];
        let (theirs, ours) = (word(&folder("theirs")), word(&folder("ours")));
        let (code, text) =
            officially(&peers, &serving.url, scenario, &[&words[..], &[&theirs]].concat());
        let target = ["server", "--url", &serving.url, "--scenario", scenario];
        let run = mcp_test([&target[..], &words, &[&ours]].concat());
        assert_eq!((code, run.code), (1, 1), "{fault}\n{text}\n{}", run.stdout);
        for statuses in [statuses(Path::new(&theirs)), statuses(Path::new(&ours))] {
            let status = statuses.get("wire-schema-valid").map(String::as_str);
            assert_eq!(status, Some("FAILURE"), "{fault}");
        }
    }
}

/// The statuses of the one `checks.json` below a folder, by check id.
pub(crate) fn statuses(folder: &Path) -> BTreeMap<String, String> {
    statuses_by("id", folder)
}

/// The statuses of the one `checks.json` below a folder, by a member of the checks; of several rows that share it
/// the gravest.
pub(crate) fn statuses_by(key: &str, folder: &Path) -> BTreeMap<String, String> {
    const GRAVITY: [&str; 5] = ["INFO", "SUCCESS", "SKIPPED", "WARNING", "FAILURE"];
    let gravity = |status: &str| GRAVITY.iter().position(|known| *known == status);
    let mut runs =
        fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display())).flatten();
    let run = runs.find(|entry| entry.path().is_dir()).expect("the run has a folder");
    let text = fs::read(run.path().join("checks.json")).expect("checks.json was written");
    let checks = Value::parse(&text).expect("checks.json is JSON").value;
    let member = |check: &Value, name| {
        check.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let mut statuses: BTreeMap<String, String> = BTreeMap::new();
    for check in checks.as_array().expect("checks.json is a list") {
        let status = member(check, "status");
        let gravest = statuses.entry(member(check, key)).or_default();
        if gravity(&status) > gravity(gravest) {
            *gravest = status;
        }
    }
    statuses
}

pub(crate) fn word(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
