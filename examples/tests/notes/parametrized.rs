//! One scenario with several arguments: each case is a test of its own, such as `wrong_arguments_are_refused::a_text`.

use mcp_test::prelude::*;

#[mcp_scenario(
    case::a_text(json!("many"), "invalid type: string"),
    case::negative(json!(-1), "invalid value: integer"),
    case::nothing(json!(null), "invalid type: null")
)]
async fn wrong_arguments_are_refused(
    ctx: &mut Ctx,
    count: serde_json::Value,
    why: &str,
) -> Result<()> {
    ctx.call("import").arg("count", count).await?.assert_tool_error_contains(why);
    Ok(())
}
