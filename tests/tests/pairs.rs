//! The scriptable client and the scriptable server together: what needs both, and is known to neither.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_test::client::{Client, Options};
use mcp_test::server::reference::everything;
use mcp_test::spec::{Revision, Revisions};
use mcp_test::trace::{Party, Recorder};
use mcp_test::transport::{CarrierKind, Limits, Target};
use serde_json::json;

fn options(revision: Revision) -> Options {
    let mut options = Options::speaking(revision).timeout(Duration::from_secs(20));
    options.probe_timeout = Duration::from_secs(20);
    options
}

/// The revision that is settled on, and the client's methods until then.
async fn settle(target: &Target) -> (Revision, Vec<String>) {
    let recorder = Recorder::new();
    let options = options(Revision::NEWEST);
    let client = Client::negotiate(target, CarrierKind::Duplex, &recorder, options).await.unwrap();
    let trace = recorder.trace();
    let said = trace.messages().filter(|(event, _)| event.party == Party::Client);
    let methods = said.filter_map(|(_, message)| message.method().map(str::to_owned)).collect();
    (client.revision(), methods)
}

#[tokio::test]
async fn a_modern_server_is_told_by_its_answer_and_one_of_both_eras_stays_modern() {
    let modern = everything().revisions(Revisions::only(Revision::V2026_07_28));
    for server in [modern, everything()] {
        let (revision, methods) = settle(&server.target()).await;
        assert_eq!(
            (revision, methods),
            (Revision::V2026_07_28, vec!["server/discover".to_owned()])
        );
    }
}

#[tokio::test]
async fn a_server_that_leaves_because_of_the_question_is_started_again() {
    let visits = Arc::new(AtomicUsize::new(0));
    let counted = visits.clone();
    let target = Target::duplex(move |io| {
        let visit = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if visit == 0 {
                let mut line = String::new();
                tokio::io::AsyncBufReadExt::read_line(
                    &mut tokio::io::BufReader::new(io),
                    &mut line,
                )
                .await?;
                return Err("what is server/discover?".into());
            }
            let old = everything().revisions(Revisions::until(Revision::V2025_06_18));
            Ok(old.serve(io).await?)
        }
    });
    let (revision, methods) = settle(&target).await;
    assert_eq!((revision, visits.load(Ordering::SeqCst)), (Revision::V2025_06_18, 2));
    assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized"]);
}

#[tokio::test]
async fn each_request_of_a_batch_gets_its_reply() {
    let target = everything().target();
    for carrier in target.carriers() {
        let link = target.open(carrier, &Recorder::new(), Limits::default()).await.unwrap();
        let options = options(Revision::V2025_03_26);
        let mut client = Client::connect(link, options).await.unwrap();
        let asked = [("ping", json!({})), ("tools/list", json!({})), ("no/such", json!({}))];
        let mut told = Vec::new();
        for pending in client.batch(asked).await {
            let reply = client.wait(pending).await.unwrap();
            told.push(reply.error().map(|error| error.code));
        }
        assert!(told[0].is_none() && told[1].is_none() && told[2].is_some(), "{told:?}");
    }
}
