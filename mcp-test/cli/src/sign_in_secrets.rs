//! What is written about clients that sign in has none of their secrets.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use mcp_test_core::client::ScriptedClient;
use mcp_test_core::oauth::scripted::seen_secrets;
use mcp_test_core::run::{Plan, RunEvent, Selection, run};
use mcp_test_core::scenario::{Profile, ProofFault, Scenario, TestedSide};
use mcp_test_core::trace::render;
use mcp_test_core::transport::Fault;
use mcp_test_suite::scenarios;
use mcp_test_suite::scenarios::authorization::client::signing_in_client::signing_in_client;

use crate::report::sample::{info, masked, rerun};
use crate::report::{
    Console, ConsoleOptions, FileFormat, FileReports, Json, Reporter, ResultFiles,
};

/// A shorter text may be a part of anything.
const SHORTEST_SECRET: usize = 12;

fn scenarios_of_sign_in() -> impl Iterator<Item = &'static Scenario> {
    scenarios::all().filter(|scenario| {
        scenario.tested_side == TestedSide::Client
            && scenario.file.contains("authorization/client/")
    })
}

/// Each scenario with a good client, and with each fault of its proofs.
fn runs() -> impl Iterator<Item = (&'static Scenario, Option<Fault>)> {
    scenarios_of_sign_in().flat_map(|scenario| {
        let proofs = scenario.proofs.expect("a built-in scenario has proofs")().proofs;
        let faults = proofs.into_iter().filter_map(|proof| match proof.fault {
            ProofFault::Wire(fault) => Some(fault),
            ProofFault::Peer { .. } => None,
        });
        [None].into_iter().chain(faults.map(Some)).map(move |fault| (scenario, fault))
    })
}

fn events(client: &ScriptedClient, scenario: &Scenario, profile: Profile) -> Vec<RunEvent> {
    let selection = Selection { scenarios: vec![scenario.id.to_string()], ..Selection::default() };
    let plan = Plan::build(scenarios::all(), client.target(), profile, &selection).expect("a plan");
    let mut events = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let plan = plan.timeout(Duration::from_secs(20));
    runtime.expect("a runtime").block_on(run(&plan, &mut |event| events.push(event)));
    events
}

/// Everything that is written about a run.
fn written(events: Vec<RunEvent>, folder: &Path, profile: Profile) -> Vec<String> {
    let options = |brief: bool| ConsoleOptions {
        tested_side: TestedSide::Client,
        target: "a client".to_owned(),
        selection: "a scenario".to_owned(),
        profile,
        single: !brief,
        brief,
        verbose: true,
        coverage: false,
        results: None,
        timestamps: false,
        rerun: rerun(),
    };
    let (mut brief, mut official, mut json) = (Vec::new(), Vec::new(), Vec::new());
    let mut texts = Vec::new();
    {
        let mut consoles =
            [Console::new(&mut brief, options(true)), Console::new(&mut official, options(false))];
        let mut json = Json::new(&mut json, info());
        let mut results = ResultFiles::create(folder, info()).expect("a folder");
        let mut files = FileReports::new(info(), rerun());
        for format in FileFormat::ALL {
            files.add(format, &folder.join(format.as_str()));
        }
        for event in events {
            let event = masked(event);
            consoles.iter_mut().for_each(|console| console.event(&event).expect("a text"));
            json.event(&event).expect("a text");
            results.event(&event).expect("files");
            files.event(&event).expect("files");
            if let RunEvent::Finished(outcome) = &*event {
                texts.push(render(&outcome.trace, &mcp_test_core::trace::Style::full()));
            }
        }
    }
    texts.extend([brief, official, json].map(|text| String::from_utf8(text).expect("UTF-8")));
    texts.extend(files_below(folder));
    texts
}

fn files_below(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let texts = entries.flat_map(|entry| match entry.path() {
        path if path.is_dir() => files_below(&path),
        path => vec![fs::read_to_string(path).expect("a text")],
    });
    texts.collect()
}

/// How many threads share the runs, most of which wait. The secrets of a run are kept on its thread.
const THREADS: usize = 12;

#[test]
fn no_secret_of_signing_in_is_in_anything_that_is_written() {
    let (secrets, texts) = thread::scope(|scope| {
        let threads = (0..THREADS)
            .map(|first| scope.spawn(move || counts(runs().skip(first).step_by(THREADS))));
        let threads: Vec<_> = threads.collect();
        let counts = threads.into_iter().map(|thread| thread.join().expect("no secret is found"));
        counts.reduce(|(a, b), (c, d)| (a + c, b + d)).expect("some threads")
    });
    assert!(secrets > 1_000 && texts > 1_000, "{secrets} secrets, {texts} texts");
}

/// Looks for secrets in what is written about these runs, and returns how many secrets and texts there were.
fn counts(runs: impl Iterator<Item = (&'static Scenario, Option<Fault>)>) -> (usize, usize) {
    seen_secrets::keep();
    let (mut secrets, mut texts) = (0, 0);
    for (scenario, fault) in runs {
        let client = signing_in_client().faults(fault.clone());
        for profile in [Profile::Official, Profile::Strict] {
            let folder = tempfile::tempdir().expect("a folder");
            let written = written(events(&client, scenario, profile), folder.path(), profile);
            let mut seen = seen_secrets::take();
            seen.retain(|secret| secret.len() >= SHORTEST_SECRET);
            for text in &written {
                let found = seen.iter().find(|secret| text.contains(secret.as_str()));
                assert_eq!(found, None, "{} with {fault:?}\n{text}", scenario.id);
            }
            secrets += seen.len();
            texts += written.len();
        }
    }
    (secrets, texts)
}
