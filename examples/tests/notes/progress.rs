//! Progress of a call.

use mcp_test::prelude::*;

#[mcp_scenario(revisions = "all")]
async fn an_import_reports_its_progress(ctx: &mut Ctx) -> Result<()> {
    let imported = ctx.call("import").arg("count", 3).progress("import").await?;
    let progress = imported.reply().progress();
    assert_eq!(progress.len(), 3);
    assert_eq!(progress[2].progress, Some(3.0));
    assert_eq!(progress[2].message.as_deref(), Some("note 3"));
    imported.assert_ok().assert_text("3 notes imported");
    Ok(())
}
