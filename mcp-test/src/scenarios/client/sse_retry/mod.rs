//! `sse-retry`.

mod by_hand;

use std::time::Duration;

use serde_json::json;

use self::by_hand::{anew, astray, at_once, never};
use super::references::SEP_1699;
use crate::check::Finding;
use crate::client::reference::good_client;
use crate::clock;
use crate::json::Value;
use crate::scenario::{CheckSpec, Judging, Official, Profile, Stage};
use crate::server::{Answer, Call, Server};
use crate::spec::{Revision, Revisions, error_code, header};
use crate::trace::{Party, Seq, Trace, What};
use crate::wire::Message;
use crate::{proofs, scenario};

scenario! {
    /// The server ends the event stream of a tool's call before its result, and says when to come back for the rest; the
    /// client comes back then, and says what it has seen.
    ///
    /// The official checks count any GET, also one that has nothing to do with the call, and any `Last-Event-ID`; our own
    /// compares it with the last event of the stream that ended.
    Client "sse-retry": "The client comes back for the rest of an event stream",
    revisions: Revisions::only(Revision::V2025_11_25),
    official: Official::active(Revisions::only(Revision::V2025_11_25)),
    checks: [
        CheckSpec::official(
            "client-sse-graceful-reconnect",
            "ClientGracefulReconnect",
            "The client sends a GET after the stream has ended",
            &[SEP_1699],
        )
        .requires(&["transport.http.client-polls-after-close"])
        .also_warns(),
        CheckSpec::official(
            "client-sse-retry-timing",
            "ClientRespectsRetryField",
            "The client comes back no sooner than it was told to; only made if it comes back",
            &[SEP_1699],
        )
        .requires(&["transport.http.client-respects-retry"])
        .conditional(),
        CheckSpec::official(
            "client-sse-last-event-id",
            "ClientSendsLastEventId",
            "A GET has the header `Last-Event-ID`; only made if there is a GET",
            &[SEP_1699],
        )
        .requires(&["transport.http.resume-last-event-id"])
        .conditional()
        .warns(),
        CheckSpec::own(
            "client-sse-resumes",
            "ClientSseResumes",
            "`Last-Event-ID` is the id of the last event of the stream that has ended",
        )
        .requires(&["transport.http.resume-last-event-id"])
        .warns(),
    ],
}

const TOOL: &str = "test_reconnection";
const RETRY: Duration = Duration::from_millis(500);
/// Timers are not exact, and some go off a little early.
const AT_LEAST: Duration = Duration::from_millis(450);

fn serve(stage: &Stage) -> Server {
    Server::new(json!({"name": "sse-retry-server", "version": "1.0.0"}))
        .revisions(Revisions::until(stage.revision))
        .capabilities(json!({"tools": {}}))
        .retry(RETRY)
        .on("tools/list", |_: Call| async {
            let takes = json!({"type": "object", "properties": {}});
            json!({"tools": [{"name": TOOL, "description": "Takes its time.", "inputSchema": takes}]})
        })
        .on("tools/call", |call: Call| async move {
            if call.param("name").and_then(Value::as_str) != Some(TOOL) {
                return Answer::error(error_code::INVALID_PARAMS, "there is no such tool");
            }
            call.end_stream().await.ok();
            let text = "Reconnection test completed successfully";
            json!({"content": [{"type": "text", "text": text}]}).into()
        })
}

