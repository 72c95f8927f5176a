//! The cost of running a contract in process, relative to a client that has the same conversations and checks nothing.

use std::fmt::Write as _;
use std::io::{Error, Result};
use std::num::NonZeroUsize;

use mcp_test::cases::{Cases, PlayOptions, ReadOptions, scenarios};
use mcp_test::client::{Client, Options};
use mcp_test::scenario::Profile;
use mcp_test::server::reference;
use mcp_test::spec::Revision;
use mcp_test::trace::Recorder;
use mcp_test::transport::{Limits, TransportKind};
use mcp_test_core::run::{ExitCode, Plan, Selection, run};
use serde_json::json;

use crate::cost::Cost;
use crate::rows;

/// The argument that makes this program run cases, or only have their conversations.
pub(crate) const CHILD: &str = "--play-cases";

const CONTRACT: &str = "contract";
const CLIENT: &str = "client";

/// The number of cases, each a call with other arguments.
const CASES: usize = 1_000;

pub(crate) fn table() -> Result<()> {
    let program = std::env::current_exe()?.to_string_lossy().into_owned();
    let cost = |kind: &str| Cost::of(&[program.clone(), CHILD.into(), kind.into()]);
    rows(&format!("{CASES} cases in process, by a client"), cost(CONTRACT)?, cost(CLIENT)?);
    Ok(())
}

/// Runs the cases, or has their conversations.
pub(crate) fn run_cases(kind: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match kind {
            CONTRACT => contract().await,
            _ => conversations().await,
        }
    })
}

async fn contract() -> Result<()> {
    let mut text = String::new();
    for number in 0..CASES {
        let params = json!({"name": "add", "arguments": {"a": number, "b": 1}});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let content = json!([{"type": "text", "text": (number + 1).to_string()}]);
        let reply = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": content}});
        writeln!(text, "---\ncase: Adds one to {number}\nin: {call}\nout: {reply}")
            .map_err(Error::other)?;
    }
    let read = Cases::parse("contract.yaml", &text, &ReadOptions::default());
    let (cases, _) = read.map_err(Error::other)?;
    let scenarios = scenarios(&cases, &PlayOptions::default()).map_err(Error::other)?;
    let target = reference::everything().target();
    let selection = Selection {
        transports: vec![TransportKind::Duplex],
        one_revision: true,
        ..Selection::default()
    };
    let plan = Plan::build(scenarios, target, Profile::Adaptive, &selection);
    let plan = plan.map_err(Error::other)?.jobs(NonZeroUsize::MIN);
    let summary = run(&plan, &mut |_| {}).await;
    if (summary.exit, summary.lines.len()) != (ExitCode::Passed, CASES) {
        return Err(Error::other("the contract does not pass on the reference server"));
    }
    Ok(())
}

async fn conversations() -> Result<()> {
    let target = reference::everything().target();
    for number in 0..CASES {
        let connection =
            target.open(TransportKind::Duplex, &Recorder::new(), Limits::default()).await;
        let options = Options::speaking(Revision::NEWEST_HANDSHAKE);
        let mut client = Client::connect(connection.map_err(Error::other)?, options)
            .await
            .map_err(Error::other)?;
        let params = json!({"name": "add", "arguments": {"a": number, "b": 1}});
        let reply = client.request("tools/call", params).await.map_err(Error::other)?;
        reply.result().map_err(Error::other)?;
        client.end().await;
    }
    Ok(())
}
