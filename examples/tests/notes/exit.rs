//! The end of a server that is a program: its exit code, and what it wrote to stderr.

use mcp_test::prelude::*;

#[mcp_scenario(target = Target::command(Command::new(env!("CARGO_BIN_EXE_calculator"))))]
async fn the_calculator_exits_when_its_input_ends(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools().await?.assert_tool("add");
    ctx.disconnect().await?.assert_exit_code(0).assert_orderly().assert_no_stderr();
    Ok(())
}

#[mcp_scenario(target = Target::command(Command::new(env!("CARGO_BIN_EXE_calculator")).arg("--verbose")))]
async fn the_calculator_says_what_it_does(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools().await?.assert_tool("add");
    ctx.disconnect().await?.assert_stderr_contains("serving over stdin and stdout");
    Ok(())
}
