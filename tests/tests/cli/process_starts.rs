//! How often a server over standard streams is started, and that the verdicts do not depend on it.
//!
//! With one job each scenario starts the server itself; with several, scenarios share a process.

use std::collections::BTreeSet;

use mcp_test::json::Value;

use crate::program::{MCP_TEST, mcp_test};

/// Starts a server after a line was added to a file.
const COUNTING: &str = r#"echo started >> "$1"; shift; exec "$@""#;

/// The beginning of a small server of the handshake era: its loop, and the id of the request.
const LOOP: &str = r#"
    count=0
    while read -r line; do
        case $line in *'"id":'*) ;; *) continue ;; esac
        count=$((count + 1))
        id=${line#*'"id":'}
        id=${id%%[,\}]*}
        result='{}'
"#;

/// The rest of the small server: its replies.
const REPLIES: &str = r#"
        case $line in
            *'"initialize"'*)
                version=${line#*'"protocolVersion":"'}
                server='{"name":"small","version":"1"}'
                result='{"protocolVersion":"'${version%%'"'*}'","capabilities":{"tools":{}},"serverInfo":'$server'}' ;;
            *'"tools/list"'*) result='{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}' ;;
            *'"ping"'*) ;;
            *) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"unknown"}}'; continue ;;
        esac
        echo '{"jsonrpc":"2.0","id":'$id',"result":'$result'}'
    done
"#;

/// Scenarios on a shared process for which the small server is good enough.
const SELECTED: [&str; 12] = [
    "server-initialize",
    "ping",
    "tools-list",
    "base-unknown-method",
    "base-notifications",
    "base-meta",
    "cancellation-ignored",
    "progress-tokens",
    "lists-without-params",
    "lists-undeclared",
    "lists-definitions",
    "tools-call-results",
];

/// What a run showed.
#[derive(Debug)]
struct Shown {
    code: i32,
    /// The status of each check of each scenario run, in the order of the report.
    statuses: Vec<String>,
    /// The headlines of the problems.
    problems: BTreeSet<String>,
    /// How often the server was started.
    starts: usize,
    /// How often the report says it was, and how many of these starts replace another one.
    reported: [i64; 2],
    /// Why something was not tested for lack of a start.
    lacks_start: BTreeSet<String>,
}

/// Checks a server with so many jobs.
fn check(jobs: &str, scenarios: &[&str], server: &[&str]) -> Shown {
    let folder = tempfile::tempdir().expect("a folder");
    let starts = folder.path().join("starts");
    let options = ["check", "--timeout", "60s", "--format", "json", "--jobs", jobs];
    let starts_text = starts.to_string_lossy();
    let counting = ["--", "sh", "-c", COUNTING, "sh", &starts_text];
    let selected = scenarios.iter().flat_map(|id| ["--scenario", id]);
    let words = options.into_iter().chain(selected).chain(counting).chain(server.iter().copied());
    let run = mcp_test(words.collect::<Vec<_>>());
    let report = Value::parse(run.stdout.as_bytes()).expect("a report").value;
    let scenario_runs = report.get("cells").and_then(Value::as_array).unwrap_or_default();
    let text = |value: &Value, name: &str| value.get(name).map(ToString::to_string);
    let statuses = scenario_runs.iter().flat_map(|scenario_run| {
        let names =
            ["scenario", "revision"].map(|name| text(scenario_run, name).unwrap_or_default());
        let checks = scenario_run.get("checks").and_then(Value::as_array).unwrap_or_default();
        checks.iter().map(move |check| {
            let shown = ["id", "status"].map(|name| text(check, name).unwrap_or_default());
            format!("{} {}", names.join(" "), shown.join(" "))
        })
    });
    let statuses = statuses.collect();
    let checks = scenario_runs
        .iter()
        .filter_map(|scenario_run| scenario_run.get("checks")?.as_array())
        .flatten();
    let messages = checks.filter_map(|check| check.get("errorMessage")?.as_str());
    let of_starts =
        messages.filter(|message| message.contains("start") && message.contains("runs it alone"));
    // The rest names the scenario.
    let lacks_start =
        of_starts.filter_map(|text| Some(text.split_once(" `--scenario")?.0.to_owned()));
    let lacks_start = lacks_start.collect();
    let reported = ["all", "again"].map(|name| {
        report.get("serverStarts").and_then(|starts| starts.get(name)?.as_i64()).expect("a number")
    });
    let problems = report.get("problems").and_then(Value::as_array).unwrap_or_default();
    let problems = problems.iter().filter_map(|problem| text(problem, "headline")).collect();
    let lines = std::fs::read_to_string(&starts).expect("it was started");
    let starts = lines.lines().count();
    Shown { code: run.code, statuses, problems, starts, reported, lacks_start }
}

