//! The checks of `server-sse-polling`, in the order of official reports; ours follow.

use mcp_test_core::scenario::CheckSpec;
use mcp_test_core::spec::Requirement;

use crate::scenarios::server::references::SEP_1699;

#[rustfmt::skip]
pub(super) const CHECKS: [CheckSpec; 16] = [
    log("outgoing-request", "OutgoingRequest", "A request that was sent"),
    log("incoming-response", "IncomingResponse", "The status of a response"),
    official("incoming-sse-event", "IncomingSseEvent",
        "An event; fails only if the tool does")
        .requires(&[Requirement::JSONRPC_REQUEST_ANSWERED]).conditional(),
    log("stream-closed", "StreamClosed", "The stream of the POST has ended"),
    log("server-sse-content-type", "ServerSSEContentType", "The response is an event stream; reported only if not"),
    official("server-sse-polling-session", "ServerSSEPollingSession",
        "The server issues a session id; reported only if not")
        .requires(&[Requirement::TRANSPORT_HTTP_SESSIONLESS_TOLERATED]).conditional().warns(),
    official("server-sse-test-reconnection-tool", "ServerSSETestReconnectionTool",
        "The call is not refused with HTTP 400 or 404; reported only if it is")
        .requires(&[Requirement::JSONRPC_REQUEST_ANSWERED]).conditional().warns(),
    official("server-sse-post-request", "ServerSSEPostRequest",
        "The call is accepted; reported only if not")
        .requires(&[Requirement::JSONRPC_REQUEST_ANSWERED]).conditional(),
    official("server-sse-polling-stream", "ServerSSEPollingStream",
        "The response has a body; reported only if not")
        .requires(&[Requirement::JSONRPC_REQUEST_ANSWERED]).conditional(),
    official("server-sse-priming-event", "ServerSendsPrimingEvent",
        "The stream begins with an event that has an id and no data")
        .requires(&[Requirement::TRANSPORT_HTTP_SSE_PRIMING_EVENT]).warns(),
    official("server-sse-retry-field", "ServerSendsRetryField",
        "The stream has a `retry` field before it ends early")
        .requires(&[Requirement::TRANSPORT_HTTP_SSE_RETRY_BEFORE_CLOSE]).warns(),
    official("server-sse-disconnect-resume", "ServerDisconnectResume",
        "GET with `Last-Event-ID` returns the result")
        .requires(&[Requirement::TRANSPORT_HTTP_RESUME_GET_FOR_POST_STREAM]).warns(),
    official("server-sse-polling-error", "ServerSSEPollingTest",
        "The requests can be sent; reported only on failure")
        .requires(&[Requirement::LIFECYCLE_INITIALIZE_RESPONSE, Requirement::JSONRPC_REQUEST_ANSWERED]).conditional(),
    CheckSpec::own("server-sse-event-ids-unique", "ServerSSEEventIdsUnique",
        "No two events of the session have the same id")
        .requires(&[Requirement::TRANSPORT_HTTP_EVENT_ID_UNIQUE]),
    CheckSpec::own("server-sse-own-stream-only", "ServerSSEOwnStreamOnly",
        "When two concurrent calls are resumed, each stream contains only its own reply")
        .requires(&[Requirement::TRANSPORT_HTTP_REPLAY_OWN_STREAM_ONLY, Requirement::TRANSPORT_HTTP_EVENT_ID_ENCODES_STREAM]),
    CheckSpec::own("server-sse-lost-reply-resumed", "ServerSSELostReplyResumed",
        "A stream that is resumed with `Last-Event-ID` contains the reply that the closed stream lacked")
        .requires(&[Requirement::TRANSPORT_HTTP_RESUME_GET_FOR_POST_STREAM]),
];

/// A row without a verdict. The requirement is that of every response, since each check has to cite one.
const fn log(id: &'static str, name: &'static str, description: &'static str) -> CheckSpec {
    official(id, name, description)
        .requires(&[Requirement::TRANSPORT_HTTP_REQUEST_CONTENT_TYPE])
        .conditional()
        .informs()
}

const fn official(id: &'static str, name: &'static str, description: &'static str) -> CheckSpec {
    CheckSpec::official(id, name, description, &[SEP_1699])
}
