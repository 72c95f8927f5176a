//! Tests of the context.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::*;
use crate::check::Blame;
use crate::server::reference::everything;
use crate::spec::{Requirement, Revisions};
use crate::transport::Fault;

fn ctx(target: Target, profile: Profile) -> Ctx {
    let (revision, timeout) = (Revision::V2025_11_25, Duration::from_secs(10));
    Ctx::new(Setup::new(target, TransportKind::Duplex, revision, profile, timeout), None)
}

#[tokio::test]
async fn the_client_connects_once_at_its_first_use() {
    let mut ctx = ctx(everything().target(), Profile::Adaptive);
    assert!(ctx.trace().events.is_empty());
    let _ = ctx.ping().await.expect("a reply");
    let _ = ctx.ping().await.expect("a reply");
    let initialized = ctx
        .trace()
        .messages()
        .filter(|(_, message)| message.method() == Some("initialize"))
        .count();
    assert_eq!(initialized, 1);
}

#[tokio::test]
async fn only_the_official_profile_accepts_another_revision() {
    let old = everything().revisions(Revisions::only(Revision::V2025_06_18)).target();
    let mut official = ctx(old.clone(), Profile::Official);
    assert_eq!(official.client().await.expect("a client").revision(), Revision::V2025_06_18);
    let mut adaptive = ctx(old, Profile::Adaptive);
    let finding = adaptive.client().await.expect_err("a finding");
    assert_eq!(finding.blame, Blame::Test);
}

#[tokio::test]
async fn the_end_has_checks_trace_and_unexamined_errors() {
    let mut ctx = ctx(everything().target(), Profile::Strict);
    let reply = ctx.ping().await.expect("a reply");
    ctx.check("pong").expect(&reply, crate::scenario::empty_result());
    let _overlooked = ctx.request("no/such/method", json!({})).await.expect("a reply");
    assert!(ctx.has_checked("pong"));
    let ended = ctx.end().await;
    assert_eq!(ended.checks.len(), 1);
    assert_eq!(ended.unexamined.len(), 1);
    assert_eq!(ended.judgement.envelopes, []);
    assert!(ended.trace.has_messages_both_ways());
}

#[tokio::test]
async fn other_clients_are_judged_and_closed_like_the_first() {
    let returned = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&returned);
    let server = everything().faults([Fault::remove("tools/list", "/resultType")]);
    let target = Target::duplex(move |io| {
        let (server, returned) = (server.clone(), Arc::clone(&count));
        async move {
            server.serve(io).await?;
            returned.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }
    });
    let mut ctx = ctx(target, Profile::Adaptive);
    let _ = ctx.list_tools().await.expect("a list");
    let newest = Options::speaking(Revision::V2026_07_28);
    let mut other = ctx.connect(newest.clone()).await.expect("a client");
    let _overlooked = other.request("no/such/method", json!({})).await.expect("a reply");
    let _untyped = other.request("tools/list", json!({})).await.expect("a reply");
    let mut early = ctx.connect(newest).await.expect("a client");
    let _overlooked = early.request("no/such/method", json!({})).await.expect("a reply");
    assert!(early.end().await.orderly);
    assert_eq!(returned.load(Ordering::SeqCst), 1);
    drop(other);
    let ended = ctx.end().await;
    assert_eq!(returned.load(Ordering::SeqCst), 3);
    assert_eq!(ended.unexamined.len(), 2);
    let cited: Vec<_> =
        ended.judgement.envelopes.iter().flat_map(|finding| &finding.requirements).collect();
    assert_eq!(cited, [&Requirement::BASE_RESULT_TYPE_PRESENT]);
}

#[tokio::test]
async fn a_fence_divides_the_trace() {
    let mut ctx = ctx(everything().target(), Profile::Adaptive);
    let _ = ctx.ping().await.expect("a reply");
    ctx.fence("pinged").await.expect("a fence");
    let _ = ctx.list_tools().await.expect("a list");
    let trace = ctx.trace().try_not_seen_before_fence("tools/list", "pinged");
    let trace = trace.expect("only after the fence");
    let finding = trace.try_not_seen_before_fence("ping", "pinged").expect_err("seen");
    assert_eq!(finding.blame, Blame::Peer);
}

#[test]
fn a_skip_keeps_its_type_in_the_error() {
    let error = ctx(everything().target(), Profile::Strict).skip("no database here");
    assert_eq!(error.to_string(), "skipped: no database here");
    assert_eq!(
        error.downcast_ref::<Skip>().map(|skip| skip.reason.as_str()),
        Some("no database here")
    );
}

#[cfg(unix)]
#[tokio::test]
async fn the_exit_of_a_program_and_its_stderr_can_be_asserted() {
    let greeting = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}
    }});
    let script = format!("echo warming up >&2; read a; echo '{greeting}'; read b; read c; exit 3");
    let program = Target::command(crate::process::Command::new("sh").args(["-c", &script]));
    let setup = |target, transport| {
        let timeout = Duration::from_secs(10);
        Setup::new(target, transport, Revision::V2025_11_25, Profile::Adaptive, timeout)
    };
    let mut ctx = Ctx::new(setup(program, TransportKind::Stdio), None);
    let exit = ctx.disconnect().await.expect("connected before");
    assert_eq!((exit.code(), exit.is_orderly()), (Some(3), true));
    assert_eq!(exit.stderr(), ["warming up"]);
    let exit = exit.assert_exit_code(3).assert_orderly().assert_stderr_contains("warming");
    let failures = [
        exit.clone().try_exit_code(0),
        exit.clone().try_stderr_contains("listening"),
        exit.clone().try_no_stderr(),
    ];
    let failures = failures.map(|failure| failure.expect_err("it fails").to_string());
    insta::assert_snapshot!(failures.join("\n"), @r#"
    the program of the server ended in an unexpected way
      expected exit code 0
      got exit code 3; on stderr "warming up"
    unexpected output of the server on stderr
      expected a line that contains "listening"
      got "warming up"
    unexpected output of the server on stderr
      expected no output
      got "warming up"
    "#);

    // A server that needs a signal.
    let script = format!("read a; echo '{greeting}'; exec sleep 60");
    let stubborn = Target::command(crate::process::Command::new("sh").args(["-c", &script]));
    let mut ctx = Ctx::new(setup(stubborn, TransportKind::Stdio), None);
    let exit = ctx.disconnect().await.expect("connected before");
    let finding = exit.try_orderly().expect_err("it needs a signal");
    assert_eq!(finding.expected.as_deref(), Some("an exit without a signal"));

    // The next use connects again, to another server.
    let in_process = everything().target();
    let mut ctx = Ctx::new(setup(in_process, TransportKind::Duplex), None);
    for _ in 0..2 {
        ctx.ping().await.expect("a reply").assert_ok();
        let exit = ctx.disconnect().await.expect("connected").assert_orderly();
        let finding = exit.try_exit_code(0).expect_err("no program");
        assert_eq!(finding.blame, Blame::Test);
        insta::allow_duplicates! { insta::assert_snapshot!(finding, @"
        the server under test is not a program that the test has started
          expected a server over stdio, such as `Target::command`
          got a server over duplex
        "); }
    }
}
