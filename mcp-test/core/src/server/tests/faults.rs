//! What faults look like on a line transport.

use futures_util::FutureExt;
use insta::assert_snapshot;
use tokio::io::AsyncWriteExt;

use super::say;
use crate::server::reference::everything;
use crate::transport::fault::{FAULT_KINDS, FaultKind};
use crate::transport::{Fault, TransportKind};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"a test","version":"1"}}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"none"}}"#;

fn fault(words: &str) -> Fault {
    words.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// What follows the reply to `initialize`.
fn said(words: &[&str], lines: &[&str]) -> String {
    let server = everything().faults(words.iter().map(|words| fault(words)));
    let said = say(&server, &[&[INITIALIZE], lines].concat());
    said.split_once('\n').unwrap_or_default().1.to_owned()
}

/// The fault of a word, on `ping`.
pub(super) fn on_ping(word: &FaultKind) -> String {
    let parts = [
        ("METHOD", "ping"),
        ("POINTER", "/jsonrpc"),
        ("JSON", r#"{"n":1}"#),
        ("CODE", "-1"),
        ("STATUS", "503"),
        ("TYPE", "text/plain"),
        ("COUNT", "3"),
        ("BYTES", "99"),
        ("NAME", "content-type"),
        ("LOCATION", "/"),
        ("TEXT", "x"),
        ("TIME", "1ms"),
    ];
    parts.iter().fold(word.form.to_owned(), |form, (part, with)| form.replace(part, with))
}

#[test]
fn every_fault_shows() {
    let all = |faults: Option<Fault>| say(&everything().faults(faults), &[INITIALIZE, PING, LIST]);
    let good = all(None);
    let of_lines = FAULT_KINDS.iter().filter(|word| word.reach.covers(TransportKind::Stdio));
    // A late reply that is the only one is like any other; behaviour, which has no form, is tested where it is owed.
    for word in of_lines.filter(|word| word.form != word.word && word.word != "late") {
        let words = on_ping(word);
        assert_ne!(all(Some(fault(&words))), good, "{words}");
    }
}

#[test]
fn a_late_reply_is_passed_by_others() {
    let said = said(&["late:ping:20ms"], &[PING, LIST]);
    let ids: Vec<_> = said.lines().map(|line| line.contains(r#""id":1"#)).collect();
    assert_eq!(ids, [false, true], "{said}");
}

#[test]
fn a_line_may_break_off() {
    assert_snapshot!(said(&["cut:ping"], &[PING]), @r#"{"jsonrpc":"2.0",""#);
    assert_snapshot!(said(&["two-on-a-line:ping"], &[PING]), @r#"{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_snapshot!(said(&["embedded-newline:ping"], &[PING]), @r#"
    {
      "jsonrpc": "2.0",
      "id": 1,
      "result": {}
    }
    "#);
    assert_snapshot!(said(&["noise:ping:pinged!"], &[PING]), @r#"
    pinged!
    {"jsonrpc":"2.0","id":1,"result":{}}
    "#);
}

#[test]
fn a_process_may_end_once_it_has_answered() {
    assert_snapshot!(said(&["exit-after:ping"], &[PING, LIST]), @r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}

#[test]
fn what_is_not_heard_is_not_done() {
    assert_eq!(said(&["ignore:ping"], &[PING]), "");
    assert_snapshot!(said(&["answer:prompts/get:{\"messages\":7}"], &[LIST]), @r#"{"jsonrpc":"2.0","id":2,"result":{"messages":7}}"#);
}

#[test]
fn the_items_of_a_batch_go_wrong() {
    let batch = format!("[{PING},{}]", PING.replace('1', "3"));
    assert_snapshot!(said(&["wrong-id:ping"], &[&batch]), @r#"[{"jsonrpc":"2.0","id":1001,"result":{}},{"jsonrpc":"2.0","id":1003,"result":{}}]"#);
}

#[test]
fn the_end_of_the_input_may_be_ignored() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let ends = |faults: &[&str]| {
        let server = everything().faults(faults.iter().map(|words| fault(words)));
        runtime.block_on(async {
            let (mut client, io) = tokio::io::duplex(1 << 16);
            client.write_all(format!("{PING}\n").as_bytes()).await.unwrap();
            client.shutdown().await.unwrap();
            let mut serving = Box::pin(server.serve(io));
            for _ in 0..10 {
                if (&mut serving).now_or_never().is_some() {
                    return true;
                }
                tokio::task::yield_now().await;
            }
            false
        })
    };
    assert!(ends(&[]));
    assert!(!ends(&["ignore-eof"]));
}
