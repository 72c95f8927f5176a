//! Starting the servers of the runs, and using each while it serves.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use mcp_test::process::Command;
use mcp_test::transport::Target;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::rmcp_server;
use super::runs::{RunKey, SharedRun, TestedServer};
use crate::peers::Peers;
use crate::program::free_port;

/// How many servers are tested at the same time: more than there are processors, since most runs wait now and then.
const AT_ONCE: usize = 4;

/// Uses the server of each run, given by its URL, and collects what that returns.
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
        |a: &SharedRun, b: &SharedRun| a.key.server == b.key.server && is_program(a.key.server);
    let queue = Mutex::new(runs.chunk_by(is_shared).collect::<Vec<_>>());
    let results = Mutex::new(BTreeMap::new());
    let worker = || {
        loop {
            // The programs, which take longest, are last in the list and first out of the queue.
            let Some(runs) = queue.lock().expect("no panic under the lock").pop() else { return };
            with_server(&runtime, &runs[0], peers, |url| {
                for run in runs {
                    let result = use_it(run, url);
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

fn is_program(server: TestedServer) -> bool {
    TestedServer::INSTALLED.contains(&server)
}

fn with_server(
    runtime: &Runtime,
    run: &SharedRun,
    peers: Option<&Peers>,
    use_it: impl FnOnce(&str),
) {
    let peers = || peers.expect("the programs are installed");
    let port = free_port();
    let command = match run.key.server {
        TestedServer::Reference | TestedServer::Proofs => {
            let listening = runtime.block_on(run.reference_server().listen("127.0.0.1:0"));
            return use_it(listening.expect("a free port").url());
        }
        TestedServer::Rmcp => {
            let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
            let address = listener.local_addr().expect("it is bound");
            let serving =
                runtime.spawn(async { axum::serve(listener, rmcp_server::router()).await });
            use_it(&format!("http://{address}/mcp"));
            return serving.abort();
        }
        TestedServer::Everything => peers().everything("streamableHttp"),
        TestedServer::Python => peers().python("everything.py", &["http", &port.to_string()]),
    };
    let url = format!("http://127.0.0.1:{port}/mcp");
    let command = Command::parse(command).expect("a command line").env("PORT", port.to_string());
    let target = Target::url_started_by(&url, command);
    let server = runtime.block_on(target.prepare()).expect("the server listens");
    use_it(&url);
    runtime.block_on(server.end());
}
