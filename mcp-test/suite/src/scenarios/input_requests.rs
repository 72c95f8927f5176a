//! Shared parts of the scenarios about tools that request input from their client.

use mcp_test_core::client::{ElicitationResponse, Handlers, RequestOptions};

use crate::scenarios::prelude::*;
use crate::scenarios::server_messages::{Params, input_requests, open_listening_stream};

/// Whether a tool requested input before it answered.
pub(super) fn requested(requests: &[Params], method: &str, reply: &Reply) -> Result<(), Finding> {
    ensure(!requests.is_empty(), || {
        Finding::peer("the tool does not request input from its client")
            .expected(format!("a `{method}` before the result of the call"))
            .got("only the result")
            .evidence_all(reply.evidence())
    })
}

/// Judges the parameters of every request for input, or skips the check if there was none.
pub(super) fn judge_each(
    ctx: &mut Ctx,
    check: &str,
    requests: &[Params],
    judge: impl for<'a> Fn(CheckBuilder<'a>, &Part<'_>) -> CheckBuilder<'a>,
) {
    let mut check = ctx.check(check);
    for (seq, params) in requests {
        check = judge(check, &Part::new("the request for input", params, Some(*seq)));
    }
    if requests.is_empty() {
        check.skip("the tool requested no input");
    }
}

/// A tool without arguments that elicits a form.
pub(super) struct FormFixture {
    pub(super) tool: &'static str,
    /// The check that fails if it does not, or if its call fails.
    pub(super) general: &'static str,
}

impl FormFixture {
    /// Calls the tool, accepts its form with `content`, and returns the parameters of its requests.
    ///
    /// Where it requests nothing, or where its call fails, the other checks are skipped, and there is nothing to return.
    pub(super) async fn elicit(
        &self,
        ctx: &mut Ctx,
        content: serde_json::Value,
    ) -> Result<Option<Vec<Params>>, Finding> {
        const METHOD: &str = "elicitation/create";
        // Before the first use of the client, which declares the capability when it connects.
        ctx.on_elicitation(move |_| ElicitationResponse::accept(content.clone()));
        open_listening_stream(ctx.client().await?).await;
        let call = json!({"name": self.tool, "arguments": {}});
        let reply = ctx.request("tools/call", call).await?;
        let requests = input_requests(&ctx.trace(), METHOD);
        let outcome = reply.result().and_then(|_| requested(&requests, METHOD, &reply));
        if let Err(finding) = outcome {
            ctx.check(self.general).by_fixture().fail(finding);
            ctx.skip_the_rest("the call of the tool failed, or elicited nothing");
            return Ok(None);
        }
        Ok(Some(requests))
    }
}

/// Matches the parameters of a request with a form whose field of this name `field` accepts.
pub(super) fn form_field(name: &str, field: impl Matcher + 'static) -> impl Matcher {
    let properties = object().member("properties", object().member(name, field));
    object().member("requestedSchema", properties)
}

/// Calls a tool from a new client that declares no capabilities, and returns the input requests to that client.
pub(super) async fn requests_to_incapable_client(
    ctx: &Ctx,
    method: &str,
    call: Value,
) -> Result<Vec<Params>, Finding> {
    // A handler declares its capability, so a client without handlers declares none.
    let mut incapable = ctx.connect(ctx.options().handlers(Handlers::new())).await?;
    open_listening_stream(&mut incapable).await;
    // The trace also contains the requests to the client of the scenario.
    let before = input_requests(&ctx.trace(), method).len();
    // Any answer will do: the specification leaves it to the tool how to handle a missing capability.
    let once = RequestOptions::new().once();
    let _ = incapable.request_with("tools/call", call, once).await?.error();
    Ok(input_requests(&ctx.trace(), method).split_off(before))
}

/// Whether a client without the capability was left alone.
pub(super) fn not_requested(requests: &[Params], capability: &str) -> Result<(), Finding> {
    let Some((seq, params)) = requests.first() else { return Ok(()) };
    Err(Finding::peer("the server requests input from a client that cannot provide it")
        .expected(format!("no such request, because the client does not declare `{capability}`"))
        .got(params.short(120))
        .evidence(*seq))
}
