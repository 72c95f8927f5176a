//! The checks of `server-stateless`: the official ones, then ours.

use mcp_test_core::scenario::CheckSpec;
use mcp_test_core::spec::Requirement;

use crate::scenarios::server::references::SEP_2575;

#[rustfmt::skip]
pub(super) const CHECKS: [CheckSpec; 35] = [
    official("sep-2575-request-meta-invalid-missing-meta", "RequestMetaInvalid",
        "A request without `_meta` is refused with -32602")
        .requires(&[Requirement::BASE_META_MISSING_FIELD_REJECTED]),
    official("sep-2575-request-meta-invalid-missing-protocol-version", "RequestMetaInvalid",
        "A request whose `_meta` names no protocol version is refused with -32602")
        .requires(&[Requirement::BASE_META_MISSING_FIELD_REJECTED]),
    official("sep-2575-request-meta-invalid-missing-client-capabilities", "RequestMetaInvalid",
        "A request whose `_meta` declares no client capabilities is refused with -32602")
        .requires(&[Requirement::BASE_META_MISSING_FIELD_REJECTED]),
    official("sep-2575-http-server-meta-invalid-400", "HttpServerMetaInvalid400",
        "Each of these refusals has HTTP status 400")
        .requires(&[Requirement::TRANSPORT_HTTP_MISSING_META_400]),
    official("sep-2575-request-meta-client-info-optional", "RequestMetaClientInfoOptional",
        "A request whose `_meta` does not name the client is accepted")
        .requires(&[Requirement::DISCOVER_IMPLEMENT]),
    official("sep-2575-server-implements-discover", "ServerImplementsDiscover",
        "The result of `server/discover` contains versions and capabilities")
        .requires(&[Requirement::DISCOVER_IMPLEMENT]),
    official("sep-2575-server-identifies-in-result-meta", "ServerIdentifiesInResultMeta",
        "The `_meta` of that result names the server and its version")
        .requires(&[Requirement::DISCOVER_SERVER_INFO_PRESENT]).warns(),
    official("sep-2575-server-declares-prompts-in-discover", "ServerDeclaresPromptsInDiscover",
        "A server that answers `prompts/list` declares prompts")
        .requires(&[Requirement::PROMPTS_CAPABILITY_DECLARE_IN_DISCOVER]),
    official("sep-2575-discover-capabilities-match-handlers", "DiscoverCapabilitiesMatchHandlers",
        "Tools are declared if they are listed, and listed if they are declared")
        .requires(&[Requirement::DISCOVER_CAPABILITIES_TRUTHFUL]),
    official("sep-2575-server-unsupported-version-error", "ServerUnsupportedVersionError",
        "The error for an unknown version names the supported versions and the requested one")
        .requires(&[Requirement::VERSIONING_UNSUPPORTED_VERSION_ERROR]),
    official("sep-2575-http-server-unsupported-version-400", "HttpServerUnsupportedVersion400",
        "That error has HTTP status 400")
        .requires(&[Requirement::TRANSPORT_HTTP_UNSUPPORTED_VERSION_400]),
    official("sep-2575-http-server-header-mismatch-400", "HttpServerHeaderMismatch400",
        "A version in the header that `_meta` contradicts is refused with HTTP 400 and -32020")
        .requires(&[Requirement::TRANSPORT_HTTP_VERSION_MISMATCH_REJECTED]),
    official("sep-2575-server-rejects-undeclared-capability", "ServerRejectsUndeclaredCapability",
        "A call that needs a capability which the client has not declared is refused with -32021, which names the capability")
        .requires(&[Requirement::BASE_CAPABILITY_MISSING_ERROR]),
    official("sep-2575-missing-capability-http-400", "MissingCapabilityHttp400",
        "That refusal has HTTP status 400")
        .requires(&[Requirement::TRANSPORT_HTTP_MISSING_CAPABILITY_400]),
    official("sep-2575-http-server-method-not-found-404-initialize", "HttpServerMethodNotFound404initialize",
        "`initialize`, which was removed, gets HTTP 404 and -32601")
        .requires(&[Requirement::TRANSPORT_HTTP_UNKNOWN_METHOD_404]),
    official("sep-2575-http-server-method-not-found-404-ping", "HttpServerMethodNotFound404ping",
        "`ping`, which was removed, gets HTTP 404 and -32601")
        .requires(&[Requirement::TRANSPORT_HTTP_UNKNOWN_METHOD_404]),
    official("sep-2575-http-server-method-not-found-404-logging-setlevel", "HttpServerMethodNotFound404loggingsetLevel",
        "`logging/setLevel`, which was removed, gets HTTP 404 and -32601")
        .requires(&[Requirement::TRANSPORT_HTTP_UNKNOWN_METHOD_404]),
    official("sep-2575-http-server-method-not-found-404-resources-subscribe", "HttpServerMethodNotFound404resourcessubscribe",
        "`resources/subscribe`, which was removed, gets HTTP 404 and -32601")
        .requires(&[Requirement::TRANSPORT_HTTP_UNKNOWN_METHOD_404]),
    official("sep-2575-http-server-method-not-found-404-resources-unsubscribe", "HttpServerMethodNotFound404resourcesunsubscribe",
        "`resources/unsubscribe`, which was removed, gets HTTP 404 and -32601")
        .requires(&[Requirement::TRANSPORT_HTTP_UNKNOWN_METHOD_404]),
    official("sep-2575-http-server-method-not-found-404", "HttpServerMethodNotFound404",
        "A method that never existed gets HTTP 404 and -32601")
        .requires(&[Requirement::TRANSPORT_HTTP_UNKNOWN_METHOD_404]),
    official("sep-2575-http-server-no-independent-requests-on-stream", "HttpServerNoIndependentRequestsOnStream",
        "The response of a tool that elicits input contains no request from the server")
        .requires(&[Requirement::TRANSPORT_HTTP_SERVER_NO_REQUESTS]),
    official("sep-2575-server-no-log-without-loglevel", "ServerNoLogWithoutLogLevel",
        "A logging tool sends no log messages for a request without a log level")
        .requires(&[Requirement::LOGGING_PER_REQUEST_SILENT_WITHOUT_LEVEL]),
    official("sep-2575-server-sends-subscription-ack", "ServerSendsSubscriptionAck",
        "The first message after `subscriptions/listen` acknowledges it")
        .requires(&[Requirement::SUBSCRIPTIONS_ACK_SENT, Requirement::BASE_SUPPORT_CORE_PATTERNS]),
    official("sep-2575-server-tags-subscription-id", "ServerTagsSubscriptionId",
        "Every notification of a subscription has its id")
        .requires(&[Requirement::SUBSCRIPTIONS_ID_TAG]),
    official("sep-2575-server-honors-notification-filter", "ServerHonorsNotificationFilter",
        "A subscription to prompts gets no notification about tools")
        .requires(&[Requirement::SUBSCRIPTIONS_ONLY_REQUESTED]),
    official("sep-2575-server-sends-prompts-list-changed-on-subscription", "ServerSendsPromptsListChangedOnSubscription",
        "A subscription to prompts is notified of a new prompt")
        .requires(&[Requirement::PROMPTS_LIST_CHANGED_NOTIFY_SUBSCRIBERS]).warns(),
    official("sep-2575-server-sends-tools-list-changed-on-subscription", "ServerSendsToolsListChangedOnSubscription",
        "A subscription to tools is notified of a new tool")
        .requires(&[Requirement::TOOLS_LIST_CHANGED_NOTIFY_SUBSCRIBERS]).warns(),
    official("sep-2575-http-server-error-jsonrpc-id", "HttpServerErrorJsonrpcId",
        "Each error has the id of its request")
        .requires(&[Requirement::JSONRPC_ERROR_ID_ECHO]),
    CheckSpec::own("stateless-unsupported-version-code", "StatelessUnsupportedVersionCode",
        "The error for an unknown version has the code -32022")
        .requires(&[Requirement::VERSIONING_UNSUPPORTED_VERSION_ERROR]),
    CheckSpec::own("stateless-discover-versions", "StatelessDiscoverVersions",
        "The versions in the result of `server/discover` include that of the request")
        .requires(&[Requirement::DISCOVER_SUPPORTED_VERSIONS_TRUTHFUL]),
    CheckSpec::own("stateless-session-ignored", "StatelessSessionIgnored",
        "A session id and a last event id are ignored, and no response has a session id")
        .requires(&[Requirement::TRANSPORT_HTTP_SESSION_HEADER_IGNORED]).warns(),
    CheckSpec::own("stateless-subscription-id", "StatelessSubscriptionId",
        "The id of a subscription is that of its request, with the same type")
        .requires(&[Requirement::SUBSCRIPTIONS_ID_VALUE]),
    CheckSpec::own("stateless-subscription-filter", "StatelessSubscriptionFilter",
        "The acknowledged filter is a subset of the requested one")
        .requires(&[Requirement::SUBSCRIPTIONS_ACK_FILTER_SUBSET]),
    CheckSpec::own("stateless-subscriptions-at-once", "StatelessSubscriptionsAtOnce",
        "Two concurrent subscriptions are acknowledged, each with its own id")
        .requires(&[Requirement::SUBSCRIPTIONS_CONCURRENT_SUPPORTED]),
    CheckSpec::own("stateless-stream-unbuffered", "StatelessStreamUnbuffered",
        "An event stream asks proxies not to buffer it")
        .requires(&[Requirement::TRANSPORT_HTTP_X_ACCEL_BUFFERING]).warns(),
];

const fn official(id: &'static str, name: &'static str, description: &'static str) -> CheckSpec {
    CheckSpec::official(id, name, description, &[SEP_2575])
}