/// Something on the wire that a client sees, or does, at a moment.
struct Moment {
    seq: Seq,
    at: Duration,
    /// The id of the event that is sent, or the last one that is known.
    id: Option<String>,
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let trace = judging.trace();
    let Some(ended) = last_event(&trace) else {
        return Err(judging
            .undone("the client never got as far as the stream that ends")
            .expected(format!("a call of `{TOOL}`"))
            .got("no event stream of a tool's call in the whole conversation"));
    };
    let gets = gets(&trace);
    let back = gets.iter().rfind(|get| get.seq > ended.seq);
    let absent = || {
        Finding::peer("the client does not come back for the rest of the stream")
            .expected(format!("a GET {} after the stream has ended", clock::in_words(RETRY)))
            .evidence(ended.seq)
    };
    let official = judging.profile() == Profile::Official;
    let reconnect = judging.check("client-sse-graceful-reconnect");
    match (back, gets.last()) {
        (None, None) => reconnect.officially_must_judge(
            Err(absent().got("no GET at all")),
            "the specification recommends it: SHOULD",
        ),
        (None, Some(get)) if !official => reconnect
            .fail(absent().got("a GET before that, and none since").evidence(get.seq).should()),
        _ => reconnect.pass(),
    };
    if let Some(get) = back.or(gets.last().filter(|_| official)) {
        judging.check("client-sse-retry-timing").judge(patient(&ended, get));
    }
    if let Some(first) = gets.first() {
        let known = gets.iter().any(|get| get.id.is_some());
        let unknown = Finding::peer("the client does not say what it has seen of the stream")
            .expected("a GET with `Last-Event-ID`")
            .got("a GET without")
            .evidence(first.seq);
        judging.check("client-sse-last-event-id").judge(if known { Ok(()) } else { Err(unknown) });
    }
    let resumes = judging.check("client-sse-resumes");
    match back {
        None => resumes.skip("the client does not come back"),
        Some(get) if get.id == ended.id => resumes.pass(),
        Some(get) => resumes.fail(
            Finding::peer("the client comes back for something else")
                .expected(format!("`Last-Event-ID` {:?}", ended.id.as_deref().unwrap_or_default()))
                .got(get.id.as_ref().map_or("none".to_owned(), |id| format!("{id:?}")))
                .evidence_all([ended.seq, get.seq]),
        ),
    };
    Ok(())
}

/// That the client has waited as long as it was told to.
fn patient(ended: &Moment, get: &Moment) -> Result<(), Finding> {
    let waited = get.at.saturating_sub(ended.at);
    if get.seq > ended.seq && waited >= AT_LEAST {
        return Ok(());
    }
    Err(Finding::peer("the client comes back sooner than it was told to")
        .expected(format!("a GET no sooner than {} after the event", clock::in_words(RETRY)))
        .got(format!("a GET after {}", clock::in_words(waited)))
        .evidence_all([ended.seq, get.seq]))
}

/// The last event of the response to the first call of a tool, which ends with it.
fn last_event(trace: &Trace) -> Option<Moment> {
    let is_call = |message: &Message| message.method() == Some("tools/call");
    let mut calls = trace.messages().filter(|(event, _)| event.party == Party::Client);
    let (call, _) = calls.find(|(_, message)| is_call(message))?;
    let same = (call.connection, call.exchange);
    let events = trace.events.iter().filter(|event| (event.connection, event.exchange) == same);
    let mut moments = events.filter_map(|event| match &event.what {
        What::SseEvent { id, .. } => Some(Moment { seq: event.seq, at: event.at, id: id.clone() }),
        _ => None,
    });
    moments.next_back()
}

fn gets(trace: &Trace) -> Vec<Moment> {
    let gets = trace.events.iter().filter_map(|event| match &event.what {
        What::HttpRequest { method, headers, .. } if method == "GET" => {
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
    catches "client-sse-graceful-reconnect" on never(), also "client-sse-retry-timing" Info,
        also "client-sse-last-event-id" Info, also "client-sse-resumes" Skipped, under Official;
    warns "client-sse-graceful-reconnect" on never(), also "client-sse-retry-timing" Info,
        also "client-sse-last-event-id" Info, also "client-sse-resumes" Skipped;
    catches "client-sse-retry-timing" on at_once();
    warns "client-sse-last-event-id" on anew(), also "client-sse-retry-timing" Failure,
        also "client-sse-resumes" Warning;
    warns "client-sse-resumes" on astray(), also "client-sse-retry-timing" Failure;
}
