//! The calculator in a test target without libtest: each revision over each transport is a test of its own, and so is
//! every built-in scenario that applies.
//!
//! `cargo test --test calculator_matrix router` runs the tests over HTTP, `-- --list` shows the names.

use mcp_test::prelude::*;
use mcp_test_examples::{Calculator, calculator_router};
use rmcp::ServiceExt;

mcp_test::target!(my_server);
mcp_test::main!(mcp_test::conformance(my_server).baseline("tests/calculator_matrix.yml"));

fn my_server() -> Target {
    Target::duplex(|io| async move {
        Calculator::new().serve(io).await?.waiting().await?;
        Ok(())
    })
    .and_router(calculator_router)
    .and_command(Command::new(env!("CARGO_BIN_EXE_calculator")))
}

#[mcp_scenario(revisions = "all", matrix)]
async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
    Ok(())
}

/// One snapshot for each era, since the conversations differ.
#[mcp_scenario(revisions = "2025-11-25, 2026-07-28")]
async fn divides(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("divide", json!({"a": 3, "b": 2})).await?.assert_ok().assert_text("1.5");
    ctx.assert_golden();
    Ok(())
}

#[mcp_scenario]
async fn refuses_to_divide_by_zero(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("divide", json!({"a": 1, "b": 0}))
        .await?
        .assert_tool_error()
        .assert_text("cannot divide by zero");
    Ok(())
}
