//! The sources that official reports cite for the checks of servers.

references! {
    INITIALIZE = "MCP-Initialize", "https://modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle#initialization";
    SESSION = "MCP-Session-Management", "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management";
    LOGGING = "MCP-Logging", "https://modelcontextprotocol.io/specification/2025-06-18/server/utilities/logging";
    DNS_REBINDING = "MCP-DNS-Rebinding-Protection", "https://modelcontextprotocol.io/specification/2025-11-25/basic/security_best_practices#local-mcp-server-compromise";
    TRANSPORT_SECURITY = "MCP-Transport-Security", "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning";
    SEP_1699 = "SEP-1699", "https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1699";
    SEP_2575 = "SEP-2575", "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2575";
    SEP_2243_VALIDATION = "SEP-2243-Server-Validation", "https://modelcontextprotocol.io/specification/draft/basic/transports#server-validation";
    SEP_2243_CASE = "SEP-2243-Case-Sensitivity", "https://modelcontextprotocol.io/specification/draft/basic/transports#case-sensitivity";
    SEP_2243_CUSTOM = "SEP-2243-Custom-Headers", "https://modelcontextprotocol.io/specification/draft/basic/transports#custom-headers-from-tool-parameters";
    SEP_2243_ENCODING = "SEP-2243-Value-Encoding", "https://modelcontextprotocol.io/specification/draft/basic/transports#value-encoding";
    RFC_9110_VALUES = "RFC-9110-5.5-Field-Values", "https://www.rfc-editor.org/rfc/rfc9110#section-5.5";
    SEP_1034 = "SEP-1034", "https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1034";
    SEP_1330 = "SEP-1330", "https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1330";
    SEP_1613 = "SEP-1613", "https://github.com/modelcontextprotocol/specification/pull/655";
    SEP_2106 = "SEP-2106", "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2106";
    CACHING = "MCP-Caching", "https://modelcontextprotocol.io/specification/draft/server/utilities/caching";
    SEP_2549 = "SEP-2549", "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2549";
    PING = "MCP-Ping", "https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/ping";
    COMPLETION = "MCP-Completion", "https://modelcontextprotocol.io/specification/2025-06-18/server/utilities/completion";
    TOOLS_LIST = "MCP-Tools-List", "https://modelcontextprotocol.io/specification/2025-06-18/server/tools#listing-tools";
    TOOL_NAMES = "MCP-Tool-Names", "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names";
    TOOL_NAMES_DRAFT = "MCP-Tool-Names-Draft", "https://modelcontextprotocol.io/specification/draft/server/tools#tool-names";
    SEP_986_HISTORY = "SEP-986-History", "https://github.com/modelcontextprotocol/modelcontextprotocol/issues/986";
    SEP_986_INTEGRATION = "SEP-986-Spec-Integration", "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/1603";
    TOOLS_ORDER = "MCP-Tools-Deterministic-Order", "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities";
    TOOLS_CALL = "MCP-Tools-Call", "https://modelcontextprotocol.io/specification/2025-06-18/server/tools#calling-tools";
    ERROR_HANDLING = "MCP-Error-Handling", "https://modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle";
    PROGRESS = "MCP-Progress", "https://modelcontextprotocol.io/specification/2025-06-18/server/utilities/progress";
    SAMPLING = "MCP-Sampling", "https://modelcontextprotocol.io/specification/2025-06-18/server/utilities/sampling";
    ELICITATION = "MCP-Elicitation", "https://modelcontextprotocol.io/specification/2025-06-18/server/utilities/elicitation";
    RESOURCES_LIST = "MCP-Resources-List", "https://modelcontextprotocol.io/specification/2025-06-18/server/resources#listing-resources";
    RESOURCES_READ = "MCP-Resources-Read", "https://modelcontextprotocol.io/specification/2025-06-18/server/resources#reading-resources";
    TEMPLATES = "MCP-Resources-Templates", "https://modelcontextprotocol.io/specification/2025-06-18/server/resources#resource-templates";
    SUBSCRIBE = "MCP-Resources-Subscribe", "https://modelcontextprotocol.io/specification/2025-06-18/server/resources#resource-subscriptions";
    UNSUBSCRIBE = "MCP-Resources-Subscribe", "https://modelcontextprotocol.io/specification/2025-06-18/schema#unsubscriberequest";
    SEP_2164 = "SEP-2164", "https://modelcontextprotocol.io/specification/draft/server/resources#error-handling";
    SEP_2640 = "SEP-2640", "https://modelcontextprotocol.io/seps/2640-skills-extension#specification";
    PROMPTS_LIST = "MCP-Prompts-List", "https://modelcontextprotocol.io/specification/2025-06-18/server/prompts#listing-prompts";
    PROMPTS_GET = "MCP-Prompts-Get", "https://modelcontextprotocol.io/specification/2025-06-18/server/prompts#getting-prompts";
    PROMPTS_EMBEDDED = "MCP-Prompts-Embedded-Resources", "https://modelcontextprotocol.io/specification/2025-06-18/server/prompts#embedded-resources";
    PROMPTS_IMAGE = "MCP-Prompts-Image", "https://modelcontextprotocol.io/specification/2025-06-18/server/prompts#image-content";
}
