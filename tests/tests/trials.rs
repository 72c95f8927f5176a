//! A test binary without libtest: every kind of failure, exit codes, and the arguments of libtest.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

const FAILING: &str = env!("CARGO_BIN_EXE_failing-trials");

/// The output of a run, and its exit code.
struct Ran {
    stdout: String,
    stderr: String,
    code: Option<i32>,
}

fn run(program: &str, arguments: &str) -> Ran {
    let mut command = Command::new(program);
    command.args(arguments.split_whitespace()).current_dir(env!("CARGO_MANIFEST_DIR"));
    for variable in [
        "MCP_TEST_COMMAND",
        "MCP_TEST_URL",
        "MCP_TEST_TIMEOUT",
        "RUST_TEST_THREADS",
        "RUST_BACKTRACE",
        "NEXTEST",
    ] {
        command.env_remove(variable);
    }
    let output = command.output().expect("the fixture starts");
    let text = |bytes| String::from_utf8(bytes).expect("it writes text");
    Ran {
        stdout: normalized(&text(output.stdout)),
        stderr: text(output.stderr),
        code: output.status.code(),
    }
}

/// The text without what differs from run to run: times and session ids.
fn normalized(text: &str) -> String {
    let line = |line: &str| {
        for (before, after) in [("finished in ", "[time]"), ("mcp-session-id: ", "[session]")] {
            if let Some((kept, _)) = line.split_once(before) {
                return format!("{kept}{before}{after}\n");
            }
        }
        format!("{}\n", line.trim_end())
    };
    text.lines().map(line).collect()
}

/// All built-in scenarios but three, which are enough to see their reports.
fn the_rest() -> Vec<String> {
    const SHOWN: [&str; 3] = ["server-initialize", "ping", "tools-list"];
    let is_rest = |name: &str| match name.split_once("::") {
        Some(("conformance" | "one_revision" | "not_there", id)) => !SHOWN.contains(&id),
        _ => false,
    };
    list("").into_iter().filter(|name| is_rest(name)).collect()
}

fn list(arguments: &str) -> Vec<String> {
    let ran = run(FAILING, &format!("--list --format terse {arguments}"));
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
    ran.stdout.lines().map(|line| line.strip_suffix(": test").expect("a test").to_owned()).collect()
}

