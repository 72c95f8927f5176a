//! The calculator over its standard input and output again, with a guard before it while it is being developed.
//!
//! On standard error it says what the guard has kept from the calculator, what the calculator itself said wrongly, and in the
//! end what it cost.

use std::error::Error;

use mcp_test::guard::Guard;
use mcp_test_examples::Calculator;
use rmcp::ServiceExt;
use tokio::io::{join, stdin, stdout};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let guard = Guard::negotiated()
        .on_rejected(|flaw| eprintln!("{flaw}"))
        .judge_outgoing(|flaw| eprintln!("{flaw}"));
    let io = guard.io(join(stdin(), stdout()));
    Calculator::new().serve(io).await?.waiting().await?;
    eprintln!("{}", guard.counter());
    Ok(())
}
