//! A server that answers a cancelled request after a later one, which proves that it had read the cancellation.

use mcp_test::check::judge_envelopes;
use mcp_test::client::{Client, Options};
use mcp_test::spec::{Era, Revision};
use mcp_test::trace::{Party, Recorder};
use mcp_test::transport::{Limits, TransportKind};
use mcp_test_core::expect::words::joined;
use mcp_test_tests::hostile::Behavior;
use tokio::runtime::Runtime;

use crate::lines::in_process;
use crate::scenario_run::{METHOD, NO_TIMEOUT};

/// The findings about the server.
async fn findings(revision: Revision) -> String {
    let recorder = Recorder::new();
    let target = in_process(Behavior::AnswerAfterCancel);
    let connection = target.open(TransportKind::Duplex, &recorder, Limits::default()).await;
    let options = Options::speaking(revision).timeout(NO_TIMEOUT);
    let mut client =
        Client::connect(connection.expect("a connection"), options).await.expect("a client");
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
    let findings = judge_envelopes(&trace, Party::Server, &|_| revision);
    let findings = findings.iter().map(|finding| {
        let requirements = joined(&finding.requirements, ", ");
        format!("{revision}: {:?} ({requirements}) {finding}", finding.severity)
    });
    findings.collect::<Vec<_>>().join("\n")
}

#[test]
fn an_answer_to_a_cancelled_request_is_reported() {
    let runtime = Runtime::new().expect("a runtime");
    let reports = Revision::ALL.map(|revision| runtime.block_on(findings(revision)));
    assert_eq!(Revision::ALL.last().map(|revision| revision.era()), Some(Era::Stateless));
    insta::assert_snapshot!(reports.join("\n"), @"
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
