//! The calculator over stdin and stdout, behind a guard, as during development.
//!
//! Standard error shows the messages that the guard rejected, the invalid ones that the calculator sent, and at the end how
//! much time the guard took.

use std::error::Error;

use mcp_test::guard::Guard;
use mcp_test_examples::Calculator;
use rmcp::ServiceExt;
use tokio::io::{join, stdin, stdout};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let guard = Guard::negotiated()
        .on_rejected(|message| eprintln!("{message}"))
        .judge_outgoing(|message| eprintln!("{message}"));
    let io = guard.io(join(stdin(), stdout()));
    Calculator::new().serve(io).await?.waiting().await?;
    eprintln!("{}", guard.stats());
    Ok(())
}
