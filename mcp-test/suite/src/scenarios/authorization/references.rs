//! The sources that official reports cite for the checks of authorization servers.

references! {
    CIMD = "MCP-Client-ID-Metadata-Documents", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#client-id-metadata-documents";
    CODE_GRANT = "OAUTH-2.1-authorization-code-grant", "https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#section-4.1";
    IETF_CIMD = "IETF-OAuth-Client-ID-Metadata-Document", "https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document-00";
    METADATA_DISCOVERY = "MCP-Authorization-metadata-discovery", "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery";
}
