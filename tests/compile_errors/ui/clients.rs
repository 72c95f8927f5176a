//! The context of a test says what it tests, and so do its options: both have to agree.

use mcp_test::prelude::*;

fn my_client() -> ClientTarget {
    ClientTarget::command("my-client")
}

fn my_server() -> Target {
    Target::command(Command::new("my-server"))
}

#[mcp_scenario(client = my_client)]
async fn with_the_context_of_a_server(ctx: &mut Ctx) -> Result<()> {
    ctx.ping().await?.assert_ok();
    Ok(())
}

#[mcp_scenario]
async fn without_a_client(server: &mut ServerCtx) -> Result<()> {
    server.run_client().await?;
    Ok(())
}

#[mcp_scenario(client = my_client, target = my_server)]
async fn of_both(server: &mut ServerCtx) -> Result<()> {
    server.run_client().await?;
    Ok(())
}

#[mcp_scenario(client)]
fn without_anything() {
    server.run_client().await?;
    Ok(())
}

fn main() {}
