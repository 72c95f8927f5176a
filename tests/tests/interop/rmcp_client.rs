//! The client of the official Rust SDK, in this process, against our reference server in both eras.

use mcp_test::server::reference;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::json;

#[derive(Clone, Default)]
pub(crate) struct Plain;

impl ClientHandler for Plain {}

/// How a client begins in each era: with `initialize`, and with `server/discover`.
pub(crate) fn lifecycles() -> [ClientLifecycleMode; 2] {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    [ClientLifecycleMode::Initialize, ClientLifecycleMode::Discover { preferred_versions }]
}

/// Lists and uses what the reference server offers, and checks the results.
pub(crate) async fn check_reference_server(client: RunningService<RoleClient, Plain>) {
    let tools = client.list_all_tools().await.expect("the list succeeds");
    assert!(tools.iter().any(|tool| tool.name == "add"), "{tools:?}");
    let arguments = json!({ "a": 2, "b": 3 }).as_object().cloned().unwrap_or_default();
    let call = CallToolRequestParams::new("add").with_arguments(arguments);
    let sum = client.call_tool(call).await.expect("the call succeeds");
    let text = serde_json::to_value(&sum).expect("JSON");
    assert_eq!(text["content"][0]["text"], "5", "{text}");
    let resources = client.list_all_resources().await.expect("the list succeeds");
    assert!(resources.iter().any(|resource| resource.uri == "test://static-text"));
    client.cancel().await.expect("the client disconnects");
}

#[tokio::test]
async fn uses_the_reference_server_over_a_duplex_pipe() {
    for lifecycle in lifecycles() {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = reference::everything();
        let serving = tokio::spawn(async move { server.serve(ours).await });
        let client =
            Plain.serve_with_lifecycle(theirs, lifecycle).await.expect("the client connects");
        check_reference_server(client).await;
        serving.await.expect("no panic").expect("the server ends without an error");
    }
}

#[tokio::test]
async fn uses_the_reference_server_over_streamable_http() {
    // Fails if another test of this process has installed it already.
    rustls::crypto::ring::default_provider().install_default().ok();
    for lifecycle in lifecycles() {
        let listening = reference::everything().listen("127.0.0.1:0").await.expect("a free port");
        let transport = StreamableHttpClientTransport::from_uri(listening.url().to_string());
        let client =
            Plain.serve_with_lifecycle(transport, lifecycle).await.expect("the client connects");
        check_reference_server(client).await;
    }
}
