//! Prompts.

use mcp_test::prelude::*;

#[mcp_scenario(revisions = "all")]
async fn a_review_has_two_messages(ctx: &mut Ctx) -> Result<()> {
    ctx.list_prompts().await?.assert_prompt("review").assert_requires("id").assert_optional("tone");
    ctx.prompt("review")
        .arg("id", "1")
        .arg("tone", "frank")
        .await?
        .assert_len(2)
        .assert_description("review")
        .assert_message(0, "user", "Review note 1.")
        .assert_message(1, "assistant", "I will be frank.")
        .assert_content(1)
        .assert_role("assistant")
        .assert_text_contains("frank");
    Ok(())
}
