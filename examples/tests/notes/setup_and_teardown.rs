//! What several scenarios need before their server starts, before their first line, and after their last one.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, process};

use mcp_test::prelude::*;
use mcp_test_examples::notes::Notes;
use rmcp::ServiceExt;

#[derive(serde::Deserialize)]
struct Added {
    id: u32,
    uri: String,
}

/// A file with notes, which is removed when it is dropped: after the server has ended.
struct NotesFile(PathBuf);

impl Drop for NotesFile {
    fn drop(&mut self) {
        // What cannot be removed is in the target folder.
        let _ = fs::remove_file(&self.0);
    }
}

/// Runs before the server is started, once for each run; tests run at the same time, so that each needs a file of its own.
async fn notes_file() -> Result<NotesFile> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("notes-{}-{number}.txt", process::id());
    let file = NotesFile(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
    fs::write(&file.0, "Milk: Buy milk\nBread: Buy bread\n")?;
    Ok(file)
}

/// A server that does not start without its file.
fn notes_of(file: &NotesFile) -> Target {
    let path = file.0.clone();
    Target::duplex(move |io| {
        let notes = Notes::open(&path);
        async move {
            notes?.serve(io).await?.waiting().await?;
            Ok(())
        }
    })
}

#[mcp_scenario(setup = notes_file, target = |file| notes_of(file), revisions = "all")]
async fn the_notes_of_the_file_are_listed(ctx: &mut Ctx) -> Result<()> {
    ctx.list_resources().await?.assert_len(2);
    Ok(())
}

#[mcp_scenario(setup = notes_file, target = |file| notes_of(file))]
async fn the_file_is_only_read(ctx: &mut Ctx, file: &NotesFile) -> Result<()> {
    super::add_note(ctx).await?;
    ctx.list_resources().await?.assert_len(3);
    assert_eq!(fs::read_to_string(&file.0)?.lines().count(), 2);
    Ok(())
}

/// Runs with the context, right before the function.
async fn a_note(ctx: &mut Ctx) -> Result<Added> {
    let added = ctx.call("add_note").arg("title", "Milk").arg("text", "Buy milk").await?;
    Ok(added.assert_ok().structured()?)
}

/// The client declares what its handlers serve when it connects, so that they come before the first request.
async fn a_note_and_a_user_who_is_sure(ctx: &mut Ctx) -> Result<Added> {
    ctx.on_elicitation(|form| form.accept(json!({"sure": true})));
    a_note(ctx).await
}

/// Runs after a failure, too; what it asserts counts like the rest of the test.
async fn no_note_is_left(ctx: &mut Ctx) -> Result<()> {
    ctx.list_resources().await?.assert_len(0);
    Ok(())
}

#[mcp_scenario(setup_ctx = a_note)]
async fn a_note_is_read_by_its_uri(ctx: &mut Ctx, note: Added) -> Result<()> {
    ctx.read_resource(&note.uri).await?.assert_text("Buy milk");
    Ok(())
}

#[mcp_scenario(setup_ctx = a_note_and_a_user_who_is_sure, teardown = no_note_is_left)]
async fn a_note_is_deleted_by_its_number(ctx: &mut Ctx, note: Added) -> Result<()> {
    ctx.call("delete_note").arg("id", note.id).await?.assert_ok();
    Ok(())
}
