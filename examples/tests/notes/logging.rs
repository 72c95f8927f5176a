//! Log messages of the server.

use mcp_test::prelude::*;

#[mcp_scenario(revisions = "..2025-11-25")]
async fn an_import_is_logged(ctx: &mut Ctx) -> Result<()> {
    ctx.set_level("info").await?.assert_ok();
    let imported = ctx.call("import").arg("count", 3).await?.assert_ok();
    let logged = imported.reply().log_messages();
    assert_eq!(logged[0].level, "info");
    assert_eq!(logged[0].data, json!({"imported": 3}));
    Ok(())
}
