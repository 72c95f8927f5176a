//! Which revision a message is judged by, when nobody has fixed it.

use mcp_test_core::spec::Revision;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, split};

use super::through;
use crate::guard::Guard;

/// What the peer reads, and what the handler has read, of a conversation in which each line of the peer that passes is
/// answered by the handler with the next of its own.
async fn conversation(guard: &Guard, peer_says: &[&str], handler_says: &[&str]) -> String {
    let (peer, inner) = tokio::io::duplex(1 << 16);
    let (handler_reads, mut handler_writes) = split(guard.io(inner));
    let handler_says: Vec<String> = handler_says.iter().map(|line| format!("{line}\n")).collect();
    let handler = tokio::spawn(async move {
        let mut lines = BufReader::new(handler_reads).lines();
        let mut says = handler_says.into_iter();
        while let Some(_line) = lines.next_line().await.unwrap() {
            let line = says.next().unwrap_or_else(|| "{\"passed\":true}\n".to_owned());
            handler_writes.write_all(line.as_bytes()).await.unwrap();
        }
    });
    let (peer_reads, mut peer_writes) = split(peer);
    let mut answers = BufReader::new(peer_reads);
    let mut heard = String::new();
    for line in peer_says {
        peer_writes.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        answers.read_line(&mut heard).await.unwrap();
    }
    peer_writes.shutdown().await.unwrap();
    answers.read_to_string(&mut heard).await.unwrap();
    handler.await.unwrap();
    heard
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

fn agreed(revision: Revision) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"{revision}","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#
    )
}

const BATCH: &str = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#;

#[tokio::test]
async fn the_result_of_initialize_settles_it() {
    let guard = Guard::negotiated();
    let old = agreed(Revision::V2025_03_26);
    let heard = conversation(&guard, &[INITIALIZE, BATCH], &[&old]).await;
    assert_eq!(heard.lines().last(), Some("{\"passed\":true}"));
    // A handshake cannot settle on a revision without one: the newest that has one is meant, which has `ping`.
    let ahead = agreed(Revision::V2026_07_28);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let guard_of_known = Guard::negotiated().reject_unknown_methods();
    let heard = conversation(&guard_of_known, &[INITIALIZE, ping], &[&ahead]).await;
    assert_eq!(heard.lines().last(), Some("{\"passed\":true}"));
    let new = agreed(Revision::V2025_06_18);
    let heard = conversation(&guard, &[INITIALIZE, BATCH], &[&new]).await;
    insta::assert_snapshot!(heard.lines().last().unwrap(), @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a single message, got a batch","data":{"pointer":"","reason":"expected a single message, got a batch"}}}"#);
}

#[tokio::test]
async fn initialize_itself_is_judged_by_what_it_proposes() {
    let without_info = INITIALIZE.replace("clientInfo", "client");
    for proposed in ["2024-11-05", "2025-11-25", "1999-01-01", "2026-07-28"] {
        let line = without_info.replace("2025-03-26", proposed);
        let (handled, said) = through(&Guard::negotiated(), &line).await;
        assert_eq!(handled, "", "{proposed}");
        assert!(said.contains("/params/clientInfo"), "{said}");
    }
    // A server of the newest revision alone has no such method, and says so itself.
    let newest = Guard::new(Revision::NEWEST).reject_unknown_methods();
    assert_eq!(through(&newest, INITIALIZE).await.0, INITIALIZE);
    let (handled, said) = through(&newest, &without_info).await;
    assert_eq!(handled, "");
    assert!(said.contains("/params/clientInfo"), "{said}");
}

#[tokio::test]
async fn a_message_says_by_itself_what_it_is() {
    let meta = |revision: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"{revision}","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        )
    };
    let (handled, said) = through(&Guard::negotiated(), meta("2026-07-28")).await;
    assert_eq!(handled, "");
    insta::assert_snapshot!(said, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params/name` is a string, got nothing","data":{"pointer":"/params/name","reason":"expected a string, got nothing","shape":"CallToolRequestParams","keyword":"required"}}}"#);
    // A revision that is not known is for the handler to refuse, which still gets no other message than it expects.
    for unknown in ["\"2042-01-01\"", "\"2025-11-25\"", "\"\"", "5", "null", "[]"] {
        let line = meta("2026-07-28").replace("\"2026-07-28\"", unknown);
        let (handled, said) = through(&Guard::negotiated(), &line).await;
        assert_eq!(handled, "", "{unknown}");
        assert!(said.contains("-32602"), "{said}");
        let line = line.replace("\"params\":{", "\"params\":{\"name\":\"add\",");
        let passes = unknown.starts_with('"');
        assert_eq!(through(&Guard::negotiated(), &line).await.0 == line, passes, "{line}");
    }
}

#[tokio::test]
async fn before_there_is_a_revision_a_message_has_to_be_valid_at_any() {
    let guard = Guard::negotiated().reject_unknown_methods();
    for (line, code) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, "-32602"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","task":5}}"#,
            "-32602",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{}}"#, "-32602"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}"#, "-32602"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"acme/x","params":{}}"#, "-32601"),
    ] {
        let (handled, said) = through(&guard, line).await;
        assert_eq!(handled, "");
        assert!(said.contains(code), "{said}");
    }
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"x"}}"#,
        BATCH,
    ] {
        let (handled, said) = through(&guard, line).await;
        assert_eq!((handled.as_str(), said.as_str()), (line, ""));
    }
    let (handled, said) = through(&guard, "{\"id\":1}").await;
    assert_eq!(handled, "");
    insta::assert_snapshot!(said, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request: expected `/jsonrpc` is \"2.0\", got nothing","data":{"pointer":"/jsonrpc","reason":"expected \"2.0\", got nothing"}}}"#);
}

#[tokio::test]
async fn behind_initialize_a_message_has_to_be_valid_whatever_the_answer_is() {
    // The oldest revision has no tasks; the handler may answer with one that has.
    let initialize = INITIALIZE.replace("2025-03-26", "2024-11-05");
    let call = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
    };
    let (right, wrong) = (call(r#"{"name":"add"}"#), call(r#"{"name":"add","task":5}"#));
    let guard = Guard::negotiated().reject_unknown_methods();
    let unknown = r#"{"jsonrpc":"2.0","id":2,"method":"acme/x"}"#;
    let ping = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let text = [&initialize, &wrong, ping, &right, unknown, initialized, ""].join("\n");
    let (handled, said) = through(&guard, &text).await;
    assert_eq!(handled, [&initialize, ping, &right, initialized, ""].join("\n"));
    insta::assert_snapshot!(said, @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params/task` is an object, got a number","data":{"pointer":"/params/task","reason":"expected an object, got a number","shape":"TaskMetadata","keyword":"type"}}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: expected `/method` is a method of MCP, got another","data":{"pointer":"/method","reason":"expected a method of MCP, got another"}}}
    "#);
    // Also behind the second of two, and while only the first of them is answered.
    let second = initialize.replace("\"id\":0", "\"id\":9");
    let first = agreed(Revision::V2024_11_05);
    let heard = conversation(&guard, &[&initialize, &second, &wrong], &[&first, "", ""]).await;
    assert!(heard.lines().last().unwrap().contains("-32602"), "{heard}");
}

