//! The folders that the client shares.

use mcp_test::prelude::*;

#[mcp_scenario(revisions = "all")]
async fn the_server_counts_the_folders(ctx: &mut Ctx) -> Result<()> {
    ctx.on_roots(["file:///home/ada", "file:///srv"]);
    ctx.call("count_folders").await?.assert_ok().assert_text("2");
    Ok(())
}
