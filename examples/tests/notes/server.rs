//! What the server says about itself.

use mcp_test::prelude::*;

#[mcp_scenario(revisions = "..2025-11-25")]
async fn the_server_introduces_itself(ctx: &mut Ctx) -> Result<()> {
    let server = ctx.client().await?.server();
    assert_eq!(server.info["name"], "notes");
    assert_eq!(server.info["version"], "1.0.0");
    assert!(server.instructions.as_deref().is_some_and(|text| text.starts_with("Keeps notes.")));
    Ok(())
}