#[tokio::test]
async fn a_name_does_not_loosen_what_was_agreed_on() {
    let call = |meta: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"add","task":5,"_meta":{meta}}}}}"#
        )
    };
    let name = |version: &str| {
        call(&format!(r#"{{"io.modelcontextprotocol/protocolVersion":{version}}}"#))
    };
    let old = agreed(Revision::V2025_11_25);
    let guard = Guard::negotiated().reject_unknown_methods();
    let initialize = INITIALIZE.replace("2025-03-26", "2025-11-25");
    for line in [
        name("\"2042-01-01\""),
        name("\"2024-11-05\""),
        name("\"2026-07-28\""),
        name("5"),
        call("5"),
        call("{}"),
    ] {
        let heard = conversation(&guard, &[&initialize, &line], &[&old]).await;
        assert!(heard.lines().last().unwrap().contains("-32602"), "{line}: {heard}");
    }
    // What is valid where it was agreed passes, whatever it names.
    let line = name("\"2042-01-01\"").replace("\"task\":5,", "");
    let heard = conversation(&guard, &[&initialize, &line], &[&old]).await;
    assert_eq!(heard.lines().last(), Some("{\"passed\":true}"));
    let unknown = name("\"2042-01-01\"").replace("tools/call", "acme/x");
    let heard = conversation(&guard, &[&initialize, &unknown], &[&old]).await;
    assert!(heard.lines().last().unwrap().contains("-32601"), "{heard}");
}

#[tokio::test]
async fn a_client_behind_the_guard_learns_its_revision_from_the_reply() {
    let guard = Guard::negotiated().for_client();
    let (peer, inner) = tokio::io::duplex(1 << 16);
    let mut io = guard.io(inner);
    let (peer_reads, mut peer_writes) = split(peer);
    io.write_all(format!("{INITIALIZE}\n").as_bytes()).await.unwrap();
    let asks = r#"{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{}}"#;
    let lines = format!("{}\n{asks}\n{BATCH}\n", agreed(Revision::V2025_06_18));
    peer_writes.write_all(lines.as_bytes()).await.unwrap();
    peer_writes.shutdown().await.unwrap();
    let mut handled = String::new();
    io.read_to_string(&mut handled).await.unwrap();
    drop(io);
    assert_eq!(handled.lines().count(), 1, "{handled}");
    let mut said = String::new();
    BufReader::new(peer_reads).read_to_string(&mut said).await.unwrap();
    let answers: Vec<&str> = said.lines().skip(1).collect();
    insta::assert_snapshot!(answers.join("\n"), @r#"
    {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params: expected `/params/messages` is an array of SamplingMessages, got nothing","data":{"pointer":"/params/messages","reason":"expected an array of SamplingMessages, got nothing","shape":"CreateMessageRequestParams","keyword":"required","causes":[{"pointer":"/params/maxTokens","reason":"expected an integer, got nothing","shape":"CreateMessageRequestParams","keyword":"required"}]}}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a single message, got a batch","data":{"pointer":"","reason":"expected a single message, got a batch"}}}
    "#);
}

#[tokio::test]
async fn a_client_without_a_handshake_names_the_revision_for_both() {
    let lists = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let asks = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n";
    // At 2026-07-28 a server sends no requests.
    for (says, handled) in [("", asks), (lists, "")] {
        let (mut peer, inner) = tokio::io::duplex(1 << 16);
        let mut io = Guard::negotiated().for_client().io(inner);
        io.write_all(format!("{says}\n").as_bytes()).await.unwrap();
        peer.write_all(asks.as_bytes()).await.unwrap();
        peer.shutdown().await.unwrap();
        let mut read = String::new();
        io.read_to_string(&mut read).await.unwrap();
        assert_eq!(read, handled);
    }
}
