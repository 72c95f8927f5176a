//! `#[mcp_scenario]` in a plain test target: one `#[test]` each.
//!
//! The scenarios of `on_purpose` fail, so they are ignored; a test starts this binary once more to run them and looks at
//! what is told.

use std::process::Command;

use mcp_test::prelude::*;
use mcp_test::server::reference::everything;
use mcp_test::spec::Revisions;
use mcp_test::transport::Fault;

mcp_test::target!(reference);

fn reference() -> Target {
    everything().target()
}

#[mcp_scenario]
async fn newest_revision_over_the_first_carrier(ctx: &mut Ctx) -> Result<()> {
    assert_eq!((ctx.revision(), ctx.carrier()), (Revision::NEWEST, CarrierKind::Duplex));
    ctx.list_tools().await?.assert_tool("add").assert_requires("a");
    Ok(())
}

#[mcp_scenario(matrix)]
async fn every_cell(ctx: &mut Ctx) -> Result<()> {
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
async fn a_snapshot_for_each_cell(ctx: &mut Ctx) -> Result<()> {
    ctx.ping().await?.result()?;
    ctx.assert_golden();
    Ok(())
}

mod on_purpose {
    //! Scenarios that fail.

    use std::net::TcpListener;
    use std::sync::{LazyLock, mpsc};

    use super::*;

    #[mcp_scenario(revisions = "2025-03-26, 2025-06-18..2025-11-25", target = named_calculator)]
    #[ignore = "fails on purpose"]
    async fn one_of_several_cells(ctx: &mut Ctx) -> Result<()> {
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

    /// A program that takes the same port every time.
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
    async fn no_cell_at_all(ctx: &mut Ctx) -> Result<()> {
        ctx.ping().await?.result()?;
        Ok(())
    }
}

/// What libtest shows of one test that fails.
fn failure(test: &str) -> String {
    let mut command = Command::new(std::env::current_exe().expect("a test binary"));
    command.args(["--ignored", "--exact", test, "--test-threads=1"]).env_remove("RUST_BACKTRACE");
    let output = command.output().expect("it starts");
    assert_eq!(output.status.code(), Some(101), "{test} fails");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "nothing gets past libtest");
    let stdout = String::from_utf8(output.stdout).expect("it writes text");
    let (_, shown) = stdout.split_once(" stdout ----\n").expect("what was held back");
    let (shown, _) = shown.split_once("\n\nfailures:").expect("the list of failures");
    // The number of the thread that panicked.
    shown.lines().map(|line| format!("{}\n", without_thread_id(line))).collect()
}

fn without_thread_id(line: &str) -> String {
    let Some(rest) = line.strip_prefix("thread '") else { return line.to_owned() };
    let (name, rest) = rest.split_once("' ").unwrap_or((rest, ""));
    let rest = rest.split_once(") ").map_or(rest, |(_, rest)| rest);
    format!("thread '{name}' {rest}")
}

#[test]
fn a_cell_that_fails_is_told_among_the_others() {
    insta::assert_snapshot!(failure("on_purpose::one_of_several_cells"));
}

#[test]
fn a_finding_is_told_as_the_finding_it_is() {
    insta::assert_snapshot!(failure("on_purpose::a_finding"));
}

#[test]
fn a_skip_that_is_not_allowed_fails_and_says_so() {
    insta::assert_snapshot!(failure("on_purpose::a_skip"));
}

#[test]
fn code_that_blocks_the_thread_is_noticed() {
    insta::assert_snapshot!(failure("on_purpose::a_blocked_thread"));
}

#[test]
fn the_program_of_a_blocked_cell_does_not_stand_in_the_way_of_the_next() {
    insta::assert_snapshot!(failure("on_purpose::a_blocked_thread_with_a_program"));
}

#[test]
fn a_scenario_without_any_cell_fails() {
    insta::assert_snapshot!(failure("on_purpose::no_cell_at_all"));
}
