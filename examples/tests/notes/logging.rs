//! Log messages of the server.

use mcp_test::expect::object;
use mcp_test::prelude::*;

#[mcp_scenario(revisions = "..2025-11-25")]
async fn an_import_is_logged(ctx: &mut Ctx) -> Result<()> {
    ctx.set_level("info").await?.assert_ok();
    ctx.call("import").arg("count", 3).await?.assert_ok();
    // It may come after the result of the call.
    ctx.wait_for_log("info").await?.assert_param("/data/imported", 3);
    Ok(())
}

/// From 2026-07-28 on, each request says which messages it wants.
#[mcp_scenario]
async fn an_import_is_logged_for_who_asks(ctx: &mut Ctx) -> Result<()> {
    let import = ctx.call("import").arg("count", 3).log_level("info").await?;
    import
        .assert_ok()
        .assert_log("info", json!({"imported": 3}))
        .assert_log_from("import", "info", json!({"imported": 3}))
        .assert_notification("notifications/message", object().member("logger", "import"))
        .assert_no_notification("notifications/progress");
    Ok(())
}
