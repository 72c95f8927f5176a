//! Programs that take long to start: their silence until then says nothing about what was sent to them.

use std::path::Path;

use mcp_test_core::check;
use mcp_test_core::check::Status;
use mcp_test_core::process::Command;
use mcp_test_core::scenario::{Body, CheckSpec, Kind, Scenario, Shared, TestedSide};

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

/// As the other one, with starts that take three seconds longer from the third on; `$2` is a file in which they are counted.
fn slower_and_slower(counted: &Path) -> Target {
    let script = format!(r#"echo >>"$2"; [ "$(wc -l <"$2")" -gt 2 ] && sleep 3; {SCRIPT}"#);
    let command = Command::new("sh").args(["-c", &script, "sh", "0.3"]);
    Target::command(command.arg(counted.display().to_string()))
}

/// A scenario that starts a program of its own.
fn on_its_own(id: &'static str, checks: &'static [CheckSpec], body: Body) -> Shared<Scenario> {
    let checks = Shared::Static(checks);
    Scenario { checks, ..Scenario::dynamic(Kind::BuiltIn, TestedSide::Server, id, body) }.into()
}

#[test]
fn a_start_that_takes_longer_than_the_scenario_has_is_no_silence_once_another_was_slow() {
    static CHECKS: &[CheckSpec] = &[check!("started", "The program starts")];
    let ids = ["first", "second", "third", "fourth"];
    let all = ids.map(|id| {
        let body = Body::server(|ctx| {
            Box::pin(async move {
                let _ = ctx.discover().await?;
                ctx.check("started").pass();
                Ok(())
            })
        });
        on_its_own(id, CHECKS, body)
    });
    let asked = Selection { revisions: vec![Revision::NEWEST], ..Selection::default() };
    let counted = tempfile::NamedTempFile::new().expect("a file");
    let slow = r#"case $(wc -l <"$2") in 3) sleep 1 ;; 4) sleep 30 ;; esac"#;
    let script = format!(r#"echo >>"$2"; {slow}; {SCRIPT}"#);
    let command = Command::new("sh").args(["-c", &script, "sh", "0"]);
    let target = Target::command(command.arg(counted.path().display().to_string()));
    let plan = Plan::build(all, target, Profile::Adaptive, &asked).expect("a plan");
    let (events, _) = run_plan(&plan.timeout(Duration::from_secs(3)));
    let outcomes = events.into_iter().filter_map(|event| match event {
        RunEvent::Finished(outcome) => Some(*outcome),
        _ => None,
    });
    let checks: Vec<_> = outcomes.flat_map(|outcome| outcome.checks).collect();
    let started = || checks.iter().filter(|check| check.id == "started");
    assert!(started().all(|check| check.status != Status::Failure), "{checks:#?}");
    assert!(started().any(|check| check.status == Status::Skipped), "{checks:#?}");
}

#[test]
fn a_scenario_that_does_not_end_shows_no_silence_if_starts_are_slow() {
    static CHECKS: &[CheckSpec] = &[check!("endless", "Is never made")];
    let body = Body::server(|ctx| {
        Box::pin(async move {
            ctx.client().await?;
            std::future::pending().await
        })
    });
    let all = [on_its_own("endless", CHECKS, body), find("tools-list").into()];
    let asked = Selection { revisions: vec![Revision::NEWEST], ..Selection::default() };
    let counted = tempfile::NamedTempFile::new().expect("a file");
    let target = slower_and_slower(counted.path());
    let plan = Plan::build(all, target, Profile::Adaptive, &asked).expect("a plan");
    let (events, _) = run_plan(&plan.timeout(Duration::from_secs(5)));
    let outcomes = events.into_iter().filter_map(|event| match event {
        RunEvent::Finished(outcome) => Some(outcome.silence.is_some()),
        _ => None,
    });
    assert_eq!(outcomes.collect::<Vec<_>>(), [false, false]);
}
