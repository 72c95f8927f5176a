//! A client, tested against a server that does what each test tells it: the code under test asks a calculator for sums.

use std::time::Duration;

use mcp_test::Result;
use mcp_test::expect::object;
use mcp_test::prelude::json;
use mcp_test::server::{Answer, HttpListener, Server, given, method, param, steps};
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::StreamableHttpClientTransport;

/// The code under test: it adds two prices with the calculator, and does without if that fails.
async fn total(url: &str, first: u32, second: u32) -> Result<f64> {
    // Cargo unifies features: if another package of the workspace enables TLS, the client of rmcp needs a provider for it.
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = ().serve(StreamableHttpClientTransport::from_uri(url.to_owned())).await?;
    let prices = json!({"a": first, "b": second}).as_object().cloned().unwrap_or_default();
    let result = client.call_tool(CallToolRequestParams::new("add").with_arguments(prices)).await;
    client.cancel().await?;
    let Ok(result) = result else { return Ok(f64::from(first) + f64::from(second)) };
    let text = result.content.first().and_then(|content| content.as_text());
    Ok(text.ok_or("the calculator returned no text")?.text.parse()?)
}

async fn calculator() -> Result<(Server, HttpListener)> {
    let server = Server::new(json!({"name": "calculator", "version": "1.0.0"}));
    let listening = server.listen("127.0.0.1:0").await?;
    Ok((server, listening))
}

#[tokio::test]
async fn prices_are_added_up_by_one_call() -> Result {
    let (server, listening) = calculator().await?;
    let prices = object().member("a", 1).member("b", 2);
    server.mount(
        given(method("tools/call"))
            .and(param("/name", "add"))
            .and(param("/arguments", prices))
            .respond_with(json!({"content": [{"type": "text", "text": "3"}]}))
            .expect(1),
    );
    assert!((total(listening.url(), 1, 2).await? - 3.0).abs() < f64::EPSILON);
    server.assert_verified();
    Ok(())
}

#[tokio::test]
async fn an_answer_may_take_its_time() -> Result {
    let (server, listening) = calculator().await?;
    let sum = json!({"content": [{"type": "text", "text": "3"}]});
    let late = steps().progress(1, 2).delay(Duration::from_millis(50)).answer(sum);
    server.mount(given(method("tools/call")).respond_with(late));
    assert!((total(listening.url(), 1, 2).await? - 3.0).abs() < f64::EPSILON);
    Ok(())
}

#[tokio::test]
async fn without_the_calculator_the_client_adds_by_itself() -> Result {
    let (server, listening) = calculator().await?;
    server.mount(given(method("tools/call")).respond_with(Answer::error(-32603, "out of order")));
    assert!((total(listening.url(), 1, 2).await? - 3.0).abs() < f64::EPSILON);
    Ok(())
}
