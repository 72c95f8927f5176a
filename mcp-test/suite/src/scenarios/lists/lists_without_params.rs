//! `lists-without-params`.

use super::{all, first_pages};
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;

scenario! {
    /// A list can be requested without the member `params`.
    ///
    /// The only parameter of a list is the cursor, which the first request does not have. From 2026-07-28 on each request has
    /// `params`, for its metadata.
    Server "lists-without-params": "Lists are returned without params",
    revisions: Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
    shares_connection: Revisions::all(),
    checks: [
        check!("params-omitted", "Each list that is returned for empty `params` is returned without `params` as well",
            [PAGINATION_SERVER_PARAMS_OMITTABLE]).conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    make(ctx).await?;
    report_nothing_tested(ctx, &SCENARIO, "the server lists nothing");
    Ok(())
}

async fn make(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut outcomes = Vec::new();
    for (kind, _) in first_pages(ctx).await? {
        let reply = ctx.request(kind.method(), Value::Null).await?;
        let refused = |error: &RpcError| {
            Finding::peer(format!("`{}` without `params` is refused", kind.method()))
                .expected("the same list as with empty `params`")
                .got(error.to_string())
                .evidence_all(reply.evidence())
        };
        outcomes.push(reply.outcome().map(|_| ()).map_err(refused));
    }
    if !outcomes.is_empty() {
        ctx.check("params-omitted").judge(all(outcomes));
    }
    Ok(())
}

proofs! {
    passes on everything();
    catches "params-omitted" on demanding_params();
}

/// Validates the params of `resources/list` as if they were mandatory.
fn demanding_params() -> Server {
    everything().on("resources/list", |call: Call| async move {
        match call.params() {
            Value::Object(_) => serde_json::json!({ "resources": [] }).into(),
            _ => Answer::error(
                error_code::INVALID_PARAMS,
                "params: expected object, received undefined",
            ),
        }
    })
}
