//! The other side of the contracts: a client of the calculator, tested by what they expect of clients. The calculator does
//! not run; a mock answers from the contracts.

use mcp_test::prelude::*;
use rmcp::model::{CallToolRequestParams, GetPromptRequestParams, ReadResourceRequestParams};
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{RoleClient, ServiceExt};

// Each file is a test. It passes when the client has sent all messages that the cases of the file expect, in the order of each
// case. A good client does not send what a server has to refuse.
mcp_test::cases!("contracts/*.yaml", client = my_client, skip_tags = ["refusals"]);

/// A client that does what belongs to the name of the file, or by default lists and reads everything.
fn my_client() -> ClientTarget {
    ClientTarget::future(|endpoint| async move {
        // Cargo unifies features: if another package of the workspace enables TLS, the client of rmcp needs a provider for it.
        rustls::crypto::ring::default_provider().install_default().ok();
        let client =
            ().serve(StreamableHttpClientTransport::from_uri(endpoint.url()?.to_owned())).await?;
        match endpoint.scenario.as_str() {
            "calculator" => calculate(&client).await?,
            _ => look_around(&client).await?,
        }
        client.cancel().await?;
        Ok(())
    })
}

async fn calculate(client: &RunningService<RoleClient, ()>) -> Result<()> {
    for (tool, a, b) in [("divide", 3, 2), ("divide", 1, 0), ("add", 1, 2)] {
        let arguments = json!({"a": a, "b": b}).as_object().cloned().unwrap_or_default();
        client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await?;
    }
    Ok(())
}

async fn look_around(client: &RunningService<RoleClient, ()>) -> Result<()> {
    client.list_all_tools().await?;
    for resource in client.list_all_resources().await? {
        client.read_resource(ReadResourceRequestParams::new(&resource.uri)).await?;
    }
    let arguments = json!({"expression": "2 + 2"}).as_object().cloned().unwrap_or_default();
    client.get_prompt(GetPromptRequestParams::new("explain").with_arguments(arguments)).await?;
    Ok(())
}
