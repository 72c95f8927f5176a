//! `mcp-test client --transport stdio`: clients that start their server, how they end it, and what is left of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_test::clock::Stopwatch;
use mcp_test_tests::folder::Folder;
use mcp_test_tests::program::Run;

use crate::program::{MCP_TEST, mcp_test};

fn client(words: &[&str], command: &str) -> Run {
    mcp_test([&["client", "--transport", "stdio", "--command", command], words].concat())
}

/// The reference client as a command that starts this server.
fn reference(faults: &str, server: &str) -> String {
    format!("{MCP_TEST} reference client{faults} -- {server}")
}

#[test]
fn the_reference_client_passes_in_every_profile() {
    for words in [
        ["--suite", "all"].as_slice(),
        &["--suite", "all", "--profile", "strict"],
        &["--profile", "adaptive"],
    ] {
        let run = client(words, &reference("", "{server}"));
        assert_eq!(run.code, 0, "{}", run.text(&[]));
        assert!(!run.stdout.contains("1 warning"), "{}", run.stdout);
    }
    let run = client(&["--scenario", "tools_call"], &reference(" --fault truncate:tools/list", ""));
    assert_eq!(run.code, 1, "{}", run.text(&[]));
}

#[test]
fn the_command_of_the_server_is_given_in_each_form() {
    let one = ["--scenario", "tools_call"];
    let by_variable = format!("sh -c 'eval \"exec {} $MCP_TEST_SERVER\"' #", reference("", ""));
    let by_parts = format!(
        "sh -c 'eval \"exec {} $MCP_TEST_SERVER_COMMAND $MCP_TEST_SERVER_ARGS\"' #",
        reference("", "")
    );
    for command in [
        reference("", "{server}"),
        reference("", "{server.command} {server.args}"),
        reference("", ""),
        by_variable,
        by_parts,
        // Each start is a connection of its own.
        format!("{} && {}", reference("", "{server}"), reference("", "{server}")),
    ] {
        let run = client(&one, &command);
        assert_eq!(run.code, 0, "{command}: {}", run.text(&[]));
    }
}

#[test]
fn the_file_for_hosts_names_the_command_and_is_deleted() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "client-stdio-config");
    let out = folder.path().to_string_lossy().into_owned();
    let command = format!(
        "sh -c 'test \"$MCP_TEST_SERVER_CONFIG\" = \"$0\"; echo $?; echo $0; cat $0' {{config}}; {}",
        reference("", "{server}")
    );
    let run = client(&["--scenario", "tools_call", "-o", &out], &command);
    assert_eq!(run.code, 0, "{}", run.text(&[]));
    let mut entries = fs::read_dir(folder.path()).expect("a folder").flatten();
    let scenario_run =
        entries.find(|entry| entry.path().is_dir()).expect("a folder of the scenario");
    let stdout = fs::read_to_string(scenario_run.path().join("stdout.txt")).expect("its output");
    let (same, rest) = stdout.split_once('\n').expect("the comparison");
    let (path, config) = rest.split_once('\n').expect("the path");
    assert_eq!(same, "0");
    let config: serde_json::Value = serde_json::from_str(config).expect("JSON");
    let server = &config["mcpServers"]["mcp-test"];
    assert_eq!(server["command"], MCP_TEST);
    assert_eq!(server["args"][0], "stdio-relay");
    let folder = Path::new(path).parent().expect("a folder");
    assert!(!folder.exists(), "{}", folder.display());
}

#[test]
fn wrong_usage_is_explained() {
    let wrong: [&[&str]; 5] = [
        &["--transport", "stdio", "--command", "my-client {serve}"],
        &["--transport", "stdio", "--command", "my-client {url}"],
        &["--command", "my-client {server}"],
        &["--transport", "stdio"],
        &["--transport", "duplex", "--command", "my-client"],
    ];
    let texts = wrong.map(|words| {
        let run = mcp_test([&["client", "--scenario", "tools_call"], words].concat());
        assert_eq!(run.code, 2, "{words:?}: {}", run.text(&[]));
        run.stderr
    });
    insta::assert_snapshot!(texts.concat());
}

/// A client as a script that starts the server of its arguments, initializes it, and then ends as the script says: the
/// server is process `$pid`, its input is descriptor 3, its output 4.
fn script(folder: &Folder, name: &str, ending: &str) -> String {
    let path: PathBuf = folder.path().join(format!("{name}.sh"));
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"script","version":"1"}}}"#;
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let text = format!(
        "pipes=$(mktemp -d); mkfifo $pipes/in $pipes/out\n\
         \"$@\" <$pipes/in >$pipes/out &\n\
         pid=$!\n\
         exec 3>$pipes/in 4<$pipes/out\n\
         rm -r $pipes\n\
         echo '{initialize}' >&3; read reply <&4; echo '{initialized}' >&3\n\
         {ending}\n"
    );
    fs::write(&path, text).expect("it can be written");
    format!("sh {}", path.display())
}

