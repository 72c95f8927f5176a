//! The checks of `server-stateless`: the official ones, then ours.

use mcp_test_core::scenario::CheckSpec;

use crate::scenarios::server::references::SEP_2575;

#[rustfmt::skip]
pub(super) const CHECKS: [CheckSpec; 35] = [
    official("sep-2575-request-meta-invalid-missing-meta", "RequestMetaInvalid",
        "A request without `_meta` is refused with -32602")
        .requires(&["base.meta-missing-field-rejected"]),
    official("sep-2575-request-meta-invalid-missing-protocol-version", "RequestMetaInvalid",
        "A request whose `_meta` names no protocol version is refused with -32602")
        .requires(&["base.meta-missing-field-rejected"]),
    official("sep-2575-request-meta-invalid-missing-client-capabilities", "RequestMetaInvalid",
        "A request whose `_meta` declares no client capabilities is refused with -32602")
        .requires(&["base.meta-missing-field-rejected"]),
    official("sep-2575-http-server-meta-invalid-400", "HttpServerMetaInvalid400",
        "Each of these refusals has HTTP status 400")
        .requires(&["transport.http.missing-meta-400"]),
    official("sep-2575-request-meta-client-info-optional", "RequestMetaClientInfoOptional",
        "A request whose `_meta` does not name the client is accepted")
        .requires(&["discover.implement"]),
    official("sep-2575-server-implements-discover", "ServerImplementsDiscover",
        "The result of `server/discover` contains versions and capabilities")
        .requires(&["discover.implement"]),
    official("sep-2575-server-identifies-in-result-meta", "ServerIdentifiesInResultMeta",
        "The `_meta` of that result names the server and its version")
        .requires(&["discover.server-info-present"]).warns(),
    official("sep-2575-server-declares-prompts-in-discover", "ServerDeclaresPromptsInDiscover",
        "A server that answers `prompts/list` declares prompts")
        .requires(&["prompts.capability.declare-in-discover"]),
    official("sep-2575-discover-capabilities-match-handlers", "DiscoverCapabilitiesMatchHandlers",
        "Tools are declared if they are listed, and listed if they are declared")
        .requires(&["discover.capabilities-truthful"]),
    official("sep-2575-server-unsupported-version-error", "ServerUnsupportedVersionError",
        "The error for an unknown version names the supported versions and the requested one")
        .requires(&["versioning.unsupported-version-error"]),
    official("sep-2575-http-server-unsupported-version-400", "HttpServerUnsupportedVersion400",
        "That error has HTTP status 400")
        .requires(&["transport.http.unsupported-version-400"]),
    official("sep-2575-http-server-header-mismatch-400", "HttpServerHeaderMismatch400",
        "A version in the header that `_meta` contradicts is refused with HTTP 400 and -32020")
        .requires(&["transport.http.version-mismatch-rejected"]),
    official("sep-2575-server-rejects-undeclared-capability", "ServerRejectsUndeclaredCapability",
        "A call that needs a capability which the client has not declared is refused with -32021, which names the capability")
        .requires(&["base.capability-missing-error"]),
    official("sep-2575-missing-capability-http-400", "MissingCapabilityHttp400",
        "That refusal has HTTP status 400")
        .requires(&["transport.http.missing-capability-400"]),
    official("sep-2575-http-server-method-not-found-404-initialize", "HttpServerMethodNotFound404initialize",
        "`initialize`, which was removed, gets HTTP 404 and -32601")
        .requires(&["transport.http.unknown-method-404"]),
    official("sep-2575-http-server-method-not-found-404-ping", "HttpServerMethodNotFound404ping",
        "`ping`, which was removed, gets HTTP 404 and -32601")
        .requires(&["transport.http.unknown-method-404"]),
    official("sep-2575-http-server-method-not-found-404-logging-setlevel", "HttpServerMethodNotFound404loggingsetLevel",
        "`logging/setLevel`, which was removed, gets HTTP 404 and -32601")
        .requires(&["transport.http.unknown-method-404"]),
    official("sep-2575-http-server-method-not-found-404-resources-subscribe", "HttpServerMethodNotFound404resourcessubscribe",
        "`resources/subscribe`, which was removed, gets HTTP 404 and -32601")
        .requires(&["transport.http.unknown-method-404"]),
    official("sep-2575-http-server-method-not-found-404-resources-unsubscribe", "HttpServerMethodNotFound404resourcesunsubscribe",
        "`resources/unsubscribe`, which was removed, gets HTTP 404 and -32601")
        .requires(&["transport.http.unknown-method-404"]),
    official("sep-2575-http-server-method-not-found-404", "HttpServerMethodNotFound404",
        "A method that never existed gets HTTP 404 and -32601")
        .requires(&["transport.http.unknown-method-404"]),
    official("sep-2575-http-server-no-independent-requests-on-stream", "HttpServerNoIndependentRequestsOnStream",
        "The response of a tool that elicits input contains no request from the server")
        .requires(&["transport.http.server-no-requests"]),
    official("sep-2575-server-no-log-without-loglevel", "ServerNoLogWithoutLogLevel",
        "A logging tool sends no log messages for a request without a log level")
        .requires(&["logging.per-request.silent-without-level"]),
    official("sep-2575-server-sends-subscription-ack", "ServerSendsSubscriptionAck",
        "The first message after `subscriptions/listen` acknowledges it")
        .requires(&["subscriptions.ack-sent", "base.support-core-patterns"]),
    official("sep-2575-server-tags-subscription-id", "ServerTagsSubscriptionId",
        "Every notification of a subscription has its id")
        .requires(&["subscriptions.id-tag"]),
    official("sep-2575-server-honors-notification-filter", "ServerHonorsNotificationFilter",
        "A subscription to prompts gets no notification about tools")
        .requires(&["subscriptions.only-requested"]),
    official("sep-2575-server-sends-prompts-list-changed-on-subscription", "ServerSendsPromptsListChangedOnSubscription",
        "A subscription to prompts is notified of a new prompt")
        .requires(&["prompts.list-changed.notify-subscribers"]).warns(),
    official("sep-2575-server-sends-tools-list-changed-on-subscription", "ServerSendsToolsListChangedOnSubscription",
        "A subscription to tools is notified of a new tool")
        .requires(&["tools.list-changed.notify-subscribers"]).warns(),
    official("sep-2575-http-server-error-jsonrpc-id", "HttpServerErrorJsonrpcId",
        "Each error has the id of its request")
        .requires(&["jsonrpc.error-id-echo"]),
    CheckSpec::own("stateless-unsupported-version-code", "StatelessUnsupportedVersionCode",
        "The error for an unknown version has the code -32022")
        .requires(&["versioning.unsupported-version-error"]),
    CheckSpec::own("stateless-discover-versions", "StatelessDiscoverVersions",
        "The versions in the result of `server/discover` include that of the request")
        .requires(&["discover.supported-versions-truthful"]),
    CheckSpec::own("stateless-session-ignored", "StatelessSessionIgnored",
        "A session id and a last event id are ignored, and no response has a session id")
        .requires(&["transport.http.session-header-ignored"]).warns(),
    CheckSpec::own("stateless-subscription-id", "StatelessSubscriptionId",
        "The id of a subscription is that of its request, with the same type")
        .requires(&["subscriptions.id-value"]),
    CheckSpec::own("stateless-subscription-filter", "StatelessSubscriptionFilter",
        "The acknowledged filter is a subset of the requested one")
        .requires(&["subscriptions.ack-filter-subset"]),
    CheckSpec::own("stateless-subscriptions-at-once", "StatelessSubscriptionsAtOnce",
        "Two concurrent subscriptions are acknowledged, each with its own id")
        .requires(&["subscriptions.concurrent-supported"]),
    CheckSpec::own("stateless-stream-unbuffered", "StatelessStreamUnbuffered",
        "An event stream asks proxies not to buffer it")
        .requires(&["transport.http.x-accel-buffering"]).warns(),
];

const fn official(id: &'static str, name: &'static str, description: &'static str) -> CheckSpec {
    CheckSpec::official(id, name, description, &[SEP_2575])
}
