//! Failures of assertions about notifications, progress, log messages, time, and HTTP.

use std::time::Duration;

use super::*;
#[cfg(feature = "http")]
use crate::client::SubscriptionFilter;
use crate::expect;
#[cfg(feature = "http")]
use crate::spec::Revision;

fn note(method: &str, params: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params.into()})
}

fn progress(progress: f64, total: Option<f64>) -> Value {
    let params = json!({"progressToken": "p", "progress": progress, "total": total});
    note("notifications/progress", params)
}

fn log(level: &str, data: &str) -> Value {
    note("notifications/message", json!({"level": level, "logger": "disk", "data": data}))
}

/// The result of a call that asked for progress, and the messages before it.
fn after(before: impl IntoIterator<Item = Value>) -> ToolResult {
    let answer =
        json!({"before": before.into_iter().collect::<Vec<_>>(), "result": {"content": []}});
    let options = RequestOptions::new().progress_token("p");
    pages_with("tools/call", [answer], options).remove(0).into()
}

fn mistake<T>(outcome: Result<T, Finding>) -> String {
    let Err(finding) = outcome else { panic!("the assertion did not fail") };
    assert_eq!(finding.blame, Blame::Test);
    finding.to_string()
}

#[test]
fn progress_increases_up_to_its_total() {
    let half = || after([progress(1.0, Some(4.0)), progress(2.0, Some(4.0))]);
    let _ = half().assert_progress(2).assert_progress(1..).assert_progress_total(4);
    let _ = after([progress(0.5, None), progress(1.0, Some(1.0))]).assert_progress_complete();
    insta::assert_snapshot!(message(half().try_progress(3)), @"
    unexpected progress of `tools/call`
      expected progress to be reported 3 times
      got 2 progress notifications: 1 of 4 and 2 of 4
    ");
    insta::assert_snapshot!(message(half().try_progress(1)), @"
    unexpected progress of `tools/call`
      expected progress to be reported once
      got 2 progress notifications: 1 of 4 and 2 of 4
    ");
    insta::assert_snapshot!(message(half().try_progress_total(2.0)), @"
    unexpected progress of `tools/call`
      expected a last progress notification with the total 2
      got 2 progress notifications: 1 of 4 and 2 of 4
    ");
    insta::assert_snapshot!(message(half().try_progress_complete()), @"
    unexpected progress of `tools/call`
      expected a last progress notification that reaches its total
      got 2 progress notifications: 1 of 4 and 2 of 4
    ");
    let back = after([progress(2.0, None), progress(2.0, None)]);
    insta::assert_snapshot!(message(back.try_progress(1)), @"
    unexpected progress of `tools/call`
      expected each progress notification with more progress than the one before
      got 2 progress notifications: 2 and 2
      [progress.increases]
    ");
    let params = json!({"progressToken": "p", "progress": "half"});
    let text = after([note("notifications/progress", params)]);
    insta::assert_snapshot!(message(text.try_progress(1)), @"
    unexpected progress of `tools/call`
      expected each progress notification with more progress than the one before
      got 1 progress notification: no number
      [progress.increases]
    ");
    insta::assert_snapshot!(message(after([]).try_progress(1)), @"
    unexpected progress of `tools/call`
      expected progress to be reported once
      got no progress notifications
    ");
    let not_asked = call(json!({"result": {"content": []}}));
    insta::assert_snapshot!(mistake(not_asked.try_progress(1)), @r#"
    `tools/call` did not ask for progress
      expected a request with a progress token: `ctx.call(…).progress("token")`
      got a request without one
    "#);
}

#[test]
fn log_messages_have_a_level_a_logger_and_data() {
    let logged = || after([log("debug", "reading"), log("error", "disk full")]);
    let _ = logged().assert_log("error", "disk full").assert_log_from(
        "disk",
        "debug",
        expect::string(),
    );
    insta::assert_snapshot!(message(logged().try_log("error", "no space")), @r#"
    unexpected log messages of `tools/call`
      expected a log message of level `error` whose data is "no space"
      got 2 log messages: `debug` from "disk" with "reading" and `error` from "disk" with "disk full"
    "#);
    insta::assert_snapshot!(message(logged().try_log_from("net", "error", "disk full")), @r#"
    unexpected log messages of `tools/call`
      expected a log message of level `error` from `net` whose data is "disk full"
      got 2 log messages: `debug` from "disk" with "reading" and `error` from "disk" with "disk full"
    "#);
    insta::assert_snapshot!(message(after([]).try_log("info", expect::anything())), @"
    unexpected log messages of `tools/call`
      expected a log message of level `info` whose data is anything
      got no log messages
    ");
}

#[test]
fn notifications_come_with_a_request() {
    let changed = || note("notifications/resources/updated", json!({"uri": "note://1"}));
    let result = || after([changed(), log("info", "x")]);
    let uri = |uri: &str| expect::object().member("uri", uri.to_owned());
    let _ = result()
        .assert_notification("notifications/resources/updated", uri("note://1"))
        .assert_no_notification("notifications/tools/list_changed");
    let method = "notifications/resources/updated";
    insta::assert_snapshot!(message(result().try_notification(method, uri("note://2"))), @r#"
    no matching `notifications/resources/updated` came with `tools/call`
      expected `notifications/resources/updated` whose parameters are an object with uri: "note://2"
      got 1 notification: {"uri":"note://1"}
    "#);
    let other = "notifications/tools/list_changed";
    insta::assert_snapshot!(message(result().try_notification(other, expect::anything())), @"
    no matching `notifications/tools/list_changed` came with `tools/call`
      expected `notifications/tools/list_changed` whose parameters are anything
      got `notifications/resources/updated` and `notifications/message`
    ");
    insta::assert_snapshot!(message(result().try_no_notification(method)), @r#"
    an unexpected `notifications/resources/updated` came with `tools/call`
      expected no `notifications/resources/updated`
      got {"uri":"note://1"}
    "#);
}

#[test]
fn a_reply_has_a_latency_but_no_http_on_a_pipe() {
    let result = || after([]);
    let _ = result().assert_within(Duration::from_secs(60));
    assert!(result().latency().is_some_and(|latency| latency > Duration::ZERO));
    let finding = result().try_within(Duration::ZERO).expect_err("nothing takes no time");
    assert_eq!(finding.headline, "the reply to `tools/call` took too long");
    assert!(finding.expected.is_some_and(|text| text.starts_with("a reply within 0")));
    insta::assert_snapshot!(mistake(result().try_http_status(200)), @"
    the exchange has no HTTP response
      expected a scenario run over HTTP: `#[mcp_scenario(transports = [http])]`
      got another transport, or an exchange that is no longer in the trace
    ");
    let _ = tools().assert_within(Duration::from_secs(60)).assert_no_notification("x");
}

#[cfg(feature = "http")]
async fn over_http(options: Options) -> Client {
    let target = crate::server::reference::everything().target();
    let link = target.open(TransportKind::Router, &Recorder::new(), Limits::default()).await;
    Client::connect(link.expect("open"), options).await.expect("connected")
}

/// Over HTTP a server of the handshake era may send them on a stream that the test has to open.
#[cfg(feature = "http")]
#[tokio::test]
async fn missing_notifications_over_http_name_the_stream() {
    let mut client = over_http(Options::default().timeout(Duration::from_millis(200))).await;
    let result = client.request("ping", json!({})).await.expect("a reply");
    insta::assert_snapshot!(message(result.assert_ok().try_log("info", expect::anything())), @r#"
    unexpected log messages of `ping`
      expected a log message of level `info` whose data is anything
      got no log messages
      hint: over HTTP this is what came with the response; the server may log on the stream of a GET, which `ctx.subscribe(…)` opens before the request and `ctx.wait_for_log("info")` reads
    "#);
    let mut missing = Vec::new();
    for is_open in [false, true] {
        assert!(!is_open || client.listen().await.expect("a stream"));
        let awaited = client.wait_for_notification("notifications/tools/list_changed").await;
        let finding = awaited.map(drop).expect_err("nothing has changed");
        missing.push(finding.hint.unwrap_or_default());
    }
    insta::assert_snapshot!(missing.join("\n"), @"
    at 2025-11-25 over router unsolicited messages of the server come on the stream of a GET, and the test has not opened it: `ctx.subscribe(…)`
    the server declares `tools.listChanged`
    ");
}

/// The wait for a change, which no deadline may end, on the reference server at a revision.
#[cfg(feature = "http")]
async fn unserved(revision: Revision, filter: Option<SubscriptionFilter>) -> Finding {
    let recorder = Recorder::new();
    let target = crate::server::reference::everything().target();
    let link = target.open(TransportKind::Router, &recorder, Limits::default()).await.unwrap();
    let options = Options::speaking(revision).timeout(Duration::from_secs(20));
    let mut client = Client::connect(link, options).await.unwrap();
    if let Some(filter) = filter {
        client.subscribe(filter).await.unwrap();
    }
    let awaited = client.wait_for_notification("notifications/tools/list_changed").await;
    assert!(!recorder.trace().deadline_fired());
    awaited.map(drop).unwrap_err()
}

#[cfg(feature = "http")]
#[tokio::test]
async fn a_change_that_has_no_stream_to_come_on_is_not_awaited() {
    let filter = || Some(SubscriptionFilter::new().tools_list_changed());
    insta::assert_snapshot!(unserved(Revision::V2024_11_05, filter()).await, @"
    `notifications/tools/list_changed` did not come
      expected `notifications/tools/list_changed`
      got nothing, and no HTTP exchange is open on which it could come
      hint: at 2024-11-05 over router there is no stream for unsolicited messages of the server
    ");
    insta::assert_snapshot!(unserved(Revision::V2025_11_25, None).await.hint.unwrap(), @"at 2025-11-25 over router unsolicited messages of the server come on the stream of a GET, and the test has not opened it: `ctx.subscribe(…)`");
    insta::assert_snapshot!(unserved(Revision::V2026_07_28, None).await.hint.unwrap(), @"at 2026-07-28 a server sends it to subscribers only, and the test has no subscription: `ctx.subscribe(…)`");
}

#[cfg(feature = "http")]
#[tokio::test]
async fn an_exchange_over_http_has_a_status_and_headers() {
    let mut client = over_http(Options::default()).await;
    let reply = client.request("ping", json!({})).await.expect("a reply");
    let heads = reply.http().expect("HTTP");
    assert!(heads.request_headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept")));
    let json = "application/json";
    let reply = reply.assert_http_status(200).assert_http_header("content-type", json).into_inner();
    let failures = [
        reply.clone().try_http_status(202),
        reply.clone().try_http_header("Content-Type", "text/html"),
    ];
    let failures = failures.map(message);
    insta::assert_snapshot!(failures.join("\n"), @r#"
    `ping` was answered with an unexpected HTTP status
      expected HTTP 202
      got HTTP 200
    unexpected HTTP headers in the response to `ping`
      expected a header `Content-Type` that is "text/html"
      got "application/json"
    "#);
    let absent = message(reply.clone().try_http_header("Mcp-Tenant", expect::anything()));
    assert!(
        absent.contains("expected a header `Mcp-Tenant` that is anything\n  got the headers `"),
        "{absent}"
    );
}
