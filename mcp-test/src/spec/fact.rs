//! What sets the revisions apart, beyond their methods, capabilities and error codes: one table.
//!
//! A row becomes a method of [`Revision`] and an entry of [`FACTS`].

use super::{Revision, Revisions};

/// A feature of the protocol, and the revisions that have it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Fact {
    /// The name of the method of [`Revision`] that tells it.
    pub name: &'static str,
    /// The revisions of which it is true.
    pub revisions: Revisions,
    /// The text that says so: revision, page and anchor.
    pub page: &'static str,
}

macro_rules! facts {
    ($($(#[doc = $doc:literal])+ $name:ident: $revisions:expr, $page:literal;)+) => {
        /// What sets the revisions apart.
        impl Revision {
            $(
                $(#[doc = $doc])+
                #[doc = ""]
                #[doc = concat!("[Specification](https://modelcontextprotocol.io/specification/", $page, ")")]
                pub const fn $name(self) -> bool {
                    const REVISIONS: Revisions = $revisions;
                    REVISIONS.contains(self)
                }
            )+
        }

        /// All facts that [`Revision`] has a method for.
        pub const FACTS: &[Fact] = &[
            $(Fact { name: stringify!($name), revisions: $revisions, page: $page },)+
        ];
    };
}

const FROM_2025_03_26: Revisions = Revisions::from(Revision::V2025_03_26);
const FROM_2025_06_18: Revisions = Revisions::from(Revision::V2025_06_18);
const FROM_2025_11_25: Revisions = Revisions::from(Revision::V2025_11_25);
const HANDSHAKE: Revisions = Revisions::until(Revision::V2025_11_25);
const STATELESS: Revisions = Revisions::only(Revision::V2026_07_28);
const WITH_SESSIONS: Revisions = Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25);

facts! {
    /// Whether a connection starts with `initialize` and `notifications/initialized`.
    has_handshake: HANDSHAKE, "2025-11-25/basic/lifecycle#initialization";
    /// Whether every request carries its revision and the client's capabilities in `_meta`.
    has_request_meta: STATELESS, "2026-07-28/basic#meta";
    /// Whether the server sends requests of its own to the client.
    has_server_requests: HANDSHAKE, "2025-11-25/basic#requests";
    /// Whether a server asks for input inside of results, which the client answers by repeating the request.
    has_input_requests: STATELESS, "2026-07-28/basic/patterns/mrtr";
    /// Whether change notifications come on the stream of a `subscriptions/listen` request, and only those asked for.
    has_listen: STATELESS, "2026-07-28/basic/patterns/subscriptions";
    /// Whether every result has a `resultType`.
    has_result_type: STATELESS, "2026-07-28/basic#resulttype";
    /// Whether results of cacheable methods have `ttlMs` and `cacheScope`; see [`Method::cacheable`](super::Method).
    has_cacheable_results: STATELESS, "2026-07-28/server/utilities/caching#cacheable-results";
    /// Whether several messages may travel as one JSON array.
    has_batches: Revisions::only(Revision::V2025_03_26), "2025-03-26/basic#batching";
    /// Whether an error reply may come without an id, where the request's could not be read.
    ///
    /// Before, the id was required by the schema, which left only the `null` of JSON-RPC.
    has_errors_without_id: FROM_2025_11_25, "2025-11-25/basic#error-responses";
    /// Whether log messages are asked for request by request, instead of once by `logging/setLevel`.
    has_log_level_per_request: STATELESS, "2026-07-28/server/utilities/logging#per-request-log-level";
    /// Whether `traceparent`, `tracestate` and `baggage` have a meaning in `_meta`.
    has_trace_context: STATELESS, "2026-07-28/basic#meta";

    /// Whether HTTP means the two endpoints of HTTP with SSE.
    has_http_with_sse: Revisions::only(Revision::V2024_11_05), "2024-11-05/basic/transports#http-with-sse";
    /// Whether HTTP means Streamable HTTP.
    has_streamable_http: FROM_2025_03_26, "2025-03-26/basic/transports#streamable-http";
    /// Whether an HTTP server may open a session, with `Mcp-Session-Id`, and a client may end it, with DELETE.
    has_sessions: WITH_SESSIONS, "2025-11-25/basic/transports#session-management";
    /// Whether a client may GET a stream for what the server sends on its own account.
    has_get_stream: WITH_SESSIONS, "2025-11-25/basic/transports#listening-for-messages-from-the-server";
    /// Whether a broken stream may be resumed with `Last-Event-ID`.
    has_resumability: WITH_SESSIONS, "2025-11-25/basic/transports#resumability-and-redelivery";
    /// Whether a server may close a stream before the reply is sent, for the client to come back and poll.
    has_stream_polling: Revisions::only(Revision::V2025_11_25), "2025-11-25/basic/transports#sending-messages-to-the-server";
    /// Whether HTTP requests carry `MCP-Protocol-Version`; in the handshake era all but `initialize`.
    sends_version_header: FROM_2025_06_18, "2025-06-18/basic/transports#protocol-version-header";
    /// Whether HTTP requests mirror their method, name and marked parameters into headers.
    mirrors_headers: STATELESS, "2026-07-28/basic/transports/streamable-http#request-metadata";
    /// Whether an `Origin` that is not allowed must be answered with 403, rather than in a way left open.
    answers_bad_origin_with_403: FROM_2025_11_25, "2025-11-25/basic/transports#security-warning";
    /// Whether an unknown method is answered over HTTP with status 404 besides the JSON-RPC error.
    answers_unknown_method_with_404: STATELESS, "2026-07-28/basic/transports/streamable-http#protocol-version-header";
    /// Whether closing the stream of a reply cancels its request.
    cancels_by_closing_stream: STATELESS, "2026-07-28/basic/transports/streamable-http#cancellation";

    /// Whether tools have `annotations` such as `readOnlyHint`.
    has_tool_annotations: FROM_2025_03_26, "2025-03-26/server/tools#tool";
    /// Whether content may be audio.
    has_audio_content: FROM_2025_03_26, "2025-03-26/server/tools#audio-content";
    /// Whether progress notifications may have a `message`.
    has_progress_messages: FROM_2025_03_26, "2025-03-26/basic/utilities/progress#progress-flow";
    /// Whether tools may declare an `outputSchema` and results carry `structuredContent`.
    has_structured_content: FROM_2025_06_18, "2025-06-18/server/tools#structured-content";
    /// Whether `structuredContent` may be any JSON value, and schemas any JSON Schema, rather than objects only.
    has_any_structured_content: STATELESS, "2026-07-28/server/tools#structured-content";
    /// Whether the content of a tool's result may be a link to a resource.
    has_resource_links: FROM_2025_06_18, "2025-06-18/server/tools#resource-links";
    /// Whether things with a `name` may have a `title` for people.
    has_titles: FROM_2025_06_18, "2025-06-18/schema#tool";
    /// Whether a completion request may have the arguments settled so far as `context`.
    has_completion_context: FROM_2025_06_18, "2025-06-18/server/utilities/completion#requesting-completions";
    /// Whether `_meta` keys have a form and a reserved prefix.
    has_meta_key_format: FROM_2025_06_18, "2025-06-18/basic#meta";
    /// Whether there is a form that the names of tools should have.
    has_tool_name_format: FROM_2025_11_25, "2025-11-25/server/tools#tool-names";
    /// Whether a tool reports arguments that it does not accept in its result, for the model to see.
    reports_input_errors_in_results: FROM_2025_11_25, "2025-11-25/server/tools#error-handling";
    /// Whether a schema without `$schema` is JSON Schema 2020-12.
    has_schema_2020_12: FROM_2025_11_25, "2025-11-25/basic#json-schema-usage";
    /// Whether implementations, tools, resources and prompts may have icons.
    has_icons: FROM_2025_11_25, "2025-11-25/basic#icons";
    /// Whether elicitation may send the user to a URL.
    has_url_elicitation: FROM_2025_11_25, "2025-11-25/client/elicitation#url-mode-elicitation-requests";
    /// Whether a sampling request may offer tools to the model.
    has_sampling_tools: FROM_2025_11_25, "2025-11-25/client/sampling#sampling-with-tools";

    /// Whether there is an authorization framework for HTTP.
    has_authorization: FROM_2025_03_26, "2025-03-26/basic/authorization";
    /// Whether a protected server names its authorization servers in resource metadata.
    has_resource_metadata: FROM_2025_06_18, "2025-06-18/basic/authorization#authorization-server-discovery";
    /// Whether a client names the server it wants a token for.
    has_resource_indicators: FROM_2025_06_18, "2025-06-18/basic/authorization#resource-parameter-implementation";
    /// Whether a client may identify itself by the URL of a metadata document.
    has_client_id_metadata: FROM_2025_11_25, "2025-11-25/basic/authorization#client-id-metadata-documents";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The facts that begin or end with a revision, as its changelog lists them.
    fn changes(revision: Revision, before: Revision) -> String {
        let signs = FACTS.iter().filter_map(|fact| {
            match (fact.revisions.contains(before), fact.revisions.contains(revision)) {
                (false, true) => Some(format!("+{}", fact.name)),
                (true, false) => Some(format!("-{}", fact.name)),
                _ => None,
            }
        });
        signs.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn revisions_change_as_their_changelogs_say() {
        let [first, second, third, fourth, fifth] = Revision::ALL;
        insta::assert_snapshot!(changes(second, first), @"+has_batches -has_http_with_sse +has_streamable_http +has_sessions +has_get_stream +has_resumability +has_tool_annotations +has_audio_content +has_progress_messages +has_authorization");
        insta::assert_snapshot!(changes(third, second), @"-has_batches +sends_version_header +has_structured_content +has_resource_links +has_titles +has_completion_context +has_meta_key_format +has_resource_metadata +has_resource_indicators");
        insta::assert_snapshot!(changes(fourth, third), @"+has_errors_without_id +has_stream_polling +answers_bad_origin_with_403 +has_tool_name_format +reports_input_errors_in_results +has_schema_2020_12 +has_icons +has_url_elicitation +has_sampling_tools +has_client_id_metadata");
        insta::assert_snapshot!(changes(fifth, fourth), @"-has_handshake +has_request_meta -has_server_requests +has_input_requests +has_listen +has_result_type +has_cacheable_results +has_log_level_per_request +has_trace_context -has_sessions -has_get_stream -has_resumability -has_stream_polling +mirrors_headers +answers_unknown_method_with_404 +cancels_by_closing_stream +has_any_structured_content");
    }

    #[test]
    fn each_fact_holds_somewhere_and_cites_a_revision_it_holds_at() {
        for fact in FACTS {
            let cited = fact.page.split_once('/').and_then(|(revision, _)| revision.parse().ok());
            assert!(
                cited.is_some_and(|revision| fact.revisions.contains(revision)),
                "{}",
                fact.name
            );
            assert!(fact.revisions != Revisions::all(), "{}", fact.name);
        }
    }
}
