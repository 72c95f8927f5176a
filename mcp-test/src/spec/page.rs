//! Where a page of the specification stands on the web at a given revision. Pages have moved; this file knows how.

use super::Revision;

const SITE: &str = "https://modelcontextprotocol.io";
const SOURCE: &str = "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main";
const EXT_AUTH: &str = "https://github.com/modelcontextprotocol/ext-auth/blob/main";

/// The address of a page, which may carry an `#anchor`, at `revision`.
///
/// Pages are named as in the newest revision that has them. Where an older revision keeps the same text on another
/// page, the address is that page's. Proposals and extensions have one address for all revisions.
///
/// ```
/// use mcp_test::spec::{self, Revision};
///
/// assert_eq!(
///     spec::url("basic/patterns/progress#progress-flow", Revision::V2025_06_18),
///     "https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/progress#progress-flow",
/// );
/// ```
pub fn url(page: &str, revision: Revision) -> String {
    let (path, anchor) = match page.split_once('#') {
        Some((path, anchor)) => (path, format!("#{anchor}")),
        None => (page, String::new()),
    };
    if let Some(address) = outside(path, revision) {
        return format!("{address}{anchor}");
    }
    let path = located(path, revision);
    let path = path.strip_suffix("/index").unwrap_or(path);
    format!("{SITE}/specification/{revision}/{path}{anchor}")
}

/// The address of what is not a page of one revision: proposals, extensions, and the schema before it had a page.
fn outside(path: &str, revision: Revision) -> Option<String> {
    if path == "schema" && revision < Revision::V2025_06_18 {
        return Some(format!("{SOURCE}/schema/{revision}/schema.ts"));
    }
    if let Some(file) = path.strip_prefix("ext-auth/") {
        return Some(format!("{EXT_AUTH}/{file}.mdx"));
    }
    if path.starts_with("extensions/") {
        return Some(format!("{SITE}/{path}"));
    }
    let proposal = path.strip_prefix("seps/")?;
    let name = match proposal {
        "985" => "985-align-oauth-20-protected-resource-metadata-with-rf",
        "2468" => "2468-recommend-issuer-claim-for-auth",
        "2663" => "2663-tasks-extension",
        other => other,
    };
    Some(format!("{SITE}/seps/{name}"))
}

/// The path at `revision` of the page that the newest revision has at `path`.
fn located(path: &str, revision: Revision) -> &str {
    if revision >= Revision::V2026_07_28 {
        return match path {
            "basic/lifecycle" => "basic/versioning",
            other => other,
        };
    }
    match path {
        "basic/versioning" => "basic/lifecycle",
        "basic/patterns/cancellation" => "basic/utilities/cancellation",
        "basic/patterns/progress" => "basic/utilities/progress",
        "basic/transports/index"
        | "basic/transports/stdio"
        | "basic/transports/streamable-http" => "basic/transports",
        other if other.starts_with("basic/authorization/") => "basic/authorization",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_found_where_the_revision_keeps_them() {
        let shown = |page: &str| Revision::ALL.map(|revision| url(page, revision)).join("\n");
        insta::assert_snapshot!(shown("basic/transports/streamable-http#session-management"), @r"
        https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#session-management
        https://modelcontextprotocol.io/specification/2025-03-26/basic/transports#session-management
        https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#session-management
        https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
        https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#session-management
        ");
        insta::assert_snapshot!(shown("schema#tool"), @r"
        https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/schema.ts#tool
        https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2025-03-26/schema.ts#tool
        https://modelcontextprotocol.io/specification/2025-06-18/schema#tool
        https://modelcontextprotocol.io/specification/2025-11-25/schema#tool
        https://modelcontextprotocol.io/specification/2026-07-28/schema#tool
        ");
    }

    #[test]
    fn proposals_and_extensions_have_one_address() {
        let newest = |page: &str| url(page, Revision::NEWEST);
        assert_eq!(
            newest("seps/2663#task-polling"),
            "https://modelcontextprotocol.io/seps/2663-tasks-extension#task-polling"
        );
        assert_eq!(
            newest("extensions/tasks/overview"),
            "https://modelcontextprotocol.io/extensions/tasks/overview"
        );
        assert_eq!(
            newest("ext-auth/specification/draft/oauth-client-credentials#x"),
            "https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/oauth-client-credentials.mdx#x"
        );
        assert_eq!(
            newest("basic/index#error-codes"),
            "https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes"
        );
    }
}
