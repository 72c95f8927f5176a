//! Panics of a server in this process while its client awaits a reply.

use super::*;
use crate::client::server_panics::{self, PanicWatch};
use crate::json::Object;

/// The outcome of a call, in virtual time, of a server that panics during it, and may answer all the same.
fn call(answers: bool) -> (Result<(), Finding>, Duration) {
    let target = answering(move |message| {
        let id = &message["id"];
        let is_call = message["method"] == "tools/call";
        if is_call {
            server_panics::note("at src/lib.rs:7:9: out of numbers");
        }
        let result = json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}});
        if is_call && !answers { vec![] } else { vec![result] }
    });
    virtual_time::block_on(async {
        let _watch = PanicWatch::for_this_thread();
        let mut client = patient(&target, &Recorder::new()).await;
        let stopwatch = crate::clock::Stopwatch::start();
        let reply = client.request("tools/call", Object::new()).await;
        (reply.and_then(|reply| reply.result().map(drop)), stopwatch.elapsed())
    })
}

#[test]
fn a_panic_ends_the_wait_for_a_reply_that_nobody_sends() {
    let (outcome, waited) = call(false);
    insta::assert_snapshot!(outcome.expect_err("no reply"), @"
    the server panicked before it answered `tools/call`
      expected a response with id 1
      got a panic at src/lib.rs:7:9: out of numbers
    ");
    assert!(waited < Duration::from_secs(1), "{waited:?}");
}

#[test]
fn a_server_that_answers_in_spite_of_a_panic_has_answered() {
    assert_eq!(call(true).0, Ok(()));
}
