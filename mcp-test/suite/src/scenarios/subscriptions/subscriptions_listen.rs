//! `subscriptions-listen`.

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::check::Fate;
use mcp_test_core::client::{Pending, SubscriptionFilter};
use mcp_test_core::expect::non_empty_array;
use mcp_test_core::spec::LISTEN;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{finding, post, request};

scenario! {
    /// The server acknowledges subscriptions under the ids of their requests, with what it supports of the requested filter.
    ///
    /// A client tells its subscriptions apart by the request id that each notification repeats, and sees in the
    /// acknowledgement what it will not be told. A server that acknowledges everything leaves it waiting. This scenario
    /// causes no changes; it opens several subscriptions at the same time and cancels them.
    Server "subscriptions-listen": "Subscriptions are acknowledged",
    revisions: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!("listen-stream", "Over HTTP, `subscriptions/listen` is answered with an event stream",
            [SUBSCRIPTIONS_HTTP_SSE]).conditional(),
        check!("listen-acknowledged",
            "Several subscriptions at once are each acknowledged under the id of their request, text or number",
            [SUBSCRIPTIONS_ID_VALUE, SUBSCRIPTIONS_ACK_SENT, SUBSCRIPTIONS_CONCURRENT_SUPPORTED])
            .fails_or_warns("a resource that is refused may be one that does not change"),
        check!("listen-filter",
            "The acknowledged filter has only what was requested, and nothing for which the server declares no capability",
            [SUBSCRIPTIONS_ACK_FILTER_SUBSET]),
        check!("listen-declared",
            "The acknowledged filter has every requested change of a list that the server declares, and no other one",
            [DISCOVER_CAPABILITIES_TRUTHFUL]).conditional()
            .only_warns("what the server notifies of may depend on more than its capabilities"),
        check!("listen-without-changes", "A server that declares no changes acknowledges a subscription to nothing",
            [BASE_SUPPORT_CORE_PATTERNS]).conditional().only_warns("the server has nothing to notify of"),
        check!("listen-cancelled", "The server goes on after its subscriptions are cancelled",
            [CANCELLATION_RACE_GRACEFUL]),
    ],
}

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// What may be subscribed to, the capability without which there is nothing to subscribe to, and that of its changes.
const KINDS: [(&str, Capability, Capability); 3] = [
    ("toolsListChanged", Capability::Tools, Capability::ToolsListChanged),
    ("promptsListChanged", Capability::Prompts, Capability::PromptsListChanged),
    ("resourcesListChanged", Capability::Resources, Capability::ResourcesListChanged),
];

/// The member of a filter that names resources.
const RESOURCES: &str = "resourceSubscriptions";

/// How many resources are subscribed to.
const URIS: usize = 3;

/// Without any of these a server has nothing to notify of.
const CHANGES: [Capability; 4] = [
    Capability::ToolsListChanged,
    Capability::PromptsListChanged,
    Capability::ResourcesListChanged,
    Capability::ResourcesSubscribe,
];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut has_changes = false;
    for capability in CHANGES {
        has_changes |= ctx.declares(capability).await?;
    }
    if !has_changes {
        to_nothing(ctx).await?;
        ctx.skip_the_rest("the server declares nothing that could be subscribed to");
        return Ok(());
    }
    if ctx.transport().is_http() && !is_stream(ctx).await? {
        ctx.skip_the_rest("`subscriptions/listen` is not answered with an event stream");
        return Ok(());
    }
    let all = SubscriptionFilter::new()
        .tools_list_changed()
        .prompts_list_changed()
        .resources_list_changed();
    let uris = match ctx.declares(Capability::ResourcesSubscribe).await? {
        true => listed_uris(ctx).await?,
        false => Vec::new(),
    };
    let with_uris = uris.iter().fold(all.clone(), SubscriptionFilter::resource);
    let mut subscribed = ctx.subscribe(with_uris).await;
    if let Some(refused) = subscribed.as_ref().err().filter(|it| is_refused(it) && !uris.is_empty())
    {
        // A resource may be one that does not change.
        let refused = refused.clone().should();
        subscribed = ctx.subscribe(all).await;
        if subscribed.is_ok() {
            ctx.check("listen-acknowledged").fail(refused);
        }
    }
    let subscription = match subscribed {
        Ok(subscription) => subscription,
        Err(finding) => {
            ctx.check("listen-acknowledged").fail(finding);
            ctx.skip_the_rest("the first subscription is not acknowledged");
            return Ok(());
        }
    };
    filter(ctx, subscription.acknowledged(), &uris).await?;
    declared(ctx, subscription.acknowledged()).await?;
    let others = acknowledged(ctx).await?;
    let client = ctx.client().await?;
    client.unsubscribe(subscription).await?;
    for pending in others {
        client.cancel(pending, None).await;
    }
    let next = ctx.request("server/discover", json!({})).await;
    let next = next.and_then(|reply| reply.result().map(|_| ()));
    ctx.check("listen-cancelled").judge(next);
    Ok(())
}

