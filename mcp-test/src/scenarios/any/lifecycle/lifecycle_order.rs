//! `lifecycle-order`.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::proposing;
use crate::check::Finding;
use crate::client::{Client, Reply, RequestOptions};
use crate::scenario::{CheckSpec, Ctx};
use crate::scenarios::{ensure, everything_but};
use crate::server::reference::everything;
use crate::server::{Answer, ClientMessage, Server, given};
use crate::spec::{Revision, Revisions};
use crate::{proofs, scenario};

scenario! {
    /// The server survives requests at the wrong time, and keeps to the order of the handshake itself.
    ///
    /// A request before `initialize`, and a second `initialize`, are mistakes of the client, to be answered like others. Before
    /// `notifications/initialized` a server sends no requests but `ping`, whatever the client declares. The first two are
    /// tested where each message is a line; over HTTP a server may refuse them by the status alone.
    Server "lifecycle-order": "The server keeps to the order of the handshake",
    revisions: Revisions::until(Revision::V2025_11_25),
    checks: [
        CheckSpec::own(
            "request-before-initialize",
            "RequestBeforeInitialize",
            "A request before `initialize` is answered, and `initialize` is served afterwards",
        )
        .requires(&["jsonrpc.request-answered"])
        .conditional()
        .warns(),
        CheckSpec::own(
            "second-initialize",
            "SecondInitialize",
            "A second `initialize` is answered, and requests are served afterwards",
        )
        .requires(&["jsonrpc.request-answered"])
        .conditional()
        .warns(),
        CheckSpec::own(
            "requests-before-initialized",
            "RequestsBeforeInitialized",
            "The server sends no request but `ping` before `notifications/initialized`",
        )
        .requires(&["lifecycle.server-requests-before-initialized"])
        .warns(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let version = json!(ctx.revision().as_str());
    let capabilities = json!({"roots": {"listChanged": true}, "sampling": {}});
    let params = proposing(&version, &capabilities);
    let mut client = ctx.connect_uninitialized(ctx.options()).await?;
    let mut initialized = None;
    if ctx.transport().is_lines() {
        let early = too_early(&mut client, params.clone()).await;
        ctx.check("request-before-initialize").judge(match early {
            Ok(reply) => {
                initialized = Some(reply);
                Ok(())
            }
            Err(finding) => Err(finding.should()),
        });
        if let Some(reply) = &initialized {
            complete(&mut client, reply).await?;
        }
        // What the early request has brought about would count against the server.
        if initialized.is_none() || request_of_server(&client).is_some() {
            initialized = None;
            client.end().await;
            client = ctx.connect_uninitialized(ctx.options()).await?;
        }
    }
    if initialized.is_none() {
        let reply = client.request("initialize", params.clone()).await?;
        complete(&mut client, &reply).await?;
    }
    let early = request_of_server(&client);
    let outcome = ensure(early.is_none(), || {
        Finding::peer("the server sent a request before `notifications/initialized`")
            .expected("no request but `ping`")
            .got(format!("`{}`", early.unwrap_or_default()))
            .should()
    });
    ctx.check("requests-before-initialized").judge(outcome);
    if ctx.transport().is_lines() {
        client.notify("notifications/initialized", crate::json::Value::Null).await;
        let options = RequestOptions::new().deliberate();
        let mut outcome = client.request_with("initialize", params, options).await;
        if let Ok(reply) = &outcome {
            let _any_reply = reply.error();
            outcome = client.request("ping", json!({})).await;
        }
        let answered = outcome.map(|reply| drop(reply.error().cloned()));
        ctx.check("second-initialize").judge(answered.map_err(Finding::should));
    }
    Ok(())
}

/// Takes the result of `initialize`, and waits until a request that the handshake triggers has been sent: two replies later.
async fn complete(client: &mut Client, initialized: &Reply) -> Result<(), Finding> {
    initialized.result()?;
    client.adopt_revision(initialized);
    for _ in 0..2 {
        client.request("ping", json!({})).await?.result()?;
    }
    Ok(())
}

/// The method of a request of the server, other than `ping`.
fn request_of_server(client: &Client) -> Option<String> {
    let requests = client.server_requests();
    let request = requests.iter().find(|request| request.method != "ping")?;
    Some(request.method.clone())
}

/// The result of `initialize` after a request that came too early.
async fn too_early(client: &mut Client, params: Value) -> Result<Reply, Finding> {
    let options = RequestOptions::new().deliberate();
    // An error or a result: neither is prescribed.
    let _any_reply = client.request_with("tools/list", json!({}), options).await?.error();
    let reply = client.request("initialize", params).await?;
    reply.result()?;
    Ok(reply)
}

proofs! {
    passes on everything();
    warns "request-before-initialize" on leaving_when_early();
    warns "second-initialize" on leaving_at_the_second();
    warns "requests-before-initialized"
        by stray("ping", json!({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"})),
        also "wire-well-formed" Failure;
}

/// Gives up the connection on which the first request came too early.
fn leaving_when_early() -> Server {
    let is_next =
        |message: &ClientMessage| message.client == 0 && message.method() == Some("initialize");
    everything_but([given(is_next).respond_with(Answer::close())])
}

/// Gives up the connection after a second `initialize`: at the third `ping`.
fn leaving_at_the_second() -> Server {
    let pings = AtomicUsize::new(0);
    let is_third = move |message: &ClientMessage| {
        message.method() == Some("ping") && pings.fetch_add(1, Ordering::Relaxed) == 2
    };
    everything_but([given(is_third).respond_with(Answer::close())])
}
