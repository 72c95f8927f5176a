//! `client-token-use`.

use mcp_test_core::oauth::scripted::{Behavior, McpRequest};

use super::flow::{Received, judge_flow};
use super::older::protected_at;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The client signs in, and has to send its token with every request from then on, also with notifications and, where there are
    /// any, with GET and DELETE; and in no URL, which servers and proxies write down.
    Client "client-token-use": "Every request has the token, in its header",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!(EVERYWHERE, "Every request after the first one with a token has a token",
            [AUTH_TOKEN_EVERY_REQUEST, AUTH_TOKEN_AUTHORIZATION_HEADER]),
        check!(NOT_IN_URL, "No URL has a token", [AUTH_TOKEN_NOT_IN_QUERY]),
    ],
}

const EVERYWHERE: &str = "client-token-on-every-request";
const NOT_IN_URL: &str = "client-token-not-in-url";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    protected_at(test, Behavior::default(), |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let in_url = flow.mcp.iter().find(|received| received.request.has_token_in_query);
    let outcome = in_url.map_or(Ok(()), |received| {
        Err(Finding::peer("the URL of a request has a token")
            .expected("the token in the header `Authorization` alone")
            .got("the parameter `access_token`")
            .evidence(received.seq))
    });
    judging.check(NOT_IN_URL).judge(outcome);
    let has_token = |received: &Received<McpRequest>| received.request.credentials.is_some();
    let Some(first) = flow.mcp.iter().position(has_token) else {
        let finding = Finding::peer("the client never sent a token");
        judging.check(EVERYWHERE).missing(finding);
        return Ok(());
    };
    let bare = flow.mcp[first..].iter().find(|received| !has_token(received));
    let outcome = bare.map_or(Ok(()), |Received { seq, request }| {
        let what = request.method.as_deref().unwrap_or(&request.verb);
        Err(Finding::peer("a request of the client has no token")
            .expected("`Authorization` on every request, once there is a token")
            .got(format!("`{what}` without it"))
            .evidence(*seq))
    });
    judging.check(EVERYWHERE).judge(outcome);
    Ok(())
}

/// Sends its token in the URL as well.
fn with_token_in_url() -> ScriptedClient {
    signing_in_client().also(|task: ClientTask| async move {
        let connection = task.open().await?;
        let request = HttpRequest::get()
            .at("/mcp?access_token=made-up")
            .header("Accept", "text/event-stream");
        connection.http(request, Deadline::after(task.options().timeout)).await?;
        Ok(())
    })
}

proofs! {
    passes on signing_in_client();
    catches "client-token-on-every-request" by misbehavior(Misbehavior::ForgetsToken), at V2025_11_25;
    catches "client-token-not-in-url" on with_token_in_url();
}
