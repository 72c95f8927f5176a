//! The notes server under plain `cargo test`: what a test can do, a file for each subject.

mod cancellation;
mod completion;
mod content;
mod conversation;
mod elicitation;
mod errors;
mod exit;
mod http;
mod lists;
mod logging;
mod parametrized;
mod progress;
mod prompts;
mod resources;
mod roots;
mod sampling;
mod server;
mod setup_and_teardown;
mod structured_results;
mod subscriptions;

use mcp_test::prelude::*;
use mcp_test_examples::notes::Notes;
use rmcp::ServiceExt;

mcp_test::target!(notes);

/// The server in this process; each test gets one of its own, without any notes.
fn notes() -> Target {
    Target::duplex(|io| async move {
        Notes::new().serve(io).await?.waiting().await?;
        Ok(())
    })
}

/// Adds a note that the tests of one subject need.
async fn add_note(ctx: &mut Ctx) -> Result<()> {
    ctx.call("add_note").arg("title", "Milk").arg("text", "Buy milk").await?.assert_ok();
    Ok(())
}
