//! `#[mcp_scenario]` in a plain test target: one `#[test]` each.
//!
//! The scenarios of `on_purpose` fail, so they are ignored; a test runs them by starting this binary again, and compares the
//! reports.

use std::process::Command;
use std::time::Duration;

use mcp_test::clock::{self, Deadline, Stopwatch};
use mcp_test::prelude::*;
use mcp_test::server::reference::everything;
use mcp_test::spec::Revisions;
use mcp_test::transport::Fault;
use mcp_test_tests::folder::Folder;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt};

mcp_test::target!(reference);

fn reference() -> Target {
    everything().target()
}

#[mcp_scenario]
async fn newest_revision_over_the_first_transport(ctx: &mut Ctx) -> Result<()> {
    assert_eq!((ctx.revision(), ctx.transport()), (Revision::NEWEST, TransportKind::Duplex));
    ctx.list_tools().await?.assert_tool("add").assert_requires("a");
    Ok(())
}

#[mcp_scenario(matrix)]
async fn every_scenario_run(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("test_simple_text", json!({})).await?.assert_ok();
    Ok(())
}

#[mcp_scenario(allow_skip)]
async fn a_skip_is_allowed(ctx: &mut Ctx) -> Result<()> {
    Err(ctx.skip("nothing to see"))
}

#[mcp_scenario(target = || everything().revisions(Revisions::only(Revision::V2025_03_26)).target())]
async fn the_newest_revision_is_the_servers(ctx: &mut Ctx) -> Result<()> {
    ctx.ping().await?.result()?;
    assert_eq!(ctx.revision(), Revision::V2025_03_26);
    Ok(())
}

#[mcp_scenario]
async fn the_whole_conversation(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok();
    ctx.assert_golden();
    Ok(())
}

#[mcp_scenario(revisions = "2025-11-25", transports = [duplex, router])]
async fn a_snapshot_for_each_scenario_run(ctx: &mut Ctx) -> Result<()> {
    ctx.ping().await?.result()?;
    ctx.assert_golden();
    Ok(())
}

#[mcp_scenario(case(1, 2, "3"), case::negative_numbers(-1, -2, "-3"))]
async fn adds(ctx: &mut Ctx, a: i64, b: i64, sum: &str) -> Result<()> {
    ctx.call_tool("add", json!({"a": a, "b": b})).await?.assert_ok().assert_text(sum);
    Ok(())
}

/// Each run of each case has a snapshot of its own; those of the two eras differ only in the handshake.
#[mcp_scenario(revisions = "2025-11-25, 2026-07-28", setup_ctx = two, teardown = adds_again, case(2))]
async fn adds_to_the_setup(ctx: &mut Ctx, value: &mut Vec<i64>, more: i64) -> Result<()> {
    value.push(more);
    ctx.call_tool("add", json!({"a": value[0], "b": value[1]})).await?.assert_text("4");
    ctx.assert_golden_of("the sum");
    Ok(())
}

async fn two(ctx: &mut Ctx) -> Result<Vec<i64>> {
    ctx.request("prompts/get", json!({"name": "test_simple_prompt"})).await?.result()?;
    Ok(vec![2])
}

async fn adds_again(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok();
    Ok(())
}

mod on_purpose {
    //! Scenarios that fail.

    use std::net::TcpListener;
    use std::sync::{Arc, LazyLock, mpsc};

