//! What scripts can do: speak to the client while answering, fail, be cancelled.

use insta::assert_snapshot;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use super::say;
use crate::server::{Answer, Call, Server};
use crate::trace::{EventKind, Recorder};
use crate::transport::Fault;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":"p"}}}"#;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn server() -> Server {
    Server::new(json!({"name": "s", "version": "1"})).capabilities(json!({"tools": {}}))
}

#[test]
fn a_call_tells_how_far_it_is() {
    let server = server().on("tools/call", |call: Call| async move {
        call.progress(1, 2).await.unwrap();
        json!({"content": []})
    });
    let said = say(&server, &[INITIALIZE, CALL]);
    assert_snapshot!(said.split_once('\n').unwrap().1, @r#"
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":"p","total":2}}
    {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
    "#);
}

#[test]
fn a_call_asks_the_client_and_waits() {
    let server = server().on("tools/call", |call: Call| async move {
        let roots = call.request("roots/list", json!({})).await.unwrap();
        json!({"content": [], "roots": roots.to_serde()})
    });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let last = runtime.block_on(async {
        let (client, io) = tokio::io::duplex(1 << 16);
        let talking = async move {
            let (reader, mut writer) = tokio::io::split(client);
            let mut lines = BufReader::new(reader).lines();
            writer.write_all(format!("{INITIALIZE}\n{CALL}\n").as_bytes()).await.unwrap();
            let mut last = String::new();
            while let Some(line) = lines.next_line().await.unwrap() {
                if line.contains("roots/list") {
                    let answer = br#"{"jsonrpc":"2.0","id":"server-1","result":{"roots":[]}}"#;
                    writer.write_all(answer).await.unwrap();
                    writer.write_all(b"\n").await.unwrap();
                    writer.shutdown().await.unwrap();
                }
                last = line;
            }
            last
        };
        tokio::join!(talking, server.serve(io)).0
    });
    assert_snapshot!(last, @r#"{"jsonrpc":"2.0","id":2,"result":{"content":[],"roots":{"roots":[]}}}"#);
}

#[test]
fn a_question_ends_with_the_client() {
    let server = server().on("tools/call", |call: Call| async move {
        let error = call.request("roots/list", json!({})).await.unwrap_err();
        json!({"content": [], "error": error.to_string()})
    });
    let said = say(&server, &[INITIALIZE, CALL]);
    assert!(said.contains("the client has disconnected"), "{said}");
}

#[test]
fn no_questions_where_a_server_has_none() {
    let server = server().on("tools/call", |call: Call| async move {
        let error = call.request("roots/list", json!({})).await.unwrap_err();
        json!({"content": [], "error": error.to_string()})
    });
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let said = say(&server, &[call]);
    assert!(said.contains("at 2026-07-28 servers send no requests"), "{said}");
}

#[test]
fn a_handler_that_panics_is_an_internal_error() {
    let server = server().on("tools/call", |call: Call| async move {
        assert!(call.param("name").is_none(), "boom");
        json!({})
    });
    let said = say(&server, &[INITIALIZE, CALL]);
    assert_snapshot!(said.lines().last().unwrap(), @r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"the handler of `tools/call` panicked"}}"#);
}

#[test]
fn a_cancelled_request_is_not_answered() {
    let server = server()
        .on("tools/call", |_: Call| std::future::pending::<serde_json::Value>())
        .on("tools/list", |_: Call| async { json!({"tools": []}) });
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    let list = r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#;
    let said = say(&server, &[INITIALIZE, CALL, cancel, list]);
    let ids: Vec<_> = said.lines().map(|line| line.contains(r#""id":2"#)).collect();
    assert_eq!(ids, [false, false]);
}

#[test]
fn what_is_not_declared_does_not_exist() {
    let server =
        server().capabilities(json!({})).on("tools/list", |_: Call| async { json!({"tools": []}) });
    let said = say(&server, &[INITIALIZE, r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#]);
    assert!(said.contains("-32601"), "{said}");
}

#[test]
fn a_script_may_replace_what_is_built_in() {
    let server = server().on("ping", |_: Call| async { json!({"pong": true}) });
    let said = say(&server, &[PING]);
    assert_snapshot!(said, @r#"{"jsonrpc":"2.0","id":1,"result":{"pong":true}}"#);
}

#[test]
fn the_server_side_of_a_stream_is_recorded() {
    let recorder = Recorder::new();
    let server = server().record(recorder.clone()).faults([Fault::banner("Hello")]);
    say(&server, &[PING]);
    let recorded: Vec<_> = recorder
        .trace()
        .events
        .iter()
        .map(|event| match &event.kind {
            EventKind::Message { text, .. } => {
                format!("{} {}", event.party, String::from_utf8_lossy(text))
            }
            other => format!("{} {other:?}", event.party),
        })
        .collect();
    assert_snapshot!(recorded.join("\n"), @r#"
    harness Opened { transport: "duplex" }
    server Hello
    client {"jsonrpc":"2.0","id":1,"method":"ping"}
    server {"jsonrpc":"2.0","id":1,"result":{}}
    "#);
}

#[test]
fn faults_end_a_stream() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let ends_with = |fault: Fault| {
        let server = server().faults([fault]);
        runtime.block_on(async {
            let (mut client, io) = tokio::io::duplex(1 << 16);
            let talking = async {
                client.write_all(format!("{PING}\n").as_bytes()).await.unwrap();
                let mut said = String::new();
                client.read_to_string(&mut said).await.unwrap();
                said
            };
            let (said, ended) = tokio::join!(talking, server.serve(io));
            format!(
                "{said:?} {}",
                ended.map_or_else(|error| error.to_string(), |()| "ok".to_owned())
            )
        })
    };
    assert_snapshot!(ends_with(Fault::close_on("ping")), @r#""" ok"#);
    assert_snapshot!(ends_with(Fault::exit_on("ping")), @r#""" the fault `exit:ping` ended the server"#);
    let said = say(&server().faults([Fault::blank_line("ping"), Fault::truncate("ping")]), &[PING]);
    assert_eq!(said, "\n{\"jsonrpc\":\"2.0\",\"\n");
}

#[test]
fn a_call_wants_input_and_gets_it() {
    let server = server().on("tools/call", |call: Call| async move {
        match (call.request_state(), call.input_response("roots")) {
            (Some("first"), Some(roots)) => {
                json!({"content": [], "roots": roots.to_serde()}).into()
            }
            (Some(state), _) => Answer::input_required(serde_json::Value::Null, Some(state)),
            _ => Answer::input_required(json!({"roots": {"method": "roots/list"}}), Some("first")),
        }
    });
    let call = |more: &str| {
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"MORE,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#.replace("MORE", more)
    };
    let said = say(
        &server,
        &[
            &call(""),
            &call(r#","requestState":"other""#),
            &call(r#","requestState":"first","inputResponses":{"roots":{"roots":[]}}"#),
        ],
    );
    assert_snapshot!(said, @r#"
    {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"roots":{"method":"roots/list"}},"requestState":"first","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}
    {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"other","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}
    {"jsonrpc":"2.0","id":2,"result":{"content":[],"roots":{"roots":[]},"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}
    "#);
}

#[test]
fn subscriptions_share_a_stream_under_their_ids() {
    let server = server().capabilities(json!({"tools": {"listChanged": true}})).on(
        "tools/call",
        |call: Call| async move {
            call.announce("notifications/tools/list_changed", json!({}));
            json!({"content": []})
        },
    );
    let request = |id: u8, method: &str, params: &str| {
        r#"{"jsonrpc":"2.0","id":ID,"method":"METHOD","params":{PARAMS,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#
            .replace("ID", &id.to_string()).replace("METHOD", method).replace("PARAMS", params)
    };
    let listen = r#""notifications":{"toolsListChanged":true}"#;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let said = say(
        &server,
        &[
            &request(1, "subscriptions/listen", listen),
            &request(2, "subscriptions/listen", listen),
            &request(3, "tools/call", r#""name":"x""#),
            cancel,
            &request(4, "tools/call", r#""name":"x""#),
        ],
    );
    assert_snapshot!(said, @r#"
    {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}
    {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}
    {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}
    {"jsonrpc":"2.0","id":3,"result":{"content":[],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}
    {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}
    {"jsonrpc":"2.0","id":4,"result":{"content":[],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}
    {"jsonrpc":"2.0","id":2,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":2,"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}},"resultType":"complete"}}
    "#);
}
