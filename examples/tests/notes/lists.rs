//! Lists: their items, their pages.

use mcp_test::expect::{non_empty_string, object};
use mcp_test::prelude::*;

#[mcp_scenario(revisions = "all")]
async fn every_tool_is_described(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools()
        .await?
        .assert_pages(1)
        .assert_page_size(50)
        .assert_unique_names()
        .assert_each(object().member("description", non_empty_string()))
        .assert_no_tool("burn_note")
        .assert_tool("import")
        .assert_requires("count")
        .assert_property_type("count", "integer")
        .assert_property("count", object().member("minimum", 0))
        .assert_input_schema(object().member("required", json!(["count"])))
        .and()
        .assert_tool("add_note")
        .assert_output_schema(object().member("type", "object"))
        .assert_annotation("readOnlyHint", false)
        .assert_member("/annotations/readOnlyHint", false);
    ctx.list_prompts().await?.assert_names(["review"]).assert_no_prompt("burn");
    ctx.list_resources().await?.assert_no_resource("note://9");
    ctx.list_resource_templates().await?.assert_no_resource_template("file:///{path}");
    Ok(())
}
