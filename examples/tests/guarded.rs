//! The calculator behind a guard, compared with the calculator alone: how each answers invalid messages. Valid ones pass
//! through.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use mcp_test::guard::Guard;
use mcp_test::prelude::*;
use mcp_test_examples::{Calculator, calculator_router};
use rmcp::ServiceExt as _;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, split};
use tower::ServiceExt as _;

mcp_test::target!(guarded);

fn guarded() -> Target {
    Target::duplex(|io| serve(Guard::negotiated().io(io)))
        .and_router(|| calculator_router().layer(Guard::negotiated().layer()))
}

async fn serve<IO>(io: IO) -> Result
where
    IO: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + 'static,
{
    Calculator::new().serve(io).await?.waiting().await?;
    Ok(())
}

fn guarded_program() -> Target {
    Target::command(Command::new(env!("CARGO_BIN_EXE_guarded_calculator")))
}

#[mcp_scenario(target = guarded_program)]
async fn the_program_is_guarded(ctx: &mut Ctx) -> Result<()> {
    let refused = ctx.request("tools/call", json!({"name": 5})).await?;
    refused.assert_error_code(-32602).assert_error_message("expected `/params/name` is a string");
    ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
    Ok(())
}

#[mcp_scenario(revisions = "all", matrix)]
async fn valid_messages_pass(ctx: &mut Ctx) -> Result<()> {
    ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
    ctx.list_tools().await?.assert_tool("divide");
    Ok(())
}

/// Mistakes of clients.
const WRONG: [&str; 5] = [
    r#"{"jsonrpc":"2.0","id":"a","method":"tools/call""#,
    r#"{"id":"b","method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":"c","method":5}"#,
    r#"{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"arguments":{"a":1,"b":2}}}"#,
    r#"{"jsonrpc":"2.0","id":"e","method":"resources/read","params":{"uri":7}}"#,
];

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Each invalid message with the answer of the server, over a byte stream.
async fn over_a_stream(serve: impl AsyncFnOnce(DuplexStream)) -> String {
    let (client, server) = tokio::io::duplex(64 * 1024);
    let talk = async move {
        let (reader, mut writer) = split(client);
        let mut lines = BufReader::new(reader).lines();
        writer.write_all(format!("{INITIALIZE}\n{INITIALIZED}\n").as_bytes()).await.unwrap();
        lines.next_line().await.unwrap().expect("the result of initialize");
        let mut log = String::new();
        for wrong in WRONG {
            log += &format!("> {wrong}\n");
            // The server has answered the message before it answers the second of these.
            for ping in ["ping 1", "ping 2"] {
                let ping = json!({"jsonrpc": "2.0", "id": ping, "method": "ping"});
                let before =
                    if ping["id"] == "ping 1" { format!("{wrong}\n") } else { String::new() };
                writer.write_all(format!("{before}{ping}\n").as_bytes()).await.unwrap();
                loop {
                    let line = lines.next_line().await.unwrap().expect("a reply to ping");
                    if line.contains(ping["id"].as_str().unwrap_or_default()) {
                        break;
                    }
                    log += &format!("< {line}\n");
                }
            }
        }
        log
    };
    let (log, ()) = tokio::join!(talk, serve(server));
    log
}

