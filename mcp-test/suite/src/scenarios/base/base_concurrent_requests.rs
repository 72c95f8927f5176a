//! `base-concurrent-requests`.

use mcp_test_core::client::Pending;
use mcp_test_core::server::meta as of_meta;

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::is_rate_limited;

scenario! {
    /// Requests in flight at the same time are all answered, each with its own result.
    ///
    /// Clients do not wait for one reply before they send the next request. A server that keeps the request in a variable of
    /// the whole process answers one request with the result of another, which only shows when several are in flight. From
    /// 2026-07-28 on each request may come from another client, so each names another one. A server may limit the rate of
    /// requests (HTTP 429), which is reported and not judged.
    Server "base-concurrent-requests": "Requests at the same time get their own results",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("requests-in-flight-answered", "Each of many requests in flight is answered",
            [JSONRPC_REQUEST_ANSWERED]),
        check!("requests-in-flight-results",
            "Each list requested at the same time as others is answered with that list",
            [JSONRPC_RESULT_ID_ECHO]).conditional(),
        check!("requests-of-several-clients",
            "Requests of different clients at the same time are served like one of a single client",
            [BASE_STATELESS_INTERLEAVED_CONTEXTS]).conditional(),
    ],
}

/// How often each method is requested at the same time.
const TIMES: usize = 5;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut methods = vec![(always_answered(ctx.revision()), None)];
    for kind in ItemKind::ALL {
        // A list that is refused on its own says nothing about requests at the same time.
        if ctx.declares(kind.capability()).await?
            && ctx.request(kind.method(), json!({})).await?.error().is_none()
        {
            methods.push((kind.method(), Some(kind)));
        }
    }
    let mut pending: Vec<(Option<ItemKind>, Pending)> = Vec::new();
    for client in 0..TIMES {
        for (method, kind) in &methods {
            let names_client = ctx.revision().era() == Era::Stateless;
            let mut request = ctx.request(method, json!({}));
            if names_client {
                let info = json!({"name": format!("mcp-test-{client}"), "version": "1.0.0"});
                request = request.meta(meta::CLIENT_INFO, info);
            }
            pending.push((*kind, request.start().await?));
        }
    }
    let (all, mut limited) = (pending.len(), 0_usize);
    for (kind, pending) in pending {
        let outcome = ctx.wait(pending).await;
        if is_rate_limited(&ctx.trace(), &outcome) {
            limited += 1;
            continue;
        }
        let reply = match outcome {
            Ok(reply) => reply,
            Err(finding) => {
                ctx.check("requests-in-flight-answered").fail(finding);
                continue;
            }
        };
        ctx.check("requests-in-flight-answered").pass();
        judge_result(ctx, kind, &reply);
    }
    if limited > 0 {
        ctx.check("requests-in-flight-answered").info(format!(
            "the server limits the rate of requests: it refused {limited} of {all} with HTTP 429"
        ));
    }
    Ok(())
}

/// Judges the reply to one of several requests; alone, the list was answered.
fn judge_result(ctx: &mut Ctx, kind: Option<ItemKind>, reply: &Reply) {
    if ctx.revision().era() == Era::Stateless {
        let served = reply.result().map(drop).map_err(Finding::should);
        ctx.check("requests-of-several-clients").judge(served);
    }
    if let (Some(kind), Ok(result)) = (kind, reply.outcome()) {
        let is_own = result.get(kind.member()).is_some();
        let outcome = ensure(is_own, || {
            Finding::peer(format!("`{}` got the result of another request", reply.method()))
                .expected(format!("a result with the member `{}`", kind.member()))
                .got(result.short(120))
                .evidence_all(reply.evidence())
        });
        ctx.check("requests-in-flight-results").judge(outcome);
    }
}

proofs! {
    passes on everything();
    catches "requests-in-flight-answered" by wrong_id("ping"), at V2025_11_25, timeout 3;
    catches "requests-in-flight-results" on with_the_last_result();
    warns "requests-of-several-clients" on for_one_client();
}

/// Answers one list with another, from the second request on.
fn with_the_last_result() -> Server {
    let alone = given(method("prompts/list")).respond_with(json!({"prompts": []}));
    let together = given(method("prompts/list")).respond_with(json!({"tools": []}));
    reference_server_with([together, alone.up_to_n_times(1)])
}

/// Refuses requests of any client but the first.
fn for_one_client() -> Server {
    let other = of_meta(meta::CLIENT_INFO, object().member("name", equals("mcp-test-1")));
    let error = Answer::error(error_code::INTERNAL_ERROR, "another client");
    reference_server_with([given(method("tools/list")).and(other).respond_with(error)])
}
