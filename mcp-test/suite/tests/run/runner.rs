//! Whole runs: their events, the order of these, and their exit codes.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mcp_test_core::check::Finding;
use mcp_test_core::run::{Baseline, ExitCode, Line, Verdict};
use mcp_test_core::scenario::{Ctx, Need};
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::Revisions;
use mcp_test_core::transport::Fault;
use mcp_test_core::{check, proofs, scenario};

use super::*;

/// The events, as short texts.
fn story(events: &[RunEvent]) -> Vec<String> {
    events
        .iter()
        .map(|event| match event {
            RunEvent::PreflightDone(_) => "up".to_owned(),
            RunEvent::PreflightFailed { finding, .. } => format!("failed: {finding}"),
            RunEvent::Planned(scenario_runs) => format!("planned {}", scenario_runs.len()),
            RunEvent::Started(scenario_run) => format!("started {}", scenario_run.scenario.id),
            RunEvent::Finished(outcome) => format!("finished {}", outcome.scenario_run.scenario.id),
            RunEvent::Ended(summary) => format!("ended {:?}", summary.exit),
        })
        .collect()
}

fn started(events: &[RunEvent]) -> Vec<String> {
    let scenario_runs = events.iter().filter_map(|event| match event {
        RunEvent::Started(scenario_run) => {
            Some(format!("{} {}", scenario_run.scenario.id, scenario_run.revision))
        }
        _ => None,
    });
    scenario_runs.collect()
}

