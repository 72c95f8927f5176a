//! Unsolicited messages of a server: progress, log messages, changes; and cancelled requests.

use std::time::Duration;

use serde_json::{Value, json};

use super::{answering, patient, stateless};
use crate::check::Finding;
use crate::client::{
    Client, Handlers, Options, ReceivedNotification, RequestOptions, Subscription, SubscriptionEnd,
    SubscriptionFilter,
};
use crate::spec::Requirement;
use crate::trace::Recorder;
use crate::transport::{Limits, Target, TransportKind};
use crate::wire::Id;

fn note(method: &str, params: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params.into()})
}

fn result(request: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "result": {"resultType": "complete"}})
}

fn calling(answer: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static) -> Target {
    answering(move |request| if request["id"].is_null() { Vec::new() } else { answer(&request) })
}

#[tokio::test]
async fn progress_and_log_messages_are_attached_to_their_reply() {
    let target = calling(|request| {
        let token = &request["params"]["_meta"]["progressToken"];
        let progress = |progress| {
            note(
                "notifications/progress",
                json!({"progressToken": token, "progress": progress, "total": 2}),
            )
        };
        let log = note("notifications/message", json!({"level": "info", "data": "half"}));
        let other =
            note("notifications/progress", json!({"progressToken": "other", "progress": 9}));
        vec![progress(1), log, other, progress(2), result(request)]
    });
    let recorder = Recorder::new();
    let mut client = patient(&target, &recorder).await;
    let options = RequestOptions::new().progress_token("mine").log_level("info");
    let reply = client.request_with("tools/call", json!({"name": "x"}), options).await.unwrap();
    let progress: Vec<_> = reply.progress().iter().map(|reported| reported.progress).collect();
    assert_eq!(progress, [Some(1.0), Some(2.0)]);
    assert_eq!(reply.log_messages()[0].data, json!("half"));
    assert_eq!(reply.notifications().len(), 4);
    assert_eq!(client.progress("other").len(), 1);
    let silent = client.request("ping", json!({})).await.unwrap();
    assert_eq!(silent.progress(), []);

    let trace = recorder.trace();
    let (_, first) = trace.messages().next().unwrap();
    insta::assert_snapshot!(first.to_value(), @r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":"mine"}}}"#);
}

#[tokio::test]
async fn a_log_level_is_sent_where_requests_have_one() {
    let target = calling(|request| vec![result(request)]);
    let level = |recorder: &Recorder| {
        let trace = recorder.trace();
        let (_, sent) = trace.messages().next().unwrap();
        sent.params()
            .and_then(|it| it.at("/_meta")?.get("io.modelcontextprotocol/logLevel"))
            .cloned()
    };
    let old = Recorder::new();
    let options = || RequestOptions::new().log_level("info");
    let mut client = patient(&target, &old).await;
    client.request_with("tools/list", json!({}), options()).await.unwrap().result().unwrap();
    assert_eq!(level(&old), None);
    let new = Recorder::new();
    let mut client = stateless(&target, &new, Options::default()).await;
    client.request_with("tools/list", json!({}), options()).await.unwrap().result().unwrap();
    assert_eq!(level(&new), Some("info".into()));
    // What a test sets by name is sent everywhere, as it may be wrong on purpose.
    let wrong = Recorder::new();
    let mut client = patient(&target, &wrong).await;
    let named = options().meta("io.modelcontextprotocol/logLevel", "debug");
    client.request_with("tools/list", json!({}), named).await.unwrap().result().unwrap();
    assert_eq!(level(&wrong), Some("debug".into()));
}

#[tokio::test]
async fn a_notification_is_awaited_and_returned_once() {
    let target = calling(|request| {
        let changed = |n| note("notifications/tools/list_changed", json!({ "n": n }));
        vec![changed(1), result(request), changed(2)]
    });
    let recorder = Recorder::new();
    let mut client = patient(&target, &recorder).await;
    client.request("ping", json!({})).await.unwrap().result().unwrap();
    let method = "notifications/tools/list_changed";
    for n in [1, 2] {
        let changed = client.wait_for_notification(method).await.unwrap();
        assert_eq!(changed.param("n"), Some(&n.into()));
    }
    assert!(!recorder.trace().deadline_fired());

    let silent = answering(|_| Vec::new());
    let mut short_lived = super::client(&silent, &recorder).await;
    let finding = short_lived.wait_for_notification(method).await.map(drop).unwrap_err();
    insta::assert_snapshot!(finding, @"
    `notifications/tools/list_changed` did not come
      expected `notifications/tools/list_changed` within 200 ms
      got nothing at all in that time
    ");
    assert!(recorder.trace().deadline_fired());

    let gone = Target::duplex(|_| async { Ok(()) });
    let mut client = patient(&gone, &recorder).await;
    let finding = client.wait_for_notification(method).await.map(drop).unwrap_err();
    insta::assert_snapshot!(finding, @"
    the connection ended before `notifications/tools/list_changed` came
      expected `notifications/tools/list_changed`
      got the server returned
    ");
}

/// A client that has connected, and has time.
async fn connected(target: &Target) -> Client {
    let recorder = Recorder::new();
    let connection =
        target.open(TransportKind::Duplex, &recorder, Limits::default()).await.unwrap();
    let options = Options::default().timeout(Duration::from_secs(20));
    Client::connect(connection, options).await.unwrap()
}

#[tokio::test]
async fn a_wait_that_fails_says_what_came_instead_and_what_was_declared() {
    let server = |capabilities: Value| {
        answering(move |request| match request["method"].as_str() {
            Some("initialize") => vec![json!({"jsonrpc": "2.0", "id": request["id"], "result": {
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "serverInfo": {"name": "s", "version": "1"},
            }})],
            Some("ping") => {
                let ask = json!({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"});
                let log = |n| note("notifications/message", json!({"level": "info", "data": n}));
                let changed = |n| note("notifications/tools/list_changed", json!({ "n": n }));
                vec![changed(1), log(1), ask, log(2), changed(2), result(&request)]
            }
            _ => Vec::new(),
        })
    };
    let method = "notifications/tools/list_changed";
    let mut findings = Vec::new();
    for capabilities in [json!({}), json!({"tools": {"listChanged": true}})] {
        let mut client = connected(&server(capabilities)).await;
        client.request("ping", json!({})).await.unwrap().result().unwrap();
        client.wait_for_notification(method).await.unwrap();
        // Everything has arrived, so that a short wait misses nothing.
        client.options.timeout = Duration::from_millis(50);
        let fifth = |received: &ReceivedNotification| received.param("n") == Some(&5.into());
        let missed = client.wait_for_notification_where(method, fifth).await;
        findings.push(missed.map(drop).unwrap_err().to_string());
        let unanswered = client.request("prompts/list", json!({})).await;
        findings.push(unanswered.map(drop).unwrap_err().to_string());
    }
    insta::assert_snapshot!(findings.join("\n"), @"
    `notifications/tools/list_changed` did not come
      expected `notifications/tools/list_changed` within 50 ms
      got nothing at all in that time; before the wait `notifications/tools/list_changed` that an earlier wait returned, `notifications/message` (2 times), the request `roots/list` and `notifications/tools/list_changed` that does not match came
      hint: the server does not declare `tools.listChanged`, so it need not send `notifications/tools/list_changed`
    `prompts/list` was not answered
      expected a response with id 3 within 50 ms
      got nothing at all in that time
      hint: the server does not declare `prompts`, so it need not serve `prompts/list`
    `notifications/tools/list_changed` did not come
      expected `notifications/tools/list_changed` within 50 ms
      got nothing at all in that time; before the wait `notifications/tools/list_changed` that an earlier wait returned, `notifications/message` (2 times), the request `roots/list` and `notifications/tools/list_changed` that does not match came
      hint: the server declares `tools.listChanged`
    `prompts/list` was not answered
      expected a response with id 3 within 50 ms
      got nothing at all in that time
      hint: the server does not declare `prompts`, so it need not serve `prompts/list`
    ");

    let silent = answering(|_| Vec::new());
    let mut client = stateless(&silent, &Recorder::new(), Options::default()).await;
    client.options.timeout = Duration::from_millis(50);
    let finding = client.wait_for_notification(method).await.map(drop).unwrap_err();
    insta::assert_snapshot!(finding, @"
    `notifications/tools/list_changed` did not come
      expected `notifications/tools/list_changed` within 50 ms
      got nothing at all in that time
      hint: at 2026-07-28 a server sends it to subscribers only, and the test has no subscription: `ctx.subscribe(…)`
    ");
}

#[tokio::test]
async fn a_change_that_the_subscription_does_not_have_is_named() {
    let (mut client, _, subscription) = subscribe(|id| {
        let filter = json!({"notifications": {"toolsListChanged": false}});
        vec![tagged("notifications/subscriptions/acknowledged", id, filter)]
    })
    .await;
    subscription.unwrap();
    client.options.timeout = Duration::from_millis(50);
    let missed = client.wait_for_notification("notifications/tools/list_changed").await;
    insta::assert_snapshot!(missed.map(drop).unwrap_err().hint.unwrap(), @"the server acknowledged no subscription with `toolsListChanged`: does the test subscribe to it, and does the server declare `tools.listChanged`?");
}

#[tokio::test]
async fn a_late_reply_to_a_cancelled_request_is_expected() {
    // Answers the first request when it is cancelled, and all others at once.
    let target = answering(|request| match (&request["id"], request["method"].as_str()) {
        (Value::Null, Some("notifications/cancelled")) => {
            vec![json!({"jsonrpc": "2.0", "id": request["params"]["requestId"], "result": {}})]
        }
        (_, Some("ping")) => vec![result(&request)],
        _ => Vec::new(),
    });
    let recorder = Recorder::new();
    let mut client = patient(&target, &recorder).await;
    let pending = client.start("tools/call", json!({"name": "slow"})).await;
    let cancelled = client.cancel(pending, Some("enough")).await;
    assert_eq!(*cancelled.id(), Id::from(1));
    assert_eq!(client.reply_to_cancelled(&cancelled), None);
    client.request("ping", json!({})).await.unwrap().result().unwrap();
    assert!(client.reply_to_cancelled(&cancelled).is_some());
    let trace = recorder.trace();
    let cancellation =
        trace.messages().find(|(_, m)| m.method() == Some("notifications/cancelled"));
    insta::assert_snapshot!(cancellation.unwrap().1.to_value(), @r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}"#);
}

#[tokio::test]
async fn cancellations_of_the_server_are_recorded() {
    let target = calling(|request| {
        let request_of_server = json!({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"});
        let cancelled = note("notifications/cancelled", json!({"requestId": "s1"}));
        vec![request_of_server, cancelled, result(request)]
    });
    let recorder = Recorder::new();
    let mut client = patient(&target, &recorder).await;
    client.handle(Handlers::new().leaving_unanswered("roots/list"));
    client.request("ping", json!({})).await.unwrap().result().unwrap();
    assert_eq!(client.server_requests()[0].id, Id::from("s1"));
    assert_eq!(client.cancelled_by_server(), [Id::from("s1")]);
}

#[tokio::test]
async fn a_stateless_server_that_sends_a_request_ends_the_wait() {
    let target = calling(|_| vec![json!({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"})]);
    let recorder = Recorder::new();
    let mut client = stateless(&target, &recorder, Options::default()).await;
    let finding = client.request("tools/call", json!({"name": "x"})).await.map(drop).unwrap_err();
    assert_eq!(finding.requirements, [Requirement::TRANSPORT_STDIO_SERVER_NO_REQUESTS]);
    insta::assert_snapshot!(finding, @r#"
    the server sent a request, `roots/list`
      expected the reply to `tools/call`: in MCP 2026-07-28 servers send no requests
      got a request with id "s1"
    "#);
    assert_eq!(recorder.trace().messages().count(), 2);
}

/// A server that sends these messages on a subscription and ends it on a ping.
fn subscribable(messages: fn(&Value) -> Vec<Value>) -> Target {
    calling(move |request| match request["method"].as_str() {
        Some("subscriptions/listen") => messages(&request["id"]),
        Some("ping") => {
            let over = json!({"jsonrpc": "2.0", "id": 1, "result": {
                "resultType": "complete", "_meta": {"io.modelcontextprotocol/subscriptionId": 1}}});
            vec![over, result(request)]
        }
        _ => vec![result(request)],
    })
}

fn tagged(method: &str, id: &Value, mut params: Value) -> Value {
    params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": id});
    note(method, params)
}

fn acknowledged(id: &Value) -> Value {
    tagged(
        "notifications/subscriptions/acknowledged",
        id,
        json!({"notifications": {"toolsListChanged": true}}),
    )
}

async fn subscribe(
    messages: fn(&Value) -> Vec<Value>,
) -> (Client, Recorder, Result<Subscription, Finding>) {
    let recorder = Recorder::new();
    let mut client = stateless(&subscribable(messages), &recorder, Options::default()).await;
    let filter = SubscriptionFilter::new().tools_list_changed().resource("file:///a");
    let subscription = client.subscribe(filter).await;
    (client, recorder, subscription)
}

#[tokio::test]
async fn a_subscription_reports_changes_until_it_ends() {
    let (mut client, recorder, subscription) = subscribe(|id| {
        let changed = "notifications/tools/list_changed";
        let foreign = tagged(changed, &json!(77), json!({"whose": "another"}));
        vec![foreign, acknowledged(id), tagged(changed, id, json!({"whose": "ours"}))]
    })
    .await;
    let subscription = subscription.unwrap();
    assert_eq!(*subscription.acknowledged(), json!({"toolsListChanged": true}));
    let changed = client.wait_for_update(&subscription, "notifications/tools/list_changed").await;
    assert_eq!(changed.unwrap().param("whose"), Some(&json!("ours").into()));

    // Neither other requests nor the subscription are confused with each other.
    client.request("tools/list", json!({})).await.unwrap().result().unwrap();
    let pinged = client.request("ping", json!({})).await.unwrap();
    pinged.result().unwrap();
    let finding =
        client.wait_for_update(&subscription, "notifications/x").await.map(drop).unwrap_err();
    insta::assert_snapshot!(finding, @r#"
    the subscription ended before `notifications/x` came
      expected `notifications/x`
      got the answer to `subscriptions/listen`: {"_meta":{"io.modelcontextprotocol/subscriptionId":1},"resultType":"complete"}
    "#);
    assert!(!recorder.trace().deadline_fired());
    let trace = recorder.trace();
    let (_, listen) = trace.messages().next().unwrap();
    insta::assert_snapshot!(listen.to_value().at("/params/notifications").unwrap(), @r#"{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}"#);
}

#[tokio::test]
async fn the_end_of_a_subscription_is_described() {
    let (mut client, _, subscription) = subscribe(|id| {
        vec![
            acknowledged(id),
            json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete"}}),
        ]
    })
    .await;
    let end = client.wait_for_subscription_end(&subscription.unwrap()).await.unwrap();
    assert_eq!(end, SubscriptionEnd::Answered(json!({"resultType": "complete"}).into()));

    let (mut client, _, subscription) = subscribe(|id| {
        vec![acknowledged(id), note("notifications/cancelled", json!({"requestId": id}))]
    })
    .await;
    let end = client.wait_for_subscription_end(&subscription.unwrap()).await.unwrap();
    assert_eq!(end, SubscriptionEnd::Cancelled);
}

#[tokio::test]
async fn the_client_ends_a_subscription_by_cancelling_it() {
    let (mut client, recorder, subscription) = subscribe(|id| vec![acknowledged(id)]).await;
    client.unsubscribe(subscription.unwrap()).await.unwrap();
    let trace = recorder.trace();
    let (_, last) = trace.messages().last().unwrap();
    insta::assert_snapshot!(last.to_value(), @r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
}

#[tokio::test]
async fn a_wrong_acknowledgement_is_reported() {
    let refused = |messages| async move { subscribe(messages).await.2.map(drop).unwrap_err() };
    let early = refused(|id| vec![tagged("notifications/tools/list_changed", id, json!({}))]).await;
    assert_eq!(early.requirements, [Requirement::SUBSCRIPTIONS_NOTHING_BEFORE_ACK]);
    insta::assert_snapshot!(early, @"
    the server announced a change before it acknowledged the subscription
      expected `notifications/subscriptions/acknowledged` with subscription id 1
      got `notifications/tools/list_changed`
    ");
    let retyped = refused(|id| vec![acknowledged(&json!(id.to_string()))]).await;
    assert_eq!(retyped.requirements, [Requirement::SUBSCRIPTIONS_ID_VALUE]);
    insta::assert_snapshot!(retyped, @r#"
    the subscription id differs from the id of its request
      expected `notifications/subscriptions/acknowledged` with subscription id 1
      got subscription id "1"
    "#);
    let anonymous = refused(|_| {
        vec![note("notifications/subscriptions/acknowledged", json!({"notifications": {}}))]
    })
    .await;
    assert_eq!(anonymous.requirements, [Requirement::SUBSCRIPTIONS_ACK_SENT]);
    let answered = refused(|id| vec![json!({"jsonrpc": "2.0", "id": id, "result": {}})]).await;
    assert_eq!(answered.requirements, [Requirement::SUBSCRIPTIONS_STAYS_OPEN]);
    insta::assert_snapshot!(answered, @"
    `subscriptions/listen` was answered at once, which ends the subscription
      expected `notifications/subscriptions/acknowledged` with subscription id 1
      got the result {}
    ");
    let error = refused(|id| {
        vec![json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}})]
    })
    .await;
    insta::assert_snapshot!(error, @"
    `subscriptions/listen` was refused
      expected `notifications/subscriptions/acknowledged`
      got error -32601: no
    ");
}

#[tokio::test]
async fn the_handshake_era_subscribes_to_each_resource() {
    let target = calling(|request| {
        let updated = note("notifications/resources/updated", json!({"uri": "file:///a"}));
        vec![result(request), updated]
    });
    let recorder = Recorder::new();
    let mut client = patient(&target, &recorder).await;
    let filter = SubscriptionFilter::new().tools_list_changed().resource("file:///a");
    let subscription = client.subscribe(filter).await.unwrap();
    assert_eq!(subscription.id(), None);
    client.wait_for_update(&subscription, "notifications/resources/updated").await.unwrap();
    client.unsubscribe(subscription).await.unwrap();
    let trace = recorder.trace();
    let methods: Vec<_> = trace.messages().filter_map(|(_, message)| message.method()).collect();
    assert_eq!(methods[0], "resources/subscribe");
    assert!(methods.contains(&"resources/unsubscribe"));
}

#[tokio::test]
async fn a_timed_out_request_is_cancelled_except_for_initialize() {
    let recorder = Recorder::new();
    let mut client = super::client(&answering(|_| Vec::new()), &recorder).await;
    assert!(client.initialize().await.is_err());
    assert!(client.request("ping", json!({})).await.is_err());
    let trace = recorder.trace();
    let sent: Vec<String> =
        trace.messages().map(|(_, message)| message.to_value().to_string()).collect();
    insta::assert_snapshot!(sent[1..].join("\n"), @r#"
    {"jsonrpc":"2.0","id":2,"method":"ping","params":{}}
    {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"timed out"}}
    "#);
}
