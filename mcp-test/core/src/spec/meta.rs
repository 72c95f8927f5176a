//! The keys of `_meta` that MCP reserves.
//!
//! From [2025-06-18](https://modelcontextprotocol.io/specification/2025-06-18/basic#meta) on keys have a form and a
//! reserved prefix; the request fields and [`SERVER_INFO`] were added by
//! [2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28/basic#meta).

/// Requests progress notifications for a request, and identifies the request in them. All revisions.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// The revision of a request; required on every request. 2026-07-28.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The client's capabilities for the request; required on every request. 2026-07-28.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Name and version of the client; expected on every request. 2026-07-28.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// Name and version of the server; expected on every result. 2026-07-28.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The least severe log message that the server may send for the request; no log messages without it. 2026-07-28.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The `subscriptions/listen` request that a notification belongs to. 2026-07-28.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// The task that a message belongs to. 2025-11-25.
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// What a host may pass to its model while a task is still running. 2025-11-25.
pub const MODEL_IMMEDIATE_RESPONSE: &str = "io.modelcontextprotocol/model-immediate-response";

/// The W3C trace context of the caller. 2026-07-28.
pub const TRACEPARENT: &str = "traceparent";

/// The vendors' part of the W3C trace context. 2026-07-28.
pub const TRACESTATE: &str = "tracestate";

/// W3C baggage. 2026-07-28.
pub const BAGGAGE: &str = "baggage";

/// The keys that every request of 2026-07-28 must carry.
pub const REQUIRED_ON_REQUESTS: [&str; 2] = [PROTOCOL_VERSION, CLIENT_CAPABILITIES];

/// Whether a key has the form that the specification prescribes from 2025-06-18 on: an optional prefix of labels that are joined by
/// dots and followed by a slash, and a name.
#[cfg(any(test, feature = "suite"))]
pub fn is_key(key: &str) -> bool {
    let (prefix, name) = parts(key);
    prefix.is_none_or(|prefix| !prefix.is_empty() && prefix.split('.').all(is_label))
        && is_name(name)
}

/// The prefix of a key, without its slash, and the name.
pub fn parts(key: &str) -> (Option<&str>, &str) {
    match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    }
}

/// Whether text is a label of a prefix: a letter first, a letter or digit last, hyphens only between.
pub fn is_label(label: &str) -> bool {
    label.starts_with(|first: char| first.is_ascii_alphabetic())
        && label.ends_with(|last: char| last.is_ascii_alphanumeric())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Whether text is the name of a key, which may be empty after a prefix.
pub(crate) fn is_name(name: &str) -> bool {
    name.is_empty()
        || name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name.ends_with(|last: char| last.is_ascii_alphanumeric())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_form_of_the_specification() {
        for key in ["a", "progressToken", "com.example/a_b.c", "a-b.c1/x", SERVER_INFO, "a/"] {
            assert!(is_key(key), "{key}");
        }
        for key in
            ["/a", "com..example/x", "1com/x", "com.example-/x", "com/_x", "com/a b", "a/b/c"]
        {
            assert!(!is_key(key), "{key}");
        }
    }
}
