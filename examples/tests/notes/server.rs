//! What the server says about itself.

use mcp_test::prelude::*;

#[mcp_scenario(revisions = "all")]
async fn the_server_introduces_itself(ctx: &mut Ctx) -> Result<()> {
    let revision = ctx.revision();
    let server = ctx
        .server()
        .await?
        .assert_name("notes")
        .assert_version("1.0.0")
        .assert_revision(revision)
        .assert_instructions("Keeps notes.")
        .assert_declares("tools")
        .assert_not_declares(Capability::Experimental)
        .assert_capability("/resources/listChanged", true);
    assert_eq!(server.info["name"], "notes");
    Ok(())
}

/// A title exists from 2025-06-18 on.
#[mcp_scenario(revisions = "2025-06-18..")]
async fn the_server_has_a_title(ctx: &mut Ctx) -> Result<()> {
    ctx.server().await?.assert_title("Notes");
    Ok(())
}
