//! The verdicts on what the client has read.

use mcp_test_core::transport::ClientEnd;
use mcp_test_core::transport::event_form::EventForm;

use super::{
    BATCH, BEFORE, BOTH, COMMENTS, CR, CRLF, CURSOR, FIELDS, FIRST, HANDSHAKE, LINES, PIECES,
    cursor, pages, pings,
};
use crate::scenarios::exchange::exchanges;
use crate::scenarios::listing_client::never_listed;
use crate::scenarios::prelude::*;

pub(super) fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let succeeded = matches!(judging.client_end().0, ClientEnd::Succeeded | ClientEnd::Unobserved);
    let reads_answers = streamed_answer(judging, succeeded);
    let requests = judging.requests("tools/list");
    if requests.is_empty() {
        if reads_answers {
            return Err(never_listed(judging));
        }
        let steps = [pings(judging.revision()), pages(judging.revision())].concat();
        let before = HANDSHAKE.contains(judging.revision()).then_some(BEFORE);
        for id in before.into_iter().chain([PIECES]).chain(steps.into_iter().map(|(id, _)| id)) {
            judging.check(id).skip("the client stopped before it listed the tools");
        }
        return Ok(());
    }
    let reads_pings = answered_pings(judging);
    let asked: Vec<(Seq, Option<Value>)> =
        requests.iter().map(|it| (it.seq, it.params().get("cursor").cloned())).collect();
    let excuse = match (succeeded, reads_pings) {
        (true, _) => Some("the client asked for the first page only"),
        // What comes after an event that broke the reader is on the same stream.
        (false, false) => Some("the client did not answer a `ping` before"),
        (false, true) => None,
    };
    pieces(judging, &asked, excuse);
    let has_cursor = |page: usize| {
        let cursor = Value::from(cursor(page).as_str());
        asked.iter().find(|(_, asked)| asked.as_ref() == Some(&cursor)).map(|(seq, _)| *seq)
    };
    for (index, (id, form)) in pages(judging.revision()).into_iter().enumerate() {
        let requirement = requirement(judging, form);
        let check = judging.check(id).requires(requirement);
        match (has_cursor(index + 1), has_cursor(index + 2)) {
            (_, Some(_)) => check.pass(),
            (None, None) => check.skip("the client did not ask for the page in this form"),
            (Some(_), None) if succeeded => check.skip("the client asked for no further page"),
            (Some(seq), None) => check.fail(
                Finding::peer(format!("the client did not go on after {}", said(id)))
                    .expected(
                        "`tools/list` with the cursor of that page, or an exit without an error",
                    )
                    .got("no further `tools/list`, and a client that did not exit without an error")
                    .evidence(seq),
            ),
        };
    }
    Ok(())
}

/// What a step sends, for people.
fn said(id: &str) -> &'static str {
    match id {
        BEFORE => "a `ping` before the answer to its request",
        COMMENTS => "an event with comments",
        FIELDS => "an event with other fields, and without spaces after the colons",
        LINES => "an event with two `data` fields",
        CRLF => "an event whose lines end with CR LF",
        BATCH => "an event with an array of messages",
        CR => "an event whose lines end with CR",
        _ => "a stream that begins with a byte order mark",
    }
}

/// What a client breaks that does not read this form.
fn requirement(judging: &Judging, form: EventForm) -> &'static Requirement {
    match form {
        EventForm::Comments => Requirement::first_at(
            judging.revision(),
            &[Requirement::TRANSPORT_HTTP_SSE_COMMENT_IGNORED, BOTH],
        ),
        _ => BOTH,
    }
}

/// Judges whether the client went on after the first answer; `false` if it did not.
fn streamed_answer(judging: &mut Judging, succeeded: bool) -> bool {
    let trace = judging.trace();
    let is_answer = |message: &Message| matches!(message, Message::Response(_));
    let answered = trace
        .messages()
        .find(|(event, message)| event.party == Party::Server && is_answer(message));
    let answered = answered.map(|(event, _)| event.seq);
    let messages = judging.messages();
    let primed = Requirement::TRANSPORT_HTTP_SSE_PRIMING_TOLERATED;
    let requirement = Requirement::first_at(judging.revision(), &[primed, BOTH]);
    let check = judging.check(FIRST);
    let check = check.requires(requirement);
    let Some(answered) = answered else {
        check.skip("the server had no request to answer with a result");
        return true;
    };
    if messages.first().is_some_and(|first| first.method() == "tools/list") {
        check.skip("the first request of the client was for the list, which arrives in pieces");
        return true;
    }
    if messages.iter().any(|received| received.seq > answered) {
        // At 2025-11-25 both: a stream, and an event without data.
        if requirement == primed {
            check.pass().requires(BOTH).pass()
        } else {
            check.pass()
        };
        return true;
    }
    if succeeded {
        check.skip("the client sent nothing after its first request");
        return true;
    }
    check.fail(
        Finding::peer("the client did not go on after an answer in an event stream")
            .expected("another message, since the stream has the result")
            .got("none, and a client that did not exit without an error")
            .evidence(answered),
    );
    false
}

/// Judges the replies to the pings, up to the first one that is missing; `false` if one is.
fn answered_pings(judging: &mut Judging) -> bool {
    let steps = pings(judging.revision());
    if steps.is_empty() {
        return true;
    }
    let pings = exchanges(judging, |request| request.method == "ping");
    let answered = pings.iter().take_while(|(_, reply)| reply.is_some()).count();
    for (index, (id, form)) in [(BEFORE, EventForm::Plain)].into_iter().chain(steps).enumerate() {
        let requirement = requirement(judging, form);
        let check = judging.check(id);
        let check = if matches!(id, BEFORE | BATCH) { check } else { check.requires(requirement) };
        match pings.get(index) {
            Some(_) if index < answered => check.pass(),
            Some((seq, _)) if index == answered => check.fail(
                Finding::peer(format!("the client did not read {}", said(id)))
                    .expected("a reply to the `ping`")
                    .got("no reply before the client exited")
                    .evidence(*seq),
            ),
            _ if answered == 0 => check.skip("the client answered no `ping`"),
            _ => check.skip("the client did not answer the `ping` before"),
        };
    }
    answered == pings.len()
}

/// Judges the cursor of the first page, whose bytes arrive one by one.
fn pieces(judging: &mut Judging, asked: &[(Seq, Option<Value>)], excuse: Option<&str>) {
    let next = asked.iter().find_map(|(seq, cursor)| Some((*seq, cursor.as_ref()?)));
    let finding = |headline: &str| {
        Finding::peer(headline)
            .expected(format!("`tools/list` with the cursor {CURSOR:?} of the first page"))
            .evidence_all(asked.first().map(|(seq, _)| *seq))
    };
    let check = judging.check(PIECES);
    match next {
        Some((_, cursor)) if cursor.as_str() == Some(CURSOR) => check.pass(),
        Some((seq, cursor)) => check.fail(
            finding("the client sent a cursor other than that of the event")
                .got(cursor.short(120))
                .evidence(seq),
        ),
        None if excuse.is_some() => check.skip(excuse.unwrap_or_default()),
        None => check.fail(
            finding("the client did not go on after an event that arrived in pieces")
                .got("no further `tools/list`, and a client that did not exit without an error"),
        ),
    };
}
