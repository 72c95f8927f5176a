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

#[mcp_scenario(setup = || number(), setup_ctx = 5, teardown = "later")]
async fn no_paths(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(setup = with_the_context)]
async fn a_setup_that_takes_the_context(ctx: &mut Ctx, number: u8) -> Result<()> {
    let _ = (ctx, number);
    Ok(())
}

#[mcp_scenario(setup_ctx = number)]
async fn a_setup_with_the_context_that_does_not_take_it(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(setup = number, setup_ctx = with_the_context)]
async fn one_of_two_values(ctx: &mut Ctx, number: u8) -> Result<()> {
    let _ = (ctx, number);
    Ok(())
}

#[mcp_scenario(setup_ctx = with_the_context, target = |number| my_server(number))]
async fn a_target_of_another_setup(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(setup = number, target = |number| my_server(number), matrix)]
async fn without_transports(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(setup = number, target = my_server)]
async fn a_target_that_is_not_a_closure(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

fn my_server(number: &u8) -> Target {
    Target::command(Command::new("my-server").arg(number.to_string()))
}

async fn number() -> Result<u8> {
    Ok(7)
}

async fn with_the_context(_: &mut Ctx) -> Result<u8> {
    Ok(7)
}

fn not_async() -> Result<()> {
    Ok(())
}

async fn returns_a_number(_: &mut Ctx) -> u8 {
    7
}

fn main() {}
