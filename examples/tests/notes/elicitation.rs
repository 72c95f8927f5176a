//! What the server asks the user: in the handshake era with a request, from 2026-07-28 on with a result that requires input. The
//! same handler answers both.

use mcp_test::prelude::*;

use super::add_note;

#[mcp_scenario(revisions = "2025-06-18..")]
async fn a_note_is_deleted_when_the_user_agrees(ctx: &mut Ctx) -> Result<()> {
    ctx.on_elicitation(|form| form.accept(json!({"sure": true})));
    add_note(ctx).await?;
    ctx.call("delete_note").arg("id", 1).await?.assert_ok().assert_text("note 1 deleted");
    ctx.list_resources().await?.assert_len(0);
    Ok(())
}

#[mcp_scenario(revisions = "2025-06-18..")]
async fn a_note_is_kept_when_the_user_declines(ctx: &mut Ctx) -> Result<()> {
    ctx.on_elicitation(|_| ElicitationResponse::decline());
    add_note(ctx).await?;
    ctx.call("delete_note").arg("id", 1).await?.assert_ok().assert_text("note 1 kept");
    Ok(())
}

/// The handler sees the form.
#[mcp_scenario]
async fn the_question_names_the_note(ctx: &mut Ctx) -> Result<()> {
    ctx.on_elicitation(|form| match form.message() {
        "Delete note 1?" => form.accept(json!({"sure": true})),
        _ => ElicitationResponse::cancel(),
    });
    add_note(ctx).await?;
    ctx.call("delete_note").arg("id", 1).await?.assert_ok().assert_text("note 1 deleted");
    Ok(())
}
