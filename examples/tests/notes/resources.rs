//! Resources and templates.

use mcp_test::prelude::*;
use mcp_test_examples::notes::PIXEL;

use super::add_note;

#[mcp_scenario(revisions = "all")]
async fn a_note_is_a_resource(ctx: &mut Ctx) -> Result<()> {
    ctx.list_resources().await?.assert_len(0);
    add_note(ctx).await?;
    ctx.list_resources()
        .await?
        .assert_resource("note://1")
        .assert_name("Milk")
        .assert_mime_type("text/plain");
    ctx.read_resource("note://1").await?.assert_len(1).assert_text("Buy milk");
    Ok(())
}

#[mcp_scenario]
async fn the_template_names_notes_by_number(ctx: &mut Ctx) -> Result<()> {
    ctx.list_resource_templates()
        .await?
        .assert_resource_template("note://{id}")
        .assert_name("note");
    Ok(())
}

/// The code was changed in 2026-07-28.
#[mcp_scenario(revisions = "all")]
async fn a_note_that_does_not_exist_cannot_be_read(ctx: &mut Ctx) -> Result<()> {
    let code = if ctx.revision() < Revision::V2026_07_28 { -32002 } else { -32602 };
    ctx.read_resource("note://9")
        .await?
        .assert_error_code(code)
        .assert_error_data(json!({"uri": "note://9"}));
    Ok(())
}

#[mcp_scenario(revisions = "all")]
async fn a_picture_is_a_blob(ctx: &mut Ctx) -> Result<()> {
    let picture = ctx.read_resource("note://picture").await?.assert_mime_type("image/png");
    picture.assert_uri("note://picture").assert_blob(PIXEL);
    Ok(())
}
