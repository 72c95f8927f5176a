//! The checks of `server-stateless`.

use crate::scenario::CheckSpec;
use crate::scenarios::server::references::SEP_2575;

pub(super) const CHECKS: [CheckSpec; 35] = [
    CheckSpec::official(
        "sep-2575-request-meta-invalid-missing-meta",
        "RequestMetaInvalid",
        "A request without `_meta` is refused with -32602",
        &[SEP_2575],
    )
    .requires(&["base.meta-missing-field-rejected"]),
    CheckSpec::official(
        "sep-2575-request-meta-invalid-missing-protocol-version",
        "RequestMetaInvalid",
        "A request whose `_meta` names no protocol version is refused with -32602",
        &[SEP_2575],
    )
    .requires(&["base.meta-missing-field-rejected"]),
    CheckSpec::official(
        "sep-2575-request-meta-invalid-missing-client-capabilities",
        "RequestMetaInvalid",
        "A request whose `_meta` declares no client capabilities is refused with -32602",
        &[SEP_2575],
    )
    .requires(&["base.meta-missing-field-rejected"]),
    CheckSpec::official(
        "sep-2575-http-server-meta-invalid-400",
        "HttpServerMetaInvalid400",
        "Each of these refusals has HTTP status 400",
        &[SEP_2575],
    )
    .requires(&["transport.http.missing-meta-400"]),
    CheckSpec::official(
        "sep-2575-request-meta-client-info-optional",
        "RequestMetaClientInfoOptional",
        "A request whose `_meta` does not name the client is served",
        &[SEP_2575],
    )
    .requires(&["discover.implement"]),
    CheckSpec::official(
        "sep-2575-server-implements-discover",
        "ServerImplementsDiscover",
        "The result of `server/discover` holds versions and capabilities",
        &[SEP_2575],
    )
    .requires(&["discover.implement"]),
    CheckSpec::official(
        "sep-2575-server-identifies-in-result-meta",
        "ServerIdentifiesInResultMeta",
        "The `_meta` of that result names the server and its version",
        &[SEP_2575],
    )
    .requires(&["discover.server-info-present"])
    .warns(),
    CheckSpec::official(
        "sep-2575-server-declares-prompts-in-discover",
        "ServerDeclaresPromptsInDiscover",
        "A server that answers `prompts/list` declares prompts",
        &[SEP_2575],
    )
    .requires(&["prompts.capability.declare-in-discover"]),
    CheckSpec::official(
        "sep-2575-discover-capabilities-match-handlers",
        "DiscoverCapabilitiesMatchHandlers",
        "Tools are declared if they are listed, and listed if they are declared",
        &[SEP_2575],
    )
    .requires(&["discover.capabilities-truthful"]),
    CheckSpec::official(
        "sep-2575-server-unsupported-version-error",
        "ServerUnsupportedVersionError",
        "The error for an unknown version names the versions that there are and the one asked for",
        &[SEP_2575],
    )
    .requires(&["versioning.unsupported-version-error"]),
    CheckSpec::official(
        "sep-2575-http-server-unsupported-version-400",
        "HttpServerUnsupportedVersion400",
        "That error has HTTP status 400",
        &[SEP_2575],
    )
    .requires(&["transport.http.unsupported-version-400"]),
    CheckSpec::official(
        "sep-2575-http-server-header-mismatch-400",
        "HttpServerHeaderMismatch400",
        "A version in the header that `_meta` contradicts is refused with HTTP 400 and -32020",
        &[SEP_2575],
    )
    .requires(&["transport.http.version-mismatch-rejected"]),
    CheckSpec::official(
        "sep-2575-server-rejects-undeclared-capability",
        "ServerRejectsUndeclaredCapability",
        "A tool that needs a capability which the client has not declared is refused with -32021, which names it",
        &[SEP_2575],
    )
    .requires(&["base.capability-missing-error"]),
    CheckSpec::official(
        "sep-2575-missing-capability-http-400",
        "MissingCapabilityHttp400",
        "That refusal has HTTP status 400",
        &[SEP_2575],
    )
    .requires(&["transport.http.missing-capability-400"]),
    CheckSpec::official(
        "sep-2575-http-server-method-not-found-404-initialize",
        "HttpServerMethodNotFound404initialize",
        "`initialize`, which was removed, gets HTTP 404 and -32601",
        &[SEP_2575],
    )
    .requires(&["transport.http.unknown-method-404"]),
    CheckSpec::official(
        "sep-2575-http-server-method-not-found-404-ping",
        "HttpServerMethodNotFound404ping",
        "`ping`, which was removed, gets HTTP 404 and -32601",
        &[SEP_2575],
    )
    .requires(&["transport.http.unknown-method-404"]),
    CheckSpec::official(
        "sep-2575-http-server-method-not-found-404-logging-setlevel",
        "HttpServerMethodNotFound404loggingsetLevel",
        "`logging/setLevel`, which was removed, gets HTTP 404 and -32601",
        &[SEP_2575],
    )
    .requires(&["transport.http.unknown-method-404"]),
    CheckSpec::official(
        "sep-2575-http-server-method-not-found-404-resources-subscribe",
        "HttpServerMethodNotFound404resourcessubscribe",
        "`resources/subscribe`, which was removed, gets HTTP 404 and -32601",
        &[SEP_2575],
    )
    .requires(&["transport.http.unknown-method-404"]),
    CheckSpec::official(
        "sep-2575-http-server-method-not-found-404-resources-unsubscribe",
        "HttpServerMethodNotFound404resourcesunsubscribe",
        "`resources/unsubscribe`, which was removed, gets HTTP 404 and -32601",
        &[SEP_2575],
    )
    .requires(&["transport.http.unknown-method-404"]),
    CheckSpec::official(
        "sep-2575-http-server-method-not-found-404",
        "HttpServerMethodNotFound404",
        "A method that never was gets HTTP 404 and -32601",
        &[SEP_2575],
    )
    .requires(&["transport.http.unknown-method-404"]),
    CheckSpec::official(
        "sep-2575-http-server-no-independent-requests-on-stream",
        "HttpServerNoIndependentRequestsOnStream",
        "The response of a tool that asks the user holds no request of the server",
        &[SEP_2575],
    )
    .requires(&["transport.http.server-no-requests"]),
    CheckSpec::official(
        "sep-2575-server-no-log-without-loglevel",
        "ServerNoLogWithoutLogLevel",
        "A tool that logs does not, for a request that sets no level",
        &[SEP_2575],
    )
    .requires(&["logging.per-request.silent-without-level"]),
    CheckSpec::official(
        "sep-2575-server-sends-subscription-ack",
        "ServerSendsSubscriptionAck",
        "`subscriptions/listen` is acknowledged first of all",
        &[SEP_2575],
    )
    .requires(&["subscriptions.ack-sent"]),
    CheckSpec::official(
        "sep-2575-server-tags-subscription-id",
        "ServerTagsSubscriptionId",
        "Every notification of a subscription carries its id",
        &[SEP_2575],
    )
    .requires(&["subscriptions.id-tag"]),
    CheckSpec::official(
        "sep-2575-server-honors-notification-filter",
        "ServerHonorsNotificationFilter",
        "A subscription to prompts hears nothing of tools",
        &[SEP_2575],
    )
    .requires(&["subscriptions.only-requested"]),
    CheckSpec::official(
        "sep-2575-server-sends-prompts-list-changed-on-subscription",
        "ServerSendsPromptsListChangedOnSubscription",
        "A subscription to prompts hears of a new prompt",
        &[SEP_2575],
    )
    .requires(&["prompts.list-changed.notify-subscribers"])
    .warns(),
    CheckSpec::official(
        "sep-2575-server-sends-tools-list-changed-on-subscription",
        "ServerSendsToolsListChangedOnSubscription",
        "A subscription to tools hears of a new tool",
        &[SEP_2575],
    )
    .requires(&["tools.list-changed.notify-subscribers"])
    .warns(),
    CheckSpec::official(
        "sep-2575-http-server-error-jsonrpc-id",
        "HttpServerErrorJsonrpcId",
        "Each error has the id of its request",
        &[SEP_2575],
    )
    .requires(&["jsonrpc.error-id-echo"]),
    CheckSpec::own(
        "stateless-unsupported-version-code",
        "StatelessUnsupportedVersionCode",
        "The error for an unknown version has the code -32022",
    )
    .requires(&["versioning.unsupported-version-error"]),
    CheckSpec::own(
        "stateless-discover-versions",
        "StatelessDiscoverVersions",
        "The versions of `server/discover` include the one in which it was asked",
    )
    .requires(&["discover.supported-versions-truthful"]),
    CheckSpec::own(
        "stateless-session-ignored",
        "StatelessSessionIgnored",
        "A session id and a last event id change nothing, and no answer brings a session id",
    )
    .requires(&["transport.http.session-header-ignored"])
    .warns(),
    CheckSpec::own(
        "stateless-subscription-id",
        "StatelessSubscriptionId",
        "The id of a subscription is that of its request, of the same type",
    )
    .requires(&["subscriptions.id-value"]),
    CheckSpec::own(
        "stateless-subscription-filter",
        "StatelessSubscriptionFilter",
        "What is acknowledged is part of what was asked for",
    )
    .requires(&["subscriptions.ack-filter-subset"]),
    CheckSpec::own(
        "stateless-subscriptions-at-once",
        "StatelessSubscriptionsAtOnce",
        "Two subscriptions at once are acknowledged, each under its own id",
    )
    .requires(&["subscriptions.concurrent-supported"]),
    CheckSpec::own(
        "stateless-stream-unbuffered",
        "StatelessStreamUnbuffered",
        "An event stream asks proxies not to buffer it",
    )
    .requires(&["transport.http.x-accel-buffering"])
    .warns(),
];