#[tokio::test]
async fn rmcp_alone_over_a_stream() {
    let log = over_a_stream(async |io| serve(io).await.unwrap()).await;
    insta::assert_snapshot!(log, @r#"
    > {"jsonrpc":"2.0","id":"a","method":"tools/call"
    > {"id":"b","method":"ping"}
    < {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"}}
    > {"jsonrpc":"2.0","id":"c","method":5}
    < {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"}}
    > {"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"arguments":{"a":1,"b":2}}}
    < {"jsonrpc":"2.0","id":"d","error":{"code":-32601,"message":"tools/call"}}
    > {"jsonrpc":"2.0","id":"e","method":"resources/read","params":{"uri":7}}
    < {"jsonrpc":"2.0","id":"e","error":{"code":-32601,"message":"resources/read"}}
    "#);
}

#[tokio::test]
async fn the_guard_over_a_stream() {
    let guard = Guard::negotiated();
    let log = over_a_stream(async |io| serve(guard.io(io)).await.unwrap()).await;
    insta::assert_snapshot!(log, @r#"
    > {"jsonrpc":"2.0","id":"a","method":"tools/call"
    < {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 48: expected `,` or `}`","data":{"pointer":"","reason":"no JSON at line 1, column 48: expected `,` or `}`"}}}
    > {"id":"b","method":"ping"}
    < {"jsonrpc":"2.0","id":"b","error":{"code":-32600,"message":"Invalid Request: expected `/jsonrpc` is \"2.0\", got nothing","data":{"pointer":"/jsonrpc","reason":"expected \"2.0\", got nothing"}}}
    > {"jsonrpc":"2.0","id":"c","method":5}
    < {"jsonrpc":"2.0","id":"c","error":{"code":-32600,"message":"Invalid Request: expected `/method` is a string, got a number","data":{"pointer":"/method","reason":"expected a string, got a number"}}}
    > {"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"arguments":{"a":1,"b":2}}}
    < {"jsonrpc":"2.0","id":"d","error":{"code":-32602,"message":"Invalid params: expected `/params/name` is a string, got nothing","data":{"pointer":"/params/name","reason":"expected a string, got nothing","shape":"CallToolRequestParams","keyword":"required"}}}
    > {"jsonrpc":"2.0","id":"e","method":"resources/read","params":{"uri":7}}
    < {"jsonrpc":"2.0","id":"e","error":{"code":-32602,"message":"Invalid params: expected `/params/uri` is a URI, got a number","data":{"pointer":"/params/uri","reason":"expected a URI, got a number","shape":"ReadResourceRequestParams","keyword":"type"}}}
    "#);
    assert_eq!(guard.stats().rejected, WRONG.len() as u64);
}

/// Each invalid message with the status and the body of its response, over HTTP.
async fn over_http(router: &Router) -> String {
    let post = async |body: &str, session: Option<&str>| {
        let mut request = Request::post("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if let Some(session) = session {
            request = request.header("mcp-session-id", session);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        router.clone().oneshot(request).await.unwrap()
    };
    let response = post(INITIALIZE, None).await;
    let session = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    to_bytes(response.into_body(), 10_000).await.unwrap();
    post(INITIALIZED, Some(&session)).await;
    let mut log = String::new();
    for wrong in WRONG {
        let response = post(wrong, Some(&session)).await;
        let status = response.status();
        let body = to_bytes(response.into_body(), 10_000).await.unwrap();
        let body = String::from_utf8_lossy(&body);
        // The ids of events differ from run to run.
        let data = body.lines().filter(|line| !line.starts_with("id:") && line.trim() != "data:");
        let data = data.filter(|line| !line.starts_with("retry:"));
        log += &format!("> {wrong}\n< {status} {}\n", data.collect::<String>());
    }
    log
}

#[tokio::test]
async fn rmcp_alone_over_http() {
    insta::assert_snapshot!(over_http(&calculator_router()).await, @r#"
    > {"jsonrpc":"2.0","id":"a","method":"tools/call"
    < 415 Unsupported Media Type fail to deserialize request body EOF while parsing an object at line 1 column 47
    > {"id":"b","method":"ping"}
    < 415 Unsupported Media Type fail to deserialize request body unrecognized JSON-RPC message
    > {"jsonrpc":"2.0","id":"c","method":5}
    < 415 Unsupported Media Type fail to deserialize request body unrecognized JSON-RPC message
    > {"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"arguments":{"a":1,"b":2}}}
    < 200 OK data: {"jsonrpc":"2.0","id":"d","error":{"code":-32601,"message":"tools/call"}}
    > {"jsonrpc":"2.0","id":"e","method":"resources/read","params":{"uri":7}}
    < 200 OK data: {"jsonrpc":"2.0","id":"e","error":{"code":-32601,"message":"resources/read"}}
    "#);
}

#[tokio::test]
async fn the_guard_over_http() {
    let guard = Guard::negotiated();
    let router = calculator_router().layer(guard.layer());
    insta::assert_snapshot!(over_http(&router).await, @r#"
    > {"jsonrpc":"2.0","id":"a","method":"tools/call"
    < 400 Bad Request {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 48: expected `,` or `}`","data":{"pointer":"","reason":"no JSON at line 1, column 48: expected `,` or `}`"}}}
    > {"id":"b","method":"ping"}
    < 400 Bad Request {"jsonrpc":"2.0","id":"b","error":{"code":-32600,"message":"Invalid Request: expected `/jsonrpc` is \"2.0\", got nothing","data":{"pointer":"/jsonrpc","reason":"expected \"2.0\", got nothing"}}}
    > {"jsonrpc":"2.0","id":"c","method":5}
    < 400 Bad Request {"jsonrpc":"2.0","id":"c","error":{"code":-32600,"message":"Invalid Request: expected `/method` is a string, got a number","data":{"pointer":"/method","reason":"expected a string, got a number"}}}
    > {"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"arguments":{"a":1,"b":2}}}
    < 200 OK {"jsonrpc":"2.0","id":"d","error":{"code":-32602,"message":"Invalid params: expected `/params/name` is a string, got nothing","data":{"pointer":"/params/name","reason":"expected a string, got nothing","shape":"CallToolRequestParams","keyword":"required"}}}
    > {"jsonrpc":"2.0","id":"e","method":"resources/read","params":{"uri":7}}
    < 200 OK {"jsonrpc":"2.0","id":"e","error":{"code":-32602,"message":"Invalid params: expected `/params/uri` is a URI, got a number","data":{"pointer":"/params/uri","reason":"expected a URI, got a number","shape":"ReadResourceRequestParams","keyword":"type"}}}
    "#);
    assert_eq!(guard.stats().rejected, WRONG.len() as u64);
}
