//! Tests of the context.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::*;
use crate::check::Blame;
use crate::server::reference::everything;
use crate::spec::Revisions;
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
    assert_eq!(cited, [&"base.result-type-present"]);
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