    use mcp_test::server::Call;
    use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
    use rmcp::transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService,
    };

    use super::*;

    #[mcp_scenario(revisions = "2025-03-26, 2025-06-18..2025-11-25", target = named_calculator)]
    #[ignore = "fails on purpose"]
    async fn one_of_several_scenario_runs(ctx: &mut Ctx) -> Result<()> {
        if ctx.revision() == Revision::V2025_06_18 {
            ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_text("4");
        }
        ctx.ping().await?.result()?;
        Ok(())
    }

    fn named_calculator() -> Target {
        everything().target().named("calculator")
    }

    #[mcp_scenario(revisions = "2025-11-25", target = || everything().faults([Fault::wrong_id("ping")]).target())]
    #[ignore = "fails on purpose"]
    async fn a_finding(ctx: &mut Ctx) -> Result<()> {
        ctx.ping().await?.result()?;
        Ok(())
    }

    #[mcp_scenario(case("ping"), case("logging/setLevel"), case("resources/subscribe"))]
    #[ignore = "fails on purpose"]
    async fn a_request_of_another_era(ctx: &mut Ctx, method: &str) -> Result<()> {
        let params = json!({"level": "debug", "uri": "test://static-text"});
        ctx.request(method, params).await?.result()?;
        Ok(())
    }

    #[mcp_scenario(case::rmcp("count"), case::rmcp_error("count_or_fail"), target = || Target::duplex(|io| async move {
        CountsRoots.serve(io).await?.waiting().await?;
        Ok(())
    }))]
    #[ignore = "fails on purpose"]
    async fn a_server_that_asks_as_before(ctx: &mut Ctx, tool: &str) -> Result<()> {
        ctx.on_roots(["file:///work"]);
        ctx.call_tool(tool, json!({})).await?.assert_ok().assert_text("1");
        Ok(())
    }

    #[mcp_scenario(case(4), case(3), setup = nothing, teardown = missing)]
    #[ignore = "fails on purpose"]
    async fn a_case(ctx: &mut Ctx, sum: u8) -> Result<()> {
        ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_text(&sum.to_string());
        Ok(())
    }

    async fn nothing() -> Result<()> {
        Ok(())
    }

    async fn missing(ctx: &mut Ctx) -> Result<()> {
        ctx.list_tools().await?.assert_tool("subtract");
        Ok(())
    }

    #[mcp_scenario]
    #[ignore = "fails on purpose"]
    async fn a_skip(ctx: &mut Ctx) -> Result<()> {
        Err(ctx.skip("nothing to see"))
    }

    #[mcp_scenario(timeout = "1s")]
    #[ignore = "fails on purpose"]
    async fn a_blocked_thread(ctx: &mut Ctx) -> Result<()> {
        ctx.list_prompts().await?.assert_ok();
        let (_sender, receiver) = mpsc::channel::<()>();
        receiver.recv()?;
        Ok(())
    }

    #[mcp_scenario(revisions = "2025-06-18, 2025-11-25", timeout = "1s", target = a_program)]
    #[ignore = "fails on purpose"]
    async fn a_blocked_thread_with_a_program(_ctx: &mut Ctx) -> Result<()> {
        let (_sender, receiver) = mpsc::channel::<()>();
        receiver.recv()?;
        Ok(())
    }

    /// A program that uses the same port every time.
    fn a_program() -> Target {
        static ADDRESS: LazyLock<String> = LazyLock::new(|| {
            let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
            free.expect("a free port").to_string()
        });
        let command = mcp_test::process::Command::new(env!("CARGO_BIN_EXE_mcp-test-under-test"));
        let command = command.args(["reference", "server", "--listen", ADDRESS.as_str()]);
        Target::url_started_by(format!("http://{}/mcp", *ADDRESS), command).named("a program")
    }

    #[mcp_scenario(revisions = "..2025-03-26", target = || everything().revisions(Revisions::only(Revision::V2025_06_18)).target())]
    #[ignore = "fails on purpose"]
    async fn no_scenario_run_at_all(ctx: &mut Ctx) -> Result<()> {
        ctx.ping().await?.result()?;
        Ok(())
    }

    #[mcp_scenario(matrix, target = panicking)]
    #[ignore = "fails on purpose"]
    async fn a_tool_that_panics(ctx: &mut Ctx) -> Result<()> {
        ctx.call_tool("divide", json!({})).await?.assert_ok();
        Ok(())
    }

    /// A server on rmcp, which handles each request in a task of its own.
    fn panicking() -> Target {
        Target::duplex(|io| async move {
            Panics.serve(io).await?.waiting().await?;
            Ok(())
        })
        .and_router(|| {
            let sessions = Arc::new(LocalSessionManager::default());
            let config = StreamableHttpServerConfig::default();
            let service = StreamableHttpService::new(|| Ok(Panics), sessions, config);
            axum::Router::new().nest_service("/mcp", service)
        })
        .named("divider")
    }

    #[mcp_scenario(matrix, timeout = "2s", target = silent)]
    #[ignore = "fails on purpose"]
    async fn a_tool_without_reply(ctx: &mut Ctx) -> Result<()> {
        ctx.call_tool("add", json!({})).await?.assert_ok();
        Ok(())
    }

    /// A server that is silent up to 2025-06-18, slow at the next revision, and quick at the last one.
    fn silent() -> Target {
        let server = everything().on("tools/call", |call: Call| async move {
            let delay = match call.revision() {
                Revision::V2026_07_28 => Deadline::after(Duration::ZERO),
                Revision::V2025_11_25 => Deadline::after(Duration::from_millis(1200)),
                _ => Deadline::never(),
            };
            let _over = clock::within(delay, std::future::pending::<()>()).await;
            json!({"content": [], "resultType": "complete"})
        });
        server.target().named("adder")
    }

    #[mcp_scenario]
    #[ignore = "fails on purpose"]
    async fn a_new_snapshot(ctx: &mut Ctx) -> Result<()> {
        ctx.list_prompts().await?.assert_ok();
        ctx.assert_golden();
        Ok(())
    }
}

