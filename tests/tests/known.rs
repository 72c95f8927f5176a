//! Known violations of others' code: expected failures, which hide nothing else, and are reported when they no longer occur.
//!
//! Those of `on_purpose` fail, or print a warning, so they are ignored; tests run them by starting this binary again.

use std::process::{Command, Output};
use std::sync::Arc;

use axum::Router;
use mcp_test::prelude::*;
use mcp_test::server::reference::everything;
use mcp_test::transport::Fault;
use mcp_test_tests::folder::Folder;
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{ServerHandler, ServiceExt};

/// A server without tools, on rmcp with its default configuration, which begins two streams of a session with the same id.
#[derive(Clone)]
struct OnRmcp;

impl ServerHandler for OnRmcp {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build(),
        )
    }
}

fn on_rmcp() -> Target {
    Target::duplex(|io| async move {
        OnRmcp.serve(io).await?.waiting().await?;
        Ok(())
    })
    .and_router(|| {
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(|| Ok(OnRmcp), sessions, Default::default());
        Router::new().nest_service("/mcp", service)
    })
}

fn repeating() -> Target {
    everything().streaming_replies().faults([same_event_ids()]).target()
}

fn same_event_ids() -> Fault {
    "same-event-ids".parse().expect("a fault")
}

async fn lists_tools_twice(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools().await?.assert_ok();
    ctx.list_tools().await?.assert_ok();
    Ok(())
}

async fn subscribes(ctx: &mut Ctx) -> Result<()> {
    ctx.subscribe(SubscriptionFilter::new().tools_list_changed()).await?;
    lists_tools_twice(ctx).await
}

#[mcp_scenario(
    target = on_rmcp,
    revisions = "2025-03-26..2025-11-25",
    transports = [duplex, router],
    known = [("transport.http.event-id-unique", "rmcp repeats the id 0")],
)]
async fn a_server_on_rmcp(ctx: &mut Ctx) -> Result<()> {
    subscribes(ctx).await
}

#[mcp_scenario(target = repeating, revisions = "2025-11-25", transports = [router], known = ["transport.http.event-id-unique"])]
async fn an_expected_failure(ctx: &mut Ctx) -> Result<()> {
    lists_tools_twice(ctx).await
}

#[mcp_scenario(target = || repeating().known(["transport.http.event-id-unique"]), revisions = "2025-11-25", transports = [router])]
async fn an_expected_failure_of_the_target(ctx: &mut Ctx) -> Result<()> {
    lists_tools_twice(ctx).await
}

mod on_purpose {
    //! Scenarios that fail, or warn.

    use super::*;

    #[mcp_scenario(target = on_rmcp, revisions = "2025-03-26..2025-11-25", transports = [router])]
    #[ignore = "fails on purpose"]
    async fn a_server_on_rmcp(ctx: &mut Ctx) -> Result<()> {
        subscribes(ctx).await
    }

    #[mcp_scenario(
        target = || {
            let number = Fault::set("tools/list", "/tools/0/description", json!(7));
            everything().streaming_replies().faults([same_event_ids(), number]).target()
        },
        revisions = "2025-11-25",
        transports = [router],
        known = [("transport.http.event-id-unique", "a reason", "https://example.com/issues/1")],
    )]
    #[ignore = "fails on purpose"]
    async fn another_violation(ctx: &mut Ctx) -> Result<()> {
        lists_tools_twice(ctx).await
    }

    #[mcp_scenario(target = repeating, revisions = "2025-11-25", transports = [router], known = ["transport.http.event-id-unique"])]
    #[ignore = "fails on purpose"]
    async fn an_assertion(ctx: &mut Ctx) -> Result<()> {
        lists_tools_twice(ctx).await?;
        ctx.list_tools().await?.assert_tool("no_such_tool");
        Ok(())
    }

    #[mcp_scenario(
        target = || everything().faults([Fault::wrong_id("ping")]).target(),
        revisions = "2025-11-25",
        known = ["jsonrpc.result-id-echo"],
    )]
    #[ignore = "fails on purpose"]
    async fn an_early_end(ctx: &mut Ctx) -> Result<()> {
        ctx.ping().await?.result()?;
        Ok(())
    }

    #[mcp_scenario(
        target = || everything().target(),
        revisions = "2025-06-18..2025-11-25",
        transports = [router],
        known = ["transport.http.event-id-unique"],
    )]
    #[ignore = "warns"]
    async fn no_longer_broken(ctx: &mut Ctx) -> Result<()> {
        lists_tools_twice(ctx).await
    }

    #[mcp_scenario(
        target = || everything().target(),
        known = ["transport.http.event-id-unique", "progress.increases"],
    )]
    #[ignore = "is not tried"]
    async fn not_tried(ctx: &mut Ctx) -> Result<()> {
        lists_tools_twice(ctx).await
    }

    #[mcp_scenario(target = || everything().target().known([("transport.http.event-id-uniq", "a reason")]))]
    #[ignore = "fails on purpose"]
    async fn a_misspelt_id(ctx: &mut Ctx) -> Result<()> {
        lists_tools_twice(ctx).await
    }
}

