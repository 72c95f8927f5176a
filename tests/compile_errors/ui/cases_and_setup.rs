//! Cases, setup and teardown that do not fit the function: reported at the case or the path.

use mcp_test::prelude::*;

#[mcp_scenario(case(1, 2), case(1))]
async fn fewer_values(ctx: &mut Ctx, a: u8, b: u8) -> Result<()> {
    let _ = (ctx, a, b);
    Ok(())
}

#[mcp_scenario(case("one"))]
async fn a_value_of_another_type(ctx: &mut Ctx, a: u8) -> Result<()> {
    let _ = (ctx, a);
    Ok(())
}

#[mcp_scenario(case = 5, case::same(1), case::same(2))]
async fn twice(ctx: &mut Ctx, a: u8) -> Result<()> {
    let _ = (ctx, a);
    Ok(())
}

#[mcp_scenario(setup = number)]
async fn another_type_than_the_setup(ctx: &mut Ctx, text: String) -> Result<()> {
    let _ = (ctx, text);
    Ok(())
}

#[mcp_scenario(setup = not_async, teardown = returns_a_number)]
async fn neither_setup_nor_teardown(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(setup = |ctx| number(ctx), teardown = "later")]
async fn no_paths(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

async fn number(_: &mut Ctx) -> Result<u8> {
    Ok(7)
}

fn not_async(_: &mut Ctx) -> Result<()> {
    Ok(())
}

async fn returns_a_number(_: &mut Ctx) -> u8 {
    7
}

fn main() {}
