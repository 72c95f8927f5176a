//! What is not a client, and a context of another name, are reported at the user's tokens.

use mcp_test::prelude::*;

type Aliased = Ctx;

fn my_client() -> ClientTarget {
    ClientTarget::command("my-client")
}

fn my_server() -> Target {
    Target::command(Command::new("my-server"))
}

#[mcp_scenario(client = my_client)]
async fn with_another_context(ctx: &mut Aliased) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(client = my_server)]
async fn a_server_as_client(server: &mut ServerCtx) -> Result<()> {
    let _ = server;
    Ok(())
}

#[mcp_scenario(client = my_client, setup_ctx = of_a_server)]
async fn with_the_setup_of_a_server(server: &mut ServerCtx) -> Result<()> {
    let _ = server;
    Ok(())
}

async fn of_a_server(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

fn main() {}
