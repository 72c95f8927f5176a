//! Suggestions for the arguments of prompts and resource templates.

use mcp_test::prelude::*;

use super::add_note;

#[mcp_scenario(revisions = "all")]
async fn tones_are_suggested(ctx: &mut Ctx) -> Result<()> {
    ctx.complete_prompt("review", "tone", "fr")
        .await?
        .assert_values(["friendly", "frank"])
        .assert_total(2);
    Ok(())
}

#[mcp_scenario]
async fn numbers_of_notes_are_suggested(ctx: &mut Ctx) -> Result<()> {
    add_note(ctx).await?;
    ctx.complete_resource_template("note://{id}", "id", "")
        .await?
        .assert_contains("1")
        .assert_has_more(false);
    Ok(())
}
