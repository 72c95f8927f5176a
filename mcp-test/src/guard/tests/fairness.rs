//! Two that write to one stream: the handler's lines and the guard's answers both come through, each whole.

use mcp_test_core::spec::Revision;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, split};

use crate::guard::Guard;

/// How many lines of either kind are under way.
const LINES: usize = 2000;

#[tokio::test]
async fn neither_a_handler_that_always_writes_nor_a_peer_that_is_always_wrong_keeps_the_other() {
    // So little room that each line waits for some.
    let (peer, inner) = tokio::io::duplex(48);
    let (peer_reads, mut peer_writes) = split(peer);
    let (mut handler_reads, mut handler_writes) =
        split(Guard::new(Revision::V2025_06_18).io(inner));
    let wrong = async move {
        for id in 0..LINES {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\"}}\n");
            peer_writes.write_all(line.as_bytes()).await.unwrap();
        }
        peer_writes.shutdown().await.unwrap();
    };
    let reading = tokio::spawn(async move {
        let mut handled = Vec::new();
        handler_reads.read_to_end(&mut handled).await.map(|_| handled.len())
    });
    let writing = tokio::spawn(async move {
        // Chunks that end inside of lines, so that the handler never stops at the end of one.
        let line = |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
        let text: String = (LINES..2 * LINES).map(line).collect();
        for chunk in text.as_bytes().chunks(100) {
            handler_writes.write_all(chunk).await.unwrap();
        }
        handler_writes
    });
    let wrong = tokio::spawn(wrong);
    let mut lines = BufReader::new(peer_reads).lines();
    let (mut errors, mut results) = (Vec::new(), Vec::new());
    while errors.len() < LINES || results.len() < LINES {
        let line = lines.next_line().await.unwrap().expect("more lines are under way");
        let value = mcp_test_core::json::Value::parse(line.as_bytes()).expect("a whole line").value;
        let id = value.get("id").and_then(mcp_test_core::json::Value::as_u64).unwrap();
        let group = if value.get("error").is_some() { &mut errors } else { &mut results };
        group.push(id as usize);
    }
    assert!(errors.into_iter().eq(0..LINES));
    assert!(results.into_iter().eq(LINES..2 * LINES));
    wrong.await.unwrap();
    writing.await.unwrap();
    assert_eq!(reading.await.unwrap().unwrap(), 0);
}
