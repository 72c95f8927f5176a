//! A server over stdio that a client of a proof starts by itself, in order to treat it as no client should.

use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::scenarios::prelude::*;

/// A running server.
#[derive(Debug)]
pub(super) struct StartedServer {
    /// Its standard error is a pipe that nobody reads.
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    revision: Revision,
    next_id: u32,
}

impl StartedServer {
    /// Starts the server of a task.
    pub(super) fn start(task: &ClientTask) -> mcp_test_core::Result<Self> {
        let command = task.endpoint().command()?;
        let mut child = Command::new(&command.program)
            .args(&command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("the server has no input")?;
        let output = child.stdout.take().ok_or("the server has no output")?;
        let output = BufReader::new(output).lines();
        Ok(Self { child, input, output, revision: task.revision(), next_id: 1 })
    }

    /// Sends the first request of the revision, and reads the reply.
    pub(super) async fn begin(&mut self) -> mcp_test_core::Result {
        match self.revision.era() {
            Era::Stateless => self.request("server/discover", json!({})).await,
            Era::Handshake => {
                let info = json!({ "name": "mcp-test-client", "version": "1.0.0" });
                let version = self.revision.as_str();
                let params = json!({
                    "protocolVersion": version, "capabilities": {}, "clientInfo": info,
                });
                self.request("initialize", params).await
            }
        }
    }

    /// Sends a request, after `notifications/initialized` where the revision has it, and reads the reply.
    pub(super) async fn request_after_begin(&mut self, method: &str) -> mcp_test_core::Result {
        if self.revision.era() == Era::Handshake {
            let method = "notifications/initialized";
            self.send(&json!({ "jsonrpc": "2.0", "method": method })).await?;
        }
        self.request(method, json!({})).await
    }

    /// Closes its input.
    pub(super) fn close(self) -> Child {
        self.child
    }

    async fn request(&mut self, method: &str, mut params: Value) -> mcp_test_core::Result {
        if self.revision.era() == Era::Stateless {
            params["_meta"] = json!({
                meta::PROTOCOL_VERSION: self.revision.as_str(), meta::CLIENT_CAPABILITIES: {},
            });
        }
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await?;
        let reply = self.output.next_line().await?;
        reply.map(drop).ok_or_else(|| "the server has exited".into())
    }

    async fn send(&mut self, message: &Value) -> mcp_test_core::Result {
        self.input.write_all(format!("{message}\n").as_bytes()).await?;
        Ok(self.input.flush().await?)
    }
}
