//! `resources-subscriptions`.

use mcp_test_core::check::Fate;

use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;

scenario! {
    /// Listed resources can be subscribed to, and unsubscribing ends their updates.
    ///
    /// At most 3 resources are subscribed to. An unknown method is a FAILURE, since the server declares `resources.subscribe`; that it
    /// refuses a resource for another reason is a WARNING. Nothing makes a resource of a server change, so that it is only seen that
    /// no update comes after the reply to a request that follows `resources/unsubscribe`. A URI that does not exist may be
    /// accepted or refused, but is answered.
    Server "resources-subscriptions": "Resources can be subscribed to",
    revisions: Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
    needs: [Need::Capability(Capability::ResourcesSubscribe)],
    shares_connection: Revisions::all(),
    checks: [
        check!("subscribe-accepted", "`resources/subscribe` succeeds for a listed resource",
            [RESOURCES_SUBSCRIBE_ACCEPT]).conditional().fails_or_warns("a server may refuse a single resource"),
        check!("unsubscribe-accepted", "`resources/unsubscribe` succeeds for a resource that is subscribed to",
            [RESOURCES_UNSUBSCRIBE_STOPS_UPDATES]).conditional()
            .fails_or_warns("a server may refuse a single resource"),
        check!("unsubscribe-ends-updates",
            "No update of a resource arrives after it is unsubscribed, and another request is answered",
            [RESOURCES_UNSUBSCRIBE_STOPS_UPDATES]).conditional()
            .fails_or_warns("over HTTP the update may have been sent before"),
    ],
}

/// How many resources are subscribed to.
const MOST: usize = 3;
/// A URI that no server has by accident.
const UNKNOWN: &str = "mcp-test://no-such-resource";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(
        ctx,
        &SCENARIO,
        "the server lists no resource that it accepts subscriptions to",
    );
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let resources = ctx.offered(ItemKind::Resource).await?;
    let uris: Vec<&str> = resources.keys(ItemKind::Resource).take(MOST).collect();
    let (mut accepted, mut ended) = (Vec::new(), Vec::new());
    let mut subscribed = Vec::new();
    let mut listed_now = None;
    for uri in uris {
        let reply = ctx.request("resources/subscribe", json!({ "uri": uri })).deliberate().await?;
        let outcome = is_accepted(&reply, uri);
        if outcome.is_err() {
            unsubscribe(ctx, uri).await?;
            if listed_now.is_none() {
                listed_now = Some(ctx.listed_now(ItemKind::Resource).await?.unwrap_or_default());
            }
            let is_it = |it: &Value| it.get("uri").and_then(Value::as_str) == Some(uri);
            // What is not listed any more need not exist.
            if !listed_now.iter().flatten().any(is_it) {
                continue;
            }
        } else {
            subscribed.push(uri);
        }
        accepted.push(outcome);
    }
    for uri in &subscribed {
        let params = json!({ "uri": uri });
        let reply = ctx.request("resources/unsubscribe", params).deliberate().await?;
        ended.push(is_accepted(&reply, uri));
    }
    let unknown = json!({ "uri": UNKNOWN });
    let _ = ctx.request("resources/subscribe", unknown).deliberate().await?.error();
    unsubscribe(ctx, UNKNOWN).await?;
    let all_ended = !ended.is_empty() && ended.iter().all(Result::is_ok);
    for (id, outcomes) in [("subscribe-accepted", accepted), ("unsubscribe-accepted", ended)] {
        if !outcomes.is_empty() {
            let details = json!({ "resources": outcomes.len() });
            ctx.check(id).details(details).judge(outcomes.into_iter().collect());
        }
    }
    if all_ended {
        let outcome = no_updates(ctx, &subscribed).await?;
        ctx.check("unsubscribe-ends-updates").judge(outcome);
    }
    Ok(())
}

/// Ends a subscription that nothing is known of: a server may have begun it before it refused it, and the connection serves other
/// scenarios.
async fn unsubscribe(ctx: &mut Ctx, uri: &str) -> Result<(), Finding> {
    let reply = ctx.request("resources/unsubscribe", json!({ "uri": uri })).deliberate().await?;
    let _ = reply.error();
    Ok(())
}

/// Whether a request is accepted, for a method that the capability promises.
fn is_accepted(reply: &Reply, uri: &str) -> Result<(), Finding> {
    let Err(error) = reply.outcome() else { return Ok(()) };
    let finding = Finding::peer(format!("`{}` is refused for a listed resource", reply.method()))
        .expected(format!("an empty result for {uri:?}"))
        .got(error.to_string())
        .evidence_all(reply.evidence());
    Err(match error.code == error_code::METHOD_NOT_FOUND {
        true => finding
            .hint("the server declares `resources.subscribe`")
            .caused_by(Cause::request(reply.method(), Fate::Refused)),
        false => finding.should(),
    })
}

/// Whether no update arrives once the resources are unsubscribed, also when one is read again.
async fn no_updates(ctx: &mut Ctx, uris: &[&str]) -> Result<Result<(), Finding>, Finding> {
    let fence = ctx.ping().await?;
    let _ = fence.error();
    let since = fence.evidence().last().copied();
    for uri in uris {
        let _ = ctx.request("resources/read", json!({ "uri": uri })).deliberate().await?.error();
    }
    let _ = ctx.ping().await?.error();
    let is_http = ctx.transport().is_http();
    let received = ctx.client().await?.notifications().iter();
    let mut late = received.filter(|it| {
        let uri = it.param("uri").and_then(Value::as_str);
        it.method() == "notifications/resources/updated"
            && Some(it.seq) > since
            && uri.is_some_and(|uri| uris.contains(&uri))
    });
    let late = late.next();
    Ok(ensure(late.is_none(), || {
        let finding = Finding::peer("an update of a resource that is not subscribed to any more")
            .expected("no updates after `resources/unsubscribe`")
            .got("`notifications/resources/updated`")
            .evidence_all(late.map(|it| it.seq));
        // On another stream it may have been sent before.
        if is_http { finding.should() } else { finding }
    }))
}

proofs! {
    passes on everything();
    catches "subscribe-accepted" on without_the_method();
    warns "subscribe-accepted" by reply_error("resources/subscribe", -32603);
    catches "unsubscribe-accepted" by reply_error("resources/unsubscribe", -32601);
    warns "unsubscribe-accepted" by reply_error("resources/unsubscribe", -32603);
    catches "unsubscribe-ends-updates" on updating_without_end();
    warns "unsubscribe-ends-updates" on updating_without_end(), over Router;
}

/// Declares subscriptions, and has none.
fn without_the_method() -> Server {
    everything().on("resources/subscribe", |_: Call| async {
        Answer::error(error_code::METHOD_NOT_FOUND, "Method not found")
    })
}

/// Announces an update whenever a resource is read.
fn updating_without_end() -> Server {
    everything().on("resources/read", |call: Call| async move {
        let uri = call.param("uri").and_then(Value::as_str).map(str::to_owned);
        call.notify("notifications/resources/updated", json!({ "uri": uri })).await.ok();
        json!({ "contents": [{ "uri": uri, "text": "a" }] })
    })
}
