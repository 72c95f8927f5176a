//! The differences between revisions, beyond their methods, capabilities and error codes, as one table.
//!
//! Each row becomes a method of [`Revision`] and an entry of [`FEATURES`].

use super::{Revision, Revisions};

/// A feature of the protocol and the revisions that have it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Feature {
    /// The name of the corresponding method of [`Revision`].
    pub name: &'static str,
    /// The revisions that have it.
    pub revisions: Revisions,
    /// Where the specification says so: revision, page and anchor.
    pub page: &'static str,
}

macro_rules! features {
    ($($(#[doc = $doc:literal])+ $name:ident: $revisions:expr, $page:literal;)+) => {
        /// Features that some revisions have and others lack.
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

        /// Every feature that [`Revision`] has a method for.
        #[doc(hidden)]
        pub const FEATURES: &[Feature] = &[
            $(Feature { name: stringify!($name), revisions: $revisions, page: $page },)+
        ];
    };
}

const FROM_2025_03_26: Revisions = Revisions::from(Revision::V2025_03_26);
const FROM_2025_06_18: Revisions = Revisions::from(Revision::V2025_06_18);
const FROM_2025_11_25: Revisions = Revisions::from(Revision::V2025_11_25);
const HANDSHAKE: Revisions = Revisions::until(Revision::V2025_11_25);
const STATELESS: Revisions = Revisions::from(Revision::V2026_07_28);
const WITH_SESSIONS: Revisions = Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25);

features! {
    /// Whether a connection starts with `initialize` and `notifications/initialized`.
    has_handshake: HANDSHAKE, "2025-11-25/basic/lifecycle#initialization";
    /// Whether every request carries its revision and the client's capabilities in `_meta`.
    has_request_meta: STATELESS, "2026-07-28/basic#meta";
    /// Whether the server sends requests of its own to the client.
    has_server_requests: HANDSHAKE, "2025-11-25/basic#requests";
    /// Whether a server asks for input in results, which the client answers by repeating the request.
    has_input_requests: STATELESS, "2026-07-28/basic/patterns/mrtr";
    /// Whether change notifications are sent only on the stream of a `subscriptions/listen` request that asked for them.
    has_listen: STATELESS, "2026-07-28/basic/patterns/subscriptions";
    /// Whether every result has a `resultType`.
    has_result_type: STATELESS, "2026-07-28/basic#resulttype";
    /// Whether results of cacheable methods have `ttlMs` and `cacheScope`; see [`Method::cacheable`](super::Method).
    has_cacheable_results: STATELESS, "2026-07-28/server/utilities/caching#cacheable-results";
    /// Whether several messages may be sent as one JSON array.
    has_batches: Revisions::only(Revision::V2025_03_26), "2025-03-26/basic#batching";
    /// Whether an error reply may omit the id when the request's could not be read.
    ///
    /// Earlier schemas require an id, which leaves only the `null` of JSON-RPC.
    has_errors_without_id: FROM_2025_11_25, "2025-11-25/basic#error-responses";
    /// Whether log messages are enabled for each request, instead of once by `logging/setLevel`.
    has_log_level_per_request: STATELESS, "2026-07-28/server/utilities/logging#per-request-log-level";
    /// Whether `traceparent`, `tracestate` and `baggage` have a meaning in `_meta`.
    has_trace_context: STATELESS, "2026-07-28/basic#meta";

    /// Whether the HTTP transport is HTTP with SSE, which has two endpoints.
    has_http_with_sse: Revisions::only(Revision::V2024_11_05), "2024-11-05/basic/transports#http-with-sse";
    /// Whether the HTTP transport is Streamable HTTP.
    has_streamable_http: FROM_2025_03_26, "2025-03-26/basic/transports#streamable-http";
    /// Whether an HTTP server may open a session, with `Mcp-Session-Id`, and a client may end it, with DELETE.
    has_sessions: WITH_SESSIONS, "2025-11-25/basic/transports#session-management";
    /// Whether a client may open a stream with GET for unsolicited messages from the server.
    has_get_stream: WITH_SESSIONS, "2025-11-25/basic/transports#listening-for-messages-from-the-server";
    /// Whether a broken stream may be resumed with `Last-Event-ID`.
    has_resumability: WITH_SESSIONS, "2025-11-25/basic/transports#resumability-and-redelivery";
    /// Whether a server may close a stream before it sends the reply, so that the client reconnects and polls.
    has_stream_polling: Revisions::only(Revision::V2025_11_25), "2025-11-25/basic/transports#sending-messages-to-the-server";
    /// Whether HTTP requests carry `MCP-Protocol-Version`; in the handshake era all but `initialize`.
    sends_version_header: FROM_2025_06_18, "2025-06-18/basic/transports#protocol-version-header";
    /// Whether HTTP requests mirror their method, name and marked parameters into headers.
    mirrors_headers: STATELESS, "2026-07-28/basic/transports/streamable-http#request-metadata";
    /// Whether an `Origin` that is not allowed must be answered with 403; earlier revisions leave the status open.
    answers_bad_origin_with_403: FROM_2025_11_25, "2025-11-25/basic/transports#security-warning";
    /// Whether an unknown method is answered over HTTP with status 404 in addition to the JSON-RPC error.
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
    /// Whether named objects may have a human-readable `title`.
    has_titles: FROM_2025_06_18, "2025-06-18/schema#tool";
    /// Whether a completion request may carry the arguments filled in so far as `context`.
    has_completion_context: FROM_2025_06_18, "2025-06-18/server/utilities/completion#requesting-completions";
    /// Whether `_meta` keys have a defined format and a reserved prefix.
    has_meta_key_format: FROM_2025_06_18, "2025-06-18/basic#meta";
    /// Whether the names of tools have a recommended format.
    has_tool_name_format: FROM_2025_11_25, "2025-11-25/server/tools#tool-names";
    /// Whether a tool reports invalid arguments in its result, where the model can see them.
    reports_input_errors_in_results: FROM_2025_11_25, "2025-11-25/server/tools#error-handling";
    /// Whether a schema without `$schema` is JSON Schema 2020-12.
    has_schema_2020_12: FROM_2025_11_25, "2025-11-25/basic#json-schema-usage";
    /// Whether implementations, tools, resources and prompts may have icons.
    has_icons: FROM_2025_11_25, "2025-11-25/basic#icons";
    /// Whether invalid arguments of a tool are reported in its result alone; other revisions have examples with a JSON-RPC error as well.
    reports_input_errors_only_in_results: Revisions::only(Revision::V2025_11_25), "2025-11-25/server/tools#error-handling";
    /// Whether servers declare that they complete arguments.
    has_completions_capability: FROM_2025_03_26, "2025-03-26/server/utilities/completion#capabilities";
    /// Whether a server may ask the user of its client.
    has_elicitation: FROM_2025_06_18, "2025-06-18/client/elicitation";
    /// Whether the choices of a form may have titles, several may be chosen, and fields of all types have defaults.
    has_form_choices: FROM_2025_11_25, "2025-11-25/client/elicitation#requested-schema";
    /// Whether elicitation may send the user to a URL.
    has_url_elicitation: FROM_2025_11_25, "2025-11-25/client/elicitation#url-mode-elicitation-requests";
    /// Whether a sampling request may offer tools to the model.
    has_sampling_tools: FROM_2025_11_25, "2025-11-25/client/sampling#sampling-with-tools";

    /// Whether there is an authorization framework for HTTP.
    has_authorization: FROM_2025_03_26, "2025-03-26/basic/authorization";
    /// Whether a protected server names its authorization servers in resource metadata.
    has_resource_metadata: FROM_2025_06_18, "2025-06-18/basic/authorization#authorization-server-discovery";
    /// Whether a client names the server that it requests a token for.
    has_resource_indicators: FROM_2025_06_18, "2025-06-18/basic/authorization#resource-parameter-implementation";
    /// Whether a client may identify itself by the URL of a metadata document.
    has_client_id_metadata: FROM_2025_11_25, "2025-11-25/basic/authorization#client-id-metadata-documents";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The features that a revision adds (`+`) or removes (`-`).
    fn changes(revision: Revision, before: Revision) -> String {
        let signs = FEATURES.iter().filter_map(|feature| {
            match (feature.revisions.contains(before), feature.revisions.contains(revision)) {
                (false, true) => Some(format!("+{}", feature.name)),
                (true, false) => Some(format!("-{}", feature.name)),
                _ => None,
            }
        });
        signs.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn revisions_change_as_in_their_changelogs() {
        let [first, second, third, fourth, fifth, ..] = Revision::ALL;
        insta::assert_snapshot!(changes(second, first), @"+has_batches -has_http_with_sse +has_streamable_http +has_sessions +has_get_stream +has_resumability +has_tool_annotations +has_audio_content +has_progress_messages +has_completions_capability +has_authorization");
        insta::assert_snapshot!(changes(third, second), @"-has_batches +sends_version_header +has_structured_content +has_resource_links +has_titles +has_completion_context +has_meta_key_format +has_elicitation +has_resource_metadata +has_resource_indicators");
        insta::assert_snapshot!(changes(fourth, third), @"+has_errors_without_id +has_stream_polling +answers_bad_origin_with_403 +has_tool_name_format +reports_input_errors_in_results +has_schema_2020_12 +has_icons +reports_input_errors_only_in_results +has_form_choices +has_url_elicitation +has_sampling_tools +has_client_id_metadata");
        insta::assert_snapshot!(changes(fifth, fourth), @"-has_handshake +has_request_meta -has_server_requests +has_input_requests +has_listen +has_result_type +has_cacheable_results +has_log_level_per_request +has_trace_context -has_sessions -has_get_stream -has_resumability -has_stream_polling +mirrors_headers +answers_unknown_method_with_404 +cancels_by_closing_stream +has_any_structured_content -reports_input_errors_only_in_results");
    }

    #[test]
    fn each_feature_cites_a_revision_that_has_it() {
        for feature in FEATURES {
            let cited =
                feature.page.split_once('/').and_then(|(revision, _)| revision.parse().ok());
            assert!(
                cited.is_some_and(|revision| feature.revisions.contains(revision)),
                "{}",
                feature.name
            );
            assert!(feature.revisions != Revisions::all(), "{}", feature.name);
        }
    }
}
