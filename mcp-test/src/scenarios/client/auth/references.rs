//! The sources that official reports cite for the checks of clients that sign in.

references! {
    ACCESS_TOKEN_USAGE = "MCP-Access-token-usage", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#access-token-usage";
    AUTHORIZATION_ENDPOINT = "OAUTH-2.1-authorization-endpoint", "https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#name-authorization-endpoint";
    CANONICAL_URI = "MCP-Canonical-Server-URI", "https://modelcontextprotocol.io/specification/draft/basic/authorization#canonical-server-uri";
    METADATA_DISCOVERY = "MCP-Authorization-metadata-discovery", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery";
    PKCE = "MCP-PKCE-requirement", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-code-protection";
    PRM_DISCOVERY = "MCP-2025-06-18-PRM-discovery", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#protected-resource-metadata-discovery-requirements";
    REGISTRATION_PAGE = "MCP-Dynamic-client-registration", "https://modelcontextprotocol.io/specification/2025-11-25/basic/client#dynamic-client-registration";
    RESOURCE_PARAMETER = "MCP-Resource-Parameter-Implementation", "https://modelcontextprotocol.io/specification/draft/basic/authorization#resource-parameter-implementation";
    RFC_8414 = "RFC-8414-metadata-request", "https://www.rfc-editor.org/rfc/rfc8414.html#section-3.1";
    RFC_8707 = "RFC-8707-Resource-Indicators", "https://www.rfc-editor.org/rfc/rfc8707.html";
    RFC_9728 = "RFC-9728", "https://www.rfc-editor.org/rfc/rfc9728.html#section-3.1";
    RFC_9728_IDENTITY = "RFC-9728-resource-identity", "https://www.rfc-editor.org/rfc/rfc9728.html#section-3.3";
    TOKEN_REQUEST = "OAUTH-2.1-token-request", "https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#name-token-request";
}
