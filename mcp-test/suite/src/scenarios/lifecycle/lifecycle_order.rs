//! `lifecycle-order`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::client::{Client, RequestOptions};
use mcp_test_core::scenario::{Connected, empty_result};
use mcp_test_core::server::ClientMessage;
use serde_json::Value;

use super::{UNKNOWN_CAPABILITY, proposing};
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::refused_in_any_way;

scenario! {
    /// The server keeps to the order of the handshake, and survives a client that does not.
    ///
    /// A request before `initialize`, and a second `initialize`, are mistakes of the client, to be answered like others: with a
    /// result, an error, or over HTTP with an error status. Over Streamable HTTP a request before `initialize` has no session,
    /// which other scenarios test, and a second `initialize` may begin another one. `ping` is the
    /// only request that may be sent before `notifications/initialized`: a client that prepares itself for long wants to know
    /// whether the server is still alive. The client declares roots and sampling, and capabilities that no server knows:
    /// one that validates them as a closed set refuses newer clients altogether.
    Server "lifecycle-order": "The server keeps to the order of the handshake",
    revisions: Revisions::until(Revision::V2025_11_25),
    repeats: OncePerEra,
    checks: [
        check!("request-before-initialize",
            "A request before `initialize` is answered, and `initialize` is served afterwards",
            [JSONRPC_REQUEST_ANSWERED]).conditional().only_warns("the mistake is the client's"),
        check!("unknown-capability-tolerated", "A client with unknown and experimental capabilities is served",
            [BASE_UNKNOWN_CAPABILITY_TOLERATED]),
        check!("ping-before-initialized", "`ping` before `notifications/initialized` gets an empty result",
            [PING_DURING_INITIALIZATION]),
        check!("requests-before-initialized",
            "The server sends no request but `ping` before `notifications/initialized`",
            [LIFECYCLE_SERVER_REQUESTS_BEFORE_INITIALIZED]),
        check!("initialized-after-ping",
            "The initialization can be completed afterwards, and `ping` is still answered",
            [PING_DURING_INITIALIZATION]),
        check!("second-initialize",
            "A second `initialize` is answered, and except over HTTP requests are served afterwards",
            [JSONRPC_REQUEST_ANSWERED]).conditional().only_warns("the mistake is the client's"),
    ],
}

/// How a connection begins.
#[derive(Clone, Copy)]
struct Beginning {
    /// Whether a request comes before `initialize`.
    is_early: bool,
    declares_unknown: bool,
}

/// One after the other, until the server accepts one.
const BEGINNINGS: [Beginning; 3] = [
    Beginning { is_early: true, declares_unknown: true },
    Beginning { is_early: false, declares_unknown: true },
    Beginning { is_early: false, declares_unknown: false },
];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let is_http = ctx.transport().is_http();
    let (mut beginning, mut client) = begin(ctx, !is_http).await?;
    let mut pinged = ping(&mut client, ctx).await;
    if beginning.is_early && (pinged.is_err() || request_of_server(&client).is_some()) {
        // What the early request has brought about must not count against the server.
        client.end().await;
        beginning.is_early = false;
        client = beginning.connect(ctx).await?;
        pinged = ping(&mut client, ctx).await;
    }
    let was_silent = pinged.is_err() && ctx.trace().deadline_fired();
    ctx.check("ping-before-initialized").judge(pinged);
    if was_silent {
        ctx.skip_the_rest("`ping` was not answered");
        return Ok(());
    }
    // A request that the handshake triggers has been sent two replies later.
    let _any_reply = client.request("ping", json!({})).await?.error();
    let early = request_of_server(&client);
    let outcome = ensure(early.is_none(), || {
        Finding::peer("the server sent a request before `notifications/initialized`")
            .expected("no request but `ping`")
            .got(format!("`{}`", early.unwrap_or_default()))
            .should()
    });
    ctx.check("requests-before-initialized").judge(outcome);
    client.notify("notifications/initialized", mcp_test_core::json::Value::Null).await;
    let pinged = ping(&mut client, ctx).await;
    let was_silent = pinged.is_err() && ctx.trace().deadline_fired();
    ctx.check("initialized-after-ping").judge(pinged);
    if !was_silent {
        let options = RequestOptions::new().deliberate();
        let params = beginning.params(ctx);
        let outcome = client.request_with("initialize", params, options).await;
        let mut answered = answered_in_any_way(ctx, outcome);
        if answered.is_ok() && !is_http {
            answered = answered_in_any_way(ctx, client.request("ping", json!({})).await);
        }
        ctx.check("second-initialize").judge(answered.map_err(Finding::should));
    }
    Ok(())
}

