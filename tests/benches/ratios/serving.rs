//! The cost of serving 64 clients at the same time: a contract, beside the reference server with the same conversations.

use std::fmt::Write as _;
use std::io::{Error, Result};

use mcp_test::cases::{Cases, Mock, ReadOptions};
use mcp_test::server::{Server, reference};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::cost::Cost;
use crate::rows;

/// The word that makes this program a server with its clients.
pub(crate) const CHILD: &str = "--serve-clients";

const CONTRACT: &str = "contract";
const REFERENCE: &str = "reference";

/// How many clients there are at the same time.
const CLIENTS: usize = 64;
/// How often each of them calls the tool.
const CALLS: usize = 500;
/// How many cases the contract has, each a call with other arguments.
const CASES: usize = 1_000;

pub(crate) fn table() -> Result<()> {
    let program = std::env::current_exe()?.to_string_lossy().into_owned();
    let cost = |way: &str| Cost::of(&[program.clone(), CHILD.into(), way.into()]);
    rows(
        &format!("{CLIENTS} clients of {CASES} cases, beside a server"),
        cost(CONTRACT)?,
        cost(REFERENCE)?,
    );
    Ok(())
}

/// Serves the clients.
pub(crate) fn serve(way: &str) -> Result<()> {
    let server = match way {
        CONTRACT => contract()?,
        _ => reference::everything(),
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let clients: Vec<_> =
            (0..CLIENTS).map(|number| tokio::spawn(visit(server.clone(), number))).collect();
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

/// A client that calls, and reads the reply before it calls again.
async fn visit(server: Server, number: usize) -> Result<()> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let serving = tokio::spawn(async move { server.serve(theirs).await });
    let (reader, mut writer) = tokio::io::split(ours);
    let mut lines = BufReader::new(reader).lines();
    let introduction = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "mcp-test", "version": "0"},
    });
    let introduction =
        json!({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": introduction});
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    writer.write_all(format!("{introduction}\n").as_bytes()).await?;
    lines.next_line().await?;
    writer.write_all(format!("{begun}\n").as_bytes()).await?;
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
