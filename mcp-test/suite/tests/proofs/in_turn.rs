//! Scenario runs that take turns on a shared connection.

use std::cell::RefCell;

use futures_util::future::{join, join_all};
use mcp_test_core::run::connection_pool::ConnectionPool;
use mcp_test_core::run::execution::{ScenarioRunFacts, run_scenario_watched};
use mcp_test_core::run::{Outcome, Plan, Progress, ScenarioRun};
use tokio::sync::Semaphore;

/// Runs scenario runs one after the other; each starts when the scenario before it has ended.
pub(crate) async fn in_turn(
    plan: &Plan,
    pool: &ConnectionPool,
    scenario_runs: &[ScenarioRun],
) -> Vec<Outcome> {
    // First come, first served.
    let turn = Semaphore::new(1);
    let runs = scenario_runs.iter().map(|scenario_run| async {
        let permit = RefCell::new(turn.acquire().await.ok());
        let progress = |progress: Progress<'_>| {
            if matches!(progress, Progress::Ending) {
                permit.take();
            }
        };
        let facts = ScenarioRunFacts { pool: Some(pool), ..ScenarioRunFacts::default() };
        run_scenario_watched(plan, scenario_run.clone(), facts, &progress).await
    });
    let ending = async {
        let _last = turn.acquire().await;
        pool.end_idle();
    };
    join(join_all(runs), ending).await.0
}
