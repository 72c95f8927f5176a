//! The contracts of the calculator under plain `cargo test`: each case of the files is a test of its own.

use mcp_test::prelude::*;
use mcp_test_examples::{Calculator, calculator_router};
use rmcp::ServiceExt;

mcp_test::target!(my_server);

fn my_server() -> Target {
    Target::duplex(|io| async move {
        Calculator::new().serve(io).await?.waiting().await?;
        Ok(())
    })
}

// The tests are called `contracts::calculator::adds_two_numbers` and so on, after the files and the cases in them.
mcp_test::cases!("contracts/*.yaml");

// The same cases over HTTP, without those about prompts.
mcp_test::cases!(
    "contracts/*.yaml",
    target = || Target::router(calculator_router),
    name = over_http,
    skip_tags = ["prompts"],
);