/// This binary again, to run one failing test.
fn failing(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a test binary"));
    command.args(["--ignored", "--exact", test, "--test-threads=1"]);
    for variable in ["RUST_BACKTRACE", "NEXTEST", "INSTA_FORCE_PASS"] {
        command.env_remove(variable);
    }
    command
}

/// The output of libtest for one failing test.
fn failure(test: &str) -> String {
    failure_of(&mut failing(test))
}

fn failure_of(test: &mut Command) -> String {
    let output = test.output().expect("it starts");
    assert_eq!(output.status.code(), Some(101), "{test:?} fails");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "libtest captures everything");
    let stdout = String::from_utf8(output.stdout).expect("it writes text");
    let (_, shown) = stdout.split_once(" stdout ----\n").expect("the captured output");
    let (shown, _) = shown.split_once("\n\nfailures:").expect("the list of failures");
    // The number of the thread differs from run to run.
    shown.lines().map(|line| format!("{}\n", without_thread_id(line))).collect()
}

fn without_thread_id(line: &str) -> String {
    let Some(rest) = line.strip_prefix("thread '") else { return line.to_owned() };
    let (name, rest) = rest.split_once("' ").unwrap_or((rest, ""));
    let rest = rest.split_once(") ").map_or(rest, |(_, rest)| rest);
    format!("thread '{name}' {rest}")
}

#[test]
fn a_failed_run_is_reported_among_the_others() {
    insta::assert_snapshot!(failure("on_purpose::one_of_several_scenario_runs"));
}

#[test]
fn a_finding_is_reported_as_such() {
    insta::assert_snapshot!(failure("on_purpose::a_finding"));
}

#[test]
fn a_method_that_does_not_exist_at_the_revision_is_named_with_the_option_that_helps() {
    for case in ["ping", "logging_setlevel", "resources_subscribe"] {
        let name = format!("on_purpose::a_request_of_another_era::case_{case}");
        insta::assert_snapshot!(format!("era_{case}"), failure(&name));
    }
}

/// rmcp refuses to send a request of a server in the stateless era, and the tool passes that error on.
#[test]
fn a_server_that_cannot_ask_in_its_era_is_reported_with_the_option_that_helps() {
    for case in ["rmcp", "rmcp_error"] {
        let name = format!("on_purpose::a_server_that_asks_as_before::{case}");
        insta::assert_snapshot!(format!("era_{case}"), failure(&name));
    }
}

/// A server on rmcp whose tools ask the client for its roots with a request.
struct CountsRoots;

#[allow(
    deprecated,
    reason = "servers still ask for roots in this way, which MCP 2026-07-28 deprecates"
)]
impl ServerHandler for CountsRoots {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        match context.peer.list_roots().await {
            Ok(roots) => {
                let count = roots.roots.len().to_string();
                Ok(CallToolResult::success(vec![ContentBlock::text(count)]).into())
            }
            Err(error) if request.name == "count" => {
                Ok(CallToolResult::error(vec![ContentBlock::text(error.to_string())]).into())
            }
            Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
        }
    }
}

#[test]
fn a_failed_teardown_is_reported_beside_the_failure() {
    insta::assert_snapshot!(failure("on_purpose::a_case::case_4"));
}

/// A server on rmcp whose tools panic.
struct Panics;

impl ServerHandler for Panics {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        panic!("attempt to divide by zero")
    }
}

/// Exit code 0 would make Cargo report success, although tests are missing.
#[cfg(unix)]
#[test]
fn a_server_that_exits_the_test_process_is_reported() {
    let mut test = failing("exits::a_server_that_exits_the_process");
    let output = test.output().expect("it starts");
    assert_eq!(output.status.code(), Some(101), "{output:?}");
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"
    error: the test process exits while test `exits::a_server_that_exits_the_process` runs
      hint: a server or client in this process has called `process::exit`; return an error from it instead
    ");
}

/// Each of the runs would otherwise wait ten seconds for a reply.
#[test]
fn a_panic_of_the_server_ends_each_wait_at_once() {
    let stopwatch = Stopwatch::start();
    let report = failure("on_purpose::a_tool_that_panics");
    assert!(stopwatch.elapsed() < Duration::from_secs(60), "{stopwatch:?}");
    insta::assert_snapshot!(report);
}

