//! The sources that official reports cite for the checks of clients that sign in.

references! {
    ACCESS_TOKEN_USAGE = "MCP-Access-token-usage", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#access-token-usage";
    AUTHORIZATION_ENDPOINT = "OAUTH-2.1-authorization-endpoint", "https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#name-authorization-endpoint";
    CANONICAL_URI = "MCP-Canonical-Server-URI", "https://modelcontextprotocol.io/specification/draft/basic/authorization#canonical-server-uri";
    CIMD_DRAFT = "IETF-OAuth-Client-ID-Metadata-Document", "https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document-00";
    CIMD_PAGE = "MCP-Client-ID-Metadata-Documents", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#client-id-metadata-documents";
    METADATA_DISCOVERY = "MCP-Authorization-metadata-discovery", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery";
    PKCE = "MCP-PKCE-requirement", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-code-protection";
    PREREGISTRATION = "MCP-Preregistration", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#preregistration";
    PRM_DISCOVERY = "MCP-2025-06-18-PRM-discovery", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#protected-resource-metadata-discovery-requirements";
    REGISTRATION_PAGE = "MCP-Dynamic-client-registration", "https://modelcontextprotocol.io/specification/2025-11-25/basic/client#dynamic-client-registration";
    RESOURCE_PARAMETER = "MCP-Resource-Parameter-Implementation", "https://modelcontextprotocol.io/specification/draft/basic/authorization#resource-parameter-implementation";
    RFC_8414 = "RFC-8414-metadata-request", "https://www.rfc-editor.org/rfc/rfc8414.html#section-3.1";
    RFC_8707 = "RFC-8707-Resource-Indicators", "https://www.rfc-editor.org/rfc/rfc8707.html";
    RFC_9207 = "RFC-9207-iss-parameter", "https://www.rfc-editor.org/rfc/rfc9207.html#section-2";
    RFC_9728 = "RFC-9728", "https://www.rfc-editor.org/rfc/rfc9728.html#section-3.1";
    RFC_9728_IDENTITY = "RFC-9728-resource-identity", "https://www.rfc-editor.org/rfc/rfc9728.html#section-3.3";
    SCOPE_CHALLENGE = "MCP-Scope-challenge-handling", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#scope-challenge-handling";
    SCOPE_SELECTION = "MCP-Scope-selection-strategy", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#scope-selection-strategy";
    SEP_2207 = "SEP-2207-Refresh-Token-Guidance", "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2207";
    TOKEN_REQUEST = "OAUTH-2.1-token-request", "https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#name-token-request";
}