#[test]
fn how_a_client_ends_its_server_is_judged() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "client-stdio-endings");
    let end = |name: &str, revision: &str, ending: &str| {
        let command = script(&folder, name, ending);
        let words = ["--scenario", "initialize", "--profile", "strict", "--spec-version", revision];
        let run = client(&words, &command);
        (run.code, run.text(&[]))
    };
    let (code, text) = end("good", "2025-11-25", "exec 3>&-; wait $pid");
    assert_eq!(code, 0, "{text}");
    for (name, ending, headline, rule) in [
        (
            "term-first",
            "kill -TERM $pid; wait $pid; exit 0",
            "the client ended the server before it closed its standard input",
            "transport.stdio.shutdown-close-stdin",
        ),
        (
            "kill-first",
            "kill -KILL $pid; wait $pid; exit 0",
            "the client killed the server without SIGTERM before",
            "transport.stdio.shutdown-sigterm-sigkill",
        ),
        (
            "at-once",
            "exec 3>&-; kill -TERM $pid; wait $pid; exit 0",
            "the client did not wait for the server to exit",
            "transport.stdio.shutdown-waits",
        ),
        (
            "stray",
            "echo hello >&3; read reply <&4; exec 3>&-; wait $pid; exit 0",
            "the client wrote something to the server's input that is not an MCP message",
            "transport.stdio.stdin-only-messages",
        ),
        (
            "no-newline",
            "printf '{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}' >&3; exec 3>&-; wait $pid; exit 0",
            "the client wrote a message without a newline at its end",
            "transport.stdio.newline-delimited",
        ),
    ] {
        let (code, text) = end(name, "2025-11-25", ending);
        assert_eq!(code, 1, "{name}: {text}");
        assert!(text.contains(headline) && text.contains(rule), "{name}: {text}");
    }
}

#[test]
fn a_server_that_ignores_its_end_has_to_be_killed() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "client-stdio-ignored");
    let end = |name: &str, ending: &str| {
        let command = script(&folder, name, ending);
        let words = ["--scenario", "server-ignores-eof", "--profile", "strict"];
        let run = client(&[words.as_slice(), &["--spec-version", "2025-11-25"]].concat(), &command);
        (run.code, run.text(&[]))
    };
    for (name, ending, got) in [
        ("leaves", "exec 3>&-; exit 0", "had got no signal"),
        ("term", "exec 3>&-; kill -TERM $pid; exit 0", "had got only SIGTERM"),
    ] {
        let (code, text) = end(name, ending);
        assert_eq!(code, 1, "{name}: {text}");
        assert!(text.contains(got), "{name}: {text}");
        assert!(text.contains("transport.stdio.shutdown-sigterm-sigkill"), "{name}: {text}");
    }
}

#[test]
fn a_process_that_holds_the_input_of_the_server_is_left_behind() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "client-stdio-holds");
    // Without its standard streams, which would keep those of the client open.
    let command = script(&folder, "holds", "sleep 3600 <&- >&- 2>&- & exit 0");
    let words = ["--scenario", "initialize", "--profile", "adaptive", "--timeout", "5s"];
    let run = client(&words, &command);
    assert_eq!(run.code, 1, "{}", run.text(&[]));
    assert!(run.stdout.contains("the client left a process behind"), "{}", run.stdout);
    assert!(run.stdout.contains("`sleep 3600`"), "{}", run.stdout);
}

#[test]
fn hostile_clients_fail_in_every_scenario_and_leave_nothing_running() {
    let flood = "sh -c 'yes | \"$@\" | cat' flood";
    let both_ways = "sh -c 'yes | \"$@\" >/dev/null & exec yes' flood";
    for (command, transport) in [
        ("true", "stdio"),
        ("true", "http"),
        ("exit 1 #", "stdio"),
        ("exit 1 #", "http"),
        ("sleep 3600 #", "stdio"),
        ("sleep 3600 #", "http"),
        ("yes #", "http"),
        (flood, "stdio"),
        (both_ways, "stdio"),
    ] {
        let stopwatch = Stopwatch::start();
        let words = ["client", "--transport", transport, "--command", command];
        let run = mcp_test([words.as_slice(), &["--suite", "all", "--timeout", "500ms"]].concat());
        let elapsed = stopwatch.elapsed();
        let text = run.text(&[]);
        assert_eq!(run.code, 1, "`{command}` over {transport}: {text}");
        let (_, summary) = text.split_once("=== SUITE SUMMARY ===").expect("a summary");
        let count = |mark: char| summary.lines().filter(|line| line.starts_with(mark)).count();
        assert_eq!(count('✓'), 0, "`{command}` over {transport}: {text}");
        let scenarios = u32::try_from(count('✗')).expect("a few scenarios");
        assert!(scenarios >= 4, "`{command}` over {transport}: {text}");
        // Each may outlast its time by two seconds.
        let most = Duration::from_millis(2500) * scenarios;
        assert!(elapsed < most, "`{command}` over {transport} took {elapsed:?}");
    }
}
