//! The first test of the README, as someone pastes it; a test of the README compares the two.

use mcp_test::prelude::*;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ServiceExt, schemars, tool, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Operands {
    a: f64,
    b: f64,
}

struct Calculator;

#[tool_router(server_handler)]
impl Calculator {
    #[tool(description = "Adds two numbers")]
    fn add(&self, Parameters(Operands { a, b }): Parameters<Operands>) -> String {
        (a + b).to_string()
    }
}

mcp_test::target!(calculator);

fn calculator() -> Target {
    Target::duplex(|io| async move {
        Calculator.serve(io).await?.waiting().await?;
        Ok(())
    })
}

#[mcp_scenario]
async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools().await?.assert_tool("add").assert_requires("a").assert_requires("b");
    ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
    Ok(())
}
