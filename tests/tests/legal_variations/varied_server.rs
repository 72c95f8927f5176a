//! The reference server with variations, and what a run of the built-in scenarios reports of it.

use std::time::Duration;

use mcp_test_core::clock::virtual_time;
use mcp_test_core::process::Command;
use mcp_test_core::run::{Outcome, Plan, RunEvent, Selection, run};
use mcp_test_core::scenario::{Profile, TestedSide};
use mcp_test_core::server::Server;
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::Revision;
use mcp_test_core::trace::EventKind;
use mcp_test_core::transport::{Target, TransportKind};
use mcp_test_suite::scenarios;
use tokio::net::TcpListener;

use super::peer::{Peer, Set};
use super::runs::{OnceRuns, Run, real_time, with_effect};
use super::variation::{Change, EVERYTHING, Variation};
use super::varied_http;
use super::varied_socket::{self, Writer};
use super::verdicts::Verdicts;
use super::wire::Wire;

/// Where variations are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// At this revision, over this transport.
    At(Revision, TransportKind),
    /// At every revision from this one on, and over all transports on which they have an effect.
    Since(Revision),
}

/// What a run by the rules of this profile reports as a failure of the reference server with these variations, and not of the same
/// server without them; and that the wire does not show a variation, if it is one at one place.
pub(crate) fn failures(
    set: &[&'static Variation],
    extent: Extent,
    profile: Profile,
) -> Vec<String> {
    let transports = match extent {
        Extent::At(_, transport) => vec![transport],
        Extent::Since(_) => {
            with_effect(set, [TransportKind::Duplex, TransportKind::Router]).collect()
        }
    };
    let mut failures = Vec::new();
    for transport in transports {
        let plain = plain_run(transport, extent, profile);
        let varied = run_over(set, transport, extent, profile);
        failures.extend(varied.new_failures(&plain, transport, profile));
        if let ([variation], Extent::At(..)) = (set, extent) {
            let (shown, is_plain) =
                (varied.wire.shows(variation.sign), plain.wire.shows(variation.sign));
            if !shown || is_plain {
                let of = if shown { "the plain server shows" } else { "nothing on the wire shows" };
                let wire = if shown { plain.wire.excerpt() } else { varied.wire.excerpt() };
                failures.push(format!("{transport}: {of} `{}`\n{wire}", variation.name));
            }
        }
    }
    failures
}

/// The run without any variation. Each is made once.
fn plain_run(transport: TransportKind, extent: Extent, profile: Profile) -> Run {
    static PLAIN: OnceRuns<Run> = OnceRuns::new();
    let key = format!("{transport} {extent:?} {profile}");
    PLAIN.get(key, || run_over(&[], transport, extent, profile))
}

fn run_over(
    set: &[&'static Variation],
    transport: TransportKind,
    extent: Extent,
    profile: Profile,
) -> Run {
    let revisions = match extent {
        Extent::Since(Revision::V2024_11_05) => Vec::new(),
        Extent::Since(since) => Revision::ALL.into_iter().filter(|it| *it >= since).collect(),
        Extent::At(revision, _) => vec![revision],
    };
    let declares_nothing = set.iter().any(|variation| variation.sets == EVERYTHING);
    let set: Set = set.into();
    let wire = Wire::default();
    let scenarios = match extent {
        Extent::Since(_) => Vec::new(),
        Extent::At(..) => quick_scenarios(),
    };
    let selection = Selection { revisions, scenarios, ..Selection::default() };
    let mut verdicts = Verdicts::of_peer(declares_nothing);
    let running = async {
        let target = match transport {
            TransportKind::Duplex => over_lines(set, wire.clone()),
            TransportKind::Stdio => as_program(&set),
            TransportKind::Http => over_sockets(set, wire.clone()).await,
            _ => over_http(set, wire.clone()),
        };
        let plan = Plan::build(scenarios::all(), target, profile, &selection);
        let plan = plan.expect("a plan").timeout(Duration::from_secs(20));
        let mut add = |event: RunEvent| {
            verdicts.add(&event);
            if let RunEvent::Finished(outcome) = &event {
                record_stderr(outcome, &wire);
            }
        };
        run(&plan, &mut add).await;
    };
    match transport {
        TransportKind::Stdio | TransportKind::Http => real_time(running),
        _ => virtual_time::block_on(running),
    }
    Run { verdicts, wire }
}

/// Records what a program has written to its standard error.
fn record_stderr(outcome: &Outcome, wire: &Wire) {
    let record = wire.open();
    for event in &outcome.trace.events {
        if let EventKind::Stderr(text) = &event.kind {
            record.add(text.as_bytes());
        }
    }
}

/// The built-in scenarios of servers without those that take most of the time, which is for reasons that no variation changes.
fn quick_scenarios() -> Vec<String> {
    const LONG: [&str; 8] = [
        "base-concurrent-requests",
        "base-large-messages",
        "cancellation-running",
        "completion-complete",
        "http-clients",
        "http-malformed-bodies",
        "lists-connections",
        "tasks-lifecycle",
    ];
    let all = scenarios::all().filter(|it| it.tested_side == TestedSide::Server);
    all.map(|it| it.id.to_string()).filter(|it| !LONG.contains(&&**it)).collect()
}

fn server(set: &Set) -> Server {
    set.iter().fold(everything(), |server, variation| match variation.change {
        Change::Server(change) => change(server),
        _ => server,
    })
}

fn over_lines(set: Set, wire: Wire) -> Target {
    Target::duplex(move |io| {
        let (server, peer) = (server(&set), Peer::new(&set, wire.open()));
        async move {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            // What a server of this kind returns at the end is not of interest here.
            let (_, ()) = tokio::join!(server.serve(theirs), peer.relay(ours, io));
            Ok(())
        }
    })
}

fn over_http(set: Set, wire: Wire) -> Target {
    Target::router(move || varied_http::router(server(&set).router(), &set, &wire))
}

async fn over_sockets(set: Set, wire: Wire) -> Target {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("the address");
    let router = varied_http::router(server(&set).router(), &set, &wire);
    // It ends with the runtime.
    tokio::spawn(axum::serve(listener, router).into_future());
    let address = varied_socket::relay(address, Writer::Server, &set, &wire).await;
    Target::url(format!("http://{address}/mcp"))
}

/// The program that is the reference server, as a shell runs it.
fn as_program(set: &Set) -> Target {
    let program = [env!("CARGO_BIN_EXE_mcp-test-under-test"), "reference", "server", "--stdio"];
    let script = set.iter().find_map(|variation| match variation.change {
        Change::Shell(script) => Some(script),
        _ => None,
    });
    let shell = ["-c", script.unwrap_or("exec \"$@\""), "sh"];
    Target::command(Command::new("sh").args(shell).args(program))
}
