//! What the handler says: looked at, reported, never changed; and remembered, so that replies are judged by what they answer.

use mcp_test_core::spec::Revision;
use tokio::io::{AsyncReadExt, AsyncWriteExt, split};

use super::{ROOM, Reported, says};
use crate::guard::Guard;

const OLD: Revision = Revision::V2025_06_18;

#[tokio::test]
async fn invalid_messages_of_the_handler_are_reported_and_still_sent() {
    let reported = Reported::default();
    let guard = Guard::new(OLD).judge_outgoing(reported.callback()).max_bytes(300);
    let list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
    let text = [
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}"#,
        r#"{"id":1}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{},"result":{}}"#,
        "Listening on \u{1b}[32mstdio\u{1b}[0m",
        &"x".repeat(400),
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        "",
    ]
    .join("\n");
    assert_eq!(says(&guard, list, &text).await, text);
    insta::assert_snapshot!(reported.lines(), @r#"
    the server's tools/list 1: expected `/result/tools` is an array of Tools, got an object (passed on)
    the server's notifications/progress: expected `/params/progress` is a number, got nothing (passed on)
    the server's message 1: expected `/jsonrpc` is "2.0", got nothing (passed on)
    the server's message 2: expected `/result` is the only member of that name, got a second one (passed on)
    the server's message: no JSON at line 1, column 1: expected a value (passed on)
    the server's message: the message is longer than 300 bytes (passed on)
    "#);
    let counter = guard.stats();
    assert_eq!((counter.messages, counter.outgoing, counter.flawed), (1, 7, 6));
}

#[tokio::test]
async fn nothing_is_reported_without_a_callback() {
    let guard = Guard::new(OLD);
    let text = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":5}\nnoise\n";
    assert_eq!(says(&guard, "", text).await, text);
    assert_eq!((guard.stats().outgoing, guard.stats().flawed), (0, 0));
}

#[tokio::test]
async fn a_reply_is_judged_by_what_it_answers() {
    let reported = Reported::default();
    let (peer, inner) = tokio::io::duplex(ROOM);
    let mut io = Guard::new(OLD).on_rejected(reported.callback()).io(inner);
    let (_peer_reads, mut peer_writes) = split(peer);
    let asks = "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}\n";
    io.write_all(asks.as_bytes()).await.unwrap();
    let wrong = "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"result\":{\"roots\":[{\"uri\":5}]}}\n";
    let right = "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"result\":{\"roots\":[]}}\n";
    // Some handlers convert ids.
    let retyped = "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"roots\":7}}\n";
    let asks = "{\"jsonrpc\":\"2.0\",\"id\":\"5\",\"method\":\"roots/list\"}\n";
    io.write_all(asks.as_bytes()).await.unwrap();
    // Once it is answered it is forgotten: what comes then is a reply to nobody knows what.
    let lines = format!("{wrong}{retyped}{right}{wrong}");
    peer_writes.write_all(lines.as_bytes()).await.unwrap();
    peer_writes.shutdown().await.unwrap();
    let mut handled = String::new();
    io.read_to_string(&mut handled).await.unwrap();
    assert_eq!(handled, format!("{right}{wrong}"));
    insta::assert_snapshot!(reported.lines(), @r#"
    the client's roots/list "r": expected `/result/roots/0/uri` is a URI, got a number (dropped)
    the client's roots/list 5: expected `/result/roots` is an array of Roots, got a number (dropped)
    "#);
}
