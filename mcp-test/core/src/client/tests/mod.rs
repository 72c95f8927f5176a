//! Every way in which a wait ends, on scripted servers.

#[cfg(feature = "http")]
mod http;
mod long_calls;
mod negotiate;
mod notifications;
mod rounds;
mod server_panics;
mod without_id;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::{Client, Handlers, Options, RequestOptions, ToolResult};
use crate::check::Finding;
use crate::clock::virtual_time;
use crate::spec::{Requirement, Revision};
use crate::trace::Recorder;
use crate::transport::{Limits, Target, TransportKind};

/// A server that reads one line for each of its own: `ID` in an answer becomes the id that was asked with.
///
/// An empty answer is none; the pipe is closed after the last one.
fn scripted(answers: &'static [&'static str]) -> Target {
    Target::duplex(move |io| async move {
        let (input, mut output) = tokio::io::split(io);
        let mut lines = BufReader::new(input).lines();
        for answer in answers {
            let Some(line) = lines.next_line().await? else { return Ok(()) };
            let asked: serde_json::Value = serde_json::from_str(&line)?;
            let answer = answer.replace("ID", &asked["id"].to_string());
            output.write_all(answer.as_bytes()).await?;
        }
        // Stay silent, and leave when the client does.
        while lines.next_line().await?.is_some() {}
        Ok(())
    })
}

/// A server over a pipe that answers each message with the lines that `answer` makes of it.
fn answering(
    answer: impl Fn(serde_json::Value) -> Vec<serde_json::Value> + Send + Sync + 'static,
) -> Target {
    let answer = Arc::new(answer);
    Target::duplex(move |io| {
        let answer = answer.clone();
        async move {
            let (input, mut output) = tokio::io::split(io);
            let mut lines = BufReader::new(input).lines();
            while let Some(line) = lines.next_line().await? {
                for message in answer(serde_json::from_str(&line)?) {
                    output
                        .write_all(
                            format!(
                                "{message}
"
                            )
                            .as_bytes(),
                        )
                        .await?;
                }
            }
            Ok(())
        }
    })
}

/// A client in the stateless era on a pipe.
async fn stateless(target: &Target, recorder: &Recorder, options: Options) -> Client {
    let connection = target.open(TransportKind::Duplex, recorder, Limits::default()).await.unwrap();
    let options = Options { revision: Revision::V2026_07_28, ..options };
    Client::uninitialized(connection, options.timeout(Duration::from_secs(20)))
}

/// A client in the handshake era on a pipe, which has time.
async fn patient(target: &Target, recorder: &Recorder) -> Client {
    let connection = target.open(TransportKind::Duplex, recorder, Limits::default()).await.unwrap();
    Client::uninitialized(connection, Options::default().timeout(Duration::from_secs(20)))
}

async fn client(target: &Target, recorder: &Recorder) -> Client {
    let connection = target.open(TransportKind::Duplex, recorder, Limits::default()).await.unwrap();
    Client::uninitialized(connection, Options::default().timeout(Duration::from_millis(200)))
}

/// The finding that ends a wait for a reply to `ping`, and whether a deadline had to fire for it.
async fn lost(answers: &'static [&'static str]) -> (Finding, bool) {
    let recorder = Recorder::new();
    let mut client = client(&scripted(answers), &recorder).await;
    let finding = client.request("ping", json!({})).await.map(drop).unwrap_err();
    (finding, recorder.trace().deadline_fired())
}