#[test]
fn runs_share_the_time_for_what_another_has_awaited_in_vain() {
    insta::assert_snapshot!(failure("on_purpose::a_tool_without_reply"));
}

/// insta fails by a panic, whose backtrace would come first.
#[test]
fn a_new_snapshot_is_reported_without_a_backtrace() {
    let mut test = failing("on_purpose::a_new_snapshot");
    let report = failure_of(test.env("RUST_BACKTRACE", "1").env("INSTA_UPDATE", "no"));
    let (by_insta, by_us) = report.split_at(report.find("scenario `").expect("a report"));
    assert!(!by_insta.contains("panicked"), "{by_insta}");
    insta::assert_snapshot!(by_us);
}

#[test]
fn a_skip_that_is_not_allowed_fails() {
    insta::assert_snapshot!(failure("on_purpose::a_skip"));
}

#[test]
fn a_blocked_thread_is_reported() {
    insta::assert_snapshot!(failure("on_purpose::a_blocked_thread"));
}

#[test]
fn the_program_of_a_blocked_run_does_not_block_the_next() {
    insta::assert_snapshot!(failure("on_purpose::a_blocked_thread_with_a_program"));
}

#[test]
fn a_scenario_without_a_run_fails() {
    insta::assert_snapshot!(failure("on_purpose::no_scenario_run_at_all"));
}

/// nextest takes what follows `Error: ` on standard error for the message of the failure.
#[test]
fn under_nextest_the_report_is_the_message_of_the_failure() {
    let mut command = failing("on_purpose::a_finding");
    let output = command.arg("--nocapture").env("NEXTEST", "1").output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("Error: scenario `a_finding` failed at 2025-11-25"), "{stderr}");
}

#[test]
fn the_json_of_libtest_has_the_whole_report() {
    let test = "on_purpose::a_finding";
    let mut command = failing(test);
    // The format is not stable, which this variable overrides.
    command.args(["-Z", "unstable-options", "--format", "json"]).env("RUSTC_BOOTSTRAP", "1");
    let output = command.output().expect("it starts");
    let stdout = String::from_utf8(output.stdout).expect("it writes text");
    let mut events = stdout.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let failed = events.find(|event: &serde_json::Value| event["event"] == "failed");
    let failed = failed.unwrap_or_else(|| panic!("no failure: {stdout}"));
    assert_eq!(failed["name"], test);
    let report: Vec<&str> = failed["stdout"].as_str().expect("what it printed").lines().collect();
    assert_eq!(report, failure(test).lines().collect::<Vec<_>>());
}

#[test]
#[ignore = "needs cargo-nextest"]
fn the_junit_report_of_nextest_has_the_whole_report() {
    let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), "nextest");
    let config = folder.path().join("nextest.toml");
    let store = folder.path().display();
    let settings =
        format!("[store]\ndir = \"{store}\"\n[profile.default.junit]\npath = \"junit.xml\"\n");
    std::fs::write(&config, settings).expect("the folder is ours");
    let test = "on_purpose::a_finding";
    // Before nextest, whose build may replace this binary.
    let expected = failure(test);
    let mut command = Command::new(env!("CARGO"));
    command.args(["nextest", "run", "--locked", "--workspace", "--all-features", "--test=plain"]);
    command.args(["--run-ignored", "only", "--config-file"]).arg(&config);
    command.args(["--filterset", &format!("test(={test})")]);
    let output = command.env_remove("RUST_BACKTRACE").output().expect("cargo starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let xml = std::fs::read_to_string(folder.path().join("default/junit.xml"));
    let xml = xml.unwrap_or_else(|error| panic!("no report: {error}\n{stderr}"));
    let xml = roxmltree::Document::parse(&xml).expect("XML");
    let failure_element = xml.descendants().find(|node| node.has_tag_name("failure"));
    let reported = failure_element.and_then(|node| node.text()).expect("a message");
    assert_eq!(reported.trim(), format!("Error: {}", expected.trim()));
}

/// At the end, since the reports above name lines of this file.
mod exits {
    use super::*;

    #[mcp_scenario(target = || Target::duplex(|_| async { std::process::exit(0) }))]
    #[ignore = "fails on purpose"]
    async fn a_server_that_exits_the_process(ctx: &mut Ctx) -> Result<()> {
        ctx.ping().await?.result()?;
        Ok(())
    }
}

