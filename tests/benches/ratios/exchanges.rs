//! The cost of one exchange by our client, trace included: over HTTP relative to a bare request with the same body, and in
//! process relative to a hand-written client of the same server; and the cost of a scenario in process, relative to one bare
//! exchange.

use std::io::{Error, Result};

use mcp_test::client::{Client, Options};
use mcp_test::scenario::Profile;
use mcp_test::server::reference;
use mcp_test::spec::{Revision, header, meta};
use mcp_test::trace::Recorder;
use mcp_test::transport::{Limits, Target, TransportKind};
use mcp_test_core::run::{ExitCode, Plan, Selection, run};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::cost::Cost;
use crate::row;

/// The argument that makes this program exchange messages with a server.
pub(crate) const CHILD: &str = "--exchange";

const BARE: &str = "bare";
const OURS: &str = "ours";
const BARE_IN_PROCESS: &str = "bare-in-process";
const OURS_IN_PROCESS: &str = "ours-in-process";
const NOTHING: &str = "nothing";
const SCENARIOS: &str = "scenarios";

/// The number of exchanges.
const EXCHANGES: u32 = 5_000;

/// The number of runs of the scenario.
const RUNS: u32 = 500;

pub(crate) fn table() -> Result<()> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let listening = runtime.block_on(reference::everything().listen("127.0.0.1:0"))?;
    let url = listening.url();
    let program = std::env::current_exe()?.to_string_lossy().into_owned();
    let cost =
        |kind: &str| Cost::of(&[program.clone(), CHILD.into(), kind.into(), url.to_string()]);
    // The cost of starting the program, which is subtracted.
    let start = cost(NOTHING)?;
    let each = |cost: Cost, times: u32| (cost.cpu - start.cpu).max(0.0) / f64::from(times) * 1e6;
    let bare = each(cost(BARE)?, EXCHANGES);
    let ours = each(cost(OURS)?, EXCHANGES);
    let scenario = each(cost(SCENARIOS)?, RUNS);
    let micros = |micros: f64| format!("{micros:.1} us");
    row("an exchange over HTTP: processor", &micros(ours), &micros(bare), ours / bare);
    let (manual, by_us) =
        (each(cost(BARE_IN_PROCESS)?, EXCHANGES), each(cost(OURS_IN_PROCESS)?, EXCHANGES));
    row(
        "an exchange in process: processor, server included",
        &micros(by_us),
        &micros(manual),
        by_us / manual,
    );
    row(
        "a scenario in process, per bare exchange",
        &micros(scenario),
        &micros(bare),
        scenario / bare,
    );
    Ok(())
}

/// Runs the exchanges of this kind.
pub(crate) fn run_exchanges(kind: &str, url: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match kind {
            BARE => bare(url).await,
            OURS => ours(&Target::url(url), TransportKind::Http).await,
            BARE_IN_PROCESS => bare_in_process().await,
            OURS_IN_PROCESS => ours(&reference::everything().target(), TransportKind::Duplex).await,
            SCENARIOS => scenarios().await,
            _ => Ok(()),
        }
    })
}

async fn bare(url: &str) -> Result<()> {
    // Fails if a provider is installed already.
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = reqwest::Client::builder().no_proxy().build().map_err(Error::other)?;
    let revision = Revision::V2026_07_28.as_str();
    for id in 1..=EXCHANGES {
        let reply = client
            .post(url)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header(header::MCP_PROTOCOL_VERSION, revision)
            .header(header::MCP_METHOD, "tools/list")
            .body(request(id).to_string())
            .send();
        let text = reply.await.map_err(Error::other)?.bytes().await.map_err(Error::other)?;
        examine(id, &text)?;
    }
    Ok(())
}

/// Writes requests to a pipe and reads the lines of the server, without any tracing or judging.
async fn bare_in_process() -> Result<()> {
    let (client, server) = tokio::io::duplex(64 * 1024);
    let server = tokio::spawn(async move { reference::everything().serve(server).await });
    let (input, mut output) = tokio::io::split(client);
    let mut lines = BufReader::new(input).lines();
    for id in 1..=EXCHANGES {
        output.write_all(format!("{}\n", request(id)).as_bytes()).await?;
        let line = lines.next_line().await?.unwrap_or_default();
        examine(id, line.as_bytes())?;
    }
    drop((lines, output));
    server.await.map_err(Error::other)?.map_err(Error::other)
}

fn request(id: u32) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "method": "tools/list",
        "params": { "_meta": {
            meta::PROTOCOL_VERSION: Revision::V2026_07_28.as_str(),
            meta::CLIENT_INFO: { "name": "mcp-test", "version": "0" },
            meta::CLIENT_CAPABILITIES: {},
        } },
    })
}

/// Parses a reply, which must have this id and a result.
fn examine(id: u32, reply: &[u8]) -> Result<()> {
    let reply: Value = serde_json::from_slice(reply)?;
    if reply["id"] != id || reply["result"].is_null() {
        return Err(Error::other(reply.to_string()));
    }
    Ok(())
}

async fn ours(target: &Target, transport: TransportKind) -> Result<()> {
    let recorder = Recorder::new();
    let connection = target.open(transport, &recorder, Limits::default()).await;
    let options = Options::speaking(Revision::V2026_07_28);
    let mut client =
        Client::connect(connection.map_err(Error::other)?, options).await.map_err(Error::other)?;
    for _ in 0..EXCHANGES {
        let reply = client.request("tools/list", json!({})).await.map_err(Error::other)?;
        reply.result().map_err(Error::other)?;
    }
    client.end().await;
    Ok(())
}

async fn scenarios() -> Result<()> {
    let selection = Selection {
        scenarios: vec!["tools-list".to_owned()],
        revisions: vec![Revision::V2025_11_25],
        transports: vec![TransportKind::Duplex],
        ..Selection::default()
    };
    for _ in 0..RUNS {
        let target = reference::everything().target();
        let plan =
            Plan::build(mcp_test_suite::scenarios::all(), target, Profile::Adaptive, &selection)
                .map_err(Error::other)?;
        let summary = run(&plan, &mut |_| {}).await;
        if summary.exit != ExitCode::Passed {
            return Err(Error::other("the scenario does not pass on the reference server"));
        }
    }
    Ok(())
}
