//! The URL of a specification page at a given revision, although pages and sections have moved between revisions.

use super::{Revision, Revisions};

const SITE: &str = "https://modelcontextprotocol.io";
const SOURCE: &str = "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main";
const EXT_AUTH: &str = "https://github.com/modelcontextprotocol/ext-auth/blob/main";

/// Sections that have moved: the current page, the last revision before the move, and the page until then.
#[rustfmt::skip]
const MOVED: &[(&str, Revision, &str)] = &[
    ("basic/index#messages", Revision::V2024_11_05, "basic/messages"),
    ("basic/index#requests", Revision::V2024_11_05, "basic/messages#requests"),
    ("basic/index#responses", Revision::V2024_11_05, "basic/messages#responses"),
    ("basic/index#result-responses", Revision::V2024_11_05, "basic/messages#responses"),
    ("basic/index#error-responses", Revision::V2024_11_05, "basic/messages#responses"),
    ("basic/index#error-codes", Revision::V2024_11_05, "basic/messages#responses"),
    ("basic/index#notifications", Revision::V2024_11_05, "basic/messages#notifications"),
    ("basic/index#meta", Revision::V2025_03_26, "schema"),
    ("basic/index#result-responses", Revision::V2025_06_18, "basic/index#responses"),
    ("basic/index#error-responses", Revision::V2025_06_18, "basic/index#responses"),
    ("basic/index#error-codes", Revision::V2025_06_18, "basic/index#responses"),
    ("basic/index#error-codes", Revision::V2025_11_25, "basic/index#error-responses"),
    ("basic/patterns/cancellation#timeouts", Revision::V2025_11_25, "basic/lifecycle#timeouts"),
    ("basic/transports/index#messages", Revision::V2025_11_25, "basic/transports"),
    ("basic/transports/stdio#shutdown", Revision::V2025_11_25, "basic/lifecycle#stdio"),
    ("basic/transports/streamable-http#security-endpoint", Revision::V2025_11_25, "basic/transports#security-warning"),
    ("basic/transports/streamable-http#sending-messages", Revision::V2025_11_25, "basic/transports#sending-messages-to-the-server"),
    ("basic/transports/streamable-http#receiving-messages", Revision::V2025_11_25, "basic/transports#sending-messages-to-the-server"),
    ("basic/transports/streamable-http#http-sse-transport-2024-11-05", Revision::V2025_11_25, "basic/transports#backwards-compatibility"),
    ("client/elicitation#elicitation-requests", Revision::V2025_06_18, "client/elicitation#creating-elicitation-requests"),
    ("client/elicitation#form-mode-elicitation-requests", Revision::V2025_06_18, "client/elicitation#creating-elicitation-requests"),
    ("client/elicitation#requested-schema", Revision::V2025_06_18, "client/elicitation#request-schema"),
    ("client/elicitation#form-mode-security", Revision::V2025_06_18, "client/elicitation#security-considerations"),
    ("docs/tutorials/security/security_best_practices#state-handle-hijacking", Revision::V2025_11_25, "docs/tutorials/security/security_best_practices#session-hijacking"),
];

/// The URL of a page, with an optional `#anchor`, at `revision`.
///
/// Pages are named as in the newest revision that has them; the URL is that of the page with the same text at `revision`.
/// Proposals and extensions have one URL for all revisions.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::{self, Revision};
///
/// assert_eq!(
///     spec::url("basic/patterns/progress#progress-flow", Revision::V2025_06_18),
///     "https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/progress#progress-flow",
/// );
/// ```
#[doc(hidden)]
pub fn url(page: &str, revision: Revision) -> String {
    // The rows of a page are in the order of the revisions, so the first match is the nearest move after `revision`.
    let moved = MOVED.iter().find(|(newest, last, _)| *newest == page && revision <= *last);
    let page = moved.map_or(page, |(_, _, older)| older);
    let (path, anchor) = match page.split_once('#') {
        Some((path, anchor)) => (path, format!("#{anchor}")),
        None => (page, String::new()),
    };
    if let Some(url) = undated(path, revision) {
        return format!("{url}{anchor}");
    }
    // The documentation has a copy for each revision beside the specification.
    if let Some(path) = path.strip_prefix("docs/") {
        return format!("{SITE}/docs/{revision}/{path}{anchor}");
    }
    let path = path_at(path, revision);
    // The site serves `basic/index` as `basic`.
    let path = path.strip_suffix("/index").unwrap_or(path);
    format!("{SITE}/specification/{revision}/{path}{anchor}")
}

