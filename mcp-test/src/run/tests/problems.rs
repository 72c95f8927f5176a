//! One cause is one problem, however many checks, scenarios, revisions and transports show it.

use super::*;
use crate::run::Problem;
use crate::server::reference::everything;
use crate::transport::Fault;
use crate::transport::fault::Misbehavior;

const TIMEOUT: Duration = Duration::from_secs(20);

fn summary_of(target: Target, ids: &[&str]) -> Summary {
    let plan = Plan::build(target, Profile::Adaptive, &selection(ids)).expect("a plan");
    run_plan(&plan.timeout(TIMEOUT)).1
}

/// One line for each problem: level, headline, and in how much it shows.
fn problems(faults: impl IntoIterator<Item = Fault>) -> String {
    shown(&summary_of(everything().faults(faults).target(), &[]))
}

fn shown(summary: &Summary) -> String {
    let problems = summary.problems.sorted();
    problems.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

fn line(problem: &Problem) -> String {
    let transports: Vec<&str> = problem.transports().iter().map(|it| it.as_str()).collect();
    format!(
        "{:?}: {} [{}] {} scenarios, {} runs, {} not reached, {} not run; {} over {}",
        problem.level(),
        problem.headline(),
        problem.requirements().join(" "),
        problem.scenarios().len(),
        problem.cells().len(),
        problem.not_reached,
        problem.not_run,
        problem.revisions(),
        transports.join(", "),
    )
}

#[test]
fn a_correct_server_has_no_problem() {
    assert_eq!(problems([]), "");
}

#[test]
fn a_banner_is_one() {
    insta::assert_snapshot!(problems([Fault::banner("hello")]), @"");
}

#[test]
fn a_wrong_id_is_one() {
    insta::assert_snapshot!(problems([Fault::wrong_id("tools/list")]), @"");
}

#[test]
fn a_foreign_origin_that_is_accepted_is_one() {
    let any = Fault::misbehavior(Misbehavior::AllowsAnyOrigin);
    insta::assert_snapshot!(problems([any]), @"");
}

#[test]
fn a_refused_list_is_one() {
    insta::assert_snapshot!(problems([Fault::reply_error("tools/list", -32603)]), @"");
}

#[test]
fn a_silence_is_one() {
    let silent = everything().faults([Fault::never("ping")]).target();
    let plan = Plan::build(silent, Profile::Adaptive, &selection(&["ping", "tools-list"]));
    let plan = plan.expect("a plan").timeout(Duration::from_millis(700));
    insta::assert_snapshot!(shown(&run_plan(&plan).1), @"");
}

#[test]
fn two_tools_with_broken_schemas_are_two() {
    let broken = |tool: usize, schema: serde_json::Value| {
        Fault::set("tools/list", format!("/tools/{tool}/inputSchema"), schema)
    };
    let faults = [
        broken(0, json!({"type": "object", "properties": {"a": {"type": "strnig"}}})),
        broken(1, json!({"type": "object", "required": 7})),
    ];
    insta::assert_snapshot!(problems(faults), @"");
}

#[cfg(feature = "http")]
#[test]
fn demands_for_credentials_are_one() {
    let methods = ["ping", "tools/list", "prompts/list", "resources/list"];
    insta::assert_snapshot!(problems(methods.map(|method| Fault::status(method, 401))), @"");
}
