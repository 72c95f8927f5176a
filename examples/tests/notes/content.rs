//! Content of each kind.

use mcp_test::prelude::*;

#[mcp_scenario(revisions = "2025-06-18..")]
async fn samples_have_every_kind_of_content(ctx: &mut Ctx) -> Result<()> {
    ctx.call("show_samples")
        .await?
        .assert_ok()
        .assert_content_len(5)
        .assert_text("samples")
        .assert_image("image/png")
        .assert_audio("audio/wav")
        .assert_resource_link("note://1")
        .assert_embedded_resource("note://sample");
    Ok(())
}
