//! The calculator as a program that speaks MCP over stdin and stdout.

use std::error::Error;

use mcp_test_examples::Calculator;
use rmcp::ServiceExt;
use rmcp::transport::stdio;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    Calculator::new().serve(stdio()).await?.waiting().await?;
    Ok(())
}
