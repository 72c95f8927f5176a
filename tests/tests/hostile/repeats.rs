//! How often the tests of verdicts that could depend on timing repeat their run, and what keeps the machine busy meanwhile.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// `MCP_TEST_TESTS_REPEATS`, else 4.
pub(crate) fn repeats() -> usize {
    let given = std::env::var("MCP_TEST_TESTS_REPEATS").ok();
    given.map_or(4, |given| given.parse().expect("MCP_TEST_TESTS_REPEATS is a number"))
}

/// Keeps all cores busy until it is dropped, also by a test that fails.
pub(crate) struct BusyCores(Arc<AtomicBool>);

impl BusyCores {
    pub(crate) fn start() -> Self {
        let stop = Arc::<AtomicBool>::default();
        let cores = std::thread::available_parallelism().map_or(2, NonZeroUsize::get);
        // Twice as many, so that each other process waits for its turn.
        for _ in 0..2 * cores {
            let stop = stop.clone();
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self(stop)
    }
}

impl Drop for BusyCores {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
