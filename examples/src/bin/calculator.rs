//! The calculator as a program that speaks MCP over stdin and stdout.

use std::env;
use std::error::Error;

use mcp_test_examples::Calculator;
use rmcp::ServiceExt;
use rmcp::transport::stdio;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if env::args().any(|argument| argument == "--verbose") {
        eprintln!("serving over stdin and stdout");
    }
    Calculator::new().serve(stdio()).await?.waiting().await?;
    Ok(())
}
