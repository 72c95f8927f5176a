//! A client on the official Rust SDK, tested in a target without libtest: each revision is a test of its own.

use mcp_test::prelude::*;
use mcp_test::server::calls;
use mcp_test::transport::Endpoint;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;

mcp_test::main!();

/// The client under test: it adds two numbers with the calculator.
async fn add(endpoint: Endpoint) -> Result<()> {
    // Cargo unifies features: if another package of the workspace enables TLS, the client of rmcp needs a provider for it.
    rustls::crypto::ring::default_provider().install_default().ok();
    // Asks for the newest revision first, which has no `initialize`.
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    };
    let transport = StreamableHttpClientTransport::from_uri(endpoint.url()?.to_owned());
    let client = ().serve_with_lifecycle(transport, lifecycle).await?;
    let numbers = json!({"a": 1, "b": 2}).as_object().cloned().unwrap_or_default();
    client.call_tool(CallToolRequestParams::new("add").with_arguments(numbers)).await?;
    client.cancel().await?;
    Ok(())
}

fn my_client() -> ClientTarget {
    ClientTarget::future(add).labelled("adding client")
}

// The trials `adds_two_numbers::2025-03-26::http` to `adds_two_numbers::2026-07-28::http`.
#[mcp_scenario(client = my_client, matrix, revisions = "2025-03-26..")]
async fn adds_two_numbers(server: &mut ServerCtx) -> Result<()> {
    server.given(calls("add")).respond_with(json!({"content": [{"type": "text", "text": "3"}]}));
    server.run_client().await?;
    server.received().assert_call("add").assert_arguments(json!({"a": 1, "b": 2})).assert_times(1);
    Ok(())
}

// Without revisions the client chooses one: the server speaks all.
#[mcp_scenario(client = my_client)]
async fn prefers_the_newest_revision(server: &mut ServerCtx) -> Result<()> {
    server.given(calls("add")).respond_with(json!({"content": []}));
    server.run_client().await?;
    assert_eq!(server.revision(), Revision::NEWEST);
    server.received().assert_sent("server/discover").and().assert_not_sent("initialize");
    Ok(())
}

// At an older revision, the client opens a stream while it goes on, so that the order of both is not known.
#[mcp_scenario(client = my_client, revisions = "2026-07-28")]
async fn the_whole_conversation(server: &mut ServerCtx) -> Result<()> {
    server.given(calls("add")).respond_with(json!({"content": [{"type": "text", "text": "3"}]}));
    server.run_client().await?;
    server.assert_golden();
    Ok(())
}
