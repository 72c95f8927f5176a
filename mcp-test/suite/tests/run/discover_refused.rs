//! Runs against servers of the handshake revisions, which know no `server/discover`: how they refuse it is no finding.

use mcp_test_core::run::ExitCode;
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::{Revisions, error_code};
use mcp_test_core::transport::Fault;

use super::*;

/// The codes with which such servers refuse it: an unknown method, a request before `initialize`, and params that do not fit any
/// method they know. -32000 and -32002 are the codes of SDKs for a session that is not initialized.
const CODES: [i64; 5] = [
    error_code::METHOD_NOT_FOUND,
    error_code::INVALID_REQUEST,
    error_code::INVALID_PARAMS,
    -32000,
    error_code::RESOURCE_NOT_FOUND,
];

/// A server of the handshake revisions that answers `server/discover` with this error.
fn older(code: i64) -> Server {
    everything()
        .revisions(Revisions::until(Revision::V2025_11_25))
        .faults([Fault::reply_error("server/discover", code)])
}

fn over_http(server: &Server) -> Target {
    let router = server.router();
    Target::router(move || router.clone())
}

/// The newest revision that the run has found, the failures and warnings, and the exit code.
fn ended(plan: &Plan) -> (Option<Revision>, Vec<String>, ExitCode) {
    let (events, summary) = run_plan(plan);
    let speaks = events.iter().find_map(|event| match event {
        RunEvent::PreflightDone(preflight) => preflight.speaks.values().flatten().max().copied(),
        _ => None,
    });
    let rows = rows(&events);
    let bad = rows.into_iter().filter(|row| row.contains(" FAILURE ") || row.contains(" WARNING "));
    (speaks, bad.collect(), summary.exit)
}

#[test]
fn no_scenario_reports_it() {
    let newest = Some(Revision::V2025_11_25);
    for code in CODES {
        // One code shows it for every scenario.
        let selected: &[&str] = match code {
            error_code::METHOD_NOT_FOUND => &[],
            _ => &["tools-list", "base-unknown-method", "versioning-supported"],
        };
        let server = older(code);
        for target in [target(&server), over_http(&server)] {
            let selection = selection(selected);
            let plan = Plan::build(scenarios::all(), target, Profile::Adaptive, &selection);
            let plan = plan.expect("a plan").timeout(Duration::from_secs(20));
            assert_eq!(ended(&plan), (newest, Vec::new(), ExitCode::Passed), "{code}");
        }
    }
}

#[test]
fn the_preflight_says_what_the_server_speaks_if_only_the_stateless_revision_is_selected() {
    let selected =
        Selection { revisions: vec![Revision::V2026_07_28], ..selection(&["tools-list"]) };
    for code in CODES {
        let server = older(code);
        for (target, transport) in [(target(&server), "duplex"), (over_http(&server), "router")] {
            let plan = Plan::build(scenarios::all(), target, Profile::Adaptive, &selected);
            let (_, summary) = run_plan(&plan.expect("a plan").timeout(Duration::from_secs(20)));
            let why = summary.not_run.expect("a reason").to_string();
            let expected = format!(
                "the server speaks none of the selected revisions\n  expected 2026-07-28\n  got at \
                 least 2025-11-25 over {transport}"
            );
            assert_eq!(why, expected, "{code}");
        }
    }
}

/// A server may speak versions with a handshake that it does not name; at those it has no `server/discover`.
#[test]
fn an_unknown_method_is_right_at_a_version_that_the_server_speaks() {
    let check = "versioning-unsupported 2026-07-28";
    let row = |server: &Server, revisions: &[Revision]| {
        let selection =
            Selection { revisions: revisions.to_vec(), ..selection(&["versioning-unsupported"]) };
        let plan = Plan::build(scenarios::all(), target(server), Profile::Adaptive, &selection);
        let (events, _) = run_plan(&plan.expect("a plan").timeout(Duration::from_secs(20)));
        let row = rows(&events).into_iter().find(|row| row.ends_with("known-version-unsupported"));
        row.expect("a row").trim_start_matches(check).to_owned()
    };
    let refusing = |revisions| {
        let unnamed = Fault::set("server/discover", "/supportedVersions", json!(["2026-07-28"]));
        let refused = Fault::set("server/discover", "/error/code", json!(-32601));
        everything().revisions(revisions).faults([unnamed, refused])
    };
    let both = refusing(Revisions::all());
    for revisions in [&[][..], &[Revision::V2026_07_28]] {
        assert_eq!(row(&both, revisions), " INFO known-version-unsupported");
    }
    let modern = refusing(Revisions::from(Revision::V2026_07_28));
    assert_eq!(row(&modern, &[]), " WARNING known-version-unsupported");
}
