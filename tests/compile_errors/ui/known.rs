//! Known violations are ids of requirements.

use mcp_test::prelude::*;

#[mcp_scenario(known = ["transport.http.event-id-uniq", ("x", "a reason"), ("ping.result-empty", 5), id])]
async fn misspelt(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(known = "ping.result-empty")]
async fn not_a_list(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario(known = [])]
async fn nothing(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

fn main() {}
