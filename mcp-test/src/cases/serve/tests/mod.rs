//! Conversations with mocks: raw lines in, raw lines out.

mod choice;
mod era;
mod implied;
mod requests;
mod usage;

use std::time::Duration;

use mcp_test_core::clock::{self, Deadline};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

use super::Mock;
use crate::cases::{Cases, ReadOptions};

/// The cases of a text.
fn cases(text: &str) -> Cases {
    match Cases::parse("contract.yaml", text, &ReadOptions::default()) {
        Ok((cases, _)) => cases,
        Err(error) => panic!("{error}"),
    }
}

/// The server of a contract.
fn mock(text: &str) -> Mock {
    Mock::new(cases(text))
}

/// The events of a mock, one per line.
fn events(mock: &Mock) -> String {
    let lines: Vec<_> = mock.events().iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// A client that sends arbitrary messages.
struct TestClient {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    serving: JoinHandle<()>,
    last: u64,
}

/// Runs a test in a runtime of its own.
fn block_on(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test);
}

impl TestClient {
    /// Connects without a handshake.
    fn connect(mock: &Mock) -> Self {
        let (client, io) = tokio::io::duplex(1 << 20);
        let server = mock.server();
        let serving = tokio::spawn(async move { server.serve(io).await.unwrap_or_default() });
        let (reader, writer) = tokio::io::split(client);
        Self { lines: BufReader::new(reader).lines(), writer, serving, last: 0 }
    }

    /// Connects, and performs the handshake.
    async fn initialized(mock: &Mock) -> Self {
        let mut client = Self::connect(mock);
        client.request("initialize", initialize("2025-11-25")).await;
        client.notify("notifications/initialized", json!({})).await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// Sends a request; returns its id.
    async fn start_request(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last + 100;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// The next message of the server.
    async fn receive(&mut self) -> Value {
        let line = clock::within(Deadline::after(Duration::from_secs(60)), self.lines.next_line());
        let line =
            line.await.expect("a message arrives").unwrap().expect("the server is connected");
        serde_json::from_str(&line).unwrap()
    }

    /// The messages up to the reply to a request, without `jsonrpc` and ids.
    async fn request_all(&mut self, method: &str, params: Value) -> Vec<Value> {
        let id = self.start_request(method, params).await;
        let mut received = Vec::new();
        loop {
            let mut message = self.receive().await;
            let is_reply = message.get("method").is_none() && message["id"] == id;
            message.as_object_mut().unwrap().retain(|name, _| name != "jsonrpc" && name != "id");
            received.push(message);
            if is_reply {
                return received;
            }
        }
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        self.request_all(method, params).await.pop().unwrap()
    }

    /// Calls a tool: the first text of its result, or its error.
    async fn call(&mut self, tool: &str, arguments: Value) -> String {
        let reply =
            self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        match reply["result"]["content"][0]["text"].as_str() {
            Some(text) => text.to_owned(),
            None => reply.to_string(),
        }
    }

    /// Disconnects, and waits until the server has noticed.
    async fn disconnect(self) {
        drop((self.writer, self.lines));
        self.serving.await.unwrap();
    }
}

fn initialize(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "tester", "version": "1" } })
}

/// The parameters of a request of the stateless era.
fn stateless(params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "tester", "version": "1" },
    });
    params
}

/// A case with one call of a tool that answers with a text.
fn call(name: &str, tool: &str, arguments: &str, text: &str) -> String {
    format!(
        r#"---
case: {name}
in: {{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{"name": "{tool}", "arguments": {arguments}}}}}
out: {{"jsonrpc": "2.0", "id": 1, "result": {{"content": [{{"type": "text", "text": "{text}"}}]}}}}
"#
    )
}
