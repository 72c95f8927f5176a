//! `sse-retry`.

mod reconnecting_clients;

use mcp_test_core::clock;

use super::sse_retry::reconnecting_clients::{
    immediately, never, only_before, with_foreign_event_id, without_call, without_last_event_id,
};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_1699;

scenario! {
    /// The server ends the event stream of a tool call before its result, with a `retry` time. The client should reconnect
    /// after that time and send the id of the last event that it has received.
    ///
    /// The official checks count any GET, even one unrelated to the call, and any `Last-Event-ID`; our own check compares
    /// it with the last event of the stream that ended.
    Client "sse-retry": "The client resumes an event stream",
    revisions: Revisions::only(Revision::V2025_11_25),
    official: Official::active(Revisions::only(Revision::V2025_11_25)),
    transports: StreamableHttp,
    checks: [
        check!("client-sse-graceful-reconnect", "The client sends a GET after the stream has ended",
            [TRANSPORT_HTTP_CLIENT_POLLS_AFTER_CLOSE]).official(&[SEP_1699]).named("ClientGracefulReconnect")
            .fails_or_warns("the official suite fails it"),
        check!("client-sse-retry-timing",
            "The client waits for the `retry` time before it reconnects; reported only if it does",
            [TRANSPORT_HTTP_CLIENT_RESPECTS_RETRY])
            .official(&[SEP_1699]).named("ClientRespectsRetryField").conditional(),
        check!("client-sse-last-event-id", "A GET has the header `Last-Event-ID`; reported only if there is a GET",
            [TRANSPORT_HTTP_RESUME_LAST_EVENT_ID])
            .official(&[SEP_1699]).named("ClientSendsLastEventId").conditional(),
        check!("client-sse-resumes", "`Last-Event-ID` is the id of the last event of the stream that has ended",
            [TRANSPORT_HTTP_RESUME_LAST_EVENT_ID]),
    ],
}

const TOOL: &str = "test_reconnection";
const WITHOUT_ID: &str = "a GET that resumes no stream has no such header";
// Both as in the official suite.
const RETRY: Duration = Duration::from_millis(500);
/// Timers are not exact, and some fire a little early.
const AT_LEAST: Duration = Duration::from_millis(450);

fn serve(test: &ClientTest) -> Server {
    Server::new(json!({"name": "sse-retry-server", "version": "1.0.0"}))
        .revisions(Revisions::until(test.revision))
        .capabilities(json!({"tools": {}}))
        .retry(RETRY)
        .on("tools/list", |_: Call| async {
            let input_schema = json!({"type": "object", "properties": {}});
            json!({"tools": [{"name": TOOL, "description": "Ends its stream early.", "inputSchema": input_schema}]})
        })
        .on("tools/call", |call: Call| async move {
            if call.param("name").and_then(Value::as_str) != Some(TOOL) {
                return Answer::error(error_code::INVALID_PARAMS, "no such tool");
            }
            // Fails only if the client has gone, which its missing GET shows.
            call.end_stream().await.ok();
            let text = "Reconnection test completed successfully";
            json!({"content": [{"type": "text", "text": text}]}).into()
        })
}

/// An event that the client receives, or a GET that it sends.
struct Moment {
    seq: Seq,
    at: Duration,
    /// The id of the event, or the `Last-Event-ID` of the GET.
    id: Option<String>,
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let trace = judging.trace();
    let gets = gets(&trace);
    let Some(ended) = last_event(&trace) else {
        let not_done = judging
            .task_not_done("the client never received the stream that ends early")
            .expected(format!("a call of `{TOOL}`"))
            .got("no event stream of a tool call in the whole conversation");
        let Some(first) = gets.first().filter(|_| judging.profile() == Profile::Official) else {
            return Err(not_done);
        };
        // The official suite takes any GET for a reconnection, even that of a client that calls no tool.
        judging.check("client-sse-graceful-reconnect").pass();
        let check = judging.check("client-sse-last-event-id");
        check.officially_judge(sends_last_event_id(&gets, first), WITHOUT_ID);
        judging.check("client-sse-resumes").skip(not_done.headline);
        return Ok(());
    };
    // A client may have opened a GET stream before the call, as most SDKs do after the handshake; it resumes nothing.
    let resuming = gets.iter().rfind(|get| get.seq > ended.seq);
    if resuming.is_none() {
        judging.tolerate_failed_exit();
    }
    reconnects(judging, &ended, &gets, resuming);
    let resumes = judging.check("client-sse-resumes");
    match resuming {
        None => resumes.skip("the client does not reconnect"),
        Some(get) if get.id == ended.id => resumes.pass(),
        Some(get) => resumes.fail(
            Finding::peer("the client resumes at another event")
                .expected(format!("`Last-Event-ID` {:?}", ended.id.as_deref().unwrap_or_default()))
                .got(get.id.as_ref().map_or("none".to_owned(), |id| format!("{id:?}")))
                .evidence_all([ended.seq, get.seq]),
        ),
    };
    Ok(())
}

