//! The byte stream: nothing changed, nothing lost, nothing inside of a line.

use std::pin::pin;
use std::task::{Context, Waker};

use mcp_test_core::json::arbitrary;
use mcp_test_core::spec::Revision;
use mcp_test_core::wire::Request;
use proptest::prelude::*;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf, split};

use super::{ROOM, answered, through};
use crate::guard::Guard;

fn guard() -> Guard {
    Guard::new(Revision::V2025_06_18)
}

const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
const WRONG: &str = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\"}\n";

#[tokio::test]
async fn blank_lines_are_no_messages() {
    let guard = guard();
    let (handled, said) = through(&guard, format!("\n \r\n{PING}\t\n")).await;
    assert_eq!((handled.as_str(), said.as_str()), (PING, ""));
    assert_eq!(guard.stats().messages, 1);
}

#[tokio::test]
async fn what_it_costs_is_counted() {
    let guard = guard();
    let copy = guard.clone();
    through(&guard, format!("{PING}{WRONG}\n{PING}")).await;
    through(&copy, "Hello?").await;
    let counter = guard.stats();
    assert_eq!((counter.messages, counter.rejected, counter.outgoing), (4, 2, 0));
    // The ends of lines are no part of what is read.
    assert_eq!(counter.bytes as usize, 2 * PING.len() + WRONG.len() - 3 + "Hello?".len());
    assert!(!counter.time.is_zero());
    let counter = crate::guard::GuardStats { time: std::time::Duration::from_millis(2), ..counter };
    insta::assert_snapshot!(counter, @"4 messages in, 2 of them rejected; 0 out, 0 of them flawed; 132 bytes in 2 ms");
}

#[tokio::test]
async fn a_last_line_without_an_end_is_judged_and_left_without_one() {
    let (handled, said) = through(&guard(), PING.trim_end()).await;
    assert_eq!((handled.as_str(), said.as_str()), (PING.trim_end(), ""));
    assert_eq!(answered(&guard(), &PING[..20]).await.lines().count(), 1);
}

#[tokio::test]
async fn a_read_that_is_given_up_loses_nothing() {
    let (mut peer, inner) = tokio::io::duplex(ROOM);
    let mut io = guard().io(inner);
    let mut handled = Vec::new();
    for byte in format!("{WRONG}{PING}").into_bytes() {
        peer.write_all(&[byte]).await.unwrap();
        let mut buffer = [0; 7];
        let mut buffer = ReadBuf::new(&mut buffer);
        // Each of these futures is asked once and dropped.
        let _ = pin!(&mut io).poll_read(&mut Context::from_waker(Waker::noop()), &mut buffer);
        handled.extend_from_slice(buffer.filled());
    }
    drop(peer);
    io.read_to_end(&mut handled).await.unwrap();
    assert_eq!(String::from_utf8(handled).unwrap(), PING);
}

