//! `client-optional-http`.

use mcp_test_core::client::RequestOptions;
use mcp_test_core::clock;
use mcp_test_core::server::refused_reply::RefusedReply;
use mcp_test_core::trace::ReceivedMessage;
use mcp_test_core::transport::ClientEnd;
use mcp_test_core::transport::event_form::EventForm;

use crate::scenarios::exchange::exchanges;
use crate::scenarios::http_exchange::{
    AfterGet, HttpExchange, after_get, http_exchanges, stopped_at_get,
};
use crate::scenarios::listing_client::{leaving_pings, list_answering, never_listed};
use crate::scenarios::listing_server::{REPLY_TIME, knowing_first, one_tool, server};
use crate::scenarios::prelude::*;

scenario! {
    /// The server does what HTTP and MCP allow, and what few servers do. In the handshake era it refuses GET and DELETE with HTTP 405, and
    /// before it answers `tools/list` it sends several `ping` requests: the replies to them are refused with HTTP 400 and various bodies,
    /// one of them gets a response that breaks off, and the next `ping` shows each time whether the client goes on.
    ///
    /// At 2026-07-28 the names of all headers are in upper case, and the response to the first `tools/list` breaks off after an event.
    Client "client-optional-http": "The client does without what HTTP leaves open",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!(GET,
            "The client goes on when its GET is refused with HTTP 405, and does not repeat it in a tight loop",
            [TRANSPORT_HTTP_GET_405_TOLERATED]),
        check!(BODIES,
            "The client goes on after HTTP 400 without a body, with a text, and with an error that has no id",
            [TRANSPORT_HTTP_ERROR_BODY_TOLERATED])
            .within(Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25), "from 2026-07-28 on, clients send no replies"),
        check!(BROKEN, "The client goes on in its session after a response that broke off",
            [TRANSPORT_HTTP_DISCONNECT_TOLERATED]),
        check!(DELETE, "The client exits without an error when its DELETE is refused with HTTP 405",
            [TRANSPORT_HTTP_SESSION_DELETE_405_TOLERATED]),
        check!(NAMES, "The client reads a response whose headers have names in upper case",
            [TRANSPORT_HTTP_HEADER_NAMES_CASE_INSENSITIVE]),
        check!(REPEATS,
            "After a response that broke off the client repeats the request under another id, and resumes nothing",
            [TRANSPORT_HTTP_REISSUE_NEW_ID]),
    ],
}

const GET: &str = "client-tolerates-refused-get";
const BODIES: &str = "client-tolerates-error-bodies";
const BROKEN: &str = "client-tolerates-disconnect";
const DELETE: &str = "client-tolerates-refused-delete";
const NAMES: &str = "client-reads-header-names";
const REPEATS: &str = "client-repeats-lost-request";

/// How the server answers the POSTs of the replies, and what that is, for people.
const REFUSALS: [(RefusedReply, &str); 4] = [
    (RefusedReply::Empty, "HTTP 400 without a body"),
    (RefusedReply::Text, "HTTP 400 with a text"),
    (RefusedReply::ErrorWithoutId, "HTTP 400 with an error that has no id"),
    (RefusedReply::BrokenOff, "a response that broke off"),
];

/// How long an event may take to the client.
const ON_ITS_WAY: Duration = Duration::from_millis(50);

/// So many GETs within this time are a tight loop.
const LOOP: (usize, Duration) = (10, Duration::from_secs(1));

fn serve(test: &ClientTest) -> Server {
    let faults = match test.era() {
        Era::Stateless => vec![Fault::misbehavior(Misbehavior::UpperCaseHeaders)],
        Era::Handshake => ["GET", "DELETE"]
            .into_iter()
            .flat_map(|method| {
                let plain = Fault::no_header(method, "Content-Type");
                [Fault::status(method, 405), Fault::empty_body(method), plain]
            })
            .collect(),
    };
    let era = test.era();
    let list = move |call: Call, is_first: bool| async move {
        // A client may speak another era than the one that is tested.
        match call.revision().era() {
            spoken if !is_first || spoken != era => {}
            Era::Stateless => return lose(&call).await,
            Era::Handshake => refuse_replies(&call).await,
        }
        one_tool(call).await
    };
    server(test).faults(faults).on("tools/list", knowing_first(list))
}

