//! What the server asks the model of the client.

use mcp_test::prelude::*;

use super::add_note;

#[mcp_scenario(revisions = "all")]
async fn the_model_writes_the_summary(ctx: &mut Ctx) -> Result<()> {
    ctx.on_sampling(|request| SamplingResponse::text(request.text().to_uppercase()));
    add_note(ctx).await?;
    ctx.call("summarize").await?.assert_ok().assert_text("SUMMARIZE: BUY MILK");
    Ok(())
}

#[mcp_scenario(revisions = "2025-11-25")]
async fn a_refusal_of_the_user_is_passed_on(ctx: &mut Ctx) -> Result<()> {
    ctx.on_sampling(|_| SamplingResponse::refuse("no models today"));
    ctx.call("summarize").await?.assert_error_message("no models today");
    Ok(())
}
