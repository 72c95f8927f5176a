//! Changes that the server announces.

use mcp_test::prelude::*;

use super::add_note;

/// Before 2026-07-28 a server that declares it announces each change.
#[mcp_scenario(revisions = "..2025-11-25")]
async fn a_new_note_is_announced(ctx: &mut Ctx) -> Result<()> {
    add_note(ctx).await?;
    ctx.wait_for_list_changed("resources").await?.assert_params(expect::null());
    Ok(())
}

/// From 2026-07-28 on the client has to ask for the announcements.
#[mcp_scenario]
async fn a_new_note_is_announced_to_subscribers(ctx: &mut Ctx) -> Result<()> {
    ctx.subscribe(SubscriptionFilter::new().resources_list_changed()).await?;
    add_note(ctx).await?;
    ctx.wait_for_list_changed("resources").await?;
    Ok(())
}
