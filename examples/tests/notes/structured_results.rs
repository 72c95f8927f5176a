//! Results with a schema, as types of the test.

use mcp_test::prelude::*;

#[derive(serde::Serialize)]
struct NewNote {
    title: &'static str,
    text: &'static str,
}

#[derive(serde::Deserialize)]
struct Added {
    id: u32,
    uri: String,
}

#[mcp_scenario(revisions = "2025-06-18..")]
async fn a_new_note_has_a_number_and_a_uri(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools().await?.assert_tool("add_note").assert_property_type("title", "string");
    let note = NewNote { title: "Milk", text: "Buy milk" };
    let result =
        ctx.call("add_note").args_from(&note).await?.assert_ok().assert_fits_output_schema();
    let result = result.assert_structured::<Added>().assert_no_member("/structuredContent/text");
    let added: Added = result.structured()?;
    assert_eq!((added.id, added.uri.as_str()), (1, "note://1"));
    result.assert_structured_equals(json!({"id": 1, "uri": "note://1"}));
    Ok(())
}