#[test]
fn every_kind_of_failure_is_reported() {
    let rest = the_rest();
    let skipped: String = rest.iter().map(|name| format!(" --skip {name}")).collect();
    let ran = run(FAILING, &format!("--test-threads=1{skipped}"));
    let shown = ran.stdout.replace(&format!("{} filtered", rest.len()), "[the rest] filtered");
    insta::assert_snapshot!("failing", shown);
    insta::assert_snapshot!(ran.stderr, @"
    warning: a `#[test]` never runs in a test target with `harness = false`; found:
      tests/fixtures/failing_trials.rs:129
      use `#[mcp_scenario]`, or move them to a test target with the standard harness
    ");
    assert_eq!(ran.code, Some(101));
}

#[test]
fn a_missing_target_is_reported_with_the_ways_to_name_one() {
    let ran = run(env!("CARGO_BIN_EXE_no-target"), "");
    assert!(
        ran.stdout.contains("no target to test; name one in one of three ways"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, Some(101));
}

/// What `rustc` says about a target with `mcp_test::main!` and this rlib of mcp-test; `None` if it compiles.
fn compile(rlib: &Path, option: &[&str]) -> Option<String> {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("main_under_libtest");
    fs::create_dir_all(&place).expect("a directory");
    fs::write(place.join("main.rs"), "mcp_test::main!();\n").expect("a file");
    let mut command = Command::new("rustc");
    command.args(["--edition=2024", "--emit=metadata", "main.rs"]).args(option).current_dir(&place);
    command.arg("-L").arg(format!("dependency={}", rlib.parent().expect("a folder").display()));
    command.arg("--extern").arg(format!("mcp_test={}", rlib.display()));
    let output = command.output().expect("rustc starts");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_target_with_libtest_is_a_compiler_error() {
    let binary = std::env::current_exe().expect("a test binary");
    let folder = binary.parent().expect("a folder");
    let files = fs::read_dir(folder).expect("the folder of the dependencies");
    let paths = files.map(|file| file.expect("an entry").path());
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libmcp_test-") && name.ends_with(".rlib")
    };
    let mut rlibs: Vec<PathBuf> = paths.filter(is_ours).collect();
    rlibs.sort_by_key(|path| fs::metadata(path).and_then(|it| it.modified()).ok());
    // Others were built with other features, or by another compiler.
    let usable = rlibs.iter().rev().find(|rlib| compile(rlib, &["--cfg", "test"]).is_none());
    let error = compile(usable.expect("an rlib with the harness"), &["--test"]);
    let error = error.expect("an error");
    let (message, place) = error.split_once('\n').expect("several lines");
    insta::assert_snapshot!(message, @"error: `mcp_test::main!` needs a test target without libtest, in which the built-in scenarios would never run: add `harness = false` to this `[[test]]` in Cargo.toml");
    assert!(place.trim_start().starts_with("--> main.rs:1:1"), "{place}");
    assert_eq!(error.matches("error: ").count(), 2, "the second one counts them: {error}");
}

#[test]
fn listing_prints_nothing_but_the_list() {
    let all = list("");
    assert!(
        all.contains(&"assertion::router".to_owned())
            && all.contains(&"conformance::ping".to_owned()),
        "{all:?}"
    );
    assert_eq!(list("--ignored"), ["ignored"]);
    assert_eq!(list("wrong_id skipped --skip 2025"), ["skipped"]);
    assert_eq!(list("--exact skipped ski"), ["skipped"]);
    assert_eq!(list("assertion --exact"), [""; 0]);
}

#[test]
fn filters_and_skip_are_counted_correctly() {
    let all = list("").len();
    let ran =
        run(FAILING, "skipped one_of_a_range conformance::ping --skip 2025-03-26 --skip ping-");
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    let summary =
        ran.stdout.lines().rev().find(|line| line.starts_with("test result")).expect("a summary");
    let expected = format!("1 passed; 0 failed; 4 ignored; 0 measured; {} filtered out", all - 5);
    assert!(summary.contains(&expected), "{summary}");
}

#[test]
fn ignored_trials_run_on_request() {
    assert!(run(FAILING, "--ignored").stdout.contains("1 passed; 0 failed; 0 ignored"));
    assert!(
        run(FAILING, "--include-ignored --exact ignored")
            .stdout
            .contains("1 passed; 0 failed; 0 ignored")
    );
}

#[test]
fn invalid_arguments_are_reported_as_by_libtest() {
    let ran = run(FAILING, "--tests");
    assert_eq!(
        (ran.stderr.as_str(), ran.code),
        ("error: Unrecognized option: 'tests'\n", Some(101))
    );
    assert_eq!(ran.stdout, "");
    assert_eq!(run(FAILING, "--no-capture --nocapture --show-output skipped").code, Some(0));
}

/// The fixture without a target of its own, in this environment.
fn in_environment(environment: &[(&str, &str)]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_no-target"));
    for variable in ["MCP_TEST_COMMAND", "MCP_TEST_URL", "MCP_TEST_TIMEOUT", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    let output = command.envs(environment.iter().copied()).output().expect("the fixture starts");
    let text = |bytes| String::from_utf8(bytes).expect("it writes text");
    Ran {
        stdout: normalized(&text(output.stdout)),
        stderr: text(output.stderr),
        code: output.status.code(),
    }
}

const REFERENCE: &str =
    concat!("'", env!("CARGO_BIN_EXE_mcp-test-under-test"), "' reference server");

#[test]
fn the_environment_can_name_the_target() {
    let stdio = format!("{REFERENCE} --stdio");
    let ran = in_environment(&[("MCP_TEST_COMMAND", &stdio)]);
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)), "{}", ran.stdout);

    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let address = free.expect("a free port").to_string();
    let (listen, url) =
        (format!("{REFERENCE} --listen {address}"), format!("http://{address}/mcp"));
    let ran = in_environment(&[("MCP_TEST_COMMAND", &listen), ("MCP_TEST_URL", &url)]);
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)), "{}", ran.stdout);
    let ran = in_environment(&[("MCP_TEST_URL", &url)]);
    assert!(ran.stdout.contains("is the server running, and is this its URL?"), "{}", ran.stdout);
    assert_eq!(ran.code, Some(101), "what was started has ended");
}