#[test]
fn a_good_server_passes_in_all_profiles() {
    for profile in Profile::ALL {
        let (events, summary) = run_plan(&plan(&everything(), profile, &[]));
        assert_eq!(summary.exit, ExitCode::Passed, "{profile}: {:#?}", rows(&events));
        // The reference server has no tasks, and 2024-11-05 no annotations that let a tool be called without being named.
        let is_unmet = |scenario_run: &ScenarioRun| {
            let is_unmet = |need: &Need| match need {
                Need::CallableTool => scenario_run.revision == Revision::V2024_11_05,
                need => need.to_string().contains("tasks"),
            };
            scenario_run.scenario.needs.iter().any(is_unmet)
        };
        let is_fine = |line: &Line| match line.verdict {
            Verdict::Passed => true,
            // The official suite skips it, too.
            Verdict::Skipped => {
                is_unmet(&line.scenario_run)
                    || line.scenario_run.scenario.id == "tasks-status-notifications"
            }
            _ => false,
        };
        let wrong: Vec<_> = summary.lines.iter().filter(|line| !is_fine(line)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(summary.counts.failure, 0);
        assert!(summary.counts.success > 0);
        assert_eq!(summary.advisory.success > 0, profile == Profile::Official);
    }
}

#[test]
fn outcomes_are_reported_in_the_order_of_the_plan_with_any_number_of_jobs() {
    let slow_first = everything().on("ping", |_: mcp_test_core::server::Call| async {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        json!({})
    });
    let plan = plan(&slow_first, Profile::Official, &["ping", "tools-list", "prompts-list"]);
    let (events, _) = run_plan(&plan.jobs(NonZeroUsize::new(8).expect("eight")));
    assert_eq!(
        story(&events),
        [
            "up",
            "planned 3",
            "started ping",
            "started tools-list",
            "started prompts-list",
            "finished ping",
            "finished tools-list",
            "finished prompts-list",
            "ended Passed",
        ]
    );
}

#[test]
fn a_failure_exits_with_1_unless_a_baseline_expects_it() {
    let bad = everything().faults([Fault::set("ping", "/pong", json!(true))]);
    let exit = |baseline: Option<&str>| {
        let mut plan = plan(&bad, Profile::Official, &["ping", "tools-list"]);
        plan.baseline = baseline.map(|text| Baseline::parse("b.yml", text).expect("a baseline"));
        let (_, summary) = run_plan(&plan);
        (summary.exit, summary.baseline)
    };
    assert_eq!(exit(None).0, ExitCode::Failed);
    assert_eq!(exit(Some("server: ['ping:ping']")).0, ExitCode::Passed);
    let (code, comparison) = exit(Some("server: [ping, tools-list]"));
    assert_eq!(code, ExitCode::Failed);
    assert_eq!(comparison.expect("a comparison").stale, ["tools-list"]);
    let (code, comparison) = exit(Some("server: []"));
    assert_eq!(code, ExitCode::Failed);
    assert_eq!(comparison.expect("a comparison").unexpected, ["ping"]);
}

#[test]
fn an_unreachable_target_is_reported_once() {
    let plan = Plan::build(
        scenarios::all(),
        Target::url("http://127.0.0.1:1/mcp"),
        Profile::Adaptive,
        &selection(&[]),
    );
    let (events, summary) = run_plan(&plan.expect("a plan"));
    assert_eq!(summary.exit, ExitCode::NotRun);
    assert!(summary.not_run.is_some());
    let story = story(&events);
    assert!(story[0].starts_with("failed: "), "{story:?}");
    assert_eq!(story[1..], ["ended NotRun"]);
}

#[test]
fn a_silent_target_is_reported_once() {
    let mut plan = plan(&everything().faults([Fault::never("*")]), Profile::Adaptive, &[]);
    plan.timeout = Duration::from_millis(300);
    let (events, summary) = run_plan(&plan);
    assert_eq!(summary.exit, ExitCode::NotRun);
    let story = story(&events);
    assert!(story[0].starts_with("failed: "), "{story:?}");
    assert_eq!(story.len(), 2);
}

#[test]
fn the_adaptive_profile_tests_only_what_is_supported() {
    let old = bare().revisions(Revisions::only(Revision::V2025_06_18));
    let (events, summary) = run_plan(&plan(&old, Profile::Adaptive, &["ping", "tools-list"]));
    assert_eq!(started(&events), ["ping 2025-06-18", "tools-list 2025-06-18"]);
    assert_eq!(summary.exit, ExitCode::Passed);
    assert_eq!(summary.lines[1].verdict, Verdict::Skipped);

    let new = everything().revisions(Revisions::only(Revision::V2026_07_28));
    let (events, summary) = run_plan(&plan(&new, Profile::Adaptive, &["ping"]));
    assert_eq!(started(&events), ["ping 2025-11-25"]);
    assert_eq!(summary.lines[0].verdict, Verdict::Skipped);
    insta::assert_snapshot!(rows(&events).join("\n"), @"ping 2025-11-25 SKIPPED ping");
    // Nothing was tested.
    assert_eq!(summary.exit, ExitCode::NotRun);
}

#[test]
fn a_handshake_that_breaks_the_protocol_is_not_a_refusal() {
    let dual = everything().faults([Fault::wrong_id("initialize")]);
    let (events, summary) = run_plan(&plan(&dual, Profile::Adaptive, &["ping", "tools-list"]));
    assert_eq!(
        started(&events),
        ["ping 2025-11-25", "tools-list 2025-11-25", "tools-list 2026-07-28"]
    );
    let verdicts: Vec<Verdict> = summary.lines.iter().map(|line| line.verdict).collect();
    assert_eq!(verdicts, [Verdict::Failed, Verdict::Failed, Verdict::Passed]);
    assert_eq!(summary.exit, ExitCode::Failed);
}

#[test]
fn nothing_passes_if_no_selected_revision_is_supported() {
    let server = everything().revisions(Revisions::only(Revision::V2025_06_18));
    let mut asked = selection(&["tools-list"]);
    asked.revisions = vec![Revision::V2026_07_28, Revision::V2024_11_05];
    let plan =
        Plan::build(scenarios::all(), target(&server), Profile::Adaptive, &asked).expect("a plan");
    let (_, summary) = run_plan(&plan);
    assert_eq!(summary.exit, ExitCode::NotRun);
    insta::assert_snapshot!(summary.not_run.expect("a reason"), @r"
    the server speaks none of the selected revisions
      expected 2024-11-05, 2026-07-28
      got at least 2025-06-18 over duplex
    ");
}

#[test]
fn only_selected_revisions_are_tried() {
    let opened = std::sync::Arc::new(AtomicUsize::new(0));
    let opened_before = |revisions: &[Revision]| {
        opened.store(0, Ordering::SeqCst);
        let counter = opened.clone();
        let target = Target::duplex(move |io| {
            counter.fetch_add(1, Ordering::SeqCst);
            async move { Ok(everything().serve(io).await?) }
        });
        let mut asked = selection(&["tools-list"]);
        asked.revisions = revisions.to_vec();
        let plan =
            Plan::build(scenarios::all(), target, Profile::Official, &asked).expect("a plan");
        let mut before = None;
        let on = &mut |event| {
            if let RunEvent::PreflightDone(preflight) = event {
                before = Some((opened.load(Ordering::SeqCst), preflight.complete));
            }
        };
        block_on(run(&plan, on));
        before
    };
    assert_eq!(opened_before(&[Revision::V2025_11_25]), Some((1, false)));
    assert_eq!(opened_before(&[]), Some((2, false)));
    assert_eq!(opened_before(&Revision::ALL), Some((5, true)));
}

#[test]
fn a_server_that_ignores_the_other_era_is_recognized() {
    let mut asked = selection(&["tools-list"]);
    asked.revisions = vec![Revision::V2026_07_28];
    let old = everything().faults([Fault::never("server/discover")]);
    let plan =
        Plan::build(scenarios::all(), target(&old), Profile::Adaptive, &asked).expect("a plan");
    let (_, summary) = run_plan(&plan.timeout(Duration::from_millis(200)));
    insta::assert_snapshot!(summary.not_run.expect("a reason"), @r"
    the server speaks none of the selected revisions
      expected 2026-07-28
      got at least 2025-11-25 over duplex
    ");
}

#[test]
fn officially_nothing_is_skipped() {
    let (events, summary) = run_plan(&plan(&bare(), Profile::Official, &["tools-list"]));
    assert_eq!(summary.exit, ExitCode::Failed);
    assert_eq!(rows(&events)[0], "tools-list 2025-11-25 FAILURE tools-list");
}

#[test]
fn a_plan_without_scenario_runs_does_not_start_the_target() {
    let mut asked = selection(&["ping"]);
    asked.revisions = vec![Revision::V2026_07_28];
    let plan = Plan::build(
        scenarios::all(),
        Target::url("http://127.0.0.1:1/mcp"),
        Profile::Official,
        &asked,
    );
    let (events, summary) = run_plan(&plan.expect("a plan"));
    assert_eq!(summary.exit, ExitCode::NotRun);
    assert_eq!(story(&events), ["planned 0", "ended NotRun"]);
}

static RUNNING: AtomicUsize = AtomicUsize::new(0);
static OVERLAPPED: AtomicBool = AtomicBool::new(false);
static HAD_COMPANY: AtomicBool = AtomicBool::new(false);

mod disturbing {
    use super::*;

    scenario! {
        /// Checks whether anything else runs.
        Server "disturbing": "A scenario that disturbs",
        revisions: Revisions::all(),
        exclusive: "everything",
        checks: [check!("disturbing", "made always")],
    }

    async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
        linger(&HAD_COMPANY).await;
        ctx.check("disturbing").pass();
        Ok(())
    }

    proofs! {
        passes on everything();
    }
}

mod quiet {
    use super::*;

    scenario! {
        /// Takes a few turns.
        Server "quiet": "A scenario that does not disturb",
        revisions: Revisions::all(),
        checks: [check!("quiet", "made always")],
    }

    async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
        linger(&OVERLAPPED).await;
        ctx.check("quiet").pass();
        Ok(())
    }

    proofs! {
        passes on everything();
    }
}

/// Runs for a while, and records whether others run, too.
async fn linger(company: &AtomicBool) {
    RUNNING.fetch_add(1, Ordering::SeqCst);
    for _ in 0..5 {
        if RUNNING.load(Ordering::SeqCst) > 1 {
            company.store(true, Ordering::SeqCst);
        }
        tokio::task::yield_now().await;
    }
    RUNNING.fetch_sub(1, Ordering::SeqCst);
}

#[test]
fn a_disturbing_scenario_runs_alone_and_the_others_together() {
    let mut plan =
        plan(&everything(), Profile::Strict, &["ping"]).jobs(NonZeroUsize::new(4).expect("four"));
    let scenario_runs = [
        &quiet::SCENARIO,
        &quiet::SCENARIO,
        &disturbing::SCENARIO,
        &quiet::SCENARIO,
        &quiet::SCENARIO,
    ];
    plan.scenario_runs = scenario_runs
        .into_iter()
        .map(|scenario| scenario_run(scenario, Revision::NEWEST_HANDSHAKE))
        .collect();
    let (events, summary) = run_plan(&plan);
    assert_eq!(summary.exit, ExitCode::Passed, "{:?}", rows(&events));
    assert!(OVERLAPPED.load(Ordering::SeqCst), "the quiet ones overlap");
    assert!(!HAD_COMPANY.load(Ordering::SeqCst), "the disturbing one is alone");
}

#[test]
fn a_refused_list_fails_only_the_scenarios_that_are_about_the_list() {
    let refusing = everything().faults([Fault::reply_error("tools/list", -32603)]);
    let (events, _) = run_plan(&plan(&refusing, Profile::Adaptive, &[]));
    let failed = events.iter().filter_map(|event| match event {
        RunEvent::Finished(outcome) if outcome.verdict == Verdict::Failed => {
            Some(&*outcome.scenario_run.scenario.id)
        }
        _ => None,
    });
    let failed: std::collections::BTreeSet<&str> = failed.collect();
    insta::assert_debug_snapshot!(failed, @r#"
    {
        "tools-list",
    }
    "#);
    let skipped = events.iter().find_map(|event| match event {
        RunEvent::Finished(outcome) if outcome.scenario_run.scenario.id == "tools-call-error" => {
            outcome.checks[0].message.clone()
        }
        _ => None,
    });
    insta::assert_snapshot!(skipped.unwrap_or_default(), @"not known whether the server offers the tool `test_error_handling`: `tools/list` was refused");
}
