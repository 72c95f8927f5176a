//! The reference client with variations, and what a run of scenarios reports of it.

use std::sync::Arc;
use std::time::Duration;

use mcp_test_core::client::reference::client_with_streams;
use mcp_test_core::clock::virtual_time;
use mcp_test_core::run::{Outcome, Plan, RunEvent, Selection, run};
use mcp_test_core::scenario::Profile;
use mcp_test_core::trace::{EventKind, Party};
use mcp_test_core::transport::{
    ClientTarget, DuplexServer, Endpoint, Fault, ServerAddress, TransportKind,
};

use super::peer::{Peer, Set};
use super::runs::{OnceRuns, Run, real_time, with_effect};
use super::variation::{Change, Variation};
use super::varied_socket::{self, Writer};
use super::verdicts::Verdicts;
use super::wire::Wire;

/// The scenarios in which they are shown quickly.
pub(crate) const FEW: &[&str] = &["initialize", "tools_call", "client-pages"];

/// The scenarios in which they are shown otherwise: of the methods, notifications and headers that a client sends.
pub(crate) const MANY: &[&str] = &[
    "initialize",
    "tools_call",
    "client-pages",
    "client-answers-requests",
    "client-cached-lists",
    "client-elicitation",
    "client-empty-lists",
    "client-features",
    "client-handshake",
    "client-http-headers",
    "client-icons",
    "client-input-required",
    "client-sampling",
    "client-session",
    "client-stateless",
    "client-subscriptions",
    "client-unusual-results",
    "elicitation-sep1034-client-defaults",
    "http-standard-headers",
    "json-schema-2020-12-preservation",
];

/// What a run by the rules of this profile reports as a failure of the reference client with these variations, and not of the same
/// client without them; and that the wire does not show a variation, if it is one.
pub(crate) fn failures(
    set: &[&'static Variation],
    scenarios: &[&str],
    profile: Profile,
) -> Vec<String> {
    let mut failures = Vec::new();
    let mut is_shown = false;
    for transport in with_effect(set, [TransportKind::Duplex, TransportKind::Http]) {
        let plain = plain_run(scenarios, transport, profile);
        let varied = run_over(set, scenarios, transport, profile);
        failures.extend(varied.new_failures(&plain, transport, profile));
        if let [variation] = set {
            is_shown |= varied.wire.shows(variation.sign);
            // In others some clients of the scenarios do the same.
            if scenarios == FEW && plain.wire.shows(variation.sign) {
                failures.push(format!("{transport}: the plain client shows `{}`", variation.name));
            }
        }
    }
    if let ([variation], false) = (set, is_shown) {
        failures.push(format!("nothing on the wire shows `{}`", variation.name));
    }
    failures
}

/// The run without any variation. Each is made once.
fn plain_run(scenarios: &[&str], transport: TransportKind, profile: Profile) -> Run {
    static PLAIN: OnceRuns<Run> = OnceRuns::new();
    let key = format!("{} scenarios, {transport}, {profile}", scenarios.len());
    PLAIN.get(key, || run_over(&[], scenarios, transport, profile))
}

fn run_over(
    set: &[&'static Variation],
    scenarios: &[&str],
    transport: TransportKind,
    profile: Profile,
) -> Run {
    let wire = Wire::default();
    let target = target(set.into(), wire.clone()).over([transport]);
    let scenarios = scenarios.iter().map(|id| (*id).to_owned()).collect();
    let selection = Selection { scenarios, ..Selection::default() };
    let plan = Plan::build(mcp_test_suite::scenarios::all(), target, profile, &selection);
    let plan = plan.expect("a plan").timeout(Duration::from_secs(20));
    let mut verdicts = Verdicts::default();
    let mut add = |event: RunEvent| {
        verdicts.add(&event);
        if let RunEvent::Finished(outcome) = &event {
            record(outcome, &wire);
        }
    };
    let running = run(&plan, &mut add);
    match transport {
        TransportKind::Duplex => virtual_time::block_on(running),
        _ => real_time(running),
    };
    Run { verdicts, wire }
}

fn target(set: Set, wire: Wire) -> ClientTarget {
    let faults = set.iter().flat_map(|variation| match variation.change {
        Change::Faults(faults) => faults,
        _ => &[],
    });
    let of = |count: fn(Change) -> Option<usize>| set.iter().find_map(|it| count(it.change));
    let streams = of(|change| if let Change::Streams(count) = change { Some(count) } else { None });
    let sessions =
        of(|change| if let Change::Sessions(count) = change { Some(count) } else { None });
    let client = client_with_streams(streams.unwrap_or_default())
        .faults(faults.map(|it| it.parse::<Fault>().expect(it)));
    ClientTarget::future(move |mut endpoint| {
        let (client, set, wire) = (client.clone(), set.clone(), wire.clone());
        async move {
            match endpoint.transport() {
                TransportKind::Duplex => endpoint.server = relayed(endpoint.clone(), &set, &wire),
                _ => endpoint.server = through_sockets(&endpoint, &set, &wire).await?,
            }
            for _ in 1..sessions.unwrap_or(1) {
                client.clone().run(endpoint.clone()).await?;
            }
            client.run(endpoint).await
        }
    })
}

/// The server of a scenario, as the client with variations reaches it by a socket.
async fn through_sockets(
    endpoint: &Endpoint,
    set: &Set,
    wire: &Wire,
) -> mcp_test_core::Result<ServerAddress> {
    let url = endpoint.url()?;
    if !set.iter().any(|variation| matches!(variation.change, Change::Head(_))) {
        return Ok(url.into());
    }
    let (server, path) = url.trim_start_matches("http://").split_once('/').expect("a path");
    let server = server.parse().expect("the address of a server on this machine");
    let relay = varied_socket::relay(server, Writer::Client, set, wire).await;
    Ok(format!("http://{relay}/{path}").into())
}

/// The server of a scenario, as the client with variations reaches it over a pipe.
fn relayed(endpoint: Endpoint, set: &Set, wire: &Wire) -> ServerAddress {
    let (set, wire) = (Arc::clone(set), wire.clone());
    let server = DuplexServer::serving(move |of_client| {
        let (endpoint, peer) = (endpoint.clone(), Peer::new(&set, wire.open()));
        async move {
            // It no longer exists once the scenario has ended.
            if let Ok(to_server) = endpoint.duplex().await {
                peer.relay(of_client, to_server).await;
            }
        }
    });
    server.into()
}

/// Records what the server has got over HTTP.
fn record(outcome: &Outcome, wire: &Wire) {
    if outcome.scenario_run.transport != TransportKind::Http {
        return;
    }
    let record = wire.open();
    let of_client = outcome.trace.events.iter().filter(|event| event.party == Party::Client);
    for event in of_client {
        match &event.kind {
            EventKind::HttpRequest { method, headers, .. } => {
                let field = |(name, value): &(String, String)| format!("{name}: {value}\n");
                let fields: String = headers.iter().map(field).collect();
                record.add(format!("{method}\n{fields}").as_bytes());
            }
            EventKind::Message { text, .. } => record.add(text.as_ref()),
            _ => {}
        }
    }
}
