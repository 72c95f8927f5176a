//! Programs that take long to start: their silence until then says nothing about what was sent to them.

use mcp_test_core::check::Status;
use mcp_test_core::process::Command;

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
