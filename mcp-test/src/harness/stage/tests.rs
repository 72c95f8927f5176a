//! Cells on stages of their own, with targets and scenarios that leave something behind.

use super::super::cells::tests::scenario;
use super::*;
use crate::server::reference::everything;

fn order(run: for<'a> fn(&'a mut Ctx) -> ScenarioFuture<'a>) -> Order {
    Order {
        scenario: Box::leak(Box::new(UserScenario { run, ..scenario() })),
        source: Source::Function(|| everything().target()),
        cell: Cell { revision: Asked::Newest, carrier: None },
        timeout: TIMEOUT,
        snapshot_suffix: None,
        shows_differences: false,
        holds_panics: false,
    }
}

#[test]
fn what_runs_in_spawn_blocking_holds_nothing_up() {
    static SENDER: Mutex<Option<std::sync::mpsc::Sender<()>>> = Mutex::new(None);
    let played = play(&order(|ctx| {
        Box::pin(async move {
            ctx.list_tools().await?.assert_ok();
            let (sender, receiver) = std::sync::mpsc::channel();
            *SENDER.lock().expect("no panic") = Some(sender);
            tokio::task::spawn_blocking(move || receiver.recv());
            Ok(())
        })
    }));
    assert!(SENDER.lock().expect("no panic").take().is_some());
    assert!(matches!(played.ending, Ending::Passed), "{:?}", played.ending);
}
