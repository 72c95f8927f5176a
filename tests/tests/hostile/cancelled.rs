//! A server that answers what was cancelled, after it has answered something later: then it knew.

use mcp_test::check::judge;
use mcp_test::client::{Client, Options};
use mcp_test::spec::{Era, Revision};
use mcp_test::trace::{Party, Recorder};
use mcp_test::transport::{CarrierKind, Limits};
use mcp_test_tests::hostile::How;
use tokio::runtime::Runtime;

use crate::lines::in_process;
use crate::played::{FOR_EVER, METHOD};

/// What is told of the server, and what was waited for in vain.
async fn told(revision: Revision) -> String {
    let recorder = Recorder::new();
    let target = in_process(How::AnswerAfterCancel);
    let link = target.open(CarrierKind::Duplex, &recorder, Limits::default()).await;
    let options = Options::speaking(revision).timeout(FOR_EVER);
    let mut client = Client::connect(link.expect("a link"), options).await.expect("a client");
    let pending = client.start(METHOD, serde_json::json!({})).await;
    let id = pending.id().to_value();
    let cancelled = serde_json::json!({ "requestId": id.to_serde() });
    client.notify("notifications/cancelled", cancelled).await;
    for _ in 0..2 {
        let reply = client.request("server/discover", serde_json::json!({})).await;
        reply.expect("a reply").assert_ok();
    }
    client.end().await;
    let trace = recorder.trace();
    assert!(trace.deadlines_fired().is_empty());
    let findings = judge(&trace, Party::Server, &|_| revision);
    let findings = findings.iter().map(|finding| {
        let requirements = finding.requirements.join(", ");
        format!("{revision}: {:?} ({requirements}) {finding}", finding.severity)
    });
    findings.collect::<Vec<_>>().join("\n")
}

#[test]
fn an_answer_to_what_was_cancelled_is_told() {
    let runtime = Runtime::new().expect("a runtime");
    let told = Revision::ALL.map(|revision| runtime.block_on(told(revision)));
    assert_eq!(Revision::ALL.last().map(|revision| revision.era()), Some(Era::Stateless));
    insta::assert_snapshot!(told.join("\n"), @"
    2024-11-05: Should (cancellation.no-response) a request was answered that had been cancelled before
      expected no response to a request after its cancellation was read
      got a response with id 2, after one to a later request
    2025-03-26: Should (cancellation.no-response) a request was answered that had been cancelled before
      expected no response to a request after its cancellation was read
      got a response with id 2, after one to a later request
    2025-06-18: Should (cancellation.no-response) a request was answered that had been cancelled before
      expected no response to a request after its cancellation was read
      got a response with id 2, after one to a later request
    2025-11-25: Should (cancellation.no-response) a request was answered that had been cancelled before
      expected no response to a request after its cancellation was read
      got a response with id 2, after one to a later request
    2026-07-28: Must (transport.stdio.cancel-no-further-messages) a request was answered that had been cancelled before
      expected no response to a request after its cancellation was read
      got a response with id 1, after one to a later request
    ");
}
