//! The cost of serving 64 concurrent clients from a contract, relative to the reference server with the same conversations.

use std::fmt::Write as _;
use std::io::{Error, Result};

use mcp_test::cases::{Cases, Mock, ReadOptions};
use mcp_test::server::{Server, reference};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::cost::Cost;
use crate::rows;

/// The argument that makes this program run a server and its clients.
pub(crate) const CHILD: &str = "--serve-clients";

const CONTRACT: &str = "contract";
const REFERENCE: &str = "reference";

/// The number of concurrent clients.
const CLIENTS: usize = 64;
/// The number of tool calls by each client.
const CALLS: usize = 500;
/// The number of cases in the contract, each a call with other arguments.
const CASES: usize = 1_000;

pub(crate) fn table() -> Result<()> {
    let program = std::env::current_exe()?.to_string_lossy().into_owned();
    let cost = |kind: &str| Cost::of(&[program.clone(), CHILD.into(), kind.into()]);
    rows(
        &format!("{CLIENTS} clients of {CASES} cases, by a server"),
        cost(CONTRACT)?,
        cost(REFERENCE)?,
    );
    Ok(())
}

/// Serves the clients from the contract, or by the reference server.
pub(crate) fn serve(kind: &str) -> Result<()> {
    let server = match kind {
        CONTRACT => contract()?,
        _ => reference::everything(),
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let clients: Vec<_> =
            (0..CLIENTS).map(|number| tokio::spawn(run_client(server.clone(), number))).collect();
        for client in clients {
            client.await.map_err(Error::other)??;
        }
        Ok(())
    })
}

fn contract() -> Result<Server> {
    let mut text = String::new();
    for number in 0..CASES {
        let call = call(1, number);
        let result = json!({"content": [{"type": "text", "text": (number + 1).to_string()}]});
        let reply = json!({"jsonrpc": "2.0", "id": 1, "result": result});
        writeln!(text, "case: Sum {number}\nin: {call}\nout: {reply}\n---")
            .map_err(Error::other)?;
    }
    let cases = Cases::parse("sums.yaml", &text, &ReadOptions::default());
    Ok(Mock::new(cases.map_err(Error::other)?.0).server())
}

fn call(id: usize, number: usize) -> Value {
    let params = json!({"name": "add", "arguments": {"a": number, "b": 1}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// A client that makes its calls one after the other, and checks each reply.
async fn run_client(server: Server, number: usize) -> Result<()> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let serving = tokio::spawn(async move { server.serve(theirs).await });
    let (reader, mut writer) = tokio::io::split(ours);
    let mut lines = BufReader::new(reader).lines();
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "mcp-test", "version": "0"},
    });
    let initialize = json!({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": params});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    writer.write_all(format!("{initialize}\n").as_bytes()).await?;
    lines.next_line().await?;
    writer.write_all(format!("{initialized}\n").as_bytes()).await?;
    for id in 0..CALLS {
        let sum = (number * CALLS + id) % CASES;
        writer.write_all(format!("{}\n", call(id, sum)).as_bytes()).await?;
        let reply: Value = serde_json::from_str(&lines.next_line().await?.unwrap_or_default())?;
        let text = (sum + 1).to_string();
        if reply["id"] != id || reply["result"]["content"][0]["text"] != text {
            return Err(Error::other(reply.to_string()));
        }
    }
    drop((lines, writer));
    serving.await.map_err(Error::other)?.map_err(Error::other)
}
