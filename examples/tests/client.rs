//! A client on the official Rust SDK, tested by functions that script its server, in a plain test target.

use mcp_test::prelude::*;
use mcp_test::server::{Answer, calls, method};
use mcp_test::transport::Endpoint;
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::StreamableHttpClientTransport;

/// The client under test: it adds two prices with the calculator, and tries once more if that fails.
async fn total(endpoint: Endpoint) -> Result<()> {
    // Cargo unifies features: if another package of the workspace enables TLS, the client of rmcp needs a provider for it.
    rustls::crypto::ring::default_provider().install_default().ok();
    let client =
        ().serve(StreamableHttpClientTransport::from_uri(endpoint.url()?.to_owned())).await?;
    let prices = json!({"a": 1, "b": 2}).as_object().cloned().unwrap_or_default();
    let call = CallToolRequestParams::new("add").with_arguments(prices);
    let sum = match client.call_tool(call.clone()).await {
        Ok(sum) => Ok(sum),
        Err(_) => client.call_tool(call).await,
    };
    client.cancel().await?;
    sum?.content.first().ok_or("the calculator returned nothing")?;
    Ok(())
}

fn my_client() -> ClientTarget {
    ClientTarget::future(total)
}

/// What the calculator answers.
fn sum() -> serde_json::Value {
    json!({"content": [{"type": "text", "text": "3"}]})
}

#[mcp_scenario(client = my_client)]
async fn adds_two_numbers(server: &mut ServerCtx) -> Result<()> {
    server.given(calls("add")).respond_with(sum());
    server.run_client().await?;
    server
        .received()
        .assert_order(["initialize", "notifications/initialized", "tools/call"])
        .assert_call("add")
        .assert_argument("a", 1)
        .assert_argument("b", 2)
        .assert_header("Accept", expect::text_containing("text/event-stream"))
        .assert_times(1)
        .and()
        .assert_no_other_calls()
        .assert_no_call("subtract")
        .assert_header_everywhere("Content-Type", "application/json");
    Ok(())
}

#[mcp_scenario(client = my_client, revisions = "2025-06-18..2025-11-25")]
async fn adds_at_several_revisions(server: &mut ServerCtx) -> Result<()> {
    server.given(calls("add")).respond_with(sum()).expect(1);
    server.run_client().await?;
    let revision = server.revision().as_str();
    server.received().assert_call("add").assert_header("MCP-Protocol-Version", revision);
    Ok(())
}

#[mcp_scenario(client = my_client, case(1), case(2))]
async fn tries_once_more(server: &mut ServerCtx, failures: u64) -> Result<()> {
    server.given(calls("add")).respond_with(sum());
    // Mounted last, so that it answers first.
    let out_of_order = Answer::error(-32603, "out of order");
    server.given(calls("add")).respond_with(out_of_order).up_to_n_times(failures);
    if failures == 1 {
        server.run_client().await?;
    } else {
        server.run_client_to_failure().await?.assert_error_contains("out of order");
    }
    server.received().assert_call("add").assert_times(2);
    Ok(())
}

#[mcp_scenario(client = my_client)]
async fn fails_without_the_tool(server: &mut ServerCtx) -> Result<()> {
    server.given(method("tools/list")).respond_with(json!({"tools": []}));
    server.run_client_to_failure().await?;
    // The test scripts no answer, and says so; otherwise the request would fail it.
    server.received().assert_unscripted("tools/call").assert_param("/name", "add").assert_times(2);
    Ok(())
}
