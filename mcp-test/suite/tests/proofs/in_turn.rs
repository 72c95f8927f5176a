//! Scenario runs that take turns on a shared connection.

use std::cell::RefCell;

use futures_util::future::{join, join_all};
use mcp_test_core::run::cell_run::{CellFacts, run_cell_watched};
use mcp_test_core::run::connection_pool::ConnectionPool;
use mcp_test_core::run::{Cell, Outcome, Plan, Progress};
use tokio::sync::Semaphore;

/// Runs cells one after the other; each starts when the scenario before it has ended.
pub(crate) async fn in_turn(plan: &Plan, pool: &ConnectionPool, cells: &[Cell]) -> Vec<Outcome> {
    // First come, first served.
    let turn = Semaphore::new(1);
    let runs = cells.iter().map(|cell| async {
        let permit = RefCell::new(turn.acquire().await.ok());
        let progress = |progress: Progress<'_>| {
            if matches!(progress, Progress::Ending) {
                permit.take();
            }
        };
        let facts = CellFacts { pool: Some(pool), ..CellFacts::default() };
        run_cell_watched(plan, cell.clone(), facts, &progress).await
    });
    let ending = async {
        let _last = turn.acquire().await;
        pool.end_idle();
    };
    join(join_all(runs), ending).await.0
}
