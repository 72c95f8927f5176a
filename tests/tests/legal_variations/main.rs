//! What the specification allows and few peers do. None of it is a failure of the peer.
//!
//! A test for each variation of a server or a client. The ignored tests show those of servers, alone and in the sets of a covering array
//! in which any two that go together meet, at every revision and by the rules of every profile, which takes long.
//! The peers are the reference server, in memory and in virtual time, and the reference client, so that what differs from
//! them is the variation alone. What a peer must not do is for the proofs.

mod clients;
mod covering;
mod servers;
mod variation;
mod varied_client;
mod varied_server;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use mcp_test_core::scenario::Profile;
use mcp_test_core::spec::Revision;

use self::clients::ClientVariation;
use self::variation::Variation;
use self::varied_server::Extent;

/// How many runs are made at once.
const AT_ONCE: usize = 4;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    let alone = servers::VARIATIONS.iter().map(|it| (it.name.replace(' ', "_"), vec![it]));
    // Each costs a second: at one revision of each era in turn.
    let revisions = [Revision::NEWEST, Revision::NEWEST_HANDSHAKE].into_iter().cycle();
    let adaptive = &[Profile::Adaptive];
    let quick = alone.clone().zip(revisions).map(|((name, set), revision)| {
        of_server("alone", &name, set, Extent::At(revision), adaptive)
    });
    let together = covering::sets(servers::VARIATIONS);
    let together = (1..).zip(together).map(|(number, set)| (format!("{number:03}"), set));
    let everywhere = alone.clone().chain(together).map(|(name, set)| {
        let everywhere = of_server("everywhere", &name, set, Extent::Everywhere, &Profile::ALL);
        everywhere.with_ignored_flag(true)
    });
    let trials = quick.chain(everywhere).chain(of_clients()).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn of_server(
    kind: &str,
    name: &str,
    set: Vec<&'static Variation>,
    extent: Extent,
    profiles: &'static [Profile],
) -> Trial {
    Trial::test(format!("{kind}::{name}"), move || {
        let failures = profiles.iter().flat_map(|it| varied_server::failures(&set, extent, *it));
        let allowed = set.iter().map(|it| format!("{}: {}", it.name, it.allowed_by));
        is_empty(&failures.collect::<Vec<_>>(), allowed)
    })
}

/// Each variation of a client by itself, and all together.
fn of_clients() -> impl Iterator<Item = Trial> {
    let alone = clients::CLIENTS.iter().map(|client| (client.name.replace(' ', "_"), vec![client]));
    let together = ("all_together".to_owned(), clients::CLIENTS.iter().collect());
    alone.chain([together]).map(|(name, set): (String, Vec<&'static ClientVariation>)| {
        Trial::test(format!("client::{name}"), move || {
            let failures = Profile::ALL.iter().flat_map(|it| varied_client::failures(&set, *it));
            let allowed = set.iter().map(|it| format!("{}: {}", it.name, it.allowed_by));
            is_empty(&failures.collect::<Vec<_>>(), allowed)
        })
    })
}

fn is_empty(failures: &[String], allowed: impl Iterator<Item = String>) -> Result<(), Failed> {
    match failures.is_empty() {
        true => Ok(()),
        false => {
            let allowed: Vec<String> = allowed.collect();
            Err(format!("{}\n\n{}", allowed.join("\n"), failures.join("\n")).into())
        }
    }
}
