//! Failures of assertions about what a client has sent, and about one that has failed.

use super::*;
use crate::assert::{ExaminedRequests, FailedClient, ReceivedMessages};
use crate::expect::equals;
use crate::spec::Revision;
use crate::trace::{EventKind, Party, Trace};
use crate::transport::{ClientEnd, ClientRun};

/// What a client has sent that shook hands and called `add` twice, the second time as the script does not answer.
fn received() -> ReceivedMessages {
    let recorder = Recorder::new();
    let wire = recorder.open("http");
    let call = |id: u64, a: u64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "add", "arguments": {"a": a, "b": 2}}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(2, 1),
        call(3, 5),
    ];
    let seqs = messages.map(|message| {
        recorder.record(wire, Party::Client, EventKind::message(message.to_string().into()))
    });
    let unscripted = seqs.last().copied().into_iter().collect();
    let (trace, examined) = (recorder.trace(), ExaminedRequests::default());
    ReceivedMessages::new(trace, Revision::V2025_11_25, unscripted, examined)
}

/// The failure of an assertion about a header: these messages came without HTTP, for which the client is not to blame.
fn without_http<T>(outcome: Result<T, Finding>) -> String {
    let Err(finding) = outcome else { panic!("the assertion did not fail") };
    assert_eq!(finding.blame, Blame::Test);
    finding.to_string()
}

#[test]
fn what_a_client_has_sent() {
    let order = ["initialize", "notifications/initialized", "tools/call"];
    let all = received().assert_order(order).assert_no_call("sub").assert_not_sent("ping");
    all.assert_sent("tools/call")
        .assert_times(2)
        .and()
        .assert_call("add")
        .and()
        .assert_no_other_calls();
    insta::assert_snapshot!(message(received().try_call("ad")), @"
    the client did not call `ad`
      expected a call of the tool `ad`
      got calls of `add` and `add`
      hint: did you mean `add`?
    ");
    insta::assert_snapshot!(message(received().try_no_call("add")), @"
    the client called `add`
      expected no call of the tool `add`
      got 2 calls
    ");
    insta::assert_snapshot!(message(received().try_no_other_calls()), @r#"
    the client made calls that the test does not expect
      expected no call of a tool
      got `add` with {"a":1,"b":2} and `add` with {"a":5,"b":2}
    "#);
    insta::assert_snapshot!(message(received().try_sent("ping")), @"
    the client did not send `ping`
      expected a request or notification `ping`
      got `initialize`, `notifications/initialized`, `tools/call` and `tools/call`
    ");
    insta::assert_snapshot!(message(received().try_not_sent("initialize")), @"
    the client sent `initialize`
      expected no `initialize`
      got 1 message
    ");
    insta::assert_snapshot!(message(received().try_order(["tools/call", "initialize"])), @"
    `initialize` was seen, but not in this order
      expected `initialize` after `tools/call`
      got `initialize`, `notifications/initialized`, `tools/call` and `tools/call`
    ");
    insta::assert_snapshot!(without_http(received().try_header_everywhere("Accept", equals("*/*"))), @"
    the message has no HTTP headers
      expected a client that is tested over HTTP
      got another transport, or a request that is no longer in the trace
    ");
    received().assert_unscripted("tools/call").assert_times(1);
    insta::assert_snapshot!(message(received().try_unscripted("initialize")), @"
    the client sent no unscripted `initialize`
      expected a request `initialize` for which the test has scripted no answer
      got `initialize`, `notifications/initialized`, `tools/call` and `tools/call`
    ");
}

#[test]
fn selected_messages() {
    let calls = || received().assert_call("add");
    calls().assert_argument("a", 5).assert_arguments(json!({"a": 5, "b": 2})).assert_times(1);
    insta::assert_snapshot!(message(calls().try_argument("a", 7)), @"
    none of the 2 messages that are a call of `add` is as expected
      expected `/arguments/a` is 7
      got 1 and 5
    ");
    insta::assert_snapshot!(message(calls().try_arguments(json!({}))), @r#"
    none of the 2 messages that are a call of `add` is as expected
      expected `/arguments` is {}
      got {"a":1,"b":2}, which differs in 2 places: /a: expected nothing, got 1; /b: expected nothing, got 2 and {"a":5,"b":2}, which differs in 2 places: /a: expected nothing, got 5; /b: expected nothing, got 2
    "#);
    insta::assert_snapshot!(message(calls().try_param("/name", "sub")), @r#"
    none of the 2 messages that are a call of `add` is as expected
      expected `/name` is "sub"
      got "add" and "add"
    "#);
    insta::assert_snapshot!(message(calls().try_params(json!(null))), @r#"
    none of the 2 messages that are a call of `add` is as expected
      expected the value is null
      got {"arguments":{"a":1,"b":2},"name":"add"}, which is an object and {"arguments":{"a":5,"b":2},"name":"add"}, which is an object
    "#);
    insta::assert_snapshot!(without_http(calls().try_header("Accept", equals("*/*"))), @"
    none of the 2 messages that are a call of `add` is as expected
      expected a client that is tested over HTTP
      got another transport, or a request that is no longer in the trace and another transport, or a request that is no longer in the trace
    ");
    insta::assert_snapshot!(message(calls().try_times(3)), @"
    the client sent a call of `add` an unexpected number of times
      expected a call of `add` 3 times
      got 2 messages
    ");
}

#[test]
fn a_client_that_has_failed() {
    let end = ClientEnd::Failed("exit code 3".to_owned());
    let run = ClientRun { end, stderr: "out of order\n".to_owned(), ..ClientRun::default() };
    let failed = || FailedClient::new(run.clone(), Trace::default(), Revision::V2025_11_25);
    failed().assert_error_contains("out of order");
    insta::assert_snapshot!(message(failed().try_error_contains("no such tool")), @r#"
    the client failed with an unexpected error
      expected an error that contains "no such tool"
      got exit code 3
        out of order
    "#);
}
