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

/// By index, with what each contains.
#[mcp_scenario(revisions = "2025-06-18..")]
async fn samples_contain_what_they_should(ctx: &mut Ctx) -> Result<()> {
    ctx.call("show_samples")
        .await?
        .assert_ok()
        .assert_content(0)
        .assert_text("samples")
        .and()
        .assert_content(2)
        .assert_type("audio")
        .assert_data(b"RIFF")
        .and()
        .assert_content(3)
        .assert_name("note 1")
        .assert_uri("note://1")
        .and()
        .assert_content(4)
        .assert_text_contains("sample");
    Ok(())
}