/// At the end, as above.
mod setups {
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::{fs, process};

    use mcp_test::client::reference::good_client;
    use mcp_test::client::{ClientTask, ScriptedClient};
    use mcp_test::server::calls;

    use super::*;

    /// A folder with the file that the server needs at its start; it differs from run to run.
    async fn database() -> Result<Folder> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        filled(&format!("setups-{}-{number}", process::id()))
    }

    fn filled(name: &str) -> Result<Folder> {
        let folder = Folder::new(env!("CARGO_TARGET_TMPDIR"), name);
        fs::write(folder.path().join("database"), "notes")?;
        Ok(folder)
    }

    /// A server that does not start without its file.
    fn server_with(folder: &Path) -> Target {
        let file = folder.join("database");
        let for_router = file.clone();
        let server = Target::duplex(move |io| {
            let file = file.clone();
            async move {
                fs::read_to_string(file)?;
                Ok(everything().serve(io).await?)
            }
        });
        server.and_router(move || {
            fs::read_to_string(&for_router).expect("the server needs its file");
            everything().router()
        })
    }

    #[mcp_scenario(revisions = "all", transports = [duplex, router], setup = database, target = |it| server_with(it.path()))]
    async fn a_server_finds_what_the_setup_has_made(
        ctx: &mut Ctx,
        database: &Folder,
    ) -> Result<()> {
        assert_eq!(fs::read_to_string(database.path().join("database"))?, "notes");
        ctx.call_tool("test_simple_text", json!({})).await?.assert_ok();
        Ok(())
    }

    /// Its target knows the place by itself, and nothing takes the value.
    #[mcp_scenario(matrix, setup = fixed, target = || server_with(&fixed_folder()), teardown = adds_again)]
    async fn a_setup_may_make_what_a_server_finds_by_itself(ctx: &mut Ctx) -> Result<()> {
        ctx.call_tool("test_simple_text", json!({})).await?.assert_ok();
        Ok(())
    }

    async fn fixed() -> Result<Folder> {
        filled(&fixed_name())
    }

    fn fixed_name() -> String {
        format!("setups-fixed-{}", process::id())
    }

    fn fixed_folder() -> PathBuf {
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(fixed_name())
    }

    #[mcp_scenario(setup = numbers, setup_ctx = sums, case(10))]
    async fn both_setups_give_their_values(
        ctx: &mut Ctx,
        numbers: Vec<i64>,
        sums: &mut Vec<String>,
        more: i64,
    ) -> Result<()> {
        let sum = ctx.call_tool("add", json!({"a": numbers[0], "b": more})).await?;
        sum.assert_text("11");
        sums.push("11".to_owned());
        assert_eq!(sums[..], ["3", "11"]);
        Ok(())
    }

    async fn numbers() -> Result<Vec<i64>> {
        Ok(vec![1, 2])
    }

    async fn sums(ctx: &mut Ctx) -> Result<Vec<String>> {
        ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_text("3");
        Ok(vec!["3".to_owned()])
    }

    /// A client that needs a file, too.
    fn client_with(folder: &Folder) -> ClientTarget {
        let file = folder.path().join("database");
        let client = ScriptedClient::new(move |task: ClientTask| {
            let file = file.clone();
            async move {
                fs::read_to_string(file)?;
                let mut client = task.connect(task.options()).await?;
                let call = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
                client.request("tools/call", call).await?.result()?;
                client.end().await;
                Ok(())
            }
        });
        client.target()
    }

    #[mcp_scenario(client = |it| client_with(it), setup = database, setup_ctx = scripted)]
    async fn a_client_finds_what_the_setup_has_made(
        server: &mut ServerCtx,
        database: &Folder,
        (): (),
    ) -> Result<()> {
        assert!(database.path().join("database").exists());
        server.run_client().await?;
        server.received().assert_call("add").assert_times(1);
        Ok(())
    }

    async fn scripted(server: &mut ServerCtx) -> Result<()> {
        let sum = json!({"content": [{"type": "text", "text": "3"}]});
        server.given(calls("add")).respond_with(sum);
        Ok(())
    }

    #[mcp_scenario(revisions = "2025-06-18", setup = unreadable, target = || panic!("it is not made"))]
    #[ignore = "fails on purpose"]
    async fn a_setup_that_fails(ctx: &mut Ctx) -> Result<()> {
        ctx.list_tools().await?.assert_ok();
        Ok(())
    }

    async fn unreadable() -> std::result::Result<(), String> {
        Err("the database cannot be created".to_owned())
    }

    #[mcp_scenario(setup_ctx = without_a_tool, teardown = adds_again)]
    #[ignore = "fails on purpose"]
    async fn a_setup_with_the_context_that_fails(ctx: &mut Ctx) -> Result<()> {
        ctx.list_tools().await?.assert_ok();
        Ok(())
    }

    async fn without_a_tool(ctx: &mut Ctx) -> Result<()> {
        ctx.list_tools().await?.assert_tool("subtract");
        Ok(())
    }

    #[mcp_scenario(revisions = "2025-11-25, 2026-07-28", setup_ctx = sums)]
    #[ignore = "fails on purpose"]
    async fn handlers_after_a_setup(ctx: &mut Ctx) -> Result<()> {
        ctx.on_roots(["file:///work"]);
        ctx.list_tools().await?.assert_ok();
        Ok(())
    }

    #[mcp_scenario(client = || ClientTarget::future(|endpoint| async move { good_client().run(endpoint).await }), setup_ctx = out_of_paper)]
    #[ignore = "fails on purpose"]
    async fn a_setup_of_a_test_of_a_client_that_fails(server: &mut ServerCtx) -> Result<()> {
        server.run_client().await?;
        Ok(())
    }

    async fn out_of_paper(_: &mut ServerCtx) -> Result<()> {
        Err("out of paper".into())
    }
}

