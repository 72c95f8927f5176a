//! The checks of `server-sse-polling`.

use crate::scenario::CheckSpec;
use crate::scenarios::server::references::SEP_1699;

pub(super) const CHECKS: [CheckSpec; 15] = [
    log("outgoing-request", "OutgoingRequest", "A request as it was made"),
    log("incoming-response", "IncomingResponse", "The head of a response"),
    CheckSpec::official(
        "incoming-sse-event",
        "IncomingSseEvent",
        "An event; wrong is only a tool that fails",
        &[SEP_1699],
    )
    .requires(&["jsonrpc.request-answered"])
    .conditional(),
    log("stream-closed", "StreamClosed", "The stream of the POST is over"),
    log(
        "server-sse-content-type",
        "ServerSSEContentType",
        "The response is an event stream; only told if not",
    ),
    CheckSpec::official(
        "server-sse-polling-session",
        "ServerSSEPollingSession",
        "The server issues a session id; only told if not",
        &[SEP_1699],
    )
    .requires(&["transport.http.sessionless-tolerated"])
    .conditional()
    .warns(),
    CheckSpec::official(
        "server-sse-test-reconnection-tool",
        "ServerSSETestReconnectionTool",
        "The call is not refused with HTTP 400 or 404; only told if it is",
        &[SEP_1699],
    )
    .requires(&["jsonrpc.request-answered"])
    .conditional()
    .warns(),
    CheckSpec::official(
        "server-sse-post-request",
        "ServerSSEPostRequest",
        "The call is accepted; only told if not",
        &[SEP_1699],
    )
    .requires(&["jsonrpc.request-answered"])
    .conditional(),
    CheckSpec::official(
        "server-sse-polling-stream",
        "ServerSSEPollingStream",
        "The response has a body; only told if not",
        &[SEP_1699],
    )
    .requires(&["jsonrpc.request-answered"])
    .conditional(),
    CheckSpec::official(
        "server-sse-priming-event",
        "ServerSendsPrimingEvent",
        "The stream begins with an event that has an id and no data",
        &[SEP_1699],
    )
    .requires(&["transport.http.sse-priming-event"])
    .warns(),
    CheckSpec::official(
        "server-sse-retry-field",
        "ServerSendsRetryField",
        "The stream says when to come back before it ends early",
        &[SEP_1699],
    )
    .requires(&["transport.http.sse-retry-before-close"])
    .warns(),
    CheckSpec::official(
        "server-sse-disconnect-resume",
        "ServerDisconnectResume",
        "The result comes after GET with `Last-Event-ID`",
        &[SEP_1699],
    )
    .requires(&["transport.http.resume-get-for-post-stream"])
    .warns(),
    CheckSpec::official(
        "server-sse-polling-error",
        "ServerSSEPollingTest",
        "The requests can be made; only told if not",
        &[SEP_1699],
    )
    .requires(&["lifecycle.initialize-response", "jsonrpc.request-answered"])
    .conditional(),
    CheckSpec::own(
        "server-sse-event-ids-unique",
        "ServerSSEEventIdsUnique",
        "No two events of the session have the same id",
    )
    .requires(&["transport.http.event-id-unique"]),
    CheckSpec::own(
        "server-sse-own-stream-only",
        "ServerSSEOwnStreamOnly",
        "Of two calls at once, each is resumed with its own reply and without that of the other",
    )
    .requires(&["transport.http.replay-own-stream-only"]),
];

const fn log(id: &'static str, name: &'static str, description: &'static str) -> CheckSpec {
    CheckSpec::official(id, name, description, &[SEP_1699])
        .requires(&["transport.http.request-content-type"])
        .conditional()
        .informs()
}
