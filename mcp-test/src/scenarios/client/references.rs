//! The sources that official reports cite for the checks of clients.

references! {
    LIFECYCLE = "MCP-Lifecycle", "https://modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle";
    SEP_2243 = "SEP-2243-Standard-Headers", "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-request-headers";
    SEP_2575 = "SEP-2575", "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta";
    TOOLS = "MCP-Tools", "https://modelcontextprotocol.io/specification/2025-06-18/server/tools#calling-tools";
    SEP_1699 = "SEP-1699", "https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1699";
    SEP_1034 = "SEP-1034", "https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1034";
    SEP_2640_LAZY = "SEP-2640-Lazy-Retrieval", "https://modelcontextprotocol.io/seps/2640-skills-extension#integrity-and-verification";
    SEP_2640_VERIFICATION = "SEP-2640-Verification-On-Read", "https://modelcontextprotocol.io/seps/2640-skills-extension#integrity-and-verification";
}
