//! Two MCP servers on the official Rust SDK, for the tests beside them: a calculator, with what a first test needs, and
//! [`notes`], with everything else.
//!
//! | in `tests/` | shows |
//! |---|---|
//! | `first.rs` | the first test of the README |
//! | `calculator.rs` | first tests, under plain `cargo test`, in process; golden snapshots |
//! | `calculator_matrix.rs` | each revision over each transport as a test of its own, with the built-in scenarios |
//! | `calculator_port.rs` | a server at a URL |
//! | `notes/` | every assertion, by subject; handlers; parameters; setup and teardown |
//! | `cookbook.rs` | the recipes of the guide's cookbook |
//! | `conformance.rs` | the conformance test of an SDK for servers |
//! | `client_conformance.rs` | the conformance test of an SDK for clients |
//! | `scripted_server.rs` | a client against a server that does what the test says |
//! | `mocked.rs` | a client against a mock made from a contract |
//! | `contracts.rs`, `contracts_matrix.rs`, `contract_client.rs` | contracts in YAML, for a server and for a client |
//! | `guarded.rs` | a guard in front of a server |
//! | `side_by_side/` | the same tests with mcp-test and with the clients of other SDKs |

pub mod notes;

use axum::Router;
use rmcp::handler::server::router::prompt::PromptRouter;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorData, GetPromptResult, Implementation, ListResourcesResult,
    PaginatedRequestParams, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{
    RoleServer, ServerHandler, prompt, prompt_handler, prompt_router, schemars, tool, tool_handler,
    tool_router,
};
use serde::Deserialize;

/// The two numbers of every tool.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
pub struct Operands {
    /// The first number.
    a: f64,
    /// The second number.
    b: f64,
}

/// The argument of the prompt.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
pub struct Sum {
    /// The expression to work out, for example `2 + 2`.
    expression: String,
}

/// The server.
#[derive(Debug, Clone)]
pub struct Calculator {
    tool_router: ToolRouter<Self>,
    prompt_router: PromptRouter<Self>,
}

/// The only resource.
const CONSTANTS: &str = "calculator://constants";

impl Default for Calculator {
    fn default() -> Self {
        Self::new()
    }
}

#[tool_router]
impl Calculator {
    /// A calculator.
    #[must_use]
    pub fn new() -> Self {
        Self { tool_router: Self::tool_router(), prompt_router: Self::prompt_router() }
    }

    /// Adds two numbers.
    #[tool(name = "add", description = "Adds two numbers")]
    async fn add(&self, Parameters(Operands { a, b }): Parameters<Operands>) -> CallToolResult {
        CallToolResult::success(vec![ContentBlock::text((a + b).to_string())])
    }

    /// Divides two numbers. Division by zero is an error of the tool, not of the protocol, so that the model sees it.
    #[tool(name = "divide", description = "Divides the first number by the second")]
    async fn divide(&self, Parameters(Operands { a, b }): Parameters<Operands>) -> CallToolResult {
        if b == 0.0 {
            return CallToolResult::error(vec![ContentBlock::text("cannot divide by zero")]);
        }
        CallToolResult::success(vec![ContentBlock::text((a / b).to_string())])
    }
}

#[allow(
    missing_docs,
    reason = "rmcp writes a public function beside the prompt, without a doc comment"
)]
#[prompt_router]
impl Calculator {
    /// Asks for a calculation in small steps.
    #[prompt(name = "explain", description = "Asks to work something out step by step")]
    async fn explain(&self, Parameters(Sum { expression }): Parameters<Sum>) -> GetPromptResult {
        let text = format!("Work out {expression} with the calculator, and explain each step.");
        GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
    }
}

#[tool_handler(router = self.tool_router)]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for Calculator {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("calculator", env!("CARGO_PKG_VERSION")))
            .with_instructions("Adds and divides.")
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let constants = Resource::new(CONSTANTS, "constants").with_mime_type("text/plain");
        Ok(ListResourcesResult::with_all_items(vec![constants]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != CONSTANTS {
            let message = format!("there is no resource {}", request.uri);
            return Err(ErrorData::resource_not_found(message, None));
        }
        let text = ResourceContents::text("pi = 3.14159", CONSTANTS).with_mime_type("text/plain");
        Ok(ReadResourceResult::new(vec![text]).into())
    }
}

/// The calculator over Streamable HTTP, at `/mcp`.
pub fn calculator_router() -> Router {
    let service: StreamableHttpService<Calculator, LocalSessionManager> =
        StreamableHttpService::new(
            || Ok(Calculator::new()),
            LocalSessionManager::default().into(),
            // By default the SDK checks `Host`, but `Origin` only against a list that is given to it, and begins two streams of
            // a session with events of the same id.
            StreamableHttpServerConfig::default()
                .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*"])
                .with_sse_retry(None),
        );
    Router::new().nest_service("/mcp", service)
}
