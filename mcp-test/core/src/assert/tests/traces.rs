//! Failures of assertions about traces.

use super::*;
use crate::trace::{EventKind, Party, Trace};

#[test]
fn traces() {
    let trace = || reply("tools/list", json!({"result": {"tools": []}})).recorder().trace();
    let order = ["initialize", "notifications/initialized", "tools/list"];
    trace().assert_sent("tools/list").assert_order(order).assert_no_deadline_fired();
    insta::assert_snapshot!(message(trace().try_sent("tools/call")), @"
    no `tools/call` from the client was seen
      expected a request or notification `tools/call` from the client
      got `initialize`, `notifications/initialized` and `tools/list`
      hint: did you mean `tools/list`?
    ");
    insta::assert_snapshot!(message(trace().try_received("notifications/message")), @"
    no `notifications/message` from the server was seen
      expected a request or notification `notifications/message` from the server
      got no request or notification
    ");
    insta::assert_snapshot!(message(trace().try_order(["tools/list", "initialize"])), @"
    `initialize` was seen, but not in this order
      expected `initialize` after `tools/list`
      got `initialize`, `notifications/initialized` and `tools/list`
    ");
    insta::assert_snapshot!(message(trace().try_order(["ping"])), @"
    `ping` was not seen
      expected `ping`
      got `initialize`, `notifications/initialized` and `tools/list`
    ");
}

#[test]
fn traces_with_fences_and_deadlines() {
    let recorder = Recorder::new();
    let wire = recorder.open("duplex");
    let note = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
    recorder.record(wire, Party::Harness, EventKind::Fence("early".into()));
    recorder.record(wire, Party::Server, EventKind::message(note.into()));
    recorder.record(wire, Party::Harness, EventKind::Fence("late".into()));
    recorder.record(
        wire,
        Party::Harness,
        EventKind::DeadlineFired { awaited: "a response with id 1".into() },
    );
    let trace = || -> Trace { recorder.trace() };
    trace()
        .assert_received("notifications/message")
        .assert_not_seen_before_fence("notifications/message", "early");
    insta::assert_snapshot!(message(trace().try_not_seen_before_fence("notifications/message", "late")), @"
    `notifications/message` was seen before the fence `late`
      expected no `notifications/message` before it
      got one from the server
    ");
    insta::assert_snapshot!(message(trace().try_no_deadline_fired()), @"
    a deadline fired
      expected every awaited message before its deadline
      got the deadline passed for a response with id 1
    ");
    let finding = trace().try_not_seen_before_fence("ping", "never").expect_err("no such fence");
    assert_eq!(finding.blame, Blame::Test);
    insta::assert_snapshot!(finding, @"
    fence `never` not found in the trace
      expected a fence `never`
      got `early` and `late`
    ");
    insta::assert_snapshot!(panic_of(|| trace().assert_no_deadline_fired()), @"
    a deadline fired
      expected every awaited message before its deadline
      got the deadline passed for a response with id 1

    the exchange:
          * deadline passed while awaiting: a response with id 1
    ");
}
