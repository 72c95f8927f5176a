//! A server on the official Rust SDK over Streamable HTTP, with the fixtures of `everything.py`.

use axum::Router;
use rmcp::handler::server::router::prompt::PromptRouter;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorData, GetPromptResult, ListResourcesResult,
    PaginatedRequestParams, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{
    RoleServer, ServerHandler, prompt, prompt_handler, prompt_router, tool, tool_handler,
    tool_router,
};

/// The server at `/mcp`, as the SDK configures it by default.
pub(super) fn router() -> Router {
    let service: StreamableHttpService<Fixtures, LocalSessionManager> = StreamableHttpService::new(
        || Ok(Fixtures::new()),
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default(),
    );
    Router::new().nest_service("/mcp", service)
}

#[derive(Debug, Clone)]
struct Fixtures {
    tool_router: ToolRouter<Self>,
    prompt_router: PromptRouter<Self>,
}

const STATIC_TEXT: &str = "test://static-text";

#[tool_router]
impl Fixtures {
    fn new() -> Self {
        Self { tool_router: Self::tool_router(), prompt_router: Self::prompt_router() }
    }

    #[tool(name = "test_simple_text", description = "Returns a fixed text")]
    async fn simple_text(&self) -> CallToolResult {
        let text = "This is a simple text response for testing.";
        CallToolResult::success(vec![ContentBlock::text(text)])
    }

    #[tool(name = "test_error_handling", description = "Always fails")]
    async fn error_handling(&self) -> CallToolResult {
        let text = "This tool intentionally returns an error for testing";
        CallToolResult::error(vec![ContentBlock::text(text)])
    }
}

#[prompt_router]
impl Fixtures {
    #[prompt(name = "test_simple_prompt", description = "A prompt without arguments")]
    async fn simple_prompt(&self) -> GetPromptResult {
        let text = "This is a simple prompt for testing.";
        GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
    }
}

#[tool_handler(router = self.tool_router)]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder();
        ServerConfig::new(capabilities.enable_tools().enable_resources().enable_prompts().build())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let text = Resource::new(STATIC_TEXT, "static-text").with_mime_type("text/plain");
        Ok(ListResourcesResult::with_all_items(vec![text]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != STATIC_TEXT {
            return Err(ErrorData::resource_not_found("there is no such resource", None));
        }
        let text = "This is the content of the static text resource.";
        let text = ResourceContents::text(text, STATIC_TEXT).with_mime_type("text/plain");
        Ok(ReadResourceResult::new(vec![text]).into())
    }
}
