//! A test target without libtest: scenarios that pass, each run a trial, and the built-in ones.

use mcp_test::client::reference::good_client;
use mcp_test::prelude::*;
use mcp_test::server::reference::everything;

mcp_test::main!(
    mcp_test::conformance(reference),
    mcp_test::conformance(|| everything().streaming_replies().target()).named("streaming"),
    mcp_test::client_conformance(client()),
);

mcp_test::target!(reference);

fn reference() -> Target {
    everything().target()
}

fn client() -> ClientTarget {
    ClientTarget::future(|endpoint| async move { good_client().run(endpoint).await })
}

#[mcp_scenario]
async fn newest_revision_over_the_first_transport(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools().await?.assert_tool("test_simple_text");
    assert_eq!((ctx.revision(), ctx.transport()), (Revision::NEWEST, TransportKind::Duplex));
    Ok(())
}

#[mcp_scenario(matrix)]
async fn every_scenario_run(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("test_simple_text", json!({})).await?.assert_ok();
    Ok(())
}

#[mcp_scenario(matrix, case::of_text("test_simple_text"), case("test_error_handling"), setup = numbers, setup_ctx = offers, teardown = pings)]
async fn calls(ctx: &mut Ctx, name: &str) -> Result<()> {
    ctx.call_tool(name, json!({})).await?.result()?;
    Ok(())
}

async fn numbers() -> Result<u8> {
    Ok(7)
}

async fn offers(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools().await?.assert_ok();
    Ok(())
}

async fn pings(ctx: &mut Ctx) -> Result<()> {
    ctx.list_prompts().await?.assert_ok();
    Ok(())
}

mod inner {
    //! Trials are named after their module.

    use super::*;

    #[mcp_scenario(revisions = "2025-06-18..2025-11-25", transports = [router])]
    async fn some_scenario_runs(ctx: &mut Ctx) -> Result<()> {
        ctx.ping().await?.result()?;
        Ok(())
    }

    #[mcp_scenario]
    async fn skips_itself(ctx: &mut Ctx) -> Result<()> {
        Err(ctx.skip("shown as ignored"))
    }

    #[mcp_scenario]
    #[ignore = "shown as ignored"]
    async fn is_ignored(_ctx: &mut Ctx) -> Result<()> {
        Err("it is not run".into())
    }
}
