//! The conversation as a whole: what was sent by whom, and in which order.

use mcp_test::expect::object;
use mcp_test::prelude::*;

use super::add_note;

#[mcp_scenario(revisions = "2025-11-25")]
async fn a_change_is_announced_before_the_result(ctx: &mut Ctx) -> Result<()> {
    ctx.list_resources().await?.assert_len(0);
    ctx.fence("no note yet").await?;
    add_note(ctx).await?;
    ctx.trace()
        .assert_sent("tools/call")
        .assert_received("notifications/resources/list_changed")
        .assert_order(["resources/list", "tools/call"])
        .assert_not_seen_before_fence("notifications/resources/list_changed", "no note yet")
        .assert_no_deadline_fired();
    Ok(())
}

/// A request of any method, and its whole result.
#[mcp_scenario(revisions = "2025-11-25")]
async fn a_ping_has_an_empty_result(ctx: &mut Ctx) -> Result<()> {
    ctx.ping().await?.assert_result(json!({}));
    ctx.request("tools/list", json!({})).await?.assert_member("/tools/0", object());
    Ok(())
}
