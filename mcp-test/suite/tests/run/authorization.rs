//! Runs on authorization servers: clients with a secret, issuers with a path, and servers that ask their users something.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::StatusCode;
use mcp_test_core::check::Status;
use mcp_test_core::json::Value;
use mcp_test_core::oauth::answer::Answer;
use mcp_test_core::run::{ExitCode, Plan, RunEvent, Selection, run};
use mcp_test_core::scenario::{AuthorizationPeer, Profile};
use mcp_test_suite::scenarios;

/// The checks of our own scenarios that need a code.
const NEED_CODES: [&str; 7] = [
    "authorization-code-verifier",
    "authorization-code-client",
    "refresh-token-client",
    "refresh-token-scope",
    "refresh-token-replay",
    "access-token-audience",
    "access-token-other-resource",
];

/// The exit code of a run of all scenarios, and the status of each check.
fn run_on(peer: &AuthorizationPeer) -> (ExitCode, BTreeMap<String, Status>) {
    run_some(peer, Profile::Strict, &Selection::default())
}

fn run_some(
    peer: &AuthorizationPeer,
    profile: Profile,
    selection: &Selection,
) -> (ExitCode, BTreeMap<String, Status>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let (_server, target) = peer.start().await.expect("a free port");
        let plan = Plan::build(scenarios::all(), target, profile, selection).expect("a plan");
        let mut statuses = BTreeMap::new();
        let summary = run(&plan, &mut |event| {
            if let RunEvent::Finished(outcome) = event {
                let checks = outcome.checks.iter();
                statuses.extend(checks.map(|check| (check.id.clone(), check.status)));
            }
        })
        .await;
        (summary.exit, statuses)
    })
}

#[test]
fn a_client_may_have_a_secret_and_an_issuer_a_path() {
    let (exit, statuses) = run_on(&AuthorizationPeer::default().with_secret().at("/tenant"));
    assert_eq!(exit, ExitCode::Passed, "{statuses:?}");
    assert_eq!(statuses["authorization-code-grant"], Status::Success);
    // Those are about clients without a secret.
    for id in ["authorization-request-pkce-required", "refresh-token-rotation"] {
        assert!(!statuses.contains_key(id), "{id}");
    }
}

#[test]
fn a_server_that_shows_a_page_first_is_not_judged_by_what_it_would_refuse() {
    let with_pages = AuthorizationPeer::default().altered(|request, answer| {
        let query = request.uri.query().unwrap_or_default();
        let is_wrong =
            answer.status == StatusCode::BAD_REQUEST || !query.contains("code_challenge");
        if request.uri.path() == "/authorize" && is_wrong {
            *answer = Answer::empty(StatusCode::OK);
        }
    });
    let (exit, statuses) = run_on(&with_pages);
    assert_eq!(exit, ExitCode::Passed, "{statuses:?}");
    for id in ["authorization-request-pkce-required", "authorization-redirect-uri-registered"] {
        assert_eq!(statuses[id], Status::Info, "{id}");
    }
}

#[test]
fn a_client_that_registers_itself_is_enough_for_our_own_scenarios() {
    let (exit, statuses) = run_some(
        &AuthorizationPeer::default().to_strangers(),
        Profile::Adaptive,
        &Selection::default(),
    );
    assert_eq!(exit, ExitCode::Passed, "{statuses:?}");
    assert_eq!(statuses["authorization-code-grant"], Status::Skipped);
    for id in NEED_CODES.into_iter().chain(["redirect-uri-matched", "registration-response"]) {
        assert_eq!(statuses[id], Status::Success, "{id}");
    }
}

#[test]
fn clients_that_were_registered_are_deleted() {
    let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let counted = Arc::clone(&counts);
    let managed = AuthorizationPeer::default().altered(move |request, answer| {
        let host = request.headers.get("host").and_then(|host| host.to_str().ok());
        if let Some(members) = answer.body.as_mut().and_then(Value::as_object_mut)
            && answer.status == StatusCode::CREATED
        {
            counted[0].fetch_add(1, Ordering::Relaxed);
            let uri = format!("http://{}/manage", host.unwrap_or_default());
            members.insert("registration_client_uri", uri);
            members.insert("registration_access_token", "a token of a test");
        }
        let token = request.headers.get("authorization");
        let is_right = token.is_some_and(|token| token == "Bearer a token of a test");
        if request.method == "DELETE" && request.uri.path() == "/manage" && is_right {
            counted[1].fetch_add(1, Ordering::Relaxed);
            *answer = Answer::empty(StatusCode::NO_CONTENT);
        }
    });
    let (exit, statuses) = run_on(&managed);
    assert_eq!(exit, ExitCode::Passed, "{statuses:?}");
    let [registered, deleted] = [0, 1].map(|at: usize| counts[at].load(Ordering::Relaxed));
    assert_eq!(registered, deleted);
    assert!(registered > 3, "{registered}");
}

#[test]
fn where_a_page_is_shown_a_run_of_all_scenarios_asks_for_consent_once() {
    // The browser of the proofs accepts anything, unlike the requests that are made without it.
    let is_ours = |headers: &http::HeaderMap| {
        headers.get("accept").is_some_and(|accepts| accepts == "text/html")
    };
    let with_pages = || {
        AuthorizationPeer::default().altered(move |request, answer| {
            if request.uri.path() == "/authorize" && is_ours(&request.headers) {
                *answer = Answer::empty(StatusCode::OK);
            }
        })
    };
    let (exit, statuses) = run_some(&with_pages(), Profile::Adaptive, &Selection::default());
    assert_eq!(exit, ExitCode::Passed, "{statuses:?}");
    assert_eq!(statuses["authorization-code-grant"], Status::Success);
    for id in NEED_CODES {
        assert_eq!(statuses[id], Status::Skipped, "{id}");
    }
    assert_eq!(statuses["redirect-uri-matched"], Status::Info);
    let named = Selection {
        scenarios: vec!["authorization-code-exchange".into(), "authorization-audience".into()],
        ..Selection::default()
    };
    let (exit, statuses) = run_some(&with_pages(), Profile::Adaptive, &named);
    assert_eq!(exit, ExitCode::Passed, "{statuses:?}");
    for id in ["authorization-code-verifier", "authorization-code-client", "access-token-audience"]
    {
        assert_eq!(statuses[id], Status::Success, "{id}");
    }
}