/// The URIs of some listed resources.
async fn listed_uris(ctx: &mut Ctx) -> Result<Vec<String>, Finding> {
    let resources = ctx.offered(ItemKind::Resource).await?;
    Ok(resources.keys(ItemKind::Resource).take(URIS).map(str::to_owned).collect())
}

/// Whether a finding is that the request was answered with an error.
fn is_refused(finding: &Finding) -> bool {
    matches!(finding.cause.as_deref(), Some(Cause::Request { fate: Fate::Refused, .. }))
}

/// Subscribes to nothing: all servers support the pattern, also those that have nothing to notify of.
async fn to_nothing(ctx: &mut Ctx) -> Result<(), Finding> {
    match ctx.subscribe(SubscriptionFilter::new()).await {
        Ok(subscription) => {
            ctx.check("listen-without-changes").pass();
            ctx.client().await?.unsubscribe(subscription).await
        }
        Err(finding) => {
            let requirements = match is_refused(&finding) {
                true => vec![Requirement::BASE_SUPPORT_CORE_PATTERNS],
                false => finding.requirements.clone(),
            };
            ctx.check("listen-without-changes").fail(finding.should().requiring(requirements));
            Ok(())
        }
    }
}

async fn is_stream(ctx: &mut Ctx) -> Result<bool, Finding> {
    let params = json!({ "notifications": { KINDS[0].0: true } });
    let message = request(ctx.revision(), 1, LISTEN, params);
    let answer = ctx.open_http(post(ctx.revision(), &message)).await?.close();
    let is_stream = answer.status == 200 && answer.is_stream();
    ctx.check("listen-stream").judge(ensure(is_stream, || {
        finding("`subscriptions/listen` is not answered with an event stream", &answer)
            .expected("HTTP 200 with `text/event-stream`")
    }));
    Ok(is_stream)
}

/// Judges the filter that is acknowledged where all changes of lists were requested.
async fn filter(ctx: &mut Ctx, acknowledged: &Value, uris: &[String]) -> Result<(), Finding> {
    let mut outcomes = Vec::new();
    for (name, honored) in acknowledged.as_object().into_iter().flat_map(Object::iter) {
        // `false` and an empty list promise nothing.
        if honored.as_bool() == Some(false) || honored.as_array().is_some_and(<[Value]>::is_empty) {
            continue;
        }
        if name == RESOURCES {
            let honored = honored.as_array().unwrap_or_default().iter().filter_map(Value::as_str);
            let mut unasked = honored.filter(|honored| !uris.iter().any(|uri| uri == honored));
            outcomes.extend(
                unasked.next().map(|uri| too_large(format!("`{uri}`, which was not requested"))),
            );
            continue;
        }
        let why = match KINDS.iter().find(|(kind, ..)| *kind == name) {
            None => "which was not requested".to_owned(),
            Some((_, capability, _)) if !ctx.declares(*capability).await? => {
                format!("but the server does not declare `{capability}`")
            }
            Some(_) => continue,
        };
        outcomes.push(too_large(format!("`{name}`, {why}")));
    }
    let check = ctx.check("listen-filter").pass();
    outcomes.into_iter().fold(check, CheckBuilder::fail);
    Ok(())
}

fn too_large(got: String) -> Finding {
    Finding::peer("a subscription is acknowledged with too large a filter")
        .expected("the part of the requested filter that the server supports")
        .got(got)
}

/// Judges whether what is acknowledged agrees with what the server declares, for the lists that it has.
async fn declared(ctx: &mut Ctx, acknowledged: &Value) -> Result<(), Finding> {
    let mut outcomes = Vec::new();
    for (name, kind, changes) in KINDS {
        if !ctx.declares(kind).await? {
            continue;
        }
        let declares = ctx.declares(changes).await?;
        let honors = acknowledged.get(name).and_then(Value::as_bool) == Some(true);
        outcomes.push(ensure(declares == honors, || {
            let (declared, honored) = match declares {
                true => ("declares", "does not acknowledge"),
                false => ("does not declare", "acknowledges"),
            };
            Finding::peer("the acknowledged filter contradicts the capabilities")
                .expected(format!("`{name}` if `{changes}` is declared, and only then"))
                .got(format!("a server that {declared} `{changes}`, and {honored} `{name}`"))
                .should()
        }));
    }
    if !outcomes.is_empty() {
        outcomes.into_iter().fold(ctx.check("listen-declared"), CheckBuilder::judge);
    }
    Ok(())
}