/// Runs one test of this binary, in this environment.
fn run(test: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("a test binary"));
    command.args(["--exact", test, "--include-ignored", "--nocapture", "--test-threads=1"]);
    for variable in ["MCP_TEST_KNOWN", "MCP_TEST_TIMEOUT", "RUST_BACKTRACE", "NEXTEST"] {
        command.env_remove(variable);
    }
    command.envs(environment.iter().copied()).output().expect("it starts")
}

/// What a test prints that has to pass, or has to fail.
fn printed(test: &str, environment: &[(&str, &str)], passes: bool) -> String {
    let output = run(test, environment);
    let stderr = String::from_utf8(output.stderr).expect("it writes text");
    assert_eq!(output.status.success(), passes, "{stderr}");
    stderr
}

const STRICT: [(&str, &str); 1] = [("MCP_TEST_KNOWN", "strict")];

#[test]
fn without_being_known_it_fails_the_test() {
    let text = printed("on_purpose::a_server_on_rmcp", &[], false);
    assert!(text.contains("two events of a session have the same id"), "{text}");
    assert!(text.contains("transport.http.event-id-unique (MUST)"), "{text}");
}

#[test]
fn an_expected_failure_is_shown() {
    for test in ["an_expected_failure", "an_expected_failure_of_the_target"] {
        let text = printed(test, &STRICT, true);
        let expected = format!(
            "scenario `{test}` at 2025-11-25 over router: expected failure: transport.http.event-id-unique\n"
        );
        assert!(text.contains(&expected), "{text}");
    }
    let reason =
        "over router: expected failure: transport.http.event-id-unique: rmcp repeats the id 0\n";
    let text = printed("a_server_on_rmcp", &STRICT, true);
    assert_eq!(text.matches(reason).count(), 3, "{text}");
}

#[test]
fn it_hides_no_other_violation() {
    let text = printed("on_purpose::another_violation", &[], false);
    assert!(text.contains("`/result/tools/0/description` is a string"), "{text}");
    let known = "also: an expected failure: two events of a session have the same id\n  \
                 known: transport.http.event-id-unique: a reason, https://example.com/issues/1\n";
    assert!(text.contains(known), "{text}");
    assert!(!text.contains("no longer occurs"), "{text}");
}

#[test]
fn it_hides_no_assertion() {
    let text = printed("on_purpose::an_assertion", &[], false);
    assert!(text.contains("assertion failed at "), "{text}");
    assert!(text.contains("also: an expected failure: two events of a session"), "{text}");
}

#[test]
fn what_ends_a_test_fails_it_although_it_is_known() {
    let text = printed("on_purpose::an_early_end", &[], false);
    assert!(text.contains("this violation is known, but it ends the test here"), "{text}");
}

#[test]
fn what_no_longer_occurs_is_reported_and_fails_if_that_is_wanted() {
    let report = "the known violation `transport.http.event-id-unique` no longer occurs\n  \
                  expected a violation\n  \
                  got none, although 2 scenario runs tried it: \
                  no_longer_broken at 2025-06-18 over router and \
                  no_longer_broken at 2025-11-25 over router\n  \
                  known: transport.http.event-id-unique\n  \
                  hint: remove `transport.http.event-id-unique` from `known` of `#[mcp_scenario]`\n";
    let text = printed("on_purpose::no_longer_broken", &[], true);
    assert!(text.starts_with("warning: scenario `on_purpose::no_longer_broken`: "), "{text}");
    assert!(text.contains(report), "{text}");
    let text = printed("on_purpose::no_longer_broken", &STRICT, false);
    assert!(text.starts_with("scenario `no_longer_broken` failed, tests/"), "{text}");
    assert!(text.contains(report) && !text.contains("scenario runs failed"), "{text}");
}

#[test]
fn what_was_not_tried_is_not_stale() {
    assert_eq!(printed("on_purpose::not_tried", &STRICT, true), "");
}

