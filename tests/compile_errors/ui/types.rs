//! Mistakes that only the compiler can see are reported at the user's types.

use mcp_test::prelude::*;

struct NoError;

#[mcp_scenario]
async fn no_result(ctx: &mut Ctx) -> Option<()> {
    let _ = ctx;
    None
}

#[mcp_scenario]
async fn a_result_of_something(ctx: &mut Ctx) -> std::result::Result<u8, String> {
    let _ = ctx;
    Ok(5)
}

#[mcp_scenario]
async fn no_error(ctx: &mut Ctx) -> std::result::Result<(), NoError> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario]
async fn no_context(ctx: &mut String) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(target = 5)]
async fn no_target(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(target = number)]
async fn no_target_made(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

mcp_test::target!("npx my-server");

fn number() -> u8 {
    5
}

fn main() {}
