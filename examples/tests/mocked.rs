//! A mock in place of a server: the code under test uses a calculator whose replies come from its contract.

use mcp_test::Result;
use mcp_test::cases::Mock;
use mcp_test::prelude::json;
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::StreamableHttpClientTransport;

/// The code under test: it adds two prices with the calculator.
async fn total(url: &str, first: u32, second: u32) -> Result<f64> {
    // Cargo unifies features: if another package of the workspace enables TLS, the client of rmcp needs a provider for it.
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = ().serve(StreamableHttpClientTransport::from_uri(url.to_owned())).await?;
    let prices = json!({"a": first, "b": second}).as_object().cloned().unwrap_or_default();
    let call = CallToolRequestParams::new("add").with_arguments(prices);
    let result = client.call_tool(call).await?;
    client.cancel().await?;
    let text = result.content.first().and_then(|content| content.as_text());
    Ok(text.ok_or("the calculator returned no text")?.text.parse()?)
}

/// A mock of the calculator, from its contract.
fn calculator() -> Result<Mock> {
    Ok(Mock::read(concat!(env!("CARGO_MANIFEST_DIR"), "/contracts/calculator.yaml"))?)
}

#[tokio::test]
async fn prices_are_added_up() -> Result {
    let mock = calculator()?;
    let server = mock.listen("127.0.0.1:0").await?;
    let sum = total(server.url(), 1, 2).await?;
    assert!((sum - 3.0).abs() < f64::EPSILON, "{sum}");
    // The client needs one case of the contract; `assert_all_used` would ask for all of them.
    mock.assert_used(["Adds two numbers"]);
    Ok(())
}

#[tokio::test]
async fn what_the_contract_does_not_have_is_refused_with_the_nearest_case() -> Result {
    let mock = calculator()?;
    let server = mock.listen("127.0.0.1:0").await?;
    let error = total(server.url(), 1, 5).await.err().ok_or("it is refused")?;
    let text = error.to_string();
    assert!(text.contains("the nearest is \"Adds two numbers\""), "{text}");
    assert!(text.contains("/params/arguments/b: expected 2, got 5"), "{text}");
    Ok(())
}
