//! The calculator behind a port of this machine: every built-in scenario that applies, over a real network connection.

use std::net::TcpListener;
use std::sync::LazyLock;

use mcp_test::prelude::*;
use mcp_test_examples::calculator_router;

mcp_test::main!(mcp_test::conformance(my_server).baseline("tests/calculator_port.yml"));

/// The address at which the server listens until the tests are over.
static ADDRESS: LazyLock<String> = LazyLock::new(|| {
    // Port 0 picks a free one, so that tests in parallel do not take each other's.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound").to_string();
    listener.set_nonblocking(true).expect("tokio requires it");
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(listener, calculator_router()).await
        })
    });
    address
});

fn my_server() -> Target {
    Target::url(format!("http://{}/mcp", *ADDRESS))
}
