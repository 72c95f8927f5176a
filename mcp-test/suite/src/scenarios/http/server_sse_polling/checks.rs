//! The checks of `server-sse-polling`, in the order of official reports; ours follow.

use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_1699;

#[rustfmt::skip]
pub(super) const CHECKS: [CheckSpec; 16] = [
    check!("outgoing-request", "A request that was sent",
        [TRANSPORT_HTTP_REQUEST_CONTENT_TYPE]).official(&[SEP_1699]).conditional().informs(),
    check!("incoming-response", "The status of a response",
        [TRANSPORT_HTTP_REQUEST_CONTENT_TYPE]).official(&[SEP_1699]).conditional().informs(),
    check!("incoming-sse-event", "An event; fails only if the tool does",
        [JSONRPC_REQUEST_ANSWERED]).official(&[SEP_1699]).conditional(),
    check!("stream-closed", "The stream of the POST has ended",
        [TRANSPORT_HTTP_REQUEST_CONTENT_TYPE]).official(&[SEP_1699]).conditional().informs(),
    check!("server-sse-content-type", "The response is an event stream; reported only if not",
        [TRANSPORT_HTTP_REQUEST_CONTENT_TYPE])
        .official(&[SEP_1699]).named("ServerSSEContentType").conditional().informs(),
    check!("server-sse-polling-session", "The server issues a session id; reported only if not",
        [TRANSPORT_HTTP_SESSIONLESS_TOLERATED]).official(&[SEP_1699]).named("ServerSSEPollingSession").conditional()
        .only_warns("a server may do without sessions"),
    check!("server-sse-test-reconnection-tool",
        "The call is not refused with HTTP 400 or 404; reported only if it is",
        [JSONRPC_REQUEST_ANSWERED]).official(&[SEP_1699]).named("ServerSSETestReconnectionTool").conditional()
        .only_warns("the official suite only warns"),
    check!("server-sse-post-request", "The call is accepted; reported only if not",
        [JSONRPC_REQUEST_ANSWERED]).official(&[SEP_1699]).named("ServerSSEPostRequest").conditional(),
    check!("server-sse-polling-stream", "The response has a body; reported only if not",
        [JSONRPC_REQUEST_ANSWERED]).official(&[SEP_1699]).named("ServerSSEPollingStream").conditional(),
    check!("server-sse-priming-event", "The stream begins with an event that has an id and no data",
        [TRANSPORT_HTTP_SSE_PRIMING_EVENT]).official(&[SEP_1699]).named("ServerSendsPrimingEvent"),
    check!("server-sse-retry-field", "The stream has a `retry` field before it ends early",
        [TRANSPORT_HTTP_SSE_RETRY_BEFORE_CLOSE]).official(&[SEP_1699]).named("ServerSendsRetryField"),
    check!("server-sse-disconnect-resume", "GET with `Last-Event-ID` returns the result",
        [TRANSPORT_HTTP_RESUME_GET_FOR_POST_STREAM]).official(&[SEP_1699]).named("ServerDisconnectResume")
        .only_warns("the official suite only warns"),
    check!("server-sse-polling-error", "The requests can be sent; reported only on failure",
        [LIFECYCLE_INITIALIZE_RESPONSE, JSONRPC_REQUEST_ANSWERED])
        .official(&[SEP_1699]).named("ServerSSEPollingTest").conditional(),
    check!("server-sse-event-ids-unique", "No two events of the session have the same id",
        [TRANSPORT_HTTP_EVENT_ID_UNIQUE]).named("ServerSSEEventIdsUnique"),
    check!("server-sse-own-stream-only",
        "When two concurrent calls are resumed, each stream contains only its own reply",
        [TRANSPORT_HTTP_REPLAY_OWN_STREAM_ONLY, TRANSPORT_HTTP_EVENT_ID_ENCODES_STREAM])
        .named("ServerSSEOwnStreamOnly").always_fails("one message on a wrong stream breaks both requirements"),
    check!("server-sse-lost-reply-resumed",
        "A stream that is resumed with `Last-Event-ID` contains the reply that the closed stream lacked",
        [TRANSPORT_HTTP_RESUME_GET_FOR_POST_STREAM]).named("ServerSSELostReplyResumed"),
];
