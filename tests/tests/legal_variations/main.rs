//! What the specification allows and few peers do. None of it is a failure of the peer.
//!
//! A test for each variation of a server or a client, which also shows that the variation is on the wire. The ignored tests show them
//! in the sets of a covering array in which any two that go together meet, and those of servers at every revision and by the rules of
//! every profile, which takes long.
//! The peers are the reference server, in memory and in virtual time, and the reference client, so that what differs from
//! them is the variation alone. What a peer must not do is for the proofs.

mod clients;
mod covering;
mod paging;
mod peer;
mod rewrite;
mod runs;
mod server_http;
mod server_items;
mod server_messages;
mod variation;
mod varied_client;
mod varied_http;
mod varied_server;
mod varied_socket;
mod verdicts;
mod wire;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use mcp_test_core::scenario::Profile;
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::TransportKind;

use self::variation::Variation;
use self::varied_server::Extent;

/// How many runs are made at once.
const AT_ONCE: usize = 4;

type Set = Vec<&'static Variation>;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    let servers = [server_messages::MESSAGES, server_items::ITEMS, server_http::OVER_HTTP];
    let servers: Set = servers.into_iter().flatten().collect();
    let clients: Set = [clients::FAULTS, clients::OVER_A_PIPE].into_iter().flatten().collect();
    let trials = of_servers(&servers).chain(of_clients(&clients)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Each variation of a server by itself, quickly and everywhere, and the sets everywhere.
fn of_servers(servers: &Set) -> impl Iterator<Item = Trial> {
    // Each run costs a second: over one transport and at one revision of each era in turn, unless the variation says where.
    let places = [
        (TransportKind::Duplex, Revision::NEWEST),
        (TransportKind::Router, Revision::NEWEST_HANDSHAKE),
        (TransportKind::Duplex, Revision::NEWEST_HANDSHAKE),
        (TransportKind::Router, Revision::NEWEST),
    ];
    let quick = servers.clone().into_iter().zip(places.into_iter().cycle());
    let quick = quick.map(|(variation, (transport, revision))| {
        let transport = variation.shown_over.unwrap_or(transport);
        let extent = Extent::At(variation.shown_at.unwrap_or(revision), transport);
        of_server("alone", &test_name(variation), vec![variation], extent, &[Profile::Adaptive])
    });
    let together = numbered(covering::sets(servers));
    let alone = servers.clone().into_iter().map(|it| (test_name(it), vec![it]));
    let everywhere = alone.chain(together).map(|(name, set)| {
        let since = set.iter().map(|it| it.since).max().unwrap_or(Revision::V2024_11_05);
        of_server("everywhere", &name, set, Extent::Since(since), &Profile::ALL)
            .with_ignored_flag(true)
    });
    quick.chain(everywhere)
}

fn of_server(
    kind: &str,
    name: &str,
    set: Set,
    extent: Extent,
    profiles: &'static [Profile],
) -> Trial {
    Trial::test(format!("{kind}::{name}"), move || {
        let failures = profiles.iter().flat_map(|it| varied_server::failures(&set, extent, *it));
        is_empty(&failures.collect::<Vec<_>>(), &set)
    })
}

/// Each variation of a client by itself, quickly and by the rules of every profile, and the sets.
fn of_clients(clients: &Set) -> impl Iterator<Item = Trial> {
    let trial = |kind: &str, name: String, set: Set, is_quick: bool| {
        let (profiles, scenarios): (&[Profile], _) = match is_quick {
            true => (&[Profile::Adaptive], varied_client::FEW),
            false => (&Profile::ALL, varied_client::MANY),
        };
        let trial = Trial::test(format!("{kind}::{name}"), move || {
            let failures = |profile: &Profile| varied_client::failures(&set, scenarios, *profile);
            is_empty(&profiles.iter().flat_map(failures).collect::<Vec<_>>(), &set)
        });
        trial.with_ignored_flag(!is_quick)
    };
    let alone = clients.clone().into_iter().map(|it| (test_name(it), vec![it]));
    let quick = alone.clone().map(move |(name, set)| trial("client", name, set, true));
    let everywhere = alone.chain(numbered(covering::sets(clients)));
    quick.chain(everywhere.map(move |(name, set)| trial("client_everywhere", name, set, false)))
}

fn numbered(sets: Vec<Set>) -> impl Iterator<Item = (String, Set)> {
    (1..).zip(sets).map(|(number, set)| (format!("{number:03}"), set))
}

fn test_name(variation: &Variation) -> String {
    variation.name.replace(' ', "_")
}

fn is_empty(failures: &[String], set: &Set) -> Result<(), Failed> {
    match failures.is_empty() {
        true => Ok(()),
        false => {
            let allowed = set.iter().map(|it| format!("{}: {}", it.name, it.allowed_by));
            let allowed: Vec<String> = allowed.collect();
            Err(format!("{}\n\n{}", allowed.join("\n"), failures.join("\n")).into())
        }
    }
}
