//! Progress of a call.

use mcp_test::prelude::*;

#[mcp_scenario(revisions = "all")]
async fn an_import_reports_its_progress(ctx: &mut Ctx) -> Result<()> {
    let imported = ctx.call("import").arg("count", 3).progress("import").await?;
    let imported = imported.assert_ok().assert_progress(3).assert_progress_total(3);
    assert_eq!(imported.progress()[2].message.as_deref(), Some("note 3"));
    imported.assert_progress_complete();
    Ok(())
}
