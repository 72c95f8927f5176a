//! `client-event-streams`.

mod judge;
mod partial_readers;

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::clock;
use mcp_test_core::transport::event_form::EventForm;

use super::client_event_streams::judge::judge;
use super::client_event_streams::partial_readers::{
    answers_no_ping, breaks_characters, reads_no_batch, reads_no_comments, reads_no_cr,
    reads_no_crlf, reads_no_other_fields, reads_no_stream, reads_one_data_field, stops_at_a_mark,
    stops_at_pieces,
};
use crate::scenarios::listing_server::{REPLY_TIME, server};
use crate::scenarios::prelude::*;

scenario! {
    /// The server answers every request with an event stream, and writes the events in the forms that the format allows. The pages of
    /// `tools/list` arrive one byte at a time; the cursor of the second page has characters of two, three and four bytes.
    ///
    /// In the handshake era the server sends a `ping` in each form before it answers `tools/list`: the reply shows that the client has read
    /// it. At 2026-07-28, where servers send no requests, each page comes in another form: the request for the next page shows that.
    /// What a client exits without, and without an error, is not judged.
    Client "client-event-streams": "The client reads event streams in every form",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!(FIRST,
            "The client goes on after the first answer of the server, an event stream, which at 2025-11-25 begins with an event without data",
            &[BOTH, Requirement::TRANSPORT_HTTP_SSE_PRIMING_TOLERATED]),
        check!(BEFORE, "The client answers a `ping` that comes on the stream of a request before the answer",
            [TRANSPORT_HTTP_SERVER_MESSAGES_ON_POST_TOLERATED]),
        check!(PIECES, "The client reads an event whose lines and characters arrive in pieces",
            &[BOTH]),
        check!(COMMENTS, "The client ignores comments before, in and after an event",
            &[BOTH, Requirement::TRANSPORT_HTTP_SSE_COMMENT_IGNORED]),
        check!(FIELDS,
            "The client reads an event with its type, without spaces after the colons, and with unknown fields",
            &[BOTH]),
        check!(LINES, "The client reads an event with two `data` fields", &[BOTH]),
        check!(CRLF, "The client reads an event whose lines end with CR LF",
            &[BOTH]).named("ClientReadsCrLf"),
        check!(BATCH, "The client reads an event with an array of a notification and a request",
            [TRANSPORT_HTTP_SSE_BATCHED_TOLERATED]),
        check!(CR, "The client reads an event whose lines end with CR", &[BOTH]),
        check!(MARK, "The client reads a stream that begins with a byte order mark", &[BOTH]),
    ],
}

/// The revisions with a handshake that have Streamable HTTP.
const HANDSHAKE: Revisions = Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25);

const FIRST: &str = "client-reads-streamed-answer";
const BEFORE: &str = "client-reads-messages-before-answer";
const PIECES: &str = "client-reads-event-streams";
const COMMENTS: &str = "client-ignores-comments";
const FIELDS: &str = "client-reads-event-fields";
const LINES: &str = "client-joins-data-lines";
const CRLF: &str = "client-reads-crlf";
const BATCH: &str = "client-reads-batched-events";
const CR: &str = "client-reads-cr";
const MARK: &str = "client-skips-byte-order-mark";

const BOTH: &Requirement = Requirement::TRANSPORT_HTTP_CLIENT_HANDLES_BOTH;

