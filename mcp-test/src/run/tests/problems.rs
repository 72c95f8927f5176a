//! One cause is one problem, however many checks, scenarios, revisions and transports show it.

use super::*;
use crate::run::{Level, Problem};
use crate::server::reference::everything;
use crate::spec::method;
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
fn explore() {
    for (name, faults) in [
        ("none", vec![]),
        ("banner", vec![Fault::banner("hello")]),
        ("origin", vec![Fault::misbehavior(Misbehavior::AllowsAnyOrigin)]),
        ("refused", vec![Fault::reply_error("tools/list", -32603)]),
        ("noise", vec![Fault::noise("tools/list", "debug")]),
    ] {
        println!("== {name}\n{}", problems(faults));
    }
}