#[test]
fn an_unknown_id_is_an_error_with_a_suggestion() {
    let text = printed("on_purpose::a_misspelt_id", &[], false);
    let error = "no requirement has the id `transport.http.event-id-uniq`; \
                 did you mean `transport.http.event-id-unique`?";
    assert!(text.contains(error), "{text}");
    let text = printed("an_expected_failure", &[("MCP_TEST_KNOWN", "Strict")], false);
    assert!(text.contains("MCP_TEST_KNOWN is `Strict`; expected strict"), "{text}");
}

/// The output of trials with these arguments, in this environment, and whether they passed.
fn trials(arguments: &[&str], environment: &[(&str, &str)]) -> (String, String, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_known-trials"));
    command.args(arguments).arg("--test-threads=1");
    for variable in ["MCP_TEST_KNOWN", "MCP_TEST_WRITE_BASELINE", "RUST_BACKTRACE", "NEXTEST"] {
        command.env_remove(variable);
    }
    let output = command.envs(environment.iter().copied()).output().expect("the fixture starts");
    let text = |bytes| String::from_utf8(bytes).expect("it writes text");
    // The names are followed by as many blanks as align the results.
    let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n";
    let shown = text(output.stdout).lines().map(line).collect();
    (shown, text(output.stderr), output.status.success())
}

#[test]
fn trials_show_expected_failures_and_what_no_longer_occurs() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "known_trials");
    let file = folder.path().join("known.yml");
    let baseline = ("KNOWN_TRIALS_BASELINE", file.to_str().expect("UTF-8"));
    let writing = [baseline, ("MCP_TEST_WRITE_BASELINE", "1")];

    let (shown, _, passed) = trials(&["conformance::"], &writing);
    let line = "test conformance::ping ... ignored (expected failure: written to ";
    assert!(passed && shown.contains(line), "{shown}");
    let written = std::fs::read_to_string(&file).expect("it was written");
    assert!(written.contains("\nserver:\n  - ping:ping\n"), "{written}");

    let (shown, stderr, passed) = trials(&[], &[baseline]);
    assert!(passed, "{shown}\n{stderr}");
    let known = "expected failure: transport.http.event-id-unique: it repeats them, https://example.com/issues/1";
    for line in [
        "test conformance::ping ... ignored (expected failure: `ping:ping".to_owned(),
        "test of_a_target::ping ... ignored (expected failure: ping.".to_owned(),
        format!("test known_of_the_default_target::2025-06-18::router ... ignored ({known})\n"),
        format!("test known_of_the_default_target::2025-11-25::router ... ignored ({known})\n"),
        "test stale_of_a_scenario::2025-11-25::router ... ok\n".to_owned(),
    ] {
        assert!(shown.contains(&line), "{line} is not in {shown}");
    }
    for (scenario, id) in [
        ("stale_of_a_scenario", "transport.http.event-id-unique"),
        // The last of its scenarios.
        ("known_of_the_default_target", "jsonrpc.result-id-echo"),
    ] {
        let stale = format!(
            "warning: scenario `{scenario}`: the known violation `{id}` no longer occurs\n"
        );
        assert!(stderr.contains(&stale), "{stale} in {stderr}");
    }
    assert_eq!(stderr.matches("no longer occurs").count(), 2, "the third is not tried: {stderr}");

    let (shown, _, passed) = trials(&[], &[baseline, STRICT[0]]);
    let failed: Vec<&str> =
        shown.lines().filter(|it| it.starts_with("test ") && it.ends_with("FAILED")).collect();
    let expected = [
        "test known_of_the_default_target::2025-11-25::router ... FAILED",
        "test stale_of_a_scenario::2025-11-25::router ... FAILED",
    ];
    assert!(!passed && failed == expected, "{shown}");

    // What a filter leaves out might have shown it.
    for filter in ["known_of_the_default_target", "stale_of_a_scenario::2025-06-18"] {
        let (shown, stderr, passed) = trials(&[filter], &[baseline, STRICT[0]]);
        assert!(passed && stderr.is_empty(), "{shown}\n{stderr}");
    }
}

#[test]
fn a_baseline_that_cannot_be_written_fails() {
    let environment =
        [("KNOWN_TRIALS_BASELINE", "/no/such/folder/known.yml"), ("MCP_TEST_WRITE_BASELINE", "1")];
    let (shown, _, passed) = trials(&["conformance::ping"], &environment);
    assert!(
        !passed && shown.contains("cannot write the baseline /no/such/folder/known.yml"),
        "{shown}"
    );
}