/// Checks a server with one job and with several; returns how often it was started each time.
#[track_caller]
fn starts(code: i32, scenarios: &[&str], server: &[&str]) -> [usize; 2] {
    let [alone, shared] = ["1", "4"].map(|jobs| check(jobs, scenarios, server));
    assert!(alone.statuses.len() > 20, "{alone:?}");
    assert_eq!(blamed(&alone), blamed(&shared));
    if scenarios.is_empty() {
        assert_eq!(steady(&alone), steady(&shared));
    }
    assert_eq!((alone.code, shared.code), (code, code));
    [alone.starts, shared.starts]
}

/// All statuses but those of a check that is made only if a call is cancelled before it is answered, a matter of speed.
fn steady(shown: &Shown) -> Vec<&String> {
    let is_steady = |status: &&String| !status.contains("progress-of-cancelled-call");
    shown.statuses.iter().filter(is_steady).collect()
}

/// The failures and warnings. How often a check passes also depends on what a server refuses once it is confused.
fn blamed(shown: &Shown) -> Vec<&String> {
    let is_blame = |status: &&String| status.contains("FAILURE") || status.contains("WARNING");
    shown.statuses.iter().filter(is_blame).collect()
}

/// The reference server with faults, which is checked in the same way.
#[track_caller]
fn starts_of_reference(code: i32, faults: &[&str]) -> [usize; 2] {
    let server = [MCP_TEST, "reference", "server", "--stdio"];
    let faults = faults.iter().flat_map(|fault| ["--fault", fault]);
    starts(code, &[], &server.into_iter().chain(faults).collect::<Vec<_>>())
}

/// The small server, a script.
#[track_caller]
fn starts_of_small(script: &str) -> [usize; 2] {
    starts(0, &SELECTED, &["sh", "-c", script])
}

#[test]
fn a_server_without_fixtures_is_started_about_once_per_revision() {
    let script = format!("{LOOP}{REPLIES}");
    let [alone, shared] = starts_of_small(&script);
    // Five revisions are tried; the newest one is refused. Each job may need a process of its own at the same time.
    assert!(shared <= 14, "{shared} starts, {alone} with one job");
    assert!(alone > 30, "{alone} starts with one job");
}

#[test]
fn a_server_that_gets_confused_after_some_requests_is_not_blamed() {
    let exits = format!("{LOOP} [ $count -gt 19 ] && exit 3; {REPLIES}");
    starts_of_small(&exits);
    let refuses = r#"
        if [ $count -gt 19 ]; then
            echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32603,"message":"confused"}}'
            continue
        fi
    "#;
    starts_of_small(&format!("{LOOP}{refuses}{REPLIES}"));
}

/// The starts of a server that four revisions are checked at: three for each, one that refuses the fifth revision, two that confirm.
const MOST: usize = 3 * 4 + 1 + 2;

/// How many starts replace those of a program that has exited.
const REPLACEMENTS: usize = 20;

#[test]
fn scenarios_that_differ_on_shared_connections_have_few_starts() {
    let refuses = r#"
        if [ $count -gt 9 ]; then
            echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32603,"message":"confused"}}'
            continue
        fi
    "#;
    let script = format!("{LOOP}{refuses}{REPLIES}");
    let shown = check("4", &SELECTED, &["sh", "-c", &script]);
    assert!(shown.starts <= MOST, "{shown:?}");
    assert_eq!(shown.reported, [i64::try_from(shown.starts).expect("few"), 0]);
}

/// Why a scenario run is SKIPPED that would need one more start. Which of them depends on what the others do meanwhile.
const LACKS_START: [&str; 3] = [
    "it failed only on connections that other scenarios had used, and no start of the program is left to confirm that:",
    "the program has exited or did not answer in time, and is not started again after 20 such starts:",
    "the program has exited or did not answer in time, and all remaining starts are reserved for other scenarios:",
];