/// The URL of a page at `revision`, or at the newest of `revisions` if that is not among them.
pub(super) fn url_within(page: &str, revisions: Revisions, revision: Revision) -> String {
    if revisions.contains(revision) {
        url(page, revision)
    } else {
        url(page, revisions.newest().unwrap_or(revision))
    }
}

/// The URL of pages outside the dated revisions: proposals, extensions, and the schema before it had a page.
fn undated(path: &str, revision: Revision) -> Option<String> {
    // The newest revision moved tasks out of the core into an extension, which only the proposal describes.
    if path == "basic/utilities/tasks" && revision > Revision::V2025_11_25 {
        return undated("seps/2663", revision);
    }
    // The site has no schema page for older revisions.
    if path == "schema" && revision < Revision::V2025_06_18 {
        return Some(format!("{SOURCE}/schema/{revision}/schema.ts"));
    }
    if let Some(file) = path.strip_prefix("ext-auth/") {
        return Some(format!("{EXT_AUTH}/{file}.mdx"));
    }
    if path.starts_with("extensions/") {
        return Some(format!("{SITE}/{path}"));
    }
    // The site names the page of a proposal by its number and title.
    let proposal = path.strip_prefix("seps/")?;
    let name = match proposal {
        "985" => "985-align-oauth-20-protected-resource-metadata-with-rf",
        "2468" => "2468-recommend-issuer-claim-for-auth",
        "2640" => "2640-skills-extension",
        "2663" => "2663-tasks-extension",
        other => other,
    };
    Some(format!("{SITE}/seps/{name}"))
}

/// The path at `revision` of the page that the newest revision has at `path`.
fn path_at(path: &str, revision: Revision) -> &str {
    // 2026-07-28 has no lifecycle: what is left of it is the agreement on a version.
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
    fn sections_are_found_where_the_revision_keeps_them() {
        let end = |page: &str, revision| {
            let address = url(page, revision);
            let start = format!("https://modelcontextprotocol.io/specification/{revision}/");
            address.strip_prefix(&start).map(str::to_owned)
        };
        for (revision, place) in [
            (Revision::V2024_11_05, "basic/messages#responses"),
            (Revision::V2025_03_26, "basic#responses"),
            (Revision::V2025_06_18, "basic#responses"),
            (Revision::V2025_11_25, "basic#error-responses"),
            (Revision::V2026_07_28, "basic#error-codes"),
        ] {
            assert_eq!(end("basic/index#error-codes", revision).as_deref(), Some(place));
        }
    }

    #[test]
    fn the_documentation_has_a_page_for_each_revision() {
        let page = "docs/tutorials/security/security_best_practices";
        let site = "https://modelcontextprotocol.io/docs";
        let handles = format!("{page}#state-handle-hijacking");
        assert_eq!(
            url(&handles, Revision::V2025_11_25),
            format!(
                "{site}/2025-11-25/tutorials/security/security_best_practices#session-hijacking"
            )
        );
        assert_eq!(
            url(&handles, Revision::V2026_07_28),
            format!(
                "{site}/2026-07-28/tutorials/security/security_best_practices#state-handle-hijacking"
            )
        );
    }

    #[test]
    fn a_page_missing_at_a_revision_is_linked_where_it_exists() {
        let sessions = Revisions::until(Revision::V2025_11_25);
        assert_eq!(
            url_within("basic/utilities/ping", sessions, Revision::V2026_07_28),
            url("basic/utilities/ping", Revision::V2025_11_25)
        );
        assert_eq!(
            url_within("basic/utilities/ping", sessions, Revision::V2025_03_26),
            url("basic/utilities/ping", Revision::V2025_03_26)
        );
    }

    #[test]
    fn proposals_and_extensions_have_one_url() {
        let newest = |page: &str| url(page, Revision::NEWEST);
        assert_eq!(
            newest("seps/2663#task-polling"),
            "https://modelcontextprotocol.io/seps/2663-tasks-extension#task-polling"
        );
        assert_eq!(
            newest("basic/utilities/tasks"),
            "https://modelcontextprotocol.io/seps/2663-tasks-extension"
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
            url("basic/index#error-codes", Revision::V2026_07_28),
            "https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes"
        );
    }
}