#[tokio::test]
async fn an_answer_waits_for_the_end_of_the_handlers_line() {
    let (peer, inner) = tokio::io::duplex(ROOM);
    let (peer_reads, mut peer_writes) = split(peer);
    let (mut handler_reads, mut handler_writes) = split(guard().io(inner));
    handler_writes.write_all(b"{\"jsonrpc\":\"2.0\",").await.unwrap();
    peer_writes.write_all(format!("{WRONG}{PING}").as_bytes()).await.unwrap();
    let mut handled = vec![0; PING.len()];
    handler_reads.read_exact(&mut handled).await.unwrap();
    assert_eq!(handled, PING.as_bytes());
    handler_writes.write_all(b"\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\"").await.unwrap();
    handler_writes.write_all(b",\"id\":3,\"result\":{}}\n").await.unwrap();
    handler_writes.shutdown().await.unwrap();
    drop(peer_writes);
    let mut said = String::new();
    let mut peer_reads = peer_reads;
    peer_reads.read_to_string(&mut said).await.unwrap();
    insta::assert_snapshot!(said, @r#"
    {"jsonrpc":"2.0","id":1,"result":{}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid params: expected `/params` is a CallToolRequestParams, got nothing","data":{"pointer":"/params","reason":"expected a CallToolRequestParams, got nothing","shape":"CallToolRequest","keyword":"required"}}}
    {"jsonrpc":"2.0","id":3,"result":{}}
    "#);
}

#[tokio::test]
async fn the_end_comes_after_the_answers() {
    let (peer, inner) = tokio::io::duplex(64);
    let (mut peer_reads, mut peer_writes) = split(peer);
    let io = guard().io(inner);
    let handler = tokio::spawn(async move {
        let mut io = io;
        let mut handled = Vec::new();
        io.read_to_end(&mut handled).await.map(|_| handled)
    });
    let writer = tokio::spawn(async move {
        for _ in 0..20 {
            peer_writes.write_all(WRONG.as_bytes()).await.unwrap();
        }
        peer_writes.shutdown().await.unwrap();
    });
    let mut said = String::new();
    peer_reads.read_to_string(&mut said).await.unwrap();
    writer.await.unwrap();
    assert_eq!(handler.await.unwrap().unwrap(), b"");
    assert_eq!(said.lines().count(), 20);
}

#[tokio::test]
async fn a_peer_that_does_not_read_does_not_keep_the_end_from_the_handler() {
    let (mut peer, inner) = tokio::io::duplex(256);
    let mut io = guard().io(inner);
    let handler = tokio::spawn(async move {
        let mut handled = Vec::new();
        io.read_to_end(&mut handled).await.map(|_| handled.len())
    });
    for _ in 0..20 {
        peer.write_all(WRONG.as_bytes()).await.unwrap();
    }
    peer.shutdown().await.unwrap();
    assert_eq!(handler.await.unwrap().unwrap(), 0);
}

#[tokio::test]
async fn reading_stops_while_too_many_answers_wait() {
    let (peer, inner) = tokio::io::duplex(64 * 1024);
    let (_unread, mut peer_writes) = split(peer);
    let guard = guard();
    let mut io = guard.io(inner);
    let many = WRONG.repeat(100_000);
    tokio::select! {
        biased;
        _ = peer_writes.write_all(many.as_bytes()) => panic!("the guard keeps reading"),
        _ = io.read_u8() => panic!("nothing is for the handler"),
        () = quiet(&guard) => {}
    }
    assert!(guard.stats().messages < 10_000, "{}", guard.stats());
}

/// Waits until the guard has judged nothing in a while, in terms of turns of the runtime.
async fn quiet(guard: &Guard) {
    let (mut seen, mut turns) = (0, 0);
    while turns < 1000 {
        tokio::task::yield_now().await;
        let now = guard.stats().messages;
        turns = if now == seen { turns + 1 } else { 0 };
        seen = now;
    }
}

/// Lines that are valid at every revision but the newest, spelled in every way.
fn lines() -> impl Strategy<Value = String> {
    let line = (arbitrary::text(), arbitrary::value(), "[ \t]{0,2}", "\r?").prop_map(
        |(id, value, space, end)| {
            let params = serde_json::json!({"_meta": {}});
            let mut request = Request::new(id, "acme/x", Some(params.into())).to_value();
            request.set("/params/any", value);
            format!("{space}{request}{space}{end}\n")
        },
    );
    let is_clear = |line: &String| {
        let notes = mcp_test_core::json::Value::parse(line.as_bytes()).unwrap().notes;
        !notes.iter().any(|note| note.kind.is_ambiguous())
    };
    let line = line.prop_filter("no member occurs twice", is_clear);
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn what_is_valid_comes_out_as_it_went_in(
        text in lines(),
        chunks in prop::collection::vec(1..50_usize, 0..40),
        room in 1..200_usize,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (handled, said) = runtime.block_on(async {
            let (peer, inner) = tokio::io::duplex(room);
            let (mut peer_reads, mut peer_writes) = split(peer);
            let mut io = guard().io(inner);
            let writing = async {
                for chunk in arbitrary::split(text.as_bytes(), &chunks) {
                    peer_writes.write_all(chunk).await.unwrap();
                }
                peer_writes.shutdown().await.unwrap();
                let mut said = String::new();
                peer_reads.read_to_string(&mut said).await.unwrap();
                said
            };
            let handling = async {
                let mut handled = String::new();
                io.read_to_string(&mut handled).await.unwrap();
                drop(io);
                handled
            };
            tokio::join!(handling, writing)
        });
        prop_assert_eq!(handled, text);
        prop_assert_eq!(said, "");
    }

    #[test]
    fn what_the_handler_says_comes_out_as_it_went_in(
        text in "([a-z{}\" ]{0,20}\n){0,5}[a-z]{0,4}",
        chunks in prop::collection::vec(1..9_usize, 0..30),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let heard = runtime.block_on(async {
            let (mut peer, inner) = tokio::io::duplex(ROOM);
            let mut io = guard().judge_outgoing(|_| {}).io(inner);
            for chunk in arbitrary::split(text.as_bytes(), &chunks) {
                io.write_all(chunk).await.unwrap();
            }
            io.shutdown().await.unwrap();
            let mut heard = String::new();
            peer.read_to_string(&mut heard).await.unwrap();
            heard
        });
        prop_assert_eq!(heard, text);
    }
}
