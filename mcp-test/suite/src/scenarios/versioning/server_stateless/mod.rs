//! `server-stateless`: `requests` and `discovery` probe single replies, `tools` and `subscriptions` read streams, `probes`
//! sends the requests, and `checks` lists the checks.

mod checks;
mod discovery;
mod probes;
mod requests;
mod subscriptions;
mod tools;

use mcp_test_core::scenario::Suite;

use super::server_stateless::checks::CHECKS;
use super::server_stateless::probes::Probes;
use crate::scenarios::prelude::*;

scenario! {
    /// Every request is self-contained: it carries its version and the capabilities of its client. It is refused with a
    /// specific error if it does not, or if the server does not support that version or needs another capability.
    ///
    /// There is no handshake and there are no sessions, so clients depend on these errors: each has its own code and HTTP
    /// status. Unsolicited notifications go only to clients that requested them with `subscriptions/listen`. Two
    /// subscriptions are open at once, so that no time is spent waiting for a notification that must not arrive.
    Server "server-stateless": "Every request is self-contained",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official { revisions: Revisions::from(Revision::V2026_07_28), suites: &[Suite::Draft] },
    transports: StreamableHttp,
    optional_needs: [
        Need::Tool(requests::REFUSING),
        Need::Tool(tools::ASKING),
        Need::Tool(tools::LOGGING),
        Need::Tool(subscriptions::CHANGING_TOOLS),
        Need::Tool(subscriptions::CHANGING_PROMPTS),
    ],
    exclusive: "the lists of tools and prompts",
    checks: CHECKS,
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    // The subscriptions come last, because their triggers change the lists that `discovery` compares.
    let mut probes = Probes::default();
    requests::incomplete_meta(ctx, &mut probes).await?;
    let discovered = discovery::discovery(ctx, &mut probes).await?;
    requests::wrong_versions(ctx, &mut probes, &discovered).await?;
    requests::undeclared_capability(ctx, &mut probes, &discovered).await?;
    requests::removed_methods(ctx, &mut probes).await?;
    let session_ignored = requests::with_session_headers(ctx, &mut probes).await?;
    tools::tools(ctx, &mut probes, &discovered).await?;
    subscriptions::subscriptions(ctx, &mut probes, &discovered).await?;
    // Judged at the end: every response may have a session id or an error with a wrong id.
    probes.judge(ctx, session_ignored);
    Ok(())
}

proofs! {
    passes on everything();
    catches "sep-2575-request-meta-invalid-missing-meta" by misbehavior(Misbehavior::SkipsMeta);
    catches "sep-2575-request-meta-invalid-missing-protocol-version" by misbehavior(Misbehavior::SkipsMeta);
    catches "sep-2575-request-meta-invalid-missing-client-capabilities" by misbehavior(Misbehavior::SkipsMeta);
    catches "sep-2575-http-server-meta-invalid-400" by status("server/discover", 200);
    catches "sep-2575-http-server-unsupported-version-400" by status("server/discover", 200);
    catches "sep-2575-request-meta-client-info-optional" by misbehavior(Misbehavior::WantsClientInfo);
    catches "sep-2575-server-implements-discover" by remove("server/discover", "/supportedVersions");
    warns "sep-2575-server-identifies-in-result-meta" by remove("server/discover", "/_meta");
    catches "sep-2575-server-declares-prompts-in-discover" by remove("server/discover", "/capabilities/prompts");
    catches "sep-2575-discover-capabilities-match-handlers" by remove("server/discover", "/capabilities/tools");
    catches "sep-2575-server-unsupported-version-error" by remove("server/discover", "/error/data");
    catches "sep-2575-http-server-header-mismatch-400" by misbehavior(Misbehavior::SkipsMirrors);
    catches "sep-2575-server-rejects-undeclared-capability" by remove("tools/call", "/error/data");
    catches "sep-2575-missing-capability-http-400" by status("tools/call", 200);
    catches "sep-2575-http-server-method-not-found-404-initialize" by status("initialize", 400);
    catches "sep-2575-http-server-method-not-found-404-ping" by status("ping", 400);
    catches "sep-2575-http-server-method-not-found-404-logging-setlevel" by status("logging/setLevel", 400);
    catches "sep-2575-http-server-method-not-found-404-resources-subscribe" by status("resources/subscribe", 400);
    catches "sep-2575-http-server-method-not-found-404-resources-unsubscribe" by status("resources/unsubscribe", 400);
    catches "sep-2575-http-server-method-not-found-404" by status("unknown/method", 200);
    catches "sep-2575-http-server-no-independent-requests-on-stream"
        by stray("tools/call", json!({"jsonrpc": "2.0", "id": 7, "method": "roots/list"}));
    catches "sep-2575-server-no-log-without-loglevel"
        by stray("tools/call", json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}}));
    catches "sep-2575-server-sends-subscription-ack"
        by set("notifications/subscriptions/acknowledged", "/method", json!("notifications/subscriptions/begun"));
    catches "sep-2575-server-sends-subscription-ack" on without_subscriptions();
    catches "sep-2575-server-tags-subscription-id" by remove("notifications/tools/list_changed", "/_meta");
    catches "sep-2575-server-honors-notification-filter" by misbehavior(Misbehavior::SkipsFilter);
    warns "sep-2575-server-sends-prompts-list-changed-on-subscription" by never("notifications/prompts/list_changed");
    warns "sep-2575-server-sends-tools-list-changed-on-subscription" by never("notifications/tools/list_changed");
    catches "sep-2575-http-server-error-jsonrpc-id" by wrong_id("tools/call");
    catches "stateless-unsupported-version-code" by misbehavior(Misbehavior::VagueVersion);
    catches "stateless-discover-versions" by remove("server/discover", "/supportedVersions");
    warns "stateless-session-ignored" by header("server/discover", "Mcp-Session-Id", "s1");
    catches "stateless-subscription-id"
        by retype("notifications/subscriptions/acknowledged", "/_meta/io.modelcontextprotocol~1subscriptionId");
    catches "stateless-subscriptions-at-once"
        by retype("notifications/subscriptions/acknowledged", "/_meta/io.modelcontextprotocol~1subscriptionId");
    catches "stateless-subscription-filter"
        by set("notifications/subscriptions/acknowledged", "/notifications/resourcesListChanged", json!(true));
    warns "stateless-stream-unbuffered" by no_header("subscriptions/listen", "X-Accel-Buffering");
}

/// Refuses every subscription.
fn without_subscriptions() -> Server {
    everything().on("subscriptions/listen", |_: Call| async {
        Answer::error(error_code::INTERNAL_ERROR, "no more subscriptions")
    })
}
