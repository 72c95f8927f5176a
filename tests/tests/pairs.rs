//! The scriptable client against the scriptable server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_test::client::{Client, Options};
use mcp_test::server::reference::everything;
use mcp_test::spec::{Revision, Revisions};
use mcp_test::trace::{Party, Recorder};
use mcp_test::transport::{Limits, Target, TransportKind};
use serde_json::json;

fn options(revision: Revision) -> Options {
    let mut options = Options::speaking(revision).timeout(Duration::from_secs(20));
    options.probe_timeout = Duration::from_secs(20);
    options
}

/// The negotiated revision, and the methods that the client sent for it.
async fn negotiate(target: &Target) -> (Revision, Vec<String>) {
    let recorder = Recorder::new();
    let options = options(Revision::NEWEST);
    let client =
        Client::negotiate(target, TransportKind::Duplex, &recorder, options).await.unwrap();
    let trace = recorder.trace();
    let sent = trace.messages().filter(|(event, _)| event.party == Party::Client);
    let methods = sent.filter_map(|(_, message)| message.method().map(str::to_owned)).collect();
    (client.revision(), methods)
}

#[tokio::test]
async fn the_stateless_era_is_preferred() {
    let modern = everything().revisions(Revisions::only(Revision::V2026_07_28));
    for server in [modern, everything()] {
        let (revision, methods) = negotiate(&server.target()).await;
        assert_eq!(
            (revision, methods),
            (Revision::V2026_07_28, vec!["server/discover".to_owned()])
        );
    }
}

#[tokio::test]
async fn a_server_that_exits_at_the_probe_is_started_again() {
    let starts = Arc::new(AtomicUsize::new(0));
    let counted = starts.clone();
    let target = Target::duplex(move |io| {
        let start = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if start == 0 {
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
    let (revision, methods) = negotiate(&target).await;
    assert_eq!((revision, starts.load(Ordering::SeqCst)), (Revision::V2025_06_18, 2));
    assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized"]);
}

#[tokio::test]
async fn each_request_of_a_batch_gets_its_reply() {
    let target = everything().target();
    for transport in target.transports() {
        let connection = target.open(transport, &Recorder::new(), Limits::default()).await.unwrap();
        let options = options(Revision::V2025_03_26);
        let mut client = Client::connect(connection, options).await.unwrap();
        let requests = [("ping", json!({})), ("tools/list", json!({})), ("no/such", json!({}))];
        let mut errors = Vec::new();
        for pending in client.batch(requests).await {
            let reply = client.wait(pending).await.unwrap();
            errors.push(reply.error().map(|error| error.code));
        }
        assert!(errors[0].is_none() && errors[1].is_none() && errors[2].is_some(), "{errors:?}");
    }
}
