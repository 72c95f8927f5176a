//! The client of the official Rust SDK on our reference server, in this process, in both eras.

use mcp_test::server::reference;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::json;

#[derive(Clone, Default)]
pub(crate) struct Plain;

impl ClientHandler for Plain {}

/// The two ways to begin.
pub(crate) fn lifecycles() -> [ClientLifecycleMode; 2] {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    [ClientLifecycleMode::Initialize, ClientLifecycleMode::Discover { preferred_versions }]
}

pub(crate) async fn uses(client: RunningService<RoleClient, Plain>) {
    let tools = client.list_all_tools().await.expect("a list");
    assert!(tools.iter().any(|tool| tool.name == "add"), "{tools:?}");
    let arguments = json!({ "a": 2, "b": 3 }).as_object().cloned().unwrap_or_default();
    let call = CallToolRequestParams::new("add").with_arguments(arguments);
    let sum = client.call_tool(call).await.expect("a result");
    let text = serde_json::to_value(&sum).expect("JSON");
    assert_eq!(text["content"][0]["text"], "5", "{text}");
    let resources = client.list_all_resources().await.expect("a list");
    assert!(resources.iter().any(|resource| resource.uri == "test://static-text"));
    client.cancel().await.expect("an end");
}

#[tokio::test]
async fn over_a_pipe() {
    for lifecycle in lifecycles() {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = reference::everything();
        let serving = tokio::spawn(async move { server.serve(ours).await });
        let client = Plain.serve_with_lifecycle(theirs, lifecycle).await.expect("a client");
        uses(client).await;
        serving.await.expect("no panic").expect("an orderly end");
    }
}

#[tokio::test]
async fn over_streamable_http() {
    // A second installation fails, which is as good.
    rustls::crypto::ring::default_provider().install_default().ok();
    for lifecycle in lifecycles() {
        let listening = reference::everything().listen("127.0.0.1:0").await.expect("a free port");
        let transport = StreamableHttpClientTransport::from_uri(listening.url().to_string());
        let client = Plain.serve_with_lifecycle(transport, lifecycle).await.expect("a client");
        uses(client).await;
    }
}
