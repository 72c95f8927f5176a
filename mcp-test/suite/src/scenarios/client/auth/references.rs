//! The sources that official reports cite for the checks of clients that sign in.

references! {
    ACCESS_TOKEN_USAGE = "MCP-Access-token-usage", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#access-token-usage";
    AUTHORIZATION_ENDPOINT = "OAUTH-2.1-authorization-endpoint", "https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#name-authorization-endpoint";
    CANONICAL_URI = "MCP-Canonical-Server-URI", "https://modelcontextprotocol.io/specification/draft/basic/authorization#canonical-server-uri";
    CIMD_DRAFT = "IETF-OAuth-Client-ID-Metadata-Document", "https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document-00";
    CIMD_PAGE = "MCP-Client-ID-Metadata-Documents", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#client-id-metadata-documents";
    CLIENT_CREDENTIALS_GRANT = "OAUTH-2.1-client-credentials-grant", "https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#section-4.2";
    DPOP_EXTENSION = "MCP-DPoP-Extension", "https://github.com/modelcontextprotocol/ext-auth/blob/pieterkas-dpop-extension/specification/draft/dpop-extension.mdx";
    METADATA_DISCOVERY = "MCP-Authorization-metadata-discovery", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery";
    PKCE = "MCP-PKCE-requirement", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-code-protection";
    PREREGISTRATION = "MCP-Preregistration", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#preregistration";
    PRM_DISCOVERY = "MCP-2025-06-18-PRM-discovery", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#protected-resource-metadata-discovery-requirements";
    REGISTRATION_PAGE = "MCP-Dynamic-client-registration", "https://modelcontextprotocol.io/specification/2025-11-25/basic/client#dynamic-client-registration";
    RESOURCE_PARAMETER = "MCP-Resource-Parameter-Implementation", "https://modelcontextprotocol.io/specification/draft/basic/authorization#resource-parameter-implementation";
    RFC_7523_CLIENT = "RFC-7523-JWT-Client-Auth", "https://datatracker.ietf.org/doc/html/rfc7523#section-2.2";
    RFC_7523_GRANT = "RFC-7523-JWT-Bearer-Grant", "https://datatracker.ietf.org/doc/html/rfc7523";
    RFC_8414 = "RFC-8414-metadata-request", "https://www.rfc-editor.org/rfc/rfc8414.html#section-3.1";
    RFC_8693 = "RFC-8693-Token-Exchange", "https://datatracker.ietf.org/doc/html/rfc8693";
    RFC_8707 = "RFC-8707-Resource-Indicators", "https://www.rfc-editor.org/rfc/rfc8707.html";
    RFC_9207 = "RFC-9207-iss-parameter", "https://www.rfc-editor.org/rfc/rfc9207.html#section-2";
    RFC_9449_CHECKS = "RFC-9449-checking-dpop-proofs", "https://www.rfc-editor.org/rfc/rfc9449.html#section-4.3";
    RFC_9449_RESOURCE_NONCE = "RFC-9449-resource-server-provided-nonce", "https://www.rfc-editor.org/rfc/rfc9449.html#section-9";
    RFC_9449_SCHEME = "RFC-9449-dpop-authentication-scheme", "https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1";
    RFC_9449_SERVER_NONCE = "RFC-9449-authorization-server-provided-nonce", "https://www.rfc-editor.org/rfc/rfc9449.html#section-8";
    RFC_9449_SYNTAX = "RFC-9449-dpop-proof-jwt-syntax", "https://www.rfc-editor.org/rfc/rfc9449.html#section-4.2";
    RFC_9449_TOKEN = "RFC-9449-dpop-access-token-request", "https://www.rfc-editor.org/rfc/rfc9449.html#section-5";
    RFC_9728 = "RFC-9728", "https://www.rfc-editor.org/rfc/rfc9728.html#section-3.1";
    RFC_9728_IDENTITY = "RFC-9728-resource-identity", "https://www.rfc-editor.org/rfc/rfc9728.html#section-3.3";
    SCOPE_CHALLENGE = "MCP-Scope-challenge-handling", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#scope-challenge-handling";
    SCOPE_SELECTION = "MCP-Scope-selection-strategy", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#scope-selection-strategy";
    SEP_1046 = "SEP-1046-Client-Credentials", "https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/oauth-client-credentials.mdx";
    SEP_1932 = "SEP-1932-DPoP", "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/1932";
    SEP_1933 = "SEP-1933-Workload-Identity-Federation", "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/1933";
    SEP_2207 = "SEP-2207-Refresh-Token-Guidance", "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2207";
    SEP_990 = "SEP-990-Enterprise-Managed-OAuth", "https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/enterprise-managed-authorization.mdx";
    TOKEN_REQUEST = "OAUTH-2.1-token-request", "https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#name-token-request";
}