#[tokio::test]
async fn silence_fires_the_deadline() {
    let (finding, fired) = lost(&[""]).await;
    assert!(fired);
    insta::assert_snapshot!(finding, @r"
    `ping` was not answered
      expected a response with id 1 within 200 ms
      got nothing at all in that time
    ");
}

#[tokio::test]
async fn a_wrong_id_ends_the_wait() {
    let (finding, fired) = lost(&["{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n"]).await;
    assert!(!fired);
    assert_eq!(finding.requirements, [Requirement::JSONRPC_RESULT_ID_ECHO]);
    insta::assert_snapshot!(finding, @r"
    the reply to `ping` has the wrong id
      expected a response with id 1
      got id 7, which no request has
    ");
}

/// Whether two requests in a row are answered, each after so many lines that are not messages.
fn answered_after(lines: usize) -> [Result<(), Finding>; 2] {
    let target = Target::duplex(move |io| async move {
        let (input, mut output) = tokio::io::split(io);
        let mut requests = BufReader::new(input).lines();
        while let Some(request) = requests.next_line().await? {
            let request: serde_json::Value = serde_json::from_str(&request)?;
            let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": {}});
            let text = format!("{}{reply}\n", "step\n".repeat(lines));
            output.write_all(text.as_bytes()).await?;
        }
        Ok(())
    });
    virtual_time::block_on(async {
        let mut client = patient(&target, &Recorder::new()).await;
        let mut answered = async || client.request("ping", json!({})).await?.result().map(drop);
        [answered().await, answered().await]
    })
}

#[test]
fn a_reply_after_many_lines_of_a_log_is_taken_in_every_call_of_a_conversation() {
    // As many as some programs have written, twice: what came before a request does not count.
    assert_eq!(answered_after(65_000), [Ok(()), Ok(())]);
    let [first, _] = answered_after(100_000);
    let finding = first.expect_err("too many");
    assert!(finding.to_string().contains("100000 texts that are not messages"), "{finding}");
}

#[tokio::test]
async fn what_comes_in_place_of_a_reply_does_not_count_against_the_next_request() {
    let nothing = json!({"jsonrpc": "2.0", "id": null, "result": null});
    let target = answering(move |request| {
        let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": {}});
        vec![nothing.clone(), reply]
    });
    let reply = client(&target, &Recorder::new()).await.request("ping", json!({})).await;
    reply.unwrap().result().unwrap();
    let in_place = json!({"jsonrpc": "2.0", "result": {}});
    let target = answering(move |request| {
        let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": {}});
        match request["id"] == 1 {
            true => vec![in_place.clone(), reply],
            false => vec![reply],
        }
    });
    let mut client = client(&target, &Recorder::new()).await;
    assert!(client.request("ping", json!({})).await.is_err());
    client.request("ping", json!({})).await.unwrap().result().unwrap();
}

#[tokio::test]
async fn a_retyped_id_is_reported_as_such() {
    let (finding, fired) = lost(&["{\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"result\":{}}\n"]).await;
    assert!(!fired);
    assert_eq!(finding.requirements, [Requirement::JSONRPC_ID_TYPE_PRESERVED]);
    insta::assert_snapshot!(finding, @r#"
    the reply to `ping` has the wrong id
      expected a response with id 1
      got id "1", of another JSON type
    "#);
}

#[tokio::test]
async fn broken_json_and_non_messages_end_the_wait() {
    let (finding, fired) = lost(&["{\"jsonrpc\":\"2.0\",\"id\":ID,\"resu\n"]).await;
    assert!(!fired);
    insta::assert_snapshot!(finding);
    let (finding, fired) = lost(&["{\"id\":ID,\"result\":{}}\n"]).await;
    assert!(!fired);
    insta::assert_snapshot!(finding);
}

#[tokio::test]
async fn a_banner_does_not_end_the_wait_and_is_reported_if_nothing_follows() {
    let (finding, fired) = lost(&["Server ready\n"]).await;
    assert!(fired);
    insta::assert_snapshot!(finding);

    let recorder = Recorder::new();
    let target = scripted(&["Server ready\n\n{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}\n"]);
    let reply = client(&target, &recorder).await.request("ping", json!({})).await.unwrap();
    assert_eq!(*reply.result().unwrap(), json!({}));
}

#[tokio::test]
async fn a_server_that_ends_ends_the_wait_with_its_error() {
    let recorder = Recorder::new();
    let target = Target::duplex(|_| async { Err("the database is down".into()) });
    let finding = client(&target, &recorder).await.request("ping", json!({})).await.map(drop);
    insta::assert_snapshot!(finding.unwrap_err(), @r"
    the connection ended before `ping` was answered
      expected a response with id 1
      got the server returned an error: the database is down
    ");

    let target = Target::duplex(|_| async { panic!("index out of bounds") });
    let finding = client(&target, &recorder).await.request("ping", json!({})).await.map(drop);
    insta::assert_snapshot!(finding.unwrap_err(), @r"
    the connection ended before `ping` was answered
      expected a response with id 1
      got the server panicked: index out of bounds
    ");
    assert!(!recorder.trace().deadline_fired());
}

#[tokio::test]
async fn requests_of_the_server_are_answered_during_a_wait() {
    let recorder = Recorder::new();
    let seen = Arc::new(Mutex::new(String::new()));
    let shared = seen.clone();
    let target = Target::duplex(move |io| {
        let shared = shared.clone();
        async move {
            let (input, mut output) = tokio::io::split(io);
            let mut lines = BufReader::new(input).lines();
            lines.next_line().await?;
            output
                .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"roots/list\"}\n")
                .await?;
            let answer = lines.next_line().await?.unwrap_or_default();
            *shared.lock().map_err(|_| "poisoned")? = answer;
            output.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n").await?;
            Ok(())
        }
    });
    let handlers = Handlers::new().on("roots/list", |_| Ok(json!({"roots": []}).into()));
    let connection =
        target.open(TransportKind::Duplex, &recorder, Limits::default()).await.unwrap();
    let mut client = Client::uninitialized(connection, Options::default().handlers(handlers));
    client.request("tools/call", json!({"name": "x"})).await.unwrap().result().unwrap();
    assert_eq!(*seen.lock().unwrap(), r#"{"jsonrpc":"2.0","id":"s","result":{"roots":[]}}"#);
}

#[tokio::test]
async fn the_handshake_records_the_server_facts() {
    let recorder = Recorder::new();
    let target = scripted(&[concat!(
        r#"{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"#,
        r#""serverInfo":{"name":"s","version":"1"},"instructions":"Ask."}}"#,
        "\n"
    )]);
    let connection =
        target.open(TransportKind::Duplex, &recorder, Limits::default()).await.unwrap();
    let client =
        Client::connect(connection, Options::speaking(Revision::V2025_06_18)).await.unwrap();
    assert!(client.server().declares(crate::spec::Capability::Tools));
    assert_eq!(client.server().instructions.as_deref(), Some("Ask."));

    let connection =
        target.open(TransportKind::Duplex, &recorder, Limits::default()).await.unwrap();
    let refused = Client::connect(connection, Options::default()).await.map(drop).unwrap_err();
    insta::assert_snapshot!(refused, @r#"
    the server does not speak MCP 2025-11-25
      expected protocolVersion "2025-11-25" in the result of `initialize`
      got "2025-06-18"
      hint: test it at 2025-06-18
    "#);
}

#[tokio::test]
async fn pages_are_followed_to_the_last_but_not_forever() {
    let recorder = Recorder::new();
    let page = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"tools\":[1],\"nextCursor\":\"a\"}}\n";
    let last = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"tools\":[2]}}\n";
    let answers: &'static [&'static str] = vec![page, last].leak();
    let pages = client(&scripted(answers), &recorder).await.pages("tools/list").await.unwrap();
    let tools = super::ToolList::new(pages);
    assert_eq!(tools.items().unwrap(), [&json!(1), &json!(2)]);

    let answers: &'static [&'static str] = vec![page, page].leak();
    let endless = client(&scripted(answers), &recorder).await.pages("tools/list").await;
    insta::assert_snapshot!(endless.map(drop).unwrap_err(), @r#"
    the list of `tools/list` does not end
      expected a new cursor on each page
      got nextCursor "a" on page 2 again
    "#);
}

#[tokio::test]
async fn an_unexamined_error_reply_is_reported() {
    let recorder = Recorder::new();
    let refusal =
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n";
    let answers: &'static [&'static str] = vec![refusal, refusal].leak();
    let mut client = client(&scripted(answers), &recorder).await;
    let examined = client.request("ping", json!({})).await.unwrap();
    assert_eq!(examined.error().map(|error| error.code), Some(-32601));
    drop(client.request("tools/list", json!({})).await.unwrap());
    let unexamined = client.unexamined_errors();
    assert_eq!(unexamined.len(), 1);
    insta::assert_snapshot!(unexamined[0]);
}

#[tokio::test]
async fn the_failure_of_a_tool_is_reported_unless_it_was_examined() {
    let failure = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no disk\"}]}}\n";
    let answers: &'static [&'static str] = vec![failure; 8].leak();
    let mut client = client(&scripted(answers), &Recorder::new()).await;
    let mut unexamined = Vec::new();
    let examine: [fn(ToolResult); 6] = [
        |failed| drop(failed.assert_tool_error()),
        |failed| drop(failed.try_ok().unwrap_err()),
        |failed| drop(failed.assert_member("/isError", true)),
        |failed| assert!(failed.reply().result().is_ok()),
        // What says nothing about the failure itself.
        |failed| drop(failed.assert_text("no disk").assert_member("/content/0/text", "no disk")),
        |failed| drop(failed.into_reply().assert_ok()),
    ];
    for examine in examine {
        examine(client.request("tools/call", json!({"name": "save"})).await.unwrap().into());
        unexamined.push(client.unexamined_errors().len());
    }
    assert_eq!(unexamined, [0, 0, 0, 0, 1, 2]);
    insta::assert_snapshot!(client.unexamined_errors()[0]);
    // Only tools report their errors in results.
    drop(client.request("com.example/save", json!({})).await.unwrap());
    assert_eq!(client.unexamined_errors().len(), 2);
}

#[tokio::test]
async fn stateless_requests_carry_revision_and_capabilities() {
    let recorder = Recorder::new();
    let target =
        scripted(&["{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"resultType\":\"complete\"}}\n"]);
    let connection =
        target.open(TransportKind::Duplex, &recorder, Limits::default()).await.unwrap();
    let mut client =
        Client::connect(connection, Options::speaking(Revision::NEWEST)).await.unwrap();
    client.request("tools/list", json!({"_meta": {"own": 1}})).await.unwrap().result().unwrap();
    let trace = recorder.trace();
    let (_, sent) = trace.messages().next().unwrap();
    let meta = sent.params().unwrap().get("_meta").unwrap();
    assert_eq!(meta.get("own"), Some(&json!(1).into()));
    assert_eq!(
        meta.get("io.modelcontextprotocol/protocolVersion"),
        Some(&json!(Revision::NEWEST.as_str()).into())
    );
    assert!(meta.get("io.modelcontextprotocol/clientCapabilities").is_some());
}

#[tokio::test]
async fn an_endless_stream_of_messages_does_not_postpone_the_deadline() {
    let recorder = Recorder::new();
    let target = Target::duplex(|mut io| async move {
        loop {
            io.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n").await?;
        }
    });
    let mut client = client(&target, &recorder).await;
    let finding = client.request("ping", json!({})).await.map(drop).unwrap_err();
    let got = finding.got.unwrap_or_default();
    assert!(got.starts_with("no reply in that time, but `notifications/message` ("), "{got}");
}

#[tokio::test]
async fn a_peer_that_sends_requests_endlessly_and_never_reads_is_reported() {
    let recorder = Recorder::new();
    let target = Target::duplex(|mut io| async move {
        loop {
            io.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await?;
        }
    });
    let mut client = client(&target, &recorder).await;
    let mut finding = client.request("ping", json!({})).await.map(drop).unwrap_err();
    // Each wait ends after a number of requests, whose answers fill the pipe.
    while finding.headline != "the server does not read its input" {
        assert_eq!(finding.headline, "`ping` was not answered");
        finding = client.request("ping", json!({})).await.map(drop).unwrap_err();
    }
    insta::assert_snapshot!(finding, @"
    the server does not read its input
      expected the server to read `ping` within 200 ms
      got a full input buffer
    ");
}

#[tokio::test]
async fn a_late_reply_is_not_matched_to_the_next_request() {
    let recorder = Recorder::new();
    let target = Target::duplex(|io| async move {
        let (input, mut output) = tokio::io::split(io);
        let mut lines = BufReader::new(input).lines();
        lines.next_line().await?;
        lines.next_line().await?;
        for id in [1, 2] {
            let reply = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"of\":{id}}}}}\n");
            output.write_all(reply.as_bytes()).await?;
        }
        Ok(())
    });
    let mut client = client(&target, &recorder).await;
    client.request("ping", json!({})).await.map(drop).unwrap_err();
    let second = client.request("ping", json!({})).await.unwrap();
    assert_eq!(*second.result().unwrap(), json!({"of": 2}));
}

#[test]
fn a_request_that_is_ignored_is_given_up_soon_after_the_reply_to_a_ping() {
    virtual_time::block_on(async {
        let recorder = Recorder::new();
        let target = answering(|message| match &message["method"] {
            method if method == "ping" => {
                vec![json!({"jsonrpc": "2.0", "id": message["id"], "result": {}})]
            }
            _ => Vec::new(),
        });
        let mut client = patient(&target, &recorder).await;
        for method in ["tools/list", "prompts/list"] {
            let options = RequestOptions::new().promptly();
            let finding =
                client.request_with(method, json!({}), options).await.map(drop).unwrap_err();
            assert_eq!(finding.headline, format!("`{method}` was not answered"));
            let expected = finding.expected.unwrap_or_default();
            assert!(expected.ends_with("after that to a later request"), "{expected}");
        }
        // The time-out of the requests is far away.
        assert!(!recorder.trace().deadline_fired());
        client.request("ping", json!({})).await.unwrap().result().unwrap();
    });
}

#[test]
fn a_request_that_is_answered_after_a_second_ping_is_late() {
    virtual_time::block_on(async {
        let (late, pings) = (Arc::new(Mutex::new(None)), AtomicUsize::new(0));
        let target = answering(move |message| {
            let reply = |id| json!({"jsonrpc": "2.0", "id": id, "result": {"tools": []}});
            let mut late = late.lock().expect("no panic");
            if message["method"] != "ping" {
                *late = Some(message["id"].clone());
                return Vec::new();
            }
            let is_second = pings.fetch_add(1, Ordering::Relaxed) == 1;
            let late = late.take_if(|_| is_second).map(reply);
            [reply(message["id"].clone())].into_iter().chain(late).collect()
        });
        let mut client = patient(&target, &Recorder::new()).await;
        let options = RequestOptions::new().promptly();
        let reply = client.request_with("tools/list", json!({}), options).await;
        reply.unwrap().result().unwrap();
    });
}

#[test]
fn a_prompt_wait_does_not_shorten_the_time_of_a_server_without_ping() {
    virtual_time::block_on(async {
        let recorder = Recorder::new();
        let target = answering(|_| Vec::new());
        let mut client = client(&target, &recorder).await;
        let options = RequestOptions::new().promptly().timeout(Duration::from_millis(600));
        let finding =
            client.request_with("tools/list", json!({}), options).await.map(drop).unwrap_err();
        let expected = finding.expected.unwrap_or_default();
        assert_eq!(expected, "a response with id 1 within 600 ms");
        assert!(recorder.trace().deadline_fired());
    });
}

#[tokio::test]
async fn as_many_bad_replies_as_open_requests_settle_all_of_them() {
    let recorder = Recorder::new();
    let target = answering(|message| {
        let id = message["id"].as_i64().unwrap_or_default() + 1000;
        vec![json!({"jsonrpc": "2.0", "id": id, "result": {}})]
    });
    let mut client = patient(&target, &recorder).await;
    let mut pending = Vec::new();
    for _ in 0..3 {
        pending.push(client.start_with("ping", json!({}), RequestOptions::new()).await);
    }
    for (id, pending) in (1001..).zip(pending) {
        let finding = client.wait(pending).await.map(drop).unwrap_err();
        assert_eq!(finding.got, Some(format!("id {id}, which no request has")));
    }
    assert!(!recorder.trace().deadline_fired());
}

#[tokio::test]
async fn lenient_ids_accept_a_retyped_id() {
    let recorder = Recorder::new();
    let target = scripted(&["{\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"result\":{}}\n"]);
    let connection =
        target.open(TransportKind::Duplex, &recorder, Limits::default()).await.unwrap();
    let options = Options { lenient_ids: true, ..Options::default() };
    let reply =
        Client::uninitialized(connection, options).request("ping", json!({})).await.unwrap();
    assert_eq!(*reply.result().unwrap(), json!({}));
}

#[tokio::test]
async fn messages_at_the_end_are_recorded() {
    let recorder = Recorder::new();
    let target = Target::duplex(|io| async move {
        let (input, mut output) = tokio::io::split(io);
        let mut lines = BufReader::new(input).lines();
        while lines.next_line().await?.is_some() {}
        for _ in 0..3 {
            output
                .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n")
                .await?;
        }
        Ok(())
    });
    let ending = client(&target, &recorder).await.end().await;
    assert!(ending.orderly, "{ending:?}");
    assert_eq!(recorder.trace().messages().count(), 3);
}

#[tokio::test]
async fn a_wrong_id_fails_the_last_of_several_requests() {
    let target = answering(|request| match request["id"].as_i64() {
        Some(1) => vec![json!({"jsonrpc": "2.0", "id": 99, "result": {}})],
        Some(2) => vec![json!({"jsonrpc": "2.0", "id": 2, "result": {}})],
        _ => Vec::new(),
    });
    let recorder = Recorder::new();
    let mut client = patient(&target, &recorder).await;
    let lost = client.start("tools/list", json!({})).await;
    let answered = client.start("ping", json!({})).await;
    client.wait(answered).await.unwrap().result().unwrap();
    let finding = client.wait(lost).await.map(drop).unwrap_err();
    assert!(!recorder.trace().deadline_fired());
    insta::assert_snapshot!(finding, @"
    the reply to `tools/list` has the wrong id
      expected a response with id 1
      got id 99, which no request has
    ");
}

#[tokio::test]
async fn a_retyped_id_fails_its_own_of_several_requests() {
    let target = answering(|request| match request["id"].as_i64() {
        Some(2) => vec![json!({"jsonrpc": "2.0", "id": "1", "result": {}})],
        _ => Vec::new(),
    });
    let recorder = Recorder::new();
    let mut client = patient(&target, &recorder).await;
    let retyped = client.start("tools/list", json!({})).await;
    let open = client.start("ping", json!({})).await;
    let finding = client.wait(retyped).await.map(drop).unwrap_err();
    assert_eq!(finding.requirements, [Requirement::JSONRPC_ID_TYPE_PRESERVED]);
    assert!(!recorder.trace().deadline_fired());
    drop(open);
}

#[tokio::test]
async fn raw_bytes_are_sent_unchanged_in_place_of_a_request() {
    let target =
        answering(|request| vec![json!({"jsonrpc": "2.0", "id": request["id"], "result": {}})]);
    let recorder = Recorder::new();
    let mut client = patient(&target, &recorder).await;
    let text = r#"{"id":"a", "method":"ping","jsonrpc":"2.0"}"#;
    let pending = client.start_raw("a", "ping", text).await;
    client.wait(pending).await.unwrap().result().unwrap();
    let trace = recorder.trace();
    let sent = trace.events.iter().find_map(|event| match &event.kind {
        crate::trace::EventKind::Message { text, .. } => Some(text.clone()),
        _ => None,
    });
    assert_eq!(sent.unwrap(), text);
}