/// The first beginning that the server accepts; judges those that it does not.
async fn begin(ctx: &mut Ctx, tries_early: bool) -> Result<(Beginning, Connected), Finding> {
    let mut refused = Vec::new();
    for beginning in BEGINNINGS {
        if beginning.is_early && !tries_early {
            continue;
        }
        let client = match beginning.connect(ctx).await {
            Ok(client) => client,
            Err(finding) => {
                refused.push(finding);
                continue;
            }
        };
        let unknown = match beginning.declares_unknown {
            true => Ok(()),
            false => Err(refused.pop().unwrap_or_else(|| Finding::harness("not refused"))),
        };
        let requirement = Requirement::BASE_UNKNOWN_CAPABILITY_TOLERATED;
        if tries_early {
            let check = ctx.check("request-before-initialize");
            match refused.pop() {
                Some(_) if unknown.is_err() => check.skip("`initialize` fails without it, too"),
                Some(finding) => check.fail(finding.should()),
                None => check.pass(),
            };
        }
        let unknown = unknown.map_err(|finding| finding.requires(requirement));
        ctx.check("unknown-capability-tolerated").judge(unknown);
        return Ok((beginning, client));
    }
    Err(refused.pop().unwrap_or_else(|| Finding::harness("no connection was tried")))
}

impl Beginning {
    fn params(self, ctx: &Ctx) -> Value {
        let mut capabilities = json!({"roots": {"listChanged": true}, "sampling": {}});
        if self.declares_unknown {
            capabilities[UNKNOWN_CAPABILITY] = json!({"a": true});
            capabilities["experimental"] = json!({"mcp-test": {}});
        }
        proposing(&json!(ctx.revision().as_str()), &capabilities)
    }

    /// A connection on which `initialize` has been answered.
    async fn connect(self, ctx: &Ctx) -> Result<Connected, Finding> {
        let mut client = ctx.connect_uninitialized(ctx.options()).await?;
        let initialized = self.initialize(&mut client, ctx).await;
        if let Err(finding) = initialized {
            client.end().await;
            return Err(finding);
        }
        Ok(client)
    }

    async fn initialize(self, client: &mut Client, ctx: &Ctx) -> Result<(), Finding> {
        if self.is_early {
            let options = half_as_long(ctx).deliberate();
            // An error or a result: neither is prescribed.
            let outcome = client.request_with("tools/list", json!({}), options).await;
            answered_in_any_way(ctx, outcome)?;
        }
        let reply = client.request("initialize", self.params(ctx)).await?;
        reply.result()?;
        client.adopt_revision(&reply);
        Ok(())
    }
}

/// Whether a request got a result, an error, or over HTTP an error status.
fn answered_in_any_way(ctx: &Ctx, outcome: Result<Reply, Finding>) -> Result<(), Finding> {
    refused_in_any_way(&ctx.trace(), outcome, |reply| {
        let _any_reply = reply.error();
        Ok(())
    })
}

/// So that the scenario can go on after one request without a reply.
fn half_as_long(ctx: &Ctx) -> RequestOptions {
    RequestOptions::new().timeout(ctx.options().timeout / 2)
}

async fn ping(client: &mut Client, ctx: &Ctx) -> Result<(), Finding> {
    let reply: Reply = client.request_with("ping", json!({}), half_as_long(ctx)).await?;
    empty_result().check(reply.result()?).map_err(|mismatch| {
        Finding::mismatch("the result of `ping` is wrong", &mismatch).evidence_all(reply.evidence())
    })
}

/// The method of a request of the server, other than `ping`.
fn request_of_server(client: &Client) -> Option<String> {
    let requests = client.server_requests();
    let request = requests.iter().find(|request| request.method != "ping")?;
    Some(request.method.clone())
}

proofs! {
    passes on everything();
    warns "request-before-initialize" on leaving_when_early();
    catches "unknown-capability-tolerated" on with_closed_capabilities();
    catches "ping-before-initialized" on refusing_early_pings();
    warns "requests-before-initialized" by stray("ping", json!({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"}));
    // Takes the early ping for the end of the initialization, and refuses what follows.
    catches "initialized-after-ping" on refusing_pings(|turn| turn > 0);
    warns "second-initialize" on leaving_at_the_second();
}

/// Gives up the connection on which the first request came too early.
fn leaving_when_early() -> Server {
    let is_next =
        |message: &ClientMessage| message.client == 0 && message.method() == Some("initialize");
    reference_server_with([given(is_next).respond_with(Answer::close())])
}

/// Knows all capabilities.
fn with_closed_capabilities() -> Server {
    let error = Answer::error(error_code::INVALID_PARAMS, "unrecognized key in `capabilities`");
    let unknown = object().member(UNKNOWN_CAPABILITY, anything());
    let initialize = given(method("initialize")).and(param("/capabilities", unknown));
    reference_server_with([initialize.respond_with(error)])
}

/// Refuses pings at the turns for which `is_refused` holds.
fn refusing_pings(is_refused: fn(usize) -> bool) -> Server {
    let turns = AtomicUsize::new(0);
    everything().on("ping", move |_: Call| {
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        let error = Answer::error(error_code::INVALID_REQUEST, "not initialized");
        async move { if is_refused(turn) { error } else { json!({}).into() } }
    })
}

/// Refuses all requests before it is initialized.
fn refusing_early_pings() -> Server {
    // On the connection with an early request, and on the next one.
    refusing_pings(|turn| turn < 2)
}

/// Gives up the connection after a second `initialize`: at the fourth `ping`.
fn leaving_at_the_second() -> Server {
    let pings = AtomicUsize::new(0);
    let is_fourth = move |message: &ClientMessage| {
        message.method() == Some("ping") && pings.fetch_add(1, Ordering::Relaxed) == 3
    };
    reference_server_with([given(is_fourth).respond_with(Answer::close())])
}
