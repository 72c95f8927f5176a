//! Attributes that a scenario cannot have, and items that are not scenarios.

use mcp_test::prelude::*;

#[mcp_scenario]
#[test]
#[should_panic]
async fn twice_a_test(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario]
#[tokio::test(start_paused = true)]
async fn tokio_test(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

// Expanded before `#[mcp_scenario]`, which sees only what it has left.
#[tokio::test]
#[mcp_scenario]
async fn tokio_test_above(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario]
#[mcp_scenario]
async fn twice_a_scenario(ctx: &mut Ctx) -> Result<()> {
    let _ = ctx;
    Ok(())
}

#[mcp_scenario]
struct NoFunction;

fn main() {
    let _ = NoFunction;
}