/// The output of libtest for one failing test, without the lines of this file.
fn failure_without_lines(test: &str) -> String {
    let mut text = String::new();
    for (index, part) in failure(test).split("/plain.rs:").enumerate() {
        let digits = |c: char| c.is_ascii_digit() || c == ':';
        match index {
            0 => text.push_str(part),
            _ => text.extend(["/plain.rs:[place]", part.trim_start_matches(digits)]),
        }
    }
    text
}

#[test]
fn a_failed_setup_is_reported_and_nothing_is_started() {
    insta::assert_snapshot!(failure_without_lines("setups::a_setup_that_fails"), @"
    scenario `a_setup_that_fails` failed at 2025-06-18, tests/tests/plain.rs:[place]

    the setup failed: error: the database cannot be created
    ");
}

#[test]
fn a_failed_setup_with_the_context_is_named() {
    let text = failure_without_lines("setups::a_setup_with_the_context_that_fails");
    insta::assert_snapshot!(text.lines().take(4).collect::<Vec<_>>().join("\n"), @"
    scenario `a_setup_with_the_context_that_fails` failed at 2026-07-28 over duplex of in-process server, tests/tests/plain.rs:[place]

    the setup of the context failed at tests/tests/plain.rs:[place] tool `subtract` not found
      expected a tool whose `name` is `subtract`
    ");
    assert!(!text.contains("the teardown failed"), "{text}");
    let text = failure("setups::a_setup_of_a_test_of_a_client_that_fails");
    assert!(text.contains("\n\nthe setup of the context failed: error: out of paper\n"), "{text}");
}

/// Otherwise the run at the newest revision, which is the default, would hide that the older ones fail.
#[test]
fn handlers_after_a_setup_that_has_sent_fail_at_every_revision() {
    insta::assert_snapshot!(failure_without_lines("setups::handlers_after_a_setup"), @r#"
    scenario `handlers_after_a_setup` failed at 2025-11-25 over duplex of in-process server, tests/tests/plain.rs:[place]

    assertion failed at tests/tests/plain.rs:[place]
    the handlers were set too late
      expected handlers for the capabilities that the client declared: {}
      got handlers for {"roots":{}}
      hint: set the handlers in the function of `setup_ctx`, before its first request

    the conversation:
      1  client → server  initialize {"capabilities":{},"clientInfo":{"name":"mcp-test","version":
            "0.1.0"},"protocolVersion":"2025-11-25"}
      2  client ← server  result {"protocolVersion":"2025-11-25","capabilities":{"completions":{},
            "logging":{},… 3 more},"serverInfo":{"name":"mcp-test-everything","version":"0.1.0"},
            "instructions":"A server for tests: it offers something of everythi…" +36}
      3  client → server  notifications/initialized
      4  client → server  tools/call {"name":"add","arguments":{"a":1,"b":2}}
      5  client ← server  result {"content":[{"text":"3","type":"text"}]}

    what failed at 2025-11-25 over duplex failed in the same way at 2026-07-28 over duplex

    2 of 2 scenario runs failed: 2025-11-25 over duplex, 2026-07-28 over duplex
    "#);
}
