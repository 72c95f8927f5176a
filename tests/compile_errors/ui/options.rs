//! Every mistake in the options is reported at once.

use mcp_test::prelude::*;

#[mcp_scenario(timout = "5s", matrix = true, transports = [htpp, duplex, duplex], revisions = "2025-06-81")]
async fn misspelt(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(target, target = f, timeout = 5, transports = [], revisions = "2025-11-25..2025-06-18, .., 2031-01-01")]
async fn meaningless(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(timeout("5s"), revisions: "2025-06-18", allow_skip matrix, crate = "mcp_test", target =)]
async fn malformed(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(timeout = "0s", transports = ["http", tcp], colour, "text", revisions = "2025-06-18..=2025-11-25")]
async fn odd(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

fn main() {}
