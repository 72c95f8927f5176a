//! Replies without an id after a notification, which some servers answer.

use serde_json::{Value, json};

use super::{answering, patient};
use crate::check::Finding;
use crate::client::Client;
use crate::clock::virtual_time;
use crate::spec::Requirement;
use crate::trace::Recorder;
use crate::wire::{Id, Message};

/// What answers a notification of a server that answers each message.
fn without_id() -> [Value; 3] {
    [
        json!({"jsonrpc": "2.0", "result": {}}),
        json!({"jsonrpc": "2.0", "id": null, "result": {}}),
        json!({"jsonrpc": "2.0", "error": {"code": -32601, "message": "no such method"}}),
    ]
}

fn result(message: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": message["id"], "result": {"content": []}})
}

async fn request_after_notification(client: &mut Client, method: &str) -> Result<(), Finding> {
    client.notify("notifications/roots/list_changed", json!({})).await;
    client.request(method, json!({})).await?.result().map(drop)
}

#[test]
fn what_answers_a_notification_is_not_the_reply_to_the_next_request() {
    for answer in without_id() {
        virtual_time::block_on(async {
            let target = answering(move |message| match message.get("id") {
                Some(_) => vec![result(&message)],
                None => vec![answer.clone()],
            });
            let mut client = patient(&target, &Recorder::new()).await;
            for method in ["ping", "tools/list", "tools/call"] {
                request_after_notification(&mut client, method).await.expect("a reply");
            }
            assert!(client.state.is_settled());
        });
    }
}

#[test]
fn a_request_that_only_a_reply_without_an_id_answers_fails_with_it() {
    let expected = [
        ("the reply to `tools/list` is not an MCP message", Requirement::JSONRPC_RESULT_ID_ECHO),
        ("the reply to `tools/list` has the wrong id", Requirement::JSONRPC_RESULT_ID_ECHO),
        ("the error that answers `tools/list` has no id", Requirement::JSONRPC_ERROR_ID_ECHO),
    ];
    for (answer, (headline, requirement)) in without_id().into_iter().zip(expected) {
        virtual_time::block_on(async {
            let target = answering(move |message| match message["method"].as_str() {
                Some("ping") => vec![result(&message)],
                Some("tools/list") => vec![answer.clone()],
                _ => Vec::new(),
            });
            let recorder = Recorder::new();
            let mut client = patient(&target, &recorder).await;
            let finding = request_after_notification(&mut client, "tools/list").await.unwrap_err();
            assert_eq!(finding.headline, headline);
            assert_eq!(finding.requirements, [requirement]);
            // After the replies to two later requests, and not after the whole time.
            assert!(!recorder.trace().deadline_fired());
        });
    }
}

#[test]
fn what_answers_notifications_does_not_explain_why_a_request_is_not_answered() {
    virtual_time::block_on(async {
        let target = answering(|message| match message["method"].as_str() {
            Some("ping") => vec![result(&message)],
            Some("tools/list") => Vec::new(),
            _ => vec![json!({"jsonrpc": "2.0", "result": {}})],
        });
        let mut client = patient(&target, &Recorder::new()).await;
        request_after_notification(&mut client, "ping").await.expect("a reply");
        let finding = request_after_notification(&mut client, "tools/list").await.unwrap_err();
        assert_eq!(finding.headline, "`tools/list` was not answered");
    });
}

#[test]
fn later_requests_do_not_shorten_the_time_of_a_tool() {
    virtual_time::block_on(async {
        let target = answering(|message| match message["method"].as_str() {
            Some("ping") => panic!("a later request"),
            Some("tools/call") => Vec::new(),
            _ => vec![json!({"jsonrpc": "2.0", "result": {}})],
        });
        let mut client = patient(&target, &Recorder::new()).await;
        let finding = request_after_notification(&mut client, "tools/call").await.unwrap_err();
        assert_eq!(finding.headline, "the reply to `tools/call` is not an MCP message");
    });
}

#[test]
fn a_request_with_an_id_that_no_message_can_have_is_not_cancelled() {
    let is_cancelled = |id: Value| {
        virtual_time::block_on(async {
            let recorder = Recorder::new();
            let mut client = patient(&answering(|_| Vec::new()), &recorder).await;
            let text = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}).to_string();
            let id = Id::read(&id.into()).expect("an id");
            let pending = client.start_raw(id, "tools/list", text).await;
            assert!(client.wait(pending).await.is_err());
            let is_it = |message: &Message| message.method() == Some("notifications/cancelled");
            recorder.trace().messages().any(|(_, message)| is_it(message))
        })
    };
    assert_eq!([json!(null), json!(1.5), json!(7)].map(is_cancelled), [false, false, true]);
}