/// Begins a stream with an event that has an id, and breaks it off.
async fn lose(call: &Call) -> Answer {
    let params = json!({ "level": "info", "data": "a message" });
    // Fails only if the client has gone, which the missing repetition shows.
    let _sent = call.written(EventForm::WithId).notify("notifications/message", params).await;
    // Without it a client may see a connection that was closed before it was used. No fence can replace it: in this era a client answers
    // nothing that a server sends, and one that waits for its list sends nothing else. Where the time is too short, a client may take the
    // whole response for lost, and repeats the request under another id all the same; one that gives up instead is not judged.
    clock::quiet(ON_ITS_WAY).await;
    Answer::close()
}

/// Sends a `ping` for each way to refuse the reply, and one more, until one is not answered.
async fn refuse_replies(call: &Call) {
    for how in REFUSALS.map(|(how, _)| Some(how)).into_iter().chain([None]) {
        let reply = async {
            match how {
                Some(how) => call.request_refusing("ping", json!({}), how).await,
                None => call.request("ping", json!({})).await,
            }
        };
        if !matches!(clock::within(Deadline::after(REPLY_TIME), reply).await, Ok(Ok(_))) {
            return;
        }
    }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let succeeded = matches!(judging.client_end().0, ClientEnd::Succeeded | ClientEnd::Unobserved);
    let has_listed = !judging.requests("tools/list").is_empty();
    if !judging.revision().has_handshake() {
        if header_names(judging, succeeded) && !has_listed {
            return Err(never_listed(judging));
        }
        repeats(judging);
        return Ok(());
    }
    let exchanges = http_exchanges(judging);
    let goes_on = refused_get(judging, &exchanges, succeeded, has_listed);
    if goes_on && !has_listed {
        return Err(never_listed(judging));
    }
    let survived = refused_replies(judging);
    refused_delete(judging, &exchanges, succeeded, survived);
    Ok(())
}

/// Judges what the client does after HTTP 405 to its GET; `false` if it stopped.
fn refused_get(
    judging: &mut Judging,
    exchanges: &[HttpExchange],
    succeeded: bool,
    has_listed: bool,
) -> bool {
    let gets: Vec<&HttpExchange> = exchanges.iter().filter(|it| it.method == "GET").collect();
    let is_loop = |window: &&[&HttpExchange]| {
        let spent = |(first, last): (&&HttpExchange, &&HttpExchange)| last.at - first.at;
        window.first().zip(window.last()).is_some_and(|ends| spent(ends) < LOOP.1)
    };
    let check = judging.check(GET);
    if let Some(window) = gets.windows(LOOP.0).find(is_loop) {
        check.fail(
            Finding::peer(
                "the client repeats a GET in a tight loop that was refused with HTTP 405",
            )
            .expected("a client that does without the stream")
            .got(format!("{} GETs within {}", LOOP.0, clock::format_duration(LOOP.1)))
            .evidence_all(window.iter().map(|get| get.sent)),
        );
        return true;
    }
    match after_get(exchanges) {
        AfterGet::NoGet => check.skip("the client sent no GET"),
        AfterGet::WentOn => check.pass(),
        AfterGet::Stopped(_) if succeeded => check.pass(),
        AfterGet::Stopped(_) if has_listed => {
            check.skip("the GET was the last that the client sent")
        }
        AfterGet::Stopped(get) => {
            check.fail(stopped_at_get("HTTP 405 to its GET", get));
            return false;
        }
    };
    true
}

