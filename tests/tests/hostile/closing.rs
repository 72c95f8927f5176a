//! A correct server that closes connections without announcing it: the verdict is the same each time.

use std::collections::BTreeMap;

use mcp_test::check::Status;
use mcp_test::server::reference::everything;
use mcp_test::transport::{Target, TransportKind};
use mcp_test_core::run::{Outcome, Selection};
use mcp_test_tests::hostile::closing::ClosingServer;
use tokio::runtime::Runtime;

use crate::repeats::repeats;
use crate::scenario_run::{NO_TIMEOUT, RunResult, run_scenarios};

/// How often each status of each check occurred.
type Verdicts = BTreeMap<(String, Status), usize>;

fn verdicts(outcomes: &[Outcome]) -> Verdicts {
    let mut verdicts = Verdicts::new();
    for outcome in outcomes {
        for check in &outcome.checks {
            let scenario_run = &outcome.scenario_run;
            let key =
                format!("{} {} {}", scenario_run.scenario.id, scenario_run.revision, check.id);
            *verdicts.entry((key, check.status)).or_default() += 1;
        }
    }
    verdicts
}

/// The pages that are run: with reads, which may be sent again, with calls of tools, which may not, and with streams.
const PAGES: [&str; 4] = ["ping", "resources", "tools", "transport"];

fn run_pages(url: &str) -> RunResult {
    let selection = Selection {
        pages: PAGES.map(str::to_owned).to_vec(),
        transports: vec![TransportKind::Http],
        ..Selection::default()
    };
    run_scenarios(Target::url(url), &selection, NO_TIMEOUT)
}

/// The reference conversation, directly and then through the server that closes connections.
#[test]
fn a_server_that_closes_idle_connections_gets_one_verdict() {
    let runtime = Runtime::new().expect("a runtime");
    let listening = runtime.block_on(everything().listen("127.0.0.1:0")).expect("a free port");
    let direct = run_pages(listening.url());
    let expected = verdicts(&direct.outcomes);
    assert_eq!(direct.exit, Some(0), "{}", direct.report());
    let closing = ClosingServer::start(listening.address());
    for repeat in 1..=repeats() {
        let run = run_pages(&closing.url());
        let got = verdicts(&run.outcomes);
        let changed: Vec<_> =
            got.iter().filter(|(key, count)| expected.get(key) != Some(count)).collect();
        assert!(
            changed.is_empty() && got.len() == expected.len(),
            "run {repeat}: {changed:#?}\n{}",
            run.report()
        );
        assert_eq!(run.exit, Some(0), "run {repeat}: {}", run.report());
    }
    // Otherwise the server has not done what it is for.
    assert!(closing.unanswered_requests() > 0);
    assert_eq!(
        closing.unanswered_tool_calls(),
        0,
        "a tool call was sent on a connection that could be closed"
    );
}