fn is_known_lack(reason: &str) -> bool {
    LACKS_START.contains(&reason)
}

#[test]
fn a_program_that_exits_again_and_again_has_a_limit_of_starts() {
    let script = format!("{LOOP} [ $count -gt 3 ] && exit 3; {REPLIES}");
    let shown = check("4", &SELECTED, &["sh", "-c", &script]);
    assert!(shown.starts <= MOST + REPLACEMENTS, "{shown:?}");
    let again = i64::try_from(REPLACEMENTS).expect("few");
    assert_eq!(shown.reported, [i64::try_from(shown.starts).expect("few"), again], "{shown:?}");
    assert!(shown.lacks_start.iter().all(|it| is_known_lack(it)), "{:?}", shown.lacks_start);
    assert!(shown.lacks_start.contains(LACKS_START[1]), "{:?}", shown.lacks_start);
    let words = ["check", "--timeout", "60s", "--jobs", "4"].into_iter();
    let selected = SELECTED.iter().flat_map(|id| ["--scenario", id]);
    let run = mcp_test(words.chain(selected).chain(["--", "sh", "-c", &script]));
    let line = run.stdout.lines().find(|line| line.contains("the server was started"));
    let line = line.unwrap_or_default();
    assert!(
        line.ends_with("times, 20 of them because it had exited or did not answer in time"),
        "{}",
        run.text(&[])
    );
}

#[test]
fn a_server_that_ends_at_several_invalid_messages_is_started_again_once_for_each() {
    let exits = r#"case $line in *'"p1"'* | *'"p2"'* | *'"p3"'*) exit 3 ;; esac;"#;
    let hangs = r#"
        case $line in
            *'"p1"'*) while read -r line; do :; done ;;
            *'"p2"'* | *'"p3"'*) exit 3 ;;
        esac
    "#;
    for ends in [exits, hangs] {
        let script = format!("{LOOP} {ends} {REPLIES}");
        let shown = check("4", &["base-invalid-messages"], &["sh", "-c", &script]);
        let is_warning =
            |it: &&String| it.ends_with(r#""usable-after-invalid-messages" "WARNING""#);
        let warned = shown.statuses.iter().filter(is_warning);
        let revisions: BTreeSet<&str> = warned.filter_map(|it| it.split(' ').nth(1)).collect();
        assert_eq!(revisions.len(), 4, "{shown:?}");
        // The first run of the one that hangs is too slow for a shared connection.
        assert!(shown.reported[1] <= 3 + i64::from(ends == hangs), "{shown:?}");
        assert!(shown.lacks_start.is_empty(), "{shown:?}");
    }
}

#[test]
#[ignore = "takes minutes of processor time: .ci/extended runs it"]
fn a_server_that_breaks_the_rules_gets_the_same_verdicts() {
    let reference = [MCP_TEST, "reference", "server", "--stdio", "--fault"];
    // Each ends connections that scenarios share, so that there are not enough starts for all of them.
    for fault in [
        "twice:tools/list",
        "twice:ping",
        "twice:server/discover",
        "noise:prompts/list:busy",
        "exit-after:prompts/list",
        "wrong-id:resources/list",
    ] {
        let server: Vec<&str> = reference.into_iter().chain([fault]).collect();
        let [alone, shared] = ["1", "4"].map(|jobs| check(jobs, &[], &server));
        assert_eq!((alone.code, shared.code), (1, 1), "{fault}");
        let [of_alone, of_shared] = [&alone, &shared].map(|it| BTreeSet::from_iter(blamed(it)));
        let others: Vec<_> = of_shared.difference(&of_alone).collect();
        assert!(others.is_empty(), "{fault}: {others:?}");
        assert!(!shared.problems.is_empty(), "{fault}");
        assert!(shared.problems.is_subset(&alone.problems), "{fault}: {:?}", shared.problems);
        assert!(
            shared.lacks_start.iter().all(|it| is_known_lack(it)),
            "{fault}: {:?}",
            shared.lacks_start
        );
    }
    let [alone, shared] = starts_of_reference(1, &["set:prompts/list:/prompts:7"]);
    assert!(shared < alone / 2, "{shared} starts, {alone} with one job");
}