/// Judges what the client does after its replies were refused; `true` if it has answered every `ping`.
fn refused_replies(judging: &mut Judging) -> bool {
    let pings = exchanges(judging, |request| request.method == "ping");
    let answered = pings.iter().take_while(|(_, reply)| reply.is_some()).count();
    let mut judge = |id: &str, refusals: std::ops::RangeInclusive<usize>| {
        let check = judging.check(id);
        // The `ping` after a refusal shows whether the client goes on.
        let missing =
            refusals.clone().find(|refused| answered == refused + 1 && pings.len() > answered);
        match missing {
            Some(refused) => check.fail(
                Finding::peer(format!("the client stopped after {}", REFUSALS[refused].1))
                    .expected("a reply to the next `ping`")
                    .got("no reply before the client exited")
                    .evidence_all([pings[refused].0, pings[answered].0]),
            ),
            None if answered > refusals.end() + 1 => check.pass(),
            None => check.skip("the client did not answer a `ping` before"),
        };
    };
    let last = REFUSALS.len() - 1;
    judge(BODIES, 0..=last - 1);
    judge(BROKEN, last..=last);
    answered > REFUSALS.len()
}

fn refused_delete(
    judging: &mut Judging,
    exchanges: &[HttpExchange],
    succeeded: bool,
    survived: bool,
) {
    let check = judging.check(DELETE);
    let delete = exchanges.iter().find(|it| it.method == "DELETE" && it.answered.is_some());
    let Some(delete) = delete else {
        check.skip("the client sent no DELETE");
        return;
    };
    let is_last = exchanges.last().is_some_and(|last| last.method == "DELETE");
    if succeeded {
        check.pass();
    } else if survived && is_last {
        check.fail(
            Finding::peer("the client did not exit in order after HTTP 405 to its DELETE")
                .expected("an exit without an error")
                .got("a client that did not exit without an error")
                .shown_by_exit()
                .evidence_all(delete.answered),
        );
    } else {
        check.skip("the client failed before");
    }
}

/// Judges whether the client read the first answer; `false` if it did not.
fn header_names(judging: &mut Judging, succeeded: bool) -> bool {
    let exchanges = http_exchanges(judging);
    let check = judging.check(NAMES);
    let first = exchanges.first().filter(|first| {
        let is_list = |message: &ReceivedMessage| message.method() == "tools/list";
        first.answered.is_some() && !first.message.as_ref().is_some_and(is_list)
    });
    let Some(first) = first else {
        check.skip("the response to the first request of the client breaks off");
        return true;
    };
    if exchanges.iter().any(|later| later.follows(first)) {
        check.pass();
    } else if succeeded {
        check.skip("the client sent nothing after its first request");
    } else {
        check.fail(
            Finding::peer(
                "the client stopped after a response whose headers have names in upper case",
            )
            .expected("another message, since the names of headers have no case")
            .got("none, and a client that did not exit without an error")
            .evidence_all(first.answered),
        );
        return false;
    }
    true
}

/// Judges what the client does after the response to its first `tools/list` broke off.
fn repeats(judging: &mut Judging) {
    let lists = judging.requests("tools/list");
    let Some((lost, later)) = lists.split_first() else {
        judging.check(REPEATS).skip("the client stopped before it listed the tools");
        return;
    };
    let again = later.iter().find(|it| it.params().get("cursor").is_none());
    if again.is_none() {
        judging.tolerate_failed_exit();
    }
    let finding = |headline: &str| {
        Finding::peer(headline)
            .expected("the same request under another id, or none")
            .evidence(lost.seq)
    };
    let resumed = resumption(judging, lost.seq);
    let check = judging.check(REPEATS);
    match (resumed, again) {
        (Some((seq, got)), _) => check.fail(
            finding("the client tries to resume a response that was lost").got(got).evidence(seq),
        ),
        (None, Some(again)) if again.message.id() == lost.message.id() => check.fail(
            finding("the client repeats a request that was lost under the same id")
                .got(lost.message.id().map(ToString::to_string).unwrap_or_default())
                .evidence(again.seq),
        ),
        (None, Some(_)) => check.pass(),
        (None, None) => check.skip("the client did not repeat the request"),
    };
}

