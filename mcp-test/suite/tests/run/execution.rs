//! Single scenario runs of scenarios that miss something, end early, or never end.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::check::{Blame, Finding, Status};
use mcp_test_core::run::execution::{ScenarioRunFacts, run_scenario};
use mcp_test_core::run::{Baseline, Outcome, Results, Verdict};
use mcp_test_core::scenario::{Ctx, Inventory, Listing};
use mcp_test_core::server::Call;
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::{ItemKind, Requirement, Revisions};
use mcp_test_core::transport::Fault;
use mcp_test_core::{check, proofs, scenario};
use tokio::io::AsyncReadExt;

use super::*;

scenario! {
    /// Behaves badly in another way at each revision.
    Server "odd": "A scenario that behaves badly",
    revisions: Revisions::all(),
    checks: [
        check!("odd-first", "made always"),
        check!("odd-second", "made sometimes").conditional(),
    ],
}

proofs! {
    passes on everything();
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    match ctx.revision() {
        Revision::V2024_11_05 => std::future::pending().await,
        Revision::V2025_03_26 => Ok(()),
        Revision::V2025_06_18 => {
            ctx.check("odd-third").pass();
            ctx.check("odd-first").pass();
            Ok(())
        }
        Revision::V2025_11_25 => {
            ctx.check("odd-first").pass();
            Err(Finding::peer("something broke").requires(Requirement::JSONRPC_RESULT_ID_ECHO))
        }
        _ => {
            ctx.check("odd-first").pass();
            let _refused = ctx.request("no/such/method", json!({})).await?;
            Ok(())
        }
    }
}

/// A scenario that judges a request which had too little time, and then ends early.
mod hasty {
    use super::*;

    scenario! {
        /// Waits for a slow reply, and then for one that does not come.
        Server "hasty": "A scenario that runs out of time",
        revisions: Revisions::all(),
        checks: [
            check!("hasty-first", "made always"),
            check!("hasty-second", "made always"),
        ],
    }

    proofs! {
        passes on everything();
    }

    async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
        let _slow = ctx.request("tools/list", json!({})).await?.result()?;
        let answered = ctx.request("prompts/list", json!({})).await;
        ctx.check("hasty-first").judge(answered.and_then(|it| it.result().map(drop)));
        Err(Finding::peer("something broke"))
    }
}

#[test]
fn a_request_that_had_too_little_time_is_skipped_also_if_the_scenario_ends_early() {
    let status = |slow: u64| {
        let faults =
            [Fault::late("tools/list", Duration::from_millis(slow)), Fault::never("prompts/list")];
        let server = everything().faults(faults);
        let scenario_run = scenario_run(&hasty::SCENARIO, Revision::V2025_11_25);
        let outcome = run_on(&server, Profile::Adaptive, scenario_run, ScenarioRunFacts::default());
        outcome.checks[..2].iter().map(|check| check.status).collect::<Vec<_>>()
    };
    assert_eq!(status(250), [Status::Skipped, Status::Failure]);
    assert_eq!(status(5), [Status::Failure, Status::Failure]);
}

/// A scenario that sends HTTP requests as they are written, one after another.
mod repeated_http {
    use mcp_test_core::transport::HttpRequest;

    use super::*;

    scenario! {
        /// Sends requests until one gets no reply.
        Server "repeated-http": "A scenario of several HTTP requests",
        revisions: Revisions::all(),
        checks: [check!("repeated-answered", "each is answered")],
    }

    proofs! {
        passes on everything();
    }

    const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a test","version":"1"}}}"#;

    async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
        let initialize = HttpRequest::post(INITIALIZE)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        let mut answered = Ok(());
        for _ in 0..4 {
            answered = answered.and(ctx.http(initialize.clone()).await.map(drop));
        }
        ctx.check("repeated-answered").judge(answered);
        Ok(())
    }
}

