//! `client-subscriptions`.

use std::sync::{Mutex, PoisonError};

use mcp_test_core::client::{Client, SubscriptionFilter};
use mcp_test_core::spec::LISTEN;
use mcp_test_core::transport::ClientEnd;
use serde_json::Value as Json;
use tokio::sync::watch;

use crate::scenarios::exchange::answered_requests;
use crate::scenarios::listing_client::never_listed;
use crate::scenarios::listing_server::{one_tool, server};
use crate::scenarios::prelude::*;

scenario! {
    /// A client that listens for changes gets what the server is free to do with a subscription.
    ///
    /// Over HTTP the first subscription is acknowledged without what the client asked for, and its stream is cut when the client next
    /// lists the tools. Over lines an event of the first subscription comes before the acknowledgement of the second one, and at the
    /// next list the server closes its output, once. A client that does not listen is not judged, and one that ends with its server is
    /// not judged further.
    Client "client-subscriptions": "The client copes with what becomes of its subscriptions",
    revisions: Revisions::from(Revision::V2026_07_28),
    tolerates_failed_exit: true,
    checks: [
        check!(EMPTY, "The client goes on when a subscription is acknowledged without what it asked for",
            [SUBSCRIPTIONS_CLIENT_CHECKS_ACK]).over_http(),
        check!(CUT, "The client goes on when the stream of a subscription ends without a response",
            [SUBSCRIPTIONS_UNCLEAN_CLOSE_TOLERATED]).over_http(),
        check!(INTERLEAVED,
            "The client goes on when an event of one subscription comes before the acknowledgement of another",
            [SUBSCRIPTIONS_INTERLEAVING_TOLERATED]).conditional(),
        check!(AGAIN, "A client that starts its server again sends `subscriptions/listen` again",
            [SUBSCRIPTIONS_RESUBSCRIBE]).conditional(),
    ],
}

const EMPTY: &str = "client-copes-with-empty-subscription";
const CUT: &str = "client-copes-with-cut-subscription";
const INTERLEAVED: &str = "client-copes-with-interleaved-events";
const AGAIN: &str = "client-subscribes-again";

const CHANGED: &str = "notifications/tools/list_changed";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// What the server has done so far.
#[derive(Debug, Default)]
struct Progress {
    /// The ids of the subscriptions.
    subscriptions: Vec<Json>,
    has_exited: bool,
}

fn serve(test: &ClientTest) -> Server {
    let progress: Arc<Mutex<Progress>> = Arc::default();
    let is_cut = Arc::new(watch::Sender::new(false));
    let is_http = test.transport.is_http();
    let lists = {
        let (progress, is_cut) = (Arc::clone(&progress), Arc::clone(&is_cut));
        move |call: Call| {
            let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            let is_subscribed = !progress.subscriptions.is_empty();
            // Once, so that a client which starts the server again can go on.
            let exits = is_subscribed && !is_http && !progress.has_exited;
            progress.has_exited |= exits;
            is_cut.send_replace(is_subscribed);
            async move { if exits { Answer::close() } else { one_tool(call).await } }
        }
    };
    let listens = move |call: Call| {
        let id = call.id().map(|id| id.to_value().to_serde()).unwrap_or_default();
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.subscriptions.push(id.clone());
        let (first, count) = (progress.subscriptions[0].clone(), progress.subscriptions.len());
        let mut cut = is_cut.subscribe();
        async move {
            if is_http && count == 1 {
                acknowledge(&call, &id, &json!({})).await;
                // The sender lives as long as the server.
                cut.wait_for(|is_cut| *is_cut).await.ok();
                return Answer::end_stream();
            }
            if !is_http && count == 2 {
                let params = json!({ "_meta": { meta::SUBSCRIPTION_ID: first } });
                // A client that is gone needs no event.
                call.notify(CHANGED, params).await.ok();
            }
            let wants =
                call.params().at("/notifications/toolsListChanged").is_some_and(|it| *it == true);
            let filter = if wants { json!({ "toolsListChanged": true }) } else { json!({}) };
            acknowledge(&call, &id, &filter).await;
            Answer::never()
        }
    };
    server(test)
        .capabilities(json!({ "tools": { "listChanged": true } }))
        .on("tools/list", lists)
        .on(LISTEN, listens)
}

async fn acknowledge(call: &Call, id: &Json, filter: &Json) {
    let params = json!({ "notifications": filter, "_meta": { meta::SUBSCRIPTION_ID: id } });
    // A client that is gone needs no acknowledgement.
    call.notify(ACKNOWLEDGED, params).await.ok();
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    if judging.transport().is_http() {
        empty(judging);
        cut(judging);
    } else {
        // Over HTTP each subscription has a stream of its own, and the server is not started by its client.
        interleaved(judging);
        again(judging);
    }
    Ok(())
}

/// The first notification of this method.
fn notified(judging: &Judging, method: &str) -> Option<Seq> {
    let trace = judging.trace();
    let mut notifications = trace.messages().filter(|(event, message)| {
        event.party == Party::Server
            && matches!(message, Message::Notification(it) if it.method == method)
    });
    notifications.next().map(|(event, _)| event.seq)
}