/// Makes the official checks, which take any GET for a reconnection, and time the last one.
fn reconnects(judging: &mut Judging, ended: &Moment, gets: &[Moment], resuming: Option<&Moment>) {
    let absent = || {
        Finding::peer("the client does not resume the stream")
            .expected(format!("a GET {} after the stream has ended", clock::format_duration(RETRY)))
            .evidence(ended.seq)
    };
    let official = judging.profile() == Profile::Official;
    let reconnect = judging.check("client-sse-graceful-reconnect");
    match (resuming, gets.last()) {
        // Clients SHOULD poll after the stream was closed (`basic/transports#sending-messages-to-the-server`).
        (None, None) => reconnect.officially_must_judge(
            Err(absent().got("no GET at all")),
            "that a client reconnects after a closed stream is only recommended (SHOULD)",
        ),
        (None, Some(get)) if !official => reconnect
            .fail(absent().got("a GET before that, and none after").evidence(get.seq).should()),
        _ => reconnect.pass(),
    };
    if let Some(get) = resuming.or(gets.last().filter(|_| official)) {
        judging.check("client-sse-retry-timing").judge(waited_for_retry(ended, get));
    }
    if let Some(first) = gets.first() {
        let outcome = sends_last_event_id(gets, first);
        let check = judging.check("client-sse-last-event-id");
        match resuming {
            Some(_) => check.judge(outcome),
            None if official => check.officially_judge(outcome, WITHOUT_ID),
            None => return,
        };
    }
}

/// Whether any GET has an id.
fn sends_last_event_id(gets: &[Moment], first: &Moment) -> Result<(), Finding> {
    ensure(gets.iter().any(|get| get.id.is_some()), || {
        Finding::peer("the client does not send the id of the last event")
            .expected("a GET with `Last-Event-ID`")
            .got("a GET without it")
            .evidence(first.seq)
    })
}

/// Whether the client waited for the `retry` time.
fn waited_for_retry(ended: &Moment, get: &Moment) -> Result<(), Finding> {
    // Officially `get` may be one from before the stream, which has not waited at all.
    let waited = get.at.saturating_sub(ended.at);
    ensure(get.seq > ended.seq && waited >= AT_LEAST, || {
        Finding::peer("the client reconnects before the `retry` time has passed")
            .expected(format!(
                "a GET no sooner than {} after the event",
                clock::format_duration(RETRY)
            ))
            .got(format!("a GET after {}", clock::format_duration(waited)))
            .evidence_all([ended.seq, get.seq])
    })
}

/// The last event of the response to the first call of a tool, which ends with it.
fn last_event(trace: &Trace) -> Option<Moment> {
    let is_call = |message: &Message| message.method() == Some("tools/call");
    let mut calls = trace.messages().filter(|(event, _)| event.party == Party::Client);
    let (call, _) = calls.find(|(_, message)| is_call(message))?;
    // The events of the response have the connection and the number of the POST.
    let exchange = (call.connection, call.exchange);
    let events = trace.events.iter().filter(|event| (event.connection, event.exchange) == exchange);
    let mut moments = events.filter_map(|event| match &event.kind {
        EventKind::SseEvent { id, .. } => {
            Some(Moment { seq: event.seq, at: event.at, id: id.clone() })
        }
        _ => None,
    });
    moments.next_back()
}

fn gets(trace: &Trace) -> Vec<Moment> {
    let gets = trace.events.iter().filter_map(|event| match &event.kind {
        EventKind::HttpRequest { method, headers, .. } if method == "GET" => {
            let known =
                headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(header::LAST_EVENT_ID));
            let id = known.map(|(_, id)| id.clone());
            Some(Moment { seq: event.seq, at: event.at, id })
        }
        _ => None,
    });
    gets.collect()
}

proofs! {
    passes on good_client();
    catches "client-sse-graceful-reconnect" on never(), under Official;
    warns "client-sse-graceful-reconnect" on never();
    // A stream that was open before the call resumes nothing.
    warns "client-sse-graceful-reconnect" on only_before();
    warns "client-sse-last-event-id" on only_before(), under Official;
    warns "client-sse-last-event-id" on without_call(), under Official;
    catches "client-sse-retry-timing" on immediately();
    warns "client-sse-last-event-id" on without_last_event_id();
    warns "client-sse-resumes" on with_foreign_event_id();
}