#[test]
fn an_http_request_that_had_too_little_time_is_skipped() {
    let status = |fault| {
        let target = everything().faults([fault]).target();
        let plan = Plan::build(scenarios::all(), target, Profile::Adaptive, &selection(&["ping"]));
        let plan = plan.expect("a plan").timeout(Duration::from_millis(400));
        let scenario_run = ScenarioRun {
            transport: TransportKind::Router,
            ..scenario_run(&repeated_http::SCENARIO, Revision::V2025_11_25)
        };
        let outcome =
            virtual_time::block_on(run_scenario(&plan, scenario_run, ScenarioRunFacts::default()));
        (outcome.checks[0].status, shown(&outcome))
    };
    let (skipped, shown) = status(Fault::late("initialize", Duration::from_millis(150)));
    assert_eq!(skipped, Status::Skipped, "{shown}");
    let (failed, shown) = status(Fault::never("initialize"));
    assert_eq!(failed, Status::Failure, "{shown}");
}

#[test]
fn a_notification_that_comes_late_is_received() {
    let late = |method| Fault::late(method, Duration::from_secs(2));
    let methods = ["notifications/tools/list_changed", "notifications/prompts/list_changed"];
    let server = everything().faults(methods.map(late));
    let target = server.target();
    let statuses = |profile| {
        let plan = Plan::build(
            scenarios::all(),
            target.clone(),
            profile,
            &selection(&["server-stateless"]),
        );
        let plan = plan.expect("a plan").timeout(Duration::from_secs(60));
        let scenario_run = ScenarioRun {
            transport: TransportKind::Router,
            ..scenario_run(find("server-stateless"), Revision::NEWEST)
        };
        let outcome =
            virtual_time::block_on(run_scenario(&plan, scenario_run, ScenarioRunFacts::default()));
        let of_changes =
            outcome.checks.into_iter().filter(|it| it.id.ends_with("list-changed-on-subscription"));
        of_changes.map(|check| check.status).collect::<Vec<_>>()
    };
    assert_eq!(statuses(Profile::Adaptive), [Status::Success; 2]);
    assert_eq!(statuses(Profile::Official), [Status::Warning; 2]);
}

/// A server that answers and exits with the end of its input from this connection on, and not before.
fn exiting_from(connection: usize) -> Target {
    let opened = AtomicUsize::new(0);
    Target::duplex(move |mut io| {
        let exits = opened.fetch_add(1, Ordering::SeqCst) + 1 >= connection;
        async move {
            if exits {
                return Ok(everything().serve(io).await?);
            }
            io.read_to_end(&mut Vec::new()).await?;
            std::future::pending().await
        }
    })
}

#[test]
fn an_exit_is_slow_only_if_it_is_slow_twice() {
    let status = |connection| {
        let plan = Plan::build(
            scenarios::all(),
            exiting_from(connection),
            Profile::Adaptive,
            &selection(&["stdio-end-of-input"]),
        );
        let plan = plan.expect("a plan").timeout(Duration::from_secs(20));
        let scenario_run = scenario_run(find("stdio-end-of-input"), Revision::V2025_11_25);
        let outcome =
            virtual_time::block_on(run_scenario(&plan, scenario_run, ScenarioRunFacts::default()));
        let exits = outcome.checks.iter().find(|check| check.id == "exit-without-messages");
        exits.map(|check| check.status)
    };
    assert_eq!(status(1), Some(Status::Success));
    assert_eq!(status(2), Some(Status::Success));
    assert_eq!(status(3), Some(Status::Warning));
    // A program that does not answer either may not have started.
    assert_eq!(status(4), Some(Status::Skipped));
}

fn run_on(
    server: &Server,
    profile: Profile,
    scenario_run: ScenarioRun,
    facts: ScenarioRunFacts<'_>,
) -> Outcome {
    let mut plan = plan(server, profile, &["ping"]);
    plan.timeout = Duration::from_millis(400);
    virtual_time::block_on(run_scenario(&plan, scenario_run, facts))
}