/// The first HTTP request after that event that means to resume something.
fn resumption(judging: &Judging, after: Seq) -> Option<(Seq, String)> {
    let trace = judging.trace();
    let of_client = trace.events.iter().filter(|it| it.party == Party::Client && it.seq > after);
    let mut resuming = of_client.filter_map(|event| match &event.kind {
        EventKind::HttpRequest { method, headers, .. } => {
            let mut named = headers.iter();
            let id = named.find(|(name, _)| name.eq_ignore_ascii_case(header::LAST_EVENT_ID));
            let with = id.map(|(name, id)| format!(" with `{name}: {id}`"));
            (method == "GET" || with.is_some())
                .then(|| (event.seq, format!("a {method}{}", with.unwrap_or_default())))
        }
        _ => None,
    });
    resuming.next()
}

/// Sends GET as often as `gets` says, lists the tools, and answers so many pings.
fn answering(gets: usize, answered: usize) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(leaving_pings(&task)).await?;
        for _ in 0..gets {
            // Refused, as it should be.
            let _refused = client.listen().await;
        }
        list_answering(&mut client, answered).await?.result()?;
        client.end().await;
        Ok(())
    })
}

fn stops_at_an_empty_body() -> ScriptedClient {
    answering(1, 1)
}

fn stops_at_a_text() -> ScriptedClient {
    answering(1, 2)
}

fn stops_at_an_error_without_an_id() -> ScriptedClient {
    answering(1, 3)
}

fn stops_at_a_broken_response() -> ScriptedClient {
    answering(1, 4)
}

fn repeats_its_get() -> ScriptedClient {
    answering(LOOP.0, usize::MAX)
}

/// Takes the refusal of its GET for the end of the connection.
fn stops_at_405() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let _refused = client.listen().await;
        drop(client);
        Err("no stream".into())
    })
}

/// Takes the refusal of its DELETE for an error.
fn fails_after_delete() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        good_client().run(task.endpoint().clone()).await?;
        Err("the session was not deleted".into())
    })
}

/// Cannot read the first response.
fn stops_at_the_first_response() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        let _unread = client.discover().await?.outcome();
        drop(client);
        Err("no header `content-type`".into())
    })
}

/// Sends its request again under the same id.
fn repeats_the_id() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        for _ in 0..2 {
            let mut client = task.connect(task.options()).await?;
            client.discover().await?.result()?;
            let list = RequestOptions::new().id("list");
            if let Ok(page) = client.request_with("tools/list", json!({}), list).await {
                page.result()?;
            }
            client.end().await;
        }
        Ok(())
    })
}

/// Sends a GET with the id of the last event, and the request under a new id.
fn resumes() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        client.discover().await?.result()?;
        let _lost = client.request("tools/list", json!({})).await;
        let get = HttpRequest::get().header("Accept", "text/event-stream");
        let get = get.header(header::LAST_EVENT_ID, "1");
        task.open().await?.http(get, Deadline::after(Duration::from_secs(20))).await?;
        client.request("tools/list", json!({})).await?.result()?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "client-tolerates-refused-get" on repeats_its_get(), at V2025_11_25;
    catches "client-tolerates-refused-get" on stops_at_405(), at V2025_11_25;
    catches "client-tolerates-error-bodies" on stops_at_an_empty_body(), at V2025_11_25;
    catches "client-tolerates-error-bodies" on stops_at_a_text(), at V2025_06_18;
    catches "client-tolerates-error-bodies" on stops_at_an_error_without_an_id(), at V2025_03_26;
    catches "client-tolerates-disconnect" on stops_at_a_broken_response(), at V2025_11_25;
    catches "client-tolerates-refused-delete" on fails_after_delete(), at V2025_11_25;
    catches "client-reads-header-names" on stops_at_the_first_response();
    catches "client-repeats-lost-request" on repeats_the_id();
    catches "client-repeats-lost-request" on resumes();
}