/// A check, and the form that it is about.
type Step = (&'static str, EventForm);

/// What the server sends in the order in which fewer readers understand it.
const FORMS: [Step; 4] = [
    (COMMENTS, EventForm::Comments),
    (FIELDS, EventForm::Fields),
    (LINES, EventForm::TwoDataLines),
    (CRLF, EventForm::CrLf),
];
const LAST_FORM: Step = (CR, EventForm::Cr);

/// The forms in which a `ping` is sent before the list.
fn pings(revision: Revision) -> Vec<Step> {
    if revision.era() == Era::Stateless {
        return Vec::new();
    }
    let batch = revision.has_batches().then_some((BATCH, EventForm::Plain));
    FORMS.into_iter().chain(batch).chain([LAST_FORM]).collect()
}

/// The forms of the pages after the first.
fn pages(revision: Revision) -> Vec<Step> {
    // A byte order mark has to be the beginning of its stream.
    let mark = (MARK, EventForm::ByteOrderMark);
    match revision.era() {
        Era::Handshake => vec![mark],
        Era::Stateless => FORMS.into_iter().chain([LAST_FORM, mark]).collect(),
    }
}

/// The cursor of the second page.
const CURSOR: &str = "page-2-\u{e9}\u{20ac}\u{1f600}";

/// The cursor of a page after the first, whose index is 0.
fn cursor(page: usize) -> String {
    if page == 1 { CURSOR.to_owned() } else { format!("page-{}", page + 1) }
}

fn serve(test: &ClientTest) -> Server {
    let is_sent = Arc::new(AtomicBool::new(false));
    let server = server(test).streaming_replies().faults([Fault::sse_split("tools/list")]);
    server.on("tools/list", move |call: Call| {
        // Once only: a client may list the tools again.
        let is_sent = Arc::clone(&is_sent);
        async move {
            if call.param("cursor").is_none() && !is_sent.swap(true, Ordering::Relaxed) {
                send_pings(&call).await;
            }
            page(call).await
        }
    })
}

/// Sends a `ping` in each form, until one is not answered. The first one has the plain form.
async fn send_pings(call: &Call) {
    let steps = pings(call.revision());
    if steps.is_empty() {
        return;
    }
    for (id, form) in [(BEFORE, EventForm::Plain)].into_iter().chain(steps) {
        let call = call.written(form);
        let reply = async {
            if id == BATCH {
                ping_in_batch(&call).await
            } else {
                call.request("ping", json!({})).await.is_ok()
            }
        };
        if !matches!(clock::within(Deadline::after(REPLY_TIME), reply).await, Ok(true)) {
            return;
        }
    }
}

/// Sends a notification and a `ping` in one array; whether the `ping` was answered.
async fn ping_in_batch(call: &Call) -> bool {
    let request = call.open();
    let params = json!({ "level": "info", "data": "a message" });
    let notification =
        json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
    let id = request.id().to_value().to_serde();
    let ping = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    call.send_raw(json!([notification, ping]).into()).await.is_ok()
        && request.reply().await.is_some()
}

async fn page(call: Call) -> Answer {
    let forms = pages(call.revision());
    let asked = call.param("cursor").and_then(Value::as_str);
    let page = asked.and_then(|asked| (1..=forms.len() + 1).find(|page| cursor(*page) == asked));
    let page = page.unwrap_or_default();
    let mut result = json!({ "tools": [{ "name": format!("tool_{page}"), "inputSchema": { "type": "object" } }] });
    if page <= forms.len() {
        result["nextCursor"] = cursor(page + 1).into();
    }
    let answer = Answer::from(result);
    // The first page and the last one are plain.
    let form = page.checked_sub(1).and_then(|index| forms.get(index));
    match form {
        Some((_, form)) if call.written(*form).reply(&answer).await => Answer::already_sent(),
        _ => answer,
    }
}

proofs! {
    passes on good_client();
    catches "client-reads-streamed-answer" on reads_no_stream(), at V2025_11_25;
    catches "client-reads-messages-before-answer" by never("ping"), at V2025_03_26;
    catches "client-reads-messages-before-answer" on answers_no_ping();
    catches "client-reads-event-streams" on breaks_characters();
    catches "client-reads-event-streams" on stops_at_pieces();
    // At 2026-07-28 by the pages, before that by the pings.
    catches "client-ignores-comments" on stops_at_a_mark();
    catches "client-ignores-comments" on reads_no_comments(), at V2025_11_25;
    catches "client-reads-event-fields" on reads_no_other_fields(), at V2025_11_25;
    catches "client-joins-data-lines" on reads_one_data_field(), at V2025_11_25;
    catches "client-reads-crlf" on reads_no_crlf(), at V2025_11_25;
    catches "client-reads-cr" on reads_no_batch(), at V2025_11_25;
    catches "client-reads-batched-events" on reads_no_batch(), at V2025_03_26;
    catches "client-reads-cr" on reads_no_cr(), at V2025_03_26;
    catches "client-skips-byte-order-mark" on stops_at_a_mark(), at V2025_11_25;
}