/// Whether the client went on after an event: it sent something, or exited without an error.
fn went_on(judging: &Judging, after: Seq, what: &str) -> Result<(), Finding> {
    let has_sent = judging.messages().iter().any(|message| message.seq > after);
    let end = judging.client_end().0;
    let got = match end {
        ClientEnd::Failed(_) => "a client that failed",
        ClientEnd::TimedOut => "a client that still ran when its time was up",
        _ => return Ok(()),
    };
    ensure(has_sent, || {
        Finding::peer(format!("the client did not go on after {what}"))
            .expected("another message, or an exit without an error")
            .got(format!("{got}, and no message"))
            .evidence(after)
    })
}

fn empty(judging: &mut Judging) {
    let Some(acknowledged) = notified(judging, ACKNOWLEDGED) else {
        judging.check(EMPTY).skip(NOT_LISTENING);
        return;
    };
    let what = "a subscription was acknowledged without what it asked for";
    let went_on = went_on(judging, acknowledged, what).map_err(Finding::should);
    judging.check(EMPTY).judge(went_on);
}

const NOT_LISTENING: &str = "the client did not listen";

fn cut(judging: &mut Judging) {
    let subscribed = notified(judging, ACKNOWLEDGED);
    let requests = answered_requests(judging);
    let list = requests.iter().find(|it| {
        it.request.method() == "tools/list" && subscribed.is_some_and(|at| it.request.seq > at)
    });
    let Some((cut, _)) = list.and_then(|list| list.reply.as_ref()) else {
        judging.check(CUT).skip("the client listed no tools while it listened");
        return;
    };
    let went_on = went_on(judging, *cut, "the stream of a subscription was cut");
    judging.check(CUT).judge(went_on);
}

fn interleaved(judging: &mut Judging) {
    let Some(event) = notified(judging, CHANGED) else {
        judging.check(INTERLEAVED).skip("the client did not listen twice");
        return;
    };
    let what = "an event of another subscription came before an acknowledgement";
    let went_on = went_on(judging, event, what);
    judging.check(INTERLEAVED).judge(went_on);
}

fn again(judging: &mut Judging) {
    let messages = judging.messages();
    let listen = messages.iter().find(|message| message.method() == LISTEN);
    let Some(listen) = listen.filter(|_| notified(judging, ACKNOWLEDGED).is_some()) else {
        judging.check(AGAIN).skip(NOT_LISTENING);
        return;
    };
    let later = answered_requests(judging);
    let later = later
        .iter()
        .filter(|it| it.request.seq > listen.seq && it.request.exchange.0 != listen.exchange.0);
    let later: Vec<_> = later.collect();
    let is_usual = |method: &str| !matches!(method, "server/discover" | LISTEN);
    let used = later.iter().find(|it| is_usual(it.request.method()) && it.reply.is_some());
    let has_listened = later.iter().any(|it| it.request.method() == LISTEN);
    let check = judging.check(AGAIN);
    match used {
        _ if has_listened => check.pass(),
        None => check.skip("the client did not use the server after its exit"),
        Some(used) => check.fail(
            Finding::peer("the client started its server again and did not subscribe again")
                .expected(format!("`{LISTEN}`, as before the exit"))
                .got(format!("`{}`, and no `{LISTEN}`", used.request.method()))
                .evidence_all([listen.seq, used.request.seq]),
        ),
    };
}

/// Lists the tools, and does something else.
fn listing<F>(then: fn(ClientTask, Client) -> F) -> ScriptedClient
where
    F: Future<Output = mcp_test_core::Result> + 'static,
{
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        client.request("tools/list", json!({})).await?.result()?;
        then(task, client).await
    })
}

fn filter() -> SubscriptionFilter {
    SubscriptionFilter::new().tools_list_changed()
}

fn fails_at_an_empty_subscription() -> ScriptedClient {
    listing(|_, mut client| async move {
        let subscription = client.subscribe(filter()).await?;
        match subscription.acknowledged().get("toolsListChanged") {
            Some(_) => Ok(()),
            None => Err("the server does not announce changes".into()),
        }
    })
}

fn fails_at_a_cut_subscription() -> ScriptedClient {
    listing(|_, mut client| async move {
        let subscription = client.subscribe(filter()).await?;
        client.request("tools/list", json!({})).await?.result()?;
        client.wait_for_subscription_end(&subscription).await?;
        Err("the subscription was lost".into())
    })
}

fn fails_at_an_event_before_the_acknowledgement() -> ScriptedClient {
    listing(|_, mut client| async move {
        let _first = client.subscribe(filter()).await?;
        let params = json!({ "notifications": { "toolsListChanged": true } });
        let _second = client.start(LISTEN, params).await;
        client.wait_for_notification(CHANGED).await?;
        Err("the subscription was not acknowledged first".into())
    })
}

fn forgets_its_subscription() -> ScriptedClient {
    listing(|task, mut client| async move {
        for _ in 0..2 {
            let _subscription = client.subscribe(filter()).await?;
        }
        // The server exits instead of answering.
        let lost = client.request("tools/list", json!({})).await;
        drop(lost);
        let mut client = task.connect(task.options()).await?;
        client.request("tools/list", json!({})).await?.result()?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    warns "client-copes-with-empty-subscription" on fails_at_an_empty_subscription();
    catches "client-copes-with-cut-subscription" on fails_at_a_cut_subscription();
    catches "client-copes-with-interleaved-events" on fails_at_an_event_before_the_acknowledgement(), over Duplex;
    catches "client-subscribes-again" on forgets_its_subscription(), over Duplex;
}
