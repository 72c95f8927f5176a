//! The sources that official reports cite for the checks of clients.

references! {
    LIFECYCLE = "MCP-Lifecycle", "https://modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle";
    SEP_2243 = "SEP-2243-Standard-Headers", "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-request-headers";
    SEP_2243_CUSTOM = "SEP-2243-Custom-Headers", "https://modelcontextprotocol.io/specification/draft/basic/transports#custom-headers-from-tool-parameters";
    SEP_2243_ENCODING = "SEP-2243-Value-Encoding", "https://modelcontextprotocol.io/specification/draft/basic/transports#value-encoding";
    SEP_2243_ANNOTATION = "SEP-2243-x-mcp-header", "https://modelcontextprotocol.io/specification/draft/server/tools#x-mcp-header";
    SEP_2322 = "SEP-2322-MRTR", "https://modelcontextprotocol.io/specification/draft/basic/utilities/mrtr";
    SEP_1613 = "SEP-1613", "https://github.com/modelcontextprotocol/specification/pull/655";
    SEP_2106 = "SEP-2106", "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2106";
    SEP_2575 = "SEP-2575", "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta";
    TOOLS = "MCP-Tools", "https://modelcontextprotocol.io/specification/2025-06-18/server/tools#calling-tools";
    SEP_1699 = "SEP-1699", "https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1699";
    SEP_1034 = "SEP-1034", "https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1034";
    SEP_2640_LAZY = "SEP-2640-Lazy-Retrieval", "https://modelcontextprotocol.io/seps/2640-skills-extension#integrity-and-verification";
    SEP_2640_VERIFICATION = "SEP-2640-Verification-On-Read", "https://modelcontextprotocol.io/seps/2640-skills-extension#integrity-and-verification";
}
