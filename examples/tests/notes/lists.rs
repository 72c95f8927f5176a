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
        .assert_tool("import")
        .assert_requires("count")
        .assert_property_type("count", "integer");
    Ok(())
}
