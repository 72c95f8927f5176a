//! The twenty tests with mcp-test.

use mcp_test::prelude::*;
use mcp_test_examples::notes::{Notes, PIXEL};
use rmcp::ServiceExt;

mcp_test::target!(notes);

fn notes() -> Target {
    Target::duplex(|io| async move {
        Notes::new().serve(io).await?.waiting().await?;
        Ok(())
    })
}

async fn add_note(ctx: &mut Ctx) -> Result<()> {
    ctx.call("add_note").arg("title", "Milk").arg("text", "Buy milk").await?.assert_ok();
    Ok(())
}

#[mcp_scenario]
async fn the_server_introduces_itself(ctx: &mut Ctx) -> Result<()> {
    ctx.server().await?.assert_name("notes").assert_instructions("Delete only");
    Ok(())
}

#[mcp_scenario]
async fn the_tools_are_listed(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools().await?.assert_names([
        "add_note",
        "count_folders",
        "delete_note",
        "import",
        "show_samples",
        "summarize",
        "synchronize",
    ]);
    Ok(())
}

#[mcp_scenario]
async fn a_tool_declares_its_arguments(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools()
        .await?
        .assert_tool("add_note")
        .assert_requires("title")
        .assert_requires("text")
        .assert_property_type("title", "string");
    Ok(())
}

#[mcp_scenario]
async fn a_note_is_added(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("add_note", json!({"title": "Milk", "text": "Buy milk"}))
        .await?
        .assert_ok()
        .assert_structured_equals(json!({"id": 1, "uri": "note://1"}));
    Ok(())
}

#[mcp_scenario]
async fn a_missing_note_is_an_error_of_the_tool(ctx: &mut Ctx) -> Result<()> {
    ctx.call("delete_note").arg("id", 9).await?.assert_tool_error_contains("there is no note 9");
    Ok(())
}

#[mcp_scenario]
async fn an_unknown_tool_is_refused(ctx: &mut Ctx) -> Result<()> {
    ctx.call("burn_note").await?.assert_error_message("not found");
    Ok(())
}

#[mcp_scenario]
async fn arguments_of_the_wrong_type_are_refused(ctx: &mut Ctx) -> Result<()> {
    ctx.call("import").arg("count", "many").await?.assert_tool_error_contains("invalid type");
    Ok(())
}

#[mcp_scenario]
async fn an_image_is_shown(ctx: &mut Ctx) -> Result<()> {
    ctx.call("show_samples")
        .await?
        .assert_ok()
        .assert_content(1)
        .assert_mime_type("image/png")
        .assert_member("/data", PIXEL);
    Ok(())
}

#[mcp_scenario]
async fn a_note_is_linked(ctx: &mut Ctx) -> Result<()> {
    ctx.call("show_samples").await?.assert_ok().assert_resource_link("note://1");
    Ok(())
}

#[mcp_scenario]
async fn progress_is_reported(ctx: &mut Ctx) -> Result<()> {
    ctx.call("import")
        .arg("count", 3)
        .progress("import")
        .await?
        .assert_ok()
        .assert_progress(3)
        .assert_progress_total(3)
        .assert_progress_complete();
    Ok(())
}

#[mcp_scenario]
async fn the_import_is_logged(ctx: &mut Ctx) -> Result<()> {
    ctx.call("import").arg("count", 3).log_level("info").await?.assert_ok().assert_log_from(
        "import",
        "info",
        json!({"imported": 3}),
    );
    Ok(())
}

#[mcp_scenario]
async fn a_note_is_deleted_when_the_user_agrees(ctx: &mut Ctx) -> Result<()> {
    ctx.on_elicitation(|form| form.accept(json!({"sure": true})));
    add_note(ctx).await?;
    ctx.call("delete_note").arg("id", 1).await?.assert_ok().assert_text("note 1 deleted");
    Ok(())
}

#[mcp_scenario]
async fn a_note_is_kept_when_the_user_declines(ctx: &mut Ctx) -> Result<()> {
    ctx.on_elicitation(|_| ElicitationResponse::decline());
    add_note(ctx).await?;
    ctx.call("delete_note").arg("id", 1).await?.assert_ok().assert_text("note 1 kept");
    Ok(())
}

#[mcp_scenario]
async fn the_model_summarizes(ctx: &mut Ctx) -> Result<()> {
    ctx.on_sampling(|request| SamplingResponse::text(request.text().to_uppercase()));
    add_note(ctx).await?;
    ctx.call("summarize").await?.assert_ok().assert_text("SUMMARIZE: BUY MILK");
    Ok(())
}

#[mcp_scenario]
async fn folders_are_counted(ctx: &mut Ctx) -> Result<()> {
    ctx.on_roots(["file:///home/ada", "file:///srv"]);
    ctx.call("count_folders").await?.assert_ok().assert_text("2");
    Ok(())
}

#[mcp_scenario]
async fn a_new_note_is_announced(ctx: &mut Ctx) -> Result<()> {
    ctx.subscribe(SubscriptionFilter::new().resources_list_changed()).await?;
    add_note(ctx).await?;
    ctx.wait_for_list_changed("resources").await?;
    Ok(())
}

#[mcp_scenario]
async fn a_note_is_a_resource(ctx: &mut Ctx) -> Result<()> {
    add_note(ctx).await?;
    ctx.list_resources()
        .await?
        .assert_resource("note://1")
        .assert_name("Milk")
        .assert_mime_type("text/plain");
    ctx.read_resource("note://1").await?.assert_text("Buy milk");
    Ok(())
}

#[mcp_scenario]
async fn a_missing_note_cannot_be_read(ctx: &mut Ctx) -> Result<()> {
    ctx.read_resource("note://9").await?.assert_error_message("there is no note");
    Ok(())
}

#[mcp_scenario]
async fn a_review_names_the_note(ctx: &mut Ctx) -> Result<()> {
    ctx.get_prompt("review", json!({"id": "1", "tone": "frank"}))
        .await?
        .assert_message(0, "user", "Review note 1.")
        .assert_message(1, "assistant", "I will be frank.");
    Ok(())
}

#[mcp_scenario]
async fn a_tone_is_completed(ctx: &mut Ctx) -> Result<()> {
    ctx.complete_prompt("review", "tone", "fr").await?.assert_values(["friendly", "frank"]);
    Ok(())
}
