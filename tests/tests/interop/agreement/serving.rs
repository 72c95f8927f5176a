//! Starting the servers of the runs, and using each while it serves; the commands of the clients, which the suites start.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use mcp_test::process::Command;
use mcp_test::transport::Target;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::rmcp_server;
use super::runs::{RunKey, SharedRun, TestedPeer};
use crate::peers::Peers;
use crate::program::{MCP_TEST, free_port};

const CLIENT_OF_PROOF: &str = env!("CARGO_BIN_EXE_client-of-proof");
const RMCP_CLIENT: &str = env!("CARGO_BIN_EXE_rmcp-client");
const RMCP_SIGN_IN: &str = env!("CARGO_BIN_EXE_rmcp-sign-in");

/// How many servers or clients are tested at the same time: more than there are processors, since most runs wait now and then.
const AT_ONCE: usize = 4;

/// Uses the peer of each run, a server by its URL and a client by its command, and collects what that returns.
///
/// Servers in this process are started for each run. A program is started once, and its runs are one after another, so
/// that none sees the messages of another.
pub(super) fn use_each<T: Send>(
    runs: &[SharedRun],
    peers: Option<&Peers>,
    use_it: impl Fn(&SharedRun, &str) -> T + Sync,
) -> BTreeMap<RunKey, T> {
    let runtime = Runtime::new().expect("a runtime");
    let is_shared =
        |a: &SharedRun, b: &SharedRun| a.key.peer == b.key.peer && is_program(a.key.peer);
    let queue = Mutex::new(runs.chunk_by(is_shared).collect::<Vec<_>>());
    let results = Mutex::new(BTreeMap::new());
    let worker = || {
        loop {
            // The programs, which take longest, are last in the list and first out of the queue.
            let Some(runs) = queue.lock().expect("no panic under the lock").pop() else { return };
            with_peer(&runtime, &runs[0], peers, |address| {
                for run in runs {
                    let result = use_it(run, address);
                    results
                        .lock()
                        .expect("no panic under the lock")
                        .insert(run.key.clone(), result);
                }
            });
        }
    };
    thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(worker))));
    results.into_inner().expect("no panic under the lock")
}

/// A fault as a word for the shell that starts a client.
fn quoted(fault: &str) -> String {
    assert!(!fault.contains('\''), "{fault}");
    format!("'{fault}'")
}

fn is_program(peer: TestedPeer) -> bool {
    TestedPeer::INSTALLED_SERVERS.contains(&peer)
}

fn with_peer(runtime: &Runtime, run: &SharedRun, peers: Option<&Peers>, use_it: impl FnOnce(&str)) {
    let peers = || peers.expect("the programs are installed");
    let port = free_port();
    let command = match run.key.peer {
        TestedPeer::Reference | TestedPeer::Proofs => {
            let listening = runtime.block_on(run.reference_server().listen("127.0.0.1:0"));
            return use_it(listening.expect("a free port").url());
        }
        TestedPeer::Rmcp => {
            let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
            let address = listener.local_addr().expect("it is bound");
            let serving =
                runtime.spawn(async { axum::serve(listener, rmcp_server::router()).await });
            use_it(&format!("http://{address}/mcp"));
            return serving.abort();
        }
        TestedPeer::ReferenceClient => {
            let fault = |fault: &str| format!(" --fault {}", quoted(fault));
            let fault = Some(&*run.key.fault).filter(|it| !it.is_empty()).map(fault);
            return use_it(&format!("{MCP_TEST} reference client{}", fault.unwrap_or_default()));
        }
        TestedPeer::ClientProofs => {
            let RunKey { scenario, fault, .. } = &run.key;
            return use_it(&format!("{CLIENT_OF_PROOF} {scenario} {}", quoted(fault)));
        }
        TestedPeer::RmcpClient => {
            return use_it(if run.signs_in() { RMCP_SIGN_IN } else { RMCP_CLIENT });
        }
        TestedPeer::Typescript1Client | TestedPeer::Typescript2Client => {
            let sdk = if run.key.peer == TestedPeer::Typescript1Client { "v1" } else { "v2" };
            return use_it(&match run.signs_in() {
                true => peers().sign_in_with_typescript(sdk),
                false => peers().use_all_with_typescript(sdk),
            });
        }
        TestedPeer::PythonClient => {
            return use_it(&match run.signs_in() {
                true => peers().python("sign_in.py", &[]).join(" "),
                false => peers().python("use_all.py", &["sdk-2"]).join(" "),
            });
        }
        TestedPeer::Everything => peers().everything("streamableHttp"),
        TestedPeer::Python => peers().python("everything.py", &["http", &port.to_string()]),
    };
    let url = format!("http://127.0.0.1:{port}/mcp");
    let command = Command::parse(command).expect("a command line").env("PORT", port.to_string());
    let target = Target::url_started_by(&url, command);
    let server = runtime.block_on(target.prepare()).expect("the server listens");
    use_it(&url);
    runtime.block_on(server.end());
}
