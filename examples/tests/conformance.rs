//! A server on the official Rust SDK with the fixtures that the official scenarios ask for, and no test but these
//! scenarios, at every revision over both transports in process. An SDK's own conformance test looks like this.

use mcp_test::prelude::*;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorData, ListResourcesResult, PaginatedRequestParams,
    PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{
    RoleServer, ServerHandler, ServiceExt, prompt, prompt_handler, prompt_router, tool,
    tool_handler, tool_router,
};

mcp_test::main!(mcp_test::conformance(my_server).baseline("tests/conformance.yml"));

fn my_server() -> Target {
    Target::service(|| {
        let sessions = LocalSessionManager::default();
        let config =
            StreamableHttpServerConfig::default().with_allowed_origins(["http://localhost:*"]);
        // Otherwise rmcp begins two streams of a session with events of the same id.
        let config = config.with_sse_retry(None);
        StreamableHttpService::new(|| Ok(Server), sessions.into(), config)
    })
    .and_duplex(|io| async move {
        Server.serve(io).await?.waiting().await?;
        Ok(())
    })
}

#[derive(Clone)]
struct Server;

#[tool_router]
impl Server {
    /// Returns a fixed text.
    #[tool(name = "test_simple_text")]
    async fn simple_text(&self) -> CallToolResult {
        CallToolResult::success(vec![ContentBlock::text(
            "This is a simple text response for testing.",
        )])
    }

    /// Always fails.
    #[tool(name = "test_error_handling")]
    async fn error_handling(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(
            "This tool intentionally returns an error for testing",
        )])
    }
}

#[prompt_router]
impl Server {
    /// A prompt without arguments.
    #[prompt(name = "test_simple_prompt")]
    async fn simple_prompt(&self) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, "This is a simple prompt for testing.")]
    }
}

const STATIC_TEXT: &str = "test://static-text";

#[tool_handler(router = Self::tool_router())]
#[prompt_handler(router = Self::prompt_router())]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_resources()
                .enable_prompts()
                .build(),
        )
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let text = Resource::new(STATIC_TEXT, "static-text").with_mime_type("text/plain");
        Ok(ListResourcesResult::with_all_items(vec![text]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != STATIC_TEXT {
            return Err(ErrorData::resource_not_found("no such resource", None));
        }
        let text = "This is the content of the static text resource.";
        let contents = ResourceContents::text(text, STATIC_TEXT).with_mime_type("text/plain");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
