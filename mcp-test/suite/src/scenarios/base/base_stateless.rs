//! `base-stateless`.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use mcp_test_core::client::RequestOptions;
use mcp_test_core::server::{ClientMessage, meta as of_meta};

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::is_error;

scenario! {
    /// Each request stands for itself: nothing that came before on its connection changes its answer.
    ///
    /// A client may send each request over another connection, or to another process behind a load balancer. So the lists are
    /// the same on a connection where nothing else was sent, not even `server/discover`, and for a client with another name.
    /// A request without `_meta` does not get that of the request before it.
    Server "base-stateless": "Requests do not depend on those before them",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: Revisions::all(),
    checks: [
        check!("first-request-served", "A list can be the first request of a connection",
            [DISCOVER_NOT_PREREQUISITE, BASE_STATELESS_NO_CONNECTION_AFFINITY]).conditional()
            .always_fails("a refused first request breaks both requirements"),
        check!("lists-on-each-connection", "A list is the same on another connection",
            [BASE_STATELESS_LISTS_UNIFORM]).conditional(),
        check!("lists-for-each-client", "A list is the same for a client with another name and version",
            [BASE_PEER_INFO_NO_BEHAVIOUR_CHANGE]).conditional(),
        check!("server-info-in-lists", "The server names itself in the `_meta` of each list",
            [BASE_META_SERVER_INFO]).conditional(),
        check!("meta-not-remembered",
            "A request without `_meta` is refused, although one before it on the connection had it",
            [BASE_STATELESS_NO_PRIOR_CONTEXT]),
    ],
}

const CHANGES: &str = "a list changes while it is compared";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    // Nothing is sent to connect, so that a list is the first request there.
    let mut other = ctx.connect(ctx.options()).await?;
    for kind in ItemKind::ALL {
        if !ctx.declares(kind.capability()).await? {
            continue;
        }
        let method = kind.method();
        let here = ctx.request(method, json!({})).await?;
        let Some(keys) = keys(kind, &here) else { continue };
        let names_itself = here.outcome().is_ok_and(|result| {
            result.get("_meta").and_then(|meta| meta.get(meta::SERVER_INFO)).is_some()
        });
        ctx.check("server-info-in-lists").judge(ensure(names_itself, || {
            Finding::peer(format!("the result of `{method}` does not name the server"))
                .expected(format!("`{}` in `_meta`", meta::SERVER_INFO))
                .got("none")
                .evidence_all(here.evidence())
                .should()
        }));
        let reply = other.request(method, json!({})).await;
        match reply.and_then(|reply| reply.result().map(|_| reply.clone())) {
            Err(finding) => drop(ctx.check("first-request-served").fail(finding)),
            Ok(reply) => {
                ctx.check("first-request-served").pass();
                let same = is_same(kind, &keys, &reply, "on another connection");
                if same.is_ok() || is_stable(ctx, kind, &keys).await? {
                    ctx.check("lists-on-each-connection").judge(same);
                } else {
                    ctx.check("lists-on-each-connection").info(CHANGES);
                }
            }
        }
        let info = json!({"name": "another-client", "version": "77.0.0"});
        let request = ctx.request(method, json!({})).meta(meta::CLIENT_INFO, info);
        let same = is_same(kind, &keys, &request.await?, "for another client");
        if same.is_ok() || is_stable(ctx, kind, &keys).await? {
            ctx.check("lists-for-each-client").judge(same.map_err(Finding::should));
        } else {
            ctx.check("lists-for-each-client").info(CHANGES);
        }
    }
    drop(other);
    let options = RequestOptions::new().verbatim().deliberate().promptly();
    let client = ctx.client().await?;
    let reply = client.request_with("server/discover", json!({}), options).await?;
    // The same mistake as that of a server which needs no `_meta` at all.
    let cause = Cause::Requirement(Requirement::BASE_META_MISSING_FIELD_REJECTED);
    let refused = is_error(&reply).map_err(|finding| finding.caused_by(cause));
    ctx.check("meta-not-remembered").judge(refused);
    Ok(())
}

/// Whether a list that differs elsewhere is still the same here; one that changes with time says nothing.
async fn is_stable(ctx: &mut Ctx, kind: ItemKind, before: &[String]) -> Result<bool, Finding> {
    let reply = ctx.request(kind.method(), json!({})).await?;
    Ok(keys(kind, &reply).as_deref() == Some(before))
}

/// What identifies the items of a list, in order; `None` if it is not a list.
fn keys(kind: ItemKind, reply: &Reply) -> Option<Vec<String>> {
    let items = reply.outcome().ok()?.get(kind.member())?.as_array()?;
    let key = |item: &Value| Some(item.get(kind.key())?.as_str()?.to_owned());
    let mut keys: Vec<String> = items.iter().filter_map(key).collect();
    // The order is for other scenarios.
    keys.sort_unstable();
    Some(keys)
}

fn is_same(kind: ItemKind, here: &[String], there: &Reply, place: &str) -> Result<(), Finding> {
    let found = keys(kind, there).unwrap_or_default();
    ensure(found == here, || {
        let names = |all: &[String], others: &[String]| {
            let missing = all.iter().filter(|name| !others.contains(name));
            missing.take(5).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let (fewer, more) = (names(here, &found), names(&found, here));
        Finding::peer(format!("`{}` has other items {place}", there.method()))
            .expected(format!(
                "the same {}",
                mcp_test_core::expect::words::count(here.len(), "item")
            ))
            .got(format!("without [{fewer}], but with [{more}]"))
            .evidence_all(there.evidence())
    })
}

proofs! {
    passes on everything();
    // Lists tools only after `server/discover` on the same connection.
    catches "first-request-served"
        on elsewhere(Answer::error(error_code::INVALID_REQUEST, "call server/discover first"));
    // Loads its tools at the first request of a process.
    catches "lists-on-each-connection" on elsewhere(json!({"tools": []}).into());
    warns "lists-for-each-client" on listing_by_client();
    warns "server-info-in-lists" by remove("tools/list", "/_meta");
    catches "meta-not-remembered" by misbehavior(Misbehavior::SkipsMeta);
}

/// Answers a list with this on the other connection, where nothing else was sent before.
fn elsewhere(answer: Answer) -> Server {
    let discovering: Mutex<BTreeSet<u64>> = Mutex::default();
    let is_elsewhere = move |message: &ClientMessage| {
        let mut discovering = discovering.lock().unwrap_or_else(PoisonError::into_inner);
        if message.method() == Some("server/discover") {
            discovering.insert(message.client);
        }
        message.method() == Some("tools/list") && !discovering.contains(&message.client)
    };
    reference_server_with([given(is_elsewhere).respond_with(answer)])
}

/// Lists no tools to a client with another name.
fn listing_by_client() -> Server {
    let other = of_meta(meta::CLIENT_INFO, object().member("name", equals("another-client")));
    reference_server_with([given(method("tools/list"))
        .and(other)
        .respond_with(json!({"tools": []}))])
}
