//! The contracts of the calculator in a test target without libtest, beside scenarios in Rust and the built-in ones: the
//! tests of the cases have the names that they have in `contracts.rs`.

use mcp_test::prelude::*;
use mcp_test_examples::{Calculator, calculator_router};
use rmcp::ServiceExt;

mcp_test::main!();
mcp_test::target!(my_server);

fn my_server() -> Target {
    Target::duplex(|io| async move {
        Calculator::new().serve(io).await?.waiting().await?;
        Ok(())
    })
    .and_router(calculator_router)
}

// Over both transports: a case is still one test.
mcp_test::cases!("contracts/*.yaml", transports = [duplex, router], timeout = "10s");