#[test]
fn the_stderr_of_a_child_is_shown_only_in_failures() {
    let noisy = |exit: &str| format!("sh -c 'echo warming up >&2; {exit}'");
    let fails = in_environment(&[("MCP_TEST_COMMAND", &noisy("exit 3"))]);
    assert!(
        fails.stdout.contains("the last lines on the server's stderr:\n  | warming up\n"),
        "{}",
        fails.stdout
    );
    assert_eq!((fails.stderr.as_str(), fails.code), ("", Some(101)));
    let serves = noisy(&format!("exec {}", format!("{REFERENCE} --stdio").replace('\'', "\"")));
    let passes = in_environment(&[("MCP_TEST_COMMAND", &serves)]);
    assert!(!passes.stdout.contains("warming up"), "{}", passes.stdout);
    assert_eq!((passes.stderr.as_str(), passes.code), ("", Some(0)), "{}", passes.stdout);
}

#[test]
fn an_invalid_variable_is_reported_with_valid_values() {
    let ran =
        in_environment(&[("MCP_TEST_TIMEOUT", "soon"), ("MCP_TEST_COMMAND", "no-such-program")]);
    assert!(
        ran.stdout.contains("MCP_TEST_TIMEOUT is `soon`; expected a whole number"),
        "{}",
        ran.stdout
    );
    let ran = in_environment(&[("MCP_TEST_COMMAND", "no-such-program --stdio")]);
    assert!(ran.stdout.contains("cannot start `no-such-program`"), "{}", ran.stdout);
    assert_eq!(ran.code, Some(101));
}

#[test]
fn only_a_panic_of_the_users_code_has_a_backtrace() {
    let with_backtrace = |test: &str| {
        let mut command = Command::new(FAILING);
        command.args(["--exact", test]).env("RUST_BACKTRACE", "1");
        let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("it starts");
        String::from_utf8(output.stdout).expect("it writes text")
    };
    let assertion = with_backtrace("assertion::duplex");
    assert!(assertion.contains("assertion failed at "), "{assertion}");
    assert!(!assertion.contains("  0: ") && !assertion.contains(" at /"), "{assertion}");
    let panic = with_backtrace("user_panics");
    assert!(panic.contains("panicked at "), "{panic}");
    let (_, frames) = panic.split_once(" right: 3\n\n").expect("a backtrace");
    assert!(frames.lines().nth(1).is_some_and(|it| it.contains("failing_trials.rs:")), "{panic}");
    assert!(!frames.contains("execution.rs"), "none of the runner: {panic}");
}

/// Runs the fixture, reads so many bytes of its output, and stops reading.
#[cfg(unix)]
fn read_a_little(arguments: &[&str], bytes: usize) -> Ran {
    use std::io::Read;
    use std::process::Stdio;

    let mut command = Command::new(FAILING);
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env("RUST_BACKTRACE", "0");
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the fixture starts");
    let mut head = vec![0; bytes];
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_exact(&mut head).expect("some output");
    drop(stdout);
    let output = child.wait_with_output().expect("it ends");
    Ran {
        stdout: String::from_utf8(head).expect("it writes text"),
        stderr: String::from_utf8(output.stderr).expect("it writes text"),
        code: output.status.code(),
    }
}

#[cfg(unix)]
#[test]
fn it_ends_quietly_if_nobody_reads_its_output() {
    // The title is written before any test has run, and many lines follow.
    let ran = read_a_little(&["conformance", "--test-threads=1"], 10);
    assert_eq!(ran.stdout.trim_start().split(' ').next(), Some("running"));
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    assert_eq!(ran.code, Some(101), "not all results are known");
}

/// nextest takes what follows `Error: ` on standard error for the message of the failure.
#[test]
fn under_nextest_the_report_is_the_message_of_the_failure() {
    let mut command = Command::new(FAILING);
    command.args(["--exact", "wrong_id::2025-11-25", "--nocapture"]).env("NEXTEST", "1");
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("\nError: scenario `wrong_id` failed at "), "{stderr}");
    assert_eq!(output.status.code(), Some(101));
}
