//! `http-methods`.

use serde_json::Value;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{Session, finding, is_served, post, reply, request};

scenario! {
    /// Only POST carries messages to the endpoint.
    ///
    /// Gateways limit access by method. A valid message is sent by PUT and PATCH, which MCP does not use: the server refuses
    /// that, best with HTTP 405. HEAD may be answered like GET, and OPTIONS belongs to the protocol of browsers for requests
    /// to other origins; the server only must not fail at them. GET and DELETE belong to other scenarios.
    Server "http-methods": "Messages are executed when they are posted only",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!("other-methods-refused",
            "PUT and PATCH execute nothing, and these, HEAD and OPTIONS cause no server error",
            [MCP_TEST_HTTP_METHODS_REFUSED]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let revision = ctx.revision();
    if revision.era() == Era::Stateless {
        return methods(ctx, |message| post(revision, message)).await;
    }
    let session = Session::open(ctx).await?;
    ctx.http(session.initialized()).await?;
    let outcome = methods(ctx, |message| session.post(message)).await;
    session.close(ctx).await;
    outcome
}

async fn methods(ctx: &mut Ctx, post: impl Fn(&Value) -> HttpRequest) -> Result<(), Finding> {
    let (revision, method) = (ctx.revision(), always_answered(ctx.revision()));
    let valid = |id| post(&request(revision, id, method, json!({})));
    // Served by POST, so that a refusal has no other reason.
    let posted = ctx.http(valid(10)).await?;
    is_served("a valid request is not answered", &posted, 10)
        .map_err(|it| it.requires(Requirement::JSONRPC_REQUEST_ANSWERED))?;

    let mut outcome = Ok(());
    for (id, name) in (20..).zip(["PUT", "PATCH"]) {
        let request = HttpRequest { method: name.to_owned(), ..valid(id) };
        let answer = ctx.attempt_http(request).await?;
        outcome = outcome.and(answer.and_then(|answer| executes_nothing(name, id, &answer)));
    }
    for name in ["HEAD", "OPTIONS"] {
        let bare = HttpRequest { method: name.to_owned(), body: "".into(), ..valid(0) };
        // Only the status matters: a server may open a stream for HEAD, which would not end.
        let exchange = ctx.attempt_open_http(bare.without("Content-Type")).await?;
        outcome = outcome.and(exchange.and_then(|it| no_server_error(name, &it.close())));
    }
    ctx.check("other-methods-refused").judge(outcome.map_err(Finding::should));
    Ok(())
}

fn executes_nothing(method: &str, id: i64, answer: &HttpResponse) -> Result<(), Finding> {
    ensure(reply(answer, id).is_none_or(|reply| reply.is_err()), || {
        finding(format!("a message that was sent by {method} is executed"), answer)
            .expected("HTTP 405 Method Not Allowed")
    })?;
    no_server_error(method, answer)
}

fn no_server_error(method: &str, answer: &HttpResponse) -> Result<(), Finding> {
    // 501 says that a server does not know the method.
    ensure(answer.status < 500 || answer.status == 501, || {
        finding(format!("{method} is answered with a server error"), answer)
            .expected("HTTP 405 Method Not Allowed")
    })
}

proofs! {
    passes on everything();
    warns "other-methods-refused" by status("PUT", 500);
    warns "other-methods-refused" by status("OPTIONS", 502);
    warns "other-methods-refused" by misbehavior(Misbehavior::ExecutesAnyMethod);
}
