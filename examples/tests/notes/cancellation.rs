//! Calls that the client cancels.

use mcp_test::prelude::*;

#[mcp_scenario(revisions = "all")]
async fn a_call_that_is_cancelled_disturbs_no_other(ctx: &mut Ctx) -> Result<()> {
    let endless = ctx.call("synchronize").start().await?;
    ctx.cancel(endless).await?;
    ctx.call("import").arg("count", 1).await?.assert_ok();
    Ok(())
}
