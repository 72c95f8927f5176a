//! What several scenarios need before their first line, and after their last one.

use mcp_test::prelude::*;

#[derive(serde::Deserialize)]
struct Added {
    id: u32,
    uri: String,
}

async fn a_note(ctx: &mut Ctx) -> Result<Added> {
    let added = ctx.call("add_note").arg("title", "Milk").arg("text", "Buy milk").await?;
    Ok(added.assert_ok().structured()?)
}

/// Runs after a failure, too; what it asserts counts like the rest of the test.
async fn no_note_is_left(ctx: &mut Ctx) -> Result<()> {
    ctx.list_resources().await?.assert_len(0);
    Ok(())
}

#[mcp_scenario(setup = a_note)]
async fn a_note_is_read_by_its_uri(ctx: &mut Ctx, note: Added) -> Result<()> {
    ctx.read_resource(&note.uri).await?.assert_text("Buy milk");
    Ok(())
}

#[mcp_scenario(setup = a_note, teardown = no_note_is_left)]
async fn a_note_is_deleted_by_its_number(ctx: &mut Ctx, note: Added) -> Result<()> {
    ctx.on_elicitation(|form| form.accept(json!({"sure": true})));
    ctx.call("delete_note").arg("id", note.id).await?.assert_ok();
    Ok(())
}
