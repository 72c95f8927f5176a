//! Setups: when they run, and what is reported if they fail.

use mcp_test_core::scenario::{SetupFunction, SetupFuture, Skip};

use super::*;

/// The run of a scenario with a setup, which takes a second at most.
fn run_with_setup(setup: fn() -> SetupFuture, run: UserFunction) -> TestRun {
    let scenario = UserScenario { setup: Some(setup), body: body(run, None), ..scenario() };
    let timeout = Duration::from_secs(1);
    TestRun { scenario: Box::leak(Box::new(scenario)), timeout, ..run_of(run) }
}

/// What has happened, in order.
static EVENTS: Mutex<Vec<&str>> = Mutex::new(Vec::new());

fn note(event: &'static str) {
    EVENTS.lock().unwrap_or_else(PoisonError::into_inner).push(event);
}

/// Notes when it is dropped.
struct NotesDrop(&'static str);

impl Drop for NotesDrop {
    fn drop(&mut self) {
        note(self.0);
    }
}

#[test]
fn a_setup_runs_before_its_target_is_made_and_its_value_outlives_the_server() {
    async fn database() -> mcp_test_core::Result<NotesDrop> {
        note("setup");
        Ok(NotesDrop("the database is gone"))
    }

    fn target() -> Target {
        note("target");
        Target::duplex(|io| async move {
            note("server");
            let _ended = NotesDrop("the server has ended");
            Ok(everything().serve(io).await?)
        })
    }

    let run = run_with_setup(|| database.start(), lists_tools);
    let maker = Maker::WithSetup(|value| value.give(database, |_| target()));
    let run = TestRun { source: Source::Function(maker), ..run };
    assert_eq!(run.execute().result, TestResult::Passed);
    let events = EVENTS.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(events[..3], ["setup", "target", "server"], "{events:?}");
    assert_eq!(
        events[events.len() - 2..],
        ["the server has ended", "the database is gone"],
        "{events:?}"
    );
}

#[test]
fn a_setup_that_fails_is_the_fault_of_the_test_and_nothing_is_started() {
    let of = |setup: fn() -> SetupFuture| {
        let run = run_with_setup(setup, lists_tools);
        let maker = Maker::Alone(|| panic!("it is not made"));
        failure(&TestRun { source: Source::Function(maker), ..run })
    };
    insta::assert_snapshot!(of(|| Box::pin(async { Err("the disk is full".into()) })), @"
    scenario `works` failed, tests/calculator.rs:12:10

    the setup failed: error: the disk is full
    ");
    insta::assert_snapshot!(of(|| panic!("on purpose")), @"
    scenario `works` failed, tests/calculator.rs:12:10

    the setup failed: it panicked; the message is above
    ");
    insta::assert_snapshot!(of(|| Box::pin(std::future::pending())), @r#"
    scenario `works` failed, tests/calculator.rs:12:10

    the setup did not finish within 1 s
      hint: `#[mcp_scenario(timeout = "…")]` or MCP_TEST_TIMEOUT gives it more time
    "#);
    let blocking = of(|| {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        // Never dropped, so that the thread waits until the process ends.
        std::mem::forget(sender);
        let _ = receiver.recv();
        panic!("it waits forever")
    });
    insta::assert_snapshot!(blocking, @r#"
    scenario `works` failed, tests/calculator.rs:12:10

    the setup blocks the thread of the test: it did not finish within 1 s
      hint: `#[mcp_scenario(timeout = "…")]` or MCP_TEST_TIMEOUT gives it more time
    "#);
}

#[test]
fn a_setup_can_skip_the_scenario() {
    async fn needs_docker() -> mcp_test_core::Result<()> {
        Err(Skip { reason: "no Docker".to_owned() }.into())
    }
    let finished = run_with_setup(|| needs_docker.start(), lists_tools).execute();
    assert_eq!(finished.result, TestResult::Skipped("no Docker".to_owned()));
    // Without `allow_skip` it fails, like every other skip.
    assert!(!finished.is_unsupported && !finished.is_undecided);
}

#[test]
fn a_blocking_setup_passes_within_its_time() {
    async fn computes() -> mcp_test_core::Result<usize> {
        Ok(std::thread::spawn(|| 7).join().expect("it does not panic"))
    }
    let run = run_with_setup(|| computes.start(), lists_tools);
    assert_eq!(run.execute().result, TestResult::Passed);
}

#[test]
fn a_setup_with_the_context_is_named_however_it_ends() {
    let ends: [UserFunction; 4] = [
        |ctx| {
            Box::pin(async move {
                ctx.begin_setup();
                ctx.list_tools().await?.assert_tool("no_such_tool");
                Ok(())
            })
        },
        |ctx| {
            ctx.begin_setup();
            Box::pin(async { Err("out of paper".into()) })
        },
        |ctx| {
            ctx.begin_setup();
            Box::pin(async { panic!("on purpose") })
        },
        |ctx| {
            ctx.begin_setup();
            Box::pin(std::future::pending())
        },
    ];
    let shown = ends.map(|run| {
        let text = failure(&TestRun { timeout: Duration::from_secs(1), ..run_of(run) });
        let (_, text) = text.split_once("\n\n").expect("a heading");
        text.lines().next().unwrap_or_default().to_owned()
    });
    assert!(shown[0].ends_with(": tool `no_such_tool` not found"), "{}", shown[0]);
    let place = "the setup of the context failed at mcp-test/src/harness/test_run/tests/setups.rs:";
    assert!(shown[0].starts_with(place), "{}", shown[0]);
    insta::assert_snapshot!(shown[1..].join("\n"), @"
    the setup of the context failed: error: out of paper
    the setup of the context failed: it panicked; the message is above
    the setup of the context did not finish within 1 s
    ");
    let skips: UserFunction = |ctx| {
        ctx.begin_setup();
        Box::pin(async move { Err(ctx.skip("no paper")) })
    };
    assert_eq!(run_of(skips).execute().result, TestResult::Skipped("no paper".to_owned()));
    // After its end, a failure is that of the function.
    let later: UserFunction = |ctx| {
        ctx.begin_setup();
        ctx.end_setup();
        Box::pin(async { Err("out of ink".into()) })
    };
    let text = failure(&run_of(later));
    assert!(text.contains("\n\nerror: out of ink"), "{text}");
}

#[test]
fn a_matrix_needs_the_transports_of_a_target_that_is_made_after_the_setup() {
    let source = Source::Function(Maker::WithSetup(|_| None));
    let error = source.make(&SetupValue::default()).expect_err("no value");
    insta::assert_snapshot!(error, @"`matrix` does not know the transports of a target or client that is made with the value of `setup`: add `transports = [..]`");
}