fn odd(revision: Revision) -> Outcome {
    run_on(
        &everything(),
        Profile::Strict,
        scenario_run(&SCENARIO, revision),
        ScenarioRunFacts::default(),
    )
}

fn shown(outcome: &Outcome) -> String {
    let rows = outcome.checks.iter().map(|check| {
        let message = check.message.as_deref().unwrap_or_default();
        format!("{} {} {message}", check.status, check.id).trim_end().to_owned()
    });
    format!("{}\n=> {:?}", rows.collect::<Vec<_>>().join("\n"), outcome.verdict)
}

#[test]
fn a_scenario_that_never_ends_is_one_time_out() {
    insta::assert_snapshot!(shown(&odd(Revision::V2024_11_05)), @"
    FAILURE scenario-timeout the scenario did not end in time
      expected an end within 400 ms
    SKIPPED wire-schema-valid the peer sent nothing that could be validated
    SKIPPED wire-well-formed the peer sent nothing
    => Failed
    ");
}

#[test]
fn a_scenario_without_its_check_is_our_fault() {
    insta::assert_snapshot!(shown(&odd(Revision::V2025_03_26)), @"
    FAILURE odd-first the scenario ended without its check `odd-first`
    SKIPPED wire-schema-valid the peer sent nothing that could be validated
    SKIPPED wire-well-formed the peer sent nothing
    => NotRun
    ");
}

#[test]
fn our_own_fault_does_not_enter_a_baseline() {
    let outcome = odd(Revision::V2025_03_26);
    assert_eq!(outcome.verdict, Verdict::NotRun);
    let results: Results = [&outcome].into_iter().collect();
    let text = Baseline::text(&results, None);
    assert!(!text.contains("odd"), "{text}");
}

#[test]
fn an_undeclared_check_is_our_fault() {
    insta::assert_snapshot!(shown(&odd(Revision::V2025_06_18)), @"
    FAILURE odd-third the scenario `odd` declares no check `odd-third` at 2025-06-18
    SUCCESS odd-first
    SKIPPED wire-schema-valid the peer sent nothing that could be validated
    SKIPPED wire-well-formed the peer sent nothing
    => NotRun
    ");
}

#[test]
fn a_finding_without_an_official_check_fails_the_remaining_ones() {
    let outcome = odd(Revision::V2025_11_25);
    insta::assert_snapshot!(shown(&outcome), @"
    SUCCESS odd-first
    FAILURE odd-second something broke
    SKIPPED wire-schema-valid the peer sent nothing that could be validated
    SKIPPED wire-well-formed the peer sent nothing
    => Failed
    ");
    let finding = outcome.checks[1].finding.as_ref().expect("a finding");
    assert_eq!(finding.requirements, [Requirement::JSONRPC_RESULT_ID_ECHO]);
}

#[test]
fn an_unexamined_error_reply_fails_the_scenario() {
    let outcome = odd(Revision::V2026_07_28);
    let row =
        outcome.checks.iter().find(|check| check.id == "odd").expect("a row for the scenario");
    assert_eq!(row.status, Status::Failure);
    assert_eq!(row.finding.as_ref().map(|finding| finding.blame), Some(Blame::Test));
}

#[test]
fn a_request_without_a_reply_is_officially_a_time_out() {
    let silent = everything().faults([Fault::never("ping")]);
    let ping = scenario_run(find("ping"), Revision::V2025_11_25);
    let ids = |profile| -> Vec<(String, Status)> {
        let outcome = run_on(&silent, profile, ping.clone(), ScenarioRunFacts::default());
        assert!(outcome.trace.deadline_fired(), "{}", shown(&outcome));
        outcome.checks.into_iter().map(|check| (check.id, check.status)).collect()
    };
    let officially = ids(Profile::Official);
    assert_eq!(officially[0], ("scenario-timeout".to_owned(), Status::Failure));
    let adaptively = ids(Profile::Adaptive);
    assert_eq!(adaptively[0], ("ping".to_owned(), Status::Failure));
}

#[test]
fn what_slow_replies_leave_no_time_for_is_skipped() {
    let prompts = scenario_run(find("prompts-get-listed"), Revision::V2025_11_25);
    let failures = |fault| {
        let server = everything().faults([fault]);
        let outcome =
            run_on(&server, Profile::Adaptive, prompts.clone(), ScenarioRunFacts::default());
        let failing = outcome.failing().map(|check| check.id.clone()).collect::<Vec<_>>();
        (failing, shown(&outcome))
    };
    // Of the 360 ms each takes so much that the third has less than one takes.
    let slow = Fault::late("prompts/get", Duration::from_millis(150));
    let (failing, shown) = failures(slow);
    assert!(failing.is_empty() && shown.contains("others took up to 150 ms"), "{shown}");
    let (failing, shown) = failures(Fault::never("prompts/get"));
    assert!(!failing.is_empty(), "{shown}");
}

#[test]
fn an_unmet_need_is_skipped_failed_or_tried() {
    let call = scenario_run(find("tools-call-simple-text"), Revision::V2025_11_25);
    let outcome = |profile| {
        let tools = Listing::Listed([json!({"name": "add"})].into_iter().collect());
        let inventory = Inventory::default().with(ItemKind::Tool, tools);
        run_on(
            &everything(),
            profile,
            call.clone(),
            ScenarioRunFacts { inventory, ..ScenarioRunFacts::default() },
        )
    };
    insta::assert_snapshot!(shown(&outcome(Profile::Adaptive)), @r"
    SKIPPED tools-call-simple-text the server does not offer the tool `test_simple_text`; it lists `add`
    SKIPPED tools-call-simple-text-exact the server does not offer the tool `test_simple_text`; it lists `add`
    => Skipped
    ");
    let strict = outcome(Profile::Strict);
    insta::assert_snapshot!(shown(&strict), @r"
    FAILURE tools-call-simple-text Not testable: the server does not offer the tool `test_simple_text`; it lists `add`
    FAILURE tools-call-simple-text-exact Not testable: the server does not offer the tool `test_simple_text`; it lists `add`
    => Failed
    ");
    assert!(strict.checks.iter().all(|check| check.untestable));
    assert_eq!(outcome(Profile::Official).verdict, Verdict::Passed);
}

#[test]
fn the_specification_decides_where_the_official_suite_does_not_run() {
    let list = find("tools-list");
    let nameless = everything().faults([Fault::remove("tools/list", "/tools/0/description")]);
    let profile = |revision| {
        let outcome = run_on(
            &nameless,
            Profile::Official,
            scenario_run(list, revision),
            ScenarioRunFacts::default(),
        );
        (outcome.profile, outcome.verdict)
    };
    assert_eq!(profile(Revision::V2025_06_18), (Profile::Official, Verdict::Failed));
    assert_eq!(profile(Revision::V2025_03_26), (Profile::Adaptive, Verdict::Passed));
}

#[test]
fn empty_lists_are_reported_as_info() {
    fn info(server: &Server, id: &str, check: &str) -> String {
        let scenario_run = scenario_run(find(id), Revision::V2025_11_25);
        let outcome = run_on(server, Profile::Strict, scenario_run, ScenarioRunFacts::default());
        let row = outcome.checks.into_iter().find(|row| row.id == check).expect(check);
        assert_eq!(row.status, Status::Info, "{check}");
        row.message.unwrap_or_default()
    }
    for noun in ["tools", "resources", "prompts"] {
        let empty = everything()
            .on(format!("{noun}/list"), move |_: Call| async move { json!({ noun: [] }) });
        let message = info(&empty, &format!("{noun}-list"), &format!("{noun}-list-definitions"));
        assert_eq!(message, format!("the server lists no {noun}"));
    }
    let message = info(&bare(), "server-initialize", "server-initialize-result");
    assert_eq!(message, "the server declares no capabilities");
}