/// Opens more subscriptions, with ids of each kind, and judges their acknowledgements.
async fn acknowledged(ctx: &mut Ctx) -> Result<Vec<Pending>, Finding> {
    // Clients may count from 0, and an id that looks like a number is a text nevertheless.
    let ids = [Id::from("7001"), Id::from(7002), Id::from(0), Id::from("x".repeat(100))];
    let params = json!({ "notifications": { KINDS[0].0: true } });
    let mut open = Vec::new();
    let mut outcomes = Vec::new();
    for id in ids {
        let pending = ctx.request(LISTEN, params.clone()).id(id.clone()).start().await?;
        let client = ctx.client().await?;
        client.keep_open(&pending);
        let sent = pending.sent().seq;
        open.push(pending);
        match client.wait_for_notification_where(ACKNOWLEDGED, |_| true).await {
            Ok(received) => {
                outcomes.push(ensure(received.subscription() == Some(id.clone()), || {
                    let got =
                        received.param("_meta").and_then(|all| all.get(meta::SUBSCRIPTION_ID));
                    Finding::peer("the id of a subscription is not that of its request")
                        .expected(id.to_string())
                        .got(got.map_or("no id".to_owned(), |id| id.short(120)))
                        .requires(Requirement::SUBSCRIPTIONS_ID_VALUE)
                        .evidence_all([sent, received.seq])
                }));
            }
            // Of a silent server one wait is enough.
            Err(finding) => {
                outcomes
                    .push(Err(finding.requires(Requirement::SUBSCRIPTIONS_CONCURRENT_SUPPORTED)));
                break;
            }
        }
    }
    let check = ctx.check("listen-acknowledged");
    outcomes.into_iter().fold(check, CheckBuilder::judge);
    Ok(open)
}

proofs! {
    passes on everything();
    catches "listen-stream" on refusing_subscriptions(), over Router;
    catches "listen-acknowledged" by retype(ACKNOWLEDGED, SUBSCRIPTION_ID);
    catches "listen-acknowledged" on refusing_subscriptions();
    warns "listen-acknowledged" on refusing_resources();
    catches "listen-filter" by set(ACKNOWLEDGED, "/notifications/rootsListChanged", true);
    catches "listen-filter" on promising_prompts();
    catches "listen-filter" by set(ACKNOWLEDGED, "/notifications/resourceSubscriptions", json!(["mcp-test:other"]));
    warns "listen-declared" by remove(ACKNOWLEDGED, "/notifications/toolsListChanged");
    // Has no subscriptions, and nothing to subscribe to.
    warns "listen-without-changes" on refusing_subscriptions().capabilities(json!({"tools": {}}));
    catches "listen-cancelled" on broken_by_cancellation();
}

/// The place of the subscription id, as a JSON Pointer.
const SUBSCRIPTION_ID: &str = "/_meta/io.modelcontextprotocol~1subscriptionId";

/// Acknowledges changes of prompts, which it does not have.
fn promising_prompts() -> Server {
    let server = everything().capabilities(json!({"tools": {"listChanged": true}}));
    server.faults([Fault::set(ACKNOWLEDGED, "/notifications/promptsListChanged", true)])
}

/// Answers nothing any more once a subscription is cancelled.
fn broken_by_cancellation() -> Server {
    let is_broken = Arc::new(AtomicBool::new(false));
    let breaks = is_broken.clone();
    let server = everything().on("notifications/cancelled", move |_| {
        breaks.store(true, Ordering::Relaxed);
        async { json!({}) }
    });
    server.on("server/discover", move |_| {
        let is_broken = is_broken.clone();
        async move {
            match is_broken.load(Ordering::Relaxed) {
                true => Answer::close(),
                false => json!({
                    "supportedVersions": [Revision::V2026_07_28.as_str()],
                    "capabilities": {"tools": {"listChanged": true}, "prompts": {"listChanged": true}},
                })
                .into(),
            }
        }
    })
}

/// Has no subscriptions, although it declares changes.
fn refusing_subscriptions() -> Server {
    let error = Answer::error(error_code::INTERNAL_ERROR, "no subscriptions");
    reference_server_with([given(method(LISTEN)).respond_with(error)])
}

/// Has no subscriptions to resources, although it declares them.
fn refusing_resources() -> Server {
    let error = Answer::error(error_code::INVALID_PARAMS, "this resource does not change");
    let subscribes = param(format!("/notifications/{RESOURCES}"), non_empty_array());
    reference_server_with([given(method(LISTEN)).and(subscribes).respond_with(error)])
}
