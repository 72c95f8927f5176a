//! A client on the official Rust SDK, tested by every built-in scenario for clients that applies, over a pipe and over HTTP.

use mcp_test::prelude::*;
use mcp_test::transport::Endpoint;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;

mcp_test::main!(
    mcp_test::client_conformance(
        ClientTarget::future(my_client).over([TransportKind::Duplex, TransportKind::Http])
    )
    .baseline("tests/client_conformance.yml")
);

/// Connects, calls each tool that the server has, and disconnects.
async fn my_client(endpoint: Endpoint) -> Result<()> {
    // Cargo unifies features: if another package of the workspace enables TLS, the client of rmcp needs a provider for it.
    rustls::crypto::ring::default_provider().install_default().ok();
    // Asks for the newest revision first, which has no `initialize`.
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    };
    let client = match endpoint.transport() {
        TransportKind::Duplex => {
            ().serve_with_lifecycle(endpoint.duplex().await?, lifecycle).await?
        }
        _ => {
            let transport = StreamableHttpClientTransport::from_uri(endpoint.url()?.to_owned());
            ().serve_with_lifecycle(transport, lifecycle).await?
        }
    };
    for tool in client.list_all_tools().await? {
        let arguments = json!({"a": 1, "b": 2}).as_object().cloned().unwrap_or_default();
        client.call_tool(CallToolRequestParams::new(tool.name).with_arguments(arguments)).await?;
    }
    client.cancel().await?;
    Ok(())
}
