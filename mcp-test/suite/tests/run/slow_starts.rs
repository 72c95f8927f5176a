//! Programs that take long to start: their silence until then says nothing about what was sent to them.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::check::Status;
use mcp_test_core::clock;
use mcp_test_core::process::Command;
use mcp_test_core::run::run;
use mcp_test_core::server::reference::everything;

use super::*;

/// A server of the stateless era whose starts take `$1` seconds, and that never answers `initialize`.
const SCRIPT: &str = r#"
    sleep "$1"
    while read -r line; do
        id=${line#*\"id\":}
        id=${id%%,*}
        case $line in
        *'"initialize"'*) exec sleep 600 ;;
        *'"id"'*) result='{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}' ;;
        *) continue ;;
        esac
        echo '{"jsonrpc":"2.0","id":'"$id"',"result":'"$result"'}'
    done
"#;

#[test]
fn a_slow_start_is_no_answer_to_initialize() {
    let target = Target::command(Command::new("sh").args(["-c", SCRIPT, "sh", "0.5"]));
    let asked =
        Selection { revisions: vec![Revision::NEWEST], ..selection(&["versioning-initialize"]) };
    let plan = Plan::build(scenarios::all(), target, Profile::Adaptive, &asked).expect("a plan");
    let (events, _) = run_plan(&plan.timeout(Duration::from_secs(3)));
    let outcomes = events.into_iter().filter_map(|event| match event {
        RunEvent::Finished(outcome) => Some(*outcome),
        _ => None,
    });
    let checks = outcomes.flat_map(|outcome| outcome.checks);
    let mut statuses = checks.filter(|check| check.id == "initialize-refused");
    assert_eq!(statuses.next().map(|check| check.status), Some(Status::Skipped));
}

/// A server whose starts take a second at first, and 18 seconds from the eighth to the tenth.
fn slower_for_a_while() -> Target {
    let opened = AtomicUsize::new(0);
    Target::duplex(move |io| {
        let is_slow = (8..=10).contains(&(opened.fetch_add(1, Ordering::SeqCst) + 1));
        async move {
            clock::quiet(Duration::from_secs(if is_slow { 18 } else { 1 })).await;
            Ok(everything().serve(io).await?)
        }
    })
}

#[test]
fn a_scenario_of_slow_starts_does_not_show_that_the_server_has_stopped_answering() {
    let asked = Selection {
        revisions: vec![Revision::NEWEST],
        ..selection(&["lists-connections", "tools-list", "prompts-list", "resources-list"])
    };
    let plan = Plan::build(scenarios::all(), slower_for_a_while(), Profile::Adaptive, &asked);
    let plan = plan.expect("a plan").timeout(Duration::from_secs(30));
    let mut reasons = Vec::new();
    virtual_time::block_on(run(&plan, &mut |event| {
        if let RunEvent::Finished(outcome) = event {
            let messages = outcome.checks.into_iter().filter_map(|check| check.message);
            reasons.extend(messages.filter(|it| it.contains("stopped answering")));
        }
    }));
    assert_eq!(reasons, Vec::<String>::new());
}
