//! Errors: of tools, which the model sees, and of the protocol, which it does not.

use mcp_test::prelude::*;

/// A failure that the test does not examine fails it, too.
#[mcp_scenario(revisions = "all")]
async fn a_note_that_does_not_exist_is_an_error_of_the_tool(ctx: &mut Ctx) -> Result<()> {
    ctx.call("delete_note")
        .arg("id", 9)
        .await?
        .assert_tool_error()
        .assert_text("there is no note 9");
    ctx.call("delete_note").arg("id", 9).await?.assert_tool_error_contains("no note");
    Ok(())
}

#[mcp_scenario(revisions = "all")]
async fn an_unknown_tool_is_an_error_of_the_protocol(ctx: &mut Ctx) -> Result<()> {
    ctx.request("notes/burn", json!({})).await?.assert_error();
    ctx.call("burn_note").await?.assert_error_code(-32602).assert_error_message("not found");
    Ok(())
}

#[mcp_scenario]
async fn arguments_of_the_wrong_type_are_refused(ctx: &mut Ctx) -> Result<()> {
    ctx.call("import")
        .arg("count", "many")
        .await?
        .assert_tool_error()
        .assert_text_contains("invalid type");
    Ok(())
}
