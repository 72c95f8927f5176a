//! What is particular to HTTP: status, headers; and how long a reply takes.

use std::time::Duration;

use mcp_test::expect;
use mcp_test::prelude::*;
use mcp_test_examples::calculator_router;

#[mcp_scenario(target = Target::router(calculator_router), revisions = "all")]
async fn a_list_comes_in_time_with_the_right_headers(ctx: &mut Ctx) -> Result<()> {
    ctx.list_tools()
        .await?
        .assert_ok()
        .assert_within(Duration::from_secs(10))
        .assert_http_status(200)
        .assert_http_header("content-type", expect::text_starting_with("text/event-stream"));
    Ok(())
}
