//! The calculator under plain `cargo test`: every scenario is a test of its own, in this process, without a port.

use mcp_test::prelude::*;
use mcp_test_examples::{Calculator, calculator_router};
use rmcp::ServiceExt;

mcp_test::target!(my_server);

fn my_server() -> Target {
    Target::duplex(|io| async move {
        Calculator::new().serve(io).await?.waiting().await?;
        Ok(())
    })
    .and_router(calculator_router)
}

#[mcp_scenario]
async fn offers_two_tools(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools()
        .await?
        .assert_len(2)
        .assert_tool("add")
        .assert_description("Adds")
        .assert_requires("a")
        .assert_requires("b")
        .assert_property_type("a", "number")
        .and()
        .assert_tool("divide")
        .assert_requires("b");
    Ok(())
}

/// The whole conversation is kept in a snapshot: `cargo insta review` shows what changed in it.
#[mcp_scenario]
async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
    ctx.assert_golden();
    Ok(())
}

/// A scenario may have several snapshots. The settings of insta apply to them, such as a filter for what you do not want to pin.
#[mcp_scenario]
async fn keeps_more_than_one_snapshot(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("divide", json!({"a": 1, "b": 3})).await?.assert_ok();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"0\.333\d+", "[a third]");
    settings.bind(|| ctx.assert_golden());

    ctx.call_tool("divide", json!({"a": 1, "b": 0})).await?.assert_tool_error();
    settings.bind(|| ctx.assert_golden_of("after a division by zero"));
    Ok(())
}

/// A golden shows what the test is about, and leaves out what only the revision adds, unless it is asked for.
#[mcp_scenario(revisions = "2026-07-28")]
async fn every_detail_is_kept(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok();
    ctx.assert_golden_with(GoldenOptions::new().in_full());
    ctx.assert_schema_valid();
    Ok(())
}

/// At every revision that the server speaks, over both of its transports.
#[mcp_scenario(revisions = "all", matrix)]
async fn divides_everywhere(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("divide", json!({"a": 3, "b": 2})).await?.assert_ok().assert_text("1.5");
    Ok(())
}

/// A tool that fails says so in its result, so that the model can try something else.
#[mcp_scenario]
async fn refuses_to_divide_by_zero(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("divide", json!({"a": 1, "b": 0}))
        .await?
        .assert_tool_error()
        .assert_text("cannot divide by zero");
    Ok(())
}

/// The SDK validates the arguments before it calls the tool, and reports to the model what is wrong with them.
#[mcp_scenario(transports = [duplex, router])]
async fn refuses_a_missing_argument(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("add", json!({"a": 1}))
        .await?
        .assert_tool_error()
        .assert_text_contains("missing field `b`");
    Ok(())
}

/// An unknown tool is an error of the protocol, not of a tool.
#[mcp_scenario]
async fn refuses_an_unknown_tool(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("subtract", json!({"a": 1, "b": 2}))
        .await?
        .assert_error_code(-32602)
        .assert_error_message("not found");
    Ok(())
}

#[mcp_scenario]
async fn knows_its_constants(ctx: &mut Ctx) -> Result<()> {
    ctx.list_resources()
        .await?
        .assert_resource("calculator://constants")
        .assert_mime_type("text/plain");
    ctx.read_resource("calculator://constants").await?.assert_len(1).assert_text_contains("pi");
    Ok(())
}

/// The code for a resource that does not exist was changed in 2026-07-28.
#[mcp_scenario(revisions = "2025-11-25, 2026-07-28")]
async fn names_the_resource_that_does_not_exist(ctx: &mut Ctx) -> Result<()> {
    let code = if ctx.revision() < Revision::V2026_07_28 { -32002 } else { -32602 };
    ctx.read_resource("calculator://secrets")
        .await?
        .assert_error_code(code)
        .assert_error_message("calculator://secrets");
    Ok(())
}

#[mcp_scenario]
async fn fills_in_its_prompt(ctx: &mut Ctx) -> Result<()> {
    ctx.list_prompts().await?.assert_prompt("explain").assert_requires("expression");
    ctx.get_prompt("explain", json!({"expression": "2 + 2"})).await?.assert_len(1).assert_message(
        0,
        "user",
        "Work out 2 + 2 with the calculator, and explain each step.",
    );
    Ok(())
}
